"""How a resume is spelt: as the project spells it, as the function spells it, or after the form of the pause."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pause_lint.analysis.events import Deed
from pause_lint.analysis.functions import parameters
from pause_lint.analysis.guards import Term, last_name
from pause_lint.analysis.program import Case
from pause_lint.analysis.syntax import walk
from pause_lint.fixing.acts import Act, Scene
from pause_lint.fixing.names import names
from pause_lint.module import Module
from pause_lint.pairs import plain_name

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Known(NamedTuple):
    """How a project resumes what a pause pauses.

    names: of the resumes that it calls on the receiver, most frequent first. receiver: as source. given: the arguments
    to write; None if the project gives others than the pause has. awaited: whether it awaits the first of them.
    """

    names: tuple[str, ...] = ()
    receiver: str = ""
    given: str | None = ""
    awaited: bool = False


class _Use(NamedTuple):
    """An attribute of something: what has it as source, the last name of that, and whether a call of it is awaited."""

    receiver: str
    last: str
    attr: str
    awaited: bool


class Spellings:
    """How the modules of a tree resume, receiver by receiver; each is looked through once."""

    def __init__(self) -> None:
        """Nothing is looked through before it is asked for."""
        self._spoken: dict[str, list[_Use]] = {}

    def of(self, case: Case) -> Known:
        """How the module resumes the receiver of a pause.

        If it does not, how the rest of the tree resumes a receiver of the same last name.
        """
        for text in _receivers(case.deed):
            uses = self._uses(case, text)
            if uses:
                counted = Counter(use.attr for use in uses)
                names = tuple(attr for attr, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0])))
                awaited = any(use.awaited for use in uses if use.attr == names[0])
                return Known(names, text, _given(case.module, case.deed.node, text, names[0]), awaited)
        return Known()

    def _uses(self, case: Case, text: str) -> list[_Use]:
        """The resumes of a pause that are called on the receiver `text`."""
        name, pair = text.rpartition(".")[2], case.deed.pair.resumes
        own = [use for use in self._in(case.module) if use.receiver == text and plain_name(use.attr) in pair]
        if own or not name.isidentifier() or name == "self":
            return own
        return [
            use
            for module in case.program.modules
            if module is not case.module and any(word in module.text for word in pair)
            for use in self._in(module)
            if use.last == name and plain_name(use.attr) in pair
        ]

    def _in(self, module: Module) -> list[_Use]:
        """The attributes of a module."""
        if module.path not in self._spoken:
            every = list(walk(module.tree))
            awaits = (part.value for part in every if isinstance(part, ast.Await))
            awaited = {id(value.func) for value in awaits if isinstance(value, ast.Call)}
            self._spoken[module.path] = [
                _Use(ast.unparse(part.value), last_name(part.value), part.attr, id(part) in awaited)
                for part in every
                if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name | ast.Attribute | ast.Subscript)
            ]
        return self._spoken[module.path]


def _receivers(deed: Deed) -> list[str]:
    """What may be resumed for a pause, as source: what has the method that pauses, then what that leads to."""
    node = deed.node
    if not isinstance(node, ast.Call):
        return []
    found = [called] if (called := _called_on(deed)) else []
    text = _source(deed.receiver) if deed.chain else None
    if text is not None and text.partition(".")[0] in names(node, ast.Load):
        found.append(text)
    return found


def _source(receiver: Term) -> str | None:
    match receiver:
        case ("name" | "var", str(name)) if name.isidentifier():
            return name
        case ("attr", inner, str(name)):
            text = _source(inner)
            return None if text is None else f"{text}.{name}"
    return None


def _given(module: Module, pause: ast.expr, receiver: str, name: str) -> str | None:
    """The arguments that the module gives the resume `name` of a receiver: none, or those that the pause has."""
    own = _arguments(pause) if isinstance(pause, ast.Call) else ""
    found = {
        _arguments(part)
        for part in walk(module.tree)
        if isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and part.func.attr == name
        and ast.unparse(part.func.value) == receiver
    }
    if not found or "" in found:
        return ""
    return own if found == {own} else None


def _arguments(call: ast.Call) -> str:
    return ", ".join(ast.unparse(part) for part in (*call.args, *call.keywords))


def chosen(pause: Act, known: Known) -> str:
    """The name of a resume to write: the one most used on the receiver, else the first of the pair."""
    return known.names[0] if known.names else min(pause.deed.pair.resumes)


def confidence(known: Known, name: str) -> tuple[bool, str]:
    """Whether a resume that is written anew can be trusted: the project must use it so on the same receiver."""
    if not known.names:
        return False, f"nothing in the project resumes this receiver; {name} is a guess"
    return known.given is not None, "" if known.given is not None else f"elsewhere {name} is given other arguments"


def answer(pause: Act, name: str, known: Known) -> str | None:
    """The resume `name` that answers a pause, in the pause's own form; None if that form cannot be copied.

    known: how the project resumes the receiver.
    """
    node = pause.deed.node
    spelling = pause.deed.spelling
    receivers = _receivers(pause.deed)
    receiver = known.receiver or "".join(receivers[-1:])
    # One method for both is told by its argument.
    given = known.given or ("False" if name in pause.deed.pair.pauses else "")
    if receiver and receiver != _called_on(pause.deed):
        # What runs a helper says nothing of how the resume itself is run.
        return f"{'await ' if known.awaited else ''}{receiver}.{name}({given})"
    if pause.deed.over is not None or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        text = ast.unparse(pause.statement) if isinstance(pause.statement, ast.Expr) else ""
        if not re.search(rf"\b{spelling}\b", text) or pause.deed.parts[1:]:
            return None
        return re.sub(rf"\b{spelling}\b(?:\([^()]*\))?", lambda match: name + ("()" if "(" in match[0] else ""), text)
    if node.func.attr == spelling or pause.deed.chain:
        call = f"{receiver}.{name}({given})"
    else:
        text = ast.unparse(node)
        if text.count(spelling) != 1:
            return None
        call = text.replace(spelling, name)
    if isinstance(pause.statement, ast.With | ast.AsyncWith):
        return f"{'async ' if isinstance(pause.statement, ast.AsyncWith) else ''}with {call}:\n    pass"
    return f"await {call}" if pause.deed.awaited and pause.is_awaited else call


def _called_on(deed: Deed) -> str:
    """What has the method that pauses, as source; empty for a function that is no method."""
    node = deed.node
    return ast.unparse(node.func.value) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""


def resume_text(scene: Scene, pauses: Sequence[Act]) -> str | None:
    """The resume as one statement of its own, after the example of one that is there.

    It runs only if one of `pauses` has, so the names that every one of them reads are bound then; other local names
    may not be.
    """
    function = scene.case.function.node
    local = set(scene.assigned) | {node.name for node in walk(function) if isinstance(node, _DEFINITIONS)}
    bound = names(pauses[0].statement, ast.Load)
    for act in pauses[1:]:
        bound &= names(act.statement, ast.Load)
    unbound = local - bound - parameters(function)
    return next((text for text in _examples(scene) if not names(ast.parse(text), ast.Load) & unbound), None)


def _examples(scene: Scene) -> Iterator[str]:
    for act in scene.resumes:
        if scene.is_pure(act) and not act.is_looped:
            yield ast.unparse(act.statement)
    inside = {id(node) for node in walk(scene.case.function.node)}
    for act in scene.resumes:
        node = act.deed.node
        if (
            not act.registers
            and id(node) in inside
            and act.deed.over is None
            and isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
        ):
            text = ast.unparse(node)
            yield f"await {text}" if act.is_awaited else text
    for act in scene.resumes:
        taking = isinstance(act.deed.node, ast.Call) and (act.deed.node.args or act.deed.node.keywords)
        own = scene.pauses[0].deed.node
        given = _arguments(own) if taking and isinstance(own, ast.Call) else ""
        source = answer(scene.pauses[0], act.deed.spelling, Known(given=given, awaited=act.deed.awaited))
        if source is not None:
            yield source
