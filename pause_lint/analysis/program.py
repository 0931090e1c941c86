"""The program as a whole: every module's functions, followed one by one, and what is found.

The one entry of the analysis. Selection, suppression and order are the business of what calls it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pause_lint.analysis import graph as g
from pause_lint.analysis import ownership
from pause_lint.analysis.build import build, own_nodes
from pause_lint.analysis.events import Deed, Events
from pause_lint.analysis.flow import Followed, undoes
from pause_lint.analysis.functions import Function, classes, functions, mentioned_lines
from pause_lint.analysis.guards import Terms, last_name
from pause_lint.analysis.ownership import Conduct, Surroundings
from pause_lint.analysis.witness import finding, follow_pause, span
from pause_lint.config import Options
from pause_lint.finding import Finding, Step
from pause_lint.pairs import Vocabulary, plain_name
from pause_lint.tree import Module


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the analysis of some modules came to: findings as they occur, and what was given up."""

    findings: tuple[Finding, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """One pause of one function with everything known about it: what `fixing` plans from."""

    module: Module
    function: Function
    graph: g.Graph
    site: int
    followed: Followed
    finding: Finding

    @property
    def deed(self) -> Deed:
        """The pause."""
        deed: Deed = self.graph.nodes[self.site].arg
        return deed


def check_modules(modules: Sequence[Module], options: Options) -> list[Finding]:
    """The findings of all rules in `modules`, unordered, before selection and suppression."""
    return list(analyse(modules, options).findings)


def analyse(modules: Sequence[Module], options: Options) -> Outcome:
    """Like `check_modules`, with what was given up."""
    found: list[Finding] = []
    notes: list[str] = []
    for module in modules:
        view = _View(module, options)
        found += [case.finding for case in view.cases(notes)]
        found += view.unawaited()
        found += view.swallowed()
    return Outcome(tuple(found), tuple(notes))


def cases(module: Module, options: Options) -> list[Case]:
    """The pauses of one module that get away, for planning their fixes."""
    return list(_View(module, options).cases([]))


class _View:
    """One module under analysis."""

    def __init__(self, module: Module, options: Options) -> None:
        self.module = module
        self.vocabulary = Vocabulary.of(options.pairs)
        self.terms = Terms(options.stable_calls)
        self.include_tests = options.include_tests
        self.lines = mentioned_lines(module, self.vocabulary)
        self.functions = list(functions(module, self.lines)) if self.lines else []
        self.events = Events(self.vocabulary, self.terms, options.quiet_calls)
        self.conducts = [self._conduct(function) for function in self.functions]
        self.lost = self._find_unawaited() if self.functions else {}
        if self.lost:
            self.events = replace_dead(self.events, frozenset(id(deed.node) for _, deed in self.lost.values()))
            self.conducts = [self._conduct(function) for function in self.functions]

    def _conduct(self, function: Function) -> Conduct:
        pauses: list[Deed] = []
        resumes: list[Deed] = []
        for deed in self._deeds(function.body):
            (pauses if deed.kind == "pause" else resumes).append(deed)
        return Conduct(function, tuple(pauses), tuple(resumes))

    def _deeds(self, body: Sequence[ast.AST]) -> Iterator[Deed]:
        """The outermost deeds of a body; those inside the arguments of another are part of it."""
        stack: list[ast.AST] = list(reversed(body))
        while stack:
            node = stack.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            if isinstance(node, ast.stmt) and not self._mentioned(node):
                continue
            if isinstance(node, ast.Await | ast.Call):
                deed = self.events.deed(node, {})
                if deed is not None:
                    yield deed
                    continue
            stack += reversed(list(ast.iter_child_nodes(node)))

    def _mentioned(self, node: ast.stmt) -> bool:
        end = node.end_lineno or node.lineno
        return any(node.lineno <= line <= end for line in self.lines)

    # -- PR001 to PR003 ------------------------------------------------------------------------------------------------

    def cases(self, notes: list[str]) -> Iterator[Case]:
        """Every pause of the module that gets away."""
        pausing = [conduct for conduct in self.conducts if conduct.pauses]
        if not pausing:
            return
        around = Surroundings(self.module, tuple(self.conducts))
        hierarchy = classes(self.module)
        graphs: dict[int, g.Graph] = {}
        for conduct in self.conducts:
            function = conduct.function
            if not self._concerns(conduct) or (ownership.is_test(function) and not self.include_tests):
                continue
            try:
                graphs[id(function.node)] = build(function.node, function.body, self.events, hierarchy)
            except RecursionError:
                notes.append(f"{self.module.path}: {function.name} is nested too deep and was not analysed")
        for conduct in self.conducts:
            graph = graphs.get(id(conduct.function.node))
            if graph is not None:
                yield from self._followed(conduct, graph, graphs, around, notes)

    def _concerns(self, conduct: Conduct) -> bool:
        """Whether the function pauses, itself or through a function nested in it."""
        if conduct.pauses:
            return True
        return any(other.function.parent is conduct.function and other.pauses for other in self.conducts)

    def _followed(
        self, conduct: Conduct, graph: g.Graph, graphs: dict[int, g.Graph], around: Surroundings, notes: list[str]
    ) -> Iterator[Case]:
        function = conduct.function
        done: set[int] = set()
        for site in graph.deeds("pause"):
            deed: Deed = graph.nodes[site].arg
            if id(deed.node) in done:
                continue
            done.add(id(deed.node))
            takes = ownership.resumes_itself(conduct, deed) or any(
                undoes(graph.nodes[other].arg, deed) for other in graph.deeds("resume")
            )
            if not takes and ownership.is_excused(conduct, deed, around):
                continue
            if not takes and self._run_by_parent(function, deed, graphs):
                continue
            if takes and ownership.is_resting_state(graph, deed, self.events):
                continue
            followed = follow_pause(graph, site)
            if followed.given_up:
                notes.append(
                    f"{self.module.path}:{deed.node.lineno}: too many paths in {function.name}; this pause was given up"
                )
            leaks = followed.leaks
            if function.short in ("__enter__", "__aenter__") and not takes:
                leaks = tuple(leak for leak in leaks if leak.thrown is not None)
            if leaks:
                followed = replace(followed, leaks=leaks)
                yield Case(
                    self.module, function, graph, site, followed, finding(self.module, function, graph, site, followed)
                )

    def _run_by_parent(self, function: Function, deed: Deed, graphs: dict[int, g.Graph]) -> bool:
        """Whether the function is nested in one that runs it and resumes: then that one has the duty."""
        parent = function.parent
        graph = graphs.get(id(parent.node)) if parent is not None else None
        if graph is None or id(function.node) not in graph.inlined:
            return False
        return any(undoes(graph.nodes[other].arg, deed) for other in graph.deeds("resume"))

    # -- PR004 ---------------------------------------------------------------------------------------------------------

    def _find_unawaited(self) -> dict[int, tuple[Conduct, Deed]]:
        """Deeds whose coroutine nobody runs, by the identity of their call."""
        awaited = [
            deed
            for conduct in self.conducts
            for deed in (*conduct.pauses, *conduct.resumes)
            if deed.awaited and not deed.bare
        ]
        coroutines = _coroutine_names(self.module.text) if "async def" in self.module.text else frozenset()
        lost: dict[int, tuple[Conduct, Deed]] = {}
        for conduct in self.conducts:
            suspects = [
                deed
                for deed in (*conduct.pauses, *conduct.resumes)
                if deed.bare
                and (deed.spelling in coroutines or any(self._is_other_half(deed, other) for other in awaited))
            ]
            dropped = {id(value) for value in _dropped_values(conduct.function)} if suspects else set()
            lost.update((id(deed.node), (conduct, deed)) for deed in suspects if id(deed.node) in dropped)
        return lost

    def _is_other_half(self, deed: Deed, other: Deed) -> bool:
        if other.kind == deed.kind or deed.pair is not other.pair:
            return False
        return (
            deed.receiver == other.receiver
            and isinstance(other.node, ast.Call)
            and isinstance(other.node.func, ast.Attribute | ast.Name)
        )

    def unawaited(self) -> Iterator[Finding]:
        """PR004: coroutines of the pair that are made and dropped."""
        for conduct, deed in self.lost.values():
            text = f"{ast.unparse(deed.node)}"
            verb = "resumes" if deed.kind == "resume" else "pauses"
            message = f"{text.split('(')[0]}() makes a coroutine that nobody awaits: it {verb} nothing"
            place = span(self.module, deed.node)
            step = Step(self.module.path, place.line, place.column, "the coroutine is made here and dropped")
            yield Finding("PR004", "not-awaited", message, self.module.path, place, conduct.function.name, (step,))

    # -- PR005 ---------------------------------------------------------------------------------------------------------

    def swallowed(self) -> Iterator[Finding]:
        """PR005: resumes whose own failure is suppressed or only logged."""
        for conduct in self.conducts:
            if not conduct.resumes:
                continue
            for swallower, body in _swallowing(conduct.function):
                inside = {id(node) for statement in body for node in ast.walk(statement)}
                for deed in conduct.resumes:
                    if id(deed.node) not in inside or plain_name(conduct.function.short) in deed.pair.resumes:
                        continue
                    place = span(self.module, deed.node)
                    message = f"a failure of {ast.unparse(deed.node).split('(')[0]}() is swallowed on line {swallower}: {deed.pair.noun} stays paused in silence"
                    step = Step(self.module.path, place.line, place.column, "if this resume fails, nothing says so")
                    yield Finding(
                        "PR005", "swallowed", message, self.module.path, place, conduct.function.name, (step,)
                    )


def replace_dead(events: Events, dead: frozenset[int]) -> Events:
    """`events` that sees no deed in the calls of these identities."""
    return Events(events.vocabulary, events.terms, events.quiet_calls, dead)


_DEFINITION = re.compile(r"^[ \t]*(async[ \t]+)?def[ \t]+(\w+)", re.MULTILINE)


def _coroutine_names(text: str) -> frozenset[str]:
    """Names that the source defines, and only as `async def`."""
    found: dict[str, bool] = {}
    for match in _DEFINITION.finditer(text):
        found[match[2]] = found.get(match[2], True) and match[1] is not None
    return frozenset(name for name, asynchronous in found.items() if asynchronous)


def _dropped_values(function: Function) -> Iterator[ast.expr]:
    """Expressions whose value goes nowhere: statements of their own, and names that are never read."""
    read = {
        node.id for node in ast.walk(function.node) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    for node in own_nodes(function.body):
        match node:
            case ast.Expr(value=value):
                yield value
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name not in read:
                yield value


def _swallowing(function: Function) -> Iterator[tuple[int, Sequence[ast.stmt]]]:
    """Blocks whose failures go no further, and the line that sees to it."""
    for node in own_nodes(function.body):
        if isinstance(node, ast.Try):
            for handler in node.handlers:
                broad = handler.type is None or last_name(handler.type) in ("Exception", "BaseException")
                if broad and not any(isinstance(part, ast.Raise) for part in own_nodes(handler.body)):
                    yield handler.lineno, node.body
        elif isinstance(node, ast.With):
            for item in node.items:
                manager = item.context_expr
                if isinstance(manager, ast.Call) and last_name(manager.func) == "suppress":
                    if any(last_name(arg) in ("Exception", "BaseException") for arg in manager.args):
                        yield node.lineno, node.body
