"""Whose business a pause is: which functions leave an engine paused on purpose (DESIGN: "Not defects", providers,
split pairs).

Works on what each function's own body does, by name and place; it follows no paths. It never looks at functions of
other modules.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from pause_lint.analysis.events import Deed, route_of
from pause_lint.analysis.flow import undoes
from pause_lint.analysis.functions import Function
from pause_lint.analysis.guards import last_name
from pause_lint.analysis.syntax import children, walk
from pause_lint.module import Module
from pause_lint.pairs import Pair, answers, is_primitive, plain_name

_PLAIN = frozenset({"len", "str", "repr", "list", "dict", "bool", "int", "isinstance"})
FINAL_NAMES = frozenset(
    {"close", "aclose", "shutdown", "ashutdown", "del", "terminate", "teardown", "destroy", "kill", "exit", "aexit"}
)


_FINAL_WORDS = frozenset({"cleanup", "shutdown", "teardown", "terminate", "destroy"})
"""Words of names of functions that end something: what they pause is paused for good."""


class Conduct(NamedTuple):
    """What a function's own body does, in source order. dropped: deeds whose coroutine it makes and never runs."""

    function: Function
    pauses: tuple[Deed, ...]
    resumes: tuple[Deed, ...]
    dropped: tuple[Deed, ...] = ()


class Surroundings:
    """What a module shows around its functions: their conduct, and the names that every one of its functions
    mentions.
    """

    def __init__(self, module: Module, conducts: tuple[Conduct, ...]) -> None:
        self.module = module
        self.conducts = conducts

    @cached_property
    def mentions(self) -> Mapping[int, frozenset[str]]:
        """By the identity of a function's syntax: the names it calls, and with `&` those it hands on."""
        nodes = walk(self.module.tree)
        return {id(node): _mentions(node) for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def resumes_itself(conduct: Conduct, pause: Deed) -> bool:
    """Whether the function resumes what it pauses anywhere: then it has taken the duty."""
    return any(undoes(deed, pause) for deed in conduct.resumes)


def is_excused(conduct: Conduct, pause: Deed, around: Surroundings) -> bool:
    """Whether the function, which nowhere resumes, leaves the pause to others on purpose."""
    function = conduct.function
    return (
        is_primitive(function.short, pause.pair)
        or serves(function, pause.pair.pauses)
        or _forwards(function, pause)
        or is_final(function.short)
        or _is_provider(conduct, pause)
        or is_half(conduct, pause, around)
    )


def is_final(name: str) -> bool:
    """Whether a function of this name ends something, so that its pause is the last one."""
    plain = plain_name(name)
    return plain in FINAL_NAMES or not _FINAL_WORDS.isdisjoint(plain.split("_"))


def is_test(function: Function) -> bool:
    """Whether it is test code by its name or class."""
    current: Function | None = function
    while current is not None:
        if current.short.startswith("test_"):
            return True
        if current.owner is not None and any("TestCase" in last_name(base) for base in current.owner.bases):
            return True
        current = current.parent
    return False


def serves(function: Function, names: Iterable[str]) -> bool:
    """Whether it is the handler of a route with one of these names."""
    node = function.node
    if isinstance(node, ast.Module):
        return False
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call):
            for argument in decorator.args:
                route = route_of(argument)
                if route is not None and plain_name(route[1]) in names:
                    return True
    return False


def _forwards(function: Function, pause: Deed) -> bool:
    """Whether the pause is all it does, under a name of its own: it returns it, or its name says so."""
    node = function.node
    if isinstance(node, ast.Module):
        return False
    rest = [statement for statement in node.body if not _idle(statement)]
    if len(rest) != 1:
        return False
    only = rest[0]
    value = only.value if isinstance(only, ast.Return | ast.Expr) else None
    if isinstance(value, ast.Await):
        value = value.value
    if value is not pause.node:
        return False
    spoken = {word for name in pause.pair.pauses for word in name.split("_")}
    return isinstance(only, ast.Return) or bool(spoken & set(plain_name(function.short).split("_")))


def _idle(statement: ast.stmt) -> bool:
    """A docstring, `pass`, an import or a line of log."""
    if isinstance(statement, ast.Pass | ast.Import | ast.ImportFrom):
        return True
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    return isinstance(value, ast.Constant) or (
        isinstance(value, ast.Call) and last_name(value.func) in ("debug", "info", "warning", "error", "print")
    )


def _is_provider(conduct: Conduct, pause: Deed) -> bool:
    """A method that does nothing behind the pause, of a class that offers the resume."""
    function = conduct.function
    if function.owner is None or not isinstance(function.node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    methods = {
        plain_name(item.name)
        for item in function.owner.body
        if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    if not methods & pause.pair.resumes:
        return False
    return not goes_on(function, pause)


def goes_on(function: Function, pause: Deed) -> bool:
    """Whether other calls follow the pause in source order, lines of log apart."""
    end = (pause.node.end_lineno or pause.node.lineno, pause.node.end_col_offset or 0)
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.stmt) and _idle(node):
            continue
        if isinstance(node, ast.Call) and (node.lineno, node.col_offset) >= end and last_name(node.func) not in _PLAIN:
            return True
        stack += children(node)
    return False


def exit_resumes(conduct: Conduct, pause: Deed, around: Surroundings) -> bool:
    """Whether the `__exit__` of the same class resumes what an `__enter__` pauses."""
    exits = {"__enter__": "__exit__", "__aenter__": "__aexit__"}
    name = exits.get(conduct.function.short)
    return name is not None and any(
        other.function.short == name
        and _neighbours(other.function, conduct.function)
        and any(undoes(deed, pause) for deed in other.resumes)
        for other in around.conducts
    )


def is_half(conduct: Conduct, pause: Deed, around: Surroundings) -> bool:
    """Whether it is the pausing half of a split pair of its class or module."""
    return other_half(conduct, pause, around) is not None


def other_half(conduct: Conduct, pause: Deed, around: Surroundings) -> Function | None:
    """The function of the same class or module that resumes what this one pauses, by its name or by being the only
    one.
    """
    function = conduct.function
    neighbours = [other for other in around.conducts if other is not conduct and _neighbours(other.function, function)]
    resuming = [
        other
        for other in neighbours
        if any(undoes(deed, pause) for deed in other.resumes)
        and not _pauses(other, pause.pair)
        and not _calls(other.function, function, around)
    ]
    for other in resuming:
        if answers(function.short, other.function.short):
            return other.function
    pausing = [
        other for other in neighbours if _pauses(other, pause.pair) and not any(undoes(d, pause) for d in other.resumes)
    ]
    explicit = [
        other
        for other in neighbours
        if plain_name(other.function.short) in pause.pair.pauses | pause.pair.resumes
        or serves(other.function, pause.pair.pauses)
    ]
    if pausing or len(resuming) != 1 or explicit:
        return None
    only = resuming[0].function
    if _is_callback(only, around):
        return None
    users = [
        {name for name in (function.short, only.short) if name in names}
        for key, names in around.mentions.items()
        if key not in (id(function.node), id(only.node))
    ]
    both = any(len(used) == 2 for used in users)
    return only if both or not any(users) else None


def _pauses(conduct: Conduct, pair: Pair) -> bool:
    return any(deed.pair.pauses & pair.pauses for deed in conduct.pauses)


def _calls(caller: Function, callee: Function, around: Surroundings) -> bool:
    """Whether one function calls, by name, another: then it has both halves and is none."""
    return callee.short in around.mentions.get(id(caller.node), ())


def _neighbours(one: Function, two: Function) -> bool:
    if one.parent is not two.parent:
        return False
    return one.owner is two.owner


def _is_callback(function: Function, around: Surroundings) -> bool:
    """Whether the function is handed on by name rather than called: then it is a call under its own guards, never a
    half.
    """
    return any(f"&{function.short}" in names for names in around.mentions.values())


def _mentions(function: ast.AST) -> frozenset[str]:
    found: set[str] = set()
    for node in walk(function):
        if isinstance(node, ast.Call):
            found.add(last_name(node.func))
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                if isinstance(argument, ast.Attribute | ast.Name) and last_name(argument):
                    found.add(f"&{last_name(argument)}")
    return frozenset(found)
