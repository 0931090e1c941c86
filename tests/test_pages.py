"""The pages and drawings that are made from the code are those of today, and the drawings show the whole graph."""

from __future__ import annotations

import ast
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import pytest

from pause_lint.analysis import graph as g
from pause_lint.analysis.program import Program
from pause_lint.config import Options
from pause_lint.module import Module
from pause_lint.rules import RULES
from tests.helpers.commands import PROJECT
from tools.drawing import BOX, LETTER, drawn
from tools.pages import generated

SVG = "{http://www.w3.org/2000/svg}"
MADE = generated()
STRAIGHT = """\
def update(engine, path):
    engine.pause_generation()
    engine.load(path)
    engine.continue_generation()
"""
GUARDED = """\
def update(self, path):
    if self.rank == 0 and path < "m":
        self.engine.pause_generation()
    try:
        self.engine.load(path)
    except OSError:
        self.engine.load_again(path)
    finally:
        if self.rank == 0 and path < "m":
            self.engine.continue_generation()
"""
LOOPED = """\
def update(engine, paths):
    engine.pause_generation()
    try:
        for path in paths:
            engine.load(path)
    finally:
        engine.continue_generation()
"""


def test_pages_are_those_of_today() -> None:
    """`make pages` writes them anew."""
    folders = ("docs/rules", "docs/images")
    there = {path.relative_to(PROJECT).as_posix() for folder in folders for path in (PROJECT / folder).iterdir()}
    assert there == set(MADE)
    for name, text in MADE.items():
        assert (PROJECT / name).read_text(encoding="utf-8") == text, name


def test_every_rule_has_a_page_that_the_table_links_to() -> None:
    index = MADE["docs/rules/index.md"]
    assert re.findall(r"^\| \[(PR\d{3})\] ", index, flags=re.MULTILINE) == [rule.code for rule in RULES]
    assert re.findall(r"^\[(PR\d{3})\]: (?=\1\.md$)", index, flags=re.MULTILINE) == [rule.code for rule in RULES]
    assert {f"docs/rules/{rule.code}.md" for rule in RULES} < set(MADE)


@pytest.mark.parametrize("source", [STRAIGHT, GUARDED, LOOPED], ids=["straight", "guarded", "looped"])
def test_a_drawing_has_every_step_and_every_edge(source: str) -> None:
    drawing = ET.fromstring(drawn(source, "update"))
    shown = {
        (int(path.attrib["data-from"]), int(path.attrib["data-to"]))
        for path in drawing.iter(f"{SVG}path")
        if "data-from" in path.attrib
    }
    graph = _graph(source)
    assert shown == set(_edges(graph))
    assert {int(text.attrib["data-step"]) for text in drawing.iter(f"{SVG}text") if "data-step" in text.attrib} == {
        step for edge in shown for step in edge
    }


@pytest.mark.parametrize("source", [STRAIGHT, GUARDED, LOOPED], ids=["straight", "guarded", "looped"])
def test_text_stays_in_its_box_and_lines_stay_out_of_boxes(source: str) -> None:
    drawing = ET.fromstring(drawn(source, "update"))
    width, height = int(drawing.attrib["width"]), int(drawing.attrib["height"])
    boxes = [rect.attrib for rect in drawing.iter(f"{SVG}rect") if "box" in rect.attrib["class"].split()]
    assert len({box["y"] for box in boxes}) == len(boxes)
    for text in drawing.iter(f"{SVG}text"):
        if "data-step" in text.attrib:
            [box] = [box for box in boxes if 0 < int(text.attrib["y"]) - int(box["y"]) < BOX]
            end = int(text.attrib["x"]) + LETTER * len(text.text or "")
            assert int(box["x"]) < int(text.attrib["x"]) <= end < int(box["x"]) + int(box["width"])
    for path in drawing.iter(f"{SVG}path"):
        if "data-from" in path.attrib:
            for lane in re.findall(r"H(\d+)V", path.attrib["d"]):
                assert not int(boxes[0]["x"]) <= int(lane) <= int(boxes[0]["x"]) + int(boxes[0]["width"])
                assert 0 < int(lane) < width
            assert all(int(y) < height for y in re.findall(r"V(\d+)", path.attrib["d"]))


def test_the_path_of_the_finding_is_bold_and_the_repaired_form_has_none() -> None:
    def bold(text: str) -> list[tuple[str, str]]:
        chosen = [path.attrib for path in ET.fromstring(text).iter(f"{SVG}path") if "data-from" in path.attrib]
        labels = {
            text.attrib["data-step"]: text.text or ""
            for text in ET.fromstring(text).iter(f"{SVG}text")
            if "data-step" in text.attrib
        }
        return [(labels[one["data-from"]], labels[one["data-to"]]) for one in chosen if "witness" in one["class"]]

    drain = "await engine.drain()"
    assert bold(MADE["docs/images/reload.svg"]) == [
        ("await engine.pause_generation()", drain),
        (drain, "the exception leaves the function"),
    ]
    assert bold(MADE["docs/images/reload-fixed.svg"]) == []


def test_code_is_no_markup() -> None:
    source = 'def update(engine):\n    engine.pause_generation()\n    engine.load("</text><script>alert(1)</script>")\n'
    drawing = drawn(source, "update")
    assert "<script" not in drawing
    assert any("</text><script>" in (text.text or "") for text in ET.fromstring(drawing).iter(f"{SVG}text"))


def test_what_pauses_nothing_is_not_drawn() -> None:
    with pytest.raises(ValueError, match="no function called other"):
        drawn(STRAIGHT, "other")


def _graph(source: str) -> g.Graph:
    module = Module("example.py", source.encode(), source, ast.parse(source))
    program = Program((module,), Options())
    [conduct] = [one for one in program.views[0].conducts if one.pauses]
    return program.graph(conduct.function, conduct.function.node, program.index.hierarchy(module))


def _edges(graph: g.Graph) -> Iterator[tuple[int, int]]:
    """The edges between steps that do something, found from the graph's own list of what stands before what."""
    before = graph.before()

    def sources(index: int) -> Iterator[int]:
        for start in before[index]:
            if graph.nodes[start].op in (g.SKIP, g.ENTER):
                yield from sources(start)
            else:
                yield start

    reached, waiting = set(), [graph.entry]
    after: dict[int, list[int]] = {}
    for end, starts in enumerate(before):
        for start in starts:
            after.setdefault(start, []).append(end)
    while waiting:
        index = waiting.pop()
        if index not in reached:
            reached.add(index)
            waiting += after.get(index, [])
    for end in reached:
        if graph.nodes[end].op not in (g.SKIP, g.ENTER):
            yield from ((start, end) for start in sources(end) if start in reached)
