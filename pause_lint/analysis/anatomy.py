"""What a function's body shows to the call graph: its calls with the words they hold, and its own variables.

Worked out once for each function; what it means is decided elsewhere.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeGuard

from pause_lint.analysis.callables import Local, given_at, is_callable, is_partial, spoken
from pause_lint.analysis.events import loop_bindings, unpacked
from pause_lint.analysis.guards import Term, Terms, last_name
from pause_lint.analysis.index import Routine
from pause_lint.analysis.paths import Made
from pause_lint.analysis.syntax import own_nodes, walk
from pause_lint.analysis.texts import Bindings
from pause_lint.module import Module


class CallSite(NamedTuple):
    """A call, and the names and strings by which it may reach a function."""

    call: ast.Call
    words: frozenset[str]


class Anatomy(NamedTuple):
    """A function's body.

    variables: its own names with the values they are bound to, where that is plain. callables: those of them that are
    bound to nothing but values that can be called. made: those that hold an object that it constructs.
    """

    calls: tuple[CallSite, ...]
    yields: bool
    conditional: frozenset[int]
    """The identities of what stands under a condition."""
    kept: frozenset[int]
    """The identities of the calls whose value is kept under a name, alone or among others."""
    variables: Mapping[str, tuple[Term, ...]]
    callables: Local
    made: Made


_PASSIVE = frozenset({ast.Attribute, ast.Constant, ast.keyword, ast.Expr, ast.Await, ast.Subscript, ast.Compare})
"""Most nodes are of these kinds, and say nothing here by themselves."""


class Anatomies:
    """The anatomies of functions, each made when it is first asked for."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.bindings: Bindings = {}
        self.named: dict[tuple[Module, str], tuple[str, ...]] = {}
        """What modules call the texts in which a word stands."""
        self._known: dict[ast.AST, Anatomy] = {}
        self._sources: dict[ast.AST, str] = {}

    def of(self, routine: Routine) -> Anatomy:
        """The anatomy of a function."""
        node = routine.function.node
        found = self._known.get(node)
        if found is None:
            found = self._known[node] = self._made(routine)
        return found

    def source(self, node: ast.expr) -> str:
        """An expression on one line."""
        found = self._sources.get(node)
        if found is None:
            found = self._sources[node] = " ".join(ast.unparse(node).split())
        return found

    def _made(self, routine: Routine) -> Anatomy:
        aliases = routine.module.aliases
        nodes = list(own_nodes(routine.function.node.body))
        calls: list[ast.Call] = []
        conditional: set[int] = set()
        variables: dict[str, list[Term]] = {}
        bound: dict[str, list[ast.expr]] = {}
        given: dict[str, list[ast.expr]] = {}
        stored: list[str] = []
        kept: set[int] = set()
        yields = False
        guarded_from = 1 << 30
        for node in nodes:
            kind = type(node)
            if kind in _PASSIVE:
                continue
            if isinstance(node, ast.Call):
                calls.append(node)
            elif isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Store):
                    variables.setdefault(node.id, [])
                    stored.append(node.id)
            elif isinstance(node, ast.If | ast.IfExp | ast.Match):
                if id(node) not in conditional:  # what is around it has been seen before
                    inside = list(walk(node))
                    conditional.update(map(id, inside))
                    if any(isinstance(part, ast.Return) for part in inside) and not _asks_whether_there(node):
                        guarded_from = min(guarded_from, node.end_lineno or node.lineno)
            elif isinstance(node, ast.Assign):
                if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                    name = node.targets[0].id
                    kept.update(map(id, _held(node.value)))
                    variables.setdefault(name, []).append(self.terms.of(node.value, {}))
                    bound.setdefault(name, []).append(node.value)
                    if isinstance(node.value, ast.Call) and not is_partial(node.value):
                        given.setdefault(name, []).append(given_at(node.value, -1))
                elif len(node.targets) == 1 and isinstance(node.value, ast.Call):
                    for place, target in enumerate(getattr(node.targets[0], "elts", ())):
                        if isinstance(target, ast.Name):
                            given.setdefault(target.id, []).append(given_at(node.value, place))
                else:
                    for name, value in unpacked(node.targets[0], node.value):
                        bound.setdefault(name, []).append(value)
            elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
                for name, term in loop_bindings(node.target, node.iter, self.terms.iterable(node.iter, {}), self.terms):
                    variables.setdefault(name, []).append(term)
            elif isinstance(node, ast.Yield | ast.YieldFrom):
                yields = True
        # What comes after a guard clause stands under its condition.
        conditional.update(id(call) for call in calls if call.lineno > guarded_from)
        calls.sort(key=lambda call: (call.lineno, call.col_offset))
        callables: dict[str, Sequence[ast.expr]] = {
            name: values
            for name, values in bound.items()
            if all(map(is_callable, values)) and stored.count(name) == len(values)
        }
        called = {call.func.id for call in calls if isinstance(call.func, ast.Name)}
        callables.update(
            (name, values) for name, values in given.items() if name in called and stored.count(name) == len(values)
        )
        made = {
            name: values[0]
            for name, values in bound.items()
            if len(values) == 1 and stored.count(name) == 1 and _constructs(values[0])
        }
        return Anatomy(
            tuple(CallSite(call, _words(call, aliases, callables)) for call in calls),
            yields,
            frozenset(conditional),
            frozenset(kept),
            {name: tuple(terms) for name, terms in variables.items()},
            callables,
            made,
        )


def _asks_whether_there(node: ast.If | ast.IfExp | ast.Match) -> bool:
    """Whether a condition only asks whether there is something at all: `if engine is None: return`."""
    match node:
        case ast.If(test=ast.Compare(left=ast.Name() | ast.Attribute(), ops=[ast.Is() | ast.IsNot()])):
            return True
        case ast.If(test=ast.UnaryOp(op=ast.Not(), operand=ast.Name() | ast.Attribute())):
            return True
    return False


def _constructs(value: ast.expr) -> TypeGuard[ast.Call]:
    return isinstance(value, ast.Call) and last_name(value.func)[:1].isupper()


def _held(value: ast.expr) -> list[ast.expr]:
    """What a value is or is made up of."""
    match value:
        case ast.List(elts=elts) | ast.Tuple(elts=elts):
            return elts
        case ast.ListComp(elt=elt) | ast.GeneratorExp(elt=elt):
            return [elt]
    return [value]


def _words(call: ast.Call, aliases: Mapping[str, str], callables: Local) -> frozenset[str]:
    func = call.func
    found = {last_name(func)}
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Attribute):
        found.add(func.value.attr)  # `x.method.remote()`
    elif isinstance(func, ast.Call) and last_name(func.func) == "getattr":
        found.update(part.value for part in func.args if isinstance(part, ast.Constant) and isinstance(part.value, str))
    elif isinstance(func, ast.Lambda) or is_partial(func) or (isinstance(func, ast.Name) and func.id in callables):
        found.update(spoken(func, callables))
    for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
        match argument:
            case ast.Attribute():
                found.add(argument.attr)
            case ast.Constant(value=str() as text):
                found.add(text)
            case ast.Name() | ast.Lambda():
                found.update(spoken(argument, callables))
            case ast.Call() if is_partial(argument):
                found.update(spoken(argument, callables))
    return frozenset({*found, *(aliases[word] for word in found if word in aliases)})
