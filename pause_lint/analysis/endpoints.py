"""Routes between processes: which function serves an endpoint.

Declarations in the manner of FastAPI, Starlette, Flask and aiohttp; prefixes, methods and path parameters included. A
route is matched by its segments, parameters as wildcards, from the end: the prefix that a client puts before it may be
anything.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pause_lint.analysis.functions import nodes_on
from pause_lint.analysis.guards import last_name
from pause_lint.analysis.index import Index, Routine, imports
from pause_lint.analysis.texts import OPEN, Scope, Speech, stem_of
from pause_lint.module import Module

METHODS = frozenset({"get", "post", "put", "patch", "delete", "head", "options"})
_DECLARING = METHODS | {"route", "api_route", "websocket", "view"}
_ADDING = frozenset(
    {
        "add_api_route",
        "add_route",
        "add_url_rule",
        "add_post",
        "add_get",
        "add_put",
        "add_patch",
        "add_delete",
        "Route",
        "APIRoute",
        "post",
        "get",
        "put",
        "patch",
        "delete",
    }
)
_ADDED = (
    "add_api_route",
    "add_route",
    "add_url_rule",
    "add_post",
    "add_get",
    "add_put",
    "add_patch",
    "add_delete",
    "Route(",
    "web.post",
    "web.get",
    "web.put",
    "web.patch",
    "web.delete",
)
_ROUTERS = frozenset({"APIRouter", "Router", "Blueprint", "FastAPI", "Flask", "Starlette"})
_INCLUDING = frozenset({"include_router", "register_blueprint"})
_MOUNTS = frozenset({"mount", "add_subapp", "Mount"})
"""These take the prefix first, and then what is mounted."""
_MOUNTING = (
    "Router",
    "Blueprint",
    "include_router",
    "register_blueprint",
    ".mount(",
    "Mount(",
    "add_subapp",
    "add_routes",
)
_PARAMETER = re.compile(r"[{<][^}>]*[}>]")
_NESTED = 4
"""How many routers may be within each other."""

Route = tuple[str, ...]
_Router = tuple[str, str]
"""The path of a module, and the name of a router in it."""


class Endpoint(NamedTuple):
    """A declared route, the function that serves it, and the application it belongs to (a path that stands for it).

    methods: those of HTTP that it answers to, in lower case; none if that is not known. declaration: what makes it one.
    """

    route: Route
    handler: Routine
    application: str
    methods: frozenset[str]
    declaration: ast.Call

    @property
    def last(self) -> str:
        """Its last fixed segment, if it has one."""
        return next((part for part in reversed(self.route) if part != "*"), "")


class Request(NamedTuple):
    """A route that somebody asks for, and the method of HTTP, in lower case; empty if that is not known."""

    route: Route
    method: str = ""


def segments(path: str) -> Route:
    """The segments of a path, parameters as `*`, without query or fragment."""
    path = path.split("?")[0].split("#")[0]
    if "://" in path:
        path = path.partition("://")[2].partition("/")[2]
    return tuple("*" if _PARAMETER.search(part) or OPEN in part else part for part in path.split("/") if part)


def serves(endpoint: Endpoint, request: Request) -> bool:
    """Whether a request can reach the endpoint: one route is the end of the other, parameters apart.

    What a client leaves open says nothing: the last fixed segment is one that it names.
    """
    if endpoint.methods and request.method and request.method not in endpoint.methods:
        return False
    own, route = endpoint.route, request.route
    length = min(len(own), len(route))
    pairs = list(zip(own[len(own) - length :], route[len(route) - length :], strict=True))
    fixed = [(one, other) for one, other in pairs if one != "*"]
    return bool(fixed) and fixed[-1][1] != "*" and all(one == other or "*" in (one, other) for one, other in pairs)


def endpoints(index: Index, speech: Speech) -> list[Endpoint]:
    """Every route that the tree declares, with its handler."""
    declarations = [
        (routine, decorator, decorator.func.value)
        for routine in index.routines.values()
        for decorator in getattr(routine.function.node, "decorator_list", ())
        if isinstance(decorator, ast.Call)
        and isinstance(decorator.func, ast.Attribute)
        and decorator.func.attr in _DECLARING
    ]
    declarations.sort(key=lambda one: one[0].order)
    mounts = _mounts(index, speech, [(routine.module, router) for routine, _, router in declarations])
    found: list[Endpoint] = []
    for routine, decorator, router in declarations:
        scope = Scope(routine.module, routine.function.parent)
        found += _declared(decorator, routine, mounts.of(router, routine.module), scope, mounts)
    for module in index.modules:
        if module.holds_any(_ADDED):
            found += _added(module, mounts)
    return found


class _Mounts:
    """How routers are put together: what stands before their routes, and one path for all of an application."""

    def __init__(self, index: Index, speech: Speech) -> None:
        self.index = index
        self.speech = speech
        self.own: dict[_Router, Sequence[str]] = {}
        self.outer: dict[_Router, list[_Mount]] = {}
        self.applications = {module.path: module.path for module in index.modules}

    def scope(self, node: ast.expr, module: Module) -> Scope:
        """Where an expression stands."""
        routine = self.index.innermost(module, node.lineno)
        return Scope(module, routine.function if routine is not None else None)

    def of(self, router: ast.expr, module: Module) -> Sequence[str]:
        """What stands before the routes of a router; `app.router` is that of `app`."""
        match router:
            case ast.Attribute(value=owner, attr="router") if not _is_self(owner):
                router = owner
        return self.before((module.path, last_name(router)))

    def before(self, router: _Router, depth: int = 0) -> Sequence[str]:
        """What stands before the routes of a router, each way that it is included."""
        own = self.own.get(router, [""])
        if router not in self.outer or depth == _NESTED:
            return own
        return [
            outer + mount.prefix + inner
            for mount in self.outer[router]
            for outer in (self.before(mount.router, depth + 1) if mount.router is not None else [""])
            for inner in ([""] if mount.replaces else own)
        ]

    def application(self, module: Module) -> str:
        """The application that the routes of a module belong to."""
        return self.applications.get(module.path, module.path)


class _Mount(NamedTuple):
    """A router that another one, if that is known, takes in under a prefix, which may replace its own."""

    router: _Router | None
    prefix: str
    replaces: bool


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def _mounts(index: Index, speech: Speech, declaring: Sequence[tuple[Module, ast.expr]]) -> _Mounts:
    """Read `APIRouter(prefix=...)`, `Blueprint(url_prefix=...)`, `include_router(router, prefix=...)` and the like.

    declaring: what declares routes, each with the module that it stands in.
    """
    mounts = _Mounts(index, speech)
    for module in index.modules:
        if not module.holds_any(_MOUNTING):
            continue
        for node in nodes_on(module, (*_ROUTERS, *_MOUNTING)):
            match node:
                case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=ast.Call() as made) if (
                    last_name(made.func) in _ROUTERS
                ):
                    prefixes = _given(made, ("prefix", "url_prefix"))
                    scope = mounts.scope(made, module)
                    mounts.own[module.path, last_name(target)] = speech.of(prefixes[0], scope) if prefixes else [""]
                case ast.Call():
                    _mount(node, module, mounts)
    named = dict.fromkeys((module, router.id) for module, router in declaring if isinstance(router, ast.Name))
    for module, name in named:
        if not _defines(module, name):
            for dotted in module.imported_from(name):
                # The file need not be at hand: whoever imports the same name from there shares the application.
                shared = f"{_absolute(dotted, module)}:{name}"
                mounts.applications.setdefault(shared, shared)
                _join(mounts.applications, shared, module.path)
    return mounts


def _mount(call: ast.Call, module: Module, mounts: _Mounts) -> None:
    """Note what a call takes in: `include_router(router)`, `mount("/x", app)`, `Mount("/x", routes=routes)`."""
    name = last_name(call.func)
    if name in _INCLUDING:
        prefixes, inner = _given(call, ("prefix", "url_prefix")), call.args[:1]
    elif name == "add_routes":
        prefixes, inner = [], call.args[:1]
    elif name in _MOUNTS:
        prefixes, inner = call.args[:1], [*call.args[1:2], *_given(call, ("app", "subapp", "routes"))]
    else:
        return
    texts = mounts.speech.of(prefixes[0], mounts.scope(call, module)) if prefixes else ("",)
    outer = (module.path, last_name(call.func.value)) if isinstance(call.func, ast.Attribute) else None
    replaces = name == "register_blueprint" and bool(prefixes)
    for router in (found for node in inner for found in _routers(node, module, mounts.index)):
        mounts.outer.setdefault(router, []).extend(_Mount(outer, text, replaces) for text in texts)
        _join(mounts.applications, module.path, router[0])


def _given(call: ast.Call, names: Sequence[str]) -> list[ast.expr]:
    """What a call is given under one of `names`."""
    return [keyword.value for keyword in call.keywords if keyword.arg in names]


def _absolute(dotted: str, module: Module) -> str:
    """The last part of an imported module's name, with the folder it is in where the import is relative."""
    folder = module.path.rpartition("/")[0] if dotted.startswith(".") else ""
    return f"{folder}/{dotted.rpartition('.')[2]}" if folder else dotted.rpartition(".")[2]


def _routers(node: ast.expr, module: Module, index: Index) -> list[_Router]:
    """The module path and name of a router that is included: a name of this module or imported, or `module.router`."""
    if isinstance(node, ast.Name):
        others = index.modules if module.imported_from(node.id) else ()
        imported = [one for one in others if imports(module, node.id, one) and _defines(one, node.id)]
        return [(one.path, node.id) for one in imported if one is not module] or [(module.path, node.id)]
    if isinstance(node, ast.Attribute):
        if _is_self(node.value):
            return [(module.path, node.attr)]
        stem = last_name(node.value)
        return [(other.path, node.attr) for other in index.modules if stem_of(other) == stem]
    return []


def _defines(module: Module, name: str) -> bool:
    return any(
        isinstance(statement, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == name for target in statement.targets)
        for statement in module.tree.body
    )


def _join(applications: dict[str, str], one: str, other: str) -> None:
    first, second = applications.get(one, one), applications.get(other, other)
    for path, root in applications.items():
        if root == second:
            applications[path] = first


def _declared(
    call: ast.Call, handler: Routine, prefixes: Sequence[str], scope: Scope, mounts: _Mounts
) -> Iterator[Endpoint]:
    """The endpoints that a declaration makes."""
    for path in _paths(call, scope, mounts.speech):
        for prefix in prefixes:
            application = mounts.application(scope.module)
            yield Endpoint(segments(prefix + path), handler, application, _methods(call), call)


def _added(module: Module, mounts: _Mounts) -> Iterator[Endpoint]:
    """Routes that are declared by a call: `add_api_route("/x", f)`, `Route("/x", endpoint=f)`, `web.post("/x", f)`."""
    listed: dict[int, Sequence[str]] = {}
    for node in nodes_on(module, sorted(_ADDING)):
        for whole, before in _lists(node, module, mounts, listed):
            listed.update((id(part), before) for part in whole.elts)
        if not (isinstance(node, ast.Call) and last_name(node.func) in _ADDING):
            continue
        given = _given(node, ("endpoint", "view_func", "handler"))
        given += [argument for argument in node.args[1:] if isinstance(argument, ast.Name | ast.Attribute)]
        handlers = [one for argument in given if (one := _handler(argument, module, mounts.index)) is not None]
        if handlers:
            prefixes = listed.get(id(node))
            if prefixes is None:
                prefixes = mounts.of(node.func.value, module) if isinstance(node.func, ast.Attribute) else [""]
            yield from _declared(node, handlers[0], prefixes, mounts.scope(node, module), mounts)


def _lists(
    node: ast.AST, module: Module, mounts: _Mounts, listed: Mapping[int, Sequence[str]]
) -> Iterator[tuple[ast.List, Sequence[str]]]:
    """The lists of routes that a node holds, and what stands before those in them."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.List() as whole):
            yield whole, mounts.before((module.path, name))
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as made):
            for given in _given(made, ("routes",)):
                if isinstance(given, ast.List):
                    yield given, mounts.before((module.path, name))
        case ast.Call(func=ast.Attribute(value=router, attr="add_routes"), args=[ast.List() as whole]):
            yield whole, mounts.of(router, module)
        case ast.Call(func=func, args=[prefix, *rest]) if last_name(func) == "Mount":
            texts = mounts.speech.of(prefix, mounts.scope(node, module))
            before = [outer + text for outer in listed.get(id(node), [""]) for text in texts]
            for given in (*rest, *_given(node, ("routes",))):
                if isinstance(given, ast.List):
                    yield given, before


def _handler(node: ast.expr, module: Module, index: Index) -> Routine | None:
    """The function that is named as a handler, if that is plain."""
    name = last_name(node)
    candidates = [*index.functions.get(name, ()), *index.methods.get(name, ())]
    own = [routine for routine in candidates if routine.module is module] or candidates
    return own[0] if len(own) == 1 else None


def _paths(call: ast.Call, scope: Scope, speech: Speech) -> Sequence[str]:
    """The paths that a declaration is given: the first of its arguments that is one."""
    for argument in (*call.args, *_given(call, ("path", "rule"))):
        found = [text for text in speech.of(argument, scope) if text.startswith("/")]
        if found:
            return found
    return ()


def _methods(call: ast.Call) -> frozenset[str]:
    """The methods of HTTP that a declaration is for, as far as it says so."""
    for given in _given(call, ("methods",)):
        parts = given.elts if isinstance(given, ast.List | ast.Tuple | ast.Set) else [given]
        texts = [part.value.lower() for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
        return frozenset(texts) if len(texts) == len(parts) else frozenset()
    spelt = method_given(call)
    name = last_name(call.func).removeprefix("add_")
    return frozenset({spelt or name} & METHODS)


def method_given(call: ast.Call) -> str:
    """The method of HTTP that a call is given as a text, if it is: `request("POST", url)`."""
    for argument in (*call.args, *_given(call, ("method",))):
        match argument:
            case ast.Constant(value=str() as text) if text.isupper() and text.lower() in METHODS:
                return text.lower()
    return ""
