"""Excerpts of source: what is marked stands above its carets on a terminal, whatever the line holds."""

from __future__ import annotations

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from pause_lint.report.excerpt import CUT, clipped, excerpt, printable, width
from tests.helpers.formats import STEERING
from tests.helpers.terminal import Screen

CALL = "engine.pause_generation()"
BEFORE = {
    "nothing": "",
    "tabs": "\t\tx = 1;\t",
    "wide": "x = '日本'; ",
    "halfwidth": "x = 'ｶﾞ'; ",
    "emoji": "x = '\N{GRINNING FACE}'; ",
    "a family": "x = '\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}'; ",
    "a heart with its variation": "x = '\u2764\ufe0f'; ",
    "a skin": "x = '\N{THUMBS UP SIGN}\N{EMOJI MODIFIER FITZPATRICK TYPE-4}'; ",
    "a flag": "x = '\N{REGIONAL INDICATOR SYMBOL LETTER D}\N{REGIONAL INDICATOR SYMBOL LETTER E}'; ",
    "a keycap": "x = '1\ufe0f\u20e3'; ",
    "combining": "x = 'e\N{COMBINING ACUTE ACCENT}\N{COMBINING RING BELOW}'; ",
    "right to left": "x = '\N{RIGHT-TO-LEFT OVERRIDE}\u05d0\N{RIGHT-TO-LEFT ISOLATE}'; ",
    "a title and a bell": "x = '\x1b]0;title\x07'; ",
    "eight bits": "x = '\x9b2J\x85'; ",
    "a form feed": "\x0c  ",
    "unseen": "x = '\u200b\ufeff\xad\u3164\u034f\U000e0100'; ",
    "no text": "x = '\udcff'; ",
    "markup": "x = '</script><img src=x onerror=alert(1)>'; ",
}


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
@pytest.mark.parametrize("columns", [None, 120, 60, 40])
def test_carets_stand_below_what_they_mean(before: str, columns: int | None) -> None:
    screen = shown(before + CALL + "  # and more", len(before), len(before) + len(CALL), columns)
    assert screen.above() == CALL
    assert screen.title == ""


def shown(line: str, start: int, end: int, columns: int | None = None) -> Screen:
    """An excerpt and its carets on a screen that is wide enough for what there is."""
    cut = excerpt(line, start, end, columns)
    assert not STEERING.search(cut.text)
    return Screen(f"{cut.text}\n{' ' * cut.indent}{'^' * cut.width}\n", columns or 400)


@pytest.mark.parametrize("wide", ["日本語", "\N{GRINNING FACE}", "e\N{COMBINING ACUTE ACCENT}"])
def test_carets_are_as_wide_as_what_they_mean(wide: str) -> None:
    name = f"{wide}.pause()"
    screen = shown(f"    {name}", 4, 4 + len(name))
    assert screen.above() == normalize("NFC", name)


def test_a_syllable_taken_apart_is_one_letter() -> None:
    """pyte does not know it, wcwidth does."""
    syllable = normalize("NFD", "한")
    cut = excerpt(f"x = '{syllable}'; pause()", 11, 18)
    assert len(syllable) == 3
    assert cut.indent == wcswidth(cut.before) != len(cut.before)


def test_what_steers_is_seen_as_python_escapes_it() -> None:
    assert excerpt("a\x1b[2J\N{RIGHT-TO-LEFT OVERRIDE}\x0c", 0, 1).text == r"a\x1b[2J\u202e\x0c"
    assert printable("a\nb\x9b") == r"a\nb\x9b"


def test_what_the_reader_has_no_letters_for_is_escaped() -> None:
    cut = excerpt("x = 'größe日'; pause()", 14, 21, encoding="ascii")
    assert cut.text == r"x = 'gr\xf6\xdfe\u65e5'; pause()"
    assert cut.text[cut.indent : cut.indent + cut.width] == "pause()"


@pytest.mark.parametrize("columns", [30, 40, 79, 120])
@pytest.mark.parametrize("before", ["\t" * 9, "x = 1; " * 30, "\t日本語 = '\N{GRINNING FACE}'; " * 20, ""])
@pytest.mark.parametrize("after", ["", "  # and so on" * 40])
def test_a_long_line_is_cut_around_what_is_marked(before: str, after: str, columns: int) -> None:
    cut = excerpt(before + CALL + after, len(before), len(before) + len(CALL), columns)
    screen = Screen(f"{cut.text}\n{' ' * cut.indent}{'^' * cut.width}\n", columns)
    assert len([row for row in screen.rows if row]) == 2  # nothing went over the edge
    above = screen.above()
    assert above == CALL or (CALL.startswith(above) and columns < 40)
    assert cut.text.startswith(CUT) == (width(before.expandtabs()) + len(CALL) + len(CUT) * bool(after) > columns)
    assert cut.text.endswith(CUT) or not after


def test_a_line_that_fits_is_left_whole() -> None:
    assert excerpt("  pause()  # why", 2, 9, 16).text == "  pause()  # why"
    assert excerpt("  pause()" + " " * 50, 2, 9, 9).text == "  pause()"


@given(
    st.lists(st.sampled_from(["\t", "a", " ", "日", "\N{GRINNING FACE}", "e\u0301", "\x1b", "\u202e", "\ufe0f"])),
    st.lists(st.sampled_from(["b", ".", "語", "\x07", "o\u0308"]), min_size=1),
    st.lists(st.sampled_from(["\t", "c", " ", "本", "\x0c"])),
    st.integers(20, 100),
)
def test_any_line_fits_and_is_marked_where_it_was(
    before: list[str], marked: list[str], after: list[str], columns: int
) -> None:
    parts = ["".join(part) for part in (before, marked, after)]
    start = len(parts[0])
    cut = excerpt("".join(parts), start, start + len(parts[1]), columns)
    # Composed, for `pyte` begins a new line before a mark that belongs to the last column.
    text = normalize("NFC", cut.text)
    screen = Screen(f"{text}\n{' ' * cut.indent}{'^' * cut.width}\n", columns)
    assert len([row for row in screen.rows if row]) == 2
    whole = normalize("NFC", excerpt(parts[1], 0, len(parts[1])).text)
    above = screen.above()
    assert above == whole or (whole.startswith(above) and cut.after == CUT)


def test_text_is_clipped_to_what_there_is() -> None:
    assert clipped("reading a.py", 20) == "reading a.py"
    assert clipped("reading 日本語.py", 13) == "reading 日..."
    assert clipped("reading a.py", 3) == CUT
