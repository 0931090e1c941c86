"""The parts of the server that need no client: places in a text, lines that moved, and what is there without pygls."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from lsprotocol.types import Position, PositionEncodingKind, Range

from pause_lint.finding import Span
from pause_lint.lsp.places import Places, Shift
from tests.helpers.commands import PROJECT, run

WITHOUT_PYGLS = """\
import sys
sys.modules["pygls"] = None
from pause_lint.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "encoding, units",
    [(PositionEncodingKind.Utf8, 9), (PositionEncodingKind.Utf16, 6), (PositionEncodingKind.Utf32, 5)],
)
def test_columns_in_the_units_of_the_client(encoding: PositionEncodingKind, units: int) -> None:
    places = Places("\n'é🎉'; x\n", encoding)
    assert places.position(2, 1) == Position(1, 0)
    assert places.position(2, 6) == Position(1, units)
    assert places.end_of(2) == Position(1, units + 2)


def test_a_place_behind_a_line_ending_is_the_start_of_the_next_line() -> None:
    places = Places("a\r\nb\n", "utf-16")
    assert places.range(Span(1, 1, 2, 3)) == Range(Position(0, 0), Position(2, 0))
    assert places.position(1, 3) == Position(1, 0)
    assert Places("a\nb", "utf-16").range(Span(2, 1, 2, 2)) == Range(Position(1, 0), Position(1, 1))


def test_a_place_that_is_not_there_is_the_nearest_end() -> None:
    places = Places("a\nb", "utf-16")
    assert places.position(2, 9) == places.end_of(2) == Position(1, 1)
    assert places.position(9, 1) == places.end_of(9) == Position(2, 0)
    assert Places("", "utf-16").position(1, 1) == Position(0, 0)


def test_a_byte_order_mark_is_a_character_for_the_client_alone() -> None:
    places = Places("\ufeffx\ny", "utf-16")
    assert [places.position(1, 1), places.position(2, 1)] == [Position(0, 1), Position(1, 0)]


@pytest.mark.parametrize(
    "old, new, lines",
    [
        ("a\nb\nc\n", "a\nb\nc\n", [1, 2, 3]),
        ("a\nb\nc\n", "x\na\nb\nc\n", [2, 3, 4]),
        ("a\nb\nc\n", "a\nx\ny\nc\n", [1, 2, 4]),
        ("a\nb\nc\n", "a\nc\n", [1, 1, 2]),
        ("a\na\na\n", "a\na\na\na\n", [1, 2, 3]),
        ("a\nb\nc\n", "", [1, 1, 1]),
        ("a\nb\n", "a\nb (\n", [1, 2]),
        ("\ufeffa\nb\n", "a\nb\n", [1, 2]),
    ],
)
def test_lines_that_moved(old: str, new: str, lines: list[int]) -> None:
    shift = Shift(old, new)
    assert [shift.line(number) for number in range(1, len(lines) + 1)] == lines


def test_without_pygls_it_is_said_what_to_install(tmp_path: Path) -> None:
    done = run(sys.executable, "-c", WITHOUT_PYGLS, "lsp", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "pause-lint lsp: error: the language server needs pygls 2, which is not installed: "
        "python -m pip install 'pygls>=2.0,<3'\n"
    )
    assert run(sys.executable, "-c", WITHOUT_PYGLS, "rule", cwd=tmp_path).code == 0


def test_a_wrong_option_is_refused_before_anything_is_served(tmp_path: Path) -> None:
    done = run("pause-lint", "lsp", "--preset", "vlm", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "did you mean 'vllm'?" in done.err


def test_nothing_else_imports_pygls() -> None:
    files = [*(PROJECT / "pause_lint").rglob("*.py")]
    users = {
        file.parent.name
        for file in files
        if re.search(r"^\s*(from|import) (pygls|lsprotocol)\b", file.read_text("utf-8"), re.MULTILINE)
    }
    assert users == {"lsp"}
