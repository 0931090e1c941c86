"""Edits of lines: what they make of a file, and that they can be worked out from any two states of one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pause_lint_overlay.edits import Edit, apply, between

FILE = b"one\n    two\n\n    three\nfour\n"


@pytest.mark.parametrize(
    "edits, result",
    [
        ([], FILE),
        ([{"lines": [2, 4], "indent": 4}], b"one\n        two\n\n        three\nfour\n"),
        ([{"lines": [2, 2], "indent": -4}], b"one\ntwo\n\n    three\nfour\n"),
        ([{"lines": [3, 5], "delete": True}], b"one\n    two\n"),
        ([{"after": 0, "insert": ["zero"]}], b"zero\n" + FILE),
        ([{"after": 5, "copy": [1, 2], "indent": 2}], FILE + b"  one\n      two\n"),
        ([{"after": 1, "insert": ["try:"]}, {"after": 1, "copy": [5, 5]}], b"one\ntry:\nfour\n" + FILE[4:]),
        ([{"lines": [1, 1], "delete": True}, {"after": 1, "insert": ["uno"]}], b"uno\n" + FILE[4:]),
    ],
)
def test_what_they_do(edits: list[Edit], result: bytes) -> None:
    assert apply(FILE, edits) == result


@pytest.mark.parametrize(
    "edit", [{"lines": [5, 6], "delete": True}, {"lines": [0, 1], "indent": 4}, {"after": 6, "insert": [""]}]
)
def test_edits_of_another_file_are_refused(edit: Edit) -> None:
    with pytest.raises(ValueError, match=r"there (are|is) no line"):
        apply(FILE, [edit])


def test_line_ends_of_windows_stay() -> None:
    assert apply(b"a\r\nb\r\n", [{"after": 1, "insert": ["c"]}]) == b"a\r\nc\r\nb\r\n"


def test_what_is_there_already_is_copied_not_quoted() -> None:
    old = b"def f(x):\n    x.pause()\n    load()\n    x.resume()\n"
    new = b"def f(x):\n    x.pause()\n    try:\n        load()\n    finally:\n        x.resume()\n"
    edits = between(old, new)
    assert apply(old, edits) == new
    assert [text for edit in edits for text in edit.get("insert", ())] == ["    try:", "    finally:"]


LINES = st.lists(st.sampled_from([b"a", b"    a", b"b", b"        b", b"", b"c c"]), max_size=12)


@given(LINES, LINES, st.sampled_from([b"\n", b"\r\n"]))
def test_any_two_files(old: list[bytes], new: list[bytes], ending: bytes) -> None:
    before, after = (b"".join(line + ending for line in lines) for lines in (old, new))
    if not old and ending != b"\n":
        return  # an empty file does not say how its lines end
    assert apply(before, between(before, after)) == after
