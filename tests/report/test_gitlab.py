"""Code Quality reports of GitLab: what stands in an issue."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pause_lint.finding import Finding, Problem, Report, Span
from pause_lint.report.gitlab import render
from tests.helpers.formats import read_gitlab
from tests.helpers.sources import FAULTY, GRADED
from tests.report.conftest import Check


def test_a_finding_is_an_issue(check: Check) -> None:
    Path("a.py").write_text(FAULTY, encoding="utf-8")
    [issue] = read_gitlab(check("gitlab").out)
    issue.pop("fingerprint")
    assert issue == {
        "type": "issue",
        "categories": ["Bug Risk"],
        "description": "PR001 generation paused by engine.pause_generation() is not resumed"
        " if engine.load() on line 3 raises",
        "check_name": "PR001",
        "severity": "critical",
        "location": {"path": "a.py", "lines": {"begin": 2, "end": 2}},
    }


def test_severities(check: Check) -> None:
    Path("a.py").write_text(GRADED, encoding="utf-8")
    issues = read_gitlab(check("gitlab", "--extend-select", "PR005").out)
    assert [issue["severity"] for issue in issues] == ["critical", "minor", "info"]


def test_what_could_not_be_checked_is_a_blocker(check: Check) -> None:
    Path("bad.py").write_text("x = 1\ndef pause_generation(:\n", encoding="utf-8")
    broken, missing = read_gitlab(check("gitlab", "bad.py", "missing.py").out)
    assert {issue["severity"] for issue in (broken, missing)} == {"blocker"}
    assert broken["location"] == {"path": "bad.py", "lines": {"begin": 2, "end": 2}}
    assert missing["location"] == {"path": "missing.py", "lines": {"begin": 1, "end": 1}}
    assert missing["description"] == "error: no such file or folder"


def test_the_reader_refuses_what_gitlab_would_not_take(check: Check) -> None:
    Path("a.py").write_text(FAULTY, encoding="utf-8")
    text = check("gitlab").out
    for good, bad in [
        ('"critical"', '"grave"'),
        ('"begin": 2', '"begin": "2"'),
        ('"a.py"', '"./a.py"'),
        ("[\n  {", '[\n  {\n    "type": "issue",'),
    ]:
        assert good in text
        with pytest.raises((AssertionError, ValueError)):
            read_gitlab(text.replace(good, bad, 1))


@given(st.text(), st.text(min_size=1).filter(lambda path: path[0] not in "/."))
def test_any_text_is_an_issue_of_its_own(text: str, path: str) -> None:
    finding = Finding("PR001", "never", text, path, Span(1, 1, 1, 2), "f")
    problem = Problem(path, 0, text)
    report = Report((finding, finding), (problem, problem), 1, 1)
    assert len(read_gitlab(render(report, lambda _: (text,)))) == 4
