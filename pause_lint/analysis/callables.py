"""What calling a value runs: the functions behind `partial(f, x)`, `lambda: f(x)` and a local name for any of these.

Rewrites a call of such a value as calls of the functions named in it, with the arguments that they get. Which
functions those are is the business of `calls`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import NamedTuple

from pause_lint.analysis.functions import defaults
from pause_lint.analysis.guards import last_name
from pause_lint.analysis.syntax import own_nodes, walk

Local = Mapping[str, Sequence[ast.expr]]
"""The local names that are bound to nothing but values that can be called."""

_DEPTH = 4


class Application(NamedTuple):
    """A function, as it is named, applied to arguments. place: what is called is the function that this one then
    returns (see `returned_function`).
    """

    func: ast.Name | ast.Attribute
    args: Sequence[ast.expr]
    keywords: Sequence[ast.keyword]
    place: int | None = None


def applications(
    func: ast.expr, args: Sequence[ast.expr], keywords: Sequence[ast.keyword], local: Local, depth: int = _DEPTH
) -> Iterator[Application]:
    """The applications that calling `func` comes to, in order."""
    if depth == 0:
        return
    match func:
        case ast.Name(id=name) if name in local:
            for value in local[name]:
                yield from applications(value, args, keywords, local, depth - 1)
        case ast.IfExp(body=body, orelse=orelse):
            yield from applications(body, args, keywords, local, depth - 1)
            yield from applications(orelse, args, keywords, local, depth - 1)
        case ast.Name() | ast.Attribute():
            yield Application(func, args, keywords)
        case ast.Subscript(
            value=ast.Call(func=ast.Name() | ast.Attribute() as maker) as call, slice=ast.Constant(value=int() as place)
        ):
            yield Application(maker, call.args, call.keywords, place)
        case ast.Call(args=[first, *more], keywords=given) if is_partial(func):
            yield from applications(first, [*more, *args], [*given, *keywords], local, depth - 1)
        case ast.Lambda():
            for call in _calls(func, args):
                yield from applications(call.func, call.args, call.keywords, local, depth - 1)


def is_partial(node: ast.AST) -> bool:
    """Whether an expression binds arguments to a function: `partial(f, x)`."""
    return isinstance(node, ast.Call) and last_name(node.func) == "partial"


def given_at(call: ast.Call, place: int) -> ast.Subscript:
    """What a call gives at `place`, from 0, or with -1 alone, as an expression."""
    return ast.copy_location(ast.Subscript(value=call, slice=ast.Constant(value=place), ctx=ast.Load()), call)


def returned_function(
    maker: ast.FunctionDef | ast.AsyncFunctionDef, place: int
) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The nested function without parameters that `maker` returns, or returns at `place` (from 0, -1: alone).

    None if it does anything but define functions and return.
    """
    *before, last = maker.body
    if not isinstance(last, ast.Return) or isinstance(maker, ast.AsyncFunctionDef):
        return None
    given = last.value
    if place >= 0:
        given = given.elts[place] if isinstance(given, ast.Tuple | ast.List) and place < len(given.elts) else None
    found = None
    for statement in before:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            if isinstance(given, ast.Name) and statement.name == given.id:
                found = statement
        elif not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
            return None
    bare = found is not None and not (found.args.args or found.args.kwonlyargs or found.decorator_list)
    return found if bare else None


def is_callable(value: ast.AST) -> bool:
    """Whether an expression is a function by another name, one with arguments bound to it, or a choice of two."""
    if isinstance(value, ast.IfExp):
        return is_callable(value.body) and is_callable(value.orelse)
    return isinstance(value, ast.Name | ast.Attribute | ast.Lambda) or is_partial(value)


def spoken(value: ast.AST, local: Local, depth: int = _DEPTH) -> Iterator[str]:
    """The names by which an expression, called, may reach functions."""
    for part in walk(value):
        if isinstance(part, ast.Name | ast.Attribute):
            name = last_name(part)
            yield name
            if isinstance(part, ast.Name) and name in local and depth:
                for value in local[name]:
                    yield from spoken(value, local, depth - 1)


def _calls(function: ast.Lambda, args: Sequence[ast.expr]) -> list[ast.Call]:
    """The calls in the body of a lambda, with its parameters replaced by what they are given."""
    names = [parameter.arg for parameter in (*function.args.posonlyargs, *function.args.args)]
    given = {**defaults(function.args), **dict(_before_star(zip(names, args, strict=False)))}
    calls = [node for node in own_nodes([function.body]) if isinstance(node, ast.Call)]
    given = {name: value for name, value in given.items() if not (isinstance(value, ast.Name) and value.id == name)}
    return [_Substitution(given).visit(deepcopy(call)) for call in calls] if given else calls


def _before_star(pairs: Iterable[tuple[str, ast.expr]]) -> Iterator[tuple[str, ast.expr]]:
    for name, value in pairs:
        if isinstance(value, ast.Starred):
            return
        yield name, value


class _Substitution(ast.NodeTransformer):
    """Puts expressions in place of names."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.given.get(node.id, node)
