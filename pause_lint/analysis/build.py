"""From the syntax tree of one function to its control-flow graph with exception edges.

Built back to front: every construct is given the node that follows it and answers with the node it starts at.
Evaluation order, what raises and how `finally`, `with` and the handlers chain follow the Python reference (sections
6.16, 8.4, 8.5, 8.6). Bodies of local functions and lambdas that pause or resume are put in where they are called.
Nothing here decides what leaks.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from pause_lint.analysis import graph as g
from pause_lint.analysis.events import (
    Deed,
    Events,
    Target,
    calls_back,
    loop_bindings,
    never_raises,
    stores,
    takes_values,
)
from pause_lint.analysis.exceptions import (
    CANCELLED,
    CLOSED,
    EXITING,
    SOME,
    Hierarchy,
    Thrown,
    catch,
    class_name,
    clause_types,
    is_exception,
)
from pause_lint.analysis.functions import defaults
from pause_lint.analysis.guards import FALSE, NONE, TRUE, Term, last_name, location, substitute, symbol
from pause_lint.analysis.localnames import SILENT, LocalNames, manager_kind
from pause_lint.analysis.syntax import children, own_nodes, walk
from pause_lint.analysis.wiring import Context, Wiring

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_AWAIT = (SOME, CANCELLED)
_YIELD = (SOME, CLOSED)
_INLINE_DEPTH = 4
_MOST_YIELDS = 2


def build(
    function: ast.AST,
    body: Sequence[ast.stmt],
    events: Events,
    hierarchy: Hierarchy,
    plain: Callable[[Term], Term] = lambda term: term,
) -> g.Graph:
    """The graph of `function`, whose statements are `body` (a module's or a function's).

    plain: gives the simplest of the paths that lead to the same object.

    Raises RecursionError for nesting deeper than the interpreter's stack.
    """
    return _Builder(function, events, hierarchy, plain).build(body)


_Names = tuple[Events, LocalNames]
"""What the names of one function mean."""


class _Builder(Wiring):
    def __init__(
        self, function: ast.AST, events: Events, hierarchy: Hierarchy, plain_path: Callable[[Term], Term]
    ) -> None:
        super().__init__(g.Graph(function, hierarchy))
        self.plain_path = plain_path
        self.events = events.within(getattr(function, "body", ()))
        self.terms = events.terms
        self.names = LocalNames((), self.events)
        self.local: dict[int, _Names] = {}
        self.made: list[ast.AST] = []
        self.balanced: set[int] = set()
        self.inlines = 0

    # -- the whole -----------------------------------------------------------------------------------------------------

    def build(self, body: Sequence[ast.stmt]) -> g.Graph:
        self.names = LocalNames(body, self.events)
        raised = self.add(g.RAISED, 1)
        self.graph.stop = self.add(g.STOP, 0)
        context = Context(handler=raised)
        fall = self.add(g.RETURN, 0, syntax=body[-1] if body else None)
        outside = {key: sites for key, sites in self.names.registered.items() if key not in self.names.stacks}
        loose = [site for key, sites in outside.items() if key not in self.names.local_stacks for site in sites]
        inner = context
        if loose:
            fall, inner = self.region(fall, context, lambda end, final: self.unwind(loose, end, final))
        entry = self.block(body, fall, inner)
        if outside:
            flags = [(_flag(site), FALSE) for sites in outside.values() for site in sites]
            entry = self.assign(flags, entry, context)
        self.graph.entry = entry
        return self.graph

    # -- statements ----------------------------------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt], nxt: int, context: Context) -> int:
        for statement in reversed(body):
            nxt = self.statement(statement, nxt, context)
        return nxt

    def statement(self, node: ast.stmt, nxt: int, context: Context) -> int:
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="_exit"))):
                return self.add(g.STOP, context.depth, syntax=node)
            case ast.Expr(value=ast.Call() as call) if _exits(call):
                leave = self.add(
                    g.RAISE,
                    context.depth,
                    handler=context.handler,
                    arg=("new", EXITING),
                    syntax=call,
                    site=context.site,
                )
                return self.plain(call.args, leave, context)
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=kept), attr="append"), args=[ast.Name() as item])
            ):
                name = context.scope.get(kept, kept)
                return self.assign([(name, ("listof", self.terms.of(item, context.scope)))], nxt, context)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=stack, attr="pop_all"), args=[], keywords=[])) if (
                sites := self.names.registered.get(ast.unparse(stack))
            ):
                # What it gives goes nowhere: nothing is registered any more.
                return self.assign([(_flag(site), FALSE) for site in sites], nxt, context)
            case ast.Expr(value=value):
                return self.expression(value, nxt, context)
            case ast.Assign(targets=targets, value=value):
                return self._assignment(targets, value, nxt, context)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                return self._assignment([target], value, nxt, context)
            case ast.AugAssign(target=target, value=value):
                return self.expression(value, self._bind_fresh(target, nxt, context), context)
            case ast.If():
                return self._if(node, nxt, context)
            case ast.Return(value=returned):
                if context.returns == -1:
                    leave = self.jump(context, self.add(g.RETURN, 0, syntax=node), 0)
                else:
                    leave = self.jump(context, context.returns, context.return_base)
                    leave = self._give(NONE if returned is None else self._value(returned, context), leave, context)
                return leave if returned is None else self.expression(returned, leave, context)
            case ast.Raise():
                return self._raise(node, context)
            case ast.Assert(test=test, msg=message):
                fail = self.add(
                    g.RAISE,
                    context.depth,
                    handler=context.handler,
                    arg=("new", Thrown("AssertionError", exact=True)),
                    syntax=node,
                    site=context.site,
                )
                if message is not None:
                    fail = self.expression(message, fail, context)
                return self.test(test, nxt, fail, context)
            case ast.While(test=test, body=body, orelse=orelse):
                head = self.add(g.SKIP, context.depth)
                inner = context._replace(loop=(nxt, head, len(context.frames)))
                otherwise = self.block(orelse, nxt, context)
                self.graph.nodes[head].next = self.test(test, self.block(body, head, inner), otherwise, context)
                return head
            case ast.For(target=target, iter=iterated, body=body, orelse=orelse):
                return self._for(
                    target,
                    iterated,
                    lambda again, inner: self.block(body, again, inner),
                    self.block(orelse, nxt, context),
                    nxt,
                    context,
                    (SOME,),
                    body,
                )
            case ast.AsyncFor(target=target, iter=iterated, body=body, orelse=orelse):
                return self._for(
                    target,
                    iterated,
                    lambda again, inner: self.block(body, again, inner),
                    self.block(orelse, nxt, context),
                    nxt,
                    context,
                    _AWAIT,
                    body,
                )
            case ast.Break() | ast.Continue():
                if context.loop is None:
                    return nxt
                breaks, continues, base = context.loop
                return self.jump(context, breaks if isinstance(node, ast.Break) else continues, base)
            case ast.Try() | ast.TryStar():
                return self._try(node, nxt, context)
            case ast.With(items=items, body=body):
                return self._with(items, body, nxt, context, (SOME,))
            case ast.AsyncWith(items=items, body=body):
                return self._with(items, body, nxt, context, _AWAIT)
            case ast.Match(subject=subject, cases=cases):
                return self._match(subject, cases, nxt, context)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                bound: Term = symbol(node) if node.decorator_list else ("func", id(node))
                nxt = self.assign([(context.scope.get(name, name), bound)], nxt, context)
                # A decorator declares (a route, say): it may raise, but does no deed.
                for decorator in node.decorator_list[:1]:
                    nxt = self.call(nxt, context, (SOME,), decorator)
                return self.plain(
                    [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)], nxt, context
                )
            case ast.ClassDef(name=name):
                nxt = self.assign([(context.scope.get(name, name), symbol(node))], nxt, context)
                return self.plain([*node.decorator_list, *node.bases, *node.body], nxt, context)
            case ast.Delete(targets=targets):
                for target in targets:
                    nxt = self._bind_fresh(target, nxt, context)
                return nxt
            case ast.Import() | ast.ImportFrom():
                return self.call(nxt, context, (SOME,), node)
        return nxt

    def _give(self, value: Term, nxt: int, context: Context) -> int:
        """What a function that is put in place of a call returns."""
        return self.assign([(context.result, value)], nxt, context) if context.result else nxt

    def _if(self, node: ast.If, nxt: int, context: Context) -> int:
        chain = [node]
        while len(chain[-1].orelse) == 1 and isinstance(chain[-1].orelse[0], ast.If):
            chain.append(chain[-1].orelse[0])
        otherwise = self.block(chain[-1].orelse, nxt, context)
        for part in reversed(chain):
            otherwise = self.test(part.test, self.block(part.body, nxt, context), otherwise, context)
        return otherwise

    def _assignment(self, targets: list[ast.expr], value: ast.expr, nxt: int, context: Context) -> int:
        pairs: list[tuple[str, Term]] = []
        fresh: list[int] = []
        for target in targets:
            if (
                isinstance(target, ast.Tuple | ast.List)
                and isinstance(value, ast.Tuple | ast.List)
                and len(target.elts) == len(value.elts)
            ):
                both = list(zip(target.elts, value.elts, strict=True))
                if not any(isinstance(part, ast.Starred) for pair in both for part in pair):
                    for one, given in both:
                        self._bind(one, self._value(given, context), pairs, fresh, context)
                    continue
            self._bind(target, self._value(value, context), pairs, fresh, context)
        return self.expression(value, self.assign(pairs, nxt, context, tuple(fresh)), context, kept=True)

    def _value(self, value: ast.expr, context: Context) -> Term:
        if isinstance(value, ast.Attribute | ast.Call) and self.events.reference(value, context.scope) is not None:
            return ("func", id(value))
        if isinstance(value, ast.IfExp):
            return (
                "ite",
                self.terms.of(value.test, context.scope),
                self._value(value.body, context),
                self._value(value.orelse, context),
            )
        match value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self")), args=[], keywords=[]):
                # A getter that only returns a path is as good as that path.
                got: Term = ("got", ast.unparse(value))
                path = self.plain_path(got)
                if path != got:
                    return path
        return self.plain_path(self._given_by_calls(value, self.terms.of(value, context.scope)))

    def _bind(
        self, target: ast.expr, term: Term, pairs: list[tuple[str, Term]], fresh: list[int], context: Context
    ) -> None:
        """Bind an assignment target to a value of which `term` is known."""
        if isinstance(target, ast.Tuple | ast.List):
            for element in target.elts:
                self._bind(element, symbol(element), pairs, fresh, context)
            return
        if isinstance(target, ast.Starred):
            self._bind(target.value, symbol(target), pairs, fresh, context)
            return
        if term == symbol(target):
            fresh.append(id(target))
        place = location(self.terms.of(target, context.scope))
        if place is not None:
            pairs.append((place, term))
        elif isinstance(target, ast.Subscript):
            base = location(self.terms.of(target.value, context.scope))
            if base is not None:
                pairs.append((f"{base}[", term))

    def _bind_fresh(self, target: ast.expr, nxt: int, context: Context) -> int:
        pairs: list[tuple[str, Term]] = []
        fresh: list[int] = []
        self._bind(target, symbol(target), pairs, fresh, context)
        return self.assign(pairs, nxt, context, tuple(fresh))

    def _raise(self, node: ast.Raise, context: Context) -> int:
        def leave(arg: object) -> int:
            return self.add(g.RAISE, context.depth, handler=context.handler, arg=arg, syntax=node)

        if node.exc is None:
            return leave(("group" if context.star else "again", context.caught))
        thrown = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        name = class_name(thrown)
        if name in self.graph.hierarchy or is_exception(name) or last_name(thrown)[:1].isupper():
            nxt = leave(("new", Thrown(name, exact=True)))
            if isinstance(node.exc, ast.Call):
                nxt = self.plain([*node.exc.args, *(keyword.value for keyword in node.exc.keywords)], nxt, context)
            return nxt if node.cause is None else self.expression(node.cause, nxt, context)
        if isinstance(thrown, ast.Name) and thrown is node.exc:
            return leave(("name", context.scope.get(thrown.id, thrown.id)))
        nxt = leave(("new", SOME))
        if (
            isinstance(node.exc, ast.Call)
            and isinstance(node.exc.func, ast.Attribute)
            and node.exc.func.attr == "with_traceback"
        ):
            if isinstance(node.exc.func.value, ast.Name):
                nxt = leave(("name", context.scope.get(node.exc.func.value.id, node.exc.func.value.id)))
            return self.plain(node.exc.args, nxt, context)
        return self.expression(node.exc, nxt, context)

    def _for(
        self,
        target: ast.expr,
        iterated: ast.expr,
        body: Callable[[int, Context], int],
        otherwise: int,
        nxt: int,
        context: Context,
        raises: tuple[Thrown, ...],
        syntax: Sequence[ast.AST],
    ) -> int:
        turns = self.events.turns(target, iterated)
        if turns:
            after = otherwise
            for turn in reversed(turns):
                after = self._turn(turn, target, body, after, context._replace(loop=(nxt, after, len(context.frames))))
            return self.expression(iterated, after, context)
        over = self.terms.iterable(iterated, context.scope)
        done = self._done_to_items(target, syntax)
        if done and over[0] == "sym":
            # What a getter gives counts by the getter's text, so that two loops over it go over the same.
            over = ("got", ast.unparse(iterated))
        if never_raises(iterated) or "resume" in done:
            raises = ()
        later = self.add(g.CHOICE, context.depth, alt=otherwise)
        later_take = self.call(later, context, raises, iterated)
        rebound = {
            node.id for node in own_nodes(syntax) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        known = loop_bindings(target, iterated, over, self.terms)
        items = {context.scope.get(name, name): term for name, term in known if name not in rebound}
        inner = context._replace(loop=(nxt, later_take, len(context.frames)), items={**context.items, **items})
        start = body(later_take, inner)
        start = self._bind_loop(target, iterated, over, start, context)
        self.graph.nodes[later].next = start
        first = (
            self.branch(over, start, otherwise, context)
            if raises != _AWAIT
            else self.add(g.CHOICE, context.depth, to=start, alt=otherwise)
        )
        return self.expression(iterated, self.call(first, context, raises, iterated), context, kept=True)

    def _turn(
        self,
        turn: Mapping[str, ast.expr],
        target: ast.expr,
        body: Callable[[int, Context], int],
        nxt: int,
        context: Context,
    ) -> int:
        """One turn of a loop through texts that are written out."""
        events = self.events
        self.events = events.at_turn(turn)
        try:
            start = body(nxt, context)
        finally:
            self.events = events
        known = {name: self.terms.of(value, context.scope) for name, value in turn.items()}
        return self._bind_names(target, known, start, context)

    def _bind_loop(self, target: ast.expr, iterated: ast.expr, over: Term, nxt: int, context: Context) -> int:
        return self._bind_names(target, dict(loop_bindings(target, iterated, over, self.terms)), nxt, context)

    def _bind_names(self, target: ast.expr, known: Mapping[str, Term], nxt: int, context: Context) -> int:
        """Bind what a loop takes; known: what its names stand for."""
        pairs: list[tuple[str, Term]] = []
        fresh: list[int] = []
        for node in walk(target):
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(getattr(node, "ctx", None), ast.Store):
                term = known.get(node.id, symbol(node)) if isinstance(node, ast.Name) else symbol(node)
                self._bind(node, term, pairs, fresh, context)
        return self.assign(pairs, nxt, context, tuple(fresh))

    def _done_to_items(self, target: ast.expr, body: Sequence[ast.AST]) -> set[str]:
        """The kinds of deeds that the body of a loop does to its items."""
        found: set[str] = set()
        bound = {node.id for node in walk(target) if isinstance(node, ast.Name)}
        for node in own_nodes(body):
            if isinstance(node, ast.Call) and self.names.speak(node):
                named = any(isinstance(part, ast.Name) and part.id in bound for part in walk(node))
                found |= self._kinds(node) if named else set()
        return found

    def _kinds(self, call: ast.Call) -> set[str]:
        """The kinds of deeds that a call does, itself or by a local function."""
        deed = self.events.deed(call, {}) or self._implied(call)
        if deed is not None:
            return {deed.kind}
        return self._kinds_of(call.func) if isinstance(call.func, ast.Name) else set()

    def _kinds_of(self, callee: ast.expr) -> set[str]:
        """The kinds of deeds that calling the value of an expression does: of a local function, a bound method."""
        values: list[ast.AST] = [callee]
        if isinstance(callee, ast.Name) and self.names.matter(callee.id):
            values = self.names.resolved(callee.id)
        referred = [self.events.reference(value, {}) for value in values if isinstance(value, ast.Attribute | ast.Call)]
        bodies = [getattr(value, "body", []) for value in values if isinstance(value, FUNCTIONS)]
        nodes = [node for body in bodies for node in own_nodes(body if isinstance(body, list) else [body])]
        found = {deed.kind for deed in referred if deed is not None}
        deeds = [self.events.deed(node, {}) for node in nodes if isinstance(node, ast.Call)]
        return found | {deed.kind for deed in deeds if deed is not None}

    def _try(self, node: ast.Try | ast.TryStar, nxt: int, context: Context) -> int:
        inner, normal = context, nxt
        if node.finalbody:
            normal, inner = self.region(nxt, context, lambda end, final: self.block(node.finalbody, end, final))
        after = self.block(node.orelse, normal, inner)
        if not node.handlers:
            return self.block(node.body, after, inner)
        star = isinstance(node, ast.TryStar)
        clauses: list[g.Clause] = []
        for handler in reversed(node.handlers):
            within = inner._replace(depth=context.depth + 1, caught=context.depth, star=star)
            after_handler = normal
            if star:
                takes_all = catch(SOME, clause_types(handler.type), self.graph.hierarchy)[1] is None
                later = (tuple(clauses), takes_all)
                after_handler = self.add(g.REGROUP, context.depth + 1, to=normal, handler=inner.handler, arg=later)
                failed = self.add(g.REGROUP, context.depth + 2, handler=inner.handler, arg=later)
                within = within._replace(handler=failed)
            start = self.block(handler.body, after_handler, within)
            if handler.name is not None:
                name = context.scope.get(handler.name, handler.name)
                self.graph.defined.setdefault(name, set())
                start = self.add(g.BIND, context.depth + 1, to=start, arg=(name, context.depth, star))
            clauses.insert(0, g.Clause(clause_types(handler.type), start, star))
        dispatch = self.add(g.DISPATCH, context.depth + 1, handler=inner.handler, arg=clauses)
        return self.block(node.body, after, inner._replace(handler=dispatch))

    def _with(
        self,
        items: Sequence[ast.withitem],
        body: Sequence[ast.stmt],
        nxt: int,
        context: Context,
        raises: tuple[Thrown, ...],
    ) -> int:
        if not items:
            return self.block(body, nxt, context)
        item, rest = items[0], items[1:]
        manager = item.context_expr
        kind = manager_kind(manager)
        if isinstance(manager, ast.Name) and manager.id in self.names.stacks and manager.id in self.names.registered:
            kind = "stack"
        bind: list[ast.expr] = [item.optional_vars] if item.optional_vars is not None else []

        def enter(inside: int, inner: Context) -> int:
            for target in bind:
                pairs: list[tuple[str, Term]] = []
                fresh: list[int] = []
                self._bind(target, symbol(target), pairs, fresh, inner)
                inside = self.assign(pairs, inside, inner, tuple(fresh))
            return inside

        if kind == "suppress":
            assert isinstance(manager, ast.Call)
            types = tuple(kind for arg in manager.args for kind in clause_types(arg))
            dispatch = self.add(g.DISPATCH, context.depth + 1, handler=context.handler, arg=[g.Clause(types, nxt)])
            inside = self._with(rest, body, nxt, context._replace(handler=dispatch), raises)
            return enter(inside, context)
        if kind == "null":
            inside = enter(self._with(rest, body, nxt, context, raises), context)
            return self.plain(manager.args, inside, context) if isinstance(manager, ast.Call) else inside
        if kind == "stack":
            key = ast.unparse(item.optional_vars if item.optional_vars is not None else manager)
            sites = self.names.registered.get(key, [])
            before = len(self.graph.nodes)
            normal, inner = self.region(nxt, context, lambda end, final: self.unwind(sites, end, final))
            self._mark_leaving(before, body)
            inside = enter(self._with(rest, body, normal, inner, raises), context)
            return self.assign([(_flag(site), FALSE) for site in sites], inside, context)

        def leave(end: int, final: Context) -> int:
            left = self.call(end, final, raises, manager)
            self.graph.nodes[left].leaves = body[-1].end_lineno or body[-1].lineno
            return left

        target = self.events.managers.get(id(manager))
        if target is not None and isinstance(manager, ast.Call):
            entry = self._inline_manager(
                target,
                manager,
                lambda after, within: enter(self._with(rest, body, after, within, raises), within),
                body,
                nxt,
                context,
            )
            if entry is not None:
                return entry
        held = self.events.deed(manager, context.scope) if isinstance(manager, ast.Call) else None
        if held is not None and (held.receiver[:1] == ("url",) or held.chain):
            # A request: what it does stays done when its block ends, and ending it is no step of its own.
            inside = enter(self._with(rest, body, nxt, context, raises), context)
            return self._operands(held, self._guarded_deed(held, manager, inside, context, raises), context)
        normal, inner = self.region(nxt, context, leave)
        inside = enter(self._with(rest, body, normal, inner, raises), inner)
        inside = self.call(inside, context, raises, manager)
        if isinstance(manager, ast.Call) and held is not None:
            return self.plain([*manager.args, *(keyword.value for keyword in manager.keywords)], inside, context)
        return self.expression(manager, inside, context, kept=True)

    def _mark_leaving(self, first: int, body: Sequence[ast.stmt]) -> None:
        """The nodes from `first` on are steps of leaving a `with` block."""
        for node in self.graph.nodes[first:]:
            node.leaves = body[-1].end_lineno or body[-1].lineno

    def unwind(self, sites: Sequence[ast.Call], nxt: int, context: Context) -> int:
        """What leaving an exit stack runs: the registered calls, last first, each whatever the others do."""
        if not sites:
            return nxt
        site, rest = sites[-1], sites[:-1]
        inner = context
        normal = nxt
        if rest:
            normal, inner = self.region(nxt, context, lambda end, final: self.unwind(rest, end, final))
        action = self._registered_call(site, normal, inner)
        return self.branch(("name", _flag(site)), action, normal, inner)

    def _registered_call(self, site: ast.Call, nxt: int, context: Context) -> int:
        assert isinstance(site.func, ast.Attribute)
        raises = _AWAIT if "sync" in site.func.attr else (SOME,)
        if site.func.attr.startswith("enter"):
            return self.call(nxt, context, raises, site)
        target = site.args[0]
        deed = self.events.registered.get(id(site))
        if deed is None and not isinstance(target, ast.Lambda):
            deed = self.events.reference(target, context.scope)
        if deed is not None:
            return self.deed(deed._replace(node=site, awaited=True), nxt, context, raises)
        entry = self._inline_value(target, [], site, nxt, context)
        return self.call(nxt, context, raises, site) if entry is None else entry

    def _match(self, subject: ast.expr, cases: Sequence[ast.match_case], nxt: int, context: Context) -> int:
        asked = self.terms.of(subject, context.scope)
        otherwise = nxt
        for case in reversed(cases):
            start = self.block(case.body, nxt, context)
            if case.guard is not None:
                start = self.test(case.guard, start, otherwise, context)
            pairs: list[tuple[str, Term]] = []
            for node in walk(case.pattern):
                if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name is not None:
                    whole = node is case.pattern
                    pairs.append((context.scope.get(node.name, node.name), asked if whole else symbol(node)))
                elif isinstance(node, ast.MatchMapping) and node.rest is not None:
                    pairs.append((context.scope.get(node.rest, node.rest), symbol(node)))
            if pairs:
                start = self.assign(
                    pairs, start, context, tuple(term[1] for _, term in pairs if term[0] == "sym" and term != asked)
                )
            condition = self._pattern(case.pattern, asked, context)
            if condition is None:
                otherwise = self.add(g.CHOICE, context.depth, to=start, alt=otherwise)
            else:
                otherwise = self.branch(condition, start, otherwise, context)
        return self.expression(subject, otherwise, context, kept=True)

    def _pattern(self, pattern: ast.pattern, asked: Term, context: Context) -> Term | None:
        match pattern:
            case ast.MatchValue(value=value):
                return ("cmp", "==", asked, self.terms.of(value, context.scope))
            case ast.MatchSingleton(value=value):
                return ("cmp", "is", asked, ("const", type(value).__name__, value))
            case ast.MatchAs(pattern=None):
                return TRUE
            case ast.MatchAs(pattern=ast.pattern() as inner):
                return self._pattern(inner, asked, context)
            case ast.MatchOr(patterns=patterns):
                parts = [self._pattern(part, asked, context) for part in patterns]
                if None in parts:
                    return None
                return ("or", tuple(part for part in parts if part is not None))
            case ast.MatchClass(cls=cls, patterns=[], kwd_patterns=[]):
                return ("call", ("name", "isinstance"), (asked, self.terms.of(cls, context.scope)), ())
        return None

    # -- expressions ---------------------------------------------------------------------------------------------------

    def plain(self, parts: Sequence[ast.AST], nxt: int, context: Context) -> int:
        """Evaluate `parts` in order; statements count as one step that may raise."""
        for part in reversed(parts):
            if isinstance(part, ast.expr):
                nxt = self.expression(part, nxt, context)
            elif any(isinstance(node, ast.Call) for node in own_nodes([part])):
                nxt = self.call(nxt, context, (SOME,), part)
        return nxt

    def expression(self, node: ast.expr, nxt: int, context: Context, kept: bool = False) -> int:
        """Evaluate `node`, then go on to `nxt`. `kept`: a term for its value is used afterwards."""
        if isinstance(node, ast.Constant | ast.Name):
            return nxt
        if isinstance(node, ast.Yield) and context.at_yield is not None:
            return context.at_yield(nxt, context)
        if not self.names.speak(node):
            return self._collapsed(node, nxt, context, kept)
        match node:
            case ast.BoolOp(op=op, values=[first, *rest]):
                inner = self.expression(rest[0] if len(rest) == 1 else self._rest(op, rest), nxt, context)
                return (
                    self.test(first, inner, nxt, context)
                    if isinstance(op, ast.And)
                    else self.test(first, nxt, inner, context)
                )
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.test(
                    test, self.expression(body, nxt, context), self.expression(orelse, nxt, context), context
                )
            case ast.NamedExpr(target=target, value=value):
                pairs: list[tuple[str, Term]] = []
                fresh: list[int] = []
                self._bind(target, self._value(value, context), pairs, fresh, context)
                return self.expression(value, self.assign(pairs, nxt, context, tuple(fresh)), context, kept=True)
            case ast.Lambda():
                return nxt
            case ast.Await() | ast.Call():
                return self._effect(node, nxt, context)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(node, nxt, context)
        nxt = self._own_raise(node, nxt, context)
        return self._children(node, nxt, context)

    def _rest(self, op: ast.boolop, values: list[ast.expr]) -> ast.expr:
        node = ast.copy_location(ast.BoolOp(op, values), values[0])
        self.made.append(node)
        return node

    def _children(self, node: ast.AST, nxt: int, context: Context) -> int:
        for child in reversed(children(node)):
            if isinstance(child, ast.expr):
                nxt = self.expression(child, nxt, context)
            elif isinstance(child, ast.keyword):
                nxt = self.expression(child.value, nxt, context)
        return nxt

    def _own_raise(self, node: ast.AST, nxt: int, context: Context) -> int:
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return self.call(nxt, context, _YIELD, node)
        return nxt

    def _collapsed(self, node: ast.expr, nxt: int, context: Context, kept: bool) -> int:
        """One step for a whole expression: only what it can raise matters, and which symbols it renews."""
        raises: set[Thrown] = set()
        first: ast.AST | None = None
        fresh: list[int] = []
        for part in own_nodes([node]):
            thrown: tuple[Thrown, ...] = ()
            if type(part) in SILENT or isinstance(part, ast.Name):
                continue
            if isinstance(part, ast.Call):
                thrown = () if self.events.is_quiet(part) else (SOME,)
            elif isinstance(part, ast.Await):
                thrown = _AWAIT
            elif isinstance(part, ast.Yield | ast.YieldFrom):
                thrown = _YIELD
            elif isinstance(part, ast.ListComp | ast.SetComp | ast.DictComp):
                thrown = _AWAIT if any(generator.is_async for generator in part.generators) else (SOME,)
            elif not isinstance(part, ast.GeneratorExp | ast.Dict | ast.List | ast.Set):
                continue
            fresh.append(id(part))
            self.graph.places[id(part)] = part
            raises.update(thrown)
            if thrown and first is None:
                first = part
        order = tuple(thrown for thrown in (SOME, CANCELLED, CLOSED) if thrown in raises)
        return self.call(nxt, context, order, first or node, tuple(fresh) if kept else ())

    def _effect(self, node: ast.Await | ast.Call, nxt: int, context: Context) -> int:
        """A call or await that does a deed, runs a local function, registers something, or just raises."""
        call = node.value if isinstance(node, ast.Await) else node
        target = self.events.inlined.get(id(call))
        if target is not None and isinstance(call, ast.Call):
            entry = self._inline_target(target, call, nxt, context)
            if entry is not None:
                return entry
            if self._gives(call):
                nxt = self.assign([(_result(call), symbol(call))], nxt, context)
        deed = self.events.deed(node, context.scope)
        if deed is None:
            implied = self._implied(call)
            deed = None if implied is None else self.events.scoped(implied, context.scope)
        if deed is not None:
            raises = _AWAIT if isinstance(node, ast.Await) else (SOME,)
            nxt = self._guarded_deed(deed, node, nxt, context, raises)
            return self._operands(deed, nxt, context)
        if isinstance(call, ast.Call):
            entry = self._called_back(call, nxt, context) if calls_back(call) else None
            if entry is not None:
                return entry
            entry = self._local_call(call, nxt, context, isinstance(node, ast.Await))
            if entry is not None:
                return entry
            if isinstance(call.func, ast.Attribute):
                site = self._stack_call(call, nxt, context, isinstance(node, ast.Await))
                if site is not None:
                    return site
        if isinstance(node, ast.Await):
            return self.expression(node.value, self.call(nxt, context, _AWAIT, node, (id(node),)), context)
        raised = () if self.events.is_quiet(node) else (SOME,)
        return self._children(node, self.call(nxt, context, raised, node, (id(node),)), context)

    def _operands(self, deed: Deed, nxt: int, context: Context) -> int:
        """What is evaluated before the deed: its receiver and the arguments that are no part of it."""
        node = deed.node
        parts: list[ast.expr] = list(deed.parts)
        receiver: ast.expr | None = node.func if isinstance(node, ast.Call) else None
        while isinstance(receiver, ast.Attribute):
            receiver = receiver.value
        if (
            deed.kind == "pause"
            and isinstance(receiver, ast.Call)
            and self.events.deed(receiver, context.scope) is None
            and last_name(receiver.func) != "getattr"
        ):
            parts.insert(0, receiver)
        for part in reversed(parts):
            if isinstance(part, ast.Starred):
                part = part.value
            if self.events.reference(part, context.scope) is None and (
                not isinstance(part, ast.Call) or self.events.deed(part, context.scope) is None
            ):
                nxt = self.expression(part, nxt, context)
        return nxt

    def _guarded_deed(self, deed: Deed, node: ast.expr, nxt: int, context: Context, raises: tuple[Thrown, ...]) -> int:
        done = self.deed(deed, nxt, context, raises, (id(node), id(deed.node)))
        if deed.over is None:
            return done
        return self.branch(deed.over, done, self.call(nxt, context, raises, node), context)

    def deed(
        self, deed: Deed, nxt: int, context: Context, raises: tuple[Thrown, ...], fresh: tuple[int, ...] = ()
    ) -> int:
        """A step that pauses or resumes."""
        syntax = deed.node
        for part in walk(syntax):
            if isinstance(part, ast.Call | ast.Await):
                self.graph.places[id(part)] = part
        if context.site is not None and deed.kind == "pause":
            if context.inlining and context.inlining[-1] in self.balanced:
                return self.call(nxt, context, raises, syntax)
            known = self._implied(context.site, syntax.lineno)
            deed = deed._replace(node=context.site, chain=known.chain if known is not None else deed.chain)
        over = None if deed.over is None else self._outer(deed.over, context)
        receiver = self.plain_path(self._named(self._outer(deed.receiver, context)))
        deed = deed._replace(receiver=receiver, over=None if over is None else self.plain_path(over))
        return self.add(
            g.DEED,
            context.depth,
            to=nxt,
            handler=context.handler,
            arg=deed,
            raises=raises,
            syntax=syntax,
            fresh=fresh,
            site=context.site,
        )

    def _implied(self, call: ast.expr, line: int = 0) -> Deed | None:
        """What a call does through what it runs: the deed that is done on `line`, if there is one, or the first."""
        known = self.events.implied.get(id(call), ())
        return next((deed for deed in known if deed.chain[-1].line == line), known[0] if known else None)

    def _stack_call(self, call: ast.Call, nxt: int, context: Context, awaited: bool) -> int | None:
        assert isinstance(call.func, ast.Attribute)
        attr, key = call.func.attr, ast.unparse(call.func.value)
        sites = self.names.registered.get(key, [])
        if call in sites:
            done = self.assign([(_flag(call), TRUE)], nxt, context)
            if attr.startswith("enter"):
                done = self.call(done, context, _AWAIT if awaited else (SOME,), call)
            return self.plain(call.args[1:], done, context)
        if sites and attr in ("close", "aclose", "pop_all"):
            done = self.assign([(_flag(site), FALSE) for site in sites], nxt, context)
            return self.unwind(sites, done, context)
        return None

    def _local_call(self, call: ast.Call, nxt: int, context: Context, awaited: bool) -> int | None:
        """A call of a local function that matters, or one that hands such a function on to be run."""
        if isinstance(call.func, ast.Lambda):
            return self._inline_value(call.func, call.args, call, nxt, context)
        if isinstance(call.func, ast.Name) and self.names.matter(call.func.id):
            return self._call_by_name(call.func.id, call, nxt, context, awaited)
        if self.events.registers(call) or stores(call.func) or takes_values(call):
            return None
        arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
        if len(set().union(*(self._kinds_of(argument) for argument in arguments))) > 1:
            return None  # both halves: whoever runs these brings them together
        for argument in arguments:
            run: int | None = None
            if isinstance(argument, ast.Name) and self.names.matter(argument.id):
                run = self._call_by_name(argument.id, call, nxt, context, awaited)
            elif isinstance(argument, ast.Lambda):
                run = self._inline_value(argument, [], call, nxt, context)
            elif isinstance(argument, ast.Call) and (
                isinstance(argument.func, ast.Name) and self.names.matter(argument.func.id)
            ):
                run = self._call_by_name(argument.func.id, argument, nxt, context, awaited)
            if run is not None:
                return self.plain([part for part in call.args if part is not argument], run, context)
        return None

    def _called_back(self, call: ast.Call, nxt: int, context: Context) -> int | None:
        """What a future calls once it is done, if that resumes; what it raises is logged and goes no further."""
        for target in call.args[:1]:
            if isinstance(target, ast.Name) and not self.names.matter(target.id):
                return None
            if isinstance(target, ast.Name | ast.Lambda) and self._kinds_of(target) == {"resume"}:
                caught = g.Clause(clause_types(None), nxt)
                dispatch = self.add(g.DISPATCH, context.depth + 1, handler=context.handler, arg=[caught])
                return self._inline_value(target, [], call, nxt, context._replace(handler=dispatch))
        return None

    def _call_by_name(self, name: str, call: ast.Call, nxt: int, context: Context, awaited: bool) -> int | None:
        values = self.names.resolved(name)
        known = self.names.bindings.get(name, 0) == 1 and len(values) == 1
        generic = self.call(nxt, context, _AWAIT if awaited else (SOME,), call)
        entry = generic
        for value in values:
            inlined = self._inline_value(value, call.args, call, nxt, context)
            if inlined is None:
                return None
            if known:
                entry = inlined
            else:
                entry = self.branch(
                    ("cmp", "==", ("name", context.scope.get(name, name)), ("func", id(value))), inlined, entry, context
                )
        return self.plain(call.args, entry, context)

    def _inline_value(
        self, value: ast.AST, args: Sequence[ast.expr], site: ast.expr, nxt: int, context: Context
    ) -> int | None:
        """The body of a local callable in place of a call of it; None if it is too deep or calls itself."""
        if isinstance(value, ast.Name):
            resolved = self.names.resolved(value.id)
            if len(resolved) != 1:
                return None
            value = resolved[0]
        if isinstance(value, ast.Attribute | ast.Call):
            deed = self.events.reference(value, context.scope)
            return (
                None
                if deed is None
                else self.deed(deed._replace(node=site), nxt, context, _AWAIT if deed.awaited else (SOME,))
            )
        if not isinstance(value, FUNCTIONS):
            return None
        given = self.names.closures.get(id(value))
        if given is None:
            parameters = [argument.arg for argument in (*value.args.posonlyargs, *value.args.args)]
            given = dict(zip(parameters, args, strict=False))
        return self._inline(value, given, site, nxt, context._replace(at_yield=None))

    def _inline_target(self, target: Target, site: ast.expr, nxt: int, context: Context) -> int | None:
        """The body of a function elsewhere in the tree in place of a call of it."""
        given = dict(target.arguments)
        parameters = [argument.arg for argument in (*target.node.args.posonlyargs, *target.node.args.args)]
        if target.receiver is not None and parameters and parameters[0] not in given:
            given[parameters[0]] = target.receiver
        result = _result(site) if self._gives(site) else ""
        within = context._replace(foreign=True, at_yield=None, result=result)
        entry = self._inline(target.node, given, site, nxt, within)
        operands = [argument for argument in getattr(site, "args", ()) if not isinstance(argument, ast.Starred)]
        return None if entry is None else self.plain(operands, entry, context)

    def _inline_manager(
        self,
        target: Target,
        site: ast.Call,
        block: Callable[[int, Context], int],
        body: Sequence[ast.stmt],
        nxt: int,
        context: Context,
    ) -> int | None:
        """A generator's body in place of a `with` over it, with the block of the `with` where it yields (PEP 343)."""
        yields = [node for node in own_nodes(target.node.body) if isinstance(node, ast.Yield)]
        if not 0 < len(yields) <= _MOST_YIELDS:
            return None

        before = len(self.graph.nodes)
        around = self.events, self.names

        def at_yield(after: int, inside: Context) -> int:
            if not any(node.leaves for node in self.graph.nodes[before:]):
                self._mark_leaving(before, body)  # what has been laid so far comes after the block
            within = context._replace(handler=inside.handler, depth=inside.depth, frames=inside.frames)
            return self._among(around, lambda: block(after, within))

        given = dict(target.arguments)
        first = [argument.arg for argument in (*target.node.args.posonlyargs, *target.node.args.args)][:1]
        if target.receiver is not None and first and first[0] not in given:
            given[first[0]] = target.receiver
        entry = self._inline(target.node, given, site, nxt, context._replace(foreign=True, at_yield=at_yield))
        return None if entry is None else self.plain(site.args, entry, context)

    def _inline(
        self, value: FunctionNode, given: Mapping[str, ast.expr], site: ast.expr, nxt: int, context: Context
    ) -> int | None:
        """The body of a function with its parameters bound to what is `given`; None if it is too deep or calls
        itself.
        """
        if id(value) in context.inlining or len(context.inlining) >= _INLINE_DEPTH:
            return None
        body: list[ast.stmt] = (
            [ast.copy_location(ast.Expr(value.body), value.body)] if isinstance(value, ast.Lambda) else value.body
        )
        nodes = list(own_nodes(body))
        waits = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes)
        if waits and context.at_yield is None:
            return None
        deeds = [self.events.deed(node, {}) for node in nodes if isinstance(node, ast.Call)]
        if {"pause", "resume"} <= {deed.kind for deed in deeds if deed is not None}:
            self.balanced.add(id(value))
        self.inlines += 1
        self.graph.inlined[id(value)] = value
        prefix = f"{self.inlines}@"
        outer = {name for node in nodes if isinstance(node, ast.Nonlocal | ast.Global) for name in node.names}
        bound = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)} - outer
        bound |= {handler.name for handler in nodes if isinstance(handler, ast.ExceptHandler) and handler.name}
        parameters = [*value.args.posonlyargs, *value.args.args, *value.args.kwonlyargs]
        parameters += [rest for rest in (value.args.vararg, value.args.kwarg) if rest is not None]
        if context.foreign:  # what a function returns is given what that one is given
            named = {parameter.arg for parameter in parameters}
            parameters += [ast.arg(arg=name) for name in given if name not in named]
            self.made += parameters
        bound |= {parameter.arg for parameter in parameters}
        surrounding = {} if context.foreign else context.scope
        stored = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
        # What is handed on under a name and not bound again is the same thing there: so are its attributes.
        same = {
            parameter.arg: context.scope.get(argument.id, argument.id)
            for parameter in parameters
            if isinstance(argument := given.get(parameter.arg), ast.Name) and parameter.arg not in stored
        }
        inner = context._replace(
            returns=nxt,
            return_base=len(context.frames),
            loop=None,
            scope={**surrounding, **{name: prefix + name for name in bound}, **same},
            inlining=(*context.inlining, id(value)),
            site=context.site or site,
            foreign=False,
        )
        pairs: list[tuple[str, Term]] = []
        usual = defaults(value.args)
        for parameter in parameters:
            if parameter.arg in same:
                continue
            argument = given.get(parameter.arg, usual.get(parameter.arg))
            known = argument is not None and not isinstance(argument, ast.Starred)
            term = self.terms.of(argument, context.scope) if known and argument is not None else symbol(parameter)
            pairs.append((prefix + parameter.arg, term))
            self.graph.parameters[prefix + parameter.arg] = term
        after = self._give(NONE, nxt, inner)
        if context.foreign:
            entry = self._among(self._local_to(value, body), lambda: self.block(body, after, inner))
        else:
            entry = self.block(body, after, inner)
        return self.assign(pairs, entry, context, tuple(id(parameter) for parameter in parameters)) if pairs else entry

    def _local_to(self, value: FunctionNode, body: Sequence[ast.stmt]) -> _Names:
        """What a function elsewhere binds: its loop variables, its local functions."""
        found = self.local.get(id(value))
        if found is None:
            events = self.events.within(body)
            found = self.local[id(value)] = events, LocalNames(body, events)
        return found

    def _among(self, local: _Names, lay: Callable[[], int]) -> int:
        """What `lay` lays, in a body that binds other names than the one around it."""
        around = self.events, self.names
        self.events, self.names = local
        try:
            return lay()
        finally:
            self.events, self.names = around

    def _gives(self, call: ast.AST) -> bool:
        """Whether a call is one of a function that is put in its place and returns something."""
        target = self.events.inlined.get(id(call))
        return target is not None and any(
            isinstance(node, ast.Return) and node.value is not None for node in own_nodes(target.node.body)
        )

    def _given_by_calls(self, node: ast.expr, term: Term) -> Term:
        """A term with what calls give whose functions are put in their place as the variables that hold it."""
        if not self.events.inlined or not self.names.speak(node):
            return term
        calls = {id(part): part for part in own_nodes([node]) if isinstance(part, ast.Call) and self._gives(part)}
        if not calls:
            return term
        awaited = {
            id(part): part.value
            for part in own_nodes([node])
            if isinstance(part, ast.Await) and id(part.value) in calls
        }

        def leaf(part: Term) -> Term | None:
            call = (awaited.get(part[1]) or calls.get(part[1])) if part and part[0] == "sym" else None
            return None if call is None else ("name", _result(call))

        return substitute(term, leaf)

    def _named(self, term: Term) -> Term:
        """A term in which what calls give counts by their text, so that two calls of one getter agree."""

        def leaf(part: Term) -> Term | None:
            place = self.graph.places.get(part[1]) if part and part[0] == "sym" else None
            return None if place is None else ("got", ast.unparse(place))

        return substitute(term, leaf)

    def _outer(self, term: Term, context: Context) -> Term:
        """A term with loop variables, and the parameters of functions put in place, replaced by what they stand for."""

        def leaf(part: Term) -> Term | None:
            if not part or part[0] != "name":
                return None
            given = self.graph.parameters.get(part[1], context.items.get(part[1]))
            return None if given is None or given == part else substitute(given, leaf)

        return substitute(term, leaf)

    def _comprehension(
        self,
        node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp,
        nxt: int,
        context: Context,
        place: int = 0,
    ) -> int:
        """A comprehension that does something as the loop it is."""
        generator = node.generators[place]

        def body(again: int, inner: Context) -> int:
            if place + 1 < len(node.generators):
                start = self._comprehension(node, again, inner, place + 1)
            else:
                elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
                start = self.plain(elements, again, inner)
            for condition in reversed(generator.ifs):
                start = self.test(condition, start, again, inner)
            return start

        elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        raises = _AWAIT if generator.is_async else (SOME,)
        return self._for(generator.target, generator.iter, body, nxt, nxt, context, raises, elements)

    def test(self, node: ast.expr, true: int, false: int, context: Context) -> int:
        """Evaluate a condition with short circuits (Python reference, 6.11) and go to `true` or `false`."""
        match node:
            case ast.Constant(value=value):
                return true if value else false
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.test(operand, false, true, context)
            case ast.BoolOp(op=op, values=values):
                entry = self.test(values[-1], true, false, context)
                for operand in reversed(values[:-1]):
                    if isinstance(op, ast.And):
                        entry = self.test(operand, entry, false, context)
                    else:
                        entry = self.test(operand, true, entry, context)
                return entry
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.test(
                    test, self.test(body, true, false, context), self.test(orelse, true, false, context), context
                )
        asked = self._given_by_calls(node, self.terms.of(node, context.scope))
        return self.expression(node, self.branch(asked, true, false, context, node), context, kept=True)


def _result(call: ast.AST) -> str:
    """The variable for what a call gives whose function is put in its place."""
    return f"#result {id(call)}"


def _flag(site: ast.Call) -> str:
    """The variable that holds whether a registration has been made."""
    return f"#registered {id(site)}"


def _exits(call: ast.Call) -> bool:
    """`sys.exit()`, `exit()`, `quit()`: they raise SystemExit and never return."""
    func = call.func
    if isinstance(func, ast.Attribute):
        return func.attr == "exit" and last_name(func.value) == "sys"
    return isinstance(func, ast.Name) and func.id in ("exit", "quit")
