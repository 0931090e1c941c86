"""Which handlers stand around which call of a function, and so what is worth raising there.

An error that no handler around a call names fares like any other such error: one of them is enough.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import Any

STRAY = "Stray"

GROUPED = 3
"""A group holds up to so many of the named errors, and a stray one or not."""
CANCELLED = "CancelledError"
UNCAUGHT = frozenset({"Exception", "BaseException", CANCELLED, "SystemExit", "*"})

Menu = tuple[Any, ...]


@dataclass(slots=True)
class Sites:
    """For each line, and each name used, the classes that the handlers around it name (`*`: there are handlers)."""

    lines: dict[int, frozenset[str]] = field(default_factory=dict)
    names: dict[str, frozenset[str]] = field(default_factory=dict)
    words: dict[int, set[str]] = field(default_factory=dict)
    every: frozenset[str] = frozenset()
    groups: bool = False


def dotted(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base else None
    return None


def _class_names(nodes: Sequence[ast.expr]) -> frozenset[str]:
    flat = [leaf for node in nodes for leaf in (node.elts if isinstance(node, ast.Tuple) else [node])]
    return frozenset((dotted(leaf) or "?").rpartition(".")[2] for leaf in flat)


def survey(function: ast.AST) -> Sites:
    """Which handlers enclose which line and which name."""
    sites = Sites()

    def expressions(nodes: Sequence[ast.AST | None], around: frozenset[str]) -> None:
        for root in nodes:
            if root is None:
                continue
            for node in ast.walk(root):
                if isinstance(node, (ast.Name, ast.Attribute)):
                    name = dotted(node)
                    if name:
                        sites.names[name] = sites.names.get(name, frozenset()) | around
                        sites.words.setdefault(node.lineno, set()).add(name)
                        sites.lines[node.lineno] = sites.lines.get(node.lineno, frozenset()) | around

    def block(body: Sequence[ast.stmt], around: frozenset[str]) -> None:
        for statement in body:
            visit(statement, around)

    def visit(node: ast.stmt, around: frozenset[str]) -> None:
        if isinstance(node, (ast.Try, ast.TryStar)):
            named = frozenset().union(*(_class_names([h.type]) if h.type else frozenset() for h in node.handlers))
            inner = around | named | ({"*"} if node.handlers else frozenset()) | _met_again(node.handlers)
            sites.every |= inner
            sites.groups |= isinstance(node, ast.TryStar)
            block(node.body, inner)
            for handler in node.handlers:
                block(handler.body, around)
            block(node.orelse, around)
            block(node.finalbody, around)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            inner = around
            for item in node.items:
                expressions([item.context_expr], inner)
                call = item.context_expr
                if isinstance(call, ast.Call) and (dotted(call.func) or "").rpartition(".")[2] == "suppress":
                    inner = inner | _class_names(call.args) | {"*"}
            sites.every |= inner
            block(node.body, inner)
        elif isinstance(node, (ast.If, ast.While)):
            expressions([node.test], around)
            block(node.body, around)
            block(node.orelse, around)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            expressions([node.target, node.iter], around)
            block(node.body, around)
            block(node.orelse, around)
        elif isinstance(node, ast.Match):
            expressions([node.subject], around)
            for case in node.cases:
                expressions([case.guard], around)
                block(case.body, around)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return  # what runs in it is counted where it is called
        else:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    sites.names[alias.name] = sites.names.get(alias.name, frozenset()) | around
                    sites.words.setdefault(node.lineno, set()).add(alias.name)
                    sites.lines[node.lineno] = around
            expressions([node], around)

    assert isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
    block(function.body, frozenset())
    return sites


def _met_again(handlers: Sequence[ast.ExceptHandler]) -> frozenset[str]:
    """The classes that an error which a handler raises once more meets within that handler."""
    found: frozenset[str] = frozenset()
    for handler in handlers:
        nodes = [node for statement in handler.body for node in ast.walk(statement)]
        again = any(
            isinstance(node, ast.Raise)
            and (node.exc is None or (isinstance(node.exc, ast.Name) and node.exc.id == handler.name))
            for node in nodes
        )
        if again:
            types = [node.type for node in nodes if isinstance(node, ast.ExceptHandler) and node.type is not None]
            found |= _class_names(types)
    return found


@cache
def outcomes(around: frozenset[str], groups: bool, awaited: bool) -> Menu:
    """What a call within these handlers comes out as: nothing raised, an error nobody names, errors that are named."""
    named = sorted(around - UNCAUGHT)
    menu = [None, STRAY, *named]
    if groups:
        for size in range(1, min(len(named), GROUPED) + 1):
            for part in combinations(named, size):
                menu += ["+".join(part)] if size > 1 else []
                menu.append("+".join([*part, STRAY]))
    if awaited and "*" in around:
        menu.append(CANCELLED)
    return tuple(menu)
