"""The rules and their pages: complete, true to the tool, and good to read."""

from __future__ import annotations

import pytest

from pause_lint import rules
from pause_lint.check import check_source
from pause_lint.config import Options
from pause_lint.rules import BY_CODE, RULES, Rule
from tests.helpers.commands import PROJECT, pause_lint

CODES = ["PR001", "PR002", "PR003", "PR004", "PR005", "PR006", "PR007", "PR900", "PR901"]
ACROSS_FUNCTIONS = ("PR006", "PR007")


def codes_in(source: str) -> set[str]:
    report = check_source(source.encode(), "example.py", Options(select=frozenset(CODES)))
    assert not report.problems
    return {finding.code for finding in report.findings}


def by_code(rule: Rule) -> str:
    return rule.code


def test_all_rules() -> None:
    assert [rule.code for rule in RULES] == CODES == list(BY_CODE)
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert [rule.code for rule in RULES if rule.default == "opt-in"] == ["PR005", "PR006", "PR007", "PR901"]
    assert [rule.code for rule in RULES if rule.default == "cli"] == ["PR900"]


@pytest.mark.parametrize("rule", RULES, ids=by_code)
def test_a_page_has_everything(rule: Rule) -> None:
    page = rules.page(rule)
    headings = [line for line in page.splitlines() if line.startswith("#") and not line.startswith("# noqa")]
    assert headings == [
        f"# {rule.name} ({rule.code})",
        "## What it reports",
        "## Why it matters",
        "## Example",
        "## When not to follow it",
        "## How to suppress it",
        "## Fix safety",
    ]
    assert "{" not in page
    assert page.endswith("\n")
    assert max(map(len, page.splitlines())) <= 120


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.code not in ACROSS_FUNCTIONS], ids=by_code)
def test_the_bad_example_is_reported_and_the_good_one_is_not(rule: Rule) -> None:
    assert rule.code in codes_in(rule.bad)
    assert codes_in(rule.good) == set()


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.code in ACROSS_FUNCTIONS], ids=by_code)
def test_examples_of_rules_across_functions_show_nothing_else(rule: Rule) -> None:
    imports = "from contextlib import contextmanager\n\n\n"
    assert codes_in(imports + rule.bad) <= {rule.code}
    assert codes_in(imports + rule.good) == set()


def test_printed_by_code_and_by_name() -> None:
    for given in ("PR001", "pr001", "pause-not-resumed"):
        done = pause_lint("rule", given, cwd=PROJECT)
        assert (done.code, done.out) == (0, rules.page(BY_CODE["PR001"]))
    done = pause_lint("rule", cwd=PROJECT)
    assert (done.code, done.out) == (0, rules.table())
    assert [line.split("|")[1].strip() for line in done.out.splitlines()[2:]] == CODES
