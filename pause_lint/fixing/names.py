"""The names that pieces of a syntax tree read and bind. Knows nothing of pauses or plans."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pause_lint.analysis.syntax import walk


def assignments(function: ast.AST) -> dict[str, list[ast.expr | None]]:
    """Every name that a function binds, with what it is bound to where that is plain."""
    found: dict[str, list[ast.expr | None]] = {}
    plain: set[int] = set()
    for node in walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value):
                found.setdefault(name, []).append(value)
                plain.add(id(target))
            case ast.arg(arg=name):
                found.setdefault(name, []).append(None)
    for node in walk(function):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and id(node) not in plain:
            found.setdefault(node.id, []).append(None)
    return found


def names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    """The names that `node` reads (`ast.Load`) or binds (`ast.Store`), those of its comprehensions apart."""
    found: set[str] = set()
    inner: set[str] = set()
    for part in walk(node):
        if isinstance(part, ast.comprehension):
            inner |= {name.id for name in walk(part.target) if isinstance(name, ast.Name)}
        elif isinstance(part, ast.Name) and isinstance(part.ctx, context):
            found.add(part.id)
    return found - inner


def paths(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    """The attributes and items that `node` reads or binds, as source text."""
    return {
        ast.unparse(part)
        for part in walk(node)
        if isinstance(part, ast.Attribute | ast.Subscript) and isinstance(part.ctx, context)
    }


def mentions(node: ast.AST, name: str) -> bool:
    """Whether a name is read or bound anywhere in `node`."""
    return any(isinstance(part, ast.Name) and part.id == name for part in walk(node))


def binds(statements: Sequence[ast.stmt], *users: ast.AST) -> bool:
    """Whether `statements` bind a name or attribute that one of `users` reads and no user before it binds.

    It might not be bound yet, or mean something else, when a finally runs.
    """
    loaded = set().union(*(paths(user, ast.Load) for user in users))
    if loaded and any(paths(statement, ast.Store) & loaded for statement in statements):
        return True
    read: set[str] = set()
    bound: set[str] = set()
    for user in users:
        own = names(user, ast.Load) - bound
        match user:
            case ast.For(target=target) | ast.AsyncFor(target=target):
                own -= names(target, ast.Store)
            case ast.Assign(targets=[ast.Name(id=name)]):
                bound.add(name)
        read |= own
    return any(names(statement, ast.Store) & read for statement in statements)
