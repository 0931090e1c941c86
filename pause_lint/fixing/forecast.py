"""Whether `fix` would cure what `check` found, as far as planning tells. Nothing is rewritten here.

The rewrite may still be refused when it is tried: then `fix` says why.
"""

from __future__ import annotations

from dataclasses import replace

from pause_lint.analysis.program import Case
from pause_lint.finding import Finding, Report
from pause_lint.fixing.plan import plans
from pause_lint.fixing.spellings import Spellings


def forecast(report: Report) -> Report:
    """The report with `fix` of each finding set to "safe", "unsafe" or "none"."""
    cases = {case.finding: case for case in report.cases if isinstance(case, Case)}
    spellings = Spellings()
    return replace(
        report, findings=tuple(_forecast(finding, cases.get(finding), spellings) for finding in report.findings)
    )


def _forecast(finding: Finding, case: Case | None, spellings: Spellings) -> Finding:
    plan = None if case is None else next(plans(case, spellings), None)
    if plan is None:
        return finding
    return replace(finding, fix="safe" if plan.safe else "unsafe")
