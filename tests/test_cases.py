"""The labelled cases: right verdict, right line; every faulty one fixed, and run with each call failing in turn."""

from __future__ import annotations

import logging

import pytest

from pause_lint.check import check_source
from pause_lint.config import Options
from pause_lint.fixing import fix_source
from pause_lint.pairs import preset_pairs
from tests.helpers.cases import Case, all_cases
from tests.helpers.execution import Outcome, entries, outcomes

OPTIONS = Options(pairs=preset_pairs(("all",)))
LEFT_PAUSED = {"PR001", "PR002", "PR003", "PR004"}

JUDGED = ("core", "strict", "design")
CASES = all_cases()
SETTLED = [case for case in CASES if case.tier in JUDGED]
FAULTY = [case for case in SETTLED if case.faulty]
FIXED_BY_HAND = [case for case in CASES if case.path.stem.endswith("_fixed") and case.tier in JUDGED]
BEYOND_ONE_FUNCTION = [case for case in CASES if case.tier not in JUDGED]

PINNED: dict[str, tuple[int, ...]] = {
    "48_nested_counted_once.py": (),
}
"""What is reported in the cases that one function does not show, by line, where that is not what their header says."""


def by_name(case: Case) -> str:
    return case.path.stem


def lines_reported(data: bytes, name: str) -> tuple[int, ...]:
    report = check_source(data, name, OPTIONS)
    assert not report.problems
    return tuple(finding.span.line for finding in report.findings if finding.code in LEFT_PAUSED)


def ways_to_end_paused(source: str) -> list[str]:
    """Every run of `source` that ends with something paused, as text."""
    found: list[str] = []
    for entry in entries(source):
        found += [_described(str(entry), outcome) for outcome in outcomes(source, entry) if outcome.world.paused]
    return found


def _described(entry: str, outcome: Outcome) -> str:
    return f"{entry} with {outcome.error!r} after {outcome.world.calls} leaves {sorted(outcome.world.paused)}"


@pytest.fixture(autouse=True)
def silent_logging(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL + 1)


@pytest.mark.parametrize("case", SETTLED, ids=by_name)
def test_verdict_and_line(case: Case) -> None:
    expected = () if case.line is None else (case.line,)
    assert lines_reported(case.data, case.path.name) == expected


@pytest.mark.parametrize("case", FAULTY, ids=by_name)
def test_the_function_is_named(case: Case) -> None:
    report = check_source(case.data, case.path.name, OPTIONS)
    assert [finding.function.rpartition(".")[2] for finding in report.findings] == [case.function]


def test_cases_beyond_one_function_come_out_as_pinned() -> None:
    expected = {case.path.name: (case.line,) if case.line else () for case in BEYOND_ONE_FUNCTION}
    reported = {case.path.name: lines_reported(case.data, case.path.name) for case in BEYOND_ONE_FUNCTION}
    assert {name: lines for name, lines in reported.items() if lines != expected[name]} == PINNED


@pytest.mark.parametrize("case", FAULTY, ids=by_name)
def test_the_fault_shows_when_it_is_run(case: Case) -> None:
    """Guards the test below: a run that could not end paused would prove nothing."""
    assert ways_to_end_paused(case.data.decode())


@pytest.mark.parametrize("case", FIXED_BY_HAND, ids=by_name)
def test_fixed_by_hand_never_ends_paused(case: Case) -> None:
    assert ways_to_end_paused(case.data.decode()) == []


@pytest.mark.parametrize("case", FAULTY, ids=by_name)
def test_fixed_never_ends_paused(case: Case) -> None:
    result = fix_source(case.data, case.path.name, OPTIONS, unsafe=True)
    assert result.unfixed == ()
    assert lines_reported(result.data, case.path.name) == ()
    assert ways_to_end_paused(result.data.decode()) == []
    again = fix_source(result.data, case.path.name, OPTIONS, unsafe=True)
    assert again.data == result.data


@pytest.mark.parametrize("case", [case for case in CASES if not case.faulty], ids=by_name)
def test_what_is_right_is_left_alone(case: Case) -> None:
    if case.path.name in PINNED:
        pytest.skip("pinned as a false alarm")
    assert fix_source(case.data, case.path.name, OPTIONS, unsafe=True).data == case.data
