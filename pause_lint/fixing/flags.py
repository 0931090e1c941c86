"""The fix of last resort: a flag remembers whether the pause is open, and a finally around the rest closes it.

On a path that was right before, the flag is down at the end and nothing is called that was not called before.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence

from pause_lint.analysis.events import is_fan_out
from pause_lint.fixing.acts import Act, Scene, condition_of, is_stable, top_in
from pause_lint.fixing.edits import At, Edit, Keep, New, Piece, Plan, Try
from pause_lint.fixing.names import mentions, names
from pause_lint.fixing.spellings import Known, answer, chosen, confidence, resume_text

_AFTER_CLEANUP = "it would resume only after the cleanup that the function ends with"
_ANOTHER = "it resumes as another resume of the function does, which is not the one that this pause meets"
_ONCE_MORE = "what the call has resumed before it fails is resumed once more"


def flagged(scene: Scene, known: Known) -> Iterator[Plan]:
    """One flag for all pauses of the receiver, and one for this pause alone; first what takes in fewer lines.

    known: how the project resumes this receiver, for a pause that is never resumed.
    """
    pause = scene.pause
    again = [act for act in scene.pauses if act.site in scene.case.followed.closers]
    taken_over = [act for act in again if act.statement is not pause.statement]
    flag = _free_name(scene)
    found: list[tuple[int, Plan]] = []
    for pauses, resumes, others in (
        (scene.pauses, scene.resumes, []),
        ((pause,), scene.closing, taken_over),
    ):
        for doubtful in (False, True) if any(act.is_helped for act in resumes) else (False,):
            edits = _flag_edits(scene, flag, pauses, resumes, others, doubtful)
            source, safe, why = _closing(scene, pauses, known, doubtful)
            if edits is None or source is None:
                continue
            if any(len(scene.assigned.get(read, ())) > 1 for read in names(ast.parse(source), ast.Load)):
                continue
            block = _region(scene, pauses, [*pauses, *resumes, *others])
            top = top_in(pause, block)
            if top is not None and scene.is_within_cleanup(top):
                safe, why = False, _AFTER_CLEANUP
            plan = Plan(_whole(scene, flag, pauses, edits, (block, source)), safe, why)
            found.append(((block[-1].end_lineno or 0) - (block[0] if top is None else top).lineno, plan))
    found.sort(key=lambda entry: entry[0])
    yield from (plan for _, plan in found)


def _closing(scene: Scene, pauses: Sequence[Act], known: Known, doubtful: bool) -> tuple[str | None, bool, str]:
    """The resume for the finally; whether it can be trusted, and why not.

    doubtful: whether the calls that resume may fail before they do.
    """
    if not scene.resumes:
        name = chosen(scene.pause, known)
        return answer(scene.pause, name, known), *confidence(known, name)
    if not doubtful:
        source = resume_text(scene, pauses)
        spelt = {ast.unparse(act.statement): False for act in scene.resumes}
        spelt |= {ast.unparse(act.statement): True for act in scene.closing}
        known_here = source is None or spelt.get(source, True)
        return source, known_here, "" if known_here else _ANOTHER
    if is_fan_out(pauses[0].deed.receiver):
        return None, False, ""  # what a helper resumes one by one is no engine itself
    example = scene.resumes[0].deed
    harmless = scene.pause.deed.pair.harmless
    source = answer(pauses[0], example.spelling, Known(awaited=example.awaited))
    return source, harmless, "" if harmless else _ONCE_MORE


def _free_name(scene: Scene) -> str:
    function = scene.case.function.node
    candidates = (f"paused_{number}" if number > 1 else "paused" for number in itertools.count(1))
    return next(name for name in candidates if name not in scene.assigned and not mentions(function, name))


def _flag_edits(
    scene: Scene, flag: str, pauses: Sequence[Act], resumes: Sequence[Act], taken_over: Sequence[Act], doubtful: bool
) -> list[Edit] | None:
    """The flag goes up behind each pause, and down where it is closed or another takes over; None if it cannot.

    doubtful: whether it is up until calls that resume have returned.
    """
    edits = [
        *(_set_at_pause(scene, act, f"{flag} = True") for act in pauses),
        *(_set_at_resume(scene, act, f"{flag} = False", pauses, doubtful) for act in resumes),
        *(_set_at_pause(scene, act, f"{flag} = False") for act in taken_over),
    ]
    possible = [edit for edit in edits if edit is not None]
    return possible if len(possible) == len(edits) else None


def _set_at_pause(scene: Scene, act: Act, action: str) -> Edit | None:
    """The action behind a pause, or before it if it can take effect in part."""
    statement = act.statement
    if (
        isinstance(statement, ast.With | ast.AsyncWith)
        and len(statement.items) == 1
        and act.deed.node is statement.items[0].context_expr
    ):
        inside = scene.at(statement.body[0])
        return Edit(inside, inside, (New(action), Keep(inside)))
    if not isinstance(statement, ast.Expr | ast.Assign | ast.AnnAssign):
        return None
    new = _under_condition(act, action)
    if new is None:
        return None
    here = scene.at(statement)
    early = act.is_one_by_one and act.deed.pair.harmless
    return Edit(here, here, (new, Keep(here)) if early else (Keep(here), new))


def _set_at_resume(scene: Scene, act: Act, action: str, pauses: Sequence[Act], doubtful: bool) -> Edit | None:
    """The action before a resume, or behind a registration, which resumes later whatever happens, or behind a call that
    may fail before it resumes.
    """
    if not isinstance(act.statement, ast.Expr | ast.Assign | ast.AnnAssign | ast.Return | ast.With | ast.AsyncWith):
        return None
    new = _under_condition(act, action)
    if new is None:
        return None
    here = scene.at(act.statement)
    if doubtful and act.is_helped and not act.registers:
        return Edit(here, here, (Keep(here), new)) if isinstance(act.statement, ast.Expr) else None
    if not act.registers:
        return Edit(here, here, (new, Keep(here)))
    if any(here < scene.at(pause.statement) for pause in pauses):
        return None
    return Edit(here, here, (Keep(here), new))


def _under_condition(act: Act, action: str) -> New | None:
    """The action under the condition that the act's own statement has; None if that cannot be evaluated once more."""
    condition = condition_of(act.statement)
    if condition is None:
        return New(action)
    test, outcome = condition
    if not is_stable(test):
        return None
    text = ast.unparse(test)
    return New(f"if {text}:\n    {action}" if outcome else f"if not ({text}):\n    {action}")


def _region(scene: Scene, pauses: Sequence[Act], acts: Sequence[Act]) -> Sequence[ast.stmt]:
    """The smallest block that holds all acts. In a loop, one turn must not resume what an earlier one paused."""
    chain = pauses[0].chain
    for place, statement in enumerate(chain):
        spot = scene.blocks.spot(statement)
        looped = any(isinstance(outer, ast.For | ast.AsyncFor | ast.While) for outer in chain[place + 1 :])
        is_elif = spot.field == "orelse" and isinstance(spot.owner, ast.If) and isinstance(spot.block[0], ast.If)
        if is_elif or any(top_in(act, spot.block) is None for act in acts):
            continue
        if not looped or all(_is_closed_in(scene, act, spot.block) for act in pauses):
            return spot.block
    return scene.case.function.body


def _is_closed_in(scene: Scene, pause: Act, block: Sequence[ast.stmt]) -> bool:
    """Whether who goes through a block to its end resumes what the pause has paused there."""
    guards = _guards_in(pause, block)
    return guards is not None and any(
        others is not None and scene.at(pause.statement) < scene.at(act.statement) and scene.covers(guards, others)
        for act in scene.closing
        for others in [_guards_in(act, block)]
    )


def _guards_in(act: Act, block: Sequence[ast.stmt]) -> list[ast.If] | None:
    """The `if` statements around an act within a block; None if other than these and `with` stand around it."""
    found: list[ast.If] = []
    below = act.statement
    for outer in act.chain[1:]:
        if below in block:
            break
        if isinstance(outer, ast.If) and below in outer.body:
            found.insert(0, outer)
        elif not isinstance(outer, ast.With | ast.AsyncWith):
            return None
        below = outer
    return found


def _whole(
    scene: Scene, flag: str, pauses: Sequence[Act], edits: list[Edit], closing: tuple[Sequence[ast.stmt], str]
) -> tuple[Edit, ...]:
    """All edits of the plan: the flag's own, and the try around everything from the first pause on.

    closing: the block that the try stands in, and the resume for its finally.
    """
    body, source = closing
    tops = [top_in(act, body) for act in pauses]
    first = min(body.index(top) for top in tops if top is not None)
    only = pauses[0]
    # One plain pause in the function's own block: the flag starts up, behind it.
    plain = (
        len(pauses) == 1
        and only.statement is body[first]
        and first + 1 < len(body)
        and not only.deed.many
        and isinstance(only.statement, ast.Expr | ast.Assign | ast.AnnAssign)
        and condition_of(only.statement) is None
    )
    rest = body[first + 1 :] if plain else body[first:]
    start = scene.at(rest[0])
    merged = [edit for edit in _merged(edits) if edit.first >= start]
    direct = {edit.first: edit.pieces for edit in merged}
    wrapped: list[Piece] = []
    for statement in rest:
        wrapped += direct.get(scene.at(statement), (Keep(scene.at(statement)),))
    places = {scene.at(statement) for statement in rest}
    outside = tuple(edit for edit in merged if edit.first not in places)
    final = (New(f"if {flag}:\n    {source}"),)
    around = (New(f"{flag} = {plain}"), Try(tuple(wrapped), final))
    return (*outside, Edit(start, scene.at(rest[-1]), around))


def _merged(edits: list[Edit]) -> list[Edit]:
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
    return sorted(by_place.values(), key=lambda edit: edit.first, reverse=True)
