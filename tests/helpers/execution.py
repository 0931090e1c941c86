"""Running source text with fakes: every function that holds a pause, with every call raising in turn.

Which functions those are is read off the text by name alone. What running them shows is the truth that findings and
fixes are held against.
"""

from __future__ import annotations

import ast
import asyncio
import builtins
import inspect
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeGuard

from pause_lint.pairs import plain_name
from tests.helpers.fakes import VOCABULARY, Fake, World

FOREIGN = ("ray", "torch")
"""Modules that need not be installed for the code under test to be run."""

MAX_RUNS = 4000


class Unmatched(Exception):
    """An error that no handler of the code under test names."""


ERRORS: tuple[Callable[[], BaseException], ...] = (
    lambda: OSError(28, "no space left on device"),
    lambda: Unmatched("unmatched"),
    lambda: asyncio.CancelledError(),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A function to be run: `name`, or a method of `owner`."""

    owner: str | None
    name: str

    def __str__(self) -> str:
        return f"{self.owner}.{self.name}" if self.owner else self.name


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one run ended: what came out, and the run."""

    world: World
    result: object
    error: BaseException | None


def entries(source: str) -> list[Entry]:
    """The outermost functions and methods of `source` whose text names a pause."""
    found: list[Entry] = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            found += [Entry(node.name, item.name) for item in node.body if _holds_pause(item)]
        elif _holds_pause(node):
            found.append(Entry(None, node.name))
    return found


def _holds_pause(node: ast.stmt) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or plain_name(node.name) in VOCABULARY.pausing:
        return False
    names: list[str] = []
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute):
            names.append(inner.attr)
        elif isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            names.append(inner.value.rpartition("/")[2])
    return any(plain_name(name) in VOCABULARY.pausing for name in names)


def outcomes(source: str, entry: Entry) -> Iterator[Outcome]:
    """Runs `entry` once for every call that can raise, every error it can raise, and every answer to open conditions.

    Raises whatever the code raises that is not what it was made to raise and not a `raise` of its own.
    """
    runs = 0
    for failing in range(10_000):
        reached = False
        for error in ERRORS if failing else ERRORS[:1]:
            scripts: list[tuple[bool, ...]] = [()]
            while scripts:
                script = scripts.pop()
                outcome = run(source, entry, World(fails=_nth(failing, error()), error=error(), script=script))
                world = outcome.world
                reached = reached or world.steps >= failing
                asked = range(len(script), len(world.decisions))
                scripts += [(*world.decisions[:number], not world.decisions[number]) for number in asked]
                runs += 1
                assert runs < MAX_RUNS, f"{entry}: too many ways through"
                yield outcome
        if not reached:
            return


def _nth(number: int, error: BaseException) -> Callable[[int, str], bool]:
    """Only an await can be cancelled."""
    cancels = isinstance(error, asyncio.CancelledError)
    return lambda step, what: step == number and (not cancels or what.startswith("await "))


def run(source: str, entry: Entry, world: World) -> Outcome:
    """Runs `entry` of `source` in `world`, with fakes for everything it is given."""
    with _foreign_modules(world):
        namespace: dict[str, Any] = {"__name__": "case"}
        exec(compile(source, "<case>", "exec"), namespace)
        if entry.owner is None:
            function = namespace[entry.name]
        else:
            owner = namespace[entry.owner]
            fails, world.fails = world.fails, lambda number, what: False
            instance = owner(*_fakes(world, owner)) if owner.__init__ is not object.__init__ else owner()
            world.fails, world.steps = fails, 0
            function = getattr(instance, entry.name)
        return outcome_of(world, lambda: function(*_fakes(world, function)))


def outcome_of(world: World, call: Callable[[], object]) -> Outcome:
    """Calls, and drives what comes back to its end: a coroutine, a context manager, a function that was wrapped."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a coroutine that was built and dropped on the way out
        try:
            result = _drive(world, call())
        except (OSError, Unmatched, asyncio.CancelledError, RuntimeError) as error:
            return Outcome(world, None, error)
    return Outcome(world, result, None)


def _drive(world: World, result: object) -> object:
    if inspect.iscoroutine(result):
        return asyncio.run(result)
    if inspect.isfunction(result):
        return _drive(world, result(*_fakes(world, result)))
    if isinstance(result, AbstractContextManager) and not isinstance(result, Fake):
        with result:
            return None
    return result


def _fakes(world: World, function: Callable[..., object]) -> list[Fake]:
    wrapped = getattr(function, "__wrapped__", None)  # a fake where a decorator under test was called with one
    parameters = inspect.signature(function, follow_wrapped=inspect.isfunction(wrapped)).parameters.values()
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [Fake(world, one.name) for one in parameters if one.kind in positional and one.default is one.empty]


@contextmanager
def _foreign_modules(world: World) -> Iterator[None]:
    before = {name: sys.modules.get(name) for name in FOREIGN}
    for name in FOREIGN:
        module = ModuleType(name)
        fake = Fake(world, name)
        module.__getattr__ = fake.__getattr__  # type: ignore[method-assign]
        sys.modules[name] = module
    try:
        yield
    finally:
        for name, module_before in before.items():
            if module_before is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module_before


def method_of(source: str, class_name: str, method: str, world: World, given: Sequence[tuple[str, Any]] = ()) -> Any:
    """A method cut out of `source` as a function, every global name in it a fake of `world` or what is `given`.

    Annotations and decorators are left out: they need what surrounds the class.
    """
    tree = ast.parse(source)
    [owner] = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == class_name]
    [function] = [node for node in owner.body if isinstance(node, ast.FunctionDef) and node.name == method]
    function.decorator_list = []
    function.returns = None
    for argument in function.args.args:
        argument.annotation = None
    namespace: dict[str, Any] = {
        node.id: Fake(world, node.id)
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not hasattr(builtins, node.id)
    }
    namespace.update(given)
    exec(compile(ast.Module([function], type_ignores=[]), f"<{class_name}.{method}>", "exec"), namespace)
    return namespace[method]
