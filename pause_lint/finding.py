"""Findings, their witnesses and the problems met on the way: plain data.

Nothing here decides or prints anything. Lines and columns count from 1; a column counts characters.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

Role: TypeAlias = Literal["pause", "resume", "call", "request", "serve", "turn", "escape", "leave", "cause", ""]
"""What happens at a step of a witness.

It pauses or resumes; it calls; it makes a request, and in another process that is served; a condition turns the path;
an exception escapes, or the function leaves normally; in a callee, the cause of the exception. Empty: none of these.
"""


class Span(NamedTuple):
    """A stretch of source text: from its first character up to, not including, its last position."""

    line: int
    column: int
    end_line: int
    end_column: int


class Step(NamedTuple):
    """One hop of a witness: where the path passes and what happens there.

    function: that it stands in, qualified, without the module. endpoint: of a request and of what serves it, its path.
    """

    path: str
    line: int
    column: int
    message: str
    role: Role = ""
    function: str = ""
    endpoint: str = ""


class Finding(NamedTuple):
    """One reported fault. `kind` and `fix` take the values of the JSON contract.

    fix_note: why `fix` leaves it, or applies its fix only when asked for unsafe ones; empty if neither, or if unknown.
    """

    code: str
    kind: str
    message: str
    path: str
    span: Span
    function: str
    witness: tuple[Step, ...] = ()
    fix: str = "none"
    fix_note: str = ""

    @property
    def sort_key(self) -> tuple[str, int, int, str]:
        """By path, line, column, code."""
        return (self.path, self.span.line, self.span.column, self.code)


class Problem(NamedTuple):
    """Something that kept a part of the job from being done; `line` is 0 where no line is to blame."""

    path: str
    line: int
    message: str


class Report(NamedTuple):
    """The outcome of one run over a set of files.

    notes: what was left out and given up, for who wants to know. checked: the paths that are reported on. suggested:
    presets. unheeded: the paths named that were left out, each with the reason, for who named them has to know.
    """

    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    files: int
    parsed: int
    notes: tuple[str, ...] = ()
    checked: frozenset[str] = frozenset()
    suggested: tuple[str, ...] = ()
    unheeded: tuple[str, ...] = ()
