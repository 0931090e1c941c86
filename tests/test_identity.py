"""What identifies a finding: what people do to code without changing it does not change it either."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pause_lint.check import check_source
from pause_lint.config import Options
from pause_lint.finding import Span
from pause_lint.identity import Identity, Surroundings, identify

PLAIN = """\
def reload(engine, path, *, mode):
    name = f"{path}/{mode!r}"
    engine.pause_generation(mode="keep", level=0xff)
    if mode in ("a", 'b'):
        return engine.load(name, [path, mode])
    engine.continue_generation()
"""


def identity(source: str) -> Identity:
    """That of the only finding in a file."""
    report = check_source(source.encode(), "a.py", Options())
    assert report.problems == ()
    [finding] = report.findings
    return identify(finding, Surroundings(source.split("\n")), "a.py")


SAME: dict[str, str] = {
    "lines above": "import os\n\nX = 1\n\n\n" + PLAIN,
    "lines below": PLAIN + "\n\ndef other():\n    return 1\n",
    "another name": PLAIN.replace("reload", "renamed"),
    "a comment": PLAIN.replace("    engine.pause", "    # of all engines\n\n    engine.pause"),
    "a comment at the end": PLAIN.replace("level=0xff)", "level=0xff)  # of all engines"),
    "a docstring": PLAIN.replace("mode):\n", 'mode):\n    """Load it."""\n'),
    "another docstring": PLAIN.replace("mode):\n", 'mode):\n    """Load it\n\n    at once."""\n'),
    "a decorator": "@traced\n" + PLAIN,
    "in a class": "class A:\n" + textwrap.indent(PLAIN, "    "),
    "last of a class": "class A:\n    def f(self):\n        if 1:\n            pass\n\n"
    + textwrap.indent(PLAIN, "    "),
    "behind a deeper block": "def f():\n    if 1:\n        if 2:\n            pass\n\n\n" + PLAIN,
    "indented by two": PLAIN.replace("    ", "  "),
    "tabs": PLAIN.replace("    ", "\t"),
    "other quotes": PLAIN.replace("'b'", '"b"').replace('"keep"', "'keep'").replace('f"{', "f'{").replace('}"', "}'"),
    "wrapped": PLAIN.replace('(mode="keep", level=0xff)', '(\n        mode="keep",\n        level=0xff,\n    )'),
    "wrapped in brackets": PLAIN.replace("if mode in (", "if (\n        mode in (").replace("'b'):", "'b')\n    ):"),
    "numbers in capitals": PLAIN.replace("0xff", "0XFF"),
    "blanks": PLAIN.replace('(mode="keep", level', '( mode = "keep",level'),
    "a semicolon": PLAIN.replace('}"\n    engine', '}"; engine'),
    "carriage returns": PLAIN.replace("\n", "\r\n"),
}


@pytest.mark.parametrize("case", SAME)
def test_what_changes_nothing(case: str) -> None:
    old, new = identity(PLAIN), identity(SAME[case].replace("\r\n", "\n"))
    assert new._replace(function=old.function) == old


OTHER: dict[str, str] = {
    "another argument of the pause": PLAIN.replace("keep", "wait"),
    "another receiver": PLAIN.replace("engine.", "self.engine."),
    "another call": PLAIN.replace("engine.load", "engine.fetch"),
    "another string": PLAIN.replace('"a"', '"c"'),
    "another formatted string": PLAIN.replace("!r", "!s"),
    "another block": PLAIN.replace("    engine.continue", "        engine.continue"),
    "one more statement": PLAIN.replace("    if mode", "    engine.drain()\n    if mode"),
    "another parameter": PLAIN.replace("*, mode", "mode"),
    "a coroutine": "async " + PLAIN,
}


@pytest.mark.parametrize("case", OTHER)
def test_what_says_something_else(case: str) -> None:
    old, new = identity(PLAIN), identity(OTHER[case])
    assert new._replace(function=old.function) != old


def test_it_can_be_read() -> None:
    assert identity(PLAIN)[:-1] == (
        "a.py",
        "reload",
        "PR001",
        "normal-path",
        "engine.pause_generation(mode='keep', level=0xff)",
    )


def test_a_function_that_calls_itself_can_be_renamed() -> None:
    source = PLAIN.replace("engine.load(", "reload(engine, ")
    assert identity(source).around == identity(source.replace("reload", "again")).around


def test_the_function_around_is_the_innermost() -> None:
    nested = "def outer():\n    x = 1\n\n" + textwrap.indent(PLAIN, "    ") + "\n    return reload\n"
    assert identity(nested).around == identity(nested.replace("x = 1", "x = 2")).around == identity(PLAIN).around


def test_outside_functions_the_statement_counts() -> None:
    lines = ["a = 1", "if a:", "    b = 2", "    # c", "d = (", "    3,", ")"]
    around = Surroundings(lines).around
    assert around(5) == around(6) == around(7)
    assert len({around(1), around(2), around(3), around(5)}) == 4
    assert Surroundings(["x = 0", *lines]).around(4) == around(3)
    assert Surroundings([]).around(1) == ""


def test_comments_are_named_as_they_stand() -> None:
    source = "def f(engine):\n    x = 1  # noqa: PR001\n"
    assert identity(source).pause == "PR001"


def test_what_is_no_python_has_an_identity_too() -> None:
    broken = Surroundings(["def f(:", "'''"])
    assert broken.around(1) == ""
    assert not broken.hold("0")


@given(
    st.lists(st.sampled_from(["", "X = 1", "# y", "if 1:\n    pass", "def g():\n    return {\n        1: 2,\n    }"]))
)
def test_whatever_stands_above(above: list[str]) -> None:
    source = "".join(f"{text}\n" for text in above)
    lines = (source + PLAIN).split("\n")
    assert Surroundings(lines).around(source.count("\n") + 3) == Surroundings(PLAIN.split("\n")).around(3)


def test_every_python_has_the_same_digest() -> None:
    """It is written down, and read by another one."""
    source = [
        "def reload(engine, path, *, mode):",
        '    """Doc."""',
        '    name = f"{path}/{mode!r:>{10}}" f\'x\' rf"\\d{ path }" r"\\d" """long',
        '    one"""',
        '    engine.pause_generation(mode="keep", level=0xff, x=f"a{f\'{path}\'}")',
        "    if mode in (\"a\", 'b'):",
        "        return engine.load(name, [path, mode])",
        "    engine.continue_generation()",
    ]
    surroundings = Surroundings(source)
    assert surroundings.around(5) == "b5c6ca4ed87e6879"
    assert surroundings.slice(Span(5, 5, 5, 100)) == (
        "engine.pause_generation(mode='keep', level=0xff, x=f'a{f'{path}'}')"
    )
