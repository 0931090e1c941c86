"""Nodes and the edges between them, as `build` lays them: onwards, to handlers, through every `finally` on the way.

Knows nothing of syntax but what nodes remember of it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import NamedTuple

from pause_lint.analysis import graph as g
from pause_lint.analysis.exceptions import Thrown
from pause_lint.analysis.guards import Term, names


class Frame(NamedTuple):
    """A `finally`: the nodes it starts and ends at, and how deep the stack is around it."""

    entry: int
    end: int
    depth: int


class Context(NamedTuple):
    """Where control goes from a point of the source, other than straight on."""

    handler: int
    depth: int = 0
    frames: tuple[Frame, ...] = ()
    loop: tuple[int, int, int] | None = None
    returns: int = -1
    return_base: int = 0
    caught: int | None = None
    star: bool = False
    scope: Mapping[str, str] = {}
    inlining: tuple[int, ...] = ()
    foreign: bool = False
    at_yield: Callable[[int, Context], int] | None = None
    """In the body of a context manager put in place: what stands where it yields."""
    items: Mapping[str, Term] = {}
    """What the variables of the loops around stand for, as long as their bodies do not bind them again."""
    site: ast.expr | None = None
    result: str = ""
    """In the body of a function put in place of a call: the variable for what it returns."""


class Wiring:
    """A graph in the making."""

    def __init__(self, graph: g.Graph) -> None:
        self.graph = graph
        self.jumps: dict[tuple[int, int], int] = {}

    def add(
        self,
        op: str,
        depth: int,
        *,
        to: int = -1,
        alt: int = -1,
        handler: int = -1,
        arg: object = None,
        raises: tuple[Thrown, ...] = (),
        syntax: ast.AST | None = None,
        fresh: tuple[int, ...] = (),
        keys: frozenset[str] = frozenset(),
        site: ast.expr | None = None,
    ) -> int:
        self.graph.nodes.append(g.Node(op, depth, to, alt, handler, arg, raises, syntax, fresh, keys, site))
        return len(self.graph.nodes) - 1

    def call(
        self, nxt: int, context: Context, raises: tuple[Thrown, ...], syntax: ast.AST, fresh: tuple[int, ...] = ()
    ) -> int:
        if not raises and not fresh:
            return nxt
        return self.add(
            g.CALL,
            context.depth,
            to=nxt,
            handler=context.handler,
            raises=raises,
            syntax=syntax,
            fresh=fresh,
            site=context.site,
        )

    def assign(self, pairs: list[tuple[str, Term]], nxt: int, context: Context, fresh: tuple[int, ...] = ()) -> int:
        for target, term in pairs:
            self.graph.defined.setdefault(target, set()).update(names(term))
        return self.add(g.ASSIGN, context.depth, to=nxt, arg=pairs, fresh=fresh)

    def branch(self, term: Term, true: int, false: int, context: Context, syntax: ast.AST | None = None) -> int:
        return self.add(
            g.BRANCH,
            context.depth,
            to=true,
            alt=false,
            arg=term,
            keys=frozenset(names(term)),
            syntax=syntax,
            site=context.site,
        )

    def jump(self, context: Context, target: int, base: int) -> int:
        """The node that goes to `target` through every `finally` entered since `base`."""
        for frame in context.frames[base:]:
            key = (frame.entry, target)
            if key not in self.jumps:
                self.jumps[key] = self.enter(frame, target)
            target = self.jumps[key]
        return target

    def enter(self, frame: Frame, target: int) -> int:
        """A node that enters a `finally` on the way to `target`."""
        self.graph.nodes[frame.end].arg.append(target)
        return self.add(g.ENTER, frame.depth, to=frame.entry, arg=target)

    def region(self, nxt: int, context: Context, final: Callable[[int, Context], int]) -> tuple[int, Context]:
        """A region whose every way out passes `final`: the node that leaves it normally, and the context inside."""
        end = self.add(g.END, context.depth + 1, handler=context.handler, arg=[])
        entry = self.add(g.SKIP, context.depth + 1)
        self.graph.nodes[entry].next = final(end, context._replace(depth=context.depth + 1))
        frame = Frame(entry, end, context.depth)
        normal = self.enter(frame, nxt)
        return normal, context._replace(handler=entry, frames=(*context.frames, frame))
