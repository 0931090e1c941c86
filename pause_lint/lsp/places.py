"""Where the characters of a text are for a client: lines from 0, and columns in the units that it counts in.

Follows "Text Documents" and "Position" of the Language Server Protocol, version 3.17: only `\\n`, `\\r\\n` and `\\r`
end a line, and a position behind the end of a line is that end.
"""

from __future__ import annotations

import re

from lsprotocol.types import Position, PositionEncodingKind, Range
from pygls.workspace import PositionCodec

from pause_lint.finding import Span

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_MARK = "\ufeff"


class Places:
    """The places of one text, as its client has it."""

    def __init__(self, text: str, encoding: PositionEncodingKind | str | None) -> None:
        """`encoding`: the units of columns that were agreed upon."""
        self._lines = _LINE.findall(text)
        self._codec = PositionCodec(encoding)
        # Python does not count a byte order mark; for the client it is a character.
        self._offset = len(_MARK) if text.startswith(_MARK) else 0

    def position(self, line: int, column: int) -> Position:
        """The position of a character: line and column from 1. Behind a line ending, the next line begins."""
        if line > len(self._lines):
            return Position(len(self._lines), 0)
        content = self._lines[line - 1].rstrip("\r\n")
        before = column - 1 + (self._offset if line == 1 else 0)
        if before > len(content):
            return Position(line, 0) if content != self._lines[line - 1] else self.end_of(line)
        return Position(line - 1, self._codec.client_num_units(content[:before]))

    def end_of(self, line: int) -> Position:
        """Where the text of a line, from 1, ends."""
        if line > len(self._lines):
            return Position(len(self._lines), 0)
        return Position(line - 1, self._codec.client_num_units(self._lines[line - 1].rstrip("\r\n")))

    def range(self, span: Span) -> Range:
        """The stretch that a span covers."""
        return Range(self.position(span.line, span.column), self.position(span.end_line, span.end_column))


class Shift:
    """Where the lines of a text went as it was edited in one place."""

    def __init__(self, old: str, new: str) -> None:
        before, after = _LINE.findall(old.removeprefix(_MARK)), _LINE.findall(new.removeprefix(_MARK))
        shorter = min(len(before), len(after))
        self._same = next((at for at in range(shorter) if before[at] != after[at]), shorter)
        rest = shorter - self._same
        tail = next((at for at in range(rest) if before[-1 - at] != after[-1 - at]), rest)
        self._until = len(before) - tail
        self._by = len(after) - len(before)

    def line(self, line: int) -> int:
        """The line that `line` is now, both from 1; of one that was edited, the nearest that is there."""
        if line <= self._same:
            return line
        if line > self._until:
            return line + self._by
        return max(1, min(line, self._until + self._by))

    def span(self, span: Span) -> Span:
        """The lines that a span is on now, at its columns."""
        return span._replace(line=self.line(span.line), end_line=self.line(span.end_line))
