"""What a fix keeps: encoding, byte order mark, line endings, tabs, form feeds, comments and the last newline.

Each file of the table is fixed, or refused with a reason. Where it is fixed, every line that was there is there still,
byte for byte, apart from its indentation; only the resume and its guard stand elsewhere.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from dataclasses import dataclass

import pytest

from pause_lint.check import check_source
from pause_lint.config import Options
from pause_lint.fixing import fix_source

PLAIN = b"""\
def reload(engine, path):
    engine.pause_generation()
    engine.load(path)
    engine.continue_generation()
    return path
"""


@dataclass(frozen=True, slots=True)
class File:
    """`moves`: how many lines, the resume's and its guard's, may stand elsewhere. `refusable`: may be refused."""

    name: str
    data: bytes
    moves: int = 1
    refusable: bool = False


FILES = [
    File("plain", PLAIN),
    File("crlf", PLAIN.replace(b"\n", b"\r\n")),
    File("carriage returns alone", PLAIN.replace(b"\n", b"\r"), refusable=True),
    File("byte order mark", b"\xef\xbb\xbf" + PLAIN),
    File("byte order mark and crlf", b"\xef\xbb\xbf" + PLAIN.replace(b"\n", b"\r\n")),
    File(
        "utf-8 text",
        "# prüft die Gewichte: ✓ 重み\n".encode() + PLAIN.replace(b"(path)\n", b"(path)  # \xe2\x9c\x93\n"),
    ),
    File(
        "latin-1 coding line",
        b"# -*- coding: latin-1 -*-\n"
        + PLAIN.replace(b"load(path)", b'load("Gewichte f\xfcr \xe4lteres")  # gr\xf6\xdfer'),
    ),
    File(
        "coding line on the second line",
        b"#!/usr/bin/env python\n# vim: set fileencoding=cp1252 :\n" + PLAIN + b"# \x80\n",
    ),
    File("tabs", PLAIN.replace(b"    ", b"\t")),
    File("two spaces", PLAIN.replace(b"    ", b"  ")),
    File("one space in one function, tabs in the other", PLAIN.replace(b"    ", b" ") + PLAIN.replace(b"    ", b"\t")),
    File("form feeds", b"\x0c\n" + PLAIN + b"\x0c\n" + PLAIN.replace(b"reload", b"again") + b"\x0c"),
    File(
        "form feed in front of a statement", PLAIN.replace(b"    engine.load", b"\x0c    engine.load"), refusable=True
    ),
    File("no last newline", PLAIN.rstrip(b"\n")),
    File("no last newline behind the resume", PLAIN.replace(b"    return path\n", b"").rstrip(b"\n")),
    File("no last newline and crlf", PLAIN.rstrip(b"\n").replace(b"\n", b"\r\n")),
    File("a comment and no last newline", PLAIN + b"# end"),
    File("trailing blanks", PLAIN.replace(b"(path)\n", b"(path)   \n").replace(b"()\n", b"() \t\n")),
    File("blank lines with blanks in them", PLAIN.replace(b"()\n", b"()\n    \n\n  \n")),
    File("mixed line endings", PLAIN.replace(b"(path)\n", b"(path)\r\n"), refusable=True),
    File(
        "comments before and behind every line",
        b"""\
# before the function
def reload(engine, path):  # behind its head
    # before the pause
    engine.pause_generation()  # behind the pause
    # before the work
    engine.load(path)  # behind the work
    # before the resume
    engine.continue_generation()  # behind the resume
    # before the return
    return path  # behind the return
# after the function
""",
    ),
    File(
        "comments that stand out",
        b"""\
def reload(engine, path):
    engine.pause_generation()
# at the left margin
    engine.load(path)
        # deeper than the code
    engine.continue_generation()
  # between
    return path
""",
    ),
    File(
        "comments at the end of the block",
        b"""\
def reload(engine, path):
    engine.pause_generation()
    engine.load(path)
    engine.continue_generation()
    # the last word
""",
    ),
    File(
        "semicolons around the work",
        b"""\
def reload(engine, path):
    engine.pause_generation()
    engine.unload(); engine.load(path)  # two
    engine.continue_generation()
""",
    ),
    File(
        "semicolon behind the pause",
        b"""\
def reload(engine, path):
    engine.pause_generation(); engine.load(path)
    engine.continue_generation()
""",
        refusable=True,
    ),
    File(
        "semicolon before the resume",
        b"""\
def reload(engine, path):
    engine.pause_generation()
    engine.load(path); engine.continue_generation()
""",
        refusable=True,
    ),
    File(
        "everything on one line",
        b"def reload(engine): engine.pause_generation(); engine.load(); engine.continue_generation()\n",
        refusable=True,
    ),
    File("semicolon at the end", PLAIN.replace(b"()\n", b"();\n"), refusable=True),
    File(
        "decorators",
        b"""\
@staticmethod
@retry(times=3)  # three times
def reload(engine, path):
    engine.pause_generation()
    engine.load(path)
    engine.continue_generation()
""",
    ),
    File(
        "nested functions",
        b"""\
def outer(engine):
    # a function in the way
    @cached
    def inner(path):  # type: ignore
        engine.pause_generation()

        def deeper():  # not called yet
            return path
        engine.load(deeper())

        engine.continue_generation()

    return inner
""",
    ),
    File(
        "type comments",
        b"""\
def reload(engine, path):
    # type: (Engine, str) -> str
    engine.pause_generation()
    count = engine.load(path)  # type: int
    for part in engine.parts():  # type: Part
        part.touch()
    engine.continue_generation()
    return count
""",
    ),
    File(
        "strings over several lines",
        b'''\
def reload(engine, path):
    engine.pause_generation()
    engine.load("""first
  second
        third""", f"""{path}
    fourth""")
    engine.continue_generation()
''',
    ),
    File(
        "lines carried on",
        b"""\
def reload(engine, path):
    engine.pause_generation()
    engine.load(  # opening
        path,
  strict=True,
    )
    done = engine.ready() and \\
        engine.count() == 0
    engine.continue_generation()
    return done
""",
    ),
    File(
        "resume over several lines",
        b"""\
def reload(engine, path):
    engine.pause_generation()
    engine.load(path)
    engine.continue_generation(
        reason="done",  # why
    )
""",
        moves=3,
    ),
    File(
        "guarded resume with comments",
        b"""\
def reload(engine, rank, path):
    if rank == 0:  # only one
        engine.pause_generation()  # hold
    # everyone
    engine.load(path)
    # and on again
    if rank == 0:  # the same one
        engine.continue_generation()  # go
    # everyone again
    engine.barrier()
""",
        moves=2,
    ),
    File(
        "existing try",
        b"""\
def reload(engine, path):
    engine.pause_generation()
    # the gap
    engine.drain()  # not in the try yet

    try:  # too late
        engine.load(path)
    finally:  # always
        engine.continue_generation()  # go
""",
        moves=4,
    ),
    File(
        "cleanup before the resume",
        b"""\
def reload(engine, path):
    engine.pause_generation()
    try:
        engine.load(path)
    finally:
        # first the cache
        engine.flush()  # may fail
        # then go on
        engine.continue_generation()  # go
""",
    ),
    File(
        "suppressions and pragmas",
        b"""\
def reload(engine, path):  # noqa: E501
    engine.pause_generation()  # pragma: no cover
    # fmt: off
    engine.load( path )
    # fmt: on
    engine.continue_generation()
""",
    ),
]


def lines_of(data: bytes) -> list[bytes]:
    """The lines of `data` without their indentation, with their endings."""
    return [line.lstrip(b" \t") for line in data.splitlines(keepends=True)]


def comments_of(data: bytes) -> Counter[str]:
    """The comments of a file, wherever they stand."""
    tokens = tokenize.tokenize(io.BytesIO(data).readline)
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


def texts_of(data: bytes) -> Counter[object]:
    """The strings and numbers of a file."""
    return Counter(node.value for node in ast.walk(ast.parse(data)) if isinstance(node, ast.Constant))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_file_of_the_table_has_something_to_fix(file: File) -> None:
    report = check_source(file.data, "module.py", Options())
    assert not report.problems
    assert report.findings


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_kept_or_refused_with_a_reason(file: File) -> None:
    result = fix_source(file.data, "module.py", Options(), unsafe=True)
    if result.unfixed:
        assert file.refusable, result.unfixed
        assert all(reason for _, reason in result.unfixed)
        assert result.data == file.data
        return

    assert result.data != file.data
    compile(result.data, "module.py", "exec")
    assert not check_source(result.data, "module.py", Options()).findings
    assert fix_source(result.data, "module.py", Options(), unsafe=True).data == result.data

    assert missing_lines(file.data, result.data) == []
    assert comments_of(result.data) == comments_of(file.data)
    assert texts_of(result.data) == texts_of(file.data)
    assert out_of_place(file.data, result.data) <= file.moves
    assert endings_of(result.data) == endings_of(file.data)
    assert result.data.startswith(b"\xef\xbb\xbf") == file.data.startswith(b"\xef\xbb\xbf")
    assert result.data.endswith((b"\n", b"\r")) == file.data.endswith((b"\n", b"\r"))
    assert indented_with(result.data) == (indented_with(file.data) or {ord(" ")})


def missing_lines(before: bytes, after: bytes) -> list[bytes]:
    """The lines that were there and are no longer, in whatever order. The ending of the last line does not count.

    A line that held several statements may have been cut between them, and a blank line in front of the resume may
    have gone with it.
    """
    gone = Counter(statements_of(before)) - Counter(statements_of(after))
    return sorted(line for line in gone if line)


def statements_of(data: bytes) -> list[bytes]:
    """The lines of `data` without indentation and endings, cut behind `;` and the `:` of a function's head."""
    return [part for line in lines_of(data) for part in re.split(rb"; |(?<=\)): ?", line.rstrip(b"\r\n"))]


def indented_with(data: bytes) -> set[int]:
    """The characters that lines of `data` are indented with."""
    lines = [line for line in data.splitlines() if line.strip()]
    return {byte for line in lines for byte in line[: len(line) - len(line.lstrip(b" \t"))]}


def endings_of(data: bytes) -> set[bytes]:
    """The kinds of line ending that a file has."""
    return {line[len(line.rstrip(b"\r\n")) :] for line in lines_of(data)} - {b""}


def out_of_place(before: bytes, after: bytes) -> int:
    """How many of the lines of `before` are not found in `after` in the order in which they stood."""
    old = [line.strip() for line in lines_of(before)]
    new = [line.strip() for line in lines_of(after)]
    # The longest common subsequence, row by row.
    row = [0] * (len(new) + 1)
    for line in old:
        previous = row
        row = [0]
        for number, other in enumerate(new):
            row.append(previous[number] + 1 if line == other else max(previous[number + 1], row[number]))
    return len(old) - row[-1]
