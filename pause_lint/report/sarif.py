"""The report as SARIF 2.1.0, the format of code scanning and of editors that show a path step by step.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html. Nothing in it depends on the machine, the time or
where the folder is: paths are relative to the folder of the run, which the base `SRCROOT` stands for.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from json import dumps
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pause_lint import __version__
from pause_lint.finding import Finding, Problem, Report, Span
from pause_lint.report.excerpt import printable
from pause_lint.report.fingerprints import fingerprints
from pause_lint.report.levels import level
from pause_lint.report.text import Lines
from pause_lint.rules import BY_CODE, RULES, Rule, page

if TYPE_CHECKING:
    from pause_lint.fixing.propose import Proposal

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "pauseLint/v1"
_ROOT = "SRCROOT"
_INDEX = {rule.code: index for index, rule in enumerate(RULES)}


def render(report: Report, lines: Lines, fixes: Mapping[Finding, Proposal]) -> str:
    """`report` as JSON with a newline at the end; plain ASCII, so that no terminal or locale gets in the way.

    lines: of a file, by its path as shown. fixes: those that are known.
    """
    known_by = fingerprints(report.findings, lines)
    run = {
        "tool": {"driver": _driver()},
        "invocations": [
            {
                "executionSuccessful": not report.problems,
                "toolExecutionNotifications": [_notification(problem) for problem in report.problems],
            }
        ],
        "originalUriBaseIds": {_ROOT: {"description": _message("The folder that pause-lint was run in.")}},
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "results": [
            _result(finding, key, fixes.get(finding)) for finding, key in zip(report.findings, known_by, strict=True)
        ],
    }
    return dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _driver() -> dict[str, Any]:
    return {
        "name": "pause-lint",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(rule) for rule in RULES],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    grave = level(rule)
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": f"{rule.summary[0].upper()}{rule.summary[1:]}."},
        "fullDescription": {"text": _flowing(rule.reports)},
        "help": {"text": f"{_flowing(rule.reports)}\n\n{_flowing(rule.why)}", "markdown": page(rule)},
        "defaultConfiguration": {"level": grave, "enabled": rule.default != "opt-in"},
        "properties": {
            "tags": ["correctness", "reliability"],
            "problem.severity": "recommendation" if grave == "note" else grave,
        },
    }


def _flowing(paragraphs: str) -> str:
    """Paragraphs without the breaks within them, which mean nothing in plain text."""
    return "\n\n".join(" ".join(paragraph.split("\n")) for paragraph in paragraphs.split("\n\n"))


def _result(finding: Finding, known_by: str, fix: Proposal | None) -> dict[str, Any]:
    location: dict[str, Any] = {"physicalLocation": _place(finding.path, finding.span)}
    if finding.function:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.function, "kind": "function"}]
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": _INDEX[finding.code],
        "level": level(BY_CODE[finding.code]),
        "message": _message(finding.message),
        "locations": [location],
        "partialFingerprints": {FINGERPRINT: known_by},
        "properties": {"kind": finding.kind, "fix": finding.fix},
    }
    if finding.witness:
        steps = [
            {"physicalLocation": _place(step.path, (step.line, step.column)), "message": _message(step.message)}
            for step in finding.witness
        ]
        result["codeFlows"] = [{"threadFlows": [{"locations": [{"location": step} for step in steps]}]}]
        result["relatedLocations"] = [{"id": number, **step} for number, step in enumerate(steps, 1)]
    if fix is not None:
        result["fixes"] = [_fix(finding.path, fix)]
    return result


def _fix(path: str, fix: Proposal) -> dict[str, Any]:
    written = "What `pause-lint fix` writes." if fix.safe else "What `pause-lint fix --unsafe-fixes` writes."
    replacements = []
    for span, text in fix.replacements:
        replacement: dict[str, Any] = {"deletedRegion": _region(span)}
        if text:
            replacement["insertedContent"] = {"text": text}
        replacements.append(replacement)
    return {
        "description": _message(written if fix.safe else f"{written} It is unsafe: {fix.why_unsafe}."),
        "artifactChanges": [{"artifactLocation": _artifact(path), "replacements": replacements}],
    }


def _notification(problem: Problem) -> dict[str, Any]:
    place = _place(problem.path, (problem.line, 0) if problem.line else ())
    return {"level": "error", "message": _message(problem.message), "locations": [{"physicalLocation": place}]}


def _place(path: str, at: Span | tuple[int, ...]) -> dict[str, Any]:
    return {"artifactLocation": _artifact(path), **({"region": _region(at)} if at else {})}


def _region(at: Span | tuple[int, ...]) -> dict[str, int]:
    """A region from what is known of it: line, column, last line, last column; 0 is unknown."""
    names = ("startLine", "startColumn", "endLine", "endColumn")
    return {name: number for name, number in zip(names, at, strict=False) if number}


def _artifact(path: str) -> dict[str, str]:
    if os.path.isabs(path):  # another drive
        return {"uri": f"file:///{quote(os.fsencode(path), safe='/:').lstrip('/')}"}
    return {"uri": quote(os.fsencode(path)), "uriBaseId": _ROOT}


def _message(text: str) -> dict[str, str]:
    """Text that may hold code, as a message.

    Nothing in it steers a terminal or reads as a link; a single brace would begin a placeholder (3.11.5).
    """
    return {"text": printable(text).replace("](", "] (").replace("{", "{{").replace("}", "}}")}
