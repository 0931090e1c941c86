"""The report for people: findings with their source and their path, or one line each. The totals are in `totals`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from pause_lint.finding import Finding, Problem, Role
from pause_lint.report.excerpt import excerpt, printable
from pause_lint.report.witness import chain, notes
from pause_lint.rules import BY_CODE

Lines = Callable[[str], Sequence[str]]
"""From a path, as shown, to the lines of that file without their endings; empty if they are not to be had."""

COLUMNS = 120
"""How many columns reports have where nobody looks at a terminal: the same whatever they are written to."""
_LEAST = 20
"""How many columns a line of code has at least: in fewer, nothing of it can be told."""


class Style(NamedTuple):
    """Escape sequences for a terminal; empty ones for everything else."""

    bold: str = ""
    red: str = ""
    green: str = ""
    blue: str = ""
    dim: str = ""
    reset: str = ""

    @classmethod
    def colored(cls) -> Style:
        """The sequences that every terminal knows."""
        return cls("\x1b[1m", "\x1b[1;31m", "\x1b[32m", "\x1b[1;34m", "\x1b[2m", "\x1b[0m")


PLAIN = Style()


class Page(NamedTuple):
    """What a report is written on: how wide lines of code may be, what letters there are, and colours."""

    columns: int = COLUMNS
    encoding: str = "utf-8"
    style: Style = PLAIN


PAPER = Page()


def headline(finding: Finding, style: Style = PLAIN) -> str:
    """`path:line:column: CODE message`."""
    span = finding.span
    return (
        f"{style.bold}{printable(finding.path)}{style.reset}:{span.line}:{span.column}: "
        f"{style.red}{finding.code}{style.reset} {printable(finding.message)}"
    )


def concise(finding: Finding, style: Style = PLAIN) -> str:
    """A finding in one line: the headline, as flake8 prints it, and its way through other functions, if it has one."""
    way = chain(finding)
    return f"{headline(finding, style)} {style.dim}{way}{style.reset}" if way else headline(finding, style)


def block(finding: Finding, lines: Lines, page: Page = PAPER, remark: str | None = None) -> str:
    """A finding in full: the headline, the lines of its function with marks, the path as numbered notes, and what to
    do about it. remark: stands in the place of the last.
    """
    style = page.style
    source = lines(finding.path)
    marks = _marked(_marks(finding, source), source, page)
    help_line = f"  {style.blue}help{style.reset}: {help_text(finding)}" if remark is None else f"  {remark}"
    return "\n".join([headline(finding, style), *marks, *_path(finding, style), help_line])


def help_text(finding: Finding) -> str:
    """What to do about a finding, and whether `fix` does it."""
    rule = BY_CODE[finding.code]
    if finding.fix == "safe":
        return f"{rule.advice}; `pause-lint fix` writes that"
    if finding.fix == "unsafe":
        reason = printable(finding.fix_note)
        return f"{rule.advice}; `pause-lint fix` writes that only with `--unsafe-fixes`: {reason}"
    if finding.fix_note:
        return f"{rule.advice}; `pause-lint fix` leaves it: {printable(finding.fix_note)}"
    return f"{rule.advice} (by hand: there is no fix for {rule.code})"


def _path(finding: Finding, style: Style) -> Iterator[str]:
    """The path of a finding, a line for each step and for each change from one process to another."""
    found = notes(finding)
    number_width, label_width = len(str(len(found))), max((len(note.label) for note in found), default=0)
    for number, note in enumerate(found, 1):
        if note.crossing:
            yield f"  {' ' * number_width}  {style.blue}=== {note.crossing} ==={style.reset}"
        label = f"{style.bold}{note.label:<{label_width}}{style.reset}  " if label_width else ""
        yield f"  {number:>{number_width}}. {label}{note.place}: {note.message}"


_OTHERS: dict[Role, str] = {
    "pause": "paused here",
    "turn": "turns here",
    "escape": "escapes here",
    "leave": "leaves here",
}
"""What is said at places of the path besides that of the finding."""


class _Mark(NamedTuple):
    """A stretch of a line, in characters from 0 on, and what is said about it. end: None if only its start is known."""

    line: int
    start: int
    end: int | None
    label: str


def _marks(finding: Finding, source: Sequence[str]) -> list[_Mark]:
    """What is marked in the source of a finding: where it stands, and where its path turns and leaves.

    Places that `source`, the lines of its file, does not have are left out.
    """
    span = finding.span
    by = "resumed" if finding.kind == "early-resume" else "paused"
    said = {"pause": "paused here", "call": f"{by} through this call", "request": f"{by} through this request"}
    at = {(step.path, step.line, step.column): said.get(step.role, "") for step in finding.witness}
    # Of a call that goes on, what there is of it on its first line.
    end = span.end_column - 1 if span.end_line == span.line else 1 << 30
    marks = [_Mark(span.line, span.column - 1, end, at.get((finding.path, span.line, span.column), ""))]
    for step in finding.witness:
        label = _OTHERS.get(step.role, "")
        if not label or step.path != finding.path or step[1:3] == span[:2]:
            continue
        start = step.column - 1
        if step.role == "leave" and not "".join(source[step.line - 1 : step.line])[start:].startswith("return"):
            if step.line < span.line:
                continue  # a statement around the pause, which ends behind it
            label = "ends after this"
        marks.append(_Mark(step.line, start, None, label))
    return sorted((mark for mark in marks if 0 < mark.line <= len(source)), key=lambda mark: mark[:2])


def _marked(marks: Sequence[_Mark], lines: Sequence[str], page: Page) -> Iterator[str]:
    """Lines with carets below what is found and dashes below the rest."""
    width = len(str(marks[-1].line)) if marks else 0
    style = page.style
    before = ("", 0)
    for index, mark in enumerate(marks):
        line = lines[mark.line - 1]
        columns = max(page.columns - width - len(" | "), _LEAST)
        end = mark.start + 1 if mark.end is None else min(mark.end, len(line.rstrip()))
        shown = excerpt(line, mark.start, end, columns, page.encoding)
        if not index:
            yield f"{style.dim}{'':>{width}} |{style.reset}"
        elif mark.line > before[1] + 1:
            yield f"{style.dim}...{style.reset}"
        if (shown.text, mark.line) != before:  # else both stand below one line
            yield f"{style.dim}{mark.line:>{width}} |{style.reset} {shown.text}"
        before = (shown.text, mark.line)
        color, sign = (style.blue, "-") if mark.end is None else (style.red, "^")
        margin = f"{style.dim}{'':>{width}} |{style.reset} "
        below = f"{margin}{' ' * shown.indent}{color}{sign * shown.width}"
        if shown.indent + shown.width + 1 + len(mark.label) <= columns:
            yield f"{below} {mark.label}".rstrip() + style.reset
        else:
            yield below + style.reset
            yield f"{margin}{' ' * min(shown.indent, columns - len(mark.label))}{color}{mark.label}{style.reset}"


def problem_line(problem: Problem, style: Style = PLAIN) -> str:
    """`path:line: error: message`, without the line where none is to blame."""
    place = f"{problem.path}:{problem.line}" if problem.line else problem.path
    return f"{style.bold}{printable(place)}{style.reset}: {style.red}error{style.reset}: {printable(problem.message)}"


def render(findings: Sequence[Finding], lines: Lines, *, one_line: bool = False, page: Page = PAPER) -> str:
    """The findings, in full with an empty line behind each, or in a line each."""
    if one_line:
        return "".join(f"{concise(finding, page.style)}\n" for finding in findings)
    return "".join(f"{block(finding, lines, page)}\n\n" for finding in findings)
