"""What types names, attributes and results have, as far as the tree says.

Read from annotations, constructor calls and what is plain from them; an annotation outranks what an assignment
suggests. Decides nothing about pauses.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from typing import TypeGuard

from pause_lint.analysis.functions import Function
from pause_lint.analysis.guards import last_name
from pause_lint.analysis.index import Class, Index, Routine, imports, is_property
from pause_lint.analysis.syntax import walk
from pause_lint.module import Module

_DEPTH = 12
_WRAPPERS = frozenset({"Optional", "Annotated", "Final", "ClassVar", "Type", "type", "Required", "Awaitable"})
_DECLARED = re.compile(r":\s*([^=\n#]+)")
_RETURNED = re.compile(r"^\s*return (?:\w+\.)*([A-Z]\w*)\(", re.MULTILINE)
_MADE = re.compile(r"=\s*(?:await\s+)?(?:\w+\.)*([A-Z]\w*)\(")


class Types:
    """The types in the modules of an index."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._texts: dict[tuple[int, str], tuple[str, ...]] = {}

    def types_of(self, node: ast.expr, where: Routine, depth: int = 0) -> list[Class]:
        """The classes an expression is declared to be of in `where`; none if nothing says so."""
        if depth > _DEPTH:
            return []
        match node:
            case ast.Name(id="self" | "cls"):
                one = self.index.owner(where.function)
                return [one] if one is not None else []
            case ast.Name(id=name):
                return self._variable(name, where, depth)
            case ast.Attribute(value=value, attr=attr):
                return [
                    found
                    for one in self.types_of(value, where, depth + 1)
                    for found in self.attribute(one, attr, depth + 1)
                ]
            case ast.Call(func=func, args=[given, _]) if last_name(func) == "cast":
                return self.declared(given, where.module)
            case ast.Call(func=func):
                return self._result(func, where, depth)
            case ast.Await(value=value):
                return self.types_of(value, where, depth + 1)
            case ast.Subscript(value=value):
                return self.types_of(value, where, depth + 1)
        return []

    def is_declared(self, node: ast.expr, where: Routine) -> bool:
        """Whether anything in the tree says what `node` is, even if that class is not in the tree."""
        match node:
            case ast.Name(id=name):
                return self._annotation(name, where) is not None
        return bool(self.types_of(node, where))

    def _annotation(self, name: str, where: Routine) -> ast.expr | None:
        current: Function | None = where.function
        while current is not None:
            node = current.node
            if not isinstance(node, ast.Module):
                for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                    if argument.arg == name:
                        return argument.annotation
            current = current.parent
        return None

    def _variable(self, name: str, where: Routine, depth: int) -> list[Class]:
        annotation = self._annotation(name, where)
        if annotation is not None:
            return self.declared(annotation, where.module)
        values: list[ast.expr] = []
        narrowed: list[ast.expr] = []
        for node in walk(where.function.node):
            match node:
                case ast.For(target=target, iter=over) | ast.AsyncFor(target=target, iter=over):
                    values += item_of(target, over, name)
                case ast.comprehension(target=target, iter=over):
                    values += item_of(target, over, name)
                case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=asked), kinds]) if asked == name:
                    narrowed += kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
                case ast.AnnAssign(target=ast.Name(id=target), annotation=given) if target == name:
                    return self.declared(given, where.module)
                case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                    values.append(value)
                case ast.withitem(context_expr=value, optional_vars=ast.Name(id=target)) if target == name:
                    values.append(value)
        found = [self.types_of(value, where, depth + 1) for value in values]
        if found and all(types == found[0] for types in found):
            return found[0]
        return [] if found else [one for kind in narrowed for one in self.declared(kind, where.module)]

    def _result(self, func: ast.expr, where: Routine, depth: int) -> list[Class]:
        if isinstance(func, ast.Name):
            one = self.index.class_named(func.id, where.module)
            if one is not None:
                return [one]
            candidates = self.index.functions.get(func.id, [])
            if not candidates:
                self.index.miss(func.id, where.module)
        elif isinstance(func, ast.Attribute):
            candidates = [
                routine
                for one in self.types_of(func.value, where, depth + 1)
                if (routine := self.index.method(one, func.attr)) is not None
            ]
            one = self.index.class_named(func.attr, where.module)
            if not candidates and one is not None:
                return [one]
        else:
            return []
        if len(candidates) == 1:
            node = candidates[0].function.node
            if not isinstance(node, ast.Module) and node.returns is not None:
                return self.declared(node.returns, candidates[0].module)
            made = [
                self.index.class_named(name, candidates[0].module) for name in _RETURNED.findall(_source(candidates[0]))
            ]
            return [one for one in made if one is not None] if len(made) == 1 else []
        return []

    def declared(self, annotation: ast.expr, near: Module, depth: int = 0) -> list[Class]:
        """The classes of the tree that an annotation names, itself or through an alias or a type variable."""
        found: list[Class] = []
        for name in annotation_names(annotation):
            one = self.index.class_named(name, near)
            if one is not None:
                found.append(one)
            elif depth < _DEPTH:
                for module, value in self._meanings(name, near):
                    found += self.declared(value, module, depth + 1)
        return found

    def _meanings(self, name: str, near: Module) -> Iterator[tuple[Module, ast.expr]]:
        """What a module binds a name to that may be a type: `X = A | B`, `T = TypeVar("T", bound=A)`."""
        for module, value in self._bindings.get(name, ()):
            if module is near or imports(near, name, module):
                match value:
                    case ast.Call(func=func, args=args, keywords=keywords) if last_name(func) == "TypeVar":
                        bounds = (keyword.value for keyword in keywords if keyword.arg == "bound")
                        yield from ((module, part) for part in (*bounds, *args[1:]))
                    case ast.Subscript() | ast.BinOp() | ast.Constant(value=str()):
                        yield module, value

    @cached_property
    def _bindings(self) -> dict[str, list[tuple[Module, ast.expr]]]:
        """What the modules bind names to at their top level."""
        found: dict[str, list[tuple[Module, ast.expr]]] = {}
        for module in self.index.modules:
            for statement in module.tree.body:
                match statement:
                    case (
                        ast.Assign(targets=[ast.Name(id=name)], value=value)
                        | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                    ):
                        found.setdefault(name, []).append((module, value))
        return found

    def attribute(self, one: Class, attr: str, depth: int) -> list[Class]:
        """The classes that attribute `attr` of a class is declared, or constructed, to be of."""
        if depth > _DEPTH:
            return []
        getter = self.index.method(one, attr)
        if getter is not None and is_property(getter):
            returns: ast.expr | None = getattr(getter.function.node, "returns", None)
            return [] if returns is None else self.declared(returns, getter.module)
        for name in self._attribute_texts(one, attr):
            found = [part for word in name.split("|") if (part := self.index.class_named(word, one.module)) is not None]
            if found:
                return found
        for routine in one.methods.values():
            if f"self.{attr} = {attr}" in _source(routine):
                annotation = self._annotation(attr, routine)
                if annotation is not None:
                    return self.declared(annotation, one.module)
        for base in one.bases:
            above = self.index.class_named(base, one.module)
            if above is not None and above is not one:
                found = self.attribute(above, attr, depth + 1)
                if found:
                    return found
        # Declared with a type variable above: what the bases are given stands for it.
        given = [base.slice for base in one.node.bases if isinstance(base, ast.Subscript)]
        if given and any(attr in above.text for above in self.index.lineage(one)[1:]):
            return [found for part in given for found in self.declared(part, one.module)]
        return []

    def _attribute_texts(self, one: Class, attr: str) -> tuple[str, ...]:
        """Class names by which the text of a class declares or makes an attribute, declarations first.

        Read from the text, for the bodies of functions that nothing else needs are not parsed.
        """
        key = (id(one.node), attr)
        if key not in self._texts:
            lines = one.module.lines[one.node.lineno - 1 : one.node.end_lineno]
            found = [line.strip().removeprefix("self.") for line in lines if attr in line]
            own = [line.removeprefix(attr).lstrip() for line in found if line.startswith(attr)]
            declared = [match[1] for line in own if (match := _DECLARED.match(line))]
            made = [match[1] for line in own if (match := _MADE.match(line))]
            self._texts[key] = (*("|".join(_words(text)) for text in declared), *made)
        return self._texts[key]


def annotation_names(annotation: ast.expr) -> list[str]:
    """The names in an annotation that may be classes: of unions each, of `list[X]` and `Optional[X]` the `X`."""
    match annotation:
        case ast.Constant(value=str() as text):
            return _words(text)
        case ast.Name() | ast.Attribute():
            return [last_name(annotation)]
        case ast.BinOp(left=left, right=right):
            return annotation_names(left) + annotation_names(right)
        case ast.Subscript(value=value, slice=index):
            inner = [
                name
                for part in (index.elts if isinstance(index, ast.Tuple) else [index])
                for name in annotation_names(part)
            ]
            return inner if last_name(value) in _WRAPPERS or inner else [last_name(value)]
    return []


def item_of(target: ast.expr, over: ast.expr, name: str) -> list[ast.expr]:
    """What a loop goes over to bind `name`: its collection, of which the type says what the items are."""
    match over:
        case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]):
            return item_of(target.elts[1], inner, name) if _is_pair(target) else []
        case ast.Call(func=ast.Attribute(value=inner, attr="items"), args=[]):
            return item_of(target.elts[1], inner, name) if _is_pair(target) else []
        case ast.Call(func=ast.Name(id="zip"), args=parts) if isinstance(target, ast.Tuple):
            pairs = zip(target.elts, parts, strict=False)
            return [found for element, part in pairs for found in item_of(element, part, name)]
        case ast.Call(func=ast.Name(id="list" | "tuple" | "sorted" | "reversed" | "set"), args=[inner, *_]):
            return item_of(target, inner, name)
        case ast.Call(func=ast.Attribute(value=inner, attr="values"), args=[]):
            return item_of(target, inner, name)
    return [over] if isinstance(target, ast.Name) and target.id == name else []


def _is_pair(target: ast.expr) -> TypeGuard[ast.Tuple]:
    return isinstance(target, ast.Tuple) and len(target.elts) == 2


def _source(routine: Routine) -> str:
    node = routine.function.node
    first = getattr(node, "lineno", 1)
    return "\n".join(routine.module.lines[first - 1 : getattr(node, "end_lineno", first)])


def _words(text: str) -> list[str]:
    return [
        word
        for word in re.findall(r"\b[A-Za-z_]\w*", text)
        if word not in ("None", "Optional", "Union", "Any", "list", "dict")
    ]
