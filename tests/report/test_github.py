"""Workflow commands: one for each finding, at its place, with the path in its message, whatever the code holds."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pause_lint.finding import Finding, Problem, Report, Span, Step
from pause_lint.report.github import render
from tests.helpers.formats import Command, read_github
from tests.helpers.sources import FAULTY, GRADED
from tests.report.conftest import Check


def test_a_finding_is_an_annotation_of_its_lines(check: Check) -> None:
    Path("a.py").write_text(FAULTY, encoding="utf-8")
    done = check("github")
    [command] = read_github(done.out)
    assert done.err == ""
    assert command.name == "error"
    assert command.properties == {
        "file": "a.py",
        "line": "2",
        "endLine": "2",
        "col": "5",
        "endColumn": "30",
        "title": "PR001 pause-not-resumed",
    }
    assert command.message.splitlines() == [
        check("concise", "-q").out.rstrip("\n"),
        "1. line 2: engine.pause_generation() pauses generation",
        "2. line 3: engine.load() raises; no resume stands on the way out",
    ]


def test_columns_are_left_out_where_github_takes_none(check: Check) -> None:
    long = FAULTY.replace("pause_generation()", "pause_generation(\n        mode='keep',\n    )")
    Path("a.py").write_text(long, encoding="utf-8")
    [command] = read_github(check("github").out)
    assert (command.properties["line"], command.properties["endLine"]) == ("2", "4")
    assert "col" not in command.properties


def test_levels(check: Check) -> None:
    Path("a.py").write_text(GRADED, encoding="utf-8")
    commands = read_github(check("github", "--extend-select", "PR005").out)
    assert [command.name for command in commands] == ["error", "warning", "notice"]


def test_what_could_not_be_checked_is_an_error(check: Check) -> None:
    Path("bad.py").write_text("x = 1\ndef pause_generation(:\n", encoding="utf-8")
    done = check("github", "bad.py", "missing.py")
    broken, missing = read_github(done.out)
    assert broken.properties == {"file": "bad.py", "line": "2", "title": "pause-lint"}
    assert broken.message.startswith("bad.py:2: error: syntax error")
    assert missing == Command(
        "error", {"file": "missing.py", "title": "pause-lint"}, "missing.py: error: no such file or folder"
    )
    assert done.err == ""


@given(st.text(), st.text(min_size=1), st.integers(0, 3))
def test_no_text_leaves_its_command(text: str, path: str, line: int) -> None:
    finding = Finding("PR001", "never", text, path, Span(1, 1, 1, 2), "f", (Step(path, 1, 1, text),))
    commands = read_github(render(Report((finding,), (Problem(path, line, text),), 1, 1)))
    assert len(commands) == 2
    if path.isprintable() and text.isprintable():
        assert commands[0].properties["file"] == path
        assert commands[0].message.splitlines() == [f"{path}:1:1: PR001 {text}", f"1. line 1: {text}"]
