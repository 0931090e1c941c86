"""A plan carried out on the syntax tree alone, and what becomes of the pauses of the function then.

No source is made of it and LibCST is not needed, so that `check` can afford to say of a fix only what it keeps. What
stays is the same node as before: what is known of the calls of the tree holds for the function as rewritten, too.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from typing import NamedTuple

from pause_lint.analysis import graph as g
from pause_lint.analysis.flow import Followed
from pause_lint.analysis.program import Case
from pause_lint.analysis.syntax import own_nodes, walk
from pause_lint.analysis.witness import follow_pause
from pause_lint.fixing.blocks import Blocks
from pause_lint.fixing.edits import At, Edit, Header, Keep, New, Piece, Plan, Rebuilt, Try


class Trial(NamedTuple):
    """What a plan comes to.

    cures: the pause cannot get away once it is carried out, and no other one can that could not. is_sure: all paths
    were followed; else there are too many, and on none that was followed it gets away.
    """

    cures: bool
    is_sure: bool = True


def tried(case: Case, plan: Plan) -> Trial:
    """What becomes of the pauses of a function by `plan`."""
    function = _Rewriting(case, plan).function()
    if isinstance(function, ast.FunctionDef) and _awaits(function.body) and not _awaits(case.function.body):
        return Trial(cures=False)
    try:
        graph = case.program.graph(case.function, function, case.graph.hierarchy)
    except RecursionError:
        return Trial(cures=False)
    own = id(case.deed.node)
    followed = _followed(graph, own, case.may_return)
    if followed.leaks:
        return Trial(cures=False)
    others = {id(graph.nodes[site].arg.node) for site in graph.deeds("pause")} - {own}
    cures = all(_followed(case.graph, pause).leaks or not _followed(graph, pause).leaks for pause in others)
    return Trial(cures, not followed.given_up)


def _followed(graph: g.Graph, pause: int, may_return: bool = False) -> Followed:
    """What is found of the ways of what `pause`, the identity of an expression, pauses."""
    site = next((site for site in graph.deeds("pause") if id(graph.nodes[site].arg.node) == pause), None)
    return Followed((), frozenset()) if site is None else follow_pause(graph, site, may_return)


def _awaits(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Await) for node in own_nodes(body))


class _Rewriting:
    """One plan and the function it is for."""

    def __init__(self, case: Case, plan: Plan) -> None:
        assert not isinstance(case.function.node, ast.Module)
        self._node = case.function.node
        self._blocks = Blocks(case.module, self._node)
        self._edits: dict[At, Edit] = {edit.first: edit for edit in plan.edits}
        known = case.program.events.implied
        self._calls: dict[str, ast.AST] = {}
        self._by_line: dict[int, list[ast.stmt]] = {}
        for node in walk(self._node):
            if isinstance(node, ast.stmt) and node is not self._node:
                self._by_line.setdefault(node.lineno, []).append(node)
            elif id(node) in known:
                self._calls[ast.dump(node)] = node

    def function(self) -> ast.FunctionDef | ast.AsyncFunctionDef:
        """The function as it will be."""
        result = copy.copy(self._node)
        result.body = self._block(self._node.body)
        return result

    def _statement(self, at: At) -> ast.stmt:
        return next(one for one in self._by_line[at.line] if self._blocks.at(one) == at)

    def _block(self, block: Sequence[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        places = [self._blocks.at(statement) for statement in block]
        index = 0
        while index < len(block):
            edit = self._edits.get(places[index])
            if edit is None:
                result.append(self._kept(block[index]))
            else:
                index = places.index(edit.last)
                result += self._pieces(edit.pieces, block[index])
            index += 1
        return result or [ast.copy_location(ast.Pass(), block[0])]

    def _kept(self, statement: ast.stmt) -> ast.stmt:
        return statement if self._is_untouched(statement) else _with_blocks(statement, self._within(statement))

    def _is_untouched(self, statement: ast.stmt) -> bool:
        end = (statement.end_lineno or statement.lineno) + 1
        return not any(self._blocks.at(statement) < first < At(end, 0) for first in self._edits)

    def _within(self, node: ast.AST) -> dict[str, list[ast.AST]]:
        """The blocks below a node as they will be, by name."""
        changes: dict[str, list[ast.AST]] = {}
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block:
                changes[field] = [*self._block(block)]
        for field in ("handlers", "cases"):
            parts: list[ast.AST] = getattr(node, field, [])
            changes[field] = [_with_blocks(part, self._within(part)) for part in parts]
        return changes

    def _pieces(self, pieces: Sequence[Piece], place: ast.stmt) -> list[ast.stmt]:
        return [self._piece(piece, place) for piece in pieces]

    def _piece(self, piece: Piece, place: ast.stmt) -> ast.stmt:
        match piece:
            case Keep(at):
                return self._kept(self._statement(at))
            case New(source):
                return self._known(ast.parse(source).body[0])
            case Header(at, body, owner):
                header = self._statement(at)
                orelse = self._within(header).get("orelse", []) if owner else []
                return _with_blocks(header, {"body": [*self._pieces(body, place)], "orelse": orelse})
            case Try(body, final, if_raised):
                inner, last = self._pieces(body, place), self._pieces(final, place)
                caught = ast.ExceptHandler(ast.Name("BaseException", ast.Load()), None, last)
                attempt = (
                    ast.Try(inner, [ast.copy_location(caught, place)], [], [])
                    if if_raised
                    else ast.Try(inner, [], [], last)
                )
                return ast.copy_location(attempt, place)
            case Rebuilt(at, body, final):
                blocks = self._within(self._statement(at))
                for field, given in (("body", body), ("finalbody", final)):
                    if given is not None:
                        blocks[field] = [*self._pieces(given, place)]
                return _with_blocks(self._statement(at), blocks)

    def _known(self, statement: ast.stmt) -> ast.stmt:
        """A new statement; calls of which the tree tells what they do are the nodes that stand there already."""
        known = self._calls

        class Sharing(ast.NodeTransformer):
            def visit_Call(self, node: ast.Call) -> ast.AST:
                return known.get(ast.dump(node)) or self.generic_visit(node)

        shared = Sharing().visit(statement)
        assert isinstance(shared, ast.stmt)
        return shared


def _with_blocks(node: ast.AST, blocks: dict[str, list[ast.AST]]) -> ast.stmt:
    """A copy of a node with some of its blocks replaced."""
    result = copy.copy(node)
    for field, block in blocks.items():
        if hasattr(result, field):
            setattr(result, field, block)
    return result  # type: ignore[return-value]
