"""A baseline through two hundred edits: exactly what is new is reported, exactly what is gone is said to be gone.

What is expected is worked out from what each function says, by counting, never from text: of three functions that say
the same where the baseline has one, two are new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path

import pytest

from pause_lint.baseline import Compared, compare, narrowed, record
from pause_lint.check import check_paths
from pause_lint.config import Options
from pause_lint.identity import Lines
from tests.helpers.editing import Tree

EDITS = 200
FILE = "baseline.json"
Faulty = dict[tuple[str, str], int]
"""What every faulty function says, by its file and its name."""


def lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").splitlines()


LINES: Lines = lines


def expected(known: Faulty, now: Faulty, files: Collection[str]) -> tuple[Counter[int], Counter[int]]:
    """What the functions say that are new since `known`, and what those say that are gone. files: those there are."""
    new, gone = Counter(now.values()), Counter(known.values())
    new, gone = new - gone, gone - new
    # What says something else now is the same still where it stands at the same place, or its file has another name.
    for (file, name), said in known.items():
        for (other, also), says in now.items():
            if name == also and (file == other or file not in files) and gone[said] and new[says]:
                gone[said] -= 1
                new[says] -= 1
    return +new, +gone


def shown(compared: Compared, known: Faulty, now: Faulty) -> tuple[Counter[int], Counter[int]]:
    """The same, as it is reported."""
    new = Counter(now[finding.path, finding.function] for finding in compared.report.findings)
    return new, Counter(known[entry.path, entry.function] for entry in compared.gone)


@pytest.mark.parametrize("seed", range(4))
def test_two_hundred_edits(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    options = Options()
    tree = Tree(seed)
    tree.write(tmp_path)
    record(check_paths(["."], options), FILE, LINES)
    known = tree.faulty()
    made: Counter[str] = Counter()
    for number in range(1, EDITS + 1):
        made[tree.edit()] += 1
        if number % 4 and number != EDITS:
            continue
        tree.write(tmp_path)
        report = check_paths(["."], options)
        now = tree.faulty()
        assert {(finding.path, finding.function) for finding in report.findings} == set(now)
        compared = compare(report, FILE, LINES, options.select, ["."])
        assert shown(compared, known, now) == expected(known, now, tree.files), f"after {number} edits"
        assert len(compared.kept) == len(known) - len(compared.gone)
        if number % 40 == 0:
            narrowed(report, FILE, LINES, options.select, ["."], update=True)
            unknown = {(finding.path, finding.function) for finding in compared.report.findings}
            known = {place: said for place, said in now.items() if place not in unknown}
    assert len(made) == 12, "every kind of edit was made"
