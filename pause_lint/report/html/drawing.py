"""The way to a pause in another process, drawn: functions as boxes, processes as lanes, the request as the arrow that
goes from one lane to the next.

Drawn twice, with the lanes side by side and one below the other; the style sheet shows the one that there is room for.
What it looks like depends on the finding alone. It names what the steps of the witness say as data, and reads no text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from unicodedata import combining, east_asian_width

from pause_lint.finding import Finding, Step
from pause_lint.report.html.markup import NOTHING, Markup, lines, seen, tag

_PAD = 14
"""Room within a lane, and from one lane to its edge."""
_INSET = 10
"""Room within a box."""
_LINE = 17
"""The height of a line of text."""
_SMALL = 15
"""The height of a line of small text."""
_ARROW = 30
"""The length of an arrow from one box down to the next."""
_GAP = 104
"""Room between lanes that stand side by side."""
_CHAR = 7.9
"""The width of a character of the names, in the widest of the fonts they may be set in."""
_SMALL_CHAR = 6.9
"""The same for small text."""
_MOST_LINES = 3
"""Lines of a name that does not fit in one."""


class _Box(NamedTuple):
    """A function on the way. numbers: of the steps that stand in it. role: `caller`, `pause` or nothing."""

    name: str
    place: str
    numbers: str
    role: str


class _Lane(NamedTuple):
    """A process: what it is called, and the functions that run in it, in their order."""

    title: tuple[str, str]
    boxes: tuple[_Box, ...]


class _Placed(NamedTuple):
    """A box or a lane in the drawing."""

    x: float
    y: float
    width: float
    height: float


def crosses(finding: Finding) -> bool:
    """Whether the pause of a finding is in another process."""
    return any(step.role == "serve" for step in finding.witness)


def figure(finding: Finding, name: str) -> Markup:
    """The drawing for a finding whose pause is in another process. name: an identifier that is its own in the page."""
    lanes, way_out = _lanes(finding)
    told = " ".join(f"{number}. {step.message}." for number, step in enumerate(finding.witness, 1))
    title = "The way from the call to the pause in another process"
    drawings = []
    # More than three lanes are too narrow side by side.
    for form, side_by_side, width in (("wide", len(lanes) <= 3, 840), ("narrow", False, 330)):
        given = f"{name}-{form}"
        shapes, height = _drawn(lanes, way_out, side_by_side, width if side_by_side or form == "narrow" else 480)
        drawings.append(
            tag(
                "svg",
                tag("title", title, id=f"{given}-title"),
                tag("desc", told, id=f"{given}-desc"),
                shapes,
                viewBox=f"0 0 {width if side_by_side or form == 'narrow' else 480} {height:g}",
                role="img",
                aria_labelledby=f"{given}-title",
                aria_describedby=f"{given}-desc",
                class_=f"chain {form}",
            )
        )
    return tag("figure", lines(drawings), tag("figcaption", title), class_="drawing")


def _lanes(finding: Finding) -> tuple[list[_Lane], str]:
    """The processes with their functions, and the line on which the first function is left."""
    lanes: list[_Lane] = [_Lane(("Process", "that makes the request"), ())]
    steps: list[tuple[int, Step]] = []
    way_out = ""
    for number, step in enumerate(finding.witness, 1):
        if step.role in ("escape", "leave") and not way_out:
            way_out = f"{number} · line {step.line}"
        if step.role not in ("call", "request", "serve", "pause", "resume"):
            continue
        if step.role == "serve":
            lanes[-1] = lanes[-1]._replace(boxes=tuple(_boxes(steps, first=len(lanes) == 1)))
            lanes.append(_Lane(("Process that serves", step.endpoint), ()))
            steps = []
        steps.append((number, step))
    lanes[-1] = lanes[-1]._replace(boxes=tuple(_boxes(steps, first=False)))
    return lanes, way_out


def _boxes(steps: Sequence[tuple[int, Step]], first: bool) -> Iterator[_Box]:
    """One box for the steps that follow each other in one function."""
    groups: list[list[tuple[int, Step]]] = []
    for number, step in steps:
        if groups and (groups[-1][-1][1].path, groups[-1][-1][1].function) == (step.path, step.function):
            groups[-1].append((number, step))
        else:
            groups.append([(number, step)])
    for at, group in enumerate(groups):
        step = group[-1][1]
        role = "pause" if step.role in ("pause", "resume") else "caller" if first and not at else ""
        numbers = " ".join(str(number) for number, _ in group)
        yield _Box(step.function or "the module", f"{step.path}:{step.line}", numbers, role)


# Layout


def _drawn(lanes: Sequence[_Lane], way_out: str, side_by_side: bool, width: float) -> tuple[Markup, float]:
    """The shapes of a drawing that is `width` wide, and how high it is."""
    across = (width - _GAP * (len(lanes) - 1)) / len(lanes) if side_by_side else width
    frames: list[_Placed] = []
    shapes: list[Markup] = []
    source: _Placed | None = None
    top = 1.0
    for at, lane in enumerate(lanes):
        frame = _Placed(at * (across + _GAP) + 0.5 if side_by_side else 0.5, top, across - 1, 0)
        # What a request has done stands beside what makes it.
        first = source.y if source is not None and side_by_side else 0.0
        placed, inner = _lane(lane, frame, first, way_out if at == 0 else "")
        shapes += inner
        if source is not None:
            shapes += _request(source, placed[0] if side_by_side else frame, side_by_side)
        source = placed[-1]
        frames.append(frame._replace(height=source.y + source.height + _PAD - top))
        if not side_by_side:
            top += frames[-1].height + _ARROW + 8
    bottom = max(frame.y + frame.height for frame in frames)
    if side_by_side:
        frames = [frame._replace(height=bottom - frame.y) for frame in frames]
    return lines([*(_rect(frame, "lane", 10) for frame in frames), *shapes]), bottom + 1


def _lane(lane: _Lane, frame: _Placed, first: float, way_out: str) -> tuple[list[_Placed], list[Markup]]:
    """Where the boxes of a lane stand, and the shapes within its frame. first: where the first box stands at least."""
    left, inner = frame.x + _PAD - 0.5, frame.width - 2 * _PAD + 1
    down = frame.y + _PAD + 10
    shapes = [_text(left, down, lane.title[0], "lane-title")]
    for line in _broken(lane.title[1], inner, _SMALL_CHAR):
        down += _LINE
        shapes.append(_text(left, down, line, "lane-name"))
    down = max(down + 13, first)
    if way_out:
        out = _Placed(left, down, inner, _LINE + 2 * _INSET)
        shapes += [
            _rect(out, "out"),
            _text(left + _INSET, down + _INSET + 13, f"{way_out} leaves, still paused", "out-text"),
            _arrow([(left + 24, down + out.height + _ARROW), (left + 24, down + out.height)], "out-arrow"),
        ]
        down += out.height + _ARROW
    placed: list[_Placed] = []
    for box in lane.boxes:
        if placed:
            shapes.append(_arrow([(left + 24, down - _ARROW), (left + 24, down)], "call"))
        name = _broken(box.name, inner - 2 * _INSET - _badge_width(box.numbers), _CHAR)
        place = _shortened(box.place, inner - 2 * _INSET, _SMALL_CHAR)
        height = 2 * _INSET + _LINE * len(name) + _SMALL
        placed.append(_Placed(left, down, inner, height))
        shapes.append(_box(placed[-1], box, name, place))
        down += height + _ARROW
    return placed, shapes


def _box(at: _Placed, box: _Box, name: Sequence[str], place: str) -> Markup:
    wide = _badge_width(box.numbers)
    badge = _Placed(at.x + at.width - _INSET - wide, at.y + _INSET, wide, 18)
    inner = [
        _rect(at, f"box {box.role}".strip()),
        *(_text(at.x + _INSET, at.y + _INSET + 13 + _LINE * row, line, "name") for row, line in enumerate(name)),
        _text(at.x + _INSET, at.y + at.height - _INSET, place, "place"),
        _rect(badge, "number", 9),
        tag("text", box.numbers, x=_at(badge.x + wide / 2), y=_at(badge.y + 13), class_="number-text"),
    ]
    return tag("g", *inner)


def _request(source: _Placed, target: _Placed, side_by_side: bool) -> list[Markup]:
    """The arrow of a request, with its name: to the function beside it, or to the lane below it."""
    if side_by_side:
        y = source.y + source.height / 2
        start, end = source.x + source.width, target.x
        y = min(max(y, target.y + 8), target.y + target.height - 8)
        middle = tag("text", "request", x=_at((start + end) / 2), y=_at(y - 8), class_="request-text middle")
        return [_arrow([(start, y), (end, y)], "request"), middle]
    x = source.x + 24
    below = source.y + source.height
    return [
        _arrow([(x, below), (x, target.y)], "request"),
        _text(x + 12, below + _PAD + (_ARROW + 8) / 2 + 4, "request", "request-text"),
    ]


def _arrow(points: Sequence[tuple[float, float]], kind: str) -> Markup:
    """A line with a head at its end."""
    (x, y), (before_x, before_y) = points[-1], points[-2]
    if x == before_x:
        back = -7 if y > before_y else 7
        head = f"M{_at(x - 5)} {_at(y + back)} L{_at(x)} {_at(y)} L{_at(x + 5)} {_at(y + back)}"
    else:
        back = -7 if x > before_x else 7
        head = f"M{_at(x + back)} {_at(y - 5)} L{_at(x)} {_at(y)} L{_at(x + back)} {_at(y + 5)}"
    path = " L".join(f"{_at(x)} {_at(y)}" for x, y in points)
    return tag("g", tag("path", d=f"M{path}"), tag("path", d=head, class_="head"), class_=f"arrow {kind}")


def _rect(at: _Placed, kind: str, round_: float = 6) -> Markup:
    return tag(
        "rect", x=_at(at.x), y=_at(at.y), width=_at(at.width), height=_at(at.height), rx=_at(round_), class_=kind
    )


def _text(x: float, y: float, text: str, kind: str) -> Markup:
    return tag("text", text, x=_at(x), y=_at(y), class_=kind) if text else NOTHING


def _at(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


# Text, which SVG does not break


def _badge_width(numbers: str) -> float:
    return max(18.0, 7.0 * len(numbers) + 10)


def _broken(text: str, width: float, char: float) -> list[str]:
    """`text` in lines that are not wider than `width`, broken before a dot, a slash or an underscore if it can be."""
    room = max(4, int(width / char))
    parts = [piece for part in re.split(r"(?=[._/])", seen(text)) for piece in _pieces(part, room)]
    rows = [""]
    for part in parts:
        if rows[-1] and _width(rows[-1] + part) > room:
            rows.append("")
        rows[-1] += part
    if len(rows) > _MOST_LINES:
        rows = [*rows[: _MOST_LINES - 1], _shortened("".join(rows[_MOST_LINES - 1 :]), width, char)]
    return rows


def _pieces(text: str, room: int) -> Iterator[str]:
    while _width(text) > room:
        cut = room
        while _width(text[:cut]) > room:
            cut -= 1
        yield text[:cut]
        text = text[cut:]
    yield text


def _shortened(text: str, width: float, char: float) -> str:
    """`text` without so much of its beginning that the rest is not wider than `width`."""
    room, text = int(width / char), seen(text)
    if _width(text) <= room:
        return text
    while _width(text) > room - 1:
        text = text[1:]
    return f"…{text}"


def _width(text: str) -> int:
    """How many characters of common width `text` is as wide as."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)
