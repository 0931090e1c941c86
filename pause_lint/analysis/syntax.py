"""Walks over syntax trees: `ast.walk` and `ast.iter_child_nodes` without contexts (`Load`, `Store`) and operators.

Those are a third of a tree, and nothing is asked of them here but through what they belong to.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

_PLAIN = frozenset(
    {"ctx", "op", "ops", "id", "attr", "arg", "asname", "module", "level", "kind", "type_comment", "conversion"}
    | {"simple", "rest", "kwd_attrs", "is_async"}
)
"""Fields without nodes that are asked for here."""

_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {
    kind: tuple(name for name in kind._fields if name not in _PLAIN)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}
_FIELDS.update(dict.fromkeys((ast.Constant, ast.Name, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal), ()))


_NESTING = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda})


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly below `node`, in the order of its fields."""
    found: list[ast.AST] = []
    for name in _FIELDS[type(node)]:
        value = getattr(node, name, None)
        if value.__class__ is list:
            found += [part for part in value if isinstance(part, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """`node` and every node below it, level by level."""
    # What `children` does, without the call: most walks are over small trees, and there are many of them.
    queue = [node]
    for one in queue:
        yield one
        for name in _FIELDS[type(one)]:
            value = getattr(one, name, None)
            if value.__class__ is list:
                queue += [part for part in value if isinstance(part, ast.AST)]
            elif isinstance(value, ast.AST):
                queue.append(value)


def own_nodes(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Every node below `body` that belongs to this function: bodies of nested functions and lambdas are left out."""
    stack = list(body)
    while stack:
        node = stack.pop()
        yield node
        kind = type(node)
        if kind in _NESTING:
            stack += _outside(node)
            continue
        for name in _FIELDS[kind]:
            value = getattr(node, name, None)
            if value.__class__ is list:
                stack += [part for part in value if isinstance(part, ast.AST)]
            elif isinstance(value, ast.AST):
                stack.append(value)


def _outside(function: ast.AST) -> list[ast.AST]:
    """What is evaluated where a function or lambda is defined: its decorators and defaults."""
    arguments: ast.arguments = getattr(function, "args")  # noqa: B009
    defaults = [default for default in arguments.kw_defaults if default is not None]
    return [*getattr(function, "decorator_list", ()), *arguments.defaults, *defaults]


def blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks of a compound statement."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if block:
            yield block
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body
