"""Edits of a file as line ranges and inserted text: applied, and worked out from a file before and after.

An edit is one of

- `{lines = [a, b], indent = n}`: these lines are indented by `n` more blanks (fewer, if negative);
- `{lines = [a, b], delete = true}`: these lines go;
- `{after = a, insert = [...]}`: this text is put behind line `a`, 0 for the beginning;
- `{after = a, copy = [b, c], indent = n}`: so are lines `b` to `c` as they were, indented by `n` more.

Lines count from 1, in the file as it was; those without an edit stay as they are, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

Edit = Mapping[str, Any]


def apply(data: bytes, edits: Sequence[Edit]) -> bytes:
    """The file `data` with the edits done. Raises ValueError for edits that are not of this file."""
    lines = lines_of(data)
    ending = b"\r\n" if lines and lines[0].endswith(b"\r\n") else b"\n"
    behind: dict[int, list[bytes]] = {}
    changed: dict[int, bytes | None] = {}
    for edit in edits:
        if "lines" in edit:
            for number in _range(edit["lines"], lines):
                gone = edit.get("delete", False)
                changed[number] = None if gone else _indented(lines[number - 1], edit["indent"])
        elif "insert" in edit:
            _at(behind, edit, lines).extend(text.encode() + ending for text in edit["insert"])
        else:
            there = (lines[number - 1] for number in _range(edit["copy"], lines))
            _at(behind, edit, lines).extend(_indented(line, edit.get("indent", 0)) for line in there)
    result = list(behind.get(0, ()))
    for number, line in enumerate(lines, start=1):
        kept = changed.get(number, line)
        if kept is not None:
            result.append(kept)
        result += behind.get(number, ())
    return b"".join(result)


def between(old: bytes, new: bytes) -> list[Edit]:
    """The edits that make `new` of `old`. What is inserted is copied from the file where it stands there already.

    Raises ValueError if the edits cannot say it.
    """
    before, after = lines_of(old), lines_of(new)
    known = {line.strip(): number for number, line in reversed(list(enumerate(before, start=1))) if line.strip()}
    edits: list[Edit] = []
    stripped = [line.strip() for line in before], [line.strip() for line in after]
    for tag, a, b, c, d in SequenceMatcher(None, *stripped, autojunk=False).get_opcodes():
        if tag == "equal":
            edits += _indents(before, after, a, c, b - a)
            continue
        if b > a:
            edits.append({"lines": [a + 1, b], "delete": True})
        edits += _insertions(before, after[c:d], known, b)
    if apply(old, edits) != new:
        raise ValueError("the change cannot be put as edits of lines")
    return edits


def _indents(before: Sequence[bytes], after: Sequence[bytes], a: int, c: int, count: int) -> Iterator[Edit]:
    """Stretches of lines that stay, where their indentation changes."""
    start, by = a, 0
    for offset in range(count + 1):
        shift = _margin(after[c + offset]) - _margin(before[a + offset]) if offset < count else 0
        blank = offset < count and not before[a + offset].strip()
        if shift == by or (blank and not shift):
            continue
        if by:
            yield {"lines": [start + 1, a + offset], "indent": by}
        start, by = a + offset, shift
    if by:
        yield {"lines": [start + 1, a + count], "indent": by}


def _insertions(
    before: Sequence[bytes], new: Sequence[bytes], known: Mapping[bytes, int], place: int
) -> Iterator[Edit]:
    own: list[str] = []
    for line in new:
        number = known.get(line.strip())
        if number is None:
            own.append(line.rstrip(b"\r\n").decode())
            continue
        if own:
            yield {"after": place, "insert": own}
            own = []
        yield {"after": place, "copy": [number, number], "indent": _margin(line) - _margin(before[number - 1])}
    if own:
        yield {"after": place, "insert": own}


def lines_of(data: bytes) -> list[bytes]:
    """The lines of a file, each with its `\\n`; no other character ends one."""
    return [line + b"\n" for line in data.split(b"\n")[:-1]] + [last for last in data.split(b"\n")[-1:] if last]


def _range(ends: Sequence[int], lines: Sequence[bytes]) -> range:
    first, last = ends
    if not 1 <= first <= last <= len(lines):
        raise ValueError(f"there are no lines {first} to {last}")
    return range(first, last + 1)


def _at(behind: dict[int, list[bytes]], edit: Edit, lines: Sequence[bytes]) -> list[bytes]:
    if not 0 <= edit["after"] <= len(lines):
        raise ValueError(f"there is no line {edit['after']}")
    return behind.setdefault(edit["after"], [])


def _margin(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" "))


def _indented(line: bytes, by: int) -> bytes:
    if not line.strip():
        return line
    return b" " * by + line if by >= 0 else line.removeprefix(b" " * -by)
