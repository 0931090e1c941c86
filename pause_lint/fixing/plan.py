"""How to cure one finding: candidate plans, the one that reads best first.

Works on the syntax tree and on what `analysis` says of the pause; it changes nothing. Every candidate keeps the calls and their
order on each path that was right before (DESIGN, section 5): a resume only moves into a `finally` if nothing else closes the
pause on the way, else a flag says at the end whether it is still open. Whether the finding is really gone is for the caller to
check on the rewritten source.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pause_lint.analysis import graph as g
from pause_lint.analysis.events import Deed, same_receiver
from pause_lint.analysis.flow import undoes
from pause_lint.analysis.guards import Terms
from pause_lint.analysis.program import Case
from pause_lint.fixing.blocks import Blocks
from pause_lint.fixing.edits import At, Edit, Header, Keep, New, Piece, Plan, Rebuilt, Try

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class NoPlan(Exception):
    """Why a finding cannot be fixed, for people."""

    reason: str


@dataclass(frozen=True, slots=True)
class _Act:
    """A pause or resume as a statement: its node in the graph, the statement, and the statements around it, innermost first."""

    index: int
    deed: Deed
    statement: ast.stmt
    chain: tuple[ast.stmt, ...]


def plans(case: Case, spellings: Sequence[str] = ()) -> Iterator[Plan]:
    """Candidate plans for the pause of `case`, best first.

    spellings: names of resumes that the project uses on this receiver, for a pause that is never resumed.
    """
    if isinstance(case.function.node, ast.Module):
        return
    planner = _Planner(case)
    if planner.pause is None:
        return
    if not planner.resumes:
        yield from planner.never(spellings)
        yield from planner.flagged(spellings)
        return
    if _condition(planner.pause.statement) is None:
        yield from planner.cleanup()
        yield from planner.straight()
        yield from planner.gap()
        yield from planner.partial()
        yield from planner.branches()
    yield from planner.flagged(())


class _Planner:
    def __init__(self, case: Case) -> None:
        self.case = case
        self.blocks = Blocks(case.module, case.function.node)
        self.graph = case.graph
        self.inside = {id(node) for node in ast.walk(case.function.node)}
        self.assigned = _assignments(case.function.node)
        pause = case.deed
        self.pause = self._act(case.site)
        related = [index for index, node in enumerate(self.graph.nodes) if node.op == g.DEED and same_receiver(pause.receiver, node.arg.receiver)]
        self.resumes = self._acts(index for index in related if undoes(self.graph.nodes[index].arg, pause))
        self.pauses = self._acts(index for index in related if self.graph.nodes[index].arg.pair.pauses & pause.pair.pauses and self.graph.nodes[index].arg.kind == "pause")
        self.closing = [act for act in self.resumes if act.index in case.followed.closers]
        self.reopened = any(act.index in case.followed.closers for act in self.pauses)

    def _act(self, index: int) -> _Act | None:
        node = self.graph.nodes[index]
        syntax = node.site if node.site is not None and id(node.syntax) not in self.inside else node.arg.node
        if node.site is not None:
            syntax = node.site
        if id(syntax) not in self.inside:
            return None
        statement = self.blocks.statement_of(syntax)
        return _Act(index, node.arg, statement, tuple(self.blocks.chain(statement)))

    def _acts(self, indices: Iterator[int]) -> list[_Act]:
        found: dict[int, _Act] = {}
        for index in indices:
            act = self._act(index)
            if act is not None:
                found.setdefault(id(act.statement), act)
        return list(found.values())

    def at(self, statement: ast.stmt) -> At:
        return self.blocks.at(statement)

    def keep(self, statements: Sequence[ast.stmt]) -> tuple[Piece, ...]:
        return tuple(Keep(self.at(statement)) for statement in statements)

    # -- shapes --------------------------------------------------------------------------------------------------------

    def cleanup(self) -> Iterator[Plan]:
        """Cleanup before the resume in a finally or handler: a nested try/finally around it.

        Only where the pause is open for certain when the cleanup starts: elsewhere a resume would be called that was not before.
        """
        pause = self.pause
        if pause is None or self.reopened:
            return
        for act in self.closing:
            unit = self._unit(act)
            spot = self.blocks.spot(unit)
            attempt = self.blocks.parents[id(spot.owner)] if isinstance(spot.owner, ast.ExceptHandler) else spot.owner
            if not isinstance(attempt, ast.Try) or not (spot.field == "finalbody" or spot.owner is not attempt) or not spot.index:
                continue
            outer = self.blocks.spot(attempt)
            top = self._top(pause, outer.block)
            if top is None or outer.block.index(top) >= outer.index or self._binds(spot.block[: spot.index], unit):
                continue
            guard = self._guards(pause, top)
            tests = [unit.test] if isinstance(unit, ast.If) else []
            if guard is None or len(guard) != len(tests) or not all(self._same_tests(a.test, b) for a, b in zip(guard, tests, strict=True)):
                continue
            earlier = [*attempt.body, *attempt.orelse]
            if any(statement in earlier for other in self.closing for statement in other.chain):
                continue
            before = spot.block[: spot.index]
            pieces = (Try(self.keep(before), self.keep([unit])),)
            yield Plan((Edit(self.at(before[0]), self.at(unit), pieces),), safe=True)

    def straight(self) -> Iterator[Plan]:
        """Resumed in a straight line: everything between goes into a try, the resume into its finally."""
        pause = self.pause
        if pause is None or self.reopened or len(self.closing) != 1:
            return
        resume = self.closing[0]
        common = self._common(pause, resume)
        if common is None:
            return
        block, first, last = common
        guard = self._guards(pause, block[first])
        other = self._guards(resume, block[last])
        if first == last or guard is None or other is None or not self._same_guards(guard, other):
            return
        if not self._is_pure(resume) or len(guard) > 1 or (guard and other[0].orelse):
            return
        split = self._split(pause, guard)
        body = [*split[1], *self.keep(block[first + 1 : last])]
        after: list[Piece] = []
        final: tuple[Piece, ...] = self.keep([resume.statement])
        if other:
            header = other[0]
            place = header.body.index(resume.statement)
            if place:
                body.append(Header(self.at(header), self.keep(header.body[:place]), owner=True))
            final = (Header(self.at(header), final, owner=not place),)
            rest = header.body[place + 1 :]
            if rest:
                after.append(Header(self.at(header), self.keep(rest)))
        moved = [*self._tail(pause, guard), *block[first + 1 : last], *(other[0].body[: other[0].body.index(resume.statement)] if other else ())]
        if not body or self._binds(moved, resume.statement, *(header.test for header in other)):
            return
        pieces = (*split[0], Try(tuple(body), final), *after)
        start = block[first] if split[0] else block[first + 1]
        yield Plan((Edit(self.at(start), self.at(block[last]), pieces),), safe=True)

    def gap(self) -> Iterator[Plan]:
        """Something between the pause and the try that resumes: it moves into the try, or into one around it."""
        pause = self.pause
        if pause is None or self.reopened or len(self.closing) != 1:
            return
        found = self._protecting(pause)
        if found is None:
            return
        block, first, last, attempt, unit = found
        guard = self._guards(pause, block[first])
        own = unit.test if isinstance(unit, ast.If) else None
        if guard is None or len(guard) > 1 or not self._same_tests(guard[0].test if guard else None, own):
            return
        split = self._split(pause, guard)
        between = (*split[1], *self.keep(block[first + 1 : last]))
        moved = [*self._tail(pause, guard), *block[first + 1 : last]]
        if not between or self._binds(moved, unit):
            return
        start = block[first] if split[0] else block[first + 1]
        if not attempt.handlers:
            inner: Piece = Rebuilt(self.at(attempt), body=(*between, *self.keep(attempt.body)))
            yield Plan((Edit(self.at(start), self.at(attempt), (*split[0], inner)),), safe=True)
        elif attempt.finalbody[-1] is unit:
            inner = Rebuilt(self.at(attempt), final=self.keep(attempt.finalbody[:-1]))
            pieces = (*split[0], Try((*between, inner), self.keep([unit])))
            yield Plan((Edit(self.at(start), self.at(attempt), pieces),), safe=True)

    def partial(self) -> Iterator[Plan]:
        """Many paused before the try: the pause moves into it, if resuming what was not paused does no harm."""
        pause = self.pause
        if pause is None or len(self.closing) > 1 or not pause.deed.pair.harmless:
            return
        if not (pause.deed.many or self._over_many(pause)):
            return
        found = self._protecting(pause)
        if found is None:
            return
        block, first, last, attempt, unit = found
        if attempt.handlers or self._binds(block[first:last], unit):
            return
        pieces = (Rebuilt(self.at(attempt), body=(*self.keep(block[first:last]), *self.keep(attempt.body))),)
        yield Plan((Edit(self.at(block[first]), self.at(attempt), pieces),), safe=True)

    def branches(self) -> Iterator[Plan]:
        """Resumed in several branches, or only in some: one finally instead, where each resume is the last thing its branch does."""
        pause = self.pause
        if pause is None or self.reopened or not self.closing or not all(self._is_pure(act) for act in self.resumes):
            return
        spot = self.blocks.spot(pause.statement)
        block, first = spot.block, spot.index
        tops = [self._top(act, block) for act in self.resumes]
        if None in tops or {act.index for act in self.resumes} != {act.index for act in self.closing}:
            return
        last = max(block.index(top) for top in tops if top is not None)
        if last <= first or len({ast.dump(act.statement) for act in self.resumes}) != 1:
            return
        region = block[first + 1 : last + 1]
        if not all(self._is_last_deed(act, block, last) for act in self.resumes) or self._binds(region, self.resumes[0].statement):
            return
        kept = self.resumes[-1] if self.resumes[-1].statement in region else self.resumes[0]
        direct = [act for act in self.resumes if act.statement in region]
        final: tuple[Piece, ...]
        edits = [Edit(self.at(act.statement), self.at(act.statement), (), (self.at(act.statement),)) for act in self.resumes if act not in direct]
        if direct:
            kept = direct[-1]
            final = self.keep([kept.statement])
            dropped = tuple(self.at(act.statement) for act in direct if act is not kept)
        else:
            final = (New(ast.unparse(kept.statement)),)
            dropped = ()
        body = self.keep([statement for statement in region if all(statement is not act.statement for act in direct)])
        if not body:
            return
        only = region[0]
        if len(body) == 1 and isinstance(only, ast.Try) and not only.finalbody:
            whole: Piece = Rebuilt(self.at(only), final=final)
        else:
            whole = Try(body, final)
        edits.append(Edit(self.at(region[0]), self.at(region[-1]), (whole,), dropped))
        yield Plan(tuple(edits), safe=True)

    def never(self, spellings: Sequence[str]) -> Iterator[Plan]:
        """Never resumed: the resume is written after the example of the pause and of the project."""
        pause = self.pause
        if pause is None:
            return
        guard_chain = [statement for statement in pause.chain[1:]]
        top = pause.statement
        guards: list[ast.If] = []
        for statement in guard_chain:
            if isinstance(statement, ast.If) and top in statement.body and not guards:
                guards.append(statement)
                top = statement
            else:
                break
        name = spellings[0] if spellings else sorted(pause.deed.pair.resumes)[0]
        source = _resume_source(pause, name)
        if source is None:
            return
        safe, why = _confidence(spellings, name)
        for used in ([top, pause.statement] if guards else [top]):
            spot = self.blocks.spot(used)
            guard = [statement for statement in guards if used is not pause.statement]
            split = self._split(pause, guard)
            rest = list(spot.block[spot.index + 1 :])
            end = self._last_use(pause, rest)
            rest = rest[:end]
            body = (*split[1], *self.keep(rest))
            if not body or self._binds([*self._tail(pause, guard), *rest], pause.statement):
                continue
            final: tuple[Piece, ...] = (New(source),)
            if guard:
                final = (New(f"if {ast.unparse(guard[0].test)}:\n    {source}"),)
            first = spot.block[spot.index] if split[0] else rest[0]
            last = rest[-1] if rest else spot.block[spot.index]
            yield Plan((Edit(self.at(first), self.at(last), (*split[0], Try(body, final))),), safe, why)

    def flagged(self, spellings: Sequence[str]) -> Iterator[Plan]:
        """Anything else: a flag remembers whether the pause is open, and a finally around the rest of the function closes it.

        On a path that was right before, the flag is down at the end and nothing is called that was not called before.
        First one flag for all pauses of the receiver is tried, then one for this pause alone.
        """
        if self.pause is None:
            return
        again = [act for act in self.pauses if act.index in self.case.followed.closers and act.statement is not self.pause.statement]
        for pauses, resumes, taken_over in ((self.pauses, self.resumes, []), ([self.pause], self.closing, again)):
            edits = self._flag_edits(pauses, resumes, taken_over)
            name = spellings[0] if spellings else min(self.pause.deed.pair.resumes)
            source = self._resume_text(pauses) if self.resumes else _resume_source(self.pause, name)
            if edits is None or source is None:
                continue
            if any(len(self.assigned.get(read, ())) > 1 for read in _names(ast.parse(source), ast.Load)):
                continue
            safe, why = (True, "") if self.resumes else _confidence(spellings, name)
            yield Plan(self._flag_plan(pauses, edits, source), safe, why)

    def _flag_edits(self, pauses: Sequence[_Act], resumes: Sequence[_Act], taken_over: Sequence[_Act]) -> list[Edit] | None:
        """The flag goes up behind each pause and down where the pause is closed or another one takes over; None if it cannot."""
        flag = self._flag()
        edits = [self._raise_flag(act, flag, "True") for act in pauses]
        edits += [self._lower_flag(act, flag, pauses) for act in resumes]
        edits += [self._raise_flag(act, flag, "False") for act in taken_over]
        return None if None in edits else [edit for edit in edits if edit is not None]

    def _flag(self) -> str:
        function = self.case.function.node
        candidates = (f"paused_{number}" if number > 1 else "paused" for number in itertools.count(1))
        return next(name for name in candidates if name not in self.assigned and not _mentions(function, name))

    def _flag_plan(self, pauses: Sequence[_Act], edits: list[Edit], source: str) -> tuple[Edit, ...]:
        flag = self._flag()
        body = self.case.function.node.body
        first = min(body.index(act.chain[-1]) for act in pauses)
        only = pauses[0]
        plain = len(pauses) == 1 and only.statement is body[first] and first + 1 < len(body)
        plain = plain and not only.deed.many and _condition(only.statement) is None
        rest = body[first + 1 :] if plain else body[first:]
        start = self.at(rest[0])
        merged = [edit for edit in _merged(edits) if edit.first >= start]
        direct = {edit.first: edit.pieces for edit in merged}
        wrapped: list[Piece] = []
        for statement in rest:
            wrapped += direct.get(self.at(statement), (Keep(self.at(statement)),))
        outside = tuple(edit for edit in merged if all(edit.first != self.at(statement) for statement in rest))
        final: tuple[Piece, ...] = (New(f"if {flag}:\n    {source}"),)
        return (*outside, Edit(start, self.at(rest[-1]), (New(f"{flag} = {plain}"), Try(tuple(wrapped), final))))

    # -- flags ---------------------------------------------------------------------------------------------------------

    def _raise_flag(self, act: _Act, flag: str, value: str) -> Edit | None:
        """`paused = True` behind a pause (before it, if it can take effect in part)."""
        here = self.at(act.statement)
        condition = _condition(act.statement)
        if not isinstance(act.statement, ast.Expr | ast.Assign | ast.AnnAssign):
            return None
        if condition is not None and not self._is_stable(condition[0]):
            return None
        new = New(_conditional(condition, f"{flag} = {value}"))
        early = act.deed.many and act.deed.pair.harmless
        return Edit(here, here, (new, Keep(here)) if early else (Keep(here), new))

    def _lower_flag(self, act: _Act, flag: str, pauses: Sequence[_Act]) -> Edit | None:
        """`paused = False` before a resume; behind a registration, which resumes later whatever happens."""
        here = self.at(act.statement)
        condition = _condition(act.statement)
        if not isinstance(act.statement, ast.Expr | ast.Assign | ast.AnnAssign | ast.Return):
            return None
        if condition is not None and not self._is_stable(condition[0]):
            return None
        new = New(_conditional(condition, f"{flag} = False"))
        if self._registers(act):
            if any(self._before(act.statement, pause.statement) for pause in pauses):
                return None
            return Edit(here, here, (Keep(here), new))
        return Edit(here, here, (new, Keep(here)))

    def _registers(self, act: _Act) -> bool:
        return any(isinstance(node, ast.Call) and re.search(r"callback|addCleanup|addfinalizer|push", ast.unparse(node.func)) for node in ast.walk(act.statement))

    def _is_stable(self, test: ast.expr) -> bool:
        terms = Terms()
        return not any(isinstance(node, ast.Await | ast.NamedExpr) or (isinstance(node, ast.Call) and not terms.is_stable_call(node)) for node in ast.walk(test))

    def _before(self, one: ast.stmt, other: ast.stmt) -> bool:
        return (one.lineno, one.col_offset) < (other.lineno, other.col_offset)

    def _resume_text(self, pauses: Sequence[_Act]) -> str | None:
        """The resume as one statement of its own, after the example of one that is there.

        It runs only if a pause has, so the names that every pause reads are bound then; other local names may not be.
        """
        local = set(self.assigned) | {node.name for node in ast.walk(self.case.function.node) if isinstance(node, _DEFINITIONS)}
        unbound = local.difference(self._parameters(), set.intersection(*(_names(act.statement, ast.Load) for act in pauses)))
        for source in self._resume_texts():
            if not _names(ast.parse(source), ast.Load) & unbound:
                return source
        return None

    def _resume_texts(self) -> Iterator[str]:
        for act in self.resumes:
            if self._is_pure(act) and not _binds_loop(act.statement, act):
                yield ast.unparse(act.statement)
        for act in self.resumes:
            if not self._registers(act) and id(act.deed.node) in self.inside and act.deed.over is None and self._is_call(act.deed.node):
                text = ast.unparse(act.deed.node)
                yield f"await {text}" if _is_awaited(act) else text
        for act in self.resumes:
            source = _resume_source(self.pauses[0], act.deed.spelling)
            if source is not None:
                yield source

    def _parameters(self) -> set[str]:
        node = self.case.function.node
        return set() if isinstance(node, ast.Module) else {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}

    def _is_call(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)

    def _over_many(self, act: _Act) -> bool:
        """Whether the act stands in a loop over its receivers."""
        return _binds_loop(act.statement, act)

    # -- looking around ------------------------------------------------------------------------------------------------

    def _unit(self, act: _Act) -> ast.stmt:
        """The resume with the guard or the loop that is around nothing else."""
        unit = act.statement
        for outer in act.chain[1:]:
            if isinstance(outer, ast.If | ast.For | ast.AsyncFor) and outer.body == [unit] and not outer.orelse:
                unit = outer
            else:
                break
        return unit

    def _top(self, act: _Act, block: Sequence[ast.stmt]) -> ast.stmt | None:
        return next((statement for statement in act.chain if any(statement is other for other in block)), None)

    def _common(self, pause: _Act, resume: _Act) -> tuple[Sequence[ast.stmt], int, int] | None:
        """The innermost block that holds both, and where in it they stand."""
        for statement in pause.chain:
            spot = self.blocks.spot(statement)
            top = self._top(resume, spot.block)
            if top is not None:
                place = next(index for index, other in enumerate(spot.block) if other is top)
                return (spot.block, spot.index, place) if place >= spot.index else None
        return None

    def _guards(self, act: _Act, top: ast.stmt) -> list[ast.If] | None:
        """The `if` statements between `top` and the act, outermost first; None if something else stands there."""
        found: list[ast.If] = []
        below = act.statement
        for outer in act.chain:
            if outer is act.statement:
                if outer is top:
                    return found
                continue
            if not isinstance(outer, ast.If) or not any(below is statement for statement in outer.body):
                return None
            found.insert(0, outer)
            below = outer
            if outer is top:
                return found
        return None

    def _same_guards(self, one: list[ast.If], other: list[ast.If]) -> bool:
        if len(one) != len(other):
            return False
        return all(self._same_tests(a.test, b.test) for a, b in zip(one, other, strict=True))

    def _same_tests(self, one: ast.expr | None, other: ast.expr | None) -> bool:
        if one is None or other is None:
            return one is other
        return ast.dump(self._expanded(one)) == ast.dump(self._expanded(other)) and self._is_stable(other)

    def _expanded(self, test: ast.expr) -> ast.expr:
        """A test that is a name bound once, as what it is bound to."""
        if isinstance(test, ast.Name) and len(self.assigned.get(test.id, ())) == 1:
            value = self.assigned[test.id][0]
            return value if value is not None else test
        return test

    def _split(self, pause: _Act, guard: Sequence[ast.If]) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
        """A guarded pause cut from what follows it under the guard: the part before the try, the part inside."""
        rest = self._tail(pause, guard)
        if not guard or not rest:
            return (), ()
        header = guard[0]
        head = [statement for statement in header.body if all(statement is not other for other in rest)]
        return (Header(self.at(header), self.keep(head), owner=True),), (Header(self.at(header), self.keep(rest)),)

    def _tail(self, pause: _Act, guard: Sequence[ast.If]) -> list[ast.stmt]:
        if not guard:
            return []
        body = guard[0].body
        place = next(index for index, statement in enumerate(body) if statement is pause.statement)
        return list(body[place + 1 :])

    def _protecting(self, pause: _Act) -> tuple[Sequence[ast.stmt], int, int, ast.Try, ast.stmt] | None:
        """A later try whose finally resumes: the block, the places of pause and try in it, the try, the resume with its guard."""
        for act in self.closing:
            common = self._common(pause, act)
            if common is None:
                continue
            block, first, last = common
            attempt = block[last]
            unit = self._unit(act)
            if isinstance(attempt, ast.Try) and first < last and any(unit is statement for statement in attempt.finalbody):
                return block, first, last, attempt, unit
        return None

    def _is_pure(self, act: _Act) -> bool:
        """Whether the statement is the resume and nothing else."""
        statement = act.statement
        if not isinstance(statement, ast.Expr):
            return False
        value = statement.value.value if isinstance(statement.value, ast.Await) else statement.value
        return value is act.deed.node or self.graph.nodes[act.index].site is value

    def _is_last_deed(self, act: _Act, block: Sequence[ast.stmt], last: int) -> bool:
        """Whether nothing is called between the resume and the end of the region."""
        below = act.statement
        for outer in (*act.chain[1:], None):
            spot = self.blocks.spot(below)
            later = spot.block[spot.index + 1 :]
            if spot.block is block:
                later = block[spot.index + 1 : last + 1]
            for statement in later:
                if any(isinstance(node, ast.Call | ast.Await | ast.Yield | ast.YieldFrom) for node in ast.walk(statement)):
                    return False
                if isinstance(statement, ast.Return | ast.Raise):
                    return not self._finally_around(act, block)
            if spot.block is block:
                return True
            if isinstance(outer, ast.For | ast.While | ast.AsyncFor | ast.With | ast.AsyncWith):
                return False
            if isinstance(outer, ast.Try) and (spot.field == "body" and outer.orelse or outer.finalbody):
                return False
            if outer is None:
                return False
            below = outer
        return False

    def _finally_around(self, act: _Act, block: Sequence[ast.stmt]) -> bool:
        for outer in act.chain[1:]:
            if any(outer is statement for statement in block):
                return isinstance(outer, ast.Try) and bool(outer.finalbody) or isinstance(outer, ast.With | ast.AsyncWith)
            if isinstance(outer, ast.With | ast.AsyncWith) or (isinstance(outer, ast.Try) and outer.finalbody):
                return True
        return False

    def _binds(self, statements: Sequence[ast.stmt], *users: ast.AST) -> bool:
        """Whether `statements` bind a name that one of `users` reads: it might not be bound yet when a finally runs."""
        read: set[str] = set()
        for user in users:
            own = _names(user, ast.Load)
            if isinstance(user, ast.For | ast.AsyncFor):
                own -= _names(user.target, ast.Store)
            read |= own
        return any(_names(statement, ast.Store) & read for statement in statements)

    def _last_use(self, pause: _Act, rest: Sequence[ast.stmt]) -> int:
        """How many of the statements after the pause belong to the region: up to the last use of what the pausing call gave."""
        statement = pause.statement
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            uses = [place for place, other in enumerate(rest) if _mentions(other, name)]
            if uses:
                return uses[-1] + 1
        return len(rest)


def _resume_source(pause: _Act, name: str) -> str | None:
    """The resume that answers a pause, in the pause's own form."""
    node = pause.deed.node
    if pause.deed.over is not None or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        text = ast.unparse(pause.statement) if isinstance(pause.statement, ast.Expr) else ""
        if not re.search(rf"\b{pause.deed.spelling}\b", text) or pause.deed.parts[1:]:
            return None
        return re.sub(rf"\b{pause.deed.spelling}\b(?:\([^()]*\))?", lambda match: name + ("()" if "(" in match[0] else ""), text)
    if node.func.attr != pause.deed.spelling:
        text = ast.unparse(node)
        if text.count(pause.deed.spelling) != 1:
            return None
        call = text.replace(pause.deed.spelling, name)
    else:
        call = f"{ast.unparse(node.func.value)}.{name}()"
    return f"await {call}" if pause.deed.awaited and _is_awaited(pause) else call


def _is_awaited(act: _Act) -> bool:
    return any(isinstance(node, ast.Await) for node in ast.walk(act.statement))


def _confidence(spellings: Sequence[str], name: str) -> tuple[bool, str]:
    """Whether a resume that is written anew can be trusted: the project must use it on the same receiver."""
    return (True, "") if spellings else (False, f"nothing in the project resumes this receiver; {name} is a guess")


def _condition(statement: ast.stmt) -> tuple[ast.expr, bool] | None:
    """The test under which a conditional expression or an `and`/`or` as a statement does its deed, and its outcome."""
    if not isinstance(statement, ast.Expr):
        return None
    match statement.value:
        case ast.IfExp(test=test, body=body):
            return test, any(isinstance(node, ast.Call) for node in ast.walk(body))
        case ast.BoolOp(op=op, values=values):
            test = values[0] if len(values) == 2 else ast.BoolOp(op, values[:-1])
            return test, isinstance(op, ast.And)
    return None


def _conditional(condition: tuple[ast.expr, bool] | None, action: str) -> str:
    if condition is None:
        return action
    test = ast.unparse(condition[0])
    return f"if {test}:\n    {action}" if condition[1] else f"if not ({test}):\n    {action}"


def _merged(edits: list[Edit]) -> tuple[Edit, ...]:
    """Edits of one statement as one edit, later statements first."""
    by_place: dict[At, Edit] = {}
    for edit in edits:
        known = by_place.get(edit.first)
        if known is None:
            by_place[edit.first] = edit
            continue
        pieces: list[Piece] = []
        for piece in known.pieces:
            pieces += edit.pieces if isinstance(piece, Keep) else [piece]
        by_place[edit.first] = Edit(edit.first, edit.last, tuple(pieces))
    return tuple(sorted(by_place.values(), key=lambda edit: edit.first, reverse=True))


def _assignments(function: ast.AST) -> dict[str, list[ast.expr | None]]:
    """Every name that a function binds, with what it is bound to where that is plain."""
    found: dict[str, list[ast.expr | None]] = {}
    plain: set[int] = set()
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value):
                found.setdefault(name, []).append(value)
                plain.add(id(target))
            case ast.arg(arg=name):
                found.setdefault(name, []).append(None)
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and id(node) not in plain:
            found.setdefault(node.id, []).append(None)
    return found


def _names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    """The names that `node` reads or binds, those of its comprehensions apart."""
    found: set[str] = set()
    inner: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.comprehension):
            inner |= {name.id for name in ast.walk(part.target) if isinstance(name, ast.Name)}
        elif isinstance(part, ast.Name) and isinstance(part.ctx, context):
            found.add(part.id)
    return found - inner


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(node))


def _parts(term: tuple[object, ...]) -> Iterator[tuple[object, ...]]:
    yield term
    for part in term:
        if isinstance(part, tuple):
            yield from _parts(part)


def _binds_loop(statement: ast.stmt, act: _Act) -> bool:
    """Whether the resume stands in a loop over its receivers: then the loop is needed with it."""
    return any(isinstance(outer, ast.For | ast.AsyncFor) and any(_mentions(statement, node.id) for node in ast.walk(outer.target) if isinstance(node, ast.Name)) for outer in act.chain[1:])
