"""Pauses and resumes as statements: where they stand, under which guards, and what is around them.

A view of one case for planning; it changes nothing and makes no plans.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pause_lint.analysis import graph as g
from pause_lint.analysis.events import Deed, same_receiver
from pause_lint.analysis.flow import undoes
from pause_lint.analysis.guards import Terms
from pause_lint.analysis.program import Case
from pause_lint.analysis.syntax import own_nodes, walk
from pause_lint.fixing.blocks import Blocks
from pause_lint.fixing.edits import At, Keep, Piece
from pause_lint.fixing.names import assignments, mentions

_HANDING_ON = re.compile(
    r"add_done_callback|create_task|ensure_future|submit|run_in_executor|start_soon|call_soon|Thread"
)
_REGISTRATION = re.compile(r"callback|addCleanup|addfinalizer|push")


class Act(NamedTuple):
    """A pause or resume as a statement.

    site: its node in the graph. statement: the innermost one it belongs to. chain: that statement and those around
    it, innermost first.
    """

    site: int
    deed: Deed
    statement: ast.stmt
    chain: tuple[ast.stmt, ...]
    is_helped: bool
    """Whether it is done in a function that its statement calls."""

    def stands_in(self, node: ast.AST) -> bool:
        """Whether it stands within `node`."""
        return any(part is self.deed.node for part in walk(node))

    @property
    def is_one_by_one(self) -> bool:
        """Whether it is done to several, so that it can fail half-way."""
        listed = (ast.ListComp, ast.SetComp, ast.GeneratorExp)
        return self.deed.many or any(isinstance(node, listed) and self.stands_in(node) for node in walk(self.statement))

    @property
    def is_awaited(self) -> bool:
        """Whether its statement awaits."""
        return any(isinstance(node, ast.Await) for node in walk(self.statement))

    @property
    def is_looped(self) -> bool:
        """Whether it stands in a loop over its receivers: then the loop is needed with it."""
        return any(
            isinstance(outer, ast.For | ast.AsyncFor)
            and any(mentions(self.statement, node.id) for node in walk(outer.target) if isinstance(node, ast.Name))
            for outer in self.chain[1:]
        )

    @property
    def is_handed_on(self) -> bool:
        """Whether it is handed on to be done by something else (`future.add_done_callback(self._done)`)."""
        return any(
            isinstance(node, ast.Call) and _HANDING_ON.search(ast.unparse(node.func)) for node in walk(self.statement)
        )

    @property
    def registers(self) -> bool:
        """Whether it registers a resume to be called later (`stack.callback(x.resume)`)."""
        return any(
            isinstance(node, ast.Call) and _REGISTRATION.search(ast.unparse(node.func)) for node in walk(self.statement)
        )


class Scene(NamedTuple):
    """One pause and all that its function does to the same receiver.

    pauses, resumes: every pause of the receiver and every resume that undoes this one. closing: the resumes that some
    path from the pause meets first. reopened: a later pause takes over on some path. assigned: what names are bound to.
    """

    case: Case
    blocks: Blocks
    pause: Act
    pauses: tuple[Act, ...]
    resumes: tuple[Act, ...]
    closing: tuple[Act, ...]
    reopened: bool
    assigned: dict[str, list[ast.expr | None]]

    @property
    def pauses_in_part(self) -> bool:
        """Whether the pausing call can fail with something paused: one of many, or a callee that goes on behind it."""
        nodes = self.case.graph.nodes
        within = any(nodes[leak.escape].site is self.pause.deed.node for leak in self.case.followed.leaks)
        return self.pause.is_one_by_one or within

    @property
    def may_not_pause(self) -> bool:
        """Whether what pauses is a call of something that does so under a condition of its own."""
        summary = self.case.program.effects.summaries.get(id(self.case.function.node))
        inside = {id(part) for part in walk(self.pause.statement)}
        return summary is not None and any(
            link.effect.guarded and id(link.call) in inside and link.effect.kind == "pause" for link in summary.links
        )

    @property
    def goes_on_resuming(self) -> bool:
        """Whether a call that resumes runs a function that does other things as well."""
        return any(self._does_more(act) for act in self.closing)

    def _does_more(self, act: Act) -> bool:
        events = self.case.program.events
        target = events.inlined.get(id(self.case.graph.nodes[act.site].site))
        if target is None:
            return False
        nodes = list(own_nodes(target.node.body))
        local = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        calls = [node for node in nodes if isinstance(node, ast.Call) and not events.is_quiet(node)]

        def resumes(call: ast.Call) -> bool:
            named = isinstance(call.func, ast.Name) and call.func.id in local
            return named or events.deed(call, {}) is not None or id(call) in events.implied

        doing = {id(part) for call in calls if resumes(call) for part in walk(call)}
        return any(isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) for node in nodes) or any(
            id(call) not in doing and not any(id(part) in doing for part in walk(call)) for call in calls
        )

    def is_within_cleanup(self, top: ast.stmt) -> bool:
        """Whether a `finally` in which nothing resumes stands around the pause, in `top` or as it."""
        closing = {id(statement) for act in self.closing for statement in act.chain}
        return any(
            isinstance(outer, ast.Try) and outer.finalbody and closing.isdisjoint(map(id, outer.finalbody))
            for outer in self.pause.chain[: self.pause.chain.index(top) + 1]
        )

    def at(self, statement: ast.stmt) -> At:
        """Where a statement starts."""
        return self.blocks.at(statement)

    def keep(self, statements: Iterable[ast.stmt]) -> tuple[Piece, ...]:
        """The statements as they are."""
        return tuple(Keep(self.at(statement)) for statement in statements)

    def is_pure(self, act: Act) -> bool:
        """Whether the statement is the pause or resume and nothing else."""
        statement = act.statement
        if not isinstance(statement, ast.Expr):
            return False
        value = statement.value.value if isinstance(statement.value, ast.Await) else statement.value
        site = self.case.graph.nodes[act.site].site
        return value is act.deed.node or (site is not None and (value is site or _only_runs(value, site)))

    def closing_of(self, act: Act) -> list[ast.stmt]:
        """The statements that resume and do nothing else, neighbours; none if it is not so.

        A list of what was started under a name, say, and the statements behind it that wait for that.
        """
        statement = act.statement
        loop = loop_of(act)
        if isinstance(loop, ast.For | ast.AsyncFor):
            return [loop]
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.ListComp(elt=made)):
                if made is not act.deed.node and made is not self.case.graph.nodes[act.site].site:
                    return []
                spot = self.blocks.spot(statement)
                behind = itertools.takewhile(lambda other: mentions(other, name), spot.block[spot.place + 1 :])
                return [statement, *behind]
        return [statement] if self.is_pure(act) else []

    def common(self, act: Act) -> tuple[Sequence[ast.stmt], int, int] | None:
        """The innermost block that holds the pause and `act`, and where in it they stand; None if `act` comes first."""
        for statement in self.pause.chain:
            spot = self.blocks.spot(statement)
            top = top_in(act, spot.block)
            if top is not None:
                place = next(index for index, other in enumerate(spot.block) if other is top)
                return (spot.block, spot.place, place) if place >= spot.place else None
        return None

    def same_guards(self, one: Sequence[ast.If], other: Sequence[ast.If]) -> bool:
        """Whether two chains of guards say the same."""
        return len(one) == len(other) and all(self.same_tests(a.test, b.test) for a, b in zip(one, other, strict=True))

    def same_tests(self, one: ast.expr | None, other: ast.expr | None) -> bool:
        """Whether two tests, or the absence of both, say the same and go on saying it."""
        if one is None or other is None:
            return one is other
        return ast.dump(self._expanded(one)) == ast.dump(self._expanded(other)) and is_stable(other)

    def covers(self, guards: Sequence[ast.If], others: Sequence[ast.If]) -> bool:
        """Whether a resume under `others` undoes what is paused under `guards`, however the tests are nested.

        Under fewer of them it resumes what was not paused, which has to do no harm.
        """
        pausing, resuming = self._conjuncts(guards), self._conjuncts(others)
        agree = resuming == pausing or (self.pause.deed.pair.harmless and resuming < pausing)
        return agree and all(is_stable(guard.test) for guard in others)

    def _conjuncts(self, guards: Sequence[ast.If]) -> frozenset[str]:
        """What holds under all of the guards, test by test."""
        found: list[ast.expr] = [guard.test for guard in guards]
        for test in found:
            expanded = self._expanded(test)
            if isinstance(expanded, ast.BoolOp) and isinstance(expanded.op, ast.And):
                found += expanded.values
        whole = (self._expanded(test) for test in found)
        return frozenset(
            ast.dump(test) for test in whole if not (isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And))
        )

    def _expanded(self, test: ast.expr) -> ast.expr:
        """A test that is a name bound once, as what it is bound to."""
        if isinstance(test, ast.Name) and len(self.assigned.get(test.id, ())) == 1:
            return self.assigned[test.id][0] or test
        return test


def scene_of(case: Case) -> Scene | None:
    """What surrounds the pause of a case; None if no statement of the function itself pauses."""
    blocks = Blocks(case.module, case.function.node)
    inside = {id(node) for node in walk(case.function.node)}
    nodes = case.graph.nodes

    def act_of(index: int) -> Act | None:
        node = nodes[index]
        syntax = node.site if node.site is not None else node.arg.node
        if id(syntax) not in inside:
            return None
        statement = blocks.statement_of(syntax)
        helped = node.site is not None or bool(node.arg.chain)
        return Act(index, node.arg, statement, tuple(blocks.chain(statement)), helped)

    def acts_of(indices: Iterable[int]) -> tuple[Act, ...]:
        found: dict[int, Act] = {}
        for index in indices:
            act = act_of(index)
            if act is not None:
                found.setdefault(id(act.statement), act)
        return tuple(found.values())

    pause = act_of(case.site)
    if pause is None:
        return None
    deed = case.deed
    closers = case.followed.closers
    related = [
        (index, node.arg)
        for index, node in enumerate(nodes)
        if node.op == g.DEED and (index in closers or same_receiver(deed.receiver, node.arg.receiver))
    ]
    resumes = acts_of(index for index, other in related if undoes(other, deed))
    pauses = acts_of(
        index for index, other in related if other.kind == "pause" and other.pair.pauses & deed.pair.pauses
    )
    looped = any(isinstance(outer, ast.For | ast.AsyncFor | ast.While) for outer in pause.chain)
    return Scene(
        case=case,
        blocks=blocks,
        pause=pause,
        pauses=pauses,
        resumes=resumes,
        closing=tuple(act for act in resumes if act.site in closers),
        # A helper that pauses one after the other does so once, unless a loop here calls it again.
        reopened=any(act.site in closers and (looped or act.statement is not pause.statement) for act in pauses),
        assigned=assignments(case.function.node),
    )


def unit_of(act: Act) -> ast.stmt:
    """The act with the guard or the loop that is around nothing else."""
    return _with_what_is_around(act, (ast.If, ast.For, ast.AsyncFor))


def loop_of(act: Act) -> ast.stmt:
    """The act with the loop over its receivers that is around nothing else."""
    return _with_what_is_around(act, (ast.For, ast.AsyncFor)) if act.is_looped else act.statement


def _with_what_is_around(act: Act, kinds: tuple[type[ast.If | ast.For | ast.AsyncFor], ...]) -> ast.stmt:
    """The outermost statement of these kinds that is around the act and nothing else; the act's own if none is."""
    unit = act.statement
    for outer in act.chain[1:]:
        if not isinstance(outer, kinds) or outer.body != [unit] or outer.orelse:
            break
        unit = outer
    return unit


def top_in(act: Act, block: Sequence[ast.stmt]) -> ast.stmt | None:
    """The statement of `block` that holds the act, if one does."""
    return next((statement for statement in act.chain if statement in block), None)


def guards_of(act: Act, top: ast.stmt, own: ast.stmt | None = None) -> list[ast.If] | None:
    """The `if` statements from `top` down to the act, outermost first; None if something else stands between.

    own: the loop that goes with the act, where that is to count as the act.
    """
    found: list[ast.If] = []
    below = act.statement if own is None else own
    if below is top:
        return found
    for outer in act.chain[act.chain.index(below) + 1 :]:
        if not isinstance(outer, ast.If) or below not in outer.body:
            return None
        found.insert(0, outer)
        if outer is top:
            return found
        below = outer
    return None


def is_stable(test: ast.expr) -> bool:
    """Whether a test may be evaluated once more with the same outcome: no awaits, no bindings, no unknown calls."""
    terms = Terms()
    return not any(
        isinstance(node, ast.Await | ast.NamedExpr) or (isinstance(node, ast.Call) and not terms.is_stable_call(node))
        for node in walk(test)
    )


def condition_of(statement: ast.stmt) -> tuple[ast.expr, bool] | None:
    """The test under which a conditional expression or an `and`/`or` as a statement does its deed, and its outcome."""
    if not isinstance(statement, ast.Expr):
        return None
    match statement.value:
        case ast.IfExp(test=test, body=body):
            return test, any(isinstance(node, ast.Call) for node in walk(body))
        case ast.BoolOp(op=op, values=values):
            test = values[0] if len(values) == 2 else ast.BoolOp(op, values[:-1])
            return test, isinstance(op, ast.And)
    return None


def _only_runs(value: ast.expr, site: ast.expr) -> bool:
    """Whether every call in an expression is `site`, around it or inside it: `ray.get([x.resume_all.remote() for x in
    xs])`.
    """
    inside = {id(part) for part in walk(site)}
    return all(
        id(part) in inside or any(inner is site for inner in walk(part))
        for part in walk(value)
        if isinstance(part, ast.Call)
    )
