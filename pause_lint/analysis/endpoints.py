"""Routes between processes: which function serves an endpoint, and which expressions name one.

Declarations in the manner of FastAPI, Starlette, Flask and aiohttp; prefixes and path parameters included. A route is
matched by
its segments, parameters as wildcards, from the end: the prefix that a client puts before it may be anything.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pause_lint.analysis.events import HTTP_WORDS, is_logging, stores, words
from pause_lint.analysis.guards import last_name
from pause_lint.analysis.index import Index, Routine
from pause_lint.tree import Module

_DECLARING = frozenset(
    {"get", "post", "put", "patch", "delete", "route", "api_route", "websocket", "head", "options", "view"}
)
_ADDING = frozenset(
    {
        "add_api_route",
        "add_route",
        "add_url_rule",
        "add_post",
        "add_get",
        "add_put",
        "Route",
        "APIRoute",
        "post",
        "get",
        "put",
    }
)
_PARAMETER = re.compile(r"[{<][^}>]*[}>]")

Route = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Endpoint:
    """A declared route and the function that serves it."""

    route: Route
    handler: Routine


def segments(path: str) -> Route:
    """The segments of a path, parameters as `*`, without query or fragment."""
    path = path.split("?")[0].split("#")[0]
    if "://" in path:
        path = path.partition("://")[2].partition("/")[2]
    return tuple("*" if _PARAMETER.search(part) or "\0" in part else part for part in path.split("/") if part)


def endpoints(index: Index) -> list[Endpoint]:
    """Every route that the tree declares, with its handler."""
    found: list[Endpoint] = []
    for routine in sorted(index.routines.values(), key=lambda routine: routine.order):
        node = routine.function.node
        if isinstance(node, ast.Module):
            continue
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and last_name(decorator.func) in _DECLARING:
                path = _path(decorator)
                if path is not None:
                    found.append(Endpoint(segments(path), routine))
    for module in index.modules:
        if any(word in module.text for word in ("add_", "Route(", "web.")):
            found += _added(module, index)
    return found


def _added(module: Module, index: Index) -> Iterator[Endpoint]:
    for node in ast.walk(module.tree):
        if not (isinstance(node, ast.Call) and last_name(node.func) in _ADDING and len(node.args) >= 2):
            continue
        path = _path(node)
        handler = node.args[-1] if last_name(node.func) == "add_url_rule" else node.args[1]
        if path is None:
            continue
        name = last_name(handler)
        candidates = [*index.functions.get(name, ()), *index.methods.get(name, ())]
        own = [routine for routine in candidates if routine.module is module] or candidates
        if len(own) == 1:
            yield Endpoint(segments(path), own[0])


def _path(call: ast.Call) -> str | None:
    for argument in (*call.args, *(keyword.value for keyword in call.keywords if keyword.arg in ("path", "rule"))):
        text = literal(argument)
        if text is not None and text.startswith("/"):
            return text
    return None


def literal(node: ast.expr) -> str | None:
    """The text of a string expression, with a null character for each part that is not fixed; None if nothing is."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=values):
            return "".join(str(value.value) if isinstance(value, ast.Constant) else "\0" for value in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            one, two = literal(left), literal(right)
            if one is None and two is None:
                return None
            return ("\0" if one is None else one) + ("\0" if two is None else two)
        case ast.Call(func=ast.Name(id="urljoin"), args=[*_, last]):
            return literal(last)
    return None


def requested(call: ast.Call, where: Routine) -> Iterator[Route]:
    """The routes that a call names: it posts to them, or builds a request for them, also through a local variable."""
    name = last_name(call.func)
    builder = name[:1].isupper() and "equest" in name
    if not name or is_logging(call) or (stores(call.func) and not builder):
        return
    if not builder and not words(name) & HTTP_WORDS:
        return
    for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
        for text in _values(argument, where):
            path = text.lstrip("\0")
            if "/" in path and " " not in path:
                route = segments(path)
                if route:
                    yield route


def _values(node: ast.expr, where: Routine) -> Iterator[str]:
    """The texts an argument may be: its own, or those of the assignments to the local variable it is, or ends with."""
    text = literal(node)
    if text is not None and "/" in text:
        yield text
    names = (
        [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
        if isinstance(node, ast.Name | ast.JoinedStr | ast.BinOp)
        else []
    )
    for name in names:
        for value in _assigned(name, where):
            known = literal(value)
            if known is not None and "/" in known:
                yield known


def _assigned(name: str, where: Routine) -> Iterator[ast.expr]:
    for node in ast.walk(where.function.node):
        match node:
            case ast.Assign(targets=targets, value=value) if any(
                isinstance(t, ast.Name) and t.id == name for t in targets
            ):
                yield from ([value.body, value.orelse] if isinstance(value, ast.IfExp) else [value])
            case ast.AnnAssign(target=ast.Name(id=target), value=ast.expr() as value) if target == name:
                yield value
    for statement in where.module.tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                yield value


def serves(endpoint: Endpoint, route: Route) -> bool:
    """Whether a request for `route` can reach the endpoint: one is the end of the other, parameters apart."""
    own = endpoint.route
    length = min(len(own), len(route))
    if not length:
        return False
    return all(a == b or "*" in (a, b) for a, b in zip(own[-length:], route[-length:], strict=True)) and any(
        part != "*" for part in own[-length:]
    )
