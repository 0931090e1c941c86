"""The report as workflow commands of GitHub Actions, which become annotations on the lines of a pull request.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from pause_lint.finding import Finding, Problem, Report
from pause_lint.report.excerpt import printable
from pause_lint.report.levels import level
from pause_lint.report.text import headline, problem_line
from pause_lint.report.witness import steps
from pause_lint.rules import BY_CODE

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render(report: Report) -> str:
    """One command, and so one line, for each finding and each problem; nothing if there are none."""
    return "".join([*map(_finding, report.findings), *map(_problem, report.problems)])


def _finding(finding: Finding) -> str:
    rule = BY_CODE[finding.code]
    span = finding.span
    place = {"file": finding.path, "line": str(span.line), "endLine": str(span.end_line)}
    if span.line == span.end_line:  # GitHub takes columns of a single line only
        place |= {"col": str(span.column), "endColumn": str(span.end_column)}
    # The log shows the message only, so that the place has to be in it as well.
    message = "\n".join([headline(finding), *steps(finding)])
    return _command(_COMMANDS[level(rule)], {**place, "title": f"{rule.code} {rule.name}"}, message)


def _problem(problem: Problem) -> str:
    place = {"file": problem.path} | ({"line": str(problem.line)} if problem.line else {})
    return _command("error", {**place, "title": "pause-lint"}, problem_line(problem))


def _command(name: str, properties: dict[str, str], message: str) -> str:
    given = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {given}::{_data(message)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(printable(text)).replace(":", "%3A").replace(",", "%2C")
