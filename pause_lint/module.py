"""One file that has been read and parsed, and what its text says about words: where they stand, what is imported.

The text is asked before the tree wherever it can answer: looking for a word in it takes a thousandth of the time that a
walk over the tree takes. Nothing here knows which words matter.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate

_WORD = re.compile(r"\w")
_NAME = re.compile(r"\w+")
_END = re.compile(r"\r\n?|\n")
# Patterns that begin with fixed letters are searched for much faster than `^[ \t]*from`.
_MODULES = re.compile(r"^[ \t]*import[ \t]+([^\n#;]+)", re.MULTILINE)
_IMPORT = re.compile(r"from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*|[^\n(]*)")


class Module:
    """A file that has been read and parsed. What is asked of its text is worked out once.

    path: as shown in reports.
    data: the file as it stands.
    text: decoded, without a byte order mark, with the line endings of the file.
    tree: its syntax tree.
    outline: the text that was parsed, if some of it was left out.
    """

    def __init__(self, path: str, data: bytes, text: str, tree: ast.Module, outline: str | None = None) -> None:
        self.path = path
        self.data = data
        self.text = text
        self.tree = tree
        self.outline = outline
        self._lines_with: dict[tuple[str, bool], Sequence[int]] = {}

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Its lines without their endings, as `ast` counts them."""
        return split_lines(self.text)

    @property
    def parsed(self) -> str:
        """The text that was parsed: all of it, or its outline."""
        return self.text if self.outline is None else self.outline

    def column(self, line: int, byte_offset: int) -> int:
        """The column, in characters from 1, of what `ast` places `byte_offset` UTF-8 bytes into `line`."""
        start = self._ends[line - 2] if 1 < line <= len(self._ends) else 0
        text = self.parsed[start : self._ends[line - 1]] if 0 < line <= len(self._ends) else ""
        if text.isascii():
            return byte_offset + 1
        return len(text.encode()[:byte_offset].decode(errors="ignore")) + 1

    def lines_with(self, word: str, alone: bool) -> Sequence[int]:
        """The lines on which `word` stands in what was parsed, in order; `alone`: not as a part of a longer name."""
        found = self._lines_with.get((word, alone))
        if found is None:
            places = places_of(self.parsed, word, alone)
            found = sorted({bisect_right(self._ends, place) + 1 for place in places})
            self._lines_with[word, alone] = found
        return found

    def lines_with_any(self, words: Sequence[str]) -> list[int]:
        """The lines that hold one of `words`, be it as a part of a longer name, in order."""
        found = [self.lines_with(word, alone=False) for word in words]
        return sorted(set().union(*found))

    def holds_any(self, words: Iterable[str]) -> bool:
        """Whether one of `words` stands anywhere in what was parsed."""
        return any(word in self.parsed for word in words)

    @cached_property
    def _ends(self) -> list[int]:
        """Where each line of what was parsed ends."""
        if "\r" in self.parsed:
            return [match.end() for match in _END.finditer(self.parsed)]
        lengths = accumulate(map(len, self.parsed.split("\n")))
        return [length + number for number, length in enumerate(lengths, 1)]

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """What is imported, or at the top level bound, under another name, by that name."""
        return {**aliases_in(self.tree.body), **aliases_of(self.parsed)}

    @cached_property
    def imported_modules(self) -> frozenset[str]:
        """The names that `import` binds to modules: `a` of `import a.b`, `c` of `import a.b as c`."""
        clauses = [clause.split() for match in _MODULES.finditer(self.parsed) for clause in match[1].split(",")]
        return frozenset(words[-1] if "as" in words else words[0].split(".")[0] for words in clauses if words)

    def imported_from(self, name: str) -> list[str]:
        """The modules, as written, from which `name` is imported."""
        return [dotted for dotted, names in self._imports if name in names or "*" in names]

    @cached_property
    def _imports(self) -> list[tuple[str, frozenset[str]]]:
        """The modules from which something is imported, each with the names."""
        return [
            (match[1], frozenset(["*"] if match[2].startswith("*") else _NAME.findall(match[2])))
            for match in _IMPORT.finditer(self.parsed)
            if not self.parsed[self.parsed.rfind("\n", 0, match.start()) + 1 : match.start()].strip(" \t")
        ]


def aliases_in(body: Iterable[ast.stmt]) -> dict[str, str]:
    """What a block binds under another name, by that name: `stop = pause`."""
    found: dict[str, str] = {}
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=alias)], value=ast.Name(id=name) | ast.Attribute(attr=name)):
                found.setdefault(alias, name)
    return found


def aliases_of(text: str) -> dict[str, str]:
    """What a text imports under another name, by that name: `from x import f as g`, `import pkg.mod as m`."""
    found: dict[str, str] = {}
    for place in places_of(text, " as ", alone=False):
        line = text[text.rfind("\n", 0, place) + 1 : place]
        if "import" not in line and " " in line.strip():
            continue
        alias = _NAME.match(text, place + len(" as "))
        name = line.rpartition(" ")[2].rpartition(",")[2].lstrip("(")
        if alias and ("import" in line or line.strip() == name) and name.replace(".", "").isidentifier():
            found[alias[0]] = name.rpartition(".")[2]
    return found


def places_of(text: str, name: str, alone: bool) -> Iterator[int]:
    """Where `name` is in `text`; `alone`: as a word of its own."""
    place = text.find(name)
    while place >= 0:
        end = place + len(name)
        if not alone or not (_WORD.match(text, end) or (place and _WORD.match(text, place - 1))):
            yield place
        place = text.find(name, end)


def split_lines(text: str) -> tuple[str, ...]:
    """The lines of `text` without their endings, as `ast` and `tokenize` count them.

    Only `\\n`, `\\r\\n` and `\\r` end a line; form feeds and the separators of Unicode do not.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return tuple(text.removesuffix("\n").split("\n")) if text else ()
