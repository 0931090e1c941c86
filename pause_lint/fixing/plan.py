"""How to cure one finding: candidate plans, the one that reads best first.

Works on the syntax tree and on what `analysis` says of the pause; it changes nothing. Whether the finding is really
gone is for the caller to check on the rewritten source.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pause_lint.analysis import graph as g
from pause_lint.analysis.flow import undoes
from pause_lint.analysis.program import Case
from pause_lint.analysis.syntax import own_nodes, walk
from pause_lint.fixing import shapes
from pause_lint.fixing.acts import Scene, condition_of, scene_of
from pause_lint.fixing.edits import Plan
from pause_lint.fixing.flags import flagged
from pause_lint.fixing.spellings import Known, Spellings
from pause_lint.fixing.trial import tried

_TWICE = "what resumes later elsewhere may then resume twice"
_ON_PURPOSE = "it exists to pause; resume where it is called"
_UNGUARDED = "the call pauses under a condition of its own, and the finally may resume what was not paused"
_NO_SHAPE = "no rewrite is known for this shape; resume in a finally by hand"
_MORE = "what resumes does other things as well, which would be done after a failure, too"
_HALF_WAY = "where the pause fails half-way, what it has paused is not known, and to resume the rest is an error"
_IN_STEPS = "it is resumed in steps, each under a condition of its own; resume all of it in a finally by hand"
_MANY_PATHS = "there are too many paths through the function to be sure that each of them resumes"
_RESUMED = (
    shapes.cleanup,
    shapes.straight,
    shapes.staged,
    shapes.gap,
    shapes.partial,
    shapes.fanned,
    shapes.tested,
    shapes.branches,
)


def plans(case: Case, spellings: Spellings) -> Iterator[Plan]:
    """The plans that cure the pause of `case`, best first. `spellings`: how the project resumes."""
    last = _pauses_last(case)
    scene = None if isinstance(case.function.node, ast.Module) else scene_of(case)
    if scene is None or (last and _only_pauses(case)) or _never_awaited(case):
        return
    why_unsafe = _why_unsafe(scene, last)
    for plan in _plans(scene, spellings):
        trial = tried(case, plan)
        if trial.cures:
            why = why_unsafe or ("" if trial.is_sure else _MANY_PATHS)
            yield Plan(plan.edits, safe=False, why_unsafe=why) if why and plan.safe else plan


def _why_unsafe(scene: Scene, last: bool) -> str:
    """Why no plan can be trusted, whatever its shape; empty if one can. last: whether no work follows the pause."""
    if _hands_on(scene.case):
        return _TWICE
    if last:
        return _ON_PURPOSE
    guarded = any(isinstance(outer, ast.If) for act in scene.closing for outer in act.chain[1:])
    if guarded and scene.may_not_pause:
        return _UNGUARDED
    return _MORE if scene.goes_on_resuming else ""


def why_none(case: Case) -> str:
    """Why there is no plan for a case: no rewrite of the function can be right, or none is known."""
    if _pauses_last(case) and _only_pauses(case):
        return _ON_PURPOSE
    if line := _never_awaited(case):
        return f"the resume on line {line} makes a coroutine that nobody awaits; await it there"
    scene = None if isinstance(case.function.node, ast.Module) else scene_of(case)
    if scene is not None and scene.pauses_in_part and not case.deed.pair.harmless:
        return _HALF_WAY
    if scene is not None and len(scene.closing) > 1 and any(act.deed.portions for act in scene.closing):
        return _IN_STEPS
    return _NO_SHAPE


def _never_awaited(case: Case) -> int:
    """The line on which the function would resume if it awaited the coroutine it makes there (PR004); 0 if none."""
    conduct = case.program.effects.conducts.get(id(case.function.node))
    dropped = conduct.dropped if conduct is not None else ()
    return next((deed.node.lineno for deed in dropped if undoes(deed, case.deed)), 0)


def _only_pauses(case: Case) -> bool:
    """Whether the function does no work at all but to pause."""
    loops = _loops(case)
    return not any(_works(node, loops) for node in case.graph.nodes)


def _pauses_last(case: Case) -> bool:
    """Whether nothing that does work follows the pause: to resume there is not to have paused at all."""
    if isinstance(case.function.node, ast.Module):
        return False  # nobody calls it to have something paused
    nodes = case.graph.nodes
    loops = _loops(case)
    seen: set[int] = set()
    stack = [nodes[case.site].next]
    while stack:
        index = stack.pop()
        if index < 0 or index in seen:
            continue
        seen.add(index)
        node = nodes[index]
        if _works(node, loops):
            return False
        if node.op == g.DEED and node.arg.kind == "resume":
            return False
        stack += [node.next, node.alt, *(node.arg if node.op == g.END else ())]
    return True


def _loops(case: Case) -> frozenset[int]:
    loops = (node for node in walk(case.graph.function) if isinstance(node, ast.For | ast.AsyncFor))
    return frozenset(id(loop.iter) for loop in loops)


def _works(node: g.Node, loops: frozenset[int]) -> bool:
    """Whether a step does work of its own. Another pause is no work, nor is to go through what is paused."""
    return node.op == g.RAISE or (node.op == g.CALL and bool(node.raises) and id(node.syntax) not in loops)


def _hands_on(case: Case) -> bool:
    """Whether the function names a resume of the pause's pair without doing it, so that something else may do it
    later: `future.add_done_callback(engine.resume)`, also within a lambda or a nested function.
    """
    deeds = [node.arg.node for node in case.graph.nodes if node.op == g.DEED]
    every = list(walk(case.function.node))
    deeds += [node.site for node in case.graph.nodes if node.op == g.DEED and node.site is not None]
    done = {id(part) for deed in deeds for part in walk(deed)}
    done |= {id(node.value) for node in every if isinstance(node, ast.Assign)}  # called by another name
    # What is called is not handed on: a method of that name of something else.
    own = [node for node in own_nodes(case.function.body) if isinstance(node, ast.Call)]
    done |= {id(part) for node in own for part in walk(node.func)}
    return any(
        isinstance(node, ast.Attribute) and node.attr in case.deed.pair.resumes and id(node) not in done
        for node in every
    )


def _plans(scene: Scene, spellings: Spellings) -> Iterator[Plan]:
    case = scene.case
    known = Known() if scene.resumes else spellings.of(case)
    if case.may_return:
        yield from shapes.entered(scene, known)
        return
    if condition_of(scene.pause.statement) is None:
        if scene.resumes:
            for shape in _RESUMED:
                yield from shape(scene)
        else:
            yield from shapes.never(scene, known)
    yield from flagged(scene, known)
    handed_on = scene.resumes and all(act.is_handed_on for act in scene.resumes)
    if handed_on and condition_of(scene.pause.statement) is None:
        for plan in shapes.never(scene, Known((scene.resumes[0].deed.spelling,))):
            yield Plan(plan.edits, safe=False, why_unsafe=_TWICE)
