"""Conditions: which terms they become, which questions they put, and what the answers to some say about others."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pause_lint.analysis.guards import (
    FALSE,
    NONE,
    TRUE,
    Atom,
    Facts,
    Term,
    Terms,
    constant,
    decide,
    implied,
    location,
    names,
    question,
    substitute,
)

X, Y = ("name", "x"), ("name", "y")


def expression(source: str) -> ast.expr:
    return ast.parse(source, mode="eval").body


def term(source: str, **scope: str) -> Term:
    return Terms().of(expression(source), scope)


def both(source: str, stable_calls: frozenset[str] = frozenset()) -> tuple[Term, Term]:
    """The terms of two places where the same expression stands."""
    # One tree, so that both are there at the same time: a symbol is known by the identity of its expression.
    pair = expression(f"({source}), ({source})")
    assert isinstance(pair, ast.Tuple)
    terms = Terms(stable_calls)
    return terms.of(pair.elts[0], {}), terms.of(pair.elts[1], {})


def asked(source: str) -> Term:
    return question(term(source))


def facts(*sources: str) -> Facts:
    """Every condition, taken as true; `not` is taken apart."""
    found = set()
    for source in sources:
        formula, answer = asked(source), True
        while formula[0] == "not":
            formula, answer = formula[1], not answer
        assert formula[0] == "lit", f"{source} is more than one question"
        found.add((formula[1], answer))
    return frozenset(found)


# -- terms


@pytest.mark.parametrize(
    "source, expected",
    [
        ("x", X),
        ("self.rank", ("attr", ("name", "self"), "rank")),
        ("x[0]", ("item", X, constant(0))),
        ("1", ("const", "int", 1)),
        ("True", TRUE),
        ("None", NONE),
        ("-1", constant(-1)),
        ("not x", ("not", X)),
        ("x and y", ("and", (X, Y))),
        ("x or y", ("or", (X, Y))),
        ("x if y else 1", ("ite", Y, X, constant(1))),
        ("x == 1", ("cmp", "==", X, constant(1))),
        ("x != 1", ("not", ("cmp", "==", X, constant(1)))),
        ("x is not None", ("not", ("cmp", "is", X, NONE))),
        ("0 < x < 9", ("and", (("cmp", "<", constant(0), X), ("cmp", "<", X, constant(9))))),
        ("x in (1, y)", ("or", (("cmp", "==", X, constant(1)), ("cmp", "==", X, Y)))),
        ("x in y", ("cmp", "in", X, Y)),
        ("x not in y", ("not", ("cmp", "in", X, Y))),
        ("(x := probe())", X),
        ("bool(x)", ("not", ("not", X))),
        ("list(x)", X),
        ("[e for e in x]", X),
        ("[]", ("display", False)),
        ("{'a': 1}", ("display", True)),
    ],
)
def test_the_term_of_an_expression(source: str, expected: Term) -> None:
    assert term(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "dist.get_rank()",
        "get_rank() == 0",
        "self.is_main_process()",
        "isinstance(x, Engine)",
        "len(x) > 1",
        "hasattr(x, 'pause')",
        "table.values()",
        "x.y[0].z % 2",
        "f'{x}-{y}'",
    ],
)
def test_what_is_stable_has_the_same_term_wherever_it_stands(source: str) -> None:
    assert len(set(both(source))) == 1


@pytest.mark.parametrize("source", ["probe()", "self.queue.get()", "x.pop() == 1", "random() < 0.5", "[*x]"])
def test_what_is_not_stable_has_a_term_of_its_own_at_each_place(source: str) -> None:
    assert len(set(both(source))) == 2


def test_a_call_can_be_declared_stable() -> None:
    assert len(set(both("is_driver()"))) == 2
    assert len(set(both("is_driver()", frozenset({"is_driver"})))) == 1


def test_names_go_through_the_scope() -> None:
    assert term("x", x="x@2") == ("name", "x@2")


@pytest.mark.parametrize(
    "source, same",
    [
        ("list(x)", "x"),
        ("enumerate(x)", "x"),
        ("enumerate(list(x), 1)", "x"),
        ("x.values()", "x"),
        ("sorted(x.items())", "x"),
        ("tqdm(x)", "x"),
        ("reversed(self.engines)", "self.engines"),
    ],
)
def test_what_a_loop_goes_over(source: str, same: str) -> None:
    assert Terms().iterable(expression(source), {}) == term(same)


@pytest.mark.parametrize("source", ["x[1:]", "[e for e in x if e]", "filter(None, x)"])
def test_a_part_is_not_the_whole(source: str) -> None:
    assert Terms().iterable(expression(source), {}) != X


@pytest.mark.parametrize(
    "source, path",
    [("x", "x"), ("self.rank", "self.rank"), ("x.y.z", "x.y.z"), ("x[0].y", "x[0].y"), ("x[y]", None), ("1", None)],
)
def test_where_an_assignment_could_change_it(source: str, path: str | None) -> None:
    assert location(term(source)) == path


def test_the_names_in_a_term() -> None:
    assert set(names(term("x and self.rank == y"))) == {"x", "y", "self", "self.rank"}
    (symbol,) = names(term("probe()"))
    assert symbol.startswith("@")


def test_substitution_leaves_the_rest_as_it_is() -> None:
    whole = term("x and y == 1")
    assert substitute(whole, lambda part: TRUE if part == X else None) == ("and", (TRUE, term("y == 1")))
    assert substitute(whole, lambda part: None) is whole


# -- questions


@pytest.mark.parametrize(
    "one, other",
    [
        ("x != 1", "not x == 1"),
        ("not not x", "x"),
        ("bool(x)", "x"),
        ("1 == x", "x == 1"),
        ("x > 1", "1 < x"),
        ("x >= 1", "not x < 1"),
        ("x <= 1", "not 1 < x"),
        ("x is not None", "not x is None"),
        ("None is x", "x is None"),
        ("x == None", "x is None"),
        ("x == y", "y == x"),
        ("len(x) == 0", "not x"),
        ("len(x) > 0", "x"),
        ("len(x) >= 1", "x"),
        ("len(x)", "x"),
        ("(x == 1) is True", "x == 1"),
        ("(not x) == False", "x"),
    ],
)
def test_two_ways_to_put_the_same_question(one: str, other: str) -> None:
    assert asked(one) == asked(other)


@pytest.mark.parametrize("source", ["1", "'a'", "x == x", "1 < 2", "[1]", "(x,)", "not 0", "None is None", "range(3)"])
def test_what_is_true_without_asking(source: str) -> None:
    assert asked(source) == TRUE


@pytest.mark.parametrize("source", ["0", "''", "None", "1 == 2", "[]", "{}", "not 1", "1 is None", "() is None"])
def test_what_is_false_without_asking(source: str) -> None:
    assert asked(source) == FALSE


@pytest.mark.parametrize("one, other", [("x == 1", "x == '1'"), ("x", "y"), ("x < 1", "x < 2"), ("x.a", "x.b")])
def test_questions_that_differ(one: str, other: str) -> None:
    assert asked(one) != asked(other)


# -- what answers say about other questions


@pytest.mark.parametrize(
    "known, source",
    [
        (["x"], "x"),
        (["x == 0"], "not x"),
        (["x == 1"], "x"),
        (["x == 1"], "x != 2"),
        (["x == 1"], "x < 2"),
        (["x == 1"], "x is not None"),
        (["x is None"], "not x"),
        (["x is None"], "x != 1"),
        (["x"], "x is not None"),
        (["x"], "x != 0"),
        (["not x"], "x != 1"),
        (["x < 1"], "x < 2"),
        (["x < 1"], "x != 1"),
        (["x > 5"], "x > 4"),
        (["x > 5"], "not x < 5"),
        (["x > 5"], "x != 5"),
        (["not x < 5"], "x > 4"),
        (["x", "y"], "x and y"),
        (["x"], "x or y"),
        (["not x"], "not (x and y)"),
        (["x"], "y if not x else True"),
        (["x == 'disk'"], "x in ('disk', 'xccl')"),
        (["x == 'disk'"], "x not in ('nccl', 'xccl')"),
    ],
)
def test_what_is_settled(known: list[str], source: str) -> None:
    assert decide(asked(source), facts(*known)) is True
    assert decide(asked(f"not ({source})"), facts(*known)) is False


@pytest.mark.parametrize(
    "known, source",
    [
        ([], "x"),
        (["y"], "x"),
        (["x"], "x == 1"),
        (["not x"], "x is None"),
        (["not x"], "x == 0"),
        (["x is not None"], "x"),
        (["x != 1"], "x == 2"),
        (["x < 2"], "x < 1"),
        (["x > 4"], "x > 5"),
        (["x"], "x and y"),
        (["not x"], "x or y"),
        (["x == 1"], "x < 'a'"),
        (["x == y"], "x"),
        (["x in y"], "x"),
    ],
)
def test_what_stays_open(known: list[str], source: str) -> None:
    """The answer is then an atom of the question that is not settled."""
    atom = decide(asked(source), facts(*known))
    assert not isinstance(atom, bool)
    assert atom in set(atoms(asked(source)))
    assert implied(atom, facts(*known)) is None


# -- against the evaluation of everything

VALUES: tuple[Any, ...] = (None, False, True, -1, 0, 1, 2, "", "a")
CONSTANTS = st.sampled_from(["None", "True", "False", "-1", "0", "1", "2", "''", "'a'"])
NAMES = st.sampled_from(["x", "y"])
COMPARISONS = st.one_of(
    NAMES,
    st.builds("{} is None".format, NAMES),
    st.builds("{} is not None".format, NAMES),
    st.builds("{} {} {}".format, NAMES, st.sampled_from(["==", "!="]), st.one_of(CONSTANTS, NAMES)),
    st.builds(
        "{} {} {}".format, NAMES, st.sampled_from(["<", "<=", ">", ">="]), st.sampled_from(["-1", "0", "1", "y"])
    ),
    st.builds("{} {} {}".format, st.sampled_from(["0", "2"]), st.sampled_from(["<", "<=", "=="]), NAMES),
    st.builds("0 <= {} < {}".format, NAMES, st.sampled_from(["1", "2"])),
    st.builds("{} {} ({}, {})".format, NAMES, st.sampled_from(["in", "not in"]), CONSTANTS, CONSTANTS),
)
CONDITIONS = st.recursive(
    COMPARISONS,
    lambda inner: st.one_of(
        st.builds("not ({})".format, inner),
        st.builds("({}) and ({})".format, inner, inner),
        st.builds("({}) or ({})".format, inner, inner),
        st.builds("({}) if ({}) else ({})".format, inner, inner, inner),
    ),
    max_leaves=5,
)


def atoms(formula: Term) -> Iterator[Atom]:
    if formula[0] == "lit":
        yield formula[1]
    elif formula[0] == "not":
        yield from atoms(formula[1])
    elif formula[0] in ("and", "or"):
        for part in formula[1]:
            yield from atoms(part)


def worth(value: Term, scope: dict[str, Any]) -> Any:
    return scope[value[1]] if value[0] == "name" else value[2]


def answer(atom: Atom, scope: dict[str, Any]) -> bool | None:
    """The answer to an atom where its names have these values; None where asking raises."""
    operands = [worth(part, scope) for part in atom[1:]]
    try:
        match atom[0], operands:
            case "true", [value]:
                return bool(value)
            case "none", [value]:
                return value is None
            case "==", [left, right]:
                return bool(left == right)
            case "<", [left, right]:
                return bool(left < right)
    except TypeError:
        return None
    raise AssertionError(atom)


def truth(source: str, scope: dict[str, Any]) -> bool | None:
    """What Python says of a condition; None where it raises."""
    try:
        return bool(eval(source, {}, dict(scope)))
    except TypeError:
        return None


SCOPES = [{"x": x, "y": y} for x, y in itertools.product(VALUES, repeat=2)]


@settings(max_examples=300, deadline=None)
@given(CONDITIONS)
def test_a_question_is_answered_as_python_answers_the_condition(source: str) -> None:
    formula = asked(source)
    for scope in SCOPES:
        expected = truth(source, scope)
        answers = {atom: answer(atom, scope) for atom in atoms(formula)}
        if expected is not None and None not in answers.values():
            known = frozenset((atom, bool(value)) for atom, value in answers.items())
            assert decide(formula, known) is expected, scope


@settings(max_examples=500, deadline=None)
@given(st.lists(CONDITIONS, min_size=1, max_size=3), CONDITIONS)
def test_what_is_decided_is_never_wrong(earlier: list[str], source: str) -> None:
    """Whatever the names are worth, and whatever has been asked before: a verdict is what Python says."""
    formula = asked(source)
    before = {atom for condition in earlier for atom in atoms(asked(condition))}
    for scope in SCOPES:
        expected = truth(source, scope)
        if expected is None:
            continue
        answers = {atom: answer(atom, scope) for atom in before}
        known = frozenset((atom, value) for atom, value in answers.items() if value is not None)
        verdict = decide(formula, known)
        if isinstance(verdict, bool):
            assert verdict is expected, (scope, known)
        else:
            assert verdict in set(atoms(formula))
