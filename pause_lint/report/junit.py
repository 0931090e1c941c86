"""The report as JUnit XML, which most CI servers show: a suite for each file, in it a failed test for each finding.

What Jenkins takes (`junit-10.xsd` of its xunit plugin), and so nearly everyone. It holds no time and no host.
"""

from __future__ import annotations

from collections import Counter
from html import escape

from pause_lint.finding import Finding, Problem, Report
from pause_lint.report.excerpt import printable
from pause_lint.report.text import headline, problem_line
from pause_lint.report.witness import steps
from pause_lint.rules import BY_CODE


def render(report: Report) -> str:
    """`report` as XML with a newline at the end; plain ASCII, so that no terminal or locale gets in the way.

    Without findings and problems it holds one test, which passes: readers take a report without tests for a failed run.
    """
    paths = {finding.path for finding in report.findings} | {problem.path for problem in report.problems}
    suites = "".join(_suite(path, report) for path in sorted(paths))
    tests, failures, errors = len(report.findings) + len(report.problems), len(report.findings), len(report.problems)
    if not tests:
        tests = 1
        passed = '    <testcase name="pause-lint" classname="pause-lint"/>\n'
        suites = f'  <testsuite name="pause-lint" {_counts(1, 0, 0)}>\n{passed}  </testsuite>\n'
    document = f'<testsuites name="pause-lint" {_counts(tests, failures, errors)}>\n{suites}</testsuites>\n'
    # What XML cannot hold is not printable, and no longer there. The rest goes as references.
    return '<?xml version="1.0" encoding="utf-8"?>\n' + document.encode("ascii", "xmlcharrefreplace").decode()


def _suite(path: str, report: Report) -> str:
    findings = [finding for finding in report.findings if finding.path == path]
    problems = [problem for problem in report.problems if problem.path == path]
    seen: Counter[str] = Counter()
    cases = [_failed(finding, seen) for finding in findings] + [_erred(problem, seen) for problem in problems]
    counts = _counts(len(cases), len(findings), len(problems))
    return f"  <testsuite name={_quoted(path)} {counts}>\n{''.join(cases)}  </testsuite>\n"


def _counts(tests: int, failures: int, errors: int) -> str:
    return f'tests="{tests}" failures="{failures}" errors="{errors}"'


def _failed(finding: Finding, seen: Counter[str]) -> str:
    rule = BY_CODE[finding.code]
    name = f"{rule.code} {rule.name}" + (f" in {finding.function}" if finding.function else "")
    return _case(
        "failure", finding.path, _numbered(name, seen), rule.name, finding.message, [headline(finding), *steps(finding)]
    )


def _erred(problem: Problem, seen: Counter[str]) -> str:
    name = _numbered("error", seen)
    return _case("error", problem.path, name, "error", problem.message, [problem_line(problem)])


def _numbered(name: str, seen: Counter[str]) -> str:
    """`name`, told from those like it. Line numbers are not in it: it stays the same test when lines move."""
    seen[name] += 1
    return name if seen[name] == 1 else f"{name} ({seen[name]})"


def _case(outcome: str, path: str, name: str, kind: str, message: str, lines: list[str]) -> str:
    # Readers cut the name of a class up at its dots.
    group = path.removesuffix("i").removesuffix(".py")
    text = escape("\n".join(map(printable, lines)), quote=False)
    return (
        f"    <testcase name={_quoted(name)} classname={_quoted(group)}>\n"
        f"      <{outcome} type={_quoted(kind)} message={_quoted(message)}>{text}</{outcome}>\n"
        "    </testcase>\n"
    )


def _quoted(text: str) -> str:
    return f'"{escape(printable(text))}"'
