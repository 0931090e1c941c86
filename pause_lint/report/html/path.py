"""The witness of a finding as a reader follows it: which of its steps stand in the function itself, which lead from it
to where the pause is, and what each is called. Plain data for `code` and `drawing`; no markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from pause_lint.finding import Finding, Role, Span, Step

_LABELS: dict[Role, str] = {
    "pause": "Paused here",
    "resume": "Resumed here",
    "call": "Goes on here",
    "request": "Makes a request here",
    "serve": "Served here",
    "turn": "Turns here",
    "escape": "Escapes here",
    "leave": "Leaves here",
    "cause": "Raised here",
    "": "Here",
}
_COLORS: dict[Role, str] = {
    "pause": "pause",
    "resume": "hop",
    "call": "hop",
    "request": "hop",
    "serve": "hop",
    "turn": "turn",
    "escape": "exit",
    "leave": "exit",
    "cause": "exit",
    "": "pause",
}
_OPENING = frozenset({"call", "request"})
_LEADING = frozenset({"call", "request", "serve", "pause", "resume"})


class Mark(NamedTuple):
    """A step with its number, from 1, and how it is shown.

    span: what of the source it is about; up to the end of the line, where that is not known. color: a class of the
    style sheet, one of `pause`, `hop`, `turn`, `exit`.
    """

    number: int
    step: Step
    span: Span
    label: str
    color: str


class Stretch(NamedTuple):
    """Steps, one behind the other, that stand in one function of one file."""

    path: str
    function: str
    marks: tuple[Mark, ...]


class Way(NamedTuple):
    """The whole path: what of it stands in the function itself, what leads from a call in it to the pause, and what
    happens in other functions, such as the cause of an exception.
    """

    own: Stretch
    behind: tuple[Stretch, ...]
    elsewhere: tuple[Stretch, ...]


def way(finding: Finding) -> Way:
    """The path of a finding. A finding without a witness has a mark of its own, at its place."""
    witness = finding.witness or (
        Step(finding.path, finding.span.line, finding.span.column, finding.message, "", finding.function),
    )
    behind = _behind(witness)
    marks = [_mark(finding, number, step, behind) for number, step in enumerate(witness, 1)]
    rest = [mark for mark in marks if mark.number not in behind]
    own = [mark for mark in rest if (mark.step.path, mark.step.function) == (finding.path, finding.function)]
    return Way(
        Stretch(finding.path, finding.function, tuple(own or rest)),
        tuple(_stretches(mark for mark in marks if mark.number in behind)),
        tuple(_stretches(mark for mark in rest if own and mark not in own)),
    )


def _behind(witness: tuple[Step, ...]) -> list[int]:
    """The numbers, in their order, of the steps that a call of the function leads to."""
    start = next((at for at, step in enumerate(witness) if step.role in ("call", "request")), len(witness))
    behind: list[int] = []
    for number, step in enumerate(witness[start + 1 :], start + 2):
        if step.role not in _LEADING:
            break
        behind.append(number)
    return behind


def _mark(finding: Finding, number: int, step: Step, behind: Sequence[int]) -> Mark:
    at_finding = (step.path, step.line, step.column) == (finding.path, finding.span.line, finding.span.column)
    opening = at_finding and step.role in _OPENING
    span = finding.span if at_finding else Span(step.line, step.column, step.line, 0)
    does: Role = "resume" if finding.kind == "early-resume" else "pause"
    label = _LABELS[does if opening else step.role]
    if opening and behind and number == behind[0] - 1:
        label += f", by {numbered(behind[0], behind[-1])}"
    return Mark(number, step, span, label, _COLORS[does if opening else step.role])


def numbered(first: int, last: int) -> str:
    """How steps are named by their numbers."""
    return f"step {first}" if first == last else f"steps {first} to {last}"


def _stretches(marks: Iterable[Mark]) -> Iterator[Stretch]:
    for (path, function), group in groupby(marks, lambda mark: (mark.step.path, mark.step.function)):
        yield Stretch(path, function, tuple(group))
