"""Engines that only pretend: they record every call, know what is paused, and fail where they are told to.

A `World` is one run. Objects in it have a path (`self.engine`, `engines<0>`, `pool.pick()#1`), and what is paused is
kept by path. The rules are those of the analysis, stated again in the plainest way, so that the truth comes from
running the code:

- a pause that raises has not paused; a resume that is reached has resumed, and may raise all the same;
- resuming one element of a fan-out resumes all of it (a loop over engines that resumes is one step);
- whatever is called, awaited, entered or left can raise.

It does not know any rule, guard or path: what a test asks afterwards is `World.paused`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

from pause_lint.pairs import Vocabulary, plain_name, preset_pairs

VOCABULARY = Vocabulary.of(preset_pairs(("all",)))
SENDERS = frozenset({"post", "put", "get", "request", "collective_rpc", "execute_method", "call_method"})
"""Calls whose text argument names what is to be done: a route, or the name of a method."""

MAX_CALLS = 400
MAX_ROUNDS = 3


class Endless(Exception):
    """A run that goes on calling for ever: the test is at fault."""


@dataclass(slots=True)
class World:
    """One run: what was decided, called and paused.

    fails: whether the n-th thing that can raise (from 1), called so, raises in this run.
    error: what it raises.
    script: the answers to the first questions asked of an unknown condition; later ones are answered True.
    answers: values that calls return, by the path called.
    """

    fails: Callable[[int, str], bool] = lambda number, what: False
    error: BaseException = field(default_factory=lambda: OSError(28, "no space left on device"))
    script: tuple[bool, ...] = ()
    answers: dict[str, Any] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    steps: int = 0
    paused: set[tuple[str, str]] = field(default_factory=set)
    decisions: list[bool] = field(default_factory=list)
    _known: dict[str, bool] = field(default_factory=dict)
    _called: dict[str, int] = field(default_factory=dict)

    def step(self, what: str) -> None:
        """Something that can raise, and does if this run says so."""
        self.steps += 1
        if self.steps > MAX_CALLS:
            raise Endless(what)
        if self.fails(self.steps, what):
            raise self.error

    def decide(self, question: str) -> bool:
        """The answer to an unknown condition: the same one each time the same question is asked."""
        rounds = re.search(r"#(\d+)", question)
        if rounds and int(rounds[1]) > MAX_ROUNDS:
            return False  # a loop on what a call returns has to come to an end
        if question not in self._known:
            number = len(self.decisions)
            self._known[question] = self.script[number] if number < len(self.script) else True
            self.decisions.append(self._known[question])
        return self._known[question]

    def call(self, path: str, arguments: tuple[object, ...]) -> Any:
        """Calls what is at `path`."""
        if path in self.answers:
            return self.answers[path]
        self.calls.append(path)
        receiver, name = _target(path, arguments)
        if name in VOCABULARY.resuming:
            self.resume(receiver, name)
            self.step(path)
        else:
            self.step(path)
            if name in VOCABULARY.pausing:
                self.paused.add((receiver, name))
        self._called[path] = self._called.get(path, 0) + 1
        return Fake(self, f"{path}()#{self._called[path]}", undo=(receiver, name))

    def resume(self, receiver: str, name: str) -> None:
        """Undoes what `name` undoes, on `receiver` and on what is iterated over beside it."""
        undone = {pause for pair in VOCABULARY.resuming[name] for pause in pair.pauses}
        family = _family(receiver)
        self.paused = {(path, pause) for path, pause in self.paused if _family(path) != family or pause not in undone}


def _family(path: str) -> str:
    return re.sub(r"<\d+>", "<*>", path)


def _target(path: str, arguments: tuple[object, ...]) -> tuple[str, str]:
    """What a call of `path` is done to, and its plain name."""
    receiver, _, name = path.removesuffix(".remote").rpartition(".")
    if name in SENDERS:
        texts = [argument for argument in arguments if isinstance(argument, str)]
        for named in [plain_name(text.rpartition("/")[2]) for text in texts]:
            if named in VOCABULARY.pausing or named in VOCABULARY.resuming:
                return receiver, named
    return receiver, plain_name(name)


class Fake:
    """Anything: every attribute, item and result is another one; every condition on it is open."""

    def __init__(self, world: World, path: str, undo: tuple[str, str] | None = None) -> None:
        self._world = world
        self._path = path
        self._undo = undo

    def _child(self, path: str) -> Fake:
        return Fake(self._world, path)

    def __getattr__(self, name: str) -> Fake:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._child(f"{self._path}.{name}")

    def __getitem__(self, key: object) -> Fake:
        return self._child(f"{self._path}[{key!r}]")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._world.call(self._path, (*args, *kwargs.values()))

    def __await__(self) -> Generator[Any, None, Fake]:
        try:
            self._world.step(f"await {self._path}")
        except BaseException:
            if self._undo is not None:
                self._world.paused.discard(self._undo)
            raise
        yield from asyncio.sleep(0).__await__()
        return self

    def __iter__(self) -> Iterator[Fake]:
        return iter([self._child(f"{self._path}<{number}>") for number in range(2)])

    async def __aiter__(self) -> AsyncIterator[Fake]:
        for element in self:
            self._world.step(f"async for {self._path}")
            yield element

    def __len__(self) -> int:
        return 2

    def __enter__(self) -> Fake:
        self._world.step(f"enter {self._path}")
        return self

    def __exit__(self, *raised: object) -> None:
        self._world.step(f"leave {self._path}")

    async def __aenter__(self) -> Fake:
        return self.__enter__()

    async def __aexit__(self, *raised: object) -> None:
        self.__exit__()

    def __bool__(self) -> bool:
        return self._world.decide(self._path)

    def __contains__(self, other: object) -> bool:
        return self._world.decide(f"{other} in {self._path}")

    def __eq__(self, other: object) -> bool:
        return self._world.decide(f"{self._path} == {other!r}")

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: object) -> bool:
        return self._world.decide(f"{self._path} < {other!r}")

    def __ge__(self, other: object) -> bool:
        return not self < other

    def __gt__(self, other: object) -> bool:
        return self._world.decide(f"{self._path} > {other!r}")

    def __le__(self, other: object) -> bool:
        return not self > other

    def __hash__(self) -> int:
        return hash(self._path)

    def __add__(self, other: object) -> str:
        return f"{self}{other}"

    def __str__(self) -> str:
        return self._path

    def __repr__(self) -> str:
        return self._path
