"""What each function's own body does, module by module: its deeds in source order, and coroutines of the pair that
nobody runs.

Looks only at the lines that mention a word of the vocabulary. Follows no calls and no paths.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pause_lint.analysis.events import Deed, Events, takes_values, unpacked
from pause_lint.analysis.functions import DEFINITIONS, Function, functions, is_nested_in, mentioned_lines, spans
from pause_lint.analysis.guards import Term, last_name
from pause_lint.analysis.ownership import Conduct
from pause_lint.analysis.syntax import children, own_nodes, walk
from pause_lint.module import Module

_TRANSPARENT = frozenset({"abstractmethod", "classmethod", "final", "override", "staticmethod"})
"""Decorators behind which calling an `async def` makes a coroutine as before."""


class View(NamedTuple):
    """One module: the functions of interest with their conduct."""

    module: Module
    conducts: tuple[Conduct, ...]


def view(module: Module, events: Events, coroutines: frozenset[str], reading: Sequence[int] = ()) -> View:
    """Look at one module.

    coroutines: names that the tree defines, and only as `async def`. reading: lines that read a constant whose text
    holds a word of the vocabulary.
    """
    lines = mentioned_lines(module, events.vocabulary)
    if reading:
        lines = sorted({*lines, *reading})
    if not lines:
        return View(module, ())
    found = list(functions(module, lines))
    conducts = [_conduct(module, function, events, lines) for function in found]
    dropped = list(_dropped(conducts, coroutines, module.imported_modules))
    if dropped:
        dead = frozenset(id(deed.node) for _, deed in dropped)
        alive = Events(events.vocabulary, events.terms, events.quiet_calls, dead, constants=events.constants)
        conducts = [
            _conduct(module, function, alive, lines)._replace(
                dropped=tuple(deed for conduct, deed in dropped if conduct.function is function),
            )
            for function in found
        ]
    return View(module, tuple(conducts))


def coroutine_names(modules: Iterable[Module], names: Iterable[str]) -> frozenset[str]:
    """Those of `names` that the modules define, and only as `async def` whose calls make coroutines.

    What a decorator makes of a function is not known, unless it is one that leaves it as it is.
    """
    definition = re.compile(
        rf"^([ \t]*)(async[ \t]+)?def[ \t]+({'|'.join(map(re.escape, sorted(names)))})\b", re.MULTILINE
    )
    found: dict[str, bool] = {}
    for module in modules:
        for match in definition.finditer(module.text):
            name = match[3]
            is_coroutine = bool(match[2]) and all(
                decorator in _TRANSPARENT for decorator in _decorators_above(module.text, match.start(), match[1])
            )
            found[name] = found.get(name, True) and is_coroutine
    return frozenset(name for name, asynchronous in found.items() if asynchronous)


def _decorators_above(text: str, start: int, indent: str) -> Iterator[str]:
    """The last names of the decorators of a definition whose line starts at `start`, the nearest first."""
    for line in reversed(text[max(0, start - 2000) : start].splitlines()):
        if line.startswith(f"{indent}@"):
            yield line.strip().removeprefix("@").split("(")[0].strip().rpartition(".")[2]
        elif not line.startswith((f"{indent} ", f"{indent}\t", f"{indent})", f"{indent}#")):
            return


def _conduct(module: Module, function: Function, events: Events, lines: list[int]) -> Conduct:
    pauses: list[Deed] = []
    resumes: list[Deed] = []
    whole = isinstance(function.node, ast.Module)
    own = [node for node in function.body if not isinstance(node, DEFINITIONS)] if whole else function.body
    events = events.within(own)
    told = {*events.texts, *events.turning}
    if told:
        lines = sorted({*lines, *module.lines_with_any(sorted(told))})
    for deed in _deeds(function.body, events, lines):
        (pauses if deed.kind == "pause" else resumes).append(deed)
    return Conduct(function, tuple(pauses), tuple(resumes))


def _deeds(body: Sequence[ast.AST], events: Events, lines: list[int]) -> Iterator[Deed]:
    """The outermost deeds of a body; those inside the arguments of another are part of it."""
    stack: list[ast.AST] = list(reversed(body))
    while stack:
        node = stack.pop()
        if isinstance(node, DEFINITIONS):
            continue
        if isinstance(node, ast.stmt) and not spans(lines, node):
            continue
        loop = _loop(node)
        turns = events.turns(loop.target, loop.iterated) if loop is not None else []
        if loop is not None and turns:
            at_turns = (deed for turn in turns for deed in _deeds(loop.repeated, events.at_turn(turn), lines))
            yield from {(id(deed.node), deed.spelling): deed for deed in at_turns}.values()
            stack += reversed(loop.rest)
            continue
        if isinstance(node, ast.Assign):
            # A bound method under a name of the function's own: it is called by that name.
            bound = [
                deed
                for name, value in unpacked(node.targets[0], node.value)
                if isinstance(value, ast.Attribute | ast.Call)
                and (deed := events.reference(value, {})) is not None
                and _is_run(name, body)
            ]
            if bound:
                yield from bound
                continue
        if isinstance(node, ast.Await | ast.Call):
            deed = events.deed(node, {})
            if deed is not None:
                yield deed
                continue
        stack += reversed(children(node))


class _Loop(NamedTuple):
    """A loop or comprehension: what it binds, what it goes through, what it repeats, and what else belongs to it."""

    target: ast.expr
    iterated: ast.expr
    repeated: Sequence[ast.AST]
    rest: Sequence[ast.AST]


def _loop(node: ast.AST) -> _Loop | None:
    match node:
        case ast.For(target=target, iter=iterated, body=body, orelse=orelse):
            return _Loop(target, iterated, body, orelse)
        case ast.ListComp(generators=[one]) | ast.SetComp(generators=[one]) | ast.GeneratorExp(generators=[one]):
            return _Loop(one.target, one.iter, [*one.ifs, node.elt], [])
    return None


def _is_run(name: str, body: Sequence[ast.AST]) -> bool:
    """Whether a function calls what it binds to a name, or hands it, under that name, to something that may."""
    nodes = list(own_nodes(body))
    values = {
        id(argument) for node in nodes if isinstance(node, ast.Call) and takes_values(node) for argument in node.args
    }
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) and id(node) not in values
        for node in nodes
    )


def _dropped(
    conducts: Sequence[Conduct], coroutines: frozenset[str], imported: frozenset[str]
) -> Iterator[tuple[Conduct, Deed]]:
    """Deeds that make a coroutine, as the tree defines it or as the other half is awaited, and do nothing with it.

    imported: names of modules, whose functions are their own.
    """
    awaited = [
        (conduct.function, deed)
        for conduct in conducts
        for deed in (*conduct.pauses, *conduct.resumes)
        if deed.awaited and not deed.bare
    ]
    for conduct in conducts:
        suspects = [
            deed
            for deed in (*conduct.pauses, *conduct.resumes)
            if deed.bare
            and not deed.pair.tested  # an `asyncio.Lock` is acquired by a coroutine and released by none
            and (
                (deed.spelling in coroutines and not (deed.receiver[:1] == ("name",) and deed.receiver[1] in imported))
                or any(
                    _is_other_half(deed, other) and _share(conduct.function, function, deed.receiver)
                    for function, other in awaited
                )
            )
        ]
        unused = {id(value) for value in _unused_values(conduct.function)} if suspects else set()
        yield from ((conduct, deed) for deed in suspects if id(deed.node) in unused)


def _is_other_half(deed: Deed, other: Deed) -> bool:
    return (
        other.kind != deed.kind
        and deed.pair is other.pair
        and deed.receiver == other.receiver
        and isinstance(other.node, ast.Call)
        and last_name(other.node.func) == other.spelling
    )


def _share(one: Function, two: Function, receiver: Term) -> bool:
    """Whether a receiver written alike in two functions is one object: one of them holds the other, or they are
    methods of one class and it belongs to `self`.
    """
    if one.node is two.node or is_nested_in(one, two.node) or is_nested_in(two, one.node):
        return True
    while receiver and receiver[0] in ("attr", "item"):
        receiver = receiver[1]
    return receiver == ("name", "self") and one.owner is not None and one.owner is two.owner


def _unused_values(function: Function) -> Iterator[ast.expr]:
    """Expressions whose value goes nowhere: statements of their own, and names that are never read."""
    read = {node.id for node in walk(function.node) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    for node in own_nodes(function.body):
        match node:
            case ast.Expr(value=value):
                yield value
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name not in read:
                yield value
