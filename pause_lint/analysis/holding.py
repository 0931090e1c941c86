"""The opt-in rules about who holds a pause: a callee that resumes it early (PR006), a pair split over two functions
(PR007).

Reads what `effects` and `ownership` know; follows no paths.
"""

from __future__ import annotations

from collections.abc import Iterator

from pause_lint.analysis import ownership
from pause_lint.analysis.conducts import View
from pause_lint.analysis.effects import Effects, Link, Summary
from pause_lint.analysis.events import Deed, same_receiver
from pause_lint.analysis.flow import undoes
from pause_lint.analysis.ownership import Surroundings
from pause_lint.analysis.witness import short, span
from pause_lint.finding import Finding, Step


def early_resumes(effects: Effects) -> Iterator[Finding]:
    """PR006: calls that resume, through what they run, what their caller pauses before and resumes after them."""
    for key in sorted(effects.summaries, key=lambda key: effects.summaries[key].routine.order):
        summary = effects.summaries[key]
        for link in summary.links:
            if link.effect.kind == "resume":
                for pause in summary.conduct.pauses:
                    if _holds(summary, pause, link):
                        yield _early(summary, pause, link)
                        break


def _holds(summary: Summary, pause: Deed, link: Link) -> bool:
    """Whether the function pauses before the call and resumes after it, by itself and the same thing."""
    if link.effect.spelling not in pause.pair.resumes or not same_receiver(pause.receiver, link.effect.receiver):
        return False
    later = [
        deed
        for deed in summary.conduct.resumes
        if undoes(deed, pause) and same_receiver(pause.receiver, deed.receiver) and deed.node.lineno > link.call.lineno
    ]
    return pause.node.lineno < link.call.lineno and bool(later)


def _early(summary: Summary, pause: Deed, link: Link) -> Finding:
    module = summary.routine.module
    message = (
        f"{short(link.call)} resumes {pause.pair.noun} while {summary.routine.name} still holds it paused "
        f"since line {pause.node.lineno}"
    )
    place = span(module, pause.node)
    name = summary.routine.function.name
    text = f"{short(pause.node)} pauses {pause.pair.noun}"
    paused = Step(module.path, place.line, place.column, text, "pause", name)
    return Finding(
        "PR006",
        "early-resume",
        message,
        module.path,
        span(module, link.call),
        name,
        (paused, *link.effect.steps),
    )


def split_pairs(view: View, around: Surroundings) -> Iterator[Finding]:
    """PR007: functions that pause and leave the resume to another, which nothing is sure to run."""
    for conduct in view.conducts:
        for pause in conduct.pauses:
            if ownership.resumes_itself(conduct, pause):
                continue
            other = ownership.other_half(conduct, pause, around)
            if other is None:
                continue
            place = span(view.module, pause.node)
            message = (
                f"{pause.pair.noun} paused by {short(pause.node)} is resumed in {other.short}, "
                f"and nothing guarantees that {other.short} runs"
            )
            text, name = f"{short(pause.node)} pauses {pause.pair.noun}", conduct.function.name
            first = Step(view.module.path, place.line, place.column, text, "pause", name)
            line = getattr(other.node, "lineno", 1)
            second = Step(view.module.path, line, 1, f"{other.short} resumes, if it is called", "resume", other.name)
            yield Finding("PR007", "split", message, view.module.path, place, name, (first, second))
