"""The shapes of DESIGN, section 5, each as a function from a scene to the plans that cure it, if it has that shape.

Every plan keeps the calls and their order on each path that was right before: a resume only moves into a `finally` if
nothing else closes the pause on the way.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pause_lint.analysis.syntax import walk
from pause_lint.fixing.acts import Act, Scene, guards_of, is_stable, loop_of, top_in, unit_of
from pause_lint.fixing.cuts import cut_in_two, cut_out
from pause_lint.fixing.edits import Edit, Header, New, Piece, Plan, Rebuilt, Try
from pause_lint.fixing.names import binds, mentions
from pause_lint.fixing.spellings import Known, answer, chosen, confidence

_OBSERVABLE = (
    ast.Call,
    ast.Await,
    ast.Yield,
    ast.YieldFrom,
    ast.Import,
    ast.ImportFrom,
    ast.For,
    ast.AsyncFor,
    ast.With,
    ast.AsyncWith,
)
"""What others can see happening: nothing of it may change places with a resume."""


def cleanup(scene: Scene) -> Iterator[Plan]:
    """Cleanup before the resume in a finally or handler: a nested try/finally around it.

    Only where the pause is open for certain when the cleanup starts: elsewhere a resume would be called that was not
    called before.
    """
    if scene.reopened or len(scene.closing) != 1:
        return
    for act in scene.closing:
        unit = unit_of(act)
        spot = scene.blocks.spot(unit)
        in_handler = isinstance(spot.owner, ast.ExceptHandler)
        attempt = scene.blocks.parents[id(spot.owner)] if in_handler else spot.owner
        if not isinstance(attempt, ast.Try) or not (in_handler or spot.field == "finalbody") or not spot.place:
            continue
        outer = scene.blocks.spot(attempt)
        top = top_in(scene.pause, outer.block)
        before = spot.block[: spot.place]
        if top is None or outer.block.index(top) >= outer.place or binds(before, unit):
            continue
        guards = guards_of(scene.pause, top)
        if guards is None or not scene.same_guards(guards, [unit] if isinstance(unit, ast.If) else []):
            continue
        between = [*outer.block[outer.block.index(top) : outer.place], attempt]
        if guards and binds(between, guards[0].test):
            continue
        pieces = (Try(scene.keep(before), scene.keep([unit])),)
        yield Plan((Edit(scene.at(before[0]), scene.at(unit), pieces),), safe=True)


def straight(scene: Scene) -> Iterator[Plan]:
    """Resumed in a straight line: everything between goes into a try, the resume into its finally."""
    if scene.reopened or len(scene.closing) != 1:
        return
    resume = scene.closing[0]
    closing = scene.closing_of(resume)
    if closing and not isinstance(closing[0], ast.For | ast.AsyncFor):
        yield from _moved(scene, (scene.pause.statement, False), resume, closing)


def staged(scene: Scene) -> Iterator[Plan]:
    """Resumed by portions in a straight line: a try for each, one around the other, so that all come back."""
    if scene.reopened or len(scene.closing) < 2:
        return
    spot = scene.blocks.spot(scene.pause.statement)
    block, first = spot.block, spot.place
    found = [(block.index(act.statement), act) for act in scene.closing if act.statement in block]
    stages = sorted(found, key=lambda stage: stage[0])
    portions = [act.deed.portions for _, act in stages]
    if len(stages) < len(scene.closing) or stages[0][0] <= first or not all(portions):
        return
    if not all(scene.is_pure(act) for _, act in stages) or binds(
        block[first + 1 : stages[-1][0]], *(act.statement for _, act in stages)
    ):
        return
    whole: tuple[Piece, ...] = ()
    before = first
    for place, act in stages:
        body = (*whole, *scene.keep(block[before + 1 : place]))
        whole = (Try(body, scene.keep([act.statement])),) if body else scene.keep([act.statement])
        before = place
    yield Plan((Edit(scene.at(block[first + 1]), scene.at(block[before]), whole),), safe=True)


def gap(scene: Scene) -> Iterator[Plan]:
    """Something between the pause and the try that resumes: it moves into the try, or into one around it.

    Cleanup before the resume in its finally gets a try of its own where it needs one.
    """
    if scene.reopened or len(scene.closing) != 1:
        return
    found = _protection(scene)
    if found is None:
        return
    block, first, last, attempt, unit = found.block, found.first, found.last, found.attempt, found.unit
    guards = guards_of(scene.pause, block[first])
    own = unit.test if isinstance(unit, ast.If) else None
    if guards is None or len(guards) > 1 or not scene.same_tests(guards[0].test if guards else None, own):
        return
    tail = _tail(scene.pause, guards)
    head, inside = _split(scene, guards, tail)
    between = (*inside, *scene.keep(block[first + 1 : last]))
    if not between or binds([*tail, *block[first + 1 : last]], unit):
        return
    start = block[first] if head else block[first + 1]
    whole = _with_gap(scene, found, between)
    if whole is not None:
        yield Plan((Edit(scene.at(start), scene.at(attempt), (*head, whole)),), safe=True)
    place = attempt.finalbody.index(unit)
    earlier, later = attempt.finalbody[:place], attempt.finalbody[place + 1 :]
    if earlier and not attempt.handlers and not binds(earlier, unit):
        final = (Try(scene.keep(earlier), scene.keep([unit])), *scene.keep(later))
        whole = Rebuilt(scene.at(attempt), body=(*between, *scene.keep(attempt.body)), final=final)
        yield Plan((Edit(scene.at(start), scene.at(attempt), (*head, whole)),), safe=True)


def _with_gap(scene: Scene, found: _Protection, gap: tuple[Piece, ...]) -> Piece | None:
    """The try that resumes, with a gap before it taken in; None if its handlers would then see what fails there."""
    attempt, unit = found.attempt, found.unit
    if not attempt.handlers:
        return Rebuilt(scene.at(attempt), body=(*gap, *scene.keep(attempt.body)))
    if attempt.finalbody[-1] is not unit:
        return None
    inner = Rebuilt(scene.at(attempt), final=scene.keep(attempt.finalbody[:-1]))
    return Try((*gap, inner), scene.keep([unit]))


def partial(scene: Scene) -> Iterator[Plan]:
    """Many paused before the try: the pause moves into it, if resuming what was not paused does no harm."""
    pause = scene.pause
    if len(scene.closing) > 1 or not pause.deed.pair.harmless or not (scene.pauses_in_part or pause.is_looped):
        return
    found = _protection(scene)
    if found is None:
        return
    moved = found.block[found.first : found.last]
    whole = _with_gap(scene, found, scene.keep(moved))
    if whole is not None and not binds(moved, found.unit):
        yield Plan((Edit(scene.at(moved[0]), scene.at(found.attempt), (whole,)),), safe=True)


def fanned(scene: Scene) -> Iterator[Plan]:
    """Many paused, by a loop or at once, and later resumed: all of it goes into a try, the resume into its finally.

    What a helper pauses stays before the try: a call that raises has paused nothing.
    """
    pause = scene.pause
    taken_over = any(
        act.site in scene.case.followed.closers and act.statement is not pause.statement for act in scene.pauses
    )
    if len(scene.closing) != 1 or taken_over or not pause.deed.pair.harmless:
        return
    first, closing = loop_of(pause), scene.closing_of(scene.closing[0])
    inside = first is not pause.statement or scene.pauses_in_part
    if closing and (inside or isinstance(closing[0], ast.For | ast.AsyncFor)):
        yield from _moved(scene, (first, inside), scene.closing[0], closing)


def _moved(scene: Scene, opening: tuple[ast.stmt, bool], resume: Act, closing: Sequence[ast.stmt]) -> Iterator[Plan]:
    """A try around what follows the pause, with the resume in its finally.

    opening: the pause with its loop, and whether it goes into the try as well. closing: what resumes.
    """
    common = scene.common(resume)
    if common is None:
        return
    block, first, last = common
    opened, inside = opening
    guards = guards_of(scene.pause, block[first], opened)
    others = guards_of(resume, block[last], closing[0])
    if first == last or guards is None or others is None or not scene.covers(guards, others):
        return
    if any(guard.orelse for guard in others):
        return
    early = inside and not _works_before(opened, guards)
    head, tail = ((), scene.keep([block[first]])) if early else cut_in_two(scene, [opened], guards, behind=not inside)
    resuming = cut_out(scene, closing, others)
    body = (*tail, *scene.keep(block[first + 1 : last]), *resuming.before)
    moved = [*(block[first:last] if guards or inside else block[first + 1 : last]), *_before(closing[0], others)]
    if not body or binds(moved, *closing, *(guard.test for guard in (*guards, *others))):
        return
    pieces = (*head, Try(body, resuming.own), *resuming.behind) if tail else (Try(body, resuming.own), *resuming.behind)
    start = block[first] if tail else block[first + 1]
    end = block[last] if others else closing[-1]
    yield Plan((Edit(scene.at(start), scene.at(end), pieces),), safe=True)


def _before(statement: ast.stmt, guards: Sequence[ast.If]) -> list[ast.stmt]:
    """What stands before a statement under its guards, the statements around it apart."""
    found: list[ast.stmt] = []
    for guard, below in zip(guards, (*guards[1:], statement), strict=False):
        found += guard.body[: guard.body.index(below)]
    return found


def _works_before(statement: ast.stmt, guards: Sequence[ast.If]) -> bool:
    """Whether something is called before a statement under its guards."""
    return any(isinstance(node, _OBSERVABLE) for other in _before(statement, guards) for node in walk(other))


def tested(scene: Scene) -> Iterator[Plan]:
    """A lock got in the test of an `if` and released in its block: the work goes into a try, the release into its
    finally.
    """
    outer = scene.pause.statement
    if not isinstance(outer, ast.If) or len(scene.closing) != 1:
        return
    release = scene.closing[0].statement
    place = next((index for index, statement in enumerate(outer.body) if statement is release), 0)
    if place and scene.is_pure(scene.closing[0]):
        work = outer.body[:place]
        pieces = (Try(scene.keep(work), scene.keep([release])),)
        yield Plan((Edit(scene.at(work[0]), scene.at(release), pieces),), safe=True)


def branches(scene: Scene) -> Iterator[Plan]:
    """Resumed in several branches, or only in some: one finally instead.

    Where each resume is the last thing that its branch does.
    """
    resumes = scene.resumes
    if scene.reopened or not scene.closing or not all(scene.is_pure(act) for act in resumes):
        return
    spot = scene.blocks.spot(scene.pause.statement)
    block, first = spot.block, spot.place
    tops = [top_in(act, block) for act in resumes]
    if None in tops or {act.site for act in resumes} != {act.site for act in scene.closing}:
        return
    last = max(block.index(top) for top in tops if top is not None)
    if last <= first or len({ast.dump(act.statement) for act in resumes}) != 1:
        return
    region = block[first + 1 : last + 1]
    if any(isinstance(node, ast.TryStar) for statement in region for node in walk(statement)):
        return
    if not all(_is_last_deed(scene, act, block, last) for act in resumes) or binds(region, resumes[0].statement):
        return
    direct = [act for act in resumes if act.statement in region]
    edits = [
        Edit(scene.at(act.statement), scene.at(act.statement), (), (scene.at(act.statement),))
        for act in resumes
        if act not in direct
    ]
    final: tuple[Piece, ...]
    if direct:
        final = scene.keep([direct[-1].statement])
        dropped = tuple(scene.at(act.statement) for act in direct[:-1])
    else:
        final = (New(ast.unparse(resumes[0].statement)),)
        dropped = ()
    gone = [act.statement for act in direct]
    body = scene.keep(statement for statement in region if statement not in gone)
    if not body:
        return
    only = region[0]
    whole: Piece
    if len(body) == 1 and isinstance(only, ast.Try) and not only.finalbody:
        whole = Rebuilt(scene.at(only), final=final)
    else:
        whole = Try(body, final)
    edits.append(Edit(scene.at(region[0]), scene.at(region[-1]), (whole,), dropped))
    yield Plan(tuple(edits), safe=True)


def never(scene: Scene, known: Known) -> Iterator[Plan]:
    """Never resumed: the resume is written after the example of the pause and of the project.

    known: how the project resumes this receiver.
    """
    pause = scene.pause
    name = chosen(pause, known)
    source = answer(pause, name, known)
    if source is None:
        return
    safe, why = confidence(known, name)
    outer = pause.chain[1] if len(pause.chain) > 1 else None
    guarded = isinstance(outer, ast.If) and pause.statement in outer.body
    for guards in [[outer], []] if isinstance(outer, ast.If) and guarded else [[]]:
        top = guards[0] if guards else pause.statement
        spot = scene.blocks.spot(top)
        tail = _tail(pause, guards)
        head, inside = _split(scene, guards, tail)
        rest = list(spot.block[spot.place + 1 :])
        rest = rest[: _last_use(pause, rest)]
        body = (*inside, *scene.keep(rest))
        if not body or binds([*tail, *rest], pause.statement):
            continue
        if guards and not (is_stable(guards[0].test) and not binds([guards[0], *rest], guards[0].test)):
            continue
        final = New(f"if {ast.unparse(guards[0].test)}:\n    {source}" if guards else source)
        start = top if head else rest[0]
        end = rest[-1] if rest else top
        yield Plan((Edit(scene.at(start), scene.at(end), (*head, Try(body, (final,)))),), safe, why)


def entered(scene: Scene, known: Known) -> Iterator[Plan]:
    """An `__enter__` that can fail behind its pause, when nobody calls `__exit__`: it resumes itself then."""
    pause = scene.pause
    name = chosen(pause, known)
    source = answer(pause, name, known)
    spot = scene.blocks.spot(pause.statement)
    rest = spot.block[spot.place + 1 :]
    if source is None or not rest or scene.resumes:
        return
    safe, why = confidence(known, name)
    pieces = (Try(scene.keep(rest), (New(source), New("raise")), if_raised=True),)
    yield Plan((Edit(scene.at(rest[0]), scene.at(rest[-1]), pieces),), safe, why)


# -- what the shapes share


class _Protection(NamedTuple):
    """A later try whose finally resumes: the places of pause and try in their block, and the resume with its guard."""

    block: Sequence[ast.stmt]
    first: int
    last: int
    attempt: ast.Try
    unit: ast.stmt


def _protection(scene: Scene) -> _Protection | None:
    for act in scene.closing:
        common = scene.common(act)
        if common is None:
            continue
        block, first, last = common
        attempt = block[last]
        if not isinstance(attempt, ast.Try) or first >= last:
            continue
        unit = unit_of(act)
        for outer in act.chain[act.chain.index(unit) + 1 :]:
            if unit in attempt.finalbody or not isinstance(outer, ast.Try | ast.With | ast.AsyncWith):
                break
            if unit not in outer.body:
                break
            unit = outer
        if unit in attempt.finalbody:
            return _Protection(block, first, last, attempt, unit)
    return None


def _tail(pause: Act, guards: Sequence[ast.If]) -> list[ast.stmt]:
    """What follows a guarded pause under its guard."""
    if not guards:
        return []
    body = guards[0].body
    return body[body.index(pause.statement) + 1 :]


def _split(
    scene: Scene, guards: Sequence[ast.If], tail: Sequence[ast.stmt]
) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """A guarded pause cut from its `tail`: the part before the try, the part inside."""
    if not guards or not tail:
        return (), ()
    header = guards[0]
    head = header.body[: -len(tail)]
    return (
        (Header(scene.at(header), scene.keep(head), owner=True),),
        (Header(scene.at(header), scene.keep(tail)),),
    )


def _last_use(pause: Act, rest: Sequence[ast.stmt]) -> int:
    """How many of the statements after the pause belong to the region.

    Up to the last use of what the pausing call gave, else all.
    """
    statement = pause.statement
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        name = statement.targets[0].id
        uses = [place for place, other in enumerate(rest) if mentions(other, name)]
        if uses:
            return uses[-1] + 1
    return len(rest)


def _is_last_deed(scene: Scene, act: Act, block: Sequence[ast.stmt], last: int) -> bool:
    """Whether nothing is called between the resume and the end of the region, which is that of `block` at `last`."""
    below = act.statement
    for outer in (*act.chain[1:], None):
        spot = scene.blocks.spot(below)
        stop = last + 1 if spot.block is block else len(spot.block)
        for statement in spot.block[spot.place + 1 : stop]:
            if any(isinstance(node, _OBSERVABLE) for node in walk(statement)):
                return False
            if isinstance(statement, ast.Return | ast.Raise):
                return not _has_cleanup_around(act, block)
        if spot.block is block:
            return True
        if isinstance(outer, ast.For | ast.While | ast.AsyncFor | ast.With | ast.AsyncWith):
            return False
        if isinstance(outer, ast.Try) and (
            (spot.field == "body" and (outer.orelse or outer.handlers)) or outer.finalbody
        ):
            return False
        if outer is None:
            return False
        below = outer
    return False


def _has_cleanup_around(act: Act, block: Sequence[ast.stmt]) -> bool:
    """Whether a `with`, a `finally` or handlers for its own failure stand around the act, up to the statement of
    `block`.
    """
    below = act.statement
    for outer in act.chain[1:]:
        if isinstance(outer, ast.With | ast.AsyncWith) or (isinstance(outer, ast.Try) and outer.finalbody):
            return True
        if isinstance(outer, ast.Try) and outer.handlers and below in outer.body:
            return True
        below = outer
        if outer in block:
            return False
    return False
