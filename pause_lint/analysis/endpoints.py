"""Routes between processes: which function serves an endpoint, and which expressions name one.

Declarations in the manner of FastAPI, Starlette, Flask and aiohttp; prefixes and path parameters included. A route is
matched by
its segments, parameters as wildcards, from the end: the prefix that a client puts before it may be anything.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pause_lint.analysis.events import HTTP_WORDS, is_logging, stores, words
from pause_lint.analysis.functions import nodes_on
from pause_lint.analysis.guards import last_name
from pause_lint.analysis.index import Index, Routine, imports
from pause_lint.analysis.syntax import walk
from pause_lint.module import Module

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
_ADDED = (
    "add_api_route",
    "add_route",
    "add_url_rule",
    "add_post",
    "add_get",
    "add_put",
    "Route(",
    "web.post",
    "web.get",
)
_ROUTERS = frozenset({"APIRouter", "Router", "Blueprint", "FastAPI", "Flask", "Starlette"})
_MOUNTING = ("Router", "Blueprint", "include_router", "register_blueprint")
_PARAMETER = re.compile(r"[{<][^}>]*[}>]")

Route = tuple[str, ...]
Values = Callable[[], Mapping[str, Sequence[ast.expr]]]
"""What the names of a function and its module are bound to."""


class Endpoint(NamedTuple):
    """A declared route, the function that serves it, and the application it belongs to (a path that stands for it)."""

    route: Route
    handler: Routine
    application: str = ""


def segments(path: str) -> Route:
    """The segments of a path, parameters as `*`, without query or fragment."""
    path = path.split("?")[0].split("#")[0]
    if "://" in path:
        path = path.partition("://")[2].partition("/")[2]
    return tuple("*" if _PARAMETER.search(part) or "\0" in part else part for part in path.split("/") if part)


def endpoints(index: Index) -> list[Endpoint]:
    """Every route that the tree declares, with its handler."""
    mounts = _mounts(index)
    found: list[Endpoint] = []
    for routine in sorted(index.routines.values(), key=lambda routine: routine.order):
        node = routine.function.node
        if isinstance(node, ast.Module):
            continue
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and last_name(decorator.func) in _DECLARING:
                path = _path(decorator)
                if path is not None and isinstance(decorator.func, ast.Attribute):
                    found += _mounted(path, last_name(decorator.func.value), routine, mounts)
    for module in index.modules:
        if module.holds_any(_ADDED):
            found += _added(module, index, mounts)
    return found


class _Mounts(NamedTuple):
    """How routers are put together: prefixes by module path and router name, and one path for all of an application."""

    prefixes: dict[tuple[str, str], list[str]]
    applications: dict[str, str]


def _mounts(index: Index) -> _Mounts:
    """Read `APIRouter(prefix=...)`, `Blueprint(url_prefix=...)` and `include_router(router, prefix=...)`."""
    own: dict[tuple[str, str], str] = {}
    included: dict[tuple[str, str], list[str]] = {}
    applications = {module.path: module.path for module in index.modules}
    calls: list[tuple[Module, ast.Call]] = []
    for module in index.modules:
        if not module.holds_any(_MOUNTING):
            continue
        for node in nodes_on(module, (*_ROUTERS, *_MOUNTING, "mount")):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as made) if (
                    last_name(made.func) in _ROUTERS
                ):
                    own[module.path, name] = _prefix(made)
                case ast.Call() if (
                    last_name(node.func) in ("include_router", "register_blueprint", "mount") and node.args
                ):
                    calls.append((module, node))
    for module, call in calls:
        for path, name in _routers(call.args[-1] if last_name(call.func) == "mount" else call.args[0], module, index):
            included.setdefault((path, name), []).append(_prefix(call))
            _join(applications, module.path, path)
    decorating = {(routine.module, name) for routine in index.routines.values() for name in _decorating(routine)}
    for module, name in sorted(decorating, key=lambda pair: (pair[0].path, pair[1])):
        if not _defines(module, name):
            for dotted in module.imported_from(name):
                # The file need not be at hand: whoever imports the same name from there shares the application.
                shared = f"{_absolute(dotted, module)}:{name}"
                applications.setdefault(shared, shared)
                _join(applications, shared, module.path)
    prefixes = {key: [outer + own.get(key, "") for outer in included.get(key, [""])] for key in {*own, *included}}
    return _Mounts(prefixes, applications)


def _absolute(dotted: str, module: Module) -> str:
    """The last part of an imported module's name, with the folder it is in where the import is relative."""
    folder = module.path.rpartition("/")[0] if dotted.startswith(".") else ""
    return f"{folder}/{dotted.rpartition('.')[2]}" if folder else dotted.rpartition(".")[2]


def _decorating(routine: Routine) -> Iterator[str]:
    """The names of what declares routes for a function."""
    for decorator in getattr(routine.function.node, "decorator_list", ()):
        match decorator:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) if attr in _DECLARING:
                yield name


def _routers(node: ast.expr, module: Module, index: Index) -> list[tuple[str, str]]:
    """The module path and name of a router that is included: a name of this module or imported, or `module.router`."""
    if isinstance(node, ast.Name):
        sources = [other for other in index.modules if other is not module and _defines(other, node.id)]
        imported = [other for other in sources if imports(module, node.id, other)]
        return [(other.path, node.id) for other in imported] or [(module.path, node.id)]
    if isinstance(node, ast.Attribute):
        stem = last_name(node.value)
        return [(other.path, node.attr) for other in index.modules if _stem(other) == stem]
    return []


def _defines(module: Module, name: str) -> bool:
    return any(
        isinstance(statement, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == name for target in statement.targets)
        for statement in module.tree.body
    )


def _stem(module: Module) -> str:
    return module.path.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]


def _join(applications: dict[str, str], one: str, other: str) -> None:
    first, second = applications.get(one, one), applications.get(other, other)
    for path, root in applications.items():
        if root == second:
            applications[path] = first


def _prefix(call: ast.Call) -> str:
    for keyword in call.keywords:
        if keyword.arg in ("prefix", "url_prefix"):
            return literal(keyword.value) or ""
    return ""


def _mounted(path: str, router: str, handler: Routine, mounts: _Mounts) -> Iterator[Endpoint]:
    here = handler.module.path
    for prefix in mounts.prefixes.get((here, router), [""]):
        yield Endpoint(segments(prefix + path), handler, mounts.applications.get(here, here))


def _added(module: Module, index: Index, mounts: _Mounts) -> Iterator[Endpoint]:
    """Routes that are declared by a call: `add_api_route("/x", f)`, `Route("/x", endpoint=f)`, `web.post("/x", f)`."""
    for node in nodes_on(module, sorted(_ADDING)):
        if not (isinstance(node, ast.Call) and last_name(node.func) in _ADDING):
            continue
        path = _path(node)
        given = [keyword.value for keyword in node.keywords if keyword.arg in ("endpoint", "view_func", "handler")]
        given += [argument for argument in node.args[1:] if isinstance(argument, ast.Name | ast.Attribute)]
        if path is None or not given:
            continue
        name = last_name(given[0])
        candidates = [*index.functions.get(name, ()), *index.methods.get(name, ())]
        own = [routine for routine in candidates if routine.module is module] or candidates
        if len(own) == 1:
            router = last_name(node.func.value) if isinstance(node.func, ast.Attribute) else ""
            application = mounts.applications.get(module.path, module.path)
            for prefix in mounts.prefixes.get((module.path, router), [""]):
                yield Endpoint(segments(prefix + path), own[0], application)


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
        case ast.Call(func=func, args=[*_, last]) if last_name(func) == "urljoin":
            return literal(last)
    return None


def requested(call: ast.Call, values: Values) -> Iterator[Route]:
    """The routes that a call names: it posts to them, or builds a request for them, also through a variable."""
    name = last_name(call.func)
    builder = name[:1].isupper() and "equest" in name
    if not builder and (words(name).isdisjoint(HTTP_WORDS) or stores(call.func)):
        return
    if not name or is_logging(call):
        return
    for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
        for text in _texts(argument, values):
            path = text.lstrip("\0")
            if "/" in path and " " not in path:
                route = segments(path)
                if route:
                    yield route


def _texts(node: ast.expr, values: Values) -> Iterator[str]:
    """The texts an argument may be: its own, or those of the assignments to the variable it is, or ends with."""
    text = literal(node)
    if text is not None and "/" in text:
        yield text
    names = (
        [part.id for part in walk(node) if isinstance(part, ast.Name)]
        if isinstance(node, ast.Name | ast.JoinedStr | ast.BinOp)
        else []
    )
    for name in names:
        for value in values().get(name, ()):
            known = literal(value)
            if known is not None and "/" in known:
                yield known


def bindings(nodes: Iterable[ast.AST]) -> dict[str, list[ast.expr]]:
    """What the assignments among `nodes` bind names to; both values of a conditional expression."""
    found: dict[str, list[ast.expr]] = {}
    for node in nodes:
        match node:
            case ast.Assign(targets=targets, value=value):
                values = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
                for target in targets:
                    if isinstance(target, ast.Name):
                        found.setdefault(target.id, []).extend(values)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                found.setdefault(name, []).append(value)
    return found


def serves(endpoint: Endpoint, route: Route) -> bool:
    """Whether a request for `route` can reach the endpoint: one is the end of the other, parameters apart."""
    own = endpoint.route
    length = min(len(own), len(route))
    if not length:
        return False
    return all(a == b or "*" in (a, b) for a, b in zip(own[-length:], route[-length:], strict=True)) and any(
        part != "*" for part in own[-length:]
    )
