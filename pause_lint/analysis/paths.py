"""Which paths lead to the same object, as far as the text of the classes says: `self.helper.engine` is `self.engine`.

A path stands for another one where a property returns that, where it is assigned nothing else, or where an object is
constructed with it and keeps it. Read from the text, for the bodies of functions that nothing else needs are not
parsed. Nothing here knows about pauses.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from pause_lint.analysis.guards import Term, Terms, last_name
from pause_lint.analysis.index import Class, Index, Routine, is_property
from pause_lint.module import Module

SELF: Term = ("name", "self")

Made = Mapping[str, ast.Call]
"""Objects that a function constructs, by the variables that hold them and nothing else."""

_DEPTH = 4
_GETTER = re.compile(r"self\.(\w+)\(\)")
_PATH = re.compile(r"\s*return (self(?:\.\w+)+)[ \t]*$", re.MULTILINE)


class Paths:
    """Answers about the classes of an index; each is worked out once."""

    def __init__(self, index: Index, terms: Terms) -> None:
        self.index = index
        self.terms = terms
        self._known: dict[tuple[int, str], Term | None] = {}
        self._kept: dict[tuple[int, str, str], Term | None] = {}

    def plain(self, term: Term, routine: Routine, made: Made, depth: int = _DEPTH) -> Term:
        """The same in the simplest paths of a function: from its `self` and its variables.

        made: the objects that it constructs, by the variables that hold them.
        """
        one = self.index.owner(routine.function)
        if not term or (one is None and not made):
            return term
        other: Term | None = None
        if term[0] == "got" and one is not None:
            getter = _GETTER.fullmatch(term[1])
            other = self._term(self._returned(one, getter[1])) if getter else None
        elif term[0] == "attr":
            base, name = self.plain(term[1], routine, made, depth), term[2]
            if base == SELF and one is not None:
                other = self._stands_for(one, name)
            elif base[0] == "attr" and base[1] == SELF and one is not None:
                other = self._keeps(one, base[2], name)
            elif base[0] == "name" and base[1] in made:
                other = self._handed(made[base[1]], routine, name)
            term = ("attr", base, name)
        else:
            term = tuple(self.plain(part, routine, made, depth) if isinstance(part, tuple) else part for part in term)
        return term if other is None or not depth else self.plain(other, routine, made, depth - 1)

    def _handed(self, call: ast.Call, routine: Routine, name: str) -> Term | None:
        """What an object that a function constructs keeps under a name, in the terms of that function."""
        value = self._argument_kept(call, routine.module, name)
        return self.terms.of(value, {}) if isinstance(value, ast.Name | ast.Attribute) else None

    def _stands_for(self, one: Class, attr: str) -> Term | None:
        """The path that `self.attr` is another name for."""
        key = (id(one.node), attr)
        if key not in self._known:
            self._known[key] = None
            self._known[key] = self._term(self._other(one, attr))
        return self._known[key]

    def _other(self, one: Class, attr: str) -> str | None:
        getter = self.index.method(one, attr)
        if getter is not None:
            return self._returned(one, attr) if is_property(getter) else None
        for above in self.index.lineage(one):
            values = above.assigned(attr)
            if values:
                return values[0] if len(values) == 1 and re.fullmatch(r"self(?:\.\w+)+", values[0]) else None
        return None

    def _returned(self, one: Class, method: str) -> str | None:
        """The path that a method of a class does nothing but return."""
        getter = self.index.method(one, method)
        if getter is None:
            return None
        first, last = getter.function.lines
        text = "\n".join(getter.module.lines[first - 1 : last])
        found = _PATH.findall(text)
        return found[0] if len(found) == 1 and text.count("return") == 1 else None

    def _keeps(self, one: Class, attr: str, name: str) -> Term | None:
        """What the object that `self.attr` is constructed as keeps under a name, in the terms of the constructing
        class.
        """
        key = (id(one.node), attr, name)
        if key not in self._kept:
            self._kept[key] = None
            self._kept[key] = self._given(one, attr, name)
        return self._kept[key]

    def _given(self, one: Class, attr: str, name: str) -> Term | None:
        for maker in self.index.lineage(one):
            made = maker.assigned(attr)
            if len(made) != 1 or not re.match(r"[\w.]+\(", made[0]):
                continue
            call = _parsed(made[0])
            if not isinstance(call, ast.Call):
                return None
            value = self._argument_kept(call, maker.module, name)
            if isinstance(value, ast.Name) and value.id != "self":
                kept = re.findall(rf"self\.(\w+)(?::[^=\n]+)? = {value.id}[ \t]*$", maker.text, re.MULTILINE)
                return ("attr", SELF, kept[0]) if len(kept) == 1 else None
            return None if value is None else self._term(ast.unparse(value))
        return None

    def _argument_kept(self, call: ast.Call, near: Module, name: str) -> ast.expr | None:
        """The argument of a constructor that the object keeps as `self.name`."""
        kind = self.index.class_named(last_name(call.func), near)
        parameter = None if kind is None else self._parameter(kind, name)
        return None if parameter is None else _argument(call, *parameter)

    def _parameter(self, kind: Class, name: str) -> tuple[str, int] | None:
        """The parameter of the constructor, with its place, that a class keeps as `self.name`."""
        init = self.index.method(kind, "__init__")
        if init is None:
            return None
        kept = {value for above in self.index.lineage(kind) for value in above.assigned(name)}
        arguments: ast.arguments = getattr(init.function.node, "args")  # noqa: B009
        names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)][1:]
        only = kept.pop() if len(kept) == 1 else ""
        return (only, names.index(only)) if only in names else None

    def _term(self, path: str | None) -> Term | None:
        """The term of a path that starts at `self`."""
        if path is None or not re.fullmatch(r"self(?:\.\w+)*", path):
            return None
        found: Term = SELF
        for name in path.split(".")[1:]:
            found = ("attr", found, name)
        return found


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return None


def _argument(call: ast.Call, name: str, place: int) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    before = call.args[: place + 1]
    return before[place] if len(before) > place and not any(isinstance(part, ast.Starred) for part in before) else None
