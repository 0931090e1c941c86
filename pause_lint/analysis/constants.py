"""Texts that modules bind to names and that say what pauses or resumes: `PAUSE = "pause_generation"`, tables of such.

Answers for each place where such a name is read, in its own module or in one that imports it, what it stands for.
What the texts mean is the business of `events`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from pause_lint.analysis.functions import DEFINITIONS, mentioned_lines, parameters, spans
from pause_lint.analysis.index import imports
from pause_lint.analysis.syntax import children, own_nodes
from pause_lint.analysis.texts import stem_of
from pause_lint.module import Module
from pause_lint.pairs import Vocabulary

Values = Mapping[str, ast.expr]


class Constants(NamedTuple):
    """values: what names stand for, by the identity of the expressions that read them. lines: where those stand, by
    the path of their module. names: those of the constants, each with the modules that have one.
    """

    values: Mapping[int, ast.expr]
    lines: Mapping[str, Sequence[int]]
    names: Mapping[str, frozenset[str]]


def constants(modules: Sequence[Module], vocabulary: Vocabulary, tells: Callable[[ast.expr], bool]) -> Constants:
    """The constants of `modules`. `tells`: whether an expression says, as a text, what may pause or resume."""
    offered: dict[str, list[tuple[Module, ast.expr]]] = {}
    for module in modules:
        for name, value in _defined(module, vocabulary, tells).items():
            offered.setdefault(name, []).append((module, value))
    values: dict[int, ast.expr] = {}
    lines: dict[str, list[int]] = {}
    for module in modules if offered else ():
        known = _reached(module, offered)
        mentioned = sorted({line for name in known for line in module.lines_with(name.rpartition(".")[2], alone=True)})
        for node in _read(module.tree.body, known, mentioned, frozenset()):
            values[id(node)] = known[ast.unparse(node)]
            lines.setdefault(module.path, []).append(node.lineno)
    names = {name: frozenset(stem_of(module) for module, _ in found) for name, found in offered.items()}
    return Constants(values, {path: sorted(set(found)) for path, found in lines.items()}, names)


def _defined(module: Module, vocabulary: Vocabulary, tells: Callable[[ast.expr], bool]) -> dict[str, ast.expr]:
    """The constants of one module, by name; those that are bound more than once are none."""
    lines = mentioned_lines(module, vocabulary)
    found: dict[str, ast.expr] = {}
    while lines:
        new: dict[str, ast.expr] = {}
        for statement in module.tree.body:
            match statement:
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=value)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                ) if name not in found and spans(lines, statement):
                    filled = _filled(value, found)
                    if any(tells(part) for part in _texts(filled)):
                        new[name] = filled
        found |= new
        lines = sorted({line for name in new for line in module.lines_with(name, alone=True)})
    stored = [
        node.id
        for statement in (module.tree.body if found else ())
        if not isinstance(statement, DEFINITIONS)
        for node in own_nodes([statement])
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    return {name: value for name, value in found.items() if stored.count(name) == 1}


def _filled(value: ast.expr, known: Values) -> ast.expr:
    """A table with the constants in it replaced by what they stand for."""
    match value:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return ast.copy_location(ast.Tuple(elts=[_filled(part, known) for part in parts], ctx=ast.Load()), value)
        case ast.Name(id=name):
            return known.get(name, value)
    return value


def _texts(value: ast.expr) -> Iterator[ast.expr]:
    """The texts in a value that is one, or a table of some."""
    match value:
        case ast.Tuple(elts=parts):
            for part in parts:
                yield from _texts(part)
        case ast.Constant() | ast.JoinedStr():
            yield value


def _reached(module: Module, offered: Mapping[str, Sequence[tuple[Module, ast.expr]]]) -> dict[str, ast.expr]:
    """What a module can read, by what it is called there: `PAUSE`, `names.PAUSE`."""
    found: dict[str, ast.expr] = {}
    local = {real: alias for alias, real in module.aliases.items()}
    for name, several in offered.items():
        if not module.holds_any([name]):
            continue
        own = [value for other, value in several if other is module]
        imported = [value for other, value in several if other is not module and imports(module, name, other)]
        if own or len(imported) == 1:
            found[name if own else local.get(name, name)] = (own or imported)[0]
        for other, value in several:
            stem = stem_of(other)
            if other is not module and (stem in module.imported_modules or module.imported_from(stem)):
                found[f"{local.get(stem, stem)}.{name}"] = value
    return found


def _read(
    body: Sequence[ast.AST], known: Values, lines: list[int], hidden: frozenset[str]
) -> Iterator[ast.Name | ast.Attribute]:
    """The places at which one of the names in `known` is read; `hidden`: names that mean something else there."""
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.stmt) and not spans(lines, node):
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _read(node.body, known, lines, hidden | _bound(node, known))
            continue
        match node:
            case ast.Name(id=name, ctx=ast.Load()) if name in known and name not in hidden:
                yield node
            case ast.Attribute(value=ast.Name(id=owner), attr=attr) if f"{owner}.{attr}" in known:
                if owner not in hidden:
                    yield node
            case _:
                stack += children(node)


def _bound(node: ast.FunctionDef | ast.AsyncFunctionDef, names: Collection[str]) -> frozenset[str]:
    """Those of `names`, or of their owners, that a function binds itself."""
    stored = {
        part.id for part in own_nodes(node.body) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    first = {name.partition(".")[0] for name in names}
    return frozenset(first & (stored | parameters(node)))
