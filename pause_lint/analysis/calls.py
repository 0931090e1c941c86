"""The call graph: which functions of the tree a call may run.

Follows `self` and `super()`, declared types, imports, callables handed to executors, tasks and threads, and method
names given as strings. A receiver that nothing declares is resolved by name, and then only if the tree leaves no
choice. Deeds are none of its business.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

from pause_lint.analysis.callables import Local, applications, is_callable, returned_function
from pause_lint.analysis.events import REGISTRARS, RPC_WORDS, Target, is_logging, stores
from pause_lint.analysis.guards import last_name
from pause_lint.analysis.index import Index, Routine, imports, imports_exactly, is_stub
from pause_lint.analysis.types import Types
from pause_lint.module import Module
from pause_lint.pairs import plain_name, words


class CallGraph:
    """Resolves calls among the functions whose names are of interest."""

    def __init__(
        self, index: Index, types: Types, interesting: Callable[[Routine], bool], primitives: Collection[str] = ()
    ) -> None:
        """`primitives`: plain names that mean what is looked for on some receivers and something else on others."""
        self.primitives = primitives
        self.index = index
        self.types = types
        self.interesting = interesting

    def targets(
        self, call: ast.Call, where: Routine, names: Collection[str], local: Local = MappingProxyType({})
    ) -> list[Target]:
        """The functions called `names` that a call may run, its own callee first, then callables that it is handed.

        local: what the function around the call binds to names of its own.
        """
        found = self._applied(_unwrapped(call.func), call.args, call.keywords, where, names, local)
        if found or is_logging(call):
            return found
        for place, argument in enumerate(call.args):
            found += self._handed(call, argument, call.args[place + 1 :], where, names, local)
        for keyword in call.keywords:
            if keyword.arg in ("target", "func", "fn", "callback", "function"):
                found += self._handed(call, keyword.value, _thread_arguments(call), where, names, local)
            elif keyword.arg in ("method", "name"):
                found += self._by_string(call, keyword.value, where, names)
        return found

    def _applied(
        self,
        func: ast.expr,
        args: Sequence[ast.expr],
        keywords: Sequence[ast.keyword],
        where: Routine,
        names: Collection[str],
        local: Local,
    ) -> list[Target]:
        found: list[Target] = []
        for one in applications(func, args, keywords, local):
            name = self._meant(last_name(one.func), where)
            if name in names:
                callees = self._callees(one.func, name, one.args, one.keywords, where)
                found += callees if one.place is None else self._returned(callees, one.place)
        return found

    def _returned(self, makers: Sequence[Target], place: int) -> Iterator[Target]:
        """The functions that others return, which run with what those are given."""
        for maker in makers:
            made = returned_function(maker.node, place)
            if made is not None and self.interesting(self.index.routines[id(made)]):
                yield maker._replace(node=made, receiver=None)

    def _handed(
        self,
        call: ast.Call,
        argument: ast.expr,
        rest: Sequence[ast.expr],
        where: Routine,
        names: Collection[str],
        local: Local,
    ) -> list[Target]:
        if isinstance(argument, ast.Constant):
            return list(self._by_string(call, argument, where, names))
        if not is_callable(argument):
            return []
        if stores(call.func) and last_name(call.func) not in {"add_done_callback", *REGISTRARS}:
            return []
        found = self._applied(argument, rest, (), where, names, local)
        is_map = last_name(call.func) == "map"
        return [
            target._replace(handed=True, mapped=_given(target, rest) if is_map else frozenset()) for target in found
        ]

    def _by_string(
        self, call: ast.Call, argument: ast.expr, where: Routine, names: Collection[str]
    ) -> Iterator[Target]:
        """`collective_rpc("update_weights")`."""
        if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str) and argument.value in names):
            return
        if stores(call.func) or not words(last_name(call.func)) & RPC_WORDS:
            return
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        for routine in self._by_name(argument.value, where):
            if routine.function.node is not where.function.node:
                yield _target(routine, receiver, {}, handed=True)

    def _callees(
        self, func: ast.expr, name: str, args: Sequence[ast.expr], keywords: Sequence[ast.keyword], where: Routine
    ) -> list[Target]:
        declared = ""
        receiver: ast.expr | None = None
        routines: list[Routine]
        if isinstance(func, ast.Name):
            routines = self._function(name, where, func.id)
        elif isinstance(func, ast.Attribute):
            receiver = func.value
            unbound = self._unbound(receiver, name, args, where)
            if unbound is not None:
                # `Base.pause(self)`: the first argument is the receiver.
                routines, receiver, args = [unbound], args[0], args[1:]
            else:
                routines, declared, receiver = self._method(receiver, name, where)
        else:
            routines = []
        found = []
        for routine in routines:
            if routine.function.node is not where.function.node:
                found.append(_target(routine, receiver, _bound(routine, args, keywords), declared))
            for wrapper in self._wrappers(routine):
                given = [receiver, *args] if receiver is not None and routine.function.owner is not None else args
                found.append(_target(wrapper, receiver, _bound(wrapper, given, keywords), declared))
        return found

    def _wrappers(self, routine: Routine) -> list[Routine]:
        """What the decorators of a function put around it: functions of theirs that pause or resume."""
        node = routine.function.node
        names = [] if isinstance(node, ast.Module) else [last_name(decorator) for decorator in node.decorator_list]
        makers = {id(maker.function.node) for name in names for maker in self._function(name, routine)}
        if not makers:
            return []
        return [
            inner
            for inner in self.index.nested
            if inner.function.parent is not None
            and id(inner.function.parent.node) in makers
            and self.interesting(inner)
        ]

    def _unbound(self, receiver: ast.expr, name: str, args: Sequence[ast.expr], where: Routine) -> Routine | None:
        """The method that `Class.name(instance)` is."""
        if not args or not isinstance(receiver, ast.Name) or receiver.id not in self.index.classes:
            return None
        one = self.index.class_named(receiver.id, where.module)
        found = None if one is None else self.index.method(one, name)
        node = None if found is None else found.function.node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not any(
            last_name(decorator) in ("staticmethod", "classmethod") for decorator in node.decorator_list
        ):
            return found
        return None

    def _meant(self, name: str, where: Routine) -> str:
        """A name as it is called where it is defined."""
        return where.module.aliases.get(name, name)

    def _function(self, name: str, where: Routine, alias: str = "") -> list[Routine]:
        """The functions that a name may be. alias: the name under which it is imported, if that is another."""
        found = self.index.functions.get(name) or self._renamed(name, where)
        nested = [
            routine
            for routine in found
            if routine.function.parent is not None and _encloses(routine.function.parent.node, where)
        ]
        if nested:
            return nested[:1]
        outer = [routine for routine in found if routine.function.parent is None]
        own = [routine for routine in outer if routine.module is where.module]
        if own:
            return own
        imported = [routine for routine in outer if imports(where.module, alias or name, routine.module)]
        # A package re-exports what is in one of its modules: where it is imported by that module, only that is meant.
        exact = [one for one in imported if imports_exactly(where.module, alias or name, one.module)]
        if exact or imported:
            return exact or (
                imported if all(map(self.interesting, imported)) else imported[:1] if len(imported) == 1 else []
            )
        return outer if len(outer) == 1 and where.module.imported_from(name) else []

    def _renamed(self, name: str, where: Routine) -> list[Routine]:
        """The function that a module, from which `name` is imported, imports under that name itself."""
        real, offering = self.index.renamed(name, where.module)
        return [
            one
            for one in self.index.functions.get(real, [])
            if real != name and (one.module is offering or imports(offering, real, one.module))
        ]

    def _method(self, receiver: ast.expr, name: str, where: Routine) -> tuple[list[Routine], str, ast.expr | None]:
        """The methods that `receiver.name` may be, the declared class they were found through, and what their `self`
        is.
        """
        one = self.index.owner(where.function)
        match receiver:
            case ast.Name(id="self" | "cls") if one is not None:
                found = self.index.method(one, name)
                if found is not None and is_stub(found):
                    # Declared here and done below: a template.
                    return self.index.implementations(one, name), one.name, receiver
                return ([found] if found is not None else []), "", receiver
            case ast.Call(func=ast.Name(id="super")) if one is not None:
                found = self.index.base_method(one, name)
                return ([found] if found is not None else []), "", ast.Name(id="self", ctx=ast.Load())
            case ast.Name(id=module) if not self.types.is_declared(receiver, where):
                functions = self._of_module(self._meant(module, where), name)
                if functions or module in where.module.imported_modules:
                    return functions, "", None
        types = self.types.types_of(receiver, where)
        if types:
            routines: dict[int, Routine] = {}
            for one in types:
                for routine in self.index.implementations(one, name):
                    routines[id(routine.function.node)] = routine
            return list(routines.values()), types[0].name, receiver
        if self.types.is_declared(receiver, where):
            return [], "", receiver
        return self._by_name(name, where), "", receiver

    def _of_module(self, module: str, name: str) -> list[Routine]:
        """The functions that a module of the tree has under a name."""
        found = [
            r for r in self.index.functions.get(name, ()) if r.function.parent is None and _is_called(r.module, module)
        ]
        for offering in self.index.offering(name):
            if _is_called(offering, module):
                real = offering.aliases[name]
                found += [
                    routine
                    for routine in self.index.functions.get(real, ())
                    if routine.module is offering or imports(offering, real, routine.module)
                ]
        return found if all(routine.module is found[0].module for routine in found) else []

    def _by_name(self, name: str, where: Routine) -> list[Routine]:
        """A receiver without a declared type: the method of that name, if there is one or all of them agree."""
        if plain_name(name) in self.primitives:
            return []  # whether it pauses is told by its receiver
        # A function that calls one of its own name on another object hands the call on.
        found = [
            routine
            for routine in self.index.methods.get(name, ())
            if not is_stub(routine) and routine.function.node is not where.function.node
        ]
        if not found or all(self.interesting(routine) for routine in found):
            return sorted(found, key=lambda routine: routine.order)
        return []


def _target(
    routine: Routine,
    receiver: ast.expr | None,
    arguments: Mapping[str, ast.expr],
    declared: str = "",
    handed: bool = False,
) -> Target:
    node = routine.function.node
    assert not isinstance(node, ast.Module)
    return Target(node, receiver, arguments, declared, handed)


def _bound(routine: Routine, args: Sequence[ast.expr], keywords: Sequence[ast.keyword]) -> dict[str, ast.expr]:
    """The parameters of a function by name, with the arguments they are given."""
    node = routine.function.node
    if isinstance(node, ast.Module):
        return {}
    parameters = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    if routine.function.owner is not None and parameters and not _is_static(node):
        parameters = parameters[1:]
    bound: dict[str, ast.expr] = {}
    for parameter, argument in zip(parameters, args, strict=False):
        if isinstance(argument, ast.Starred):
            break
        bound[parameter] = argument
    rest = args[len(parameters) :]
    if node.args.vararg is not None and rest and len(bound) == len(parameters):
        # `f(*engines)` hands on what it has; `f(a, b)` makes a tuple of it.
        whole = rest[0].value if len(rest) == 1 and isinstance(rest[0], ast.Starred) else None
        bound[node.args.vararg.arg] = whole or ast.Tuple(elts=list(rest), ctx=ast.Load())
    bound.update({keyword.arg: keyword.value for keyword in keywords if keyword.arg is not None})
    return bound


def _given(target: Target, args: Sequence[ast.expr]) -> frozenset[str]:
    """The parameters that are given one of `args`."""
    return frozenset(name for name, value in target.arguments.items() if any(value is one for one in args))


def _unwrapped(func: ast.expr) -> ast.expr:
    """`x.method` of `x.method.remote`, of `x.method.options(...).remote` and of `getattr(x, "method")`."""
    match func:
        case ast.Call(func=ast.Name(id="getattr"), args=[receiver, ast.Constant(value=str() as name), *_]):
            return ast.copy_location(ast.Attribute(value=receiver, attr=name, ctx=ast.Load()), func)
    if isinstance(func, ast.Attribute) and func.attr in ("remote", "delay"):
        inner = func.value
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr == "options":
            inner = inner.func.value
        if isinstance(inner, ast.Attribute | ast.Name):
            return inner
    return func


def _is_static(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(last_name(decorator) == "staticmethod" for decorator in node.decorator_list)


def _thread_arguments(call: ast.Call) -> list[ast.expr]:
    for keyword in call.keywords:
        if keyword.arg == "args" and isinstance(keyword.value, ast.Tuple | ast.List):
            return list(keyword.value.elts)
    return []


def _encloses(parent: ast.AST, where: Routine) -> bool:
    current = where.function
    while True:
        if current.node is parent:
            return True
        if current.parent is None:
            return False
        current = current.parent


def _is_called(module: Module, name: str) -> bool:
    stem = module.path.removesuffix(".py").removesuffix("/__init__")
    return stem.rpartition("/")[2] == name
