"""Source lines as they can be shown: in columns of equal width, with nothing in them that steers who shows them.

Code is data. What a terminal would obey or not show at all, a control character or one that turns the direction of text
round (https://trojansource.codes), is shown as Python escapes it. How wide a character is, is told by Unicode
(https://www.unicode.org/reports/tr11/); one of which terminals think differently is escaped as well, so that what
stands below it stands below it everywhere. Nothing here reads files, and nothing colours or marks up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

TAB = 8
"""Columns from one tab stop to the next, as Python counts them in indentation."""
CUT = "..."
"""Stands where a line goes on."""
_CONTEXT = 24
"""How many columns before what is marked stay, if they can, where a line is too long."""

_INVISIBLE = frozenset((0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x3164, 0xFFA0))
"""Characters that count as letters or marks and are not seen (`Default_Ignorable_Code_Point` of Unicode)."""
_JOINING = ((0xFE00, 0xFE0F), (0x1F1E6, 0x1F1FF), (0x1F3FB, 0x1F3FF), (0xE0100, 0xE01EF))
"""First and last of those that change the one before, into a flag or a colour, which some terminals take for wider."""
_MEDIAL = ((0x1160, 0x11FF), (0xD7B0, 0xD7FF))
"""Parts of a Korean syllable that stand within the column of its first part."""


class Cell(NamedTuple):
    """What takes some columns together: a character with the marks on it, a tab, or an escape."""

    text: str
    width: int


class Excerpt(NamedTuple):
    """A line in three: what is before the marked part, that, and what is after it. All of it can be printed."""

    before: str
    marked: str
    after: str
    indent: int
    """The column, from 0, in which the marked part begins."""
    width: int
    """How many columns it takes; at least 1, for a place behind the end of the line as well."""

    @property
    def text(self) -> str:
        """The line, without blanks at its end."""
        return (self.before + self.marked + self.after).rstrip()


def excerpt(line: str, start: int, end: int, columns: int | None = None, encoding: str = "utf-8") -> Excerpt:
    """`line`, its characters from `start` up to, not including, `end` marked; both count from 0.

    columns: how many there are; a longer line is cut on both sides of what is marked, and that at its end.
    encoding: of who shows it; what cannot be said in it is escaped.
    """
    start = min(start, len(line))
    parts: list[list[Cell]] = []
    column = 0
    for part in (line[:start], line[start : max(end, start)], line[max(end, start) :]):
        parts.append(list(cells(part, column, encoding)))
        column += sum(cell.width for cell in parts[-1])
    before, marked, after = parts
    if columns is not None and _width(before) + _width(marked) + _width(_stripped(after)) > columns:
        before, marked, after = _cut(before, marked, after, columns)
    return Excerpt(_text(before), _text(marked), _text(after), _width(before), max(_width(marked), 1))


def cells(text: str, column: int = 0, encoding: str = "utf-8") -> Iterator[Cell]:
    """`text`, which begins at `column`, from 0, in cells that can be shown."""
    if text.isascii() and text.isprintable():
        yield from (Cell(char, 1) for char in text)
        return
    last: Cell | None = None
    for char in text:
        shown, width = _shown(char, column, encoding)
        column += width
        if last is not None and not width:
            last = Cell(last.text + shown, last.width)
            continue
        if last is not None:
            yield last
        last = Cell(shown, width)
    if last is not None:
        yield last


def width(text: str) -> int:
    """How many columns `text` takes, which holds nothing that `cells` would escape."""
    return len(text) if text.isascii() else sum(cell.width for cell in cells(text))


def clipped(text: str, columns: int) -> str:
    """`text` as it can be shown in `columns`: cut at its end if it is too long."""
    shown = list(cells(text))
    if _width(shown) <= columns:
        return _text(shown)
    return _text(_first(shown, columns - len(CUT))) + CUT[: max(columns, 0)]


def visible(line: str) -> str:
    """A line of source as it can be shown, whole."""
    return _text(cells(line))


def printable(text: str) -> str:
    """`text` without anything that could break the line or steer a terminal: paths and code may hold it."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def printable_lines(text: str) -> str:
    """The lines of a message of several, each `printable`."""
    return "\n".join(map(printable, text.split("\n")))


def _escaped(char: str) -> str:
    return char.encode("unicode_escape", "replace").decode()


def _shown(char: str, column: int, encoding: str) -> tuple[str, int]:
    """A character as it can be shown at a column, and how many it takes."""
    if char == "\t":
        blanks = TAB - column % TAB
        return " " * blanks, blanks
    if char.isascii() and char.isprintable():
        return char, 1
    code = ord(char)
    from unicodedata import category, east_asian_width  # late: most code is ASCII

    kind = category(char)
    odd = kind == "Me" or code in _INVISIBLE or _within(code, _JOINING)
    if odd or not char.isprintable() or not _can(char, encoding):
        escaped = _escaped(char)
        return escaped, len(escaped)
    if kind == "Mn" or _within(code, _MEDIAL):
        return char, 0
    return char, 2 if east_asian_width(char) in "WF" else 1


def _can(char: str, encoding: str) -> bool:
    try:
        char.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _within(code: int, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(first <= code <= last for first, last in ranges)


def _cut(
    before: list[Cell], marked: list[Cell], after: list[Cell], columns: int
) -> tuple[list[Cell], list[Cell], list[Cell]]:
    """A line that is too long for `columns`, with what is marked in sight and `CUT` where the rest was."""
    cut = Cell(CUT, len(CUT))
    if _width(before) + max(_width(marked), 1) + cut.width <= columns:
        return before, marked, [*_first(after, columns - _width(before) - _width(marked) - cut.width), cut]
    room = max(columns - 2 * cut.width, 1)
    context = _last(before, max(min(_CONTEXT, room // 4), room - _width(marked) - _width(_stripped(after))))
    while context and context[0].text.isspace():
        context = context[1:]
    before = [cut, *context]
    room -= _width(context)
    if _width(marked) > room:
        return before, _first(marked, room), [cut]
    rest = _first(after, room - _width(marked))
    return before, marked, [*rest, cut] if _width(rest) < _width(_stripped(after)) else rest


def _first(cells: list[Cell], columns: int) -> list[Cell]:
    """As many cells from the first on as `columns` hold."""
    taken: list[Cell] = []
    for cell in cells:
        columns -= cell.width
        if columns < 0:
            break
        taken.append(cell)
    return taken


def _last(cells: list[Cell], columns: int) -> list[Cell]:
    return _first(cells[::-1], columns)[::-1]


def _stripped(cells: list[Cell]) -> list[Cell]:
    """`cells` without blank ones at the end."""
    end = len(cells)
    while end and cells[end - 1].text.isspace():
        end -= 1
    return cells[:end]


def _width(cells: Iterable[Cell]) -> int:
    return sum(cell.width for cell in cells)


def _text(cells: Iterable[Cell]) -> str:
    return "".join(cell.text for cell in cells)
