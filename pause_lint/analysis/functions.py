"""The functions of a module: where each stands, what it belongs to, and which of them are worth a closer look.

A function is worth it if the text of its lines holds a word of the vocabulary; nothing else of the module is visited
in depth.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pause_lint.analysis.syntax import blocks, children
from pause_lint.module import Module
from pause_lint.pairs import Vocabulary

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Function(NamedTuple):
    """A function, or a module's own statements (`node` is then the module).

    name: qualified, without the module. owner: the class it is a method of. parent: the function it is nested in.
    """

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Module
    name: str
    owner: ast.ClassDef | None = None
    parent: Function | None = None

    @property
    def short(self) -> str:
        """The last part of the qualified name."""
        return self.name.rpartition(".")[2]

    @property
    def lines(self) -> tuple[int, int]:
        """Its first and its last line, decorators apart."""
        node = self.node
        if isinstance(node, ast.Module):
            return 1, node.body[-1].end_lineno or 1 if node.body else 1
        return node.lineno, node.end_lineno or node.lineno

    @property
    def body(self) -> Sequence[ast.stmt]:
        """Its statements."""
        return self.node.body


def mentioned_lines(module: Module, vocabulary: Vocabulary) -> list[int]:
    """The lines, in order, whose text holds a word that pauses or resumes."""
    return module.lines_with_any(vocabulary.words)


def functions(module: Module, lines: list[int]) -> Iterator[Function]:
    """Every function that spans one of `lines`, outer ones first; last the module itself."""
    root = Function(module.tree, "<module>")
    stack: list[tuple[Sequence[ast.stmt], str, ast.ClassDef | None, Function | None]] = [
        (module.tree.body, "", None, None)
    ]
    while stack:
        body, prefix, owner, parent = stack.pop()
        for statement in body:
            if not spans(lines, statement):
                continue
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                function = Function(statement, prefix + statement.name, owner, parent)
                yield function
                stack.append((statement.body, prefix + statement.name + ".", None, function))
            elif isinstance(statement, ast.ClassDef):
                stack.append((statement.body, prefix + statement.name + ".", statement, parent))
            else:
                stack.extend((inner, prefix, owner, parent) for inner in blocks(statement))
    yield root


def spans(lines: list[int], statement: ast.stmt) -> bool:
    """Whether a statement goes over one of `lines`, which are in order."""
    place = bisect_left(lines, statement.lineno)
    return place < len(lines) and lines[place] <= (statement.end_lineno or statement.lineno)


def nodes_on(module: Module, words: Sequence[str]) -> Iterator[ast.AST]:
    """The nodes of the statements whose lines mention one of `words`, outer ones first."""
    lines = module.lines_with_any(words)
    stack: list[ast.AST] = list(reversed(module.tree.body)) if lines else []
    while stack:
        node = stack.pop()
        if not isinstance(node, ast.stmt) or spans(lines, node):
            yield node
            stack += reversed(children(node))


def parameters(node: ast.AST) -> frozenset[str]:
    """The names of a function's parameters; a module has none."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return frozenset()
    given = node.args
    single = [argument for argument in (given.vararg, given.kwarg) if argument is not None]
    return frozenset(argument.arg for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs, *single))


def defaults(arguments: ast.arguments) -> dict[str, ast.expr]:
    """The defaults of parameters by name."""
    plain = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    found = dict(zip(plain[len(plain) - len(arguments.defaults) :], arguments.defaults, strict=True))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is not None:
            found[argument.arg] = default
    return found


def is_nested_in(function: Function, node: ast.AST) -> bool:
    """Whether a function is nested in the one whose syntax is `node`."""
    current = function.parent
    while current is not None:
        if current.node is node:
            return True
        current = current.parent
    return False
