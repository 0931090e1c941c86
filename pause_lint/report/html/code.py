"""Source code with the path drawn on it: lines with their numbers, what each step is about marked, what happens there
written below, and a rail along the lines from the first step to the last. No line is run or believed: code is data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from pause_lint.report.html.markup import Markup, lines, plain, rich, tag, together
from pause_lint.report.html.path import Mark, Stretch
from pause_lint.report.html.syntax import Syntax

DEEPEST = 40
"""Columns of indentation up to which a line that is broken goes on below its own beginning."""
_TAB = 8
_AROUND = 2
"""Lines shown before and after one with a mark."""
_TALLEST = 8
"""Lines shown, behind the first, of a call that goes over many."""
_LONGEST = 600
"""Characters that are shown of a line; a longer one is cut on both sides of its mark."""
_BEFORE = 120
"""Of these, how many stand before the mark."""


def excerpt(stretch: Stretch, source: Sequence[str], syntax: Syntax, own: bool) -> Markup:
    """The code that a stretch of the path stands in, as far as it is to be had.

    source: the lines of the file. own: whether it is the function of the finding, which the path leaves behind the last
    of the marks, paused from the first to there.
    """
    marks: dict[int, list[Mark]] = {}
    for mark in stretch.marks:
        marks.setdefault(_end(mark), []).append(mark)
    first = stretch.marks[0].step.line
    last = max(map(_end, stretch.marks)) if own else first
    rows: list[Markup] = []
    before = 0
    for number in _shown(stretch.marks, source):
        railed = first < number <= last
        if before and number > before + 1:
            rows.append(_gap(number - before - 1, railed))
        before = number
        here = marks.get(number, [])
        if number <= len(source):
            spans = [mark for mark in stretch.marks if mark.span.line <= number <= mark.span.end_line]
            rows.append(
                _line(number, source[number - 1], spans, syntax.of(number), _rail(railed or number == first < last))
            )
        through = first <= number < last
        for mark in here:
            is_last = mark is stretch.marks[-1]
            rows.append(_note(mark, source[number - 1 : number], _rail(through or (railed and not is_last))))
            if is_last and own and mark.step.role == "escape":
                rows.append(_exit(stretch.function))
    return tag("div", lines(rows), class_="code")


def _rail(railed: bool) -> str:
    return " railed" if railed else ""


def _end(mark: Mark) -> int:
    """The last line shown of what a mark is about; what happens there is written below it."""
    return min(mark.span.end_line, mark.span.line + _TALLEST)


def _shown(marks: Sequence[Mark], source: Sequence[str]) -> Iterator[int]:
    """The lines to show, from 1, without empty ones at the ends; a gap of a single line is filled."""
    around = {line for mark in marks for line in range(mark.step.line - _AROUND, _end(mark) + _AROUND + 1)}
    meant = [_end(mark) for mark in marks]
    full = {line for line in around if 0 < line <= len(source) and source[line - 1].strip()} | set(meant)
    near = sorted(line for line in around | set(meant) if min(full) <= line <= max(full))
    for before, line in zip([0, *near], near, strict=False):
        if before and line == before + 2:
            yield before + 1
        yield line


def _gap(left_out: int, railed: bool) -> Markup:
    text = "1 line" if left_out == 1 else f"{left_out} lines"
    return tag("p", f"{text} not shown", class_=f"gap{_rail(railed)}")


def _line(number: int, text: str, marks: Sequence[Mark], kinds: Sequence[tuple[int, int, str]], rail: str) -> Markup:
    indent = min(_columns(text[: len(text) - len(text.lstrip(" \t"))]), DEEPEST)
    shown = tag("code", _colored(number, text, marks, kinds), class_=f"i{indent}")
    return tag(
        "div", tag("span", str(number), class_="number"), shown, class_=f"line{' marked' if marks else ''}{rail}"
    )


def _note(mark: Mark, line: Sequence[str], rail: str) -> Markup:
    """What happens at a mark. line: the one it stands below, if it is to be had."""
    place = "" if line else f"line {mark.step.line}: "
    # A function that ends without a `return` is left behind its last statement, which can be a long one.
    ends = mark.step.role == "leave" and bool(line) and not line[0][mark.step.column - 1 :].startswith("return")
    label = "Leaves after this" if ends else mark.label
    badge = tag("span", tag("span", "Step ", class_="unheard"), str(mark.number), class_="badge")
    said = tag("span", place, tag("strong", f"{label}:"), " ", rich(mark.step.message))
    return tag("p", badge, said, class_=f"note {mark.color}{rail}")


def _exit(function: str) -> Markup:
    of = tag("code", rich(function)) if function else plain("the module")
    said = tag("span", tag("strong", "Leaves here:"), " the exception goes on out of ", of, ", which is still paused")
    badge = tag("span", "\N{RIGHTWARDS ARROW}", class_="badge", aria_hidden="true")
    return tag("p", badge, said, class_="note exit")


class _Cell(NamedTuple):
    """A character as it is shown, and what it belongs to."""

    shown: str
    kind: str
    color: str


def _colored(number: int, text: str, marks: Sequence[Mark], kinds: Sequence[tuple[int, int, str]]) -> Markup:
    """A line with its marks and its colours."""
    kind_of, color_of = [""] * len(text), [""] * len(text)
    for start, end, kind in kinds:
        kind_of[start:end] = [kind] * (min(end, len(text)) - start)
    begin = len(text)
    for mark in marks:
        start, end = _part(mark, number, text, kinds)
        # What was marked first is the narrower part, or the finding itself.
        color_of[start:end] = [color or mark.color for color in color_of[start:end]]
        begin = min(begin, start)
    low, high = _window(len(text), begin)
    cells: list[_Cell] = []
    column = _columns(text[:low])
    for char, kind, color in zip(text[low:high], kind_of[low:high], color_of[low:high], strict=True):
        width = _TAB - column % _TAB if char == "\t" else 1
        cells.append(_Cell(" " * width if char == "\t" else char, kind, color))
        column += width
    return together([_cut(low), *_runs(cells), _cut(len(text) - high)])


def _part(mark: Mark, number: int, text: str, kinds: Sequence[tuple[int, int, str]]) -> tuple[int, int]:
    """What of a line a mark is about, from 0: what is known of it, or all up to the end of the code."""
    span = mark.span
    start = span.column - 1 if number == span.line else len(text) - len(text.lstrip())
    comment = next((first for first, _, kind in kinds if kind == "comment"), len(text))
    known = number == span.end_line and span.end_column > 0
    end = span.end_column - 1 if known else len(text[:comment].rstrip(" \t\f:"))
    return min(start, len(text)), min(max(end, start + 1), len(text))


def _runs(cells: Sequence[_Cell]) -> Iterator[Markup]:
    for color, marked in groupby(cells, lambda cell: cell.color):
        parts = [
            tag("span", rich(text), class_=kind) if kind else rich(text)
            for kind, group in groupby(marked, lambda cell: cell.kind)
            for text in ["".join(cell.shown for cell in group)]
        ]
        yield tag("mark", *parts, class_=color) if color else together(parts)


def _window(length: int, begin: int) -> tuple[int, int]:
    """What of a line of `length` characters is shown, if its mark begins at `begin`."""
    if length <= _LONGEST:
        return 0, length
    low = min(max(0, begin - _BEFORE), length - _LONGEST)
    return low, low + _LONGEST


def _cut(left_out: int) -> Markup:
    return tag("span", f"{left_out} characters not shown", class_="cut") if left_out else together([])


def _columns(text: str) -> int:
    column = 0
    for char in text:
        column += _TAB - column % _TAB if char == "\t" else 1
    return column
