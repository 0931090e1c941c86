"""Which stretches of a line are comments, strings and keywords, so that code reads as it does in an editor.

Tells from the tokens (https://docs.python.org/3/library/tokenize.html). Where they end in an error, what comes after it
has no colours.
"""

from __future__ import annotations

import tokenize
from collections.abc import Iterator, Sequence
from keyword import iskeyword

_STRINGS = frozenset({"STRING", "FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END"})


class Syntax:
    """The coloured stretches of a file."""

    def __init__(self, source: Sequence[str]) -> None:
        self._by_line: dict[int, list[tuple[int, int, str]]] = {}
        for line, start, end, kind in _stretches(source):
            self._by_line.setdefault(line, []).append((start, end, kind))

    def of(self, line: int) -> Sequence[tuple[int, int, str]]:
        """Of `line`, from 1: the first character, from 0, the one behind the last, and what it is."""
        return self._by_line.get(line, ())


def _stretches(source: Sequence[str]) -> Iterator[tuple[int, int, int, str]]:
    texts = iter([f"{line}\n" for line in source])
    try:
        for token in tokenize.generate_tokens(lambda: next(texts, "")):
            name = tokenize.tok_name[token.type]
            kind = (
                "comment"
                if name == "COMMENT"
                else "string"
                if name in _STRINGS
                else "keyword"
                if name == "NAME" and iskeyword(token.string)
                else ""
            )
            if not kind:
                continue
            (first, column), (last, end) = token.start, token.end
            for line in range(first, last + 1):
                length = len(source[line - 1]) if line <= len(source) else 0
                yield line, column if line == first else 0, end if line == last else length, kind
    except (tokenize.TokenError, SyntaxError):
        return
