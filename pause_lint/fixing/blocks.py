"""Where each statement of a function stands: its block, its place in it, and what encloses it.

A view of the syntax tree for planning; it changes nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pause_lint.analysis.syntax import children
from pause_lint.fixing.edits import At
from pause_lint.module import Module

_BLOCKS = ("body", "orelse", "finalbody")


class Spot(NamedTuple):
    """A statement's place: the `place`-th of `block`, which is the `field` of `owner`."""

    owner: ast.AST
    field: str
    block: Sequence[ast.stmt]
    place: int


class Blocks:
    """The statements of one function, each with its spot."""

    def __init__(self, module: Module, function: ast.AST) -> None:
        self.module = module
        self.function = function
        self.spots: dict[int, Spot] = {}
        self.parents: dict[int, ast.AST] = {}
        queue = [function]
        for node in queue:
            for field, block in _blocks(node):
                for place, statement in enumerate(block):
                    self.spots[id(statement)] = Spot(node, field, block, place)
            below = children(node)
            self.parents.update(dict.fromkeys(map(id, below), node))
            queue += below

    def at(self, statement: ast.stmt) -> At:
        """Where a statement starts, in characters."""
        return At(statement.lineno, self.module.column(statement.lineno, statement.col_offset))

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that a node belongs to."""
        while not isinstance(node, ast.stmt):
            node = self.parents[id(node)]
        return node

    def chain(self, statement: ast.stmt) -> list[ast.stmt]:
        """The statement and all statements around it, innermost first, up to the function's own block."""
        found = []
        node: ast.AST = statement
        while node is not self.function:
            if isinstance(node, ast.stmt):
                found.append(node)
            node = self.parents[id(node)]
        return found

    def spot(self, statement: ast.stmt) -> Spot:
        """Its place."""
        return self.spots[id(statement)]


def _blocks(node: ast.AST) -> Iterator[tuple[str, list[ast.stmt]]]:
    for field in _BLOCKS if "body" in node._fields else ():
        block = getattr(node, field, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield field, block
