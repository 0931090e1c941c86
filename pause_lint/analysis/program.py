"""The program as a whole: effects over the tree, every pausing function followed, and what is found.

The one entry of the analysis. Selection, suppression and order are the business of what calls it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from operator import attrgetter
from typing import NamedTuple

from pause_lint.analysis import graph as g
from pause_lint.analysis import holding, lesser, ownership
from pause_lint.analysis.anatomy import Anatomies
from pause_lint.analysis.build import build
from pause_lint.analysis.conducts import View, coroutine_names, view
from pause_lint.analysis.constants import constants
from pause_lint.analysis.duty import Duty
from pause_lint.analysis.effects import Effects, Link, Summary
from pause_lint.analysis.events import REGISTRARS, Deed, Events, Target, is_fan_out
from pause_lint.analysis.exceptions import Hierarchy
from pause_lint.analysis.flow import Followed, undoes
from pause_lint.analysis.functions import Function, is_nested_in
from pause_lint.analysis.guards import Terms, last_name
from pause_lint.analysis.index import Index
from pause_lint.analysis.ownership import Conduct, Surroundings
from pause_lint.analysis.resting import Resting
from pause_lint.analysis.syntax import own_nodes, walk
from pause_lint.analysis.witness import finding, follow_pause
from pause_lint.config import Options
from pause_lint.finding import Finding
from pause_lint.module import Module
from pause_lint.pairs import Vocabulary
from pause_lint.sources import MOUNTING, Words

MAX_GROWTH = 8

Grow = Callable[[Words, frozenset[tuple[str, str]]], Sequence[Module]]
"""Given words, all modules of the tree that hold one of them or of the vocabulary; and given imports, with the path of
the file that has each, the modules that are meant.
"""


class Outcome(NamedTuple):
    """What the analysis of some modules came to: findings as they occur, and what was given up.

    modules: those that were analysed, with what effects reach.
    """

    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    modules: Sequence[Module] = ()


class Case(NamedTuple):
    """One pause of one function with everything known about it: what `fixing` plans from."""

    program: Program
    module: Module
    function: Function
    graph: g.Graph
    site: int
    followed: Followed
    finding: Finding
    may_return: bool = False
    """Whether another function resumes after this one has returned."""

    @property
    def deed(self) -> Deed:
        """The pause."""
        deed: Deed = self.graph.nodes[self.site].arg
        return deed


def check_modules(modules: Sequence[Module], options: Options) -> list[Finding]:
    """The findings of all rules in `modules`, unordered, before selection and suppression."""
    return list(analyse(modules, options).findings)


Told = Callable[[Case], Finding]
"""Puts a case as a finding."""

Seen = Callable[[str], None]
"""Takes the path of a module."""


def analyse(
    modules: Sequence[Module],
    options: Options,
    grow: Grow | None = None,
    told: Told | None = None,
    seen: Seen | None = None,
) -> Outcome:
    """The findings of all rules and what was given up.

    modules: those that hold a word of the vocabulary. grow: where more of the tree comes from as the vocabulary grows
    by the names of functions that turn out to have an effect. told: how the finding of a case is put. seen: is told of
    each module that is looked at.
    """
    program = grown(modules, options, grow)
    told = told or attrgetter("finding")
    looks = []
    for one in program.views:
        if seen is not None:
            seen(one.module.path)
        looks.append(program.look(one, told))
    found = [finding for look in looks for finding in look.findings]
    if "PR006" in options.select:
        found += holding.early_resumes(program.effects)
    return Outcome(tuple(found), tuple(note for look in looks for note in look.notes), program.modules)


def cases(module: Module, options: Options, context: Sequence[Module] = ()) -> list[Case]:
    """The pauses of one module that get away, for planning their fixes. `context`: the other modules of the tree."""
    program = Program((module, *(other for other in context if other.path != module.path)), options)
    return [case for one in program.views if one.module is module for case in program.cases(one, [])]


def grown(modules: Sequence[Module], options: Options, grow: Grow | None) -> Program:
    """The program over `modules` and whatever more of the tree its effects reach."""
    anatomies = Anatomies(Terms(options.stable_calls))
    program = Program(modules, options, anatomies)
    known: dict[str, frozenset[str]] = {}
    missed: frozenset[tuple[str, str]] = frozenset()
    for _ in range(MAX_GROWTH if grow is not None else 0):
        words = {word: known.get(word, frozenset()) | beside for word, beside in program.words().items()}
        imports = program.index.missed - missed
        if grow is None or not (words.items() - known.items() or imports):
            break
        known.update(words)
        missed |= imports
        more = grow(known, missed)
        if list(more) == list(program.modules):
            continue
        program = Program(more, options, anatomies, program)
    return program


class _Run(NamedTuple):
    """Calls, by identity, that do something through the functions that they run.

    implied: what. inlined: the callees that are followed in place. registered: what is registered for later. counted:
    those whose pause or resume is the business of the function that they stand in.
    """

    implied: dict[int, tuple[Deed, ...]]
    inlined: dict[int, Target]
    registered: dict[int, Deed]
    counted: set[int]


class Program:
    """Some modules under analysis."""

    def __init__(
        self,
        modules: Sequence[Module],
        options: Options,
        anatomies: Anatomies | None = None,
        smaller: Program | None = None,
    ) -> None:
        """`anatomies` and `smaller`, a program over some of the modules: what is known already."""
        anatomies = anatomies or Anatomies(Terms(options.stable_calls))
        self.modules = modules
        self.options = options
        plain = Events(Vocabulary.of(options.pairs), anatomies.terms, options.quiet_calls)
        self.constants = constants(modules, plain.vocabulary, plain.tells)
        events = Events(plain.vocabulary, plain.terms, plain.quiet_calls, constants=self.constants.values)
        self.coroutines = coroutine_names(modules, {*events.vocabulary.pausing, *events.vocabulary.resuming})
        agrees = (
            smaller is not None
            and smaller.coroutines == self.coroutines
            and smaller.constants.values.keys() == self.constants.values.keys()
        )
        seen = {id(one.module): one for one in smaller.views} if smaller is not None and agrees else {}
        self.views: list[View] = [
            seen.get(id(module)) or view(module, events, self.coroutines, self.constants.lines.get(module.path, ()))
            for module in modules
        ]
        self.index = Index(modules)
        conducts = {id(conduct.function.node): conduct for one in self.views for conduct in one.conducts}
        self.around = {one.module.path: Surroundings(one.module, one.conducts) for one in self.views}
        self.effects = Effects(self.index, events, conducts, self.around, _outside(options), anatomies)

    @cached_property
    def duty(self) -> Duty:
        """Who has to answer for what."""
        return Duty(self.effects)

    @cached_property
    def events(self) -> Events:
        """The call shapes, with what calls do through the functions that they run."""
        plain = self.effects.events
        dead = frozenset(id(deed.node) for one in self.views for conduct in one.conducts for deed in conduct.dropped)
        run = self._run
        managers = self.effects.managers()
        return Events(
            plain.vocabulary,
            plain.terms,
            plain.quiet_calls,
            dead,
            run.implied,
            run.inlined,
            managers,
            run.registered,
            plain.constants,
        )

    @property
    def counted(self) -> set[int]:
        """The calls, by identity, whose pause or resume is the business of the function that they stand in."""
        return self._run.counted

    def words(self) -> dict[str, frozenset[str]]:
        """The names by which callers elsewhere reach functions with an effect, and how routers are put together.

        Beside the name of a method stands that of its class, or of a base of it; beside that of a function or of a
        constant its module.
        """
        handlers = any(self.effects.has_effect(endpoint.handler) for endpoint in self.effects.endpoints)
        found: dict[str, frozenset[str]] = dict.fromkeys(MOUNTING if handlers else (), frozenset())
        found.update(self.constants.names)
        for name, keys in self.effects.names.items():
            routines = [self.index.routines[key] for key in keys]
            outer = [one for one in routines if one.function.parent is None]
            makers = [one.function.parent for one in routines if one.function.parent is not None]
            outer += [
                self.index.routines[id(maker.node)]
                for maker in makers
                if maker.parent is None and maker.short == name and id(maker.node) in self.index.routines
            ]
            if outer:
                found[name] = frozenset().union(*(self.index.company(one) for one in outer))
        return found

    # -- effects at calls ----------------------------------------------------------------------------------------------

    @cached_property
    def _run(self) -> _Run:
        """What calls do through the functions that they run."""
        run = _Run({}, {}, {}, set())
        for summary in self.effects.summaries.values():
            by_call: dict[int, list[Link]] = {}
            own = summary.routine.function.node
            nested = [link for link in summary.links if is_nested_in(link.callee.function, own)]
            spread = _spread(own) if nested else frozenset()
            for link in summary.links:
                # What is nested is followed in place, but for many at once.
                if not link.covered and (link not in nested or _is_of_many(link, spread)):
                    by_call.setdefault(id(link.call), []).append(link)
            for key, links in by_call.items():
                if self._registers(links[0]):
                    run.registered.update((key, _deed(link)) for link in links if link.effect.kind == "resume")
                    continue
                links.sort(key=lambda one: (len(one.effect.steps), one.callee.order))
                link = links[0]
                run.implied[key] = tuple(map(_deed, links))
                counts = link.effect.kind == "resume" or self._counts(summary, link)
                if counts:
                    run.counted.add(key)
                may_follow = counts or not link.effect.pair.rests
                if link not in nested and link.target is not None and may_follow and self._is_followed(link, links):
                    run.inlined[key] = link.target
        return run

    def _registers(self, link: Link) -> bool:
        """Whether a call only has what it is handed called later."""
        handed = link.target is not None and link.target.handed
        return handed and last_name(link.call.func) in REGISTRARS

    def _is_followed(self, link: Link, links: Sequence[Link]) -> bool:
        """Whether the body of the callee is put in place of the call: its conditions and loops count then.

        A resume always, if there is no choice of callees; a pause if it is done under a condition somewhere, or is one
        of several.
        """
        if link.effect.remote or (link.target is not None and link.target.mapped):
            return False
        if len({id(one.callee.function.node) for one in links}) > 1:
            return False
        callee = self.effects.summaries[id(link.callee.function.node)]
        if callee.marked or any(inner.callee is link.callee for inner in callee.links):
            return False
        if link.effect.kind == "resume" or link.effect.guarded:
            return True
        return len(links) > 1 or is_fan_out(link.effect.receiver)

    def _counts(self, summary: Summary, link: Link) -> bool:
        """Whether the pause that a call has done is this function's business."""
        return self.duty.takes(summary, link.effect, link.callee.name) or self.duty.stands(
            summary.routine, link.effect, link
        )

    # -- PR001 to PR003 ------------------------------------------------------------------------------------------------

    def look(self, one: View, told: Told) -> Outcome:
        """The findings in one module, and what was given up in it."""
        notes: list[str] = []
        found = [told(case) for case in self.cases(one, notes)]
        found += lesser.unawaited(one)
        if "PR005" in self.options.select:
            found += lesser.swallowed(one)
        if "PR007" in self.options.select:
            found += holding.split_pairs(one, self.around[one.module.path])
        return Outcome(tuple(found), tuple(notes))

    def cases(self, one: View, notes: list[str]) -> Iterator[Case]:
        """Every pause of a module that gets away. `notes` takes what was given up."""
        conducts = self._concerned(one)
        if not conducts:
            return
        hierarchy = self.index.hierarchy(one.module)
        graphs: dict[int, g.Graph] = {}
        for conduct in conducts:
            function = conduct.function
            if ownership.is_test(function) and not self.options.include_tests:
                continue
            try:
                graphs[id(function.node)] = self.graph(function, function.node, hierarchy)
            except RecursionError:
                notes.append(f"{one.module.path}: {function.name} is nested too deep and was not analysed")
        for conduct in conducts:
            graph = graphs.get(id(conduct.function.node))
            if graph is not None:
                yield from self._followed(one.module, conduct, graph, graphs, notes)

    def graph(
        self, function: Function, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Module, hierarchy: Hierarchy
    ) -> g.Graph:
        """The graph of a function, or of `node`, what it is rewritten to. Raises RecursionError (see `build`)."""
        routine = self.index.routines.get(id(function.node))
        if routine is None:
            return build(node, node.body, self.events, hierarchy)
        plain = partial(self.effects.paths.plain, routine=routine, made=self.effects.anatomy(routine).made)
        return build(node, node.body, self.events, hierarchy, plain)

    def _concerned(self, one: View) -> list[Conduct]:
        """The functions of a module that pause, themselves or through a function nested in them or called by them."""
        known = {id(conduct.function.node): conduct for conduct in one.conducts}
        found = {key: conduct for key, conduct in known.items() if conduct.pauses}
        for key, summary in self.effects.summaries.items():
            if summary.routine.module is one.module and any(id(link.call) in self.counted for link in summary.links):
                found.setdefault(key, summary.conduct)
        for conduct in list(found.values()):
            parent = conduct.function.parent
            while parent is not None:
                found.setdefault(id(parent.node), known.get(id(parent.node)) or Conduct(parent, (), ()))
                parent = parent.parent
        return sorted(
            found.values(),
            key=lambda conduct: (getattr(conduct.function.node, "lineno", 1 << 30), conduct.function.name),
        )

    def _followed(
        self, module: Module, conduct: Conduct, graph: g.Graph, graphs: dict[int, g.Graph], notes: list[str]
    ) -> Iterator[Case]:
        function = conduct.function
        done: set[tuple[int, str]] = set()
        told: set[int] = set()
        resting = Resting(graph)
        for site in graph.deeds("pause"):
            deed: Deed = graph.nodes[site].arg
            if (id(deed.node), deed.spelling) in done:
                continue
            done.add((id(deed.node), deed.spelling))
            within = graph.nodes[site].site
            if self._rests_in_callee(within or deed.node, deed) or self._is_covered(function, within, deed):
                continue
            takes = (
                ownership.resumes_itself(conduct, deed)
                or any(undoes(dropped, deed) for dropped in conduct.dropped)
                or any(undoes(graph.nodes[other].arg, deed) for other in graph.deeds("resume"))
            )
            if (takes or deed.pair.rests) and resting.is_state_at(site):
                continue
            summary = self.effects.summaries.get(id(function.node))
            if summary is not None and summary.marked:
                continue
            entering = function.short in ("__enter__", "__aenter__")
            if not takes and not entering and self._is_excused(module, conduct, deed, graphs):
                continue
            returning = entering and self._is_answered(module, conduct, deed, takes)
            followed = follow_pause(graph, site, returning)
            if followed.given_up:
                notes.append(
                    f"{module.path}:{deed.node.lineno}: too many paths in {function.name}; this pause was given up"
                )
            if followed.leaks and id(deed.node) not in told:
                told.add(id(deed.node))
                found = finding(module, function, graph, site, followed, partial(self._within, graph), returning)
                yield Case(self, module, function, graph, site, followed, found, returning)

    def _rests_in_callee(self, expression: ast.expr, deed: Deed) -> bool:
        """Whether a call puts to rest what it runs, and that is not this function's business."""
        if not deed.pair.rests:
            return False
        calls = {id(part) for part in walk(expression)} & self._run.implied.keys()
        return bool(calls) and calls.isdisjoint(self.counted)

    def _is_covered(self, function: Function, site: ast.expr | None, deed: Deed) -> bool:
        """Whether a pause in a body put in place of a call belongs to one that the function does itself."""
        summary = self.effects.summaries.get(id(function.node)) if site is not None else None
        return summary is not None and any(
            link.covered and link.call is site and link.effect.pair.pauses & deed.pair.pauses for link in summary.links
        )

    def _is_answered(self, module: Module, conduct: Conduct, deed: Deed, takes: bool) -> bool:
        """Whether `__exit__` undoes what an `__enter__` pauses, or another half does."""
        around = self.around[module.path]
        return ownership.exit_resumes(conduct, deed, around) or (not takes and ownership.is_half(conduct, deed, around))

    def _within(self, graph: g.Graph, syntax: ast.AST) -> tuple[Module, Function] | None:
        """The module and the function, put in place of a call in `graph`, that holds `syntax` closest."""
        routines = [routine for key in graph.inlined if (routine := self.index.routines.get(key)) is not None]
        holding = [one for one in routines if any(part is syntax for part in own_nodes(one.function.body))]
        return (holding[0].module, holding[0].function) if holding else None

    def _is_excused(self, module: Module, conduct: Conduct, deed: Deed, graphs: dict[int, g.Graph]) -> bool:
        """Whether a function that nowhere resumes leaves a pause to others on purpose, or to a caller that has the
        duty.
        """
        if self._run_by_parent(conduct.function, deed, graphs):
            return True
        if id(deed.node) in self.events.implied:
            return id(deed.node) not in self.counted or ownership.is_half(conduct, deed, self.around[module.path])
        if ownership.is_excused(conduct, deed, self.around[module.path]):
            return True
        routine = self.index.routines.get(id(conduct.function.node))
        if routine is not None and (
            self.duty.serves_both(routine, deed.pair)
            or self.duty.only_at_the_end(routine)
            or (not ownership.goes_on(conduct.function, deed) and self.effects.has_unknown_users(routine))
        ):
            return True
        summary = self.effects.summaries.get(id(conduct.function.node))
        return summary is not None and any(
            self.duty.taken_above(summary.routine, effect)
            for effect in summary.effects
            if effect.kind == "pause" and effect.steps[0].line == deed.node.lineno
        )

    def _run_by_parent(self, function: Function, deed: Deed, graphs: dict[int, g.Graph]) -> bool:
        """Whether the function is nested in one that runs it and resumes: then that one has the duty."""
        parent = function.parent
        graph = graphs.get(id(parent.node)) if parent is not None else None
        if parent is None or graph is None:
            return False
        links = self.effects.callers.get(id(function.node), ())
        runs = id(function.node) in graph.inlined or any(
            link.caller.function.node is parent.node and id(link.call) in self._run.implied for link in links
        )
        if not runs:
            return False
        return any(undoes(graph.nodes[other].arg, deed) for other in graph.deeds("resume"))


def _spread(node: ast.AST) -> frozenset[int]:
    """The calls, by identity, of which another call is given one for each of several things: `gather(*[f(x) for x in
    items])`.
    """
    found: set[int] = set()
    for call in own_nodes(getattr(node, "body", ())):
        for argument in call.args if isinstance(call, ast.Call) else ():
            whole = argument.value if isinstance(argument, ast.Starred) else argument
            if isinstance(whole, ast.ListComp | ast.SetComp | ast.GeneratorExp):
                found.add(id(whole.elt.value if isinstance(whole.elt, ast.Await) else whole.elt))
    return frozenset(found)


def _is_of_many(link: Link, spread: frozenset[int]) -> bool:
    """Whether a call of a nested function is one of many, and does what it does to each of them."""
    mapped = link.target is not None and bool(link.target.mapped)
    if link.effect.kind == "pause" and link.effect.guarded:
        return False
    return mapped or id(link.call) in spread


def _deed(link: Link) -> Deed:
    effect = link.effect
    mapped = effect.receiver[0] == "each" and link.target is not None and bool(link.target.mapped)
    return Deed(
        effect.kind,
        effect.pair,
        link.call,
        effect.receiver,
        effect.spelling,
        many=mapped,
        over=effect.receiver[1] if mapped else None,
        parts=(*link.call.args, *(keyword.value for keyword in link.call.keywords)),
        chain=effect.steps,
    )


def _outside(options: Options) -> dict[str, str]:
    """Functions outside the tree whose effect the configuration states, by their last name."""
    found = {name.rpartition(".")[2]: "pause" for name in options.pauses}
    found.update({name.rpartition(".")[2]: "resume" for name in options.resumes})
    return found
