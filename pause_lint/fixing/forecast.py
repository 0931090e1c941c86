"""Whether `fix` would cure what `check` found, as far as planning tells. Nothing is rewritten here.

The rewrite may still be refused when it is tried: then `fix` says why.
"""

from __future__ import annotations

from pause_lint.analysis.program import Case
from pause_lint.finding import Finding
from pause_lint.fixing.plan import plans, why_none
from pause_lint.fixing.spellings import Spellings


def forecast(case: Case, spellings: Spellings) -> Finding:
    """The finding of a case, with `fix` set to "safe", "unsafe" or "none", and why it is not safe."""
    plan = next(plans(case, spellings), None)
    if plan is None:
        return case.finding._replace(fix="none", fix_note=why_none(case))
    return case.finding._replace(fix="safe" if plan.safe else "unsafe", fix_note=plan.why_unsafe)
