"""What of a large file needs to be parsed: the functions in which something can matter, and the frame around them.

Parsing is most of the time that a check takes, and most functions of a file have nothing to do with pausing. Here the
bodies of those, and of classes that hold no others, are blanked before the parser sees them, line for line, so that
every line and column stays where it was. Works on text, not on syntax: where the text leaves a doubt, the function is
kept, and where the result does not parse, the caller parses the whole. Nothing here knows which words matter.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, cached_property

from pause_lint.module import aliases_of, places_of

SMALL = 2_000
"""Files with fewer characters are not worth the trouble."""

CALLERS = 1
"""How far up the chain of callers functions are looked at for the sake of those that they call."""

Sides = tuple[frozenset[str], ...]
"""Kinds of words: those that pause, those that resume."""

# Patterns that begin with fixed letters are searched for much faster than `^ *(async +)?(def|class)`.
_DEF = re.compile(r"def +(\w+)")
_CLASS = re.compile(r"class +(\w+)")
_BEFORE = re.compile(r"( *)(?:async +)?$")
_CODE_END = re.compile(r":[ \t]*(?:#.*)?\r?$")
_LONGEST_HEADER = 80
_OPEN_ENDS = (*"([{,\\=+-*/%|&<>", " and", " or", " not", " in", " is", " if", " else", " lambda", " await")
"""What a line ends with that goes on in the next."""
_BINDING = re.compile(
    r"\s*(?:(?:async\s+)?(?:for|with|def|match|case|import|from)\b|[^\n(]*(?<![=!<>])=(?!=)|[^\n]*:=)"
)
_QUOTED = re.compile(r"`[\w.]*$")
_REBINDING = re.compile(r"\b(?:nonlocal|global)\b")
_ROUTE = re.compile(r"""["']/(?:[^"'\s]*/)?(\w+)(?:/[{<][^"'\s]*)?["']""")


class _Block:
    """A function that is in no other, or a class at the left margin, and where it is in the text.

    name: the word by which it is used. special: whether that is another than its own. start: after whatever came
    before it, so that its decorators are included. given: where its parameters begin, if nobody needs to know them.
    body: after its header. end: before the next line that is not its own.
    """

    __slots__ = ("body", "end", "given", "name", "special", "start")

    def __init__(self, name: str, start: int, given: int, body: int, end: int, special: bool = False) -> None:
        self.name = name
        self.special = special
        self.start = start
        self.given = given
        self.body = body
        self.end = end


class Outline:
    """The functions and classes of a text, as far as their extent is plain from it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._known: dict[tuple[Sides, Sides], tuple[list[set[int]], list[set[str]]]] = {}
        self._is_plain = "\t" not in text and text.count("\r") == text.count("\r\n")

    @cached_property
    def _layout(self) -> _Layout:
        return _layout(self.text) if self._is_plain else _Layout()

    @cached_property
    def _starts(self) -> list[int]:
        return [function.start for function in self._layout.functions]

    def _holding(self, places: Iterable[int]) -> set[int]:
        """The functions, by number, that one of `places` is in."""
        functions = self._layout.functions
        return {
            index
            for place in places
            if (index := bisect_right(self._starts, place) - 1) >= 0 and place < functions[index].end
        }

    def without(self, words: Collection[str], names: Collection[str] = (), sides: Sides = (), named: Sides = ()) -> str:
        """The text with the bodies of functions blanked that mention none of `words`, be it as a part of a longer one,
        none of `names`, and no function that does.

        The same goes for classes. Lines and columns stay as they are. The same text comes back if nothing can be left
        out.

        sides, named: who only mentions a function that is on all of these sides need not be kept (see `one_sided`).
        """
        text = self.text
        if len(text) < SMALL or not self._is_plain:
            return text
        functions = self._layout.functions
        aliases = [alias for alias, name in aliases_of(text).items() if name in words or name in names]
        spoken = [
            *self._places([word for word in words if word.isidentifier()], alone=False),
            *self._places(names, alone=True),
        ]
        others = self._places([word for word in words if not word.isidentifier()], alone=False)
        places = [*filter(self._is_code, spoken), *others, *self._places(aliases, alone=True)]
        kept = self._holding(places)
        settled = set.intersection(*self._on(sides, named)[0]) if sides else set()
        # The words given may be parts of longer names or of strings; the names of functions stand alone.
        places += self._places({functions[index].name for index in kept - settled} | self._layout.doubtful, alone=True)
        kept |= self._holding(places)
        wanted = sorted({*places, *(functions[index].start for index in kept)})
        idle = [function for index, function in enumerate(functions) if index not in kept]
        idle += [block for block in self._layout.classes if not _holds(block, wanted)]
        idle += [block for index in kept for block in self._idle_within(index, sorted(places))]
        parts: list[str] = []
        position = 0
        for block in sorted(idle, key=lambda block: (block.body, -block.end)):
            if block.body < position:
                continue
            body = text[block.body : block.end]
            # An odd number of quotes: a string goes on behind what looks like the end of the function, or began before
            # it.
            if body.count('"""') % 2 or body.count("'''") % 2:
                continue
            indent = len(body) - len(body.lstrip(" \r\n"))
            parts.append(text[position : block.given])
            parts.append(_without_parameters(text[block.given : block.body]))
            parts.append(body[:indent] + "..." + "\n" * body.count("\n", indent))
            position = block.end
        return "".join(parts) + text[position:] if parts else text

    def _idle_within(self, index: int, places: Sequence[int]) -> list[_Block]:
        """The functions within a function that nothing mentions, and that cannot use what is named for what matters."""
        whole = self._layout.functions[index]
        inner = [block for match in self._layout.inner.get(index, ()) if (block := _within(self.text, match))]
        if not inner:
            return []
        mentioned = places[bisect_left(places, whole.body) : bisect_left(places, whole.end)]
        own = [place for place in mentioned if not any(block.start <= place < block.end for block in inner)]
        if any(_may_bind(self.text, place) for place in own):
            return []
        return [
            block
            for block in inner
            if not _holds(block, mentioned) and not _REBINDING.search(self.text, block.body, block.end)
        ]

    def one_sided(self, sides: Sides, named: Sides = ()) -> tuple[list[set[str]], bool]:
        """Of each side the functions on it and on no other, by name and by the last parts of the routes that they
        serve; and whether any are served. A guess at which functions have an effect.

        A function is on a side if words of it stand there, or calls of functions that are. named: of each side the
        functions elsewhere that are on it.
        """
        functions = self._layout.functions
        found = [set(names) for names in self._on(sides, named)[1]]
        is_served = False
        for names in found:
            for function in functions:
                if function.name in names:
                    routes = _ROUTE.findall(self.text, function.start, function.body)
                    names.update(routes)
                    is_served = is_served or bool(routes)
        return found, is_served

    def _on(self, sides: Sides, named: Sides = ()) -> tuple[list[set[int]], list[set[str]]]:
        """Of each side the functions, by number, that are on it; and the names of those that are on no other."""
        if (sides, named) not in self._known:
            functions = self._layout.functions
            on = [self._holding(filter(self._is_code, self._places(side, alone=False))) for side in sides]
            for side, elsewhere in zip(on, named, strict=False):
                side |= self._holding(self._places(elsewhere, alone=True))
            found: list[set[str]] = [set() for _ in on]
            for _ in range(CALLERS + 1):
                for number, side in enumerate(on):
                    others = set().union(*(other for place, other in enumerate(on) if place != number))
                    names = {functions[index].name for index in side - others if not functions[index].special}
                    side |= self._holding(self._places(names - found[number], alone=True))
                    found[number] |= names
            self._known[sides, named] = on, found
        return self._known[sides, named]

    def _is_code(self, place: int) -> bool:
        """Whether what stands at `place` is neither in a comment nor marked as a name in a text for readers."""
        line = self.text[self.text.rfind("\n", 0, place) + 1 : place]
        if "`" in line and _QUOTED.search(line):
            return False
        before, mark, _ = line.partition("#")
        return not (mark and before.count('"') % 2 == 0 and before.count("'") % 2 == 0)

    def _places(self, words: Iterable[str], alone: bool) -> Iterator[int]:
        return (place for word in words for place in places_of(self.text, word, alone))


class _Layout:
    """What a text defines, in order.

    functions: those that are in no other. inner: by their number where those begin that are within them. classes: the
    outermost. doubtful: the names of functions whose extent is in doubt; they are not among the others.
    """

    __slots__ = ("classes", "doubtful", "functions", "inner")

    def __init__(self) -> None:
        self.functions: list[_Block] = []
        self.inner: dict[int, list[re.Match[str]]] = {}
        self.classes: list[_Block] = []
        self.doubtful: set[str] = set()


def _layout(text: str) -> _Layout:
    found = _Layout()
    owners: list[tuple[int, str]] = []
    after = 0
    for match in sorted([*_DEF.finditer(text), *_CLASS.finditer(text)], key=lambda match: match.start()):
        if match.start() < after:
            if match.re is _DEF:
                found.inner.setdefault(len(found.functions) - 1, []).append(match)
            continue
        begin = text.rfind("\n", 0, match.start()) + 1
        before = _BEFORE.match(text, begin, match.start())
        if before is None:
            continue
        indent, name = len(before[1]), match[1]
        while owners and owners[-1][0] >= indent:
            owners.pop()
        is_class = match.re is _CLASS
        if is_class:
            owners.append((indent, name))
            if indent:
                continue
        body, end = _extent(text, match.end(), indent)
        if not body:
            if not is_class:
                found.doubtful.add(name)
        elif end <= body:
            continue
        elif is_class:
            found.classes.append(_Block(name, begin, body, body, end))
        else:
            # A special method is used by other names than its own.
            special = name.startswith("__") and bool(owners)
            # What the parameters of `__init__` are declared as says what the attributes are.
            given = body if special else match.end()
            found.functions.append(_Block(owners[-1][1] if special else name, after, given, body, end, special))
            after = end
    return found


def _within(text: str, match: re.Match[str]) -> _Block | None:
    """The function that is defined within another one where `match` is, with its decorators."""
    begin = text.rfind("\n", 0, match.start()) + 1
    before = _BEFORE.match(text, begin, match.start())
    if before is None:
        return None
    body, end = _extent(text, match.end(), len(before[1]))
    while (above := text.rfind("\n", 0, begin - 1) + 1) < begin and text[above:begin].lstrip().startswith("@"):
        begin = above
    # Its defaults are worked out where it stands: its parameters are kept.
    return _Block(match[1], begin, body, body, end) if body and body < end else None


def _extent(text: str, position: int, indent: int) -> tuple[int, int]:
    """Where the body begins after a header that goes on at `position`, 0 if that is not clear; and where it ends."""
    body = _header_end(text, position)
    if body is None:
        return 0, 0
    next_line = _ends(indent).search(text, body - 1)
    return body, next_line.start() + 1 if next_line else len(text)


@cache
def _ends(indent: int) -> re.Pattern[str]:
    """What begins after a block whose header is indented so far."""
    return re.compile(rf"\n {{0,{indent}}}[^ \r\n#]")


def _holds(block: _Block, places: Sequence[int]) -> bool:
    """Whether one of `places`, which are in order, is in a block."""
    return bisect_left(places, block.start) < bisect_left(places, block.end)


def _may_bind(text: str, place: int) -> bool:
    """Whether the statement that `place` is in may bind a name, as far as its lines up to there tell."""
    begin = text.rfind("\n", 0, place) + 1
    while not _BINDING.match(text, begin):
        if not begin or not text[:begin].rstrip(" \r\n").endswith(_OPEN_ENDS):
            return False
        begin = text.rfind("\n", 0, begin - 1) + 1
    return True


def _without_parameters(header: str) -> str:
    """What follows a function's name, up to its body, with nothing between the parentheses but ends of lines."""
    arrow = header.rfind("->")
    close = header.rfind(")", 0, arrow if arrow >= 0 else len(header))
    if not header.startswith("(") or close < 0:
        return header
    return "(" + "\n" * header.count("\n", 0, close) + header[close:]


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
