"""What a function binds that can be called or registered on, and which of its expressions need a closer look.

A quick look at words, before `build` lays any nodes. Nothing here decides what leaks.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from copy import copy

from pause_lint.analysis.callables import returned_function
from pause_lint.analysis.events import REGISTRARS, Events, unpacked
from pause_lint.analysis.guards import last_name
from pause_lint.analysis.syntax import children, own_nodes, walk
from pause_lint.pairs import plain_name

SILENT = frozenset({ast.Attribute, ast.Constant, ast.keyword, ast.Subscript, ast.JoinedStr, ast.FormattedValue})
"""Most nodes are of these kinds: they raise nothing and bind nothing."""

_MANAGERS = {
    "suppress": "suppress",
    "nullcontext": "null",
    "ThreadPoolExecutor": "null",  # what fails in its threads is raised where their results are asked for
    "ExitStack": "stack",
    "AsyncExitStack": "stack",
}
_ENTERING = ("enter_context", "enter_async_context")


class LocalNames:
    """The names of one function.

    callables: local functions, lambdas and bound methods by name. bindings: how often a name is bound. stacks: the
    names of exit stacks that a `with` enters. registered: by the text of a stack the calls that register
    something on it. closures: what the functions that a local function returns are given through its parameters, by
    the identity of what `resolved` gives for them.
    """

    def __init__(self, body: Sequence[ast.stmt], events: Events) -> None:
        self.events = events
        self.words = events.vocabulary.words
        self.callables: dict[str, list[ast.AST]] = {}
        self.closures: dict[int, dict[str, ast.expr]] = {}
        self._made: dict[tuple[int, int], ast.AST | None] = {}
        self._given: dict[str, list[tuple[ast.Call, int]]] = {}
        self.bindings: dict[str, int] = {}
        self.stacks: set[str] = set()
        self.registered: dict[str, list[ast.Call]] = {}
        self.marked: dict[int, bool] = {}
        self.bodies: dict[int, bool] = {}
        for node in own_nodes(body):
            if type(node) in SILENT:
                continue
            match node:
                case ast.Name(id=name, ctx=ast.Store()):
                    self.bindings[name] = self.bindings.get(name, 0) + 1
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    self.callables.setdefault(name, []).append(node)
                    self.bindings[name] = self.bindings.get(name, 0) + 1
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=value)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                ):
                    self._scan_value(name, value)
                case ast.Assign(targets=[ast.Tuple(elts=targets) | ast.List(elts=targets)], value=ast.Call() as call):
                    for place, target in enumerate(targets):
                        if isinstance(target, ast.Name):
                            self._given.setdefault(target.id, []).append((call, place))
                case ast.Assign(targets=[ast.Tuple() | ast.List() as target], value=value):
                    for name, part in unpacked(target, value):
                        self._scan_value(name, part)
                case ast.withitem(context_expr=value, optional_vars=target):
                    if isinstance(value, ast.Name):
                        self.stacks.add(value.id)
                    if manager_kind(value) == "stack" and isinstance(target, ast.Name):
                        self.stacks.add(target.id)
                case ast.Call(func=ast.Attribute(value=owner, attr=attr)):
                    if attr in _ENTERING or events.registers(node):
                        if node.args:
                            self.registered.setdefault(ast.unparse(owner), []).append(node)
                    elif attr in ("close", "aclose", "pop_all") and isinstance(owner, ast.Name):
                        self.marked[id(node)] = True
        self.local_stacks = self._local_stacks(body)
        for sites in self.registered.values():
            sites.sort(key=lambda site: (site.lineno, site.col_offset))

    def _local_stacks(self, body: Sequence[ast.stmt]) -> frozenset[str]:
        """The exit stacks that the function makes, enters with no `with`, and hands to nobody: they are left only by a
        call.
        """
        made = {name for name in self.registered if name in self.events.stacks and name not in self.stacks}
        if not made:
            return frozenset()
        every = [node for statement in body for node in walk(statement)]
        owners = {id(node.value) for node in every if isinstance(node, ast.Attribute)}
        handed_on = {
            node.id
            for node in every
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in owners
        }
        return frozenset(made - handed_on)

    def _scan_value(self, name: str, value: ast.expr) -> None:
        match value:
            case ast.IfExp(body=one, orelse=two):
                self._scan_value(name, one)
                self._scan_value(name, two)
            case ast.Lambda() | ast.Attribute() | ast.Name():
                self.callables.setdefault(name, []).append(value)
            case ast.Call(func=func) if last_name(func) == "partial":
                self.callables.setdefault(name, []).append(value)
            case ast.Call():
                self._given.setdefault(name, []).append((value, -1))

    def speak(self, node: ast.AST) -> bool:
        """Whether an expression holds anything that matters here beyond raising: a quick look at its words."""
        known = self.marked.get(id(node))
        if known is not None:
            return known
        found = False
        stack: list[ast.AST] = [node]
        while stack and not found:
            part = stack.pop()
            if isinstance(part, ast.Attribute):
                found = self._says(part.attr) or id(part) in self.events.constants
            elif isinstance(part, ast.Name):
                name = part.id
                found = (
                    self._says(name)
                    or name in self.events.texts
                    or name in self.events.turning
                    or id(part) in self.events.constants
                    or self.matter(name)
                )
            elif isinstance(part, ast.Constant):
                text = part.value
                found = isinstance(text, str) and any(word in text for word in self.words)
            elif isinstance(part, ast.Call):
                found = id(part) in self.events.implied or id(part) in self.events.inlined
            elif isinstance(part, ast.NamedExpr | ast.Lambda):
                found = True
            elif isinstance(part, ast.IfExp):
                found = _acts(part.body) or _acts(part.orelse)
            elif isinstance(part, ast.BoolOp):
                found = any(_acts(value) for value in part.values[1:])
            stack += children(part)
        self.marked[id(node)] = found or self.marked.get(id(node), False)
        return found

    def _says(self, name: str) -> bool:
        """Whether a name pauses, resumes or registers something to be called later."""
        plain = plain_name(name)
        vocabulary = self.events.vocabulary
        return plain in vocabulary.pausing or plain in vocabulary.resuming or name in REGISTRARS or name in _ENTERING

    def matter(self, name: str, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a local callable of this name pauses or resumes."""
        if name in seen or not (name in self.callables or name in self._given):
            return False
        return any(self._callable_matters(value, seen | {name}) for value in self._values(name))

    def _callable_matters(self, value: ast.AST, seen: frozenset[str]) -> bool:
        if isinstance(value, ast.Name):
            return self.matter(value.id, seen)
        if isinstance(value, ast.Attribute | ast.Call):
            return self.events.reference(value, {}) is not None
        key = id(value)
        if key not in self.bodies:
            self.bodies[key] = False
            body: list[ast.AST] = [value.body] if isinstance(value, ast.Lambda) else list(getattr(value, "body", []))
            self.bodies[key] = any(
                (isinstance(node, ast.Call) and self.events.deed(node, {}) is not None)
                or (isinstance(node, ast.Name) and self.matter(node.id, seen))
                or isinstance(node, ast.Nonlocal)
                for node in own_nodes(body)
            )
        return self.bodies[key]

    def resolved(self, name: str, seen: frozenset[str] = frozenset()) -> list[ast.AST]:
        found: list[ast.AST] = []
        for value in self._values(name):
            if isinstance(value, ast.Name):
                if value.id not in seen:
                    found += self.resolved(value.id, seen | {name})
            elif value not in found:
                found.append(value)
        return found

    def _values(self, name: str) -> list[ast.AST]:
        """What a name is bound to that can be called."""
        made = (self._closure(call, place) for call, place in self._given.get(name, ()))
        return [*self.callables.get(name, ()), *(value for value in made if value is not None)]

    def _closure(self, call: ast.Call, place: int) -> ast.AST | None:
        """The function that a call of a local one gives, or at `place` among what it gives, as one that takes what
        that takes; None if it has arguments of its own, or if more is done to make it.
        """
        key = (id(call), place)
        if key not in self._made:
            self._made[key] = None
            makers = self.callables.get(call.func.id, []) if isinstance(call.func, ast.Name) else []
            if len(makers) == 1 and isinstance(makers[0], ast.FunctionDef):
                maker = makers[0]
                made = returned_function(maker, place)
                if made is not None:
                    names = [argument.arg for argument in (*maker.args.posonlyargs, *maker.args.args)]
                    given = dict(zip(names, call.args, strict=False))
                    given.update({keyword.arg: keyword.value for keyword in call.keywords if keyword.arg})
                    whole = copy(made)
                    whole.args = maker.args
                    self._made[key] = whole
                    self.closures[id(whole)] = given
        return self._made[key]


def manager_kind(node: ast.expr) -> str:
    """What kind of context manager an expression makes: suppress, null, stack or unknown."""
    name = last_name(node.func) if isinstance(node, ast.Call) else ""
    return _MANAGERS.get(name, "unknown")


def _acts(node: ast.expr) -> bool:
    """Whether evaluating an expression can do more than give a value."""
    return any(isinstance(part, ast.Call | ast.Await | ast.Yield | ast.YieldFrom) for part in walk(node))
