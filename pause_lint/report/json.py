"""The report as one JSON object, the format for other programs. The same report gives the same bytes."""

from __future__ import annotations

from json import dumps
from typing import Any

from pause_lint.finding import Finding, Report
from pause_lint.rules import BY_CODE

VERSION = 1


def render(report: Report) -> str:
    """`report` as JSON with a newline at the end; plain ASCII, so that no terminal or locale gets in the way."""
    document = {
        "version": VERSION,
        "findings": [_finding(finding) for finding in report.findings],
        "errors": [
            {"path": problem.path, "line": problem.line, "message": problem.message} for problem in report.problems
        ],
        "summary": {
            "files": report.files,
            "parsed": report.parsed,
            "findings": len(report.findings),
            "errors": len(report.problems),
        },
    }
    return dumps(document, indent=2) + "\n"


def _finding(finding: Finding) -> dict[str, Any]:
    rule = BY_CODE.get(finding.code)
    return {
        "code": finding.code,
        "name": rule.name if rule else "",
        "message": finding.message,
        "path": finding.path,
        "line": finding.span.line,
        "column": finding.span.column,
        "end_line": finding.span.end_line,
        "end_column": finding.span.end_column,
        "function": finding.function,
        "kind": finding.kind,
        "fix": finding.fix,
        "witness": [
            {"path": step.path, "line": step.line, "column": step.column, "message": step.message}
            for step in finding.witness
        ],
    }
