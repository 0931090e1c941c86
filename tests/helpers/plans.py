"""Plans over a source text: statements named by what stands there, and random plans that any file can be given."""

from __future__ import annotations

import ast
import io
import random
import re
import tokenize
from collections.abc import Iterator, Sequence

from pause_lint.fixing.edits import At, Edit, Header, Keep, New, Piece, Plan, Rebuilt, Try

_HEADERS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith)
_NEWS = ("engine.resume()", "if rank == 0:\n    engine.resume()", "for e in engines:\n    e.resume()", "held = True")


def at(source: str, text: str, nth: int = 0) -> At:
    """The place of the statement that starts with `text`: its `nth` occurrence in the source, from 0."""
    offset = -1
    for _ in range(nth + 1):
        offset = source.index(text, offset + 1)
    before = re.sub(r"\r\n?", "\n", source[:offset])
    return At(before.count("\n") + 1, len(before) - before.rfind("\n"))


def plan(*edits: Edit) -> Plan:
    return Plan(edits, safe=True)


class RandomPlans:
    """Plans for one file. They follow no meaning: any statements are wrapped, split, dropped, moved and added."""

    def __init__(self, data: bytes, rng: random.Random) -> None:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        self._lines = re.split(r"\r\n|\r|\n", data.decode(encoding))
        self._rng = rng
        self._blocks = [block for block in _all_blocks(ast.parse(data)) if not self._is_elif(block)]

    def __bool__(self) -> bool:
        return bool(self._blocks)

    def draw(self) -> Plan:
        statements = self._some(self._rng.choice(self._blocks), (0, 0, 1, 1, 2, 3, 5))
        self._dropped: list[ast.stmt] = []
        self._expanded: list[list[ast.stmt]] = []
        pieces = self._pieces(statements, 2)
        outer = self._edit(statements, pieces)
        edits = []
        if self._rng.random() < 0.4:
            inner = [block for statement in statements for block in self._open_blocks(statement)]
            if inner:
                chosen = self._some(self._rng.choice(inner), (0, 1, 2))
                self._dropped = []
                edits.append(self._edit(chosen, self._pieces(chosen, 1)))
        return plan(*edits, outer)

    def _edit(self, statements: Sequence[ast.stmt], pieces: Sequence[Piece]) -> Edit:
        dropped = tuple(self._at(statement) for statement in self._dropped)
        return Edit(self._at(statements[0]), self._at(statements[-1]), tuple(pieces), dropped)

    def _at(self, node: ast.stmt) -> At:
        line = self._lines[node.lineno - 1]
        return At(node.lineno, len(line.encode()[: node.col_offset].decode()) + 1)

    def _is_elif(self, block: Sequence[ast.stmt]) -> bool:
        place = self._at(block[0])
        return isinstance(block[0], ast.If) and self._lines[place.line - 1].startswith("elif", place.column - 1)

    def _some(self, block: Sequence[ast.stmt], counts: Sequence[int]) -> Sequence[ast.stmt]:
        first = self._rng.randrange(len(block))
        return block[first : first + 1 + self._rng.choice(counts)]

    def _open_blocks(self, statement: ast.stmt) -> Iterator[list[ast.stmt]]:
        """The blocks within that no piece has taken apart or dropped."""
        if statement in self._dropped:
            return
        for block in _blocks(statement):
            if not any(block is expanded for expanded in self._expanded) and not self._is_elif(block):
                yield block
            for inner in block:
                yield from self._open_blocks(inner)

    def _pieces(self, statements: Sequence[ast.stmt], depth: int) -> list[Piece]:
        result: list[Piece] = []
        for statement in statements:
            chance = self._rng.random()
            if chance < 0.1 and len(statements) > 1:
                self._dropped.append(statement)
            elif chance < 0.35 and isinstance(statement, _HEADERS) and depth:
                result.extend(self._split(statement, depth))
            elif chance < 0.5 and isinstance(statement, (ast.Try, ast.TryStar)) and depth:
                result.extend(self._rebuild(statement, result, depth))
            else:
                result.append(Keep(self._at(statement)))
        if result and self._rng.random() < 0.7:
            first = self._rng.randrange(len(result))
            last = self._rng.randrange(first + 1, len(result) + 1)
            if last - first > 1 and self._rng.random() < 0.5:
                wrapped = Try(tuple(result[first : last - 1]), (result[last - 1],))
            else:
                wrapped = Try(tuple(result[first:last]), (New(self._rng.choice(_NEWS)),))
            result[first:last] = [wrapped]
        if self._rng.random() < 0.15:
            result.insert(0, New("held = False"))
        return result or [New("pass")]

    def _split(
        self, node: ast.If | ast.For | ast.AsyncFor | ast.While | ast.With | ast.AsyncWith, depth: int
    ) -> list[Piece]:
        """The statement cut in two (or one), each under its header."""
        self._expanded.append(node.body)
        cut = self._rng.randrange(len(node.body) + 1)
        parts = [part for part in (node.body[:cut], node.body[cut:]) if part]
        owner = self._rng.randrange(len(parts))
        place = self._at(node)
        result: list[Piece] = [
            Header(place, tuple(self._pieces(part, depth - 1)), owner=index == owner)
            for index, part in enumerate(parts)
        ]
        if self._rng.random() < 0.3:
            result.append(Header(place, (New("engine.resume()"),)))
        return result

    def _rebuild(self, node: ast.Try | ast.TryStar, before: list[Piece], depth: int) -> list[Piece]:
        """The `try` with statements before it taken into its body, and another `finally` or none."""
        self._expanded.append(node.body)
        gap: list[Piece] = []
        while before and isinstance(before[-1], Keep) and self._rng.random() < 0.7:
            gap.insert(0, before.pop())
        body = (*gap, *self._pieces(node.body, depth - 1))
        final: tuple[Piece, ...] | None = None
        if node.finalbody and self._rng.random() < 0.6:
            self._expanded.append(node.finalbody)
            final = tuple(self._pieces(node.finalbody, depth - 1))
            if node.handlers and self._rng.random() < 0.5:
                return [Rebuilt(self._at(node), body, ()), *final]
        elif not node.finalbody and self._rng.random() < 0.3:
            final = (New("engine.resume()"),)
        return [Rebuilt(self._at(node), body, final)]


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list) and block:
            yield block
    for name in ("handlers", "cases"):
        for part in getattr(node, name, ()):
            yield part.body


def _all_blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for block in _blocks(node):
        yield block
        for statement in block:
            yield from _all_blocks(statement)
