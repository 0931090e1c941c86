"""How a file writes its statements: which quotes it prefers and how wide its lines may be. New statements follow it.

Knows nothing of plans or pauses. What a line is broken into is what black makes of it.
"""

from __future__ import annotations

import ast
import configparser
import io
import os
import re
import tokenize
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

import libcst as cst

_NARROWEST = 79
_TAB = 4
_DEFAULTS = {"black": 88, "ruff": 88}
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_PLAIN = re.compile(r"""[rbuf]{0,2}(['"])(?!\1)[^'"\\]*\1""", re.IGNORECASE)


class Style(NamedTuple):
    """quote: the preferred one. limit: how many characters a line may have; a tab counts as four."""

    quote: str
    limit: int


def style_of(text: str, limit: int | None = None) -> Style:
    """The style of a file. limit: what its project asks for; without one, its longest line shows what is allowed."""
    found = [match[1] for match in _PLAIN.finditer(text)]
    longest = max(map(_width, text.splitlines()), default=0)
    return Style("'" if found.count("'") > found.count('"') else '"', limit or max(longest, _NARROWEST))


def configured_limit(path: str) -> int | None:
    """The line length that the project of a file asks for, from its formatter or else its linter; None if it says none.

    The nearest folder at or above the file that says one counts. A file that cannot be read says nothing.
    """
    folder = os.path.dirname(os.path.abspath(path))
    while True:
        limit = next(_limits(folder), None)
        if limit is not None or os.path.dirname(folder) == folder:
            return limit
        folder = os.path.dirname(folder)


def _limits(folder: str) -> Iterator[int]:
    for name in ("ruff.toml", ".ruff.toml"):
        yield from _integer(_toml(os.path.join(folder, name)).get("line-length"))
    tools = _table(_toml(os.path.join(folder, "pyproject.toml")).get("tool"))
    for tool, default in _DEFAULTS.items():
        if tool in tools:
            options = _table(tools[tool])
            yield from _integer(options.get("line-length", options.get("line_length", default)))
    yield from _integer(_table(tools.get("flake8")).get("max-line-length"))
    for name in (".flake8", "setup.cfg", "tox.ini"):
        parser = configparser.RawConfigParser()
        with suppress(OSError, ValueError, configparser.Error):
            parser.read(os.path.join(folder, name), encoding="utf-8")
            yield parser.getint("flake8", "max-line-length")


def _toml(file: str) -> Mapping[str, object]:
    with suppress(OSError, ValueError), open(file, "rb") as stream:
        return tomllib.load(stream)
    return {}


def _table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _integer(value: object) -> Iterator[int]:
    if isinstance(value, int) and value > 0:
        yield value


def styled(source: str, style: Style, indent: str, unit: str) -> str:
    """A new statement as the file would have it.

    source: as `ast.unparse` writes it. indent: where it will stand, from the start of the line. unit: one more step.
    """
    tree = cst.parse_module(source)
    lines = []
    for line in tree.visit(_Quotes(style.quote)).code.splitlines():
        bare = line.lstrip(" ")
        steps = unit * ((len(line) - len(bare)) // len(tree.default_indent))
        room = style.limit - _width(indent + steps)
        lines += [steps + part for part in _broken(bare, room, unit)]
    text = "\n".join(lines)
    with suppress(SyntaxError):
        if ast.dump(ast.parse(text)) == ast.dump(ast.parse(source)):
            return text
    return source


def _width(text: str) -> int:
    return len(text.expandtabs(_TAB))


class _Quotes(cst.CSTTransformer):
    """Gives strings the preferred quote where they read the same with it."""

    def __init__(self, quote: str) -> None:
        self._quote = quote

    def leave_SimpleString(self, original_node: cst.SimpleString, updated_node: cst.SimpleString) -> cst.SimpleString:
        text = updated_node.raw_value
        if len(updated_node.quote) > 1 or not {'"', "'", "\\"}.isdisjoint(text):
            return updated_node
        return updated_node.with_changes(value=f"{updated_node.prefix}{self._quote}{text}{self._quote}")

    def visit_FormattedString(self, node: cst.FormattedString) -> bool:
        return False  # a quote within one may have to differ from its own

    def leave_FormattedString(
        self, original_node: cst.FormattedString, updated_node: cst.FormattedString
    ) -> cst.FormattedString:
        inside = "".join(cst.Module(()).code_for_node(part) for part in updated_node.parts)
        if len(updated_node.end) > 1 or not {'"', "'", "\\"}.isdisjoint(inside):
            return updated_node
        start = updated_node.start[: -len(updated_node.end)] + self._quote
        return updated_node.with_changes(start=start, end=self._quote)


class _Token(NamedTuple):
    start: int
    text: str
    depth: int
    """How many brackets are open around it; a bracket itself stands outside."""


def _tokens(line: str) -> Iterator[_Token]:
    depth = formatted = 0
    starts = getattr(tokenize, "FSTRING_START", None), getattr(tokenize, "TSTRING_START", None)
    ends = getattr(tokenize, "FSTRING_END", None), getattr(tokenize, "TSTRING_END", None)
    for token in tokenize.generate_tokens(io.StringIO(line).readline):
        formatted += (token.type in starts) - (token.type in ends)
        if formatted:
            continue
        depth -= token.type == tokenize.OP and token.string in _CLOSING
        yield _Token(token.start[1], token.string, depth)
        depth += token.type == tokenize.OP and token.string in _OPENING


def _broken(line: str, room: int, unit: str) -> list[str]:
    """A line of `room` characters at most, in several if it is longer: broken at its last brackets, from outside."""
    if _width(line) <= room:
        return [line]
    outer = [token for token in _tokens(line) if not token.depth and token.text in _OPENING | _CLOSING]
    if len(outer) < 2 or outer[-2].start + 1 == outer[-1].start:
        return [line]
    first, last = outer[-2].start + 1, outer[-1].start
    body = line[first:last]
    inner = room - _width(unit)
    parts = [body] if _width(body) <= inner else _parts(body)
    broken = [unit + one for part in parts for one in _broken(part, inner, unit)]
    return [line[:first], *broken, line[last:]]


def _parts(body: str) -> list[str]:
    """What stands between two brackets, one part for each line: item by item, or a comprehension clause by clause."""
    tokens = [token for token in _tokens(body) if not token.depth]
    loops = [token.start for token in tokens if token.text == "for"]
    if loops:
        cuts = [token.start for token in tokens if token.text in ("for", "if") and token.start >= loops[0]]
        cuts = [cut - len("async ") if body[:cut].endswith("async ") else cut for cut in cuts]
        return [body[start:end].strip() for start, end in zip([0, *cuts], [*cuts, None], strict=True)]
    commas = [token.start + 1 for token in tokens if token.text == ","]
    if not commas:
        return [body]
    parts = [body[start:end].strip() for start, end in zip([0, *commas], [*commas, None], strict=True)]
    return [part if part.endswith(",") else f"{part}," for part in parts if part]
