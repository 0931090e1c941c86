"""A guarded stretch cut out of the guards around it: what stands before it, the stretch, what stands behind it.

Each part keeps the guards over it, so that the parts can stand on different sides of a `try`. Whether the guards say
the same each time that they are evaluated is for the caller to know.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from pause_lint.fixing.acts import Scene
from pause_lint.fixing.edits import Header, Piece


class Cut(NamedTuple):
    """The parts of a guarded statement; those that hold nothing are empty."""

    before: tuple[Piece, ...]
    own: tuple[Piece, ...]
    behind: tuple[Piece, ...]


def cut_out(scene: Scene, stretch: Sequence[ast.stmt], guards: Sequence[ast.If]) -> Cut:
    """The parts of the outermost of `guards`. stretch: neighbours in the innermost of them."""
    return _under(scene, guards, stretch, Cut((), scene.keep(stretch), ()))


def cut_in_two(
    scene: Scene, stretch: Sequence[ast.stmt], guards: Sequence[ast.If], *, behind: bool
) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """The outermost of `guards` cut in two: behind the stretch, or before it. A part that holds nothing is empty."""
    kept = scene.keep(stretch)
    parts = _under(scene, guards, stretch, Cut(kept, (), ()) if behind else Cut((), (), kept))
    return parts.before, parts.behind


def _under(scene: Scene, guards: Sequence[ast.If], stretch: Sequence[ast.stmt], inmost: Cut) -> Cut:
    if not guards:
        return inmost
    header, inner = guards[0], guards[1:]
    first, last = (inner[0], inner[0]) if inner else (stretch[0], stretch[-1])
    places = [index for index, statement in enumerate(header.body) if statement is first or statement is last]
    below = _under(scene, inner, stretch, inmost)
    parts = Cut(
        (*scene.keep(header.body[: places[0]]), *below.before),
        below.own,
        (*below.behind, *scene.keep(header.body[places[-1] + 1 :])),
    )
    filled = [part for part in parts if part]
    if len(filled) == 1:
        return Cut(*(scene.keep([header]) if part else () for part in parts))
    return Cut(*((Header(scene.at(header), part, owner=part is filled[0]),) if part else () for part in parts))
