"""What string expressions may say, as far as the tree tells: constants of this and of other modules, of classes and of
objects, put together with `+`, `%`, `format`, f-strings and the functions of the tree that build one.

Each part that is not fixed is a null character. Nothing here knows what the texts are for.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from pause_lint.analysis.functions import Function, defaults, parameters
from pause_lint.analysis.guards import last_name
from pause_lint.analysis.index import Class, Index, Routine, imports
from pause_lint.analysis.syntax import blocks, own_nodes
from pause_lint.analysis.types import Types
from pause_lint.module import Module

OPEN = "\0"
"""What stands for a part that is not fixed."""

_DEPTH = 8
_MANY = 8
"""An expression that may say more than this says nothing."""

_PERCENT = re.compile(r"%(?:\((\w+)\))?[-#0 +]*\d*(?:\.\d+)?([a-zA-Z%])")
_BRACES = re.compile(r"\{(\w*)([^{}]*)\}")
_SAME = frozenset({"strip", "rstrip", "lstrip", "removesuffix", "encode"})
"""Methods that leave a text what it is, as far as anyone asks here."""

Texts = tuple[str, ...]
_UNKNOWN: Texts = (OPEN,)

Bindings = dict[ast.AST, Mapping[str, Sequence[ast.expr]]]
"""What functions, classes and modules bind names to."""


class Scope(NamedTuple):
    """Where an expression stands: in a function, or in the module or class itself. given: what parameters say."""

    module: Module
    function: Function | None = None
    given: Mapping[str, Texts] = MappingProxyType({})


class Speech:
    """What expressions say in the modules of an index. bindings: what is known already of what names are bound to."""

    def __init__(self, index: Index, types: Types, bindings: Bindings) -> None:
        self.index = index
        self.types = types
        self._bindings = bindings

    def of(self, node: ast.expr, scope: Scope, depth: int = 0) -> Texts:
        """The texts that an expression may be, at least one."""
        deeper = depth + 1
        if depth > _DEPTH:
            return _UNKNOWN
        match node:
            case ast.Constant(value=str() as text):
                return (text,)
            case ast.JoinedStr(values=parts):
                return _joined(self.of(part, scope, deeper) for part in parts)
            case ast.FormattedValue(value=value) | ast.Await(value=value) | ast.NamedExpr(value=value):
                return self.of(value, scope, deeper)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return _joined(self.of(part, scope, deeper) for part in (left, right))
            case ast.BinOp(left=left, op=ast.Mod(), right=right):
                return self._filled(left, right, scope, deeper)
            case ast.IfExp(body=one, orelse=two):
                return _either(self.of(part, scope, deeper) for part in (one, two))
            case ast.BoolOp(values=values):
                return _either(self.of(part, scope, deeper) for part in values)
            case ast.Name(id=name):
                return self._variable(name, scope, deeper)
            case ast.Attribute(value=ast.Attribute() | ast.Subscript() as member, attr="value"):
                return self.of(member, scope, deeper)
            case ast.Attribute(value=value, attr=attr):
                return self._attribute(value, attr, scope, deeper)
            case ast.Subscript(value=value, slice=ast.Constant(value=key)):
                return _either(self.of(one, where, deeper) for one, where in self._entries(value, key, scope))
            case ast.Call():
                return self._called(node, scope, deeper)
        return _UNKNOWN

    def helper(self, func: ast.expr, scope: Scope) -> Routine | None:
        """The function of the tree that a call of `func` runs, if that is plain."""
        if isinstance(func, ast.Name):
            name = scope.module.aliases.get(func.id, func.id)
            outer = [one for one in self.index.functions.get(name, ()) if one.function.parent is None]
            found = [one for one in outer if one.module is scope.module] or [
                one for one in outer if imports(scope.module, func.id, one.module)
            ]
            return found[0] if len(found) == 1 else None
        if isinstance(func, ast.Attribute):
            for one in self._classes(func.value, scope):
                method = self.index.method(one, func.attr)
                if method is not None:
                    return method
            within = self._modules(func.value, scope.module)
            found = [one for one in self.index.functions.get(func.attr, ()) if one.module in within]
            return found[0] if len(found) == 1 else None
        return None

    def given(self, helper: Routine, call: ast.Call, scope: Scope, depth: int = 0) -> dict[str, Texts]:
        """What the parameters of a function say when it is called so."""
        node = helper.function.node
        assert not isinstance(node, ast.Module)
        names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
        static = any(last_name(decorator) == "staticmethod" for decorator in node.decorator_list)
        if helper.function.owner is not None and not static:
            names = names[1:]
        found: dict[str, ast.expr] = {}
        for name, argument in zip(names, call.args, strict=False):
            if isinstance(argument, ast.Starred):
                break
            found[name] = argument
        found.update({keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None})
        own = {name: self.of(value, Scope(helper.module), depth) for name, value in defaults(node.args).items()}
        return {**own, **{name: self.of(value, scope, depth) for name, value in found.items()}}

    # -- names ---------------------------------------------------------------------------------------------------------

    def _variable(self, name: str, scope: Scope, depth: int) -> Texts:
        if name in scope.given:
            return scope.given[name]
        function = scope.function
        while function is not None and not isinstance(function.node, ast.Module):
            values = self._bound(function.node, own_nodes(function.body)).get(name)
            if values is not None:
                where = Scope(scope.module, function, scope.given if function is scope.function else {})
                return _either(self.of(value, where, depth) for value in values)
            if name in parameters(function.node):
                return _UNKNOWN
            function = function.parent
        return _either(self.of(value, where, depth) for value, where in self._constant(name, scope.module))

    def _constant(self, name: str, module: Module) -> Iterator[tuple[ast.expr, Scope]]:
        """What a name of a module, or one that it imports, is bound to; and where that stands."""
        own = self._bound(module.tree, _top(module.tree.body)).get(name)
        if own:
            yield from ((value, Scope(module)) for value in own)
            return
        real = module.aliases.get(name, name)
        found = False
        for other in self.index.modules if module.imported_from(real) else ():
            if other is not module and imports(module, real, other):
                for value in self._bound(other.tree, _top(other.tree.body)).get(real, ()):
                    found = True
                    yield value, Scope(other)
        if not found:
            self.index.miss(real, module)

    def _attribute(self, value: ast.expr, attr: str, scope: Scope, depth: int) -> Texts:
        for one in self._classes(value, scope):
            found = [self.of(bound, where, depth) for bound, where in self._member(one, attr)]
            if found:
                return _either(found)
        return _either(
            self.of(bound, where, depth)
            for module in self._modules(value, scope.module)
            for bound, where in self._constant(attr, module)
        )

    def _entries(self, value: ast.expr, key: object, scope: Scope) -> Iterator[tuple[ast.expr, Scope]]:
        """What a dictionary that is written out has under a key."""
        for whole, where in self._wholes(value, scope):
            if isinstance(whole, ast.Dict):
                for name, entry in zip(whole.keys, whole.values, strict=True):
                    if isinstance(name, ast.Constant) and name.value == key:
                        yield entry, where

    def _wholes(self, value: ast.expr, scope: Scope) -> Iterator[tuple[ast.expr, Scope]]:
        """What a name or attribute is bound to."""
        match value:
            case ast.Name(id=name):
                function = scope.function
                own = self._bound(function.node, own_nodes(function.body)).get(name, ()) if function else ()
                yield from ((one, scope) for one in own)
                if not own:
                    yield from self._constant(name, scope.module)
            case ast.Attribute(value=owner, attr=attr):
                for one in self._classes(owner, scope):
                    yield from self._member(one, attr)
                for module in self._modules(owner, scope.module):
                    yield from self._constant(attr, module)

    # -- classes and modules -------------------------------------------------------------------------------------------

    def _classes(self, node: ast.expr, scope: Scope) -> list[Class]:
        """The classes that an expression is, or is an object of."""
        name = last_name(node)
        if name.lstrip("_")[:1].isupper():
            one = self.index.class_named(name, scope.module)
            return [one] if one is not None else []
        if scope.function is None:
            return []
        return self.types.types_of(node, Routine(scope.module, scope.function))

    def _modules(self, node: ast.expr, near: Module) -> list[Module]:
        """The modules that an expression may be: those of its name."""
        if not isinstance(node, ast.Name | ast.Attribute):
            return []
        name = last_name(node)
        stem = near.aliases.get(name, name)
        return [module for module in self.index.modules if stem_of(module) == stem]

    def _member(self, one: Class, attr: str, depth: int = 0) -> Iterator[tuple[ast.expr, Scope]]:
        """What an attribute of a class or of its objects is bound to: in its body, by its methods, as a property."""
        found = False
        for value in self._bound(one.node, one.node.body).get(attr, ()):
            found = True
            yield value, Scope(one.module)
        lines = one.module.lines_with(attr, alone=True)
        for routine in one.methods.values():
            if stands_on(lines, routine):
                for value in _set(routine, attr):
                    found = True
                    yield value, Scope(one.module, routine.function)
        own = one.methods.get(attr)
        if own is not None:
            found = True
            yield from ((value, Scope(own.module, own.function)) for value in returned(own))
        if found or depth > _DEPTH:
            return
        for base in one.bases:
            above = self.index.class_named(base, one.module)
            if above is not None and above is not one:
                yield from self._member(above, attr, depth + 1)

    # -- calls ---------------------------------------------------------------------------------------------------------

    def _called(self, call: ast.Call, scope: Scope, depth: int) -> Texts:
        match call:
            case ast.Call(func=func, args=[_, last]) if last_name(func) == "urljoin":
                return self.of(last, scope, depth)
            case ast.Call(func=ast.Name(id="str" | "URL"), args=[only]):
                return self.of(only, scope, depth)
            case ast.Call(func=ast.Attribute(value=text, attr="format")):
                return self._formatted(text, call, scope, depth)
            case ast.Call(func=ast.Attribute(value=text, attr=attr)) if attr in _SAME:
                return self.of(text, scope, depth)
            case ast.Call(func=ast.Attribute(value=value, attr="get"), args=[ast.Constant(value=key), *_]):
                return _either(self.of(one, where, depth) for one, where in self._entries(value, key, scope))
        helper = self.helper(call.func, scope)
        if helper is None:
            return _UNKNOWN
        inside = Scope(helper.module, helper.function, self.given(helper, call, scope, depth))
        return _either(self.of(value, inside, depth) for value in returned(helper))

    def _formatted(self, pattern: ast.expr, call: ast.Call, scope: Scope, depth: int) -> Texts:
        named = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        starred = any(isinstance(argument, ast.Starred) for argument in call.args)

        def filled(text: str) -> Texts:
            parts: list[Texts] = []
            end = count = 0
            for match in _BRACES.finditer(text):
                parts.append((text[end : match.start()],))
                end = match.end()
                name, rest = match[1], match[2]
                place = int(name) if name.isdigit() else count
                count += not name
                value = named.get(name) if name and not name.isdigit() else None
                if value is None and (not name or name.isdigit()) and place < len(call.args) and not starred:
                    value = call.args[place]
                whole = value is not None and rest[:1] not in (".", "[")
                parts.append(self.of(value, scope, depth) if whole and value is not None else _UNKNOWN)
            return _joined([*parts, (text[end:],)])

        return _either(filled(text) for text in self.of(pattern, scope, depth))

    def _filled(self, pattern: ast.expr, given: ast.expr, scope: Scope, depth: int) -> Texts:
        places = given.elts if isinstance(given, ast.Tuple) else [given]
        entries = zip(given.keys, given.values, strict=True) if isinstance(given, ast.Dict) else ()
        named = {key.value: value for key, value in entries if isinstance(key, ast.Constant)}

        def filled(text: str) -> Texts:
            parts: list[Texts] = []
            end = count = 0
            for match in _PERCENT.finditer(text):
                parts.append((text[end : match.start()],))
                end = match.end()
                if match[2] == "%":
                    parts.append(("%",))
                    continue
                value = named.get(match[1]) if match[1] else places[count] if count < len(places) else None
                count += 1
                parts.append(_UNKNOWN if value is None else self.of(value, scope, depth))
            return _joined([*parts, (text[end:],)])

        return _either(filled(text) for text in self.of(pattern, scope, depth))

    def _bound(self, node: ast.AST, nodes: Iterable[ast.AST]) -> Mapping[str, Sequence[ast.expr]]:
        """What `nodes`, those of a function, class or module, bind names to; looked for once."""
        found = self._bindings.get(node)
        if found is None:
            found = self._bindings[node] = _bindings(nodes)
        return found


def stem_of(module: Module) -> str:
    """The last part of a module's name."""
    return module.path.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]


def returned(routine: Routine) -> list[ast.expr]:
    """What a function returns."""
    nodes = own_nodes(routine.function.body)
    return [node.value for node in nodes if isinstance(node, ast.Return) and node.value is not None]


def stands_on(lines: Sequence[int], routine: Routine) -> bool:
    """Whether a function goes over one of `lines`, which are in order."""
    first, last = routine.function.lines
    return bisect_left(lines, first) < bisect_right(lines, last)


def _set(routine: Routine, attr: str) -> Iterator[ast.expr]:
    """What a method sets an attribute of its object to."""
    for node in own_nodes(routine.function.body):
        match node:
            case (
                ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name)], value=value)
                | ast.AnnAssign(target=ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name), value=value)
            ) if name == attr and value is not None:
                yield value


def _top(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module's own, those under conditions included."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.Try):
            for block in blocks(statement):
                yield from _top(block)


def _bindings(nodes: Iterable[ast.AST]) -> dict[str, list[ast.expr]]:
    """What the assignments among `nodes` bind names to."""
    found: dict[str, list[ast.expr]] = {}
    for node in nodes:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Name):
                        found.setdefault(target.id, []).append(value)
            case ast.Name(id=name, ctx=ast.Store()):
                found.setdefault(name, [])
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                found.setdefault(name, []).append(value)
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                found.setdefault(name, []).append(value)
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value):
                whole = ast.BinOp(left=ast.Constant(value=OPEN), op=ast.Add(), right=value)
                found.setdefault(name, []).append(whole)
    return found


def _joined(parts: Iterable[Texts]) -> Texts:
    found: Texts = ("",)
    for part in parts:
        found = tuple(dict.fromkeys(before + after for before in found for after in part))
        if len(found) > _MANY:
            return _UNKNOWN
    return found


def _either(several: Iterable[Texts]) -> Texts:
    """All that one of several may be; not fixed if there is none, or if there are too many."""
    found = tuple(dict.fromkeys(text for texts in several for text in texts))
    return found if 0 < len(found) <= _MANY else _UNKNOWN
