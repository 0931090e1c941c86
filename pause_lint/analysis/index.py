"""What the tree defines: modules, classes and functions, by name, and what a name means where it is used.

Answers questions of `types` and `calls`; decides nothing about pauses.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property

from pause_lint.analysis.functions import Function
from pause_lint.analysis.guards import last_name
from pause_lint.module import Module, aliases_in

_DEPTH = 12


class Routine:
    """A function of the tree with the module it stands in."""

    __slots__ = ("function", "module")

    def __init__(self, module: Module, function: Function) -> None:
        self.module = module
        self.function = function

    @property
    def name(self) -> str:
        """Its own name, without what it is nested in."""
        return self.function.short

    @property
    def order(self) -> tuple[str, int]:
        """A place to sort by."""
        return (self.module.path, getattr(self.function.node, "lineno", 0))


class Class:
    """A class of the tree: its bases by name, its own methods, and what it offers under another name.

    parent: the function that it stands in.
    """

    def __init__(self, module: Module, node: ast.ClassDef, bases: tuple[str, ...], parent: Function | None) -> None:
        self.module = module
        self.node = node
        self.bases = bases
        self.parent = parent
        self.methods: dict[str, Routine] = {}
        self.aliases: dict[str, str] = {}

    @property
    def name(self) -> str:
        """Its name."""
        return self.node.name

    @cached_property
    def text(self) -> str:
        """Its lines, those of functions that were left out of the tree included."""
        return "\n".join(self.module.lines[self.node.lineno - 1 : self.node.end_lineno])

    def assigned(self, attr: str) -> list[str]:
        """The values, as far as they stand on one line, that its text binds an attribute of its instances to."""
        # Found by fixed letters first: a pattern over the whole text takes longer.
        if f"self.{attr}" not in self.text:
            return []
        values = re.findall(rf"self\.{attr}(?::[^=\n]+)? = (.+)", self.text)
        return [value.partition("  #")[0].strip() for value in values]


_Spans = tuple[list[int], list[tuple[int, int, Routine]]]
"""The first lines of the functions of a module in order; and of each its last line, the place of the function that it
is in, and itself."""


class Index:
    """The definitions of some modules, by name.

    missed: modules that were asked for and are not among these, as written, each with the path of the file that imports
    it.
    """

    def __init__(self, modules: Sequence[Module]) -> None:
        self.modules = modules
        self.classes: dict[str, list[Class]] = {}
        self.functions: dict[str, list[Routine]] = {}
        self.methods: dict[str, list[Routine]] = {}
        self.routines: dict[int, Routine] = {}
        self.owners: dict[int, Class] = {}
        self.decorated: dict[str, list[Routine]] = {}
        self.missed: set[tuple[str, str]] = set()
        self._subclasses: dict[str, list[Class]] = {}
        self._defined: dict[str, list[Routine]] = {}
        self._spans: dict[str, _Spans] = {}
        for module in modules:
            self._collect(module)
        for found in self.classes.values():
            for one in found:
                for base in one.bases:
                    self._subclasses.setdefault(one.module.aliases.get(base, base), []).append(one)

    def _collect(self, module: Module) -> None:
        stack: list[tuple[Sequence[ast.stmt], str, Class | None, Function | None]] = [
            (module.tree.body, "", None, None)
        ]
        while stack:
            body, prefix, owner, parent = stack.pop()
            for node in body:
                if isinstance(node, ast.ClassDef):
                    one = Class(module, node, tuple(last_name(_bare(base)) for base in node.bases), parent)
                    self.classes.setdefault(node.name, []).append(one)
                    one.aliases.update(aliases_in(node.body))
                    stack.append((node.body, f"{prefix}{node.name}.", one, parent))
                elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    function = Function(node, prefix + node.name, owner.node if owner else None, parent)
                    routine = Routine(module, function)
                    self.routines[id(node)] = routine
                    for decorator in node.decorator_list:
                        self.decorated.setdefault(last_name(decorator), []).append(routine)
                    self._defined.setdefault(module.path, []).append(routine)
                    if owner is not None:
                        owner.methods.setdefault(node.name, routine)
                        self.methods.setdefault(node.name, []).append(routine)
                        self.owners[id(node)] = owner
                    else:
                        self.functions.setdefault(node.name, []).append(routine)
                    stack.append((node.body, f"{prefix}{node.name}.", None, function))
                elif isinstance(node, ast.If | ast.Try | ast.With):
                    stack.append((node.body, prefix, owner, parent))
                    stack.append((getattr(node, "orelse", []), prefix, owner, parent))
                    stack += [(handler.body, prefix, owner, parent) for handler in getattr(node, "handlers", ())]

    def innermost(self, module: Module, line: int) -> Routine | None:
        """The innermost function that a line is in."""
        spans = self._spans.get(module.path)
        if spans is None:
            spans = self._spans[module.path] = _spans(self._defined.get(module.path, []))
        starts, found = spans
        place = bisect_right(starts, line) - 1
        while place >= 0:
            end, outer, routine = found[place]
            if line <= end:
                return routine
            place = outer
        return None

    def hierarchy(self, module: Module) -> dict[str, tuple[str, ...]]:
        """The classes of a module by name, with the names of their bases (last parts)."""
        return {one.name: one.bases for found in self.classes.values() for one in found if one.module is module}

    # -- classes -------------------------------------------------------------------------------------------------------

    @cached_property
    def nested(self) -> list[Routine]:
        """The functions within functions."""
        return [routine for routine in self.routines.values() if routine.function.parent is not None]

    def owner(self, function: Function) -> Class | None:
        """The class whose `self` a function sees: its own, or that of the method it is nested in."""
        current: Function | None = function
        while current is not None:
            found = self.owners.get(id(current.node))
            if found is not None:
                return found
            current = current.parent
        return None

    def class_named(self, name: str, near: Module) -> Class | None:
        """The class that `name` means in `near`: its own, the imported one, or the only one of that name."""
        real, near = self.renamed(name, near)
        found = self.classes.get(real, [])
        if not found:
            self.miss(real, near)
        name = real
        if len(found) > 1:
            # A class in a function is known there only.
            found = [one for one in found if one.parent is None] or found
        if len(found) > 1:
            own = [one for one in found if one.module is near] or [
                one for one in found if imports(near, name, one.module)
            ]
            return own[0] if len(own) == 1 else None
        return found[0] if found else None

    def renamed(self, name: str, near: Module) -> tuple[str, Module]:
        """The name that `name` stands for in `near` where it is offered under another, and the module that says so."""
        if name in near.aliases:
            return near.aliases[name], near
        for module in self.offering(name):
            if imports(near, name, module):
                return module.aliases[name], module
        return name, near

    def offering(self, name: str) -> list[Module]:
        """The modules that have something else under this name."""
        return self._offering.get(name, [])

    def aliases_of(self, name: str) -> Sequence[str]:
        """The names under which modules have what is called `name` where it is defined."""
        return self._aliases.get(name, ())

    @cached_property
    def _aliases(self) -> dict[str, list[str]]:
        found: dict[str, dict[str, None]] = {}
        for module in self.modules:
            for alias, name in module.aliases.items():
                found.setdefault(name, {})[alias] = None
        return {name: list(aliases) for name, aliases in found.items()}

    @cached_property
    def _offering(self) -> dict[str, list[Module]]:
        """The modules that have something under another name, by that name."""
        found: dict[str, list[Module]] = {}
        for module in self.modules:
            for alias in module.aliases:
                found.setdefault(alias, []).append(module)
        return found

    def method(self, one: Class, name: str, depth: int = 0) -> Routine | None:
        """The method `name` of a class or of the first of its bases that has it."""
        if name in one.methods:
            return one.methods[name]
        real = one.aliases.get(name) or next(iter(self._bound_names(one, name)), name)
        if real != name and depth < _DEPTH:
            return self.method(one, real, depth + 1)
        if depth < _DEPTH:
            for base in one.bases:
                above = self.class_named(base, one.module)
                found = self.method(above, name, depth + 1) if above is not None and above is not one else None
                if found is not None:
                    return found
        return None

    def _bound_names(self, one: Class, attr: str) -> list[str]:
        """The methods that the text of a class binds to an attribute of its instances: `self.stop = self._stop`."""
        values = one.assigned(attr)
        return [value.removeprefix("self.") for value in values if re.fullmatch(r"self\.\w+", value)]

    def names_of(self, routine: Routine) -> list[str]:
        """The names under which the class of a method offers it besides its own."""
        one = self.owner(routine.function)
        if one is None:
            return []
        bound = (
            re.findall(rf"self\.(\w+) = self\.{routine.name}[ \t]*$", one.text, re.MULTILINE)
            if f"= self.{routine.name}\n" in one.text
            else []
        )
        return [*bound, *(alias for alias, name in one.aliases.items() if name == routine.name)]

    def company(self, routine: Routine) -> frozenset[str]:
        """The names of which one stands wherever a function is used that has to be told from others of its name: its
        class and the bases of that, or its module.
        """
        one = self.owner(routine.function)
        if one is None:
            parts = routine.module.path.removesuffix(".py").removesuffix("/__init__").split("/")
            return frozenset(parts[-1:])
        found: set[str] = set()
        stack = [one]
        while stack:
            above = stack.pop()
            if above.name not in found:
                found |= {above.name, *above.bases}
                stack += [base for name in above.bases if (base := self.class_named(name, above.module)) is not None]
        return frozenset(found - {"object", "ABC", "Protocol", "Generic"})

    def base_method(self, one: Class, name: str) -> Routine | None:
        """What `super().name` is in a method of `one`."""
        for base in one.bases:
            above = self.class_named(base, one.module)
            found = self.method(above, name, 1) if above is not None and above is not one else None
            if found is not None:
                return found
        return None

    def lineage(self, one: Class) -> list[Class]:
        """A class and those above it, nearest first."""
        found = [one]
        for each in found:
            for base in each.bases:
                above = self.class_named(base, each.module)
                if above is not None and above not in found:
                    found.append(above)
        return found

    def implementations(self, one: Class, name: str) -> list[Routine]:
        """What a call of `name` through a receiver declared as `one` may run.

        Its own method and those of its subclasses, and, where it only declares the method, those of classes that have
        all the methods it declares. Bodies that only raise or pass are left out.
        """
        found: dict[int, Routine] = {}
        own = self.method(one, name)
        for routine in (own, *(below.methods.get(name) for below in self._below(one))):
            if routine is not None and not is_stub(routine):
                found[id(routine.function.node)] = routine
        if own is not None and is_stub(own) and not found:
            declared = set(one.methods) - {"__init__"}
            for routine in self.methods.get(name, ()):
                other = self.owners[id(routine.function.node)]
                if other is not one and not is_stub(routine) and len(declared & set(other.methods)) == len(declared):
                    found[id(routine.function.node)] = routine
        return sorted(found.values(), key=lambda routine: routine.order)

    def _below(self, one: Class) -> Iterator[Class]:
        """The classes that inherit from one, at any distance; not from another of its name."""
        seen: set[int] = {id(one)}
        stack = [(below, one) for below in self._subclasses.get(one.name, ())]
        while stack:
            below, base = stack.pop()
            if id(below) not in seen and self.class_named(base.name, below.module) in (base, None):
                seen.add(id(below))
                yield below
                stack += [(further, below) for further in self._subclasses.get(below.name, ())]

    def miss(self, name: str, near: Module) -> None:
        """Note that something would have been known of a name that `near` imports, if its file were at hand."""
        self.missed.update((near.path, dotted) for dotted in near.imported_from(name))


def _spans(routines: Sequence[Routine]) -> _Spans:
    starts: list[int] = []
    found: list[tuple[int, int, Routine]] = []
    within: list[int] = []
    for routine in sorted(routines, key=lambda routine: routine.order):
        start, end = routine.function.lines
        while within and found[within[-1]][0] < start:
            within.pop()
        starts.append(start)
        found.append((end, within[-1] if within else -1, routine))
        within.append(len(found) - 1)
    return starts, found


def is_property(routine: Routine) -> bool:
    """Whether a method is read like an attribute."""
    node = routine.function.node
    decorators = () if isinstance(node, ast.Module) else node.decorator_list
    return any(last_name(decorator) in ("property", "cached_property") for decorator in decorators)


def is_stub(routine: Routine) -> bool:
    """Whether a body only raises, passes or documents."""
    node = routine.function.node
    return all(
        isinstance(statement, ast.Pass | ast.Raise)
        or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for statement in node.body
    ) and not _is_blanked(routine)


def _is_blanked(routine: Routine) -> bool:
    """Whether the body was left out of the tree because nothing in it matters."""
    lines = routine.module.lines
    node = routine.function.node
    if isinstance(node, ast.Module):
        return False
    return not any(
        word in "\n".join(lines[node.lineno - 1 : node.end_lineno]) for word in ("pass", "raise", "...", '"""')
    )


def _bare(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.Subscript) else node


def imports(module: Module, name: str, source: Module) -> bool:
    """Whether `module` imports `name` from a module whose path ends like that of `source`."""
    stem = source.path.removesuffix(".py").removesuffix("/__init__")
    for dotted in module.imported_from(name):
        plain = dotted.lstrip(".").replace(".", "/")
        if not plain and stem.rpartition("/")[0] == module.path.rpartition("/")[0]:
            return True
        if plain and (f"/{stem}/".endswith(f"/{plain}/") or f"/{plain}/" in f"/{stem}/"):
            return True
    return False


def imports_exactly(module: Module, name: str, source: Module) -> bool:
    """Whether `module` imports `name` from `source` itself, not from a package that it is in."""
    stem = source.path.removesuffix(".py").removesuffix("/__init__")
    plain = (dotted.lstrip(".").replace(".", "/") for dotted in module.imported_from(name))
    return any(one and f"/{stem}".endswith(f"/{one}") for one in plain)
