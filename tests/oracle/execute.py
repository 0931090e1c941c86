"""Executes a function under every outcome of its conditions, loops and raising calls.

A depth-first enumeration: wherever something can come out in more than one way, the next recorded outcome is taken,
else the first one, and afterwards the last outcome that has an alternative is changed. The truth about a function is
what these runs leave paused. Nothing here reads or imports the analysis. What can raise: calls, awaits, `raise`,
`assert`, imports, entering and leaving a `with`, taking a loop's next item; not: logging, clocks, loads, assignments.

Not modelled: generators, more than `loops` turns of a `while` (such a run is dropped), more than two items of a `for`.
"""

from __future__ import annotations

import ast
import asyncio
import builtins
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from tests.oracle.fakes import TRUTH, Awaited, Cut, Engine, Flag, Items, Number, OracleError, Scope, Stray, World
from tests.oracle.sites import CANCELLED, STRAY, Menu, dotted, outcomes, survey

BOUND = 3000
FILE = "oracle.py"
ENGINES = ("engine", "other", "self.engine")


class _Ticks(ast.NodeTransformer):
    """Counts the turns of every `while`."""

    def __init__(self) -> None:
        self.number = 0

    def visit_While(self, node: ast.While) -> ast.While:
        self.generic_visit(node)
        self.number += 1
        tick = ast.parse(f"_tick('loop {self.number}')").body[0]
        for part in ast.walk(tick):
            ast.copy_location(part, node.test)
        node.body.insert(0, tick)
        return node


@dataclass(frozen=True, slots=True)
class Recorded:
    """One run: its choices by what they were about, and what was to be seen of it from outside."""

    choices: tuple[tuple[str, Any], ...]
    trace: tuple[str, ...]
    result: str
    error: tuple[str, ...] | None
    leaking: frozenset[int]

    @property
    def seen(self) -> tuple[object, ...]:
        """What a fix must not change."""
        return (self.trace, self.result, self.error)


@dataclass(frozen=True, slots=True)
class Truth:
    """What all the runs of a function say. `leaking`: the lines of the pauses that some run leaves behind."""

    complete: bool
    runs: int
    leaking: frozenset[int]
    reverse: bool
    right: tuple[Recorded, ...]
    witness: dict[int, Recorded]


class Program:
    """A module with one function of the grammar, ready to run."""

    def __init__(self, source: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(source, FILE)
        last = tree.body[-1]
        function = last.body[-1] if isinstance(last, ast.ClassDef) else last
        assert isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
        self.sites = survey(function)
        self.asynchronous = isinstance(function, ast.AsyncFunctionDef)
        self.world = World()
        awaited = {
            dotted(call.func.value)
            for node in ast.walk(function)
            for call in ([node.value] if isinstance(node, ast.Await) else [])
            if isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr.endswith("_generation")
        }
        # An engine that is only ever resumed through a registered or local function tells by the way that one is used.
        awaited |= {
            name for name in ENGINES if re.search(rf"push_async_callback\({name}\.|return await {name}\.", source)
        }
        awaited |= {
            name
            for name in ENGINES
            if re.search(rf"(?s)\b(\w+) = (?:[^\n]* )?{name}\.\w+_generation\b.*await \1\(", source)
        }
        self.engines = {name: Engine(self.world, name, name in awaited) for name in ENGINES}
        names = {name.id for name in ast.walk(function) if isinstance(name, ast.Name)}
        self.parameters = [argument.arg for argument in function.args.args]
        _Ticks().visit(tree)
        space = self._space(names)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            exec(compile(tree, FILE, "exec"), space)
        owner = space[last.name] if isinstance(last, ast.ClassDef) else None
        self.function = getattr(owner, function.name) if owner else space[function.name]
        self.world.code = self.function.__code__
        self.world.engines = [self.engines[name] for name in ENGINES if name in self.sites.names or name == "engine"]
        self.classes: dict[str, type[BaseException]] = {STRAY: Stray, CANCELLED: asyncio.CancelledError}
        self.world.classes = self.classes
        for name in self.sites.every - {"*", "?"}:
            if name not in self.classes:
                self.classes[name] = space.get(name) or vars(builtins)[name]
        self.extend({})
        self._fields = self._attributes()

    def extend(self, names: dict[str, frozenset[str]]) -> None:
        """Let what is called in `names` raise these classes as well."""
        sites, world = self.sites, self.world
        for name, around in names.items():
            if name in sites.names:
                sites.names[name] |= around
        for line, words in sites.words.items():
            for word in words & names.keys():
                sites.lines[line] |= names[word]
        extra = frozenset().union(*names.values()) if names else frozenset()
        sites.every |= extra
        for name in extra - {"*", "?"}:
            if name not in self.classes:
                self.classes[name] = self.function.__globals__.get(name) or vars(builtins)[name]
        world.lines, world.every, world.groups = sites.lines, sites.every, sites.groups
        self._menus.clear()

    def _menu_of(self, name: str, awaited: bool) -> Menu:
        key = (name, awaited)
        if key not in self._menus:
            self._menus[key] = outcomes(self.sites.names.get(name, self.sites.every), self.sites.groups, awaited)
        return self._menus[key]

    def _space(self, names: set[str]) -> dict[str, Any]:
        world = self.world
        self._menus: dict[tuple[str, bool], Menu] = {}

        def quiet(name: str) -> Callable[..., None]:
            def call(*arguments: object) -> None:
                world.trace.append(f"{name}{arguments}")

            return call

        def step(name: str) -> Callable[[], str]:
            def call() -> str:
                world.happen(name, self._menu_of(name, False))
                return name

            return call

        def awaited_step(name: str) -> Callable[[], Awaited]:
            def action() -> None:
                world.happen(name, self._menu_of(name, True))

            return lambda: Awaited(action, name)

        def probe(name: str) -> Callable[[], bool]:
            def call() -> bool:
                world.happen(name, self._menu_of(name, False))
                return bool(world.choose(f"value of {name}", TRUTH))

            return call

        def pick(name: str) -> Callable[[], Number]:
            def call() -> Number:
                world.happen(name, self._menu_of(name, False))
                world.counts[name] = world.counts.get(name, 0) + 1
                return Number(world, f"{name} {world.counts[name]}")

            return call

        def find(name: str) -> Callable[[], object]:
            def call() -> object:
                world.happen(name, self._menu_of(name, False))
                return world.choose(f"value of {name}", (None, "found"))

            return call

        def scope(name: str, asynchronous: bool) -> Callable[[], Scope]:
            return lambda: Scope(world, name, self._menu_of(name, asynchronous))

        def tick(loop: str) -> None:
            world.counts[loop] = world.counts.get(loop, 0) + 1
            if world.counts[loop] > world.loops or world.cut:
                world.cut = True
                raise Cut

        def load(name: str, *rest: object) -> object:
            if not name.startswith("plugin_"):
                return __import__(name, *rest)  # type: ignore[arg-type]
            world.happen(f"import {name}", self._menu_of(name, False))
            return SimpleNamespace()

        rank = Number(world, "dist.get_rank()")
        space: dict[str, Any] = {
            "__name__": "oracle",
            "__builtins__": {**vars(builtins), "__import__": load},
            "_tick": tick,
            "logger": SimpleNamespace(info=quiet("logger.info")),
            "print": quiet("print"),
            "time": SimpleNamespace(monotonic=lambda: 0.0),
            "dist": SimpleNamespace(get_rank=lambda: rank),
        }
        makers: dict[str, Callable[[str], Any]] = {
            "step": step,
            "astep": awaited_step,
            "probe": probe,
            "pick": pick,
            "find": find,
            "scope": lambda name: scope(name, False),
            "ascope": lambda name: scope(name, True),
        }
        for name in names:
            maker = makers.get(name.partition("_")[0])
            if maker and name[-1].isdigit():
                space[name] = maker(name)
        return space

    def _attributes(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The parameters, and what `self` starts with."""
        world = self.world
        own = {
            "engine": self.engines["self.engine"],
            "flag": Flag(world, "self.flag"),
            "ready": Flag(world, "self.ready"),
            "mode": Number(world, "self.mode"),
        }
        given: dict[str, Any] = {
            "engine": self.engines["engine"],
            "other": self.engines["other"],
            "mode": Number(world, "mode"),
            "kind": Number(world, "kind"),
            "rank": Number(world, "rank"),
            "items": Items(world, "items"),
            "more_items": Items(world, "more_items"),
            "aitems": Items(world, "aitems", awaited=True),
            "lock": None,
        }
        for name in ("c1", "c2", "c3", "flag_a"):
            given[name] = Flag(world, name)
        return given, own

    def _run(self) -> tuple[str, tuple[str, ...] | None]:
        world = self.world
        world.begin()
        given, own = self._fields
        arguments: list[Any] = []
        for name in self.parameters:
            if name == "self":
                arguments.append(SimpleNamespace(**own))
            elif name == "x":
                arguments.append(world.choose("x is given", (None, "given")))
            elif name == "lock":
                arguments.append(Scope(world, "lock", self._menu_of("lock", False)))
            else:
                arguments.append(given[name])
        try:
            if self.asynchronous:
                try:
                    self.function(*arguments).send(None)
                except StopIteration as done:
                    result = done.value
                else:
                    raise OracleError("the function waits for something")
            else:
                result = self.function(*arguments)
        except (KeyboardInterrupt, OracleError):
            raise
        except (NameError, TypeError, AttributeError) as error:
            raise OracleError(f"{type(error).__name__}: {error}") from error
        except BaseException as error:
            return "", _described(error)
        return (result.name if isinstance(result, (Flag, Number)) else repr(result)), None

    def explore(self, bound: int = BOUND, loops: int = 2, keep: bool = False) -> Truth:
        """Every run, up to `bound` of them; `while` loops turn `loops` times. `keep`: record those that end well."""
        world = self.world
        world.given = None
        world.loops = loops
        world.script, world.names, world.menus = [], [], []
        leaking: set[int] = set()
        right: list[Recorded] = []
        witness: dict[int, Recorded] = {}
        plain: dict[str, list[bool]] = {}
        normal: dict[str, list[bool]] = {}
        runs, complete = 0, False
        while runs < bound:
            runs += 1
            result, error = self._run()
            if not world.cut:
                left = {engine.paused for engine in world.engines if engine.paused}
                if left - leaking or (keep and not left):
                    choices = tuple(
                        zip(world.names, (m[i] for m, i in zip(world.menus, world.script, strict=True)), strict=True)
                    )
                    record = Recorded(choices, tuple(world.trace), result, error, frozenset(left))
                    if left:
                        witness.update(dict.fromkeys(left - leaking, record))
                        leaking |= left
                    else:
                        right.append(record)
                if error is None:
                    for engine in world.engines:
                        if engine.first:
                            backwards = engine.first == "resume" and engine.last == "pause"
                            normal.setdefault(engine.name, []).append(backwards)
                            if not world.raised:
                                plain.setdefault(engine.name, []).append(backwards)
            if not world.advance():
                complete = True
                break
        reverse = any(all(ends) for ways in (plain, normal) for ends in ways.values())
        return Truth(complete, runs, frozenset(leaking), reverse, tuple(right), witness)

    def replay(self, choices: Sequence[tuple[str, Any]]) -> Recorded:
        """One run under choices recorded from another program, taken by name and in their order under that name."""
        world = self.world
        given: dict[str, list[Any]] = {}
        for name, outcome in choices:
            given.setdefault(name, []).append(outcome)
        world.given = {name: iter(outcomes) for name, outcomes in given.items()}
        world.loops = 20
        result, error = self._run()
        left = frozenset(engine.paused for engine in world.engines if engine.paused)
        return Recorded(tuple(choices), tuple(world.trace), result, error, left)


def _described(error: BaseException) -> tuple[str, ...]:
    """An exception's class, words and cause."""
    words = (
        [type(error).__name__, *map(repr, error.args)] if not isinstance(error, BaseExceptionGroup) else _group(error)
    )
    if error.__cause__ is not None:
        words += ["from", *_described(error.__cause__)]
    return tuple(words)


def _group(error: BaseExceptionGroup[BaseException]) -> list[str]:
    return [type(error).__name__, *(word for part in error.exceptions for word in _described(part))]
