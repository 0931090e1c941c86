"""Who has to answer for a pause that a function leaves behind: the function, a caller, or nobody (DESIGN, section 4).

Reads the summaries of `effects`; follows no paths. A function that resumes takes the duty. If none does, the finding
stands at the innermost function that offers the pair to nobody and has the receiver at hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from pause_lint.analysis import ownership
from pause_lint.analysis.effects import Effect, Effects, Link, Summary, answers_for
from pause_lint.analysis.endpoints import Endpoint
from pause_lint.analysis.events import Deed
from pause_lint.analysis.guards import Term
from pause_lint.analysis.index import Class, Routine
from pause_lint.pairs import Pair, answers, is_primitive, plain_name


class Duty:
    """Answers about the functions of a tree whose effects are known."""

    def __init__(self, effects: Effects) -> None:
        self.effects = effects
        self.hand = frozenset(self._names_at_hand())

    # -- providers -----------------------------------------------------------------------------------------------------

    def is_provider(self, routine: Routine, pair: Pair, seen: frozenset[int] = frozenset()) -> bool:
        """Whether a function offers the pair to others and passes the duty on.

        Methods of a class that has both halves, handlers of an application that serves both, the primitives, and
        functions that only providers call.
        """
        function = routine.function
        key = id(function.node)
        if key in seen:
            return True
        if is_primitive(function.short, pair) or self.serves_both(routine, pair):
            return True
        owner = self.effects.index.owner(function)
        if owner is not None:
            return self.has_both_halves(owner, pair)
        if function.parent is not None:
            parent = self.effects.index.routines.get(id(function.parent.node))
            return parent is not None and self.is_provider(parent, pair, seen | {key})
        callers = [link for link in self.effects.callers.get(key, ()) if link.caller is not routine]
        return bool(callers) and all(self.is_provider(link.caller, pair, seen | {key}) for link in callers)

    def has_both_halves(self, one: Class, pair: Pair) -> bool:
        """Whether a class defines both halves, or has methods that do nothing but pause and nothing but resume."""
        plain = {plain_name(name) for name in one.methods}
        if plain & pair.pauses and plain & pair.resumes:
            return True
        halves = set()
        for method in one.methods.values():
            summary = self.effects.summaries.get(id(method.function.node))
            if summary is not None:
                halves |= {kind for kind in ("pause", "resume") if _only(summary, kind, pair)}
        return len(halves) == 2

    def serves_both(self, routine: Routine, pair: Pair) -> bool:
        """Whether it is a handler of an application, or of a file, that serves a route of each half."""
        own = [endpoint for endpoint in self.effects.endpoints if endpoint.handler is routine]
        beside = [other for other in self.effects.endpoints if any(other.application == one.application for one in own)]
        return any(_serves(endpoint, pair.pauses) for endpoint in beside) and any(
            _serves(endpoint, pair.resumes) for endpoint in beside
        )

    def only_at_the_end(self, routine: Routine, seen: frozenset[int] = frozenset()) -> bool:
        """Whether a function is called by `close`, `shutdown` and the like only: its pause is the last one."""
        key = id(routine.function.node)
        if key in seen:
            return True
        callers = [link.caller for link in self.effects.callers.get(key, ())]
        return bool(callers) and all(
            ownership.is_final(caller.name) or self.only_at_the_end(caller, seen | {key}) for caller in callers
        )

    # -- duty ----------------------------------------------------------------------------------------------------------

    def takes(self, summary: Summary, effect: Effect, through: str = "") -> bool:
        """Whether a function resumes what `effect`, in its own names, pauses.

        through: the name of the function that it calls and that pauses. Of what may rest, one that only goes from phase
        to phase takes no duty: it must resume itself, or call what answers that name.
        """
        for deed in summary.conduct.resumes:
            receiver = self.effects.outward(deed.receiver, summary.routine)
            done = Effect(deed.kind, deed.pair, receiver, deed.spelling, ())
            known = effect._replace(receiver=self.effects.outward(effect.receiver, summary.routine))
            if answers_for(done, known):
                return True
        return any(
            link.effect.kind == "resume"
            and answers_for(link.effect, effect)
            and (not effect.pair.rests or answers(through, link.callee.name))
            for link in summary.links
        )

    def taken_above(self, routine: Routine, effect: Effect) -> bool:
        """Whether some caller, at any distance, resumes what the function leaves paused."""
        return any(self._takes_link(link) for link in self._links_above(routine, effect))

    def _takes_link(self, link: Link) -> bool:
        summary = self.effects.summaries.get(id(link.caller.function.node))
        return summary is not None and (link.covered or self.takes(summary, link.effect, link.callee.name))

    def _links_above(self, routine: Routine, effect: Effect) -> Iterator[Link]:
        """The calls, direct and indirect, through which an effect reaches other functions."""
        seen: set[int] = set()
        stack = [routine]
        while stack:
            callee = stack.pop()
            for link in self.effects.callers.get(id(callee.function.node), ()):
                if (
                    link.effect.kind != effect.kind
                    or link.effect.steps[-1] != effect.steps[-1]
                    or id(link.call) in seen
                ):
                    continue
                seen.add(id(link.call))
                yield link
                if link.caller is not callee and not link.covered:
                    stack.append(link.caller)

    def stands(self, routine: Routine, effect: Effect, link: Link | None) -> bool:
        """Whether the finding for a pause that a function leaves stands at this function.

        `link` is the call through which it has it, None for a pause of its own.
        """
        if effect.pair.rests or self.taken_above(routine, effect):
            return False
        if self.is_provider(routine, effect.pair):
            return link is None and self._goes_on(routine, effect)
        if link is None:
            return True
        if self._overrides(routine, link.callee):
            return False
        if self._stands_below(link):
            return False
        if self._is_at_hand(effect.receiver):
            return True
        return not any(
            self._is_at_hand(above.effect.receiver) and not self.is_provider(above.caller, effect.pair)
            for above in self._links_above(routine, effect)
        )

    def _overrides(self, routine: Routine, callee: Routine) -> bool:
        """Whether a method does what the one does that it overrides, and more: it is one in its place."""
        one = self.effects.index.owner(routine.function)
        return (
            one is not None
            and routine.name == callee.name
            and routine is not callee
            and self.effects.index.base_method(one, routine.name) is callee
        )

    def _goes_on(self, routine: Routine, effect: Effect) -> bool:
        """Whether a provider's method pauses by itself and then does other work: it is held like any function."""
        summary = self.effects.summaries.get(id(routine.function.node))
        if summary is None or routine.function.owner is None:
            return False
        if plain_name(routine.name) in effect.pair.pauses or self.serves_both(routine, effect.pair):
            return False
        deeds = [deed for deed in summary.conduct.pauses if deed.node.lineno == effect.steps[0].line]
        return any(ownership.goes_on(routine.function, deed) and not self.is_half(summary, deed) for deed in deeds)

    def _stands_below(self, link: Link) -> bool:
        """Whether the finding stands at the function that the call runs, or further in."""
        callee = self.effects.summaries.get(id(link.callee.function.node))
        if callee is None or link.callee is link.caller:
            return False
        for effect in callee.effects:
            if effect.steps[-1] != link.effect.steps[-1]:
                continue
            inner = next((one for one in callee.links if one.effect.steps == effect.steps), None)
            deed = next((one for one in callee.conduct.pauses if one.node.lineno == effect.steps[0].line), None)
            if inner is None and deed is not None and self.is_half(callee, deed):
                return True
            if self.stands(link.callee, effect, inner) or (inner is not None and self._stands_below(inner)):
                return True
        return False

    def is_half(self, summary: Summary, deed: Deed) -> bool:
        """Whether a function is the pausing half of a split pair: callers that do not use the other half need not."""
        around = self.effects.surroundings(summary.routine)
        return around is not None and ownership.is_half(summary.conduct, deed, around)

    def _is_at_hand(self, receiver: Term) -> bool:
        return any(name in self.hand for name in _path(receiver))

    def _names_at_hand(self) -> Iterator[str]:
        """The names of what functions other than providers pause and resume."""
        for summary in self.effects.summaries.values():
            for deed in (*summary.conduct.pauses, *summary.conduct.resumes):
                path = list(_path(deed.receiver))
                if path and path[0] != "self" and not self.is_provider(summary.routine, deed.pair):
                    yield path[0]


def _only(summary: Summary, kind: str, pair: Pair) -> bool:
    """Whether a function does deeds of this kind of the pair, and neither itself nor through calls the other."""
    done = {
        deed.kind
        for deed in (*summary.conduct.pauses, *summary.conduct.resumes)
        if deed.pair.pauses & pair.pauses or deed.pair.resumes & pair.resumes
    }
    through = {link.effect.kind for link in summary.links if link.effect.pair.pauses & pair.pauses}
    return done == {kind} and through <= done


def _serves(endpoint: Endpoint, names: frozenset[str]) -> bool:
    return any(plain_name(part.replace("-", "_")) in names for part in endpoint.route)


def _path(receiver: Term) -> Iterator[str]:
    """The names in a receiver's path, the last first."""
    while receiver and receiver[0] in ("attr", "each", "item", "subset"):
        if receiver[0] == "attr":
            yield str(receiver[2])
        receiver = receiver[1]
    if receiver and receiver[0] in ("name", "var"):
        yield str(receiver[1])
