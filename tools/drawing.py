"""Draws the control-flow graph of a function, as `pause_lint.analysis` builds it, as SVG.

Steps stand one below the other in the order of the source, the ways out at the bottom. What follows normally goes down
the left side, exceptions go down the right side, and the path of the first finding, if there is one, is drawn bold.
For small functions: every edge that skips a step gets a lane of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from pause_lint.analysis import graph as g
from pause_lint.analysis.program import Program
from pause_lint.config import Options
from pause_lint.module import Module

ROW, BOX, LETTER, LANE, MARGIN = 56, 32, 8, 24, 16
"""In pixels: from step to step, the height of a step, the width of a letter, between lanes, around everything."""
PASSED_OVER = (g.SKIP, g.ENTER)
"""Steps that do nothing that is seen: they join edges."""
STYLE = """\
.ground { fill: #ffffff; }
.box { fill: #f4f6f8; stroke: #51606e; }
.box.pause { fill: #fde8e4; stroke: #b3261e; }
.box.resume { fill: #e3f3e6; stroke: #1b6e2f; }
.box.out { fill: #ffffff; stroke-dasharray: 4 3; }
.edge { fill: none; stroke: #51606e; }
.edge.raises { stroke: #8a5a00; stroke-dasharray: 5 3; }
.edge.witness { stroke: #b3261e; stroke-width: 3; stroke-dasharray: none; }
.head { fill: #51606e; }
.head.raises { fill: #8a5a00; }
.head.witness { fill: #b3261e; }
text { font: 13px ui-monospace, Menlo, Consolas, monospace; fill: #1c2730; }
text.line { fill: #51606e; text-anchor: end; }
"""


class Edge(NamedTuple):
    """From one step to another, by index in the graph. kind: "next", "alt" (a condition is false) or "raises"."""

    start: int
    end: int
    kind: str


def drawn(source: str, name: str) -> str:
    """The graph of the function called `name` in `source`, as SVG. Raises ValueError if it is not one that pauses."""
    module = Module("example.py", source.encode(), source, ast.parse(source))
    program = Program((module,), Options())
    for view in program.views:
        for conduct in view.conducts:
            if conduct.function.name == name and conduct.pauses:
                graph = program.graph(conduct.function, conduct.function.node, program.index.hierarchy(module))
                paths = [[step.line for step in case.finding.witness] for case in program.cases(view, [])]
                return _svg(name, graph, paths[0] if paths else [])
    raise ValueError(f"no function called {name} pauses anything")


def edges(graph: g.Graph) -> list[Edge]:
    """What can follow what, with steps that do nothing left out, in the order of the source."""
    found: dict[Edge, None] = {}
    for start in _reached(graph):
        for end, kind in _out(graph, start):
            found[Edge(start, _settled(graph, end), kind)] = None
    return list(found)


def _out(graph: g.Graph, index: int) -> Iterator[tuple[int, str]]:
    node = graph.nodes[index]
    if node.next >= 0:
        yield node.next, "next"
    if node.alt >= 0:
        yield node.alt, "alt"
    if node.op == g.END:
        yield from ((end, "next") for end in node.arg)
    if node.op == g.DISPATCH:
        yield from ((clause.target, "next") for clause in node.arg)
    if node.handler >= 0:
        yield node.handler, "raises"


def _settled(graph: g.Graph, index: int) -> int:
    while graph.nodes[index].op in PASSED_OVER:
        index = graph.nodes[index].next
    return index


def _reached(graph: g.Graph) -> list[int]:
    """The steps that are drawn, from the top down. The graph is built from its end, so that later ones come first."""
    seen: set[int] = set()
    waiting = [_settled(graph, graph.entry)]
    while waiting:
        index = waiting.pop()
        if index not in seen:
            seen.add(index)
            waiting += [_settled(graph, end) for end, _ in _out(graph, index)]
    return sorted(seen, reverse=True)


def _witness(graph: g.Graph, lines: list[int], every: list[Edge]) -> set[Edge]:
    """The edges that a path takes: from its first line, through normal steps, to its last, and from there out."""
    if not lines:
        return set()
    at = {_line(graph.nodes[index]): index for index in _reached(graph)}
    here, last, path = at[lines[0]], at[lines[-1]], set()
    while here != last:
        edge = next(edge for edge in every if edge.start == here and edge.kind == "next")
        path.add(edge)
        here = edge.end
    return path | {edge for edge in every if edge.start == last and edge.kind == "raises"}


def _line(node: g.Node) -> int:
    return getattr(node.syntax, "lineno", 0)


def _label(node: g.Node) -> str:
    match node.op:
        case g.RETURN:
            return "the function returns"
        case g.RAISED:
            return "the exception leaves the function"
        case g.END:
            return "end of finally"
        case g.DISPATCH:
            return "is it caught?"
    code = ast.unparse(node.syntax) if node.syntax is not None else node.op
    if node.op == g.DEED and node.arg.awaited and not code.startswith("await "):
        code = f"await {code}"
    return f"if {code}" if node.op == g.BRANCH else code


def _kind(node: g.Node) -> str:
    if node.op == g.DEED:
        return str(node.arg.kind)
    return "out" if node.op in (g.RETURN, g.RAISED) else "step"


class _Lanes:
    """Which lane beside the steps an edge takes: the nearest that is free over all the rows it passes."""

    def __init__(self) -> None:
        self._taken: list[list[tuple[int, int]]] = []

    def take(self, first: int, last: int) -> int:
        """The number, from 1, of the lane for an edge between these rows."""
        for number, taken in enumerate(self._taken, 1):
            if all(last < start or end < first for start, end in taken):
                taken.append((first, last))
                return number
        self._taken.append([(first, last)])
        return len(self._taken)

    @property
    def width(self) -> int:
        """In pixels."""
        return (len(self._taken) + 1) * LANE


def _svg(name: str, graph: g.Graph, lines: list[int]) -> str:
    steps, every = _reached(graph), edges(graph)
    rows = {index: row for row, index in enumerate(steps)}
    width = max(len(_label(graph.nodes[index])) for index in steps) * LETTER + 2 * MARGIN
    bold = _witness(graph, lines, every)
    left, right = _Lanes(), _Lanes()
    spans = {edge: sorted((rows[edge.start], rows[edge.end])) for edge in every}
    aside = [edge for edge in every if edge.kind == "raises" or spans[edge][1] != spans[edge][0] + 1]
    lanes = {
        edge: (right if edge.kind == "raises" else left).take(*spans[edge])
        for edge in sorted(aside, key=lambda edge: spans[edge][1] - spans[edge][0])  # the shortest nearest to the steps
    }
    numbers = 7 * LETTER
    x = MARGIN + numbers + left.width
    parts = []
    for edge in sorted(every, key=bold.__contains__):  # bold ones on top
        chosen = edge.kind + (" witness" if edge in bold else "")
        start, end = MARGIN + rows[edge.start] * ROW, MARGIN + rows[edge.end] * ROW
        if edge not in lanes:
            path, tip = f"M{x + width // 2} {start + BOX}V{end - 7}", (x + width // 2, end, "down")
        elif edge.kind == "raises":
            lane = x + width + lanes[edge] * LANE
            # Exceptions leave below the middle and arrive above it, so that both can be told apart.
            path, tip = f"M{x + width} {start + 22}H{lane}V{end + 10}H{x + width + 7}", (x + width, end + 10, "left")
        else:
            lane = x - lanes[edge] * LANE
            path, tip = f"M{x} {start + 22}H{lane}V{end + 10}H{x - 7}", (x, end + 10, "right")
        parts.append(f'<path class="edge {chosen}" data-from="{edge.start}" data-to="{edge.end}" d="{path}"/>')
        parts.append(f'<path class="head {chosen}" d="{_head(*tip)}"/>')
    for index in steps:
        node, top = graph.nodes[index], MARGIN + rows[index] * ROW
        parts.append(f'<rect class="box {_kind(node)}" x="{x}" y="{top}" width="{width}" height="{BOX}" rx="5"/>')
        parts.append(f'<text data-step="{index}" x="{x + MARGIN}" y="{top + 21}">{escape(_label(node))}</text>')
        if _line(node) and node.op not in (g.RETURN, g.RAISED):
            parts.append(f'<text class="line" x="{MARGIN + numbers}" y="{top + 21}">line {_line(node)}</text>')
    whole = (x + width + right.width, 2 * MARGIN + (len(steps) - 1) * ROW + BOX)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole[0]} {whole[1]}" width="{whole[0]}" '
        f'height="{whole[1]}" role="img">\n<title>The control-flow graph of {escape(name)}</title>\n'
    )
    ground = f'<rect class="ground" width="{whole[0]}" height="{whole[1]}"/>'
    return "\n".join([f"{head}<style>\n{STYLE}</style>", ground, *parts, "</svg>"]) + "\n"


def _head(x: int, y: int, way: str) -> str:
    """An arrow's head with its tip at a place."""
    match way:
        case "down":
            return f"M{x} {y}l-4 -8h8z"
        case "left":
            return f"M{x} {y}l8 -4v8z"
    return f"M{x} {y}l-8 -4v8z"
