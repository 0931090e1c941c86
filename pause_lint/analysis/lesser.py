"""The rules that need no paths: coroutines nobody awaits (PR004) and resumes whose failure is swallowed (PR005)."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from pause_lint.analysis.conducts import View
from pause_lint.analysis.functions import Function
from pause_lint.analysis.guards import last_name
from pause_lint.analysis.syntax import own_nodes, walk
from pause_lint.analysis.witness import short, span
from pause_lint.finding import Finding, Step
from pause_lint.pairs import plain_name


def unawaited(view: View) -> Iterator[Finding]:
    """PR004: coroutines of the pair that are made and dropped."""
    for conduct in view.conducts:
        for deed in conduct.dropped:
            verb = "resumes" if deed.kind == "resume" else "pauses"
            message = f"{short(deed.node)} makes a coroutine that nobody awaits: it {verb} nothing"
            place = span(view.module, deed.node)
            text, name = "the coroutine is made here and dropped", conduct.function.name
            step = Step(view.module.path, place.line, place.column, text, "", name)
            yield Finding("PR004", "not-awaited", message, view.module.path, place, name, (step,))


def swallowed(view: View) -> Iterator[Finding]:
    """PR005: resumes whose own failure is suppressed or only logged."""
    for conduct in view.conducts:
        if not conduct.resumes:
            continue
        for line, body in _swallowing(conduct.function):
            inside = {id(node) for statement in body for node in walk(statement)}
            for deed in conduct.resumes:
                if id(deed.node) not in inside or plain_name(conduct.function.short) in deed.pair.resumes:
                    continue
                place = span(view.module, deed.node)
                message = (
                    f"a failure of {short(deed.node)} is swallowed on line {line}: "
                    f"{deed.pair.noun} stays paused in silence"
                )
                text, name = "if this resume fails, nothing says so", conduct.function.name
                step = Step(view.module.path, place.line, place.column, text, "", name)
                yield Finding("PR005", "swallowed", message, view.module.path, place, name, (step,))


def _swallowing(function: Function) -> Iterator[tuple[int, Sequence[ast.stmt]]]:
    """Blocks whose failures go no further, and the line that sees to it."""
    for node in own_nodes(function.body):
        if isinstance(node, ast.Try):
            for handler in node.handlers:
                broad = handler.type is None or last_name(handler.type) in ("Exception", "BaseException")
                if broad and not any(isinstance(part, ast.Raise) for part in own_nodes(handler.body)):
                    yield handler.lineno, node.body
        elif isinstance(node, ast.With):
            managers = [item.context_expr for item in node.items]
            if any(_suppresses_all(manager) for manager in managers):
                yield node.lineno, node.body


def _suppresses_all(manager: ast.expr) -> bool:
    return (
        isinstance(manager, ast.Call)
        and last_name(manager.func) == "suppress"
        and any(last_name(arg) in ("Exception", "BaseException") for arg in manager.args)
    )
