"""One file fixed in memory: planned on the syntax tree, carried out with LibCST, verified before anything is believed.

Writing is the business of `write`, going over files that of `run`.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pause_lint import suppress
from pause_lint.analysis.program import Case, cases
from pause_lint.config import Options
from pause_lint.finding import Finding
from pause_lint.fixing.edits import Plan
from pause_lint.fixing.plan import plans, why_none
from pause_lint.fixing.rewrite import CannotRewrite, rewrite
from pause_lint.fixing.spellings import Spellings
from pause_lint.fixing.style import configured_limit
from pause_lint.fixing.verify import check_plan
from pause_lint.module import Module
from pause_lint.tree import parse

_MAX_FIXES = 500
_Key = tuple[str, str, int]
"""A case by its function, its pause and which of several such it is."""
_FIXABLE = frozenset({"PR001", "PR002", "PR003"})


@dataclass(frozen=True, slots=True)
class FixResult:
    """What became of one file: its new bytes, what was fixed, and what was not and why.

    Findings say whether their fix is safe, and why not.
    """

    data: bytes
    fixed: tuple[Finding, ...]
    unfixed: tuple[tuple[Finding, str], ...]


def fix_source(data: bytes, path: str, options: Options, unsafe: bool, context: Sequence[Module] = ()) -> FixResult:
    """Fix what can be fixed in one file.

    data: the file. path: its name in reports. unsafe: apply fixes that are not known to be safe as well.
    context: the other modules of the tree that the file lies in.
    Raises Unparsable if it is no Python source.
    """
    fixed: list[Finding] = []
    reasons: dict[_Key, _Unfixed] = {}
    original: dict[_Key, Finding] = {}
    for _ in range(_MAX_FIXES):
        module = parse(path, data)
        open_cases = _visible(module, options, context)
        keys = _keys(open_cases)
        if not fixed:
            original = {key: case.finding for key, case in zip(keys, open_cases, strict=True)}
        # Later pauses first: what was paused last is resumed first.
        for case, key in reversed(list(zip(open_cases, keys, strict=True))):
            if key in reasons:
                continue
            outcome = _fix_one(module, case, open_cases, options, unsafe, context)
            if isinstance(outcome, _Unfixed):
                reasons[key] = outcome
                continue
            data, plan = outcome
            fixed.append(_forecast(original.get(key, case.finding), plan))
            break
        else:
            unfixed = tuple(
                (_forecast(case.finding, reasons[key].plan), reasons[key].why)
                for case, key in zip(open_cases, keys, strict=True)
            )
            return FixResult(data, tuple(fixed), unfixed)
    return FixResult(data, tuple(fixed), ())


def _visible(module: Module, options: Options, context: Sequence[Module]) -> list[Case]:
    """The cases that are reported: selected and not suppressed."""
    found = [
        case
        for case in cases(module, options, context)
        if case.finding.code in options.select and case.finding.code in _FIXABLE
    ]
    if "noqa" in module.text.lower():
        shown, _ = suppress.apply(module.text, module.path, [case.finding for case in found], options.select)
        found = [case for case in found if case.finding in shown]
    return sorted(found, key=lambda case: case.finding.sort_key)


def _keys(found: list[Case]) -> list[_Key]:
    """Names for cases that last while lines move."""
    seen: Counter[tuple[str, str]] = Counter()
    keys = []
    for case in found:
        name = (case.function.name, ast.unparse(case.deed.node))
        keys.append((*name, seen[name]))
        seen[name] += 1
    return keys


class _Unfixed(NamedTuple):
    """Why a finding is not fixed, and the unsafe plan that would have done it, if there is one."""

    why: str
    plan: Plan | None = None


def _forecast(finding: Finding, plan: Plan | None) -> Finding:
    """A finding that says of `plan`, which would cure it, whether it is safe."""
    if plan is None:
        return finding
    return finding._replace(fix="safe" if plan.safe else "unsafe", fix_note=plan.why_unsafe)


def _fix_one(
    module: Module, case: Case, before: list[Case], options: Options, unsafe: bool, context: Sequence[Module]
) -> tuple[bytes, Plan] | _Unfixed:
    """The file with one finding cured, and how; or why it is not."""
    reason = ""
    for plan in plans(case, Spellings()):
        if not plan.safe and not unsafe:
            return _Unfixed(f"the fix is unsafe: {plan.why_unsafe}; --unsafe-fixes applies it", plan)
        result = carried_out(module, plan, before, options, context)
        if isinstance(result, bytes):
            return result, plan
        reason = result
    return _Unfixed(reason or why_none(case))


def carried_out(
    module: Module, plan: Plan, before: list[Case], options: Options, context: Sequence[Module]
) -> bytes | str:
    """The file with one plan carried out and verified, or why that cannot be.

    before: the cases of the file that are reported. context: the modules of its tree.
    """
    try:
        new = rewrite(module.data, plan, configured_limit(module.path))
    except CannotRewrite as refusal:
        return refusal.reason
    wrong = check_plan(module.data, new, plan)
    if wrong is not None:
        return f"the rewrite did not pass verification: {wrong}"
    after = _visible(parse(module.path, new), options, context)
    old_places = Counter(case.function.name for case in before)
    new_places = Counter(case.function.name for case in after)
    if len(after) >= len(before) or any(count > old_places[name] for name, count in new_places.items()):
        return "the rewrite would leave the fault, or make another"
    return new
