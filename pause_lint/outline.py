"""What of a large file needs to be parsed: the functions in which something can matter, and the frame around them.

Parsing is most of the time that a check takes, and most functions of a file have nothing to do with pausing. Here the
bodies of those are blanked before the parser sees them, line for line, so that every line and column stays where it
was. Works on text, not on syntax: where the text leaves a doubt, the function is kept, and where the result does not
parse, the caller parses the whole. Nothing here knows which words matter.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

SMALL = 8_000
"""Files with fewer characters are not worth the trouble."""

# Patterns that begin with fixed letters are searched for much faster than `^ *(async +)?(def|class)`.
_DEF = re.compile(r"def +(\w+)")
_CLASS = re.compile(r"class +(\w+)")
_BEFORE = re.compile(r"( *)(?:async +)?$")
_WORD = re.compile(r"\w")
_CODE_END = re.compile(r":[ \t]*(?:#.*)?\r?$")
_LONGEST_HEADER = 80


@dataclass(slots=True)
class _Function:
    """A function that is in no other: its name and that of the class around it, and where it is in the text.

    start: after whatever came before it, so that its decorators are included. body: after its header. end: before the
    next line that is not its own.
    """

    name: str
    owner: str
    start: int
    body: int
    end: int


def outlined(text: str, words: Iterable[str]) -> str:
    """`text` with the bodies of functions blanked that mention none of `words`, nor a function that does, and so on.

    Lines and columns stay as they are. The same text comes back if nothing can be left out.
    """
    if len(text) < SMALL or "\t" in text or "\r" in text.replace("\r\n", "\n"):
        return text
    functions = _functions(text)
    starts = [function.start for function in functions]
    kept: set[int] = set()
    seen: set[str] = set()
    names = set(words)
    while names:
        # The words that were given may be parts of longer names or of strings; the names of functions stand alone.
        alone = bool(seen)
        seen |= names
        found = {
            index
            for name in names
            for place in _places(text, name, alone)
            if (index := bisect_right(starts, place) - 1) >= 0 and place < functions[index].end
        }
        # A special method is called by other names than its own.
        names = {
            functions[index].owner if functions[index].name.startswith("__") else functions[index].name
            for index in found - kept
        } - seen
        names.discard("")
        kept |= found
    parts: list[str] = []
    position = 0
    for index, function in enumerate(functions):
        if index in kept:
            continue
        body = text[function.body : function.end]
        # An odd number of quotes: a string goes on behind what looks like the end of the function, or began before it.
        if body.count('"""') % 2 or body.count("'''") % 2:
            continue
        indent = len(body) - len(body.lstrip(" \r\n"))
        parts.append(text[position : function.body])
        parts.append(body[:indent] + "..." + "\n" * body.count("\n", indent))
        position = function.end
    return "".join(parts) + text[position:] if parts else text


def _places(text: str, name: str, alone: bool) -> Iterator[int]:
    """Where `name` is in `text`; `alone`: as a word of its own."""
    place = text.find(name)
    while place >= 0:
        end = place + len(name)
        if not alone or not (_WORD.match(text, end) or (place and _WORD.match(text, place - 1))):
            yield place
        place = text.find(name, end)


def _functions(text: str) -> list[_Function]:
    """The functions of `text` that are in no other function, in order; those left out whose extent is in doubt."""
    functions: list[_Function] = []
    owners: list[tuple[int, str]] = []
    ends: dict[int, re.Pattern[str]] = {}
    after = 0
    for match in sorted([*_DEF.finditer(text), *_CLASS.finditer(text)], key=lambda match: match.start()):
        begin = text.rfind("\n", 0, match.start()) + 1
        if begin < after:
            continue
        before = _BEFORE.match(text, begin, match.start())
        if before is None:
            continue
        indent = len(before[1])
        while owners and owners[-1][0] >= indent:
            owners.pop()
        if match.re is _CLASS:
            owners.append((indent, match[1]))
            continue
        body = _header_end(text, match.end())
        if body is None:
            continue
        if indent not in ends:
            ends[indent] = re.compile(rf"\n {{0,{indent}}}[^ \r\n#]")
        next_line = ends[indent].search(text, body - 1)
        end = next_line.start() + 1 if next_line else len(text)
        if end > body:
            functions.append(_Function(match[1], owners[-1][1] if owners else "", after, body, end))
            after = end
    return functions


def _header_end(text: str, position: int) -> int | None:
    """Where the line after a header begins that goes on at `position`; None if it is not clear, or nothing follows."""
    depth = 0
    for _ in range(_LONGEST_HEADER):
        newline = text.find("\n", position)
        if newline < 0:
            return None
        line = text[position:newline]
        depth += line.count("(") - line.count(")")
        if depth <= 0:
            return newline + 1 if depth == 0 and _CODE_END.search(line) else None
        position = newline + 1
    return None
