"""What a function of the grammar meets when it runs: engines, conditions, iterables, `with` items, errors.

Each asks the `World` how it comes out this time; `execute` goes through the answers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

from tests.oracle.sites import Menu, outcomes

TRUTH: Menu = (False, True)
LENGTHS: Menu = (0, 1, 2)


class Stray(Exception):
    """An error that no handler of the function names."""


class Cut(BaseException):
    """Ends a run that turns in a `while` for too long."""


class OracleError(Exception):
    """A function did what no function of the grammar may do: a mistake in the oracle itself."""


class World:
    """The state of the run under way, and the record of choices that makes the next one."""

    __slots__ = (
        "classes",
        "code",
        "counts",
        "cut",
        "engines",
        "every",
        "given",
        "groups",
        "lines",
        "loops",
        "menus",
        "names",
        "position",
        "raised",
        "script",
        "trace",
        "values",
    )

    def __init__(self) -> None:
        self.script: list[int] = []
        self.names: list[str] = []
        self.menus: list[Menu] = []
        self.position = 0
        self.trace: list[str] = []
        self.values: dict[str, Any] = {}
        self.counts: dict[str, int] = {}
        self.raised = False
        self.cut = False
        self.loops = 2
        self.given: dict[str, Iterator[Any]] | None = None
        self.lines: dict[int, frozenset[str]] = {}
        self.every: frozenset[str] = frozenset()
        self.groups = False
        self.code: CodeType | None = None
        self.classes: dict[str, type[BaseException]] = {}
        self.engines: list[Engine] = []

    def begin(self) -> None:
        """A new run, on the script as it stands."""
        self.position = 0
        self.trace = []
        self.values = {}
        self.counts = {}
        self.raised = False
        self.cut = False
        for engine in self.engines:
            engine.paused = 0
            engine.first = engine.last = ""

    def advance(self) -> bool:
        """The next script in depth-first order; whether there is one."""
        script, menus = self.script, self.menus
        while script:
            script[-1] += 1
            if script[-1] < len(menus[-1]):
                return True
            script.pop()
            menus.pop()
            self.names.pop()
        return False

    def choose(self, name: str, menu: Menu) -> Any:
        """How `name` comes out this time."""
        if self.given is not None:
            outcomes = self.given.get(name)
            return menu[0] if outcomes is None else next(outcomes, menu[0])
        position = self.position
        script = self.script
        if position < len(script):
            self.position = position + 1
            return menu[script[position]]
        if self.cut:
            return menu[0]
        self.position = position + 1
        script.append(0)
        self.names.append(name)
        self.menus.append(menu)
        return menu[0]

    def happen(self, name: str, menu: Menu) -> None:
        """Something that can raise."""
        self.trace.append(name)
        outcome = self.choose(name, menu)
        if outcome is not None:
            self.raised = True
            if "+" in outcome:
                raise BaseExceptionGroup(name, [self.classes[part](name) for part in outcome.split("+")])
            raise self.classes[outcome](name)

    def here(self) -> int:
        """The line of the function under test that is running, whatever it called."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code is not self.code:
            frame = frame.f_back
        return frame.f_lineno if frame else 0

    def menu(self, line: int, awaited: bool) -> Menu:
        """What a call on `line` can come out as."""
        return outcomes(self.lines.get(line, self.every), self.groups, awaited)


class Flag:
    """A truth value that is decided when it is first asked for, and stays for the run."""

    __slots__ = ("name", "world")

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name

    def __bool__(self) -> bool:
        values = self.world.values
        if self.name not in values:
            values[self.name] = self.world.choose(self.name, TRUTH)
        return bool(values[self.name])


class Number:
    """A value that is only ever compared with literals: which of them it equals is decided when it is asked."""

    __slots__ = ("name", "world")

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name

    def __eq__(self, literal: object) -> bool:
        values = self.world.values
        equal, others = values.get(self.name, (None, ()))
        if equal is not None:
            return bool(equal == literal)
        if literal in others:
            return False
        if self.world.choose(f"{self.name} == {literal}", TRUTH):
            values[self.name] = (literal, ())
            return True
        values[self.name] = (None, (*others, literal))
        return False

    def __ne__(self, literal: object) -> bool:
        return not self == literal

    __hash__ = None  # type: ignore[assignment]


class Awaited:
    """Does what a call stands for when it is awaited, as a coroutine would."""

    __slots__ = ("action", "value")

    def __init__(self, action: Callable[[], object], value: object = None) -> None:
        self.action = action
        self.value = value

    def __await__(self) -> Iterator[None]:
        self.action()
        return _Done(self.value)


class _Done(Iterator[None]):
    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __next__(self) -> None:
        raise StopIteration(self.value)


class Engine:
    """Paused or not; `paused` is the line of the pause that did it."""

    __slots__ = ("awaited", "first", "last", "name", "paused", "world")

    def __init__(self, world: World, name: str, awaited: bool) -> None:
        self.world = world
        self.name = name
        self.awaited = awaited
        self.paused = 0
        self.first = self.last = ""

    def _touch(self, what: str) -> None:
        if not self.first:
            self.first = what
        self.last = what

    def _pause(self) -> None:
        self._touch("pause")
        line = self.world.here()
        self.world.happen(f"{self.name}.pause_generation", self.world.menu(line, self.awaited))
        self.paused = line

    def _resume(self, method: str) -> None:
        self._touch("resume")
        self.paused = 0
        self.world.happen(f"{self.name}.{method}", self.world.menu(self.world.here(), self.awaited))

    def pause_generation(self) -> Any:
        if self.awaited:
            return Awaited(self._pause)
        self._pause()
        return True

    def continue_generation(self) -> Any:
        if self.awaited:
            return Awaited(lambda: self._resume("continue_generation"))
        self._resume("continue_generation")
        return True

    def resume_generation(self) -> Any:
        if self.awaited:
            return Awaited(lambda: self._resume("resume_generation"))
        self._resume("resume_generation")
        return True


class Items:
    """An iterable with no, one or two items, the same number all through a run. Taking an item can raise."""

    __slots__ = ("awaited", "left", "name", "world")

    def __init__(self, world: World, name: str, left: int = 0, awaited: bool = False) -> None:
        self.world = world
        self.name = name
        self.left = left
        self.awaited = awaited

    def _fresh(self) -> Items:
        values = self.world.values
        if self.name not in values:
            values[self.name] = self.world.choose(f"len({self.name})", LENGTHS)
        return Items(self.world, self.name, values[self.name], self.awaited)

    def __iter__(self) -> Items:
        return self._fresh()

    def __aiter__(self) -> Items:
        return self._fresh()

    def __next__(self) -> int:
        self.world.happen(f"next({self.name})", self.world.menu(self.world.here(), False))
        if not self.left:
            raise StopIteration
        self.left -= 1
        return self.left

    async def __anext__(self) -> int:
        self.world.happen(f"next({self.name})", self.world.menu(self.world.here(), True))
        if not self.left:
            raise StopAsyncIteration
        self.left -= 1
        return self.left


class Scope:
    """A `with` item of unknown kind: entering or leaving it may raise, and it swallows nothing."""

    __slots__ = ("menu", "name", "world")

    def __init__(self, world: World, name: str, menu: Menu) -> None:
        self.world = world
        self.name = name
        self.menu = menu

    def __enter__(self) -> Scope:
        self.world.happen(f"enter {self.name}", self.menu)
        return self

    def __exit__(self, *details: object) -> None:
        self.world.happen(f"leave {self.name}", self.menu)

    def __aenter__(self) -> Awaited:
        return Awaited(self.__enter__, self)

    def __aexit__(self, *details: object) -> Awaited:
        return Awaited(self.__exit__)
