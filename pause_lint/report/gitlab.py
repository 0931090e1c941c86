"""The report as a GitLab Code Quality report, which merge requests show beside the changes.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

from collections.abc import Iterator
from json import dumps
from typing import Any

from pause_lint.finding import Report
from pause_lint.report.excerpt import printable
from pause_lint.report.fingerprints import fingerprint, fingerprints
from pause_lint.report.levels import level
from pause_lint.report.text import Lines
from pause_lint.rules import BY_CODE

_SEVERITIES = {"error": "critical", "warning": "minor", "note": "info"}


def render(report: Report, lines: Lines) -> str:
    """`report` as JSON with a newline at the end; plain ASCII, so that no terminal or locale gets in the way."""
    return dumps([*_findings(report, lines), *_problems(report)], indent=2) + "\n"


def _findings(report: Report, lines: Lines) -> Iterator[dict[str, Any]]:
    for finding, known_by in zip(report.findings, fingerprints(report.findings, lines), strict=True):
        yield _issue(
            f"{finding.code} {finding.message}",
            finding.code,
            known_by,
            _SEVERITIES[level(BY_CODE[finding.code])],
            finding.path,
            (finding.span.line, finding.span.end_line),
        )


def _problems(report: Report) -> Iterator[dict[str, Any]]:
    for number, problem in enumerate(report.problems):
        before = report.problems[:number].count(problem)
        known_by = fingerprint("error", problem.path, str(problem.line), problem.message, str(before))
        line = max(problem.line, 1)
        yield _issue(f"error: {problem.message}", "error", known_by, "blocker", problem.path, (line, line))


def _issue(
    description: str, check: str, fingerprint: str, severity: str, path: str, lines: tuple[int, int]
) -> dict[str, Any]:
    begin, end = lines
    return {
        "type": "issue",
        "categories": ["Bug Risk"],
        "description": printable(description),
        "check_name": check,
        "fingerprint": fingerprint,
        "severity": severity,
        "location": {"path": _text(path), "lines": {"begin": begin, "end": end}},
    }


def _text(path: str) -> str:
    """`path`, which may hold bytes that are no text, as text."""
    return path.encode("utf-8", "replace").decode()
