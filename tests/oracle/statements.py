"""Random statements around pauses and resumes, as source text.

Writes text and counts the constructs in it; runs nothing and knows nothing of the analysis. The vocabulary is the one
that `execute` has fakes for: `step_N` and `astep_N` (may raise), `probe_N` (an unstable condition), `scope_N` (a `with`
of unknown kind), `items` (loops), the parameters in `PARAMETERS`.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

MAX_DEPTH = 4
PARAMETERS = (
    "self",
    "engine",
    "other",
    "c1",
    "c2",
    "c3",
    "flag_a",
    "mode",
    "kind",
    "rank",
    "x",
    "items",
    "more_items",
    "aitems",
    "lock",
)
BUILTIN_ERRORS = ("ValueError", "KeyError", "LookupError", "RuntimeError", "OSError", "TimeoutError")
LOCAL_ERRORS = ("LocalError", "WorseError")
HEADER = """\
import asyncio
import sys
from contextlib import AsyncExitStack, ExitStack, nullcontext, suppress


class LocalError(Exception):
    pass


class WorseError(LocalError):
    pass


"""

Lines = list[str]


@dataclass(frozen=True, slots=True)
class Sample:
    """One module with one function to look at, and how often each construct stands in it."""

    source: str
    constructs: Counter[str]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement is going to stand: what it may use there."""

    depth: int = 0
    loop: bool = False
    jumps: bool = True
    star: bool = False
    handler: bool = False
    caught: str | None = None
    weight: float = 1.0
    ops: float = 0.05

    def inside(self, **changes: object) -> Place:
        """The same place one level deeper."""
        return replace(self, depth=self.depth + 1, **changes)  # type: ignore[arg-type]


def indent(lines: Sequence[str]) -> Lines:
    """`lines` one level deeper."""
    return ["    " + line for line in lines]


def negated(test: str) -> str:
    """The opposite of a condition, in the spelling a programmer would choose."""
    if " and " in test or " or " in test:
        return f"not ({test})"
    if test.startswith("not "):
        return test[4:]
    for one, two in ((" == ", " != "), (" != ", " == "), (" is not ", " is "), (" is ", " is not ")):
        if one in test:
            return test.replace(one, two)
    return f"not {test}"


class Statements:
    """Writes the statements of one function. All randomness comes from `rng`, so that a seed names a function."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.counts: Counter[str] = Counter()
        self.serial = 0
        self.bound: list[str] = []
        self.undos: list[tuple[str, str]] = []
        self.head: Lines = []
        self.asynchronous = rng.random() < 0.5
        self.budget = rng.uniform(4, 13)
        self.star = False
        self.star_used = False
        first = rng.choice(("engine", "engine", "self.engine"))
        self.receivers = [first] + (["other"] if rng.random() < 0.3 else [])
        self.awaited = {r: self.asynchronous and rng.random() < 0.7 for r in self.receivers}
        self.resume_name = "continue_generation" if rng.random() < 0.8 else "resume_generation"
        self.atoms = self._atoms()

    # ------------------------------------------------------------------ words

    def note(self, *names: str) -> None:
        self.counts.update(names)

    def number(self) -> int:
        self.serial += 1
        return self.serial

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def pick(self, weights: dict[str, float]) -> str:
        return self.rng.choices(list(weights), list(weights.values()))[0]

    def _atoms(self) -> list[str]:
        """The few conditions this function is about: few, so that they come again."""
        pool = {
            "c1": 3.0,
            "c2": 3.0,
            "c3": 1.0,
            "flag_a": 1.0,
            "self.flag": 2.0,
            "self.ready": 1.0,
            "mode == 1": 1.5,
            "mode == 2": 1.0,
            "mode != 1": 0.7,
            'kind == "disk"': 1.0,
            "rank == 0": 2.0,
            "rank != 0": 0.5,
            "x is None": 1.0,
            "x is not None": 0.7,
            "dist.get_rank() == 0": 1.5,
        }
        return [self.pick(pool) for _ in range(self.rng.randint(1, 3))]

    def atom(self) -> str:
        """A condition that stays what it is as long as its names are not bound again."""
        if self.bound and self.chance(0.35):
            name = self.rng.choice(self.bound)
            self.note("condition on a local name")
            return name
        test = self.rng.choice(self.atoms)
        if self.chance(0.15):
            test = negated(test)
        if "self." in test:
            self.note("condition on an attribute")
        elif "get_rank" in test:
            self.note("condition on a stable call")
        elif "None" in test:
            self.note("condition on None")
        elif "==" in test or "!=" in test:
            self.note("condition with a comparison")
        else:
            self.note("condition on a parameter")
        return test

    def probe(self, place: Place) -> str:
        self.budget -= place.weight
        self.note("condition on an unstable call")
        return f"probe_{self.number()}()"

    def condition(self, place: Place, first: bool = False) -> str:
        """Any condition. `first`: it is evaluated on every way through the statement, so a walrus binds for good."""
        kind = self.pick(
            {
                "atom": 6,
                "not": 1,
                "and": 1,
                "or": 1,
                "probe": 1.2 if self.budget > 0 else 0,
                "walrus": 0.8 if self.budget > 0 else 0,
            }
        )
        if kind == "atom":
            return self.atom()
        if kind == "not":
            self.note("not")
            return f"not ({self.atom()})" if self.chance(0.3) else negated(self.atom())
        if kind in ("and", "or"):
            self.note(kind)
            left = self.atom()
            right = self.probe(place) if self.budget > 0 and self.chance(0.15) else self.atom()
            test = f"{left} {kind} {right}" if " " in left + right or left != right else left
            return test if self.chance(0.85) else f"not ({test})"
        if kind == "probe":
            return self.probe(place)
        self.note("walrus")
        if first and self.chance(0.5):
            name = f"w{self.number()}"
            self.bound.append(name)
            return f"({name} := {self.probe(place)})"
        return f"({self.rng.choice(('c1', 'c2'))} := {self.probe(place)})"

    def same(self, test: str) -> str:
        """An equal condition, mostly in the same words."""
        if self.chance(0.75):
            return test
        if " and " in test and self.chance(0.5):
            left, right = test.split(" and ", 1)
            return f"{right} and {left}"
        return f"not ({negated(test)})"

    def guard(self) -> str:
        """The condition of a pair."""
        if self.chance(0.75):
            return self.atom()
        left, right = self.atom(), self.atom()
        joint = self.rng.choice(("and", "or"))
        self.note(joint)
        return left if left == right else f"{left} {joint} {right}"

    # ------------------------------------------------------------------ pausing and resuming

    def pause(self, receiver: str) -> str:
        self.note("pause")
        return f"{'await ' if self.awaited[receiver] else ''}{receiver}.pause_generation()"

    def resume(self, receiver: str) -> str:
        name = self.resume_name
        if self.chance(0.01):
            name = "resume_generation"
        self.note(name)
        return f"{'await ' if self.awaited[receiver] else ''}{receiver}.{name}()"

    def under(self, test: str, lines: Lines, expression: str | None = None) -> Lines:
        """`lines` (or the one `expression`) where `test` holds."""
        way = self.pick({"if": 6, "else": 1, "nested": 1, "and": 0.7, "or": 0.6, "ternary": 0.7, "ternary-else": 0.3})
        plain = " and " not in test and " or " not in test
        if expression is not None and way in ("and", "or", "ternary", "ternary-else"):
            inner = test if plain else f"({test})"
            if way == "and":
                self.note("and as a statement")
                return [f"{inner} and {expression}"]
            if way == "or":
                self.note("or as a statement")
                return [f"{negated(test)} or {expression}"]
            self.note("conditional expression")
            if way == "ternary":
                return [f"{expression} if {test} else None"]
            return [f"None if {negated(test)} else {expression}"]
        if way == "else":
            self.note("if", "else")
            return [f"if {negated(test)}:", *indent(self.quiet()), "else:", *indent(lines)]
        if way == "nested" and " and " in test and " or " not in test and "(" not in test:
            self.note("if", "if")
            left, right = test.split(" and ", 1)
            return [f"if {left}:", *indent([f"if {right}:", *indent(lines)])]
        self.note("if")
        return [f"if {test}:", *indent(lines)]

    # ------------------------------------------------------------------ simple statements

    def quiet(self) -> Lines:
        """Something that cannot raise."""
        self.note("statement that cannot raise")
        number = self.number()
        return [
            self.rng.choice(
                (
                    f'logger.info("at {number}")',
                    f'print("at {number}")',
                    f"total_{number} = 1",
                    f"began_{number} = time.monotonic()",
                    f"text_{number} = str({number})",
                    "pass",
                )
            )
        ]

    def step(self, place: Place) -> str:
        """A call that may raise, as an expression."""
        self.budget -= place.weight
        if self.asynchronous and self.chance(0.6):
            self.note("awaited call")
            return f"await astep_{self.number()}()"
        self.note("call")
        return f"step_{self.number()}()"

    def work(self, place: Place) -> Lines:
        """A statement that may raise, unless there are enough of them."""
        if self.budget <= 0:
            return self.quiet()
        step = self.step(place)
        if self.chance(0.15):
            return [f"value_{self.number()} = {step}"]
        if self.chance(0.03):
            self.note("import")
            return [f"import plugin_{self.number()}"]
        return [step]

    def operation(self, place: Place) -> Lines:
        """A pause or resume anywhere."""
        self.budget -= place.weight / 2
        receiver = self.rng.choice(self.receivers)
        if self.undos and self.chance(0.3):
            name, receiver = self.rng.choice(self.undos)
            return [self.call_undo(name, receiver)]
        expression = self.pause(receiver) if self.chance(0.4) else self.resume(receiver)
        if self.chance(0.3):
            return self.under(self.condition(place), [expression], expression)
        if self.chance(0.1):
            return [f"answer_{self.number()} = {expression}"]
        return [expression]

    def bind(self, place: Place) -> Lines:
        """A name that conditions may use is bound again."""
        self.note("name bound again")
        if self.bound and self.chance(0.4):
            name = self.rng.choice(self.bound)
            self.note("constant flag")
            return [f"{name} = {self.rng.choice(('True', 'False'))}"]
        words = [
            re.split(r"[ .(]", atom)[0] if "self." not in atom else atom
            for atom in self.atoms
            if "get_rank" not in atom
        ]
        name = self.rng.choice(words or ["c1"])
        free = self.budget > 0
        if name in ("mode", "kind"):
            values = {"1" if name == "mode" else '"disk"': 1.0, f"pick_{self.number()}()": 1.5 if free else 0}
        elif name == "rank":
            values = {"0": 1.0, f"pick_{self.number()}()": 1.5 if free else 0}
        elif name == "x":
            values = {"None": 1.0, f"find_{self.number()}()": 1.5 if free else 0}
        else:
            values = {"True": 1.0, "False": 1.0, "c3": 0.5, f"probe_{self.number()}()": 1.5 if free else 0}
        value = self.pick(values)
        if "(" in value:
            self.budget -= place.weight
        return [f"{name} = {value}"]

    def alias(self) -> Lines:
        """A name for a condition."""
        name = f"main_{self.number()}"
        value = self.guard() if self.chance(0.4) else self.rng.choice(self.atoms)
        self.note("alias")
        self.bound.append(name)
        return [f"{name} = {value}"]

    def error(self) -> str:
        """An exception class to raise."""
        if self.chance(0.3):
            self.note("raise of a local class")
            return self.rng.choice(LOCAL_ERRORS)
        if self.asynchronous and self.chance(0.2):
            self.note("raise of CancelledError")
            return "asyncio.CancelledError"
        self.note("raise of a builtin class")
        return self.rng.choice(BUILTIN_ERRORS)

    def raising(self, place: Place) -> Lines:
        number = self.number()
        if place.handler and self.chance(0.35):
            self.note("bare raise")
            return ["raise"]
        if place.caught and self.chance(0.65):
            self.note("raise of a caught name")
            return [f"raise {place.caught}"]
        if place.caught and self.chance(0.6):
            self.note("raise from")
            return [f'raise {self.error()}("raised {number}") from {place.caught}']
        if self.chance(0.1):
            self.note("raise from")
            return [f'raise {self.error()}("raised {number}") from None']
        if self.chance(0.1):
            return [f"raise {self.error()}"]
        if self.chance(0.1):
            self.note("sys.exit")
            return [f"sys.exit({number})"]
        return [f'raise {self.error()}("raised {number}")']

    def leaving(self, place: Place) -> Lines:
        """Return, with and without a value."""
        kind = self.pick({"plain": 2, "value": 1, "call": 1.5 if self.budget > 0 else 0})
        if kind == "call":
            self.note("return with a call")
            return [f"return {self.step(place)}"]
        self.note("return")
        return ["return"] if kind == "plain" else [f"return {self.number()}"]

    # ------------------------------------------------------------------ blocks

    @contextmanager
    def names_end_here(self) -> Iterator[None]:
        """What is bound within may be unbound behind it, and is not used there."""
        mark, undo_mark = len(self.bound), len(self.undos)
        yield
        del self.bound[mark:]
        del self.undos[undo_mark:]

    def block(self, place: Place, most: int = 2) -> Lines:
        """One to `most` statements. Names bound in them are forgotten behind them."""
        lines: Lines = []
        with self.names_end_here():
            for _ in range(self.rng.randint(1, most)):
                more, ends = self.statement(place)
                lines += more
                if ends:
                    break
        return lines

    def statement(self, place: Place) -> tuple[Lines, bool]:
        """One statement and whether it ends its block."""
        if self.chance(place.ops):
            return self.operation(place), False
        free = self.budget > 0
        deep = place.depth < MAX_DEPTH and self.budget > 0
        kind = self.pick(
            {
                "work": 5 if free else 0,
                "quiet": 1.5,
                "bind": 0.7,
                "alias": 0.3,
                "assert": 0.25,
                "leave": 0.5 if place.jumps else 0,
                "raise": 0.5,
                "break": 0.7 if place.loop and place.jumps else 0,
                "continue": 0.7 if place.loop and place.jumps else 0,
                "if": 2.2 if deep else 0,
                "try": 1.6 if deep and not self.star else 0,
                "for": 0.7 if deep else 0,
                "while": 0.6 if deep else 0,
                "with": 0.9 if deep else 0,
                "match": 0.5 if deep else 0,
                "expression": 0.4 if free else 0,
            }
        )
        if kind == "work":
            return self.work(place), False
        if kind == "quiet":
            return self.quiet(), False
        if kind == "bind":
            return self.bind(place), False
        if kind == "alias":
            return self.alias(), False
        if kind == "assert":
            self.note("assert")
            return [f"assert {self.condition(place)}"], False
        if kind == "leave":
            return self.leaving(place), True
        if kind == "raise":
            return self.raising(place), True
        if kind in ("break", "continue"):
            self.note(kind)
            return [kind], True
        if kind == "expression":
            step = self.step(place)
            return self.under(self.condition(place), [step], step), False
        compound: dict[str, Callable[[Place], Lines]] = {
            "if": self.if_statement,
            "try": self.try_statement,
            "for": self.for_statement,
            "while": self.while_statement,
            "with": self.with_statement,
            "match": self.match_statement,
        }
        return compound[kind](place), False

    def if_statement(self, place: Place) -> Lines:
        self.note("if")
        inner = place.inside()
        lines = [f"if {self.condition(place, first=True)}:", *indent(self.block(inner))]
        while self.chance(0.2):
            self.note("elif")
            lines += [f"elif {self.condition(place)}:", *indent(self.block(inner))]
        if self.chance(0.35):
            self.note("else")
            lines += ["else:", *indent(self.block(inner))]
        return lines

    def classes(self) -> str:
        """What an `except` names."""
        kind = self.pick(
            {"one": 4, "tuple": 0.8, "exception": 2, "base": 1, "cancelled": 1.2 if self.asynchronous else 0}
        )
        if kind == "exception":
            self.note("except Exception")
            return "Exception"
        if kind == "base":
            self.note("except BaseException")
            return "BaseException"
        if kind == "cancelled":
            self.note("except CancelledError")
            return "asyncio.CancelledError"
        if kind == "tuple":
            self.note("except with a tuple")
            return f"({', '.join(self.rng.sample(BUILTIN_ERRORS + LOCAL_ERRORS, 2))})"
        self.note("except one class")
        return self.rng.choice(BUILTIN_ERRORS + LOCAL_ERRORS)

    def handler(self, place: Place, classes: str | None, body: Lines | None = None) -> Lines:
        """An `except` clause; `None` is the bare one."""
        if classes is None:
            self.note("bare except")
            return ["except:", *indent(body or self.block(place.inside(handler=True, caught=None)))]
        if body is not None:
            return [f"except {classes}:", *indent(body)]
        name = f"e{self.number()}" if self.chance(0.55) else None
        head = f"except {classes} as {name}:" if name else f"except {classes}:"
        return [head, *indent(self.block(place.inside(handler=True, caught=name)))]

    def try_statement(self, place: Place, body: Lines | None = None, final: Lines | None = None) -> Lines:
        count = self.rng.choice((0, 1, 1, 1, 2, 2, 3))
        self.note("try", f"try with {count} handlers")
        weight = place.weight * (1.4 if count else 1)
        lines = ["try:", *indent(body if body is not None else self.block(place.inside(weight=weight), 3))]
        for left in range(count, 0, -1):
            bare = left == 1 and self.chance(0.15)
            lines += self.handler(place, None if bare else self.classes())
        if count and self.chance(0.25):
            self.note("try else")
            lines += ["else:", *indent(self.block(place.inside()))]
        if final is not None or not count or self.chance(0.3):
            self.note("finally")
            lines += ["finally:", *indent(final if final is not None else self.finally_block(place))]
        return lines

    def finally_block(self, place: Place) -> Lines:
        lines = self.block(replace(place, depth=place.depth + 1, ops=place.ops * 1.5))
        last = lines[-1].strip()
        for word in ("return", "raise", "break", "continue"):
            if last.startswith(word):
                self.note(f"{word} in finally")
        return lines

    def for_statement(self, place: Place, body: Callable[[Place], Lines] | None = None) -> Lines:
        asynchronous = self.asynchronous and self.chance(0.3)
        self.note("async for" if asynchronous else "for")
        head = (
            f"async for item_{self.number()} in aitems:"
            if asynchronous
            else f"for item_{self.number()} in {self.rng.choice(('items', 'items', 'more_items'))}:"
        )
        inner = place.inside(loop=True, weight=place.weight * 2)
        self.budget -= place.weight
        lines = [head, *indent(body(inner) if body else self.block(inner))]
        if self.chance(0.2):
            self.note("for else")
            lines += ["else:", *indent(self.block(place.inside()))]
        return lines

    def while_statement(self, place: Place, body: Callable[[Place], Lines] | None = None) -> Lines:
        self.note("while")
        inner = place.inside(loop=True, weight=place.weight * 2)
        kind = self.pick({"probe": 3, "true": 1.5, "flag": 1.5, "stable": 0.6})
        before: Lines = []
        after: Lines = []
        if kind == "probe":
            test = self.condition(place, first=True) if self.chance(0.2) else self.probe(place)
        elif kind == "true":
            self.note("while True")
            test = "True"
            leave = "return" if self.chance(0.2) and place.jumps else "break"
            self.note(leave)
            after = [leave] if self.chance(0.3) else [f"if {self.condition(place)}:", *indent([leave])]
        elif kind == "flag":
            name = f"done_{self.number()}"
            self.note("constant flag")
            before, test, after = [f"{name} = False"], f"not {name}", [f"{name} = True"]
            self.bound.append(name)
        else:
            test = self.atom()
            after = ["break"] if self.chance(0.5) else []
        content = body(inner) if body else self.block(inner)
        if after and re.match(r"(return|raise|break|continue)\b", content[-1]):
            after = []
        lines = [*before, f"while {test}:", *indent([*content, *after])]
        if self.chance(0.15):
            self.note("while else")
            lines += ["else:", *indent(self.block(place.inside()))]
        return lines

    def with_statement(self, place: Place, body: Callable[[Place], Lines] | None = None) -> Lines:
        kind = self.pick({"suppress": 2, "unknown": 2, "name": 0.6, "null": 0.6, "stack": 1.0})
        if self.star and kind == "suppress":
            kind = "unknown"
        if kind == "stack":
            return self.stack_statement(place)
        if kind == "suppress":
            self.note("suppress")
            classes = self.rng.choice(
                ("Exception", "Exception", "ValueError", "KeyError, OSError", "LocalError", "BaseException")
            )
            head = f"with suppress({classes}):"
        elif kind == "null":
            self.note("nullcontext")
            head = "with nullcontext():"
        elif kind == "name":
            self.note("with of unknown kind")
            head = "with lock:"
            self.budget -= place.weight
        elif self.asynchronous and self.chance(0.5):
            self.note("async with of unknown kind")
            head = f"async with ascope_{self.number()}():"
            self.budget -= 1.5 * place.weight
        else:
            self.note("with of unknown kind")
            head = (
                f"with scope_{self.number()}():"
                if self.chance(0.7)
                else f"with scope_{self.number()}() as held_{self.number()}:"
            )
            self.budget -= 1.5 * place.weight
        inner = place.inside()
        return [head, *indent(body(inner) if body else self.block(inner))]

    def match_statement(self, place: Place, body: Callable[[Place], Lines] | None = None) -> Lines:
        self.note("match")
        words, literals = self.rng.choice(
            ((("mode", "mode", "self.mode"), ("1", "2")), (("kind",), ('"disk"', '"nccl"')))
        )
        subject = self.rng.choice(words)
        if self.budget > 0 and self.chance(0.1):
            self.budget -= place.weight
            subject = f"pick_{self.number()}()"
        patterns = [self.rng.choice((*literals, " | ".join(literals)))]
        if self.chance(0.4):
            patterns.append(literals[1] if patterns[0] == literals[0] else literals[0])
        if self.chance(0.65):
            patterns.append("_")
        inner = replace(place, depth=place.depth + 1)
        chosen = self.rng.randrange(len(patterns))
        lines = [f"match {subject}:"]
        for at, pattern in enumerate(patterns):
            self.note("match wildcard" if pattern == "_" else "match or-pattern" if "|" in pattern else "match literal")
            guard = ""
            if pattern != "_" and self.chance(0.25):
                self.note("match guard")
                guard = f" if {self.condition(place)}"
            content = body(inner) if body and at == chosen else self.block(inner)
            lines += indent([f"case {pattern}{guard}:", *indent(content)])
        return lines

    def stack_head(self) -> tuple[str, str]:
        name = f"stack_{self.number()}"
        if self.asynchronous:
            self.note("AsyncExitStack")
            return f"async with AsyncExitStack() as {name}:", name
        self.note("ExitStack")
        return f"with ExitStack() as {name}:", name

    def register(self, stack: str, receiver: str) -> str:
        """The resume of `receiver` registered on `stack`."""
        self.note("registered resume")
        what = f"{receiver}.{self.resume_name}"
        if self.awaited[receiver]:
            self.note("push_async_callback")
            return f"{stack}.push_async_callback({what})"
        self.note("callback")
        return f"{stack}.callback({what})"

    def stack_statement(self, place: Place) -> Lines:
        """An exit stack in any shape, right and wrong."""
        receiver = self.rng.choice(self.receivers)
        head, stack = self.stack_head()
        inner = place.inside()
        register = self.register(stack, receiver)
        rest = self.block(inner)
        kind = self.pick(
            {
                "pause first": 3,
                "register first": 3,
                "gap": 0.7,
                "guarded": 1,
                "guarded wrong": 0.4,
                "outside": 1,
                "only": 0.4,
                "other": 3,
            }
        )
        pause = self.pause(receiver)
        if kind == "pause first":
            content = [pause, register, *rest]
        elif kind == "register first":
            content = [register, pause, *rest]
        elif kind == "gap":
            content = [pause, *self.work(inner), register, *rest]
        elif kind == "guarded":
            test = self.guard()
            content = [*self.under(test, [pause, register]), *rest]
        elif kind == "guarded wrong":
            content = [pause, *self.under(self.condition(place), [register], register), *rest]
        elif kind == "outside":
            return [pause, head, *indent([register, *rest])]
        elif kind == "only":
            content = [register, *rest]
        else:
            self.note("callback of another function")
            content = [f"{stack}.callback(step_{self.number()})", pause, register, *rest]
            self.budget -= place.weight
            if self.chance(0.5):
                content = [pause, register, f"{stack}.callback(step_{self.number()})", *rest]
        return [head, *indent(content)]

    # ------------------------------------------------------------------ local undo functions

    def define_undo(self, receiver: str) -> tuple[Lines, str]:
        name = f"undo_{self.number()}"
        kind = self.pick({"def": 2, "lambda": 1.5, "bound": 1.5})
        self.note(f"local undo function, {kind}")
        if kind == "def":
            body = [self.resume(receiver)]
            if self.chance(0.2):
                body = [f'logger.info("undo {self.number()}")', *body]
            return [f"{'async ' if self.awaited[receiver] else ''}def {name}():", *indent(body)], name
        if kind == "lambda":
            return [f"{name} = lambda: {self.resume(receiver).removeprefix('await ')}"], name
        return [f"{name} = {receiver}.{self.resume_name}"], name

    def call_undo(self, name: str, receiver: str) -> str:
        self.note("call of a local undo function")
        return f"{'await ' if self.awaited[receiver] else ''}{name}()"
