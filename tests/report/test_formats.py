"""What holds for every format: it is valid whatever the code holds, says everything, and says it the same each time."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pause_lint.report import FILES, MACHINE
from tests.helpers.commands import PROJECT, flake8, pause_lint
from tests.helpers.formats import read_github, read_gitlab, read_junit, read_sarif, sarif_path
from tests.helpers.pages import places_of, read_html
from tests.helpers.sources import FAULTY, GRADED, write_hostile
from tests.report.conftest import Check

READERS: dict[str, Callable[[str], Any]] = {
    "json": json.loads,
    "github": read_github,
    "gitlab": read_gitlab,
    "sarif": read_sarif,
    "junit": read_junit,
    "html": read_html,
}
PROGRAM = """\
import sys
from pause_lint.cli import main
main(sys.argv[1:])
sys.stderr.write("\\n".join(sorted(sys.modules)))
"""


def test_every_format_has_a_reader() -> None:
    assert tuple(READERS) == MACHINE


@pytest.mark.parametrize("name", MACHINE)
def test_hostile_code_and_names_leave_it_valid(check: Check, project: Path, name: str) -> None:
    write_hostile(project)
    done = check(name)
    assert done.code == 2
    READERS[name](done.out)


@pytest.mark.parametrize("name", MACHINE)
def test_without_findings_it_is_valid(check: Check, name: str) -> None:
    Path("a.py").write_text("x = 1\n", encoding="utf-8")
    done = check(name)
    assert (done.code, done.err) == (0, "")
    READERS[name](done.out)


def places(name: str, text: str) -> list[tuple[str, int]]:
    """Where findings and problems stand, as a reader of the format understands it."""
    read = READERS[name](text)
    if name == "json":
        found = [(one["path"], one["line"]) for one in [*read["findings"], *read["errors"]]]
    elif name == "github":
        found = [(one.properties["file"], int(one.properties["line"])) for one in read]
    elif name == "gitlab":
        found = [(one["location"]["path"], one["location"]["lines"]["begin"]) for one in read]
    elif name == "sarif":
        said = [*read["results"], *read["invocations"][0]["toolExecutionNotifications"]]
        located = [one["locations"][0]["physicalLocation"] for one in said]
        found = [(sarif_path(one), one["region"]["startLine"]) for one in located]
    elif name == "html":
        found = places_of(read)
    else:
        shown = [(one.text or "").split(":", 2)[:2] for one in [*read.iter("failure"), *read.iter("error")]]
        found = [(path, int(line)) for path, line in shown]
    return sorted(found)


@pytest.mark.parametrize("name", MACHINE)
def test_all_findings_and_errors_are_in_it_at_their_places(check: Check, name: str) -> None:
    Path("pkg").mkdir()
    for path in ("a.py", "pkg/b.py"):
        Path(path).write_text(f"{FAULTY}\n\n{FAULTY}", encoding="utf-8")
    Path("pkg/c.py").write_text("def f(engine):\n    engine.pause_generation(:\n", encoding="utf-8")
    done = check(name)
    assert done.code == 2
    assert places(name, done.out) == [("a.py", 2), ("a.py", 8), ("pkg/b.py", 2), ("pkg/b.py", 8), ("pkg/c.py", 2)]
    # What is written to be uploaded is seen by nobody: then the log of the job has the errors as well.
    assert done.err.startswith("pkg/c.py:2: error: syntax error") == (name in FILES)


@pytest.mark.parametrize("name", MACHINE)
def test_an_error_without_a_line_is_in_it(check: Check, name: str) -> None:
    done = check(name, "missing.py")
    assert done.code == 2
    READERS[name](done.out)
    assert "missing.py" in done.out
    assert "no such file or folder" in done.out


@pytest.mark.parametrize("name", MACHINE)
def test_same_input_same_output(tmp_path: Path, name: str) -> None:
    """Whatever the order of hashes, the folder and the terminal's encoding."""
    outputs = set()
    for number, encoding in enumerate(("utf-8", "utf-8", "ascii" if name != "github" else "utf-8")):
        copy = tmp_path / str(number)
        shutil.copytree(PROJECT / "examples/areal_npu", copy, ignore=shutil.ignore_patterns("__pycache__"))
        (copy / "größe.py").write_text(GRADED.replace("engine", "größe"), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "pause_lint", "check", "--select", "PR", "--output-format", name],
            cwd=copy,
            capture_output=True,
            check=False,
            env={**os.environ, "PYTHONHASHSEED": str(number), "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        )
        assert (done.returncode, done.stderr) == (1, b"")
        outputs.add(done.stdout)
    assert len(outputs) == 1
    READERS[name](outputs.pop().decode())


@pytest.mark.parametrize("name", MACHINE)
def test_standard_input(project: Path, name: str) -> None:
    arguments = ("check", "-", "--stdin-filename", "pkg/a.py", "--output-format", name)
    done = pause_lint(*arguments, cwd=project, stdin=FAULTY.encode())
    assert done.code == 1
    assert places(name, done.out) == [("pkg/a.py", 2)]


@pytest.mark.parametrize("name", MACHINE)
def test_fix_reports_what_is_left(project: Path, name: str) -> None:
    (project / "a.py").write_text(GRADED, encoding="utf-8")
    done = pause_lint("fix", "--output-format", name, cwd=project)
    assert (done.code, done.err) == (1, "")
    assert places(name, done.out) == [("a.py", 17)]
    excluded = pause_lint("fix", "--diff", "--output-format", name, cwd=project)
    assert (excluded.code, excluded.out) == (2, "")
    assert excluded.err == f"pause-lint fix: error: --diff and --output-format {name} exclude each other\n"


@pytest.mark.parametrize("name", ["text", "concise", *MACHINE])
def test_only_the_format_that_is_asked_for_is_loaded(project: Path, name: str) -> None:
    (project / "a.py").write_text(FAULTY, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "check", "--output-format", name],
        cwd=project,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stderr.split())
    formats = {f"pause_lint.report.{one}" for one in MACHINE}
    assert loaded & formats == ({f"pause_lint.report.{name}"} if name in MACHINE else set())
    # What programs read, nobody has to see drawn.
    assert ("pause_lint.report.text" in loaded) == (name != "json")
    # SARIF alone has a place for the source that a fix would write.
    assert ("libcst" in loaded) == (name == "sarif")


def test_concise_is_flake8s_form() -> None:
    """Line for line what flake8 prints, and so understood by whatever reads flake8's output; behind it, the way."""
    cwd = PROJECT / "examples/areal_npu"
    done = pause_lint("check", "--output-format", "concise", "-q", ".", cwd=cwd)
    shown = [line.removeprefix("./") for line in flake8("--select", "PR", ".", cwd=cwd).out.splitlines()]
    assert [line.partition(" [via ")[0] for line in done.out.splitlines()] == shown != []
