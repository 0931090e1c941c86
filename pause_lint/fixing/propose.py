"""The fix of each finding by itself, as stretches of source to replace: for who applies it with a tool of their own.

Carried out and verified as `fix` does it, so that nothing is proposed that `fix` would refuse. Nothing is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from difflib import SequenceMatcher
from typing import NamedTuple

from pause_lint.analysis.program import Case
from pause_lint.finding import Finding, Span
from pause_lint.fixing.plan import plans
from pause_lint.fixing.source import carried_out
from pause_lint.fixing.spellings import Spellings
from pause_lint.sources import Progress
from pause_lint.tree import decode

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class Replacement(NamedTuple):
    """Text to stand in the place of a stretch of the file as it is; of an empty one, at its place.

    At the end of a file that ends with a line ending, the stretch ends behind that, on the last line.
    """

    span: Span
    text: str


class Proposal(NamedTuple):
    """What cures one finding: replacements in its file, from top to bottom."""

    replacements: tuple[Replacement, ...]
    safe: bool
    why_unsafe: str = ""


def proposals(
    findings: Iterable[Finding], known: Mapping[Finding, Case], progress: Progress | None = None
) -> dict[Finding, Proposal]:
    """The fixes of those of `findings` that have one.

    known: the cases that findings were told of. progress: takes what is being done. A fault of ours
    costs a proposal, not the run.
    """
    by_file: dict[int, list[tuple[Finding, Case]]] = {}
    for finding in findings:
        case = known.get(finding)
        if case is not None:
            by_file.setdefault(id(case.module), []).append((finding, case))
    proposed: dict[Finding, Proposal] = {}
    for entries in by_file.values():
        cases = [case for _, case in entries]
        for finding, case in entries:
            if progress is not None:
                progress(f"working out a fix: {finding.path}")
            fix = proposal(case, cases)
            if fix is not None:
                proposed[finding] = fix
    return proposed


def proposal(case: Case, among: list[Case]) -> Proposal | None:
    """The fix of one case, if it has one. among: the cases of its file that are reported."""
    with suppress(Exception):
        return next(_proposals(case, among), None)
    return None


def _proposals(case: Case, before: list[Case]) -> Iterator[Proposal]:
    module, program = case.module, case.program
    for plan in plans(case, Spellings()):
        new = carried_out(module, plan, before, program.options, program.modules)
        if isinstance(new, bytes):
            yield Proposal(tuple(replacements(module.text, decode(new))), plan.safe, plan.why_unsafe)


def replacements(old: str, new: str) -> Iterator[Replacement]:
    """What turns `old` into `new`: whole lines, from top to bottom, none of them touching the next."""
    before, after = _LINE.findall(old), _LINE.findall(new)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, first, last, new_first, new_last in matcher.get_opcodes():
        if tag != "equal":
            yield Replacement(Span(*_start(before, first), *_start(before, last)), "".join(after[new_first:new_last]))


def _start(lines: list[str], index: int) -> tuple[int, int]:
    """Where the line at `index` starts; behind the last one, where that ends."""
    if index < len(lines) or not lines:
        return index + 1, 1
    return len(lines), len(lines[-1]) + 1
