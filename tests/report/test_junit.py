"""JUnit XML: a suite for each file, a failed test for each finding, an error for each problem."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pause_lint.finding import Finding, Problem, Report, Span, Step
from pause_lint.report.junit import render
from tests.helpers.formats import read_junit
from tests.helpers.sources import FAULTY, FIXED
from tests.report.conftest import Check


def test_a_finding_is_a_failed_test(check: Check) -> None:
    Path("pkg").mkdir()
    Path("pkg/a.py").write_text(FAULTY, encoding="utf-8")
    root = read_junit(check("junit").out)
    [suite] = root
    [case] = suite
    [failure] = case
    assert suite.attrib == {"name": "pkg/a.py", "tests": "1", "failures": "1", "errors": "0"}
    assert case.attrib == {"name": "PR001 pause-not-resumed in reload", "classname": "pkg/a"}
    assert failure.get("type") == "pause-not-resumed"
    assert (failure.text or "").splitlines() == [
        check("concise", "-q").out.rstrip("\n"),
        "1. line 2: engine.pause_generation() pauses generation",
        "2. line 3: engine.load() raises; no resume stands on the way out",
    ]


def test_a_test_keeps_its_name_when_lines_move(check: Check) -> None:
    names = []
    for source in (FAULTY, f"\n\n{FAULTY}"):
        Path("a.py").write_text(source, encoding="utf-8")
        names.append([case.get("name") for case in read_junit(check("junit").out).iter("testcase")])
    assert names[0] == names[1] == ["PR001 pause-not-resumed in reload"]


def test_two_in_one_function_are_two_tests(check: Check) -> None:
    twice = FAULTY + "    engine.pause_generation()\n    engine.load(path)\n    engine.continue_generation()\n"
    Path("a.py").write_text(twice, encoding="utf-8")
    names = [case.get("name") for case in read_junit(check("junit").out).iter("testcase")]
    assert names == ["PR001 pause-not-resumed in reload", "PR001 pause-not-resumed in reload (2)"]


def test_nothing_found_is_a_test_that_passes(check: Check) -> None:
    Path("a.py").write_text(FIXED, encoding="utf-8")
    [suite] = read_junit(check("junit").out)
    [case] = suite
    assert (case.get("name"), list(case)) == ("pause-lint", [])


def test_what_could_not_be_checked_is_an_error(check: Check) -> None:
    Path("bad.py").write_text("x = 1\ndef pause_generation(:\n", encoding="utf-8")
    root = read_junit(check("junit", "bad.py", "missing.py").out)
    broken, missing = root.iter("error")
    assert (broken.text or "").startswith("bad.py:2: error: syntax error")
    assert missing.text == "missing.py: error: no such file or folder"
    assert (root.get("failures"), root.get("errors")) == ("0", "2")


def test_the_reader_refuses_what_jenkins_would_not_take(check: Check) -> None:
    Path("a.py").write_text(FAULTY, encoding="utf-8")
    text = check("junit").out
    for good, bad in [
        (' failures="1"', ""),
        ("<testcase", '<testcase line="2"'),
        ('tests="1"', 'tests="2"'),
        ("<failure", "<fault/><failure"),
        ("</testcase>", "text</testcase>"),
    ]:
        assert good in text
        with pytest.raises((AssertionError, KeyError)):
            read_junit(text.replace(good, bad, 1))


@given(st.text(), st.text(min_size=1), st.text())
def test_any_text_can_be_held_and_read_back(text: str, path: str, function: str) -> None:
    """Also what XML cannot hold: then it is shown by its escape sequence."""
    finding = Finding("PR001", "never", text, path, Span(1, 1, 1, 2), function, (Step(path, 1, 1, text),))
    root = read_junit(render(Report((finding,), (Problem(path, 0, text),), 1, 1)))
    [failure] = root.iter("failure")
    if text.isprintable() and path.isprintable():
        assert failure.get("message") == text
        assert root[0].get("name") == path
