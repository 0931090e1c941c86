"""The language a fix is planned in: statements kept, wrapped, split and added. Plain data.

An edit replaces consecutive statements of one block. What it puts there is made of pieces; each statement it replaces
occurs in them once as a `Keep`, through the headers and bodies of `Header` pieces, or among `dropped`.
Statements are named by where they start in the original file. Edits of one plan may nest: an inner edit changes the
statement that an outer one keeps.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias


class At(NamedTuple):
    """Where a statement starts: line from 1, column in characters from 1 (the `def` or `class` for decorated ones)."""

    line: int
    column: int


class Keep(NamedTuple):
    """A statement of the original, as it is, with its comments."""

    at: At


class New(NamedTuple):
    """A statement that was not there before, as source: a simple statement, or an `if`/`for` with simple statements."""

    source: str


class Header(NamedTuple):
    """The header of a compound statement (`if`, `for`, `with`, ...) of the original over another body.

    The same header may occur several times in one plan. The occurrence with `owner=True` carries the comments above
    the statement, its `else`/`elif` part and its trailing header comment; the others are bare copies.
    """

    at: At
    body: tuple[Piece, ...]
    owner: bool = False


class Try(NamedTuple):
    """A new `try`/`finally`; with `if_raised` a `try`/`except BaseException`, for what returns otherwise."""

    body: tuple[Piece, ...]
    final: tuple[Piece, ...]
    if_raised: bool = False


class Rebuilt(NamedTuple):
    """A `try` statement of the original with its body or `finally` replaced, the rest (handlers, `else`) as it was.

    `None` leaves that part alone; an empty `final` removes the `finally` clause.
    """

    at: At
    body: tuple[Piece, ...] | None = None
    final: tuple[Piece, ...] | None = None


Piece: TypeAlias = Keep | New | Header | Try | Rebuilt


class Edit(NamedTuple):
    """Replace the statements of one block from `first` to `last` (both included) by `pieces`.

    No pieces: the statements go (`pass` takes their place where the block would be empty).
    """

    first: At
    last: At
    pieces: tuple[Piece, ...]
    dropped: tuple[At, ...] = ()


class Plan(NamedTuple):
    """The edits that cure one finding, innermost first, and whether they are safe to apply unasked."""

    edits: tuple[Edit, ...]
    safe: bool
    why_unsafe: str = ""
