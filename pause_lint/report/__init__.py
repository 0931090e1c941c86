"""How a report is shown: one file for each format. Each is a pure function from a report to text.

`text` is for people; the formats named here are for other programs, and loaded when they are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pause_lint.finding import Finding, Report
    from pause_lint.fixing.propose import Proposal
    from pause_lint.report.text import Lines

MACHINE = ("json", "github", "gitlab", "sarif", "junit", "html")
"""The formats for other programs, browsers among them.

What could not be checked stands in the document itself, beside the findings.
"""

FILES = ("gitlab", "sarif", "junit", "html")
"""Those of them that are written to a file, so that nobody sees them go by."""


def render(name: str, report: Report, lines: Lines, fixes: Mapping[Finding, Proposal]) -> str:
    """`report` in the format `name`, one of `MACHINE`.

    lines: of a file, by its path as shown. fixes: those that are known; SARIF alone has a place for them.
    """
    if name == "github":
        from pause_lint.report import github

        return github.render(report)
    if name == "gitlab":
        from pause_lint.report import gitlab

        return gitlab.render(report, lines)
    if name == "sarif":
        from pause_lint.report import sarif

        return sarif.render(report, lines, fixes)
    if name == "junit":
        from pause_lint.report import junit

        return junit.render(report)
    if name == "html":
        from pause_lint.report import html

        return html.render(report, lines)
    from pause_lint.report import json

    return json.render(report)
