"""What a function's body shows to the call graph: its calls with the words they hold, the requests they make, its own
variables. And the lines of a module on which a word stands.

Worked out once for each function and word; what it means is decided elsewhere.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pause_lint.analysis.endpoints import Route, bindings, requested
from pause_lint.analysis.guards import Term, Terms, last_name
from pause_lint.analysis.index import Routine
from pause_lint.analysis.syntax import own_nodes, walk
from pause_lint.outline import places_of
from pause_lint.tree import Module


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call, the names and strings by which it may reach a function, and the routes it requests."""

    call: ast.Call
    words: frozenset[str]
    routes: tuple[Route, ...]


@dataclass(frozen=True, slots=True)
class Anatomy:
    """A function's body. variables: its own names with the values they are bound to, where that is plain."""

    calls: tuple[CallSite, ...]
    yields: bool
    conditional: frozenset[int]
    """The identities of the calls that stand under a condition."""
    variables: Mapping[str, tuple[Term, ...]]


class Anatomies:
    """The anatomies of functions, each made when it is first asked for."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self._known: dict[ast.AST, Anatomy] = {}
        self._ends: dict[ast.AST, list[int]] = {}
        self._lines: dict[tuple[ast.AST, str], list[int]] = {}

    def of(self, routine: Routine, aliases: Mapping[str, str]) -> Anatomy:
        """The anatomy of a function. `aliases`: what its module imports under another name."""
        node = routine.function.node
        found = self._known.get(node)
        if found is None:
            found = self._known[node] = self._made(routine, aliases)
        return found

    def lines_with(self, word: str, module: Module) -> Sequence[int]:
        """The lines of a module on which a word stands alone, in order."""
        found = self._lines.get((module.tree, word))
        if found is None:
            ends = self._ends.get(module.tree)
            if ends is None:
                ends = self._ends[module.tree] = [match.end() for match in re.finditer(r"\r\n?|\n", module.text)]
            found = sorted({bisect_right(ends, place) + 1 for place in places_of(module.text, word, alone=True)})
            self._lines[module.tree, word] = found
        return found

    def _made(self, routine: Routine, aliases: Mapping[str, str]) -> Anatomy:
        module = routine.module.tree
        nodes = list(own_nodes(routine.function.node.body))
        values = bindings([*nodes, *module.body] if routine.function.node is not module else nodes)
        calls: list[CallSite] = []
        conditional: set[int] = set()
        variables: dict[str, list[Term]] = {}
        yields = False
        for node in nodes:
            match node:
                case ast.Call():
                    calls.append(CallSite(node, _words(node, aliases), tuple(requested(node, values))))
                case ast.Yield() | ast.YieldFrom():
                    yields = True
                case ast.If() | ast.IfExp() | ast.Match():
                    conditional.update(id(part) for part in walk(node) if isinstance(part, ast.Call))
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    variables.setdefault(name, []).append(self.terms.of(value, {}))
                case ast.For(target=ast.Name(id=name), iter=over) | ast.AsyncFor(target=ast.Name(id=name), iter=over):
                    variables.setdefault(name, []).append(("each", self.terms.iterable(over, {})))
                case ast.Name(id=name, ctx=ast.Store()):
                    variables.setdefault(name, [])
        calls.sort(key=lambda site: (site.call.lineno, site.call.col_offset))
        return Anatomy(
            tuple(calls), yields, frozenset(conditional), {name: tuple(terms) for name, terms in variables.items()}
        )


def _words(call: ast.Call, aliases: Mapping[str, str]) -> frozenset[str]:
    found = {last_name(call.func)}
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Attribute):
        found.add(call.func.value.attr)  # `x.method.remote()`
    for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
        match argument:
            case ast.Name() | ast.Attribute():
                found.add(last_name(argument))
            case ast.Constant(value=str() as text):
                found.add(text)
            case ast.Call(args=[first, *_]) if last_name(argument.func) == "partial":
                found.add(last_name(first))
    return frozenset({*found, *(aliases[word] for word in found if word in aliases)})
