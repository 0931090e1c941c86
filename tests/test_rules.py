"""The rules and their pages: complete, true to the tool, and good to read."""

from __future__ import annotations

import ast
import re

import pytest

from pause_lint import rules
from pause_lint.check import check_source
from pause_lint.config import Options
from pause_lint.fixing import fix_source
from pause_lint.rules import BY_CODE, RULES, Rule
from tests.helpers.commands import PROJECT, pause_lint

CODES = ["PR001", "PR002", "PR003", "PR004", "PR005", "PR006", "PR007", "PR900", "PR901"]


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


@pytest.mark.parametrize("rule", RULES, ids=by_code)
def test_the_bad_example_shows_this_fault_alone_and_the_good_one_none(rule: Rule) -> None:
    """With all rules in force."""
    assert codes_in(rule.bad) == {rule.code}
    assert codes_in(rule.good) == set()


@pytest.mark.parametrize("rule", RULES, ids=by_code)
def test_the_page_of_a_rule_shows_its_examples(rule: Rule) -> None:
    bad, good = re.findall(r"^```python\n(.*?)^```$", rules.page(rule), flags=re.MULTILINE | re.DOTALL)[:2]
    assert (bad, good) == (rule.bad, rule.good)
    ast.parse(bad)
    ast.parse(good)


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.fixable != "no"], ids=by_code)
def test_the_fix_makes_the_good_example_of_the_bad_one(rule: Rule) -> None:
    fixed = fix_source(rule.bad.encode(), "example.py", Options(), unsafe=False)
    assert ast.dump(ast.parse(fixed.data)) == ast.dump(ast.parse(rule.good))


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.fixable != "no"], ids=by_code)
def test_a_page_says_what_a_fix_changes_after_a_failed_update(rule: Rule) -> None:
    assert "half-done update" in rule.fix_safety
    assert re.search(r"a model that may be broken|the page\s+of PR001", rule.fix_safety)


def test_the_way_to_choose_otherwise_is_reported_but_for_its_comment() -> None:
    [example] = re.findall(r"^```python\n(.*?)^```$", BY_CODE["PR001"].fix_safety, flags=re.MULTILINE | re.DOTALL)
    assert codes_in(example) == set()
    assert codes_in(re.sub(r"  # noqa.*", "", example)) == {"PR001"}


def test_an_inner_pair_is_a_known_miss_of_early_resume() -> None:
    """The page of PR006 says so. With this test failing, it no longer has to."""
    inner = (
        "    def send_weights(self):\n        self.engine.pause_generation()\n        try:\n            self.send()\n"
        "        finally:\n            self.engine.continue_generation()\n"
    )
    source = re.sub(r"    def send_weights.*?(?=\n    def )", lambda _: inner, BY_CODE["PR006"].bad, flags=re.DOTALL)
    assert source.count("pause_generation") == 2
    assert codes_in(source) == set()
    assert "not reported yet" in BY_CODE["PR006"].reports


def test_printed_by_code_and_by_name() -> None:
    for given in ("PR001", "pr001", "pause-not-resumed"):
        done = pause_lint("rule", given, cwd=PROJECT)
        assert (done.code, done.out) == (0, rules.page(BY_CODE["PR001"]))
    done = pause_lint("rule", cwd=PROJECT)
    assert (done.code, done.out) == (0, rules.table())
    assert [line.split("|")[1].strip() for line in done.out.splitlines()[2:]] == CODES
