"""What a finding is known by: the same after an edit elsewhere, another for another fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.formats import read_gitlab, read_sarif
from tests.helpers.sources import FAULTY
from tests.report.conftest import Check

KNOWN_BY = "pauseLint/v1"


@pytest.fixture
def known_by(check: Check) -> object:
    """What the findings in a text are known by, in order."""

    def call(text: str, path: str = "a.py") -> list[str]:
        Path(path).write_text(text, encoding="utf-8")
        results = read_sarif(check("sarif", path, "--no-project").out)["results"]
        found = [result["partialFingerprints"][KNOWN_BY] for result in results]
        issues = read_gitlab(check("gitlab", path, "--no-project").out)
        assert [issue["fingerprint"] for issue in issues] == found
        return found

    return call


@pytest.mark.parametrize(
    "edited",
    [
        "import os\n\n\n" + FAULTY,
        FAULTY.replace("\n", "\r\n"),
        FAULTY.replace("    engine.load", "    x = 1\n    engine.load"),
        FAULTY.replace("    ", "\t"),
        FAULTY.replace("pause_generation()", "pause_generation()  # wait for it"),
        FAULTY.replace("engine.load(path)", "engine.load(path)\n    engine.load(path)"),
        FAULTY.replace("    engine.continue_generation()\n", ""),
    ],
    ids=["lines above", "line endings", "lines between", "indentation", "a comment", "another way out", "another kind"],
)
def test_it_survives_edits_that_leave_the_pause(known_by: object, edited: str) -> None:
    assert callable(known_by)
    before = known_by(FAULTY)
    assert known_by(edited) == before != []


def test_a_call_over_several_lines_is_known_by_its_words(known_by: object) -> None:
    assert callable(known_by)
    long = FAULTY.replace("pause_generation()", "pause_generation(\n        mode='keep',\n    )")
    assert known_by(long) == known_by(long.replace("        mode", "            mode")) != known_by(FAULTY)


def test_another_pause_function_or_file_is_another_finding(known_by: object) -> None:
    assert callable(known_by)
    seen = [
        known_by(FAULTY),
        known_by(FAULTY.replace("engine", "other")),
        known_by(FAULTY.replace("reload", "load_again")),
        known_by(FAULTY, "b.py"),
    ]
    assert len({finding for [finding] in seen}) == len(seen)


def test_a_second_copy_is_new_and_the_first_stays(known_by: object) -> None:
    assert callable(known_by)
    twice = FAULTY + "    engine.pause_generation()\n    engine.load(path)\n    engine.continue_generation()\n"
    first, second = known_by(twice)
    assert [first] == known_by(FAULTY)
    assert first != second
