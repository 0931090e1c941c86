"""What a clause catches, against what Python itself does with real exceptions."""

from __future__ import annotations

import ast
import asyncio
import builtins

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pause_lint.analysis.exceptions import (
    ANYTHING,
    CANCELLED,
    CLOSED,
    EXITING,
    SOME,
    Thrown,
    catch,
    class_name,
    clause_types,
    is_exception,
    is_subclass,
)

CLASSES: dict[str, type[BaseException]] = {
    name: kind
    for name, kind in sorted(vars(builtins).items())
    if isinstance(kind, type) and issubclass(kind, BaseException) and kind.__name__ == name
} | {"CancelledError": asyncio.CancelledError}
SIMPLE = [name for name in CLASSES if not name.startswith("Unicode") and not name.endswith("Group")]
"""Those that can be made from one text."""


def covers(thrown: Thrown | None, kind: type[BaseException]) -> bool:
    """Whether exceptions of exactly this class are among those that `thrown` stands for."""
    if thrown is None:
        return False
    upper = CLASSES[thrown.upper]
    return (kind is upper if thrown.exact else issubclass(kind, upper)) and not any(
        issubclass(kind, CLASSES[name]) for name in thrown.excluded
    )


def really_caught(kind: type[BaseException], types: tuple[str, ...]) -> bool:
    """Whether `except types` catches an exception of this class."""
    clause = tuple(CLASSES[name] for name in types)
    try:
        try:
            raise kind("raised")
        except clause:
            return True
    except BaseException:
        return False


@pytest.mark.parametrize("sub", CLASSES)
def test_the_hierarchy_of_the_built_in_classes(sub: str) -> None:
    for sup in CLASSES:
        assert is_subclass(sub, sup, {}) is issubclass(CLASSES[sub], CLASSES[sup]), sup


@pytest.mark.parametrize("raised", SIMPLE)
def test_an_exception_of_a_known_class_meets_a_clause(raised: str) -> None:
    for clause in CLASSES:
        caught, rest = catch(Thrown(raised, exact=True), (clause,), {})
        if really_caught(CLASSES[raised], (clause,)):
            assert (caught, rest) == ((Thrown(raised, exact=True),), None), clause
        else:
            assert (caught, rest) == ((), Thrown(raised, exact=True)), clause


@given(
    st.sampled_from(["Exception", "BaseException", "OSError", "LookupError", "ArithmeticError"]),
    st.lists(st.lists(st.sampled_from(sorted(CLASSES)), min_size=1, max_size=3).map(tuple), max_size=4),
    st.sampled_from(SIMPLE),
)
def test_an_exception_of_any_class_meets_several_clauses(
    upper: str, clauses: list[tuple[str, ...]], raised: str
) -> None:
    """Where Python catches it, the analysis says that it may be caught, and where not, that it may go past."""
    kind = CLASSES[raised]
    if not issubclass(kind, CLASSES[upper]):
        return
    flying: Thrown | None = Thrown(upper)
    for types in clauses:
        assert flying is not None
        caught, flying = catch(flying, types, {})
        if really_caught(kind, types):
            assert any(covers(one, kind) for one in caught)
            assert not covers(flying, kind)
            return
        assert not any(covers(one, kind) for one in caught)
        assert covers(flying, kind)


@pytest.mark.parametrize(
    "thrown, types, caught",
    [
        (SOME, ("Exception",), "all"),
        (SOME, ("BaseException",), "all"),
        (SOME, ("ValueError",), "some"),
        (SOME, ("KeyboardInterrupt",), "none"),
        (SOME, ("CancelledError",), "none"),
        (SOME, (ANYTHING,), "some"),
        (SOME, ("UnknownError",), "some"),
        (SOME, ("ValueError", "Exception"), "all"),
        (CANCELLED, ("Exception",), "none"),
        (CANCELLED, ("BaseException",), "all"),
        (CANCELLED, ("Exception", "CancelledError"), "all"),
        (CANCELLED, ("GeneratorExit",), "none"),
        (CLOSED, ("Exception",), "none"),
        (CLOSED, ("GeneratorExit",), "all"),
        (EXITING, ("Exception",), "none"),
        (EXITING, ("SystemExit",), "all"),
        (Thrown("UnknownError", exact=True), ("Exception",), "all"),
        (Thrown("UnknownError", exact=True), ("ValueError",), "some"),
        (Thrown("UnknownError", exact=True), ("KeyboardInterrupt",), "none"),
    ],
)
def test_what_a_clause_catches_of_what_is_in_flight(thrown: Thrown, types: tuple[str, ...], caught: str) -> None:
    part, rest = catch(thrown, types, {})
    assert (bool(part), rest is None) == {"all": (True, True), "some": (True, False), "none": (False, False)}[caught]


def test_what_an_earlier_clause_caught_does_not_reach_a_later_one() -> None:
    _, rest = catch(SOME, ("OSError",), {})
    assert rest == Thrown("Exception", excluded=frozenset({"OSError"}))
    assert catch(rest, ("FileNotFoundError",), {}) == ((), rest)
    (caught,), rest = catch(rest, ("Exception",), {})
    assert caught.excluded == {"OSError"}
    assert rest is None


LOCAL = {"WeightError": ("RuntimeError",), "ShardError": ("WeightError", "KeyError"), "Odd": ("elsewhere.Base",)}


@pytest.mark.parametrize(
    "sub, sup, verdict",
    [
        ("WeightError", "RuntimeError", True),
        ("WeightError", "Exception", True),
        ("WeightError", "ValueError", False),
        ("ShardError", "WeightError", True),
        ("ShardError", "LookupError", True),
        ("ShardError", "OSError", False),
        ("RuntimeError", "WeightError", False),
        ("Odd", "ValueError", None),
        ("Odd", "Exception", True),
        ("Odd", "KeyboardInterrupt", False),
        ("UnknownError", "ValueError", None),
        ("UnknownError", "UnknownError", True),
    ],
)
def test_classes_of_the_module(sub: str, sup: str, verdict: bool | None) -> None:
    assert is_subclass(sub, sup, LOCAL) is verdict


def test_classes_that_derive_from_each_other_come_to_an_end() -> None:
    assert is_subclass("A", "ValueError", {"A": ("B",), "B": ("A",)}) is None


@pytest.mark.parametrize(
    "source, name",
    [
        ("ValueError", "ValueError"),
        ("asyncio.CancelledError", "CancelledError"),
        ("builtins.ValueError", "ValueError"),
        ("client.TransportError", "client.TransportError"),
        ("a.b.Error", "a.b.Error"),
        ("errors[0]", ANYTHING),
        ("choose()", ANYTHING),
    ],
)
def test_the_name_of_a_class(source: str, name: str) -> None:
    assert class_name(ast.parse(source, mode="eval").body) == name


@pytest.mark.parametrize(
    "clause, types",
    [
        ("except:", ("BaseException",)),
        ("except ValueError:", ("ValueError",)),
        ("except ValueError as error:", ("ValueError",)),
        ("except (OSError, asyncio.CancelledError):", ("OSError", "CancelledError")),
        ("except errors:", ("errors",)),
        ("except (*errors, OSError):", (ANYTHING, "OSError")),
    ],
)
def test_the_classes_that_a_clause_names(clause: str, types: tuple[str, ...]) -> None:
    (attempt,) = ast.parse(f"try:\n    pass\n{clause}\n    pass\n").body
    assert isinstance(attempt, ast.Try)
    assert clause_types(attempt.handlers[0].type) == types


@pytest.mark.parametrize(
    "name, verdict", [("ValueError", True), ("CancelledError", True), ("int", False), ("WeightError", False)]
)
def test_which_names_are_known_to_be_exceptions(name: str, verdict: bool) -> None:
    assert is_exception(name) is verdict
