"""Findings, their witnesses and the problems met on the way: plain data.

Nothing here decides or prints anything. Lines and columns count from 1; a column counts characters.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of source text: from its first character up to, not including, its last position."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Step:
    """One hop of a witness: where the path passes and what happens there."""

    path: str
    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One reported fault. `kind` and `fix` take the values of the JSON contract."""

    code: str
    kind: str
    message: str
    path: str
    span: Span
    function: str
    witness: tuple[Step, ...] = ()
    fix: str = "none"

    @property
    def sort_key(self) -> tuple[str, int, int, str]:
        """By path, line, column, code."""
        return (self.path, self.span.line, self.span.column, self.code)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that kept a part of the job from being done; `line` is 0 where no line is to blame."""

    path: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of one run over a set of files."""

    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    files: int
    parsed: int
    notes: tuple[str, ...] = ()
