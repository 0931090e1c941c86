"""What makes a finding the same finding after its file has been edited, wherever it stands then.

An identity is put together from the code, the kind of fault and the source text of the pause, and from what the
function around it says. Lines and columns are no part of it, nor is the message, which names lines. The path and the
name of the function are kept beside it: they tell two copies apart, and they recognise a function whose text was
edited.

Texts are compared by their tokens, not by their characters: comments, docstrings, blank lines, indentation, the way
lines are wrapped and the quotes of strings do not matter, so that a formatter changes nothing. Syntax trees are not
written down, for they differ from one Python to the next. Of the function, its own name is left out, wherever it
stands in it: a function that was renamed says the same. Where there is no function around, the innermost statement
stands for it.

How identities are matched is the business of `baseline`. Nothing here reads files.
"""

from __future__ import annotations

import ast
import hashlib
import re
import tokenize
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from pause_lint.finding import Finding, Span

Lines = Callable[[str], Sequence[str]]
"""From a path, as shown, to the lines of that file without their endings; empty if they are not to be had."""

_DIGITS = 16
_STRING = re.compile(r"(?P<prefix>[A-Za-z]*)(?P<quotes>'''|\"\"\"|'|\")(?P<body>.*)(?P=quotes)", re.DOTALL)
_LEFT_OUT = frozenset({tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER})
_STRUCTURE = {tokenize.NEWLINE: ";", tokenize.INDENT: "{", tokenize.DEDENT: "}"}
_OPENING = frozenset(getattr(tokenize, f"{kind}_START", -1) for kind in ("FSTRING", "TSTRING"))
_CLOSING = frozenset(getattr(tokenize, f"{kind}_END", -1) for kind in ("FSTRING", "TSTRING"))
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Identity(NamedTuple):
    """A finding without its line.

    path: where it stands, with `/`. function: its qualified name. pause: the source of what the finding points at, on
    one line. around: a digest of the function around it.
    """

    path: str
    function: str
    code: str
    kind: str
    pause: str
    around: str


class _Token(NamedTuple):
    """A token that counts: the line that it begins on, its kind, its text as it is compared."""

    line: int
    kind: int
    text: str


class Surroundings:
    """What the functions and statements of one file say."""

    def __init__(self, lines: Sequence[str]) -> None:
        """Take in the lines of a file, without their endings."""
        self._lines = lines

    def around(self, line: int) -> str:
        """The digest of the innermost function on `line` (from 1); where there is none, of the innermost statement."""
        inside: list[ast.stmt] = [node for node in self._functions if node.lineno <= line <= (node.end_lineno or 0)]
        if not inside:
            inside = [node for node in self._statements if node.lineno <= line <= (node.end_lineno or 0)]
        return self._digest(max(inside, key=lambda node: (node.lineno, -(node.end_lineno or 0)), default=None))

    def hold(self, around: str) -> bool:
        """Whether a function or statement of the file has this digest."""
        return around in self._all

    def slice(self, span: Span) -> str:
        """The source in `span`, on one line, as it is compared."""
        lines = list(self._lines[span.line - 1 : span.end_line])
        if not lines:
            return ""
        # The end first: on one line, it counts from the same beginning.
        lines[-1] = lines[-1][: span.end_column - 1]
        lines[0] = lines[0][span.column - 1 :]
        text = "\n".join(lines)
        try:
            # Brackets around it keep what stands on several lines together.
            tokens = list(_tokens(["(", *lines, ")"]))[1:-2]
        except (tokenize.TokenError, SyntaxError):
            return " ".join(text.split())
        return _written(_without_last_commas(token.text for token in tokens))

    @cached_property
    def _tree(self) -> ast.Module:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse("\n".join(self._lines) + "\n")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ast.Module([], [])

    @cached_property
    def _functions(self) -> list[_Function]:
        return [node for node in ast.walk(self._tree) if isinstance(node, _Function)]

    @cached_property
    def _statements(self) -> list[ast.stmt]:
        return [node for node in ast.walk(self._tree) if isinstance(node, ast.stmt)]

    @cached_property
    def _all(self) -> frozenset[str]:
        return frozenset(self._digest(node) for node in (*self._functions, *self._statements))

    @cached_property
    def _by_line(self) -> dict[int, list[_Token]]:
        found: dict[int, list[_Token]] = {}
        try:
            for token in _tokens(self._lines):
                found.setdefault(token.line, []).append(token)
        except (tokenize.TokenError, SyntaxError):
            return {}
        return found

    def _digest(self, node: ast.stmt | None) -> str:
        if node is None:
            return ""
        name = node.name if isinstance(node, _Function) else ""
        documented = _docstring(node)
        texts = []
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
            for token in self._by_line.get(line, ()):
                if line in documented and token.kind in (tokenize.STRING, tokenize.NEWLINE):
                    continue
                texts.append("_" if token.kind == tokenize.NAME and token.text == name else token.text)
        # How many blocks end with this one is a matter of what is around it.
        while texts and texts[-1] == "}":
            texts.pop()
        # A formatter puts brackets around what it wraps, and takes them away again.
        bare = [text for text in _without_last_commas(texts) if text not in ("(", ")")]
        return hashlib.sha256("\0".join(bare).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def identify(finding: Finding, surroundings: Surroundings, path: str) -> Identity:
    """The identity of a finding in the file of `surroundings`, which is to be known as `path`."""
    return Identity(
        path,
        finding.function,
        finding.code,
        finding.kind,
        surroundings.slice(finding.span),
        surroundings.around(finding.span.line),
    )


def _docstring(node: ast.stmt) -> range:
    """The lines of the docstring of a function."""
    if isinstance(node, _Function):
        match node.body[0]:
            case ast.Expr(value=ast.Constant(value=str())) as first:
                return range(first.lineno, (first.end_lineno or first.lineno) + 1)
    return range(0)


def _tokens(lines: Sequence[str]) -> Iterator[_Token]:
    """The tokens that count. A formatted string is one, as it was before Python 3.12. Raises as `tokenize` does."""
    source = iter([line + "\n" for line in lines])
    depth, last = 0, 0
    start = (0, 0)
    for token in tokenize.generate_tokens(lambda: next(source, "")):
        if token.type in _OPENING:
            start = start if depth else token.start
            depth += 1
        elif token.type in _CLOSING:
            depth -= 1
            if not depth:
                yield _Token(start[0], tokenize.STRING, _string(_between(lines, start, token.end)))
        elif depth or token.type in _LEFT_OUT:
            continue
        elif token.type in (tokenize.INDENT, tokenize.DEDENT):
            # They come with the first token in a block, or behind it, and belong to the last one before.
            yield _Token(last, token.type, _STRUCTURE[token.type])
            continue
        elif token.type in _STRUCTURE:
            yield _Token(token.start[0], token.type, _STRUCTURE[token.type])
        elif token.type == tokenize.STRING:
            yield _Token(token.start[0], token.type, _string(token.string))
        else:
            text = token.string.lower() if token.type == tokenize.NUMBER else token.string
            yield _Token(token.start[0], token.type, text)
        last = token.end[0]


def _between(lines: Sequence[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    part = list(lines[start[0] - 1 : end[0]])
    part[-1] = part[-1][: end[1]]
    part[0] = part[0][start[1] :]
    return "\n".join(part)


def _string(literal: str) -> str:
    """A string in one spelling, whatever its quotes and escapes; a formatted one with its body as it stands."""
    found = _STRING.fullmatch(literal)
    if found is None:
        return literal
    prefix = found["prefix"].lower()
    if "f" in prefix or "t" in prefix:
        return "".join(sorted(prefix)) + "'" + found["body"] + "'"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ascii(ast.literal_eval(literal))
    except (SyntaxError, ValueError):
        return literal


def _without_last_commas(texts: Iterable[str]) -> list[str]:
    """The texts without commas right before a closing bracket, which a formatter adds and removes."""
    found: list[str] = []
    for text in texts:
        if text in (")", "]", "}") and found and found[-1] == ",":
            found.pop()
        found.append(text)
    return found


def _written(texts: Iterable[str]) -> str:
    """Tokens as one line that can be read, with blanks only where words would run together, and after commas."""
    line = ""
    for text in texts:
        apart = line[-1:] == "," or (_is_word(line[-1:]) and _is_word(text[:1]))
        line += f" {text}" if line and apart else text
    return line


def _is_word(character: str) -> bool:
    return character.isalnum() or character in {"_", "'", '"'}
