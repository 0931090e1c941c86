"""The control-flow graph of one function: plain data. `build` makes it, `flow` walks it.

A `finally` stands in the graph once. What it was entered for is kept on a stack beside the walk: each node says how
deep that stack is when it is reached, so that every edge can cut it to size. The entries are an exception in flight, a
caught one, or the node that a jump (`return`, `break`, `continue`, falling through) goes on to.
"""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

from pause_lint.analysis.exceptions import Hierarchy, Thrown

SKIP = "skip"
CALL = "call"  # may raise
DEED = "deed"  # pauses or resumes, may raise
ASSIGN = "assign"  # binds names and paths
BRANCH = "branch"  # on a condition: next if true, alt if false
CHOICE = "choice"  # on something unknown
RAISE = "raise"
DISPATCH = "dispatch"  # offers the exception in flight to the clauses of a try
REGROUP = "regroup"  # after an `except*` body; `arg`: the clauses for what is left of a group, and whether nothing is
ENTER = "enter"  # enters a finally on a jump
END = "end"  # of a finally; `arg` lists where it can go on to
BIND = "bind"  # `except ... as name`
RETURN = "return"  # leaves normally
STOP = "stop"  # the process ends
RAISED = "raised"  # leaves with the exception in flight


class Node:
    """One step. `next`, `alt` and `handler` are indices of nodes; `depth` is the stack's height on arrival.

    site: the call that brought this step here, if it stands in the body of a local function. leaves: the last line of
    the `with` block that this step leaves, if it does.
    """

    __slots__ = ("alt", "arg", "depth", "fresh", "handler", "keys", "leaves", "next", "op", "raises", "site", "syntax")

    def __init__(
        self,
        op: str,
        depth: int,
        to: int = -1,
        alt: int = -1,
        handler: int = -1,
        arg: Any = None,
        raises: tuple[Thrown, ...] = (),
        syntax: ast.AST | None = None,
        fresh: tuple[int, ...] = (),
        keys: frozenset[str] = frozenset(),
        site: ast.expr | None = None,
    ) -> None:
        self.op = op
        self.depth = depth
        self.next = to
        self.alt = alt
        self.handler = handler
        self.arg = arg
        self.raises = raises
        self.syntax = syntax
        self.fresh = fresh
        self.keys = keys
        self.site = site
        self.leaves = 0


class Clause(NamedTuple):
    """One `except` clause and the node its body starts at."""

    types: tuple[str, ...]
    target: int
    star: bool = False


class Graph:
    """A function as nodes.

    defined: for a variable or path the keys of everything it is ever assigned. parameters: what the parameters of
    functions put in place are given, as terms. places: the expressions behind the symbols in this graph's terms.
    inlined: the functions whose bodies stand in this graph, by the identity of their syntax. structure: what `witness`
    has found out about their source. followed: what `witness` has found out about its pauses.
    """

    def __init__(self, function: ast.AST, hierarchy: Hierarchy) -> None:
        self.function = function
        self.hierarchy = hierarchy
        self.nodes: list[Node] = []
        self.entry = 0
        self.stop = 0
        self.defined: dict[str, set[str]] = {}
        self.parameters: dict[str, Any] = {}
        self.places: dict[int, ast.AST] = {}
        self.inlined: dict[int, ast.AST] = {}
        self.structure: Any = None
        self.followed: dict[tuple[int, bool], Any] = {}

    def deeds(self, kind: str) -> list[int]:
        """The nodes that do a deed of this kind."""
        return [index for index, node in enumerate(self.nodes) if node.op == DEED and node.arg.kind == kind]

    def before(self) -> list[list[int]]:
        """For every node those that an edge leads from, the edges of exceptions included."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for index, node in enumerate(self.nodes):
            for to in (node.next, node.alt, node.handler):
                if to >= 0:
                    found[to].append(index)
            if node.op in (DISPATCH, REGROUP):
                for clause in node.arg if node.op == DISPATCH else node.arg[0]:
                    found[clause.target].append(index)
            elif node.op == END:
                for to in node.arg:
                    found[to].append(index)
        return found
