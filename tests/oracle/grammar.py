"""Random functions that pause and resume engines: pairs in the shapes that occur, right and wrong, and whole modules.

Runs nothing and knows nothing of the analysis.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace

from tests.oracle.statements import (
    BUILTIN_ERRORS,
    HEADER,
    MAX_DEPTH,
    PARAMETERS,
    Lines,
    Place,
    Sample,
    Statements,
    indent,
    negated,
)

__all__ = ["HEADER", "Sample", "generate"]


class Writer(Statements):
    """Writes one function."""

    # ------------------------------------------------------------------ skeletons

    def final(self, receiver: str, place: Place, resume: Lines | None = None) -> Lines:
        """The body of a `finally` that resumes: mostly right."""
        undo = resume if resume is not None else [self.resume(receiver)]
        kind = self.pick(
            {
                "plain": 8,
                "quiet before": 1,
                "work before": 0.7,
                "work after": 1,
                "nested": 0.7,
                "suppressed": 0.5,
                "return": 0.4 if place.jumps else 0,
                "raise": 0.4,
                "break": 16 if place.loop and place.jumps else 0,
                "block before": 0.3,
            }
        )
        inner = place.inside()
        if kind == "quiet before":
            return [*self.quiet(), *undo]
        if kind == "work before":
            return [*self.work(inner), *undo]
        if kind == "work after":
            return [*undo, *self.work(inner)]
        if kind == "nested":
            self.note("try", "try with 0 handlers", "finally")
            return ["try:", *indent(self.work(inner)), "finally:", *indent(undo)]
        if kind == "suppressed":
            self.note("suppress")
            return ["with suppress(Exception):", *indent(self.work(inner)), *undo]
        if kind == "return":
            self.note("return in finally", "return")
            return [*undo, f"return {self.number()}"]
        if kind == "raise":
            self.note("raise in finally")
            test = self.condition(place)
            return [*undo, f"if {test}:", *indent([f'raise {self.error()}("raised {self.number()}")'])]
        if kind == "break":
            word = self.rng.choice(("break", "continue"))
            self.note(f"{word} in finally", word)
            return [*undo, word]
        if kind == "block before":
            return [*self.block(inner, 1), *undo] if self.budget > 0 else undo
        return undo

    def bracket(self, place: Place, body: Lines, final: Lines) -> Lines:
        """A try that ends in `final`, now and then with handlers of its own."""
        if self.chance(0.25) and not self.star:
            return self.try_statement(place, body, final)
        self.note("try", "try with 0 handlers", "finally")
        return ["try:", *indent(body), "finally:", *indent(final)]

    def hole(self, place: Place, most: int = 2) -> Lines:
        """What a pair stands around; with two engines sometimes the pair of the other one."""
        if len(self.receivers) > 1 and place.depth <= 2 and self.chance(0.4):
            with self.names_end_here():
                return [*self.pair(place, self.receivers[1]), *self.block(place, 1)]
        return self.block(place, most)

    def pair(self, place: Place, receiver: str) -> Lines:
        """A pause and its resume in one of the shapes that occur, right and wrong."""
        kind = self.pick(
            {
                "bracket": 4,
                "inside": 3,
                "gap": 1.5,
                "straight": 1.5,
                "quiet": 1.2,
                "handler and else": 1.4,
                "handler and after": 1.2,
                "flag": 2,
                "guarded": 3,
                "guarded wrong": 1,
                "early": 1,
                "alias": 1.5,
                "expression": 1,
                "stack": 1.8,
                "undo": 1.5,
                "undo or none": 1.5,
                "never": 0.9,
                "match": 1.0,
                "retry": 1.3,
                "reverse": 0.12,
                "swallowed": 1.2,
            }
        )
        if self.star:
            kind = "straight" if self.star_used else "star"
            self.star_used = True
        if kind != "reverse":
            self.note(f"pair, {kind}")
        return getattr(self, "_" + kind.replace(" ", "_"))(place, receiver)  # type: ignore[no-any-return]

    def _bracket(self, place: Place, r: str) -> Lines:
        middle = self.quiet() if self.chance(0.2) else []
        return [self.pause(r), *middle, *self.bracket(place, self.hole(place.inside()), self.final(r, place))]

    def _inside(self, place: Place, r: str) -> Lines:
        before = self.work(place) if self.chance(0.3) else []
        return self.bracket(place, [*before, self.pause(r), *self.hole(place.inside())], self.final(r, place))

    def _gap(self, place: Place, r: str) -> Lines:
        return [
            self.pause(r),
            *self.block(place, 1),
            *self.bracket(place, self.hole(place.inside()), self.final(r, place)),
        ]

    def _straight(self, place: Place, r: str) -> Lines:
        return [self.pause(r), *self.hole(place), self.resume(r)]

    def _quiet(self, place: Place, r: str) -> Lines:
        return [self.pause(r), *self.quiet(), *self.quiet(), self.resume(r)]

    def _handler_and_else(self, place: Place, r: str) -> Lines:
        self.note("try", "try with 1 handlers", "try else")
        classes = self.rng.choice(("Exception", "BaseException", None, "ValueError"))
        tail = self.raising(replace(place, handler=True)) if self.chance(0.6) else []
        return [
            self.pause(r),
            "try:",
            *indent(self.hole(place.inside())),
            *self.handler(place, classes, [self.resume(r), *tail]),
            "else:",
            *indent([self.resume(r), *self.work(place)]),
        ]

    def _handler_and_after(self, place: Place, r: str) -> Lines:
        self.note("try", "try with 1 handlers", "bare raise")
        classes = self.rng.choice(("Exception", "BaseException", None, "LocalError"))
        return [
            self.pause(r),
            "try:",
            *indent(self.hole(place.inside())),
            *self.handler(place, classes, [self.resume(r), "raise"]),
            self.resume(r),
        ]

    def _flag(self, place: Place, r: str) -> Lines:
        self.note("constant flag")
        name = f"held_{self.number()}"
        mark = self.pause(r)
        held = f"{name} = True"
        kind = self.pick({"right": 5, "before": 0.5, "gap": 0.6, "guarded": 1.5, "cleared": 0.8})
        start = [mark, held]
        if kind == "before":
            start = [held, mark]
        elif kind == "gap":
            start = [mark, *self.work(place), held]
        elif kind == "guarded":
            start = self.under(self.condition(place), start)
        body = [*start, *self.hole(place.inside())]
        undo = [self.resume(r)]
        if kind == "cleared":
            body += [self.resume(r), f"{name} = False"]
            if self.chance(0.5):
                body[-2:] = reversed(body[-2:])
        final = self.under(name, undo, undo[0])
        return [f"{name} = False", *self.bracket(place, body, self.final(r, place, final))]

    def _guarded(self, place: Place, r: str) -> Lines:
        test = self.guard()
        pause, resume = self.pause(r), self.resume(r)
        first = self.under(test, [pause], pause)
        last = self.under(self.same(test), [resume], resume)
        if self.chance(0.15):
            return [*first, *self.hole(place), *last]
        if self.chance(0.3):
            return self.bracket(place, [*first, *self.hole(place.inside())], self.final(r, place, last))
        return [*first, *self.bracket(place, self.hole(place.inside()), self.final(r, place, last))]

    def _guarded_wrong(self, place: Place, r: str) -> Lines:
        pause, resume = self.pause(r), self.resume(r)
        first = self.under(self.guard(), [pause], pause)
        middle = self.bind(place) if self.chance(0.5) else []
        last = self.under(self.condition(place), [resume], resume)
        return [*first, *self.bracket(place, [*middle, *self.hole(place.inside())], last)]

    def _early(self, place: Place, r: str) -> Lines:
        test = self.guard()
        self.note("if")
        leave = self.leaving(place) if place.jumps else self.raising(place)
        head = [f"if {negated(test)}:", *indent(leave)]
        if self.chance(0.2):
            return [self.pause(r), *head, *self.bracket(place, self.hole(place.inside()), self.final(r, place))]
        last = self.under(test, [self.resume(r)])
        return [*head, self.pause(r), *self.bracket(place, self.hole(place.inside()), self.final(r, place, last))]

    def _alias(self, place: Place, r: str) -> Lines:
        name = f"main_{self.number()}"
        atom = self.rng.choice(self.atoms)
        self.note("alias", "if", "if")
        one, two = self.rng.choice(((name, name), (name, atom), (atom, name)))
        opposite = self.chance(0.2)
        value = negated(atom) if opposite else atom
        if opposite:
            one, two = name, negated(name) if self.chance(0.2) else name
        self.bound.append(name)
        return [
            f"{name} = {value}",
            f"if {one}:",
            *indent([self.pause(r)]),
            *self.bracket(
                place, self.hole(place.inside()), self.final(r, place, [f"if {two}:", *indent([self.resume(r)])])
            ),
        ]

    def _expression(self, place: Place, r: str) -> Lines:
        test = self.guard()
        inner = test if " and " not in test and " or " not in test else f"({test})"
        self.note("conditional expression", "and as a statement")
        first = f"{self.pause(r)} if {test} else None"
        last = f"{inner} and {self.resume(r)}"
        return [first, *self.bracket(place, self.hole(place.inside()), self.final(r, place, [last]))]

    def _stack(self, place: Place, r: str) -> Lines:
        return self.stack_statement(place)

    def _undo(self, place: Place, r: str) -> Lines:
        lines, name = self.define_undo(r)
        call = self.call_undo(name, r)
        kind = self.pick({"bracket": 3, "straight": 0.7, "guarded": 6, "stack": 1})
        self.undos.append((name, r))
        if kind == "straight":
            return [*lines, self.pause(r), *self.hole(place), call]
        if kind == "guarded":
            self.note("undo function called under a condition")
            test = self.guard()
            first = self.under(test, [self.pause(r)])
            last = self.under(self.same(test) if self.chance(0.8) else self.condition(place), [call], call)
            return [*lines, *first, *self.bracket(place, self.hole(place.inside()), last)]
        if kind == "stack":
            head, stack = self.stack_head()
            word = "push_async_callback" if self.awaited[r] else "callback"
            self.note(word, "registered resume")
            return [*lines, head, *indent([self.pause(r), f"{stack}.{word}({name})", *self.hole(place.inside())])]
        return [*lines, self.pause(r), *self.bracket(place, self.hole(place.inside()), self.final(r, place, [call]))]

    def _undo_or_none(self, place: Place, r: str) -> Lines:
        self.note("undo function, None-initialised and tested")
        definition, name = self.define_undo(r)
        call = self.call_undo(name, r)
        test = self.rng.choice((name, f"{name} is not None"))
        gap = self.work(place) if self.chance(0.2) else self.quiet() if self.chance(0.3) else []
        start = [self.pause(r), *gap, *definition]
        if self.chance(0.5):
            start = self.under(self.condition(place), start)
        return [
            f"{name} = None",
            *self.bracket(
                place, [*start, *self.hole(place.inside())], self.final(r, place, self.under(test, [call], call))
            ),
        ]

    def _never(self, place: Place, r: str) -> Lines:
        return [self.pause(r), *self.hole(place)]

    def _match(self, place: Place, r: str) -> Lines:
        self.note("match", "match", "match literal", "match literal", "finally", "try", "try with 0 handlers")
        subject, literal, other = self.rng.choice(
            (("mode", "1", "2"), ("kind", '"disk"', '"nccl"'), ("self.mode", "2", "1"))
        )
        pattern = literal if self.chance(0.7) else f"{literal} | {other}"
        answer = pattern if self.chance(0.75) else self.rng.choice((literal, other))
        first = [f"match {subject}:", *indent([f"case {pattern}:", *indent([self.pause(r)])])]
        if self.chance(0.4):
            self.note("match wildcard")
            first += indent(["case _:", *indent(self.work(place))])
        if self.chance(0.3):
            last = [f"if {subject} == {literal}:", *indent([self.resume(r)])]
        else:
            last = [f"match {subject}:", *indent([f"case {answer}:", *indent([self.resume(r)])])]
        return [*first, "try:", *indent(self.hole(place.inside())), "finally:", *indent(last)]

    def _retry(self, place: Place, r: str) -> Lines:
        self.note("break", "finally")

        def attempt(inner: Place) -> Lines:
            """One turn."""
            classes = self.classes()
            self.note("try", "try with 1 handlers")
            content = [*self.hole(inner.inside(weight=inner.weight * 1.4)), "break"]
            if re.match(r"(return|raise|break|continue)\b", content[-2]):
                del content[-1]
            return [
                self.pause(r),
                "try:",
                *indent(content),
                f"except {classes}:",
                *indent(self.block(inner.inside(handler=True), 1)),
                "finally:",
                *indent(self.final(r, inner)),
            ]

        return self.for_statement(place, attempt) if self.chance(0.5) else self.while_statement(place, attempt)

    def _reverse(self, place: Place, r: str) -> Lines:
        return [self.resume(r), *self.hole(place), self.pause(r)]

    def _swallowed(self, place: Place, r: str) -> Lines:
        self.note("suppress")
        classes = self.rng.choice(("Exception", "Exception", "BaseException", "ValueError"))
        return [self.pause(r), f"with suppress({classes}):", *indent(self.hole(place.inside())), self.resume(r)]

    def _star(self, place: Place, r: str) -> Lines:
        """`except*`, in a function that has no other try: whether what comes out is a group, no handler asks."""
        inner = place.inside()
        starred = replace(inner, handler=True, jumps=False, star=True)
        lines = [self.pause(r), "try:"] if self.chance(0.7) else ["try:", f"    {self.pause(r)}"]
        lines += indent(self.block(inner))
        count = self.rng.choice((1, 1, 2))
        final = self.chance(0.55)
        for classes in self.rng.sample((*BUILTIN_ERRORS[:4], "Exception", "LocalError"), count):
            self.note("except*")
            name = f"e{self.number()}" if self.chance(0.3) else None
            content = self.block(replace(starred, caught=None))
            if self.chance(0.15 if final else 0.7):
                content = [self.resume(r), *content]
            lines += [f"except* {classes} as {name}:" if name else f"except* {classes}:", *indent(content)]
        if self.chance(0.3):
            self.note("try else")
            lines += ["else:", *indent(self.block(inner, 1))]
        if final:
            self.note("finally")
            lines += ["finally:", *indent([self.resume(r)])]
        else:
            lines.append(self.resume(r))
        return lines

    # ------------------------------------------------------------------ the whole

    def surrounded(self, place: Place, receiver: str) -> Lines:
        """A pair, sometimes within other statements."""
        if place.depth >= 2 or not self.chance(0.4):
            return self.pair(place, receiver)

        def body(inner: Place) -> Lines:
            with self.names_end_here():
                return self.surrounded(inner, receiver)

        kind = self.pick({"if": 2, "for": 1, "while": 0.8, "with": 1.2, "match": 0.6, "try": 0 if self.star else 1.5})
        if kind == "if":
            self.note("if")
            test = self.condition(place, first=True)
            lines = [f"if {test}:", *indent(body(place.inside()))]
            if self.chance(0.3):
                self.note("else")
                lines += ["else:", *indent(self.block(place.inside()))]
            return lines
        if kind == "for":
            return self.for_statement(place, body)
        if kind == "while":
            return self.while_statement(place, body)
        if kind == "with":
            return self.with_statement(place, body)
        if kind == "match":
            return self.match_statement(place, body)
        return self.try_statement(place, body(place.inside(weight=place.weight * 1.4)))

    def function(self, name: str) -> Sample:
        """The whole module."""
        self.star = self.chance(0.05)
        shape = "random" if self.chance(0.12) and not self.star else "pair"
        self.note(f"function, {shape}", "async function" if self.asynchronous else "sync function")
        self.note("two engines" if len(self.receivers) > 1 else "one engine")
        place = Place(ops=0.3 if shape == "random" else 0.04)
        lines: Lines = []
        if self.chance(0.2):
            lines += self.alias()
        if self.chance(0.15):
            self.note("constant flag")
            flag = f"ready_{self.number()}"
            lines.append(f"{flag} = {self.rng.choice(('True', 'False'))}")
            self.bound.append(flag)
        if shape == "random":
            if self.chance(0.2):
                definition, undo = self.define_undo(self.receivers[0])
                lines += definition
                self.undos.append((undo, self.receivers[0]))
            for _ in range(self.rng.randint(2, 6)):
                more, ends = self.statement(place)
                lines += more
                if ends:
                    break
        else:
            if self.chance(0.25):
                more, ends = self.statement(replace(place, ops=0.0))
                lines += more if not ends else self.quiet()
            lines += self.surrounded(place, self.receivers[0])
            if not re.match(r"(return|raise|break|continue)\b", lines[-1]) and self.chance(0.4):
                lines += self.block(place)
        if "step_" not in "\n".join(lines):
            self.budget = 1
            lines = [self.step(place), *lines]
        text = "\n".join(lines)
        if re.search(rf"^{'    ' * MAX_DEPTH}\S", text, re.MULTILINE):
            self.note(f"nested to depth {MAX_DEPTH}")
        parameters = [word for word in PARAMETERS if re.search(rf"(?<![\w.\"]){word}\b(?!\")", text)]
        head = f"{'async ' if self.asynchronous else ''}def {name}({', '.join(parameters)}):"
        whole = [head, *indent(lines)]
        if "self" in parameters:
            whole = ["class Trainer:", *indent(whole)]
        return Sample(HEADER + "\n".join(whole) + "\n", self.counts)


def generate(seed: int, index: int) -> Sample:
    """Function number `index` of `seed`: the same text every time. It has a pause in it."""
    rng = random.Random(f"{seed}:{index}")
    while True:
        sample = Writer(rng).function("update_weights")
        if "pause_generation" in sample.source:
            return sample
