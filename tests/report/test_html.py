"""HTML: the path drawn on the code, the way to another process drawn, and nothing in it that is not data."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pause_lint.finding import Finding, Problem, Report, Role, Span, Step
from pause_lint.report.html import render
from pause_lint.report.html.markup import is_unseen
from tests.helpers.commands import PROJECT, pause_lint
from tests.helpers.pages import Element, read_html
from tests.helpers.sources import FAULTY, FIXED, GRADED, HOSTILE, HOSTILE_CODE
from tests.report.conftest import Check

STYLE = (PROJECT / "pause_lint/report/html/style.css").read_text(encoding="ascii")
EARLY = """\
def early(engine, ok):
    engine.pause_generation()
    if ok:
        return
    engine.continue_generation()
"""
CALLEE = """\
class Trainer:
    def _end(self, ok):
        if not ok:
            raise ValueError(ok)
        self.engine.continue_generation()

    def run(self, ok):
        self.engine.pause_generation()
        self._end(ok)
"""


def notes(part: Element) -> list[str]:
    """What is said below the lines, each with its number; what nobody needs to be read aloud left out."""
    return [note.text.removeprefix("Step ") for note in part.all("p", "note")]


def marked(part: Element) -> list[tuple[str, str, str]]:
    """What is marked in code: the number of the line, the text, and the colour of the mark."""
    return [
        (line.one("span", "number").text, mark.text, mark.attributes["class"])
        for line in part.all("div", "line")
        for mark in line.all("mark")
    ]


def rows(page: Element, caption: str) -> list[tuple[str, str]]:
    """The rows of a table of the overview."""
    [table] = [one for one in page.all("table") if one.one("caption").text == caption]
    return [(row.one("th").text, row.one("td").text) for row in table.one("tbody").all("tr")]


# The overview


def test_overview_counts_by_rule_kind_and_folder(check: Check) -> None:
    Path("pkg").mkdir()
    Path("pkg/b.py").write_text(FAULTY, encoding="utf-8")
    Path("a.py").write_text(GRADED, encoding="utf-8")
    page = read_html(check("html", "--select", "PR").out)
    assert page.one("h1").text == "4 findings in 2 files"
    assert rows(page, "By rule") == [
        ("PR001 pause-not-resumed", "2"),
        ("PR005 resume-failure-swallowed", "1"),
        ("PR900 ineffective-suppression", "1"),
    ]
    assert rows(page, "By kind")[0] == ("an exception skips the resume", "2")
    assert rows(page, "By folder") == [("this folder", "3"), ("pkg", "1")]
    assert [one.text for one in page.one("nav").all("h3")] == ["a.py", "pkg/b.py"]


def test_every_finding_is_linked_from_the_overview_and_has_its_rule_explained(check: Check) -> None:
    Path("a.py").write_text(GRADED, encoding="utf-8")
    page = read_html(check("html", "--select", "PR").out)
    linked = [link.attributes["href"][1:] for link in page.one("nav").all("a")]
    assert linked == [article.attributes["aria-labelledby"] for article in page.all("article")]
    assert len(linked) == 3
    explained = [section.one("summary").text for section in page.one("section", "rules").all("section")]
    assert explained == ["About PR001", "About PR005", "About PR900"]


def test_a_link_to_a_finding_stays_when_lines_move(check: Check) -> None:
    links = []
    for source in (FAULTY, f"\n\n{FAULTY}"):
        Path("a.py").write_text(source, encoding="utf-8")
        links.append([link.attributes["href"] for link in read_html(check("html").out).one("nav").all("a")])
    assert links[0] == links[1]


def test_nothing_found_is_said(check: Check) -> None:
    Path("a.py").write_text(FIXED, encoding="utf-8")
    page = read_html(check("html").out)
    assert page.one("h1").text == "No findings in 1 file"
    assert page.all("article") == []


def test_what_could_not_be_checked_comes_first(check: Check) -> None:
    Path("a.py").write_text(FAULTY, encoding="utf-8")
    Path("bad.py").write_text("def pause_generation(:\n", encoding="utf-8")
    page = read_html(check("html", "a.py", "bad.py", "missing.py").out)
    assert [one.text for one in page.all("h2")] == ["Not checked", "Overview", "Findings", "Rules"]
    broken, missing = page.one("section", "problems").all("li")
    assert broken.text.startswith("bad.py:1 syntax error")
    assert missing.text == "missing.py no such file or folder"


# The path on the code


def test_path_of_an_exception(check: Check) -> None:
    Path("a.py").write_text(FAULTY, encoding="utf-8")
    article = read_html(check("html").out).one("article")
    assert [line.one("span", "number").text for line in article.all("div", "line")] == ["1", "2", "3", "4"]
    assert marked(article) == [
        ("2", "engine.pause_generation()", "pause"),
        ("3", "engine.load(path)", "exit"),
    ]
    assert notes(article) == [
        "1Paused here: engine.pause_generation() pauses generation",
        "2Escapes here: engine.load() raises; no resume stands on the way out",
        "→Leaves here: the exception goes on out of reload, which is still paused",
    ]
    # The rail goes from the pause to where it is left.
    assert [row.text[0] for row in article.all(kind="railed")] == ["2", "S", "3"]


def test_path_of_a_return(check: Check) -> None:
    Path("a.py").write_text(EARLY, encoding="utf-8")
    article = read_html(check("html").out).one("article")
    assert marked(article) == [
        ("2", "engine.pause_generation()", "pause"),
        ("3", "ok", "turn"),
        ("4", "return", "exit"),
    ]
    assert notes(article) == [
        "1Paused here: engine.pause_generation() pauses generation",
        "2Turns here: ok is true",
        "3Leaves here: the function returns here without a resume",
    ]


def test_path_to_the_end_of_the_function(check: Check) -> None:
    source = FAULTY.replace("    engine.cont", "    if path:\n        engine.cont")
    Path("a.py").write_text(source.replace("engine.load(path)", "x = 1"), encoding="utf-8")
    article = read_html(check("html").out).one("article")
    assert marked(article)[1:] == [("4", "path", "turn")]
    assert notes(article)[-1] == "3Leaves after this: the function ends after this without a resume"


def test_a_resume_through_a_call_is_no_pause(check: Check) -> None:
    helper = "def done(engine):\n    engine.continue_generation()\n\n\n"
    Path("a.py").write_text(helper + FIXED.replace("engine.load(path)", "done(engine)"), encoding="utf-8")
    article = read_html(check("html", "--select", "PR006").out).one("article")
    assert notes(article) == [
        "1Paused here: engine.pause_generation() pauses generation",
        "2Resumed here, by step 3: reload calls done",
        "3Resumed here: engine.continue_generation() resumes generation, in done",
    ]


def test_exception_of_a_callee_is_shown_there(check: Check) -> None:
    Path("a.py").write_text(CALLEE, encoding="utf-8")
    article = read_html(check("html").out).one("article")
    callee = article.one("details")
    assert callee.one("summary").text == "Where the exception comes from: step 2"
    assert callee.one("p", "where").text == "a.py in Trainer._end"
    assert marked(callee) == [("4", "raise ValueError(ok)", "exit")]
    assert marked(article)[0] == ("8", "self.engine.pause_generation()", "pause")


def test_lines_between_are_left_out_and_counted(check: Check) -> None:
    filling = "".join(f"    x = {number}\n" for number in range(9))
    Path("a.py").write_text(FAULTY.replace("    engine.load", f"{filling}    engine.load"), encoding="utf-8")
    article = read_html(check("html").out).one("article")
    numbers = [int(line.one("span", "number").text) for line in article.all("div", "line")]
    assert numbers == [1, 2, 3, 4, 10, 11, 12, 13]
    assert article.one("p", "gap").text == "5 lines not shown"
    assert "railed" in article.one("p", "gap").classes


def test_a_call_over_several_lines_is_marked_on_all_of_them(check: Check) -> None:
    call = "engine.pause_generation(\n        path,\n    )"
    Path("a.py").write_text(FAULTY.replace("engine.pause_generation()", call), encoding="utf-8")
    article = read_html(check("html").out).one("article")
    assert [text for _, text, color in marked(article) if color == "pause"] == call.replace("    ", "").split("\n")
    assert [row.text[0] for row in article.all("div", "line") + article.all("p", "note")][:2] == ["1", "2"]


def test_marks_stand_on_the_right_characters(check: Check) -> None:
    """Behind tabs, wide characters, combining ones and what is shown by its escape."""
    Path("a.py").write_text(HOSTILE_CODE, encoding="utf-8")
    article = read_html(check("html").out).one("article")
    shown = "".join(f"\\u{ord(one):04x}" if ord(one) > 127 and is_unseen(one) else one for one in HOSTILE)
    shown = shown.replace("\x1b", r"\x1b").replace("\x07", r"\x07").replace("\x01", r"\x01")
    assert marked(article)[0] == ("2", f'engines["{shown}"].pause_generation()', "pause")
    assert marked(article)[1] == ("4", f'engines["{shown}"].load(path)', "exit")
    unseen = {one.text for one in article.all("span", "unseen")}
    assert {r"\u202e", r"\u2066", r"\x1b", r"\x0c"} <= unseen


def test_a_long_line_is_cut_around_its_mark(check: Check) -> None:
    long = "    x = '" + "y" * 5000 + "'; engine.pause_generation(); z = '" + "y" * 5000 + "'"
    Path("a.py").write_text(FAULTY.replace("    engine.pause_generation()", long), encoding="utf-8")
    article = read_html(check("html").out).one("article")
    [line] = [one for one in article.all("div", "line") if one.one("span", "number").text == "2"]
    assert line.one("mark").text == "engine.pause_generation()"
    cuts = [int(cut.text.split()[0]) for cut in line.all("span", "cut")]
    kept = len(line.one("code").text) - sum(len(cut.text) for cut in line.all("span", "cut"))
    assert sum(cuts) + kept == len(long)
    assert kept < 1000


def test_without_the_file_lines_are_named() -> None:
    finding = Finding(
        "PR001", "never", "m", "gone.py", Span(7, 1, 7, 2), "f", (Step("gone.py", 7, 1, "s", "pause", "f"),)
    )
    article = read_html(render(Report((finding,), (), 1, 1), lambda path: ())).one("article")
    assert notes(article) == ["1line 7: Paused here: s"]


def test_code_is_coloured_as_it_reads(check: Check) -> None:
    lines = ["def reload(engine, path):  # if", "    engine.pause_generation()", '    engine.load("if")', ""]
    Path("a.py").write_text("\n".join(lines), encoding="utf-8")
    article = read_html(check("html").out).one("article")
    assert [one.text for one in article.all("span", "keyword")] == ["def"]
    assert [one.text for one in article.all("span", "string")] == ['"if"']
    assert [one.text for one in article.all("span", "comment")] == ["# if"]


# The way to another process


@pytest.fixture(scope="module")
def across() -> Element:
    """The page of the example with a pause behind an endpoint, of one of its files."""
    done = pause_lint("check", "tinyrl/fsdp_engine.py", "--output-format", "html", cwd=PROJECT / "examples/areal_npu")
    return read_html(done.out)


def test_whole_chain_is_in_it_in_order(across: Element) -> None:
    cwd = PROJECT / "examples/areal_npu"
    read = pause_lint("check", "tinyrl/fsdp_engine.py", "--output-format", "json", cwd=cwd).json
    witness = read["findings"][0]["witness"]
    article = across.all("article")[0]
    said = {int(number): text for note in notes(article) for number, text in re.findall(r"^(\d+)[\w\s,]*: (.*)", note)}
    assert [said[number] for number in range(1, len(witness) + 1)] == [step["message"] for step in witness]
    assert len(witness) == 8
    details = article.one("details")
    assert details.one("summary").text == "What the call does: steps 2 to 7"
    assert "open" in details.attributes
    assert [part.text for part in details.all("p", "where")] == [
        "tinyrl/remote_engine.py in RemoteEngine.update_weights_from_disk",
        "tinyrl/remote_engine.py in _update_weights_from_disk",
        "tinyrl/remote_engine.py in _update_weights_from_disk._load",
        "tinyrl/vllm_remote.py in VLLMBackend.build_disk_requests",
        "tinyrl/server.py in update_weights",
    ]
    assert details.one("p", "border").text == "Another process, which serves /areal_update_weights"


@pytest.mark.parametrize("form", ["wide", "narrow"])
def test_chain_is_drawn_with_lanes_boxes_and_the_request(across: Element, form: str) -> None:
    drawing = across.one("svg", form)
    assert len(drawing.all("rect", "lane")) == 2
    assert [text.text for text in drawing.all("text", "lane-title")] == ["Process", "Process that serves"]
    assert [text.text for text in drawing.all("text", "lane-name")] == [
        "that makes the request",
        "/areal_update_weights",
    ]
    boxes = [
        ("".join(text.text for text in group.all("text", "name")), group.one("text", "place").text)
        for group in drawing.all("g")
        if group.all("rect", "box")
    ]
    assert boxes == [
        ("FSDPEngine._update_weights_from_disk", "tinyrl/fsdp_engine.py:45"),
        ("RemoteEngine.update_weights_from_disk", "tinyrl/remote_engine.py:43"),
        ("_update_weights_from_disk", "tinyrl/remote_engine.py:74"),
        ("_update_weights_from_disk._load", "tinyrl/remote_engine.py:70"),
        ("VLLMBackend.build_disk_requests", "tinyrl/vllm_remote.py:21"),
        ("update_weights", "tinyrl/server.py:59"),
    ]
    assert len(drawing.all("g", "request")) == 1
    assert drawing.one("text", "out-text").text == "8 · line 48 leaves, still paused"
    # Who does not see it is told the same.
    told = drawing.one("desc").text
    assert "5. VLLMBackend.build_disk_requests makes a request to /areal_update_weights." in told
    assert "7. llm.pause_generation() pauses generation, in update_weights." in told


def test_a_pause_in_the_same_process_is_not_drawn(across: Element) -> None:
    first, *others = across.all("article")
    assert len(first.all("figure")) == 1
    assert others
    assert not any(article.all("figure") for article in others)


def chain(names: list[str], processes: int) -> Finding:
    """A finding whose pause is in the last of some processes, each with functions of these names."""
    steps: list[Step] = []
    between: list[Role] = ["call", "call", "call"]
    for process in range(processes):
        first: Role = "serve" if process else "call"
        last: Role = "request" if process < processes - 1 else "pause"
        roles: list[Role] = [first, *between[: len(names) - 1], last]
        for number, (role, name) in enumerate(zip(roles, [*names, "last"], strict=True), 1):
            steps.append(Step("a.py", number, 1, "m", role, name, f"/{process}" if role == "serve" else ""))
    steps.append(Step("a.py", 1, 1, "m", "escape", steps[0].function))
    return Finding("PR001", "never", "m", "a.py", Span(1, 1, 1, 2), steps[0].function, tuple(steps))


@given(st.lists(st.text(min_size=1), min_size=1, max_size=4, unique=True), st.integers(2, 5))
@settings(deadline=None)
def test_shapes_of_a_drawing_do_not_overlap(names: list[str], processes: int) -> None:
    """Whatever the functions are called and however many processes there are: boxes stand apart, within their lane."""
    page = read_html(render(Report((chain(names, processes),), (), 1, 1), lambda path: ()))
    for drawing in page.all("svg", "chain"):
        lanes = [area(rect) for rect in drawing.all("rect", "lane")]
        boxes = [area(rect) for rect in drawing.all("rect", "box") + drawing.all("rect", "out")]
        assert len(lanes) == processes
        assert all(any(within(box, lane) for lane in lanes) for box in boxes)
        apart = [
            *((one, other) for one in boxes for other in boxes),
            *((one, other) for one in lanes for other in lanes),
        ]
        assert not any(overlap(one, other) for one, other in apart if one is not other)
        width, height = map(float, drawing.attributes["viewbox"].split()[2:])
        assert all(within(lane, (0, 0, width, height)) for lane in lanes)


Area = tuple[float, float, float, float]


def area(rect: Element) -> Area:
    x, y, width, height = (float(rect.attributes[name]) for name in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def within(inner: Area, outer: Area) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and inner[2] <= outer[2] and inner[3] <= outer[3]


def overlap(one: Area, other: Area) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


# Text stays text


@given(st.text(), st.text(min_size=1), st.text(), st.text())
@settings(deadline=None)
def test_any_text_stays_text(text: str, path: str, function: str, line: str) -> None:
    """In messages, names, paths, addresses, errors and code; and what can be seen is there as it was."""
    step = Step(path, 1, 1, text, "request", function, text)
    served = Step(path, 1, 1, text, "serve", text, text)
    finding = Finding("PR001", text, text, path, Span(1, 1, 1, 2), function, (step, served))
    source = (line, line)
    out = render(Report((finding,), (Problem(path, 0, text),), 1, 1), lambda name: source)
    page = read_html(out)
    if not any(map(is_unseen, text + line)):
        assert page.one("h4", id=page.one("article").attributes["aria-labelledby"]).text == f"PR001 {text}"
        assert page.all("div", "line")[0].one("code").text == line
    assert render(Report((finding,), (Problem(path, 0, text),), 1, 1), lambda name: source) == out


@pytest.mark.parametrize(
    "char",
    ["\N{RIGHT-TO-LEFT OVERRIDE}", "\N{ZERO WIDTH SPACE}", "\N{HANGUL FILLER}", "\N{VARIATION SELECTOR-16}", "\x1b"],
)
def test_what_nobody_sees_is_shown(check: Check, char: str) -> None:
    Path("a.py").write_text(FAULTY.replace("path)\n    engine.c", f"'{char}')\n    engine.c"), encoding="utf-8")
    out = check("html").out
    article = read_html(out).one("article")
    assert [one.text for one in article.all("span", "unseen")] == [char.encode("unicode_escape").decode()]
    assert f"&#{ord(char)};" not in out


def test_the_reader_refuses_what_a_browser_would_run_fetch_or_mend(check: Check) -> None:
    Path("a.py").write_text(FAULTY, encoding="utf-8")
    text = check("html").out
    for good, bad in [
        ("<main>", "<main><script>alert(1)</script>"),
        ("<main>", '<main><img src="x">'),
        ("<main>", '<main onclick="alert(1)">'),
        ("<main>", '<main style="color: red">'),
        ("<main>", "<main><!-- -->"),
        ("</main>", ""),
        ("default-src &#x27;none&#x27;", "default-src *"),
        (":root {", ":root { --x: 1;"),
        ('href="#findings"', 'href="https://example.org"'),
        ('href="#findings"', 'href="#nowhere"'),
        ("<h3", "<h4"),
        ("<h1>", "<h1>\N{RIGHT-TO-LEFT OVERRIDE}"),
        ("<h1>", "<h1>&#8238;"),
    ]:
        assert good in text
        with pytest.raises((AssertionError, ValueError)):
            read_html(text.replace(good, bad, 1))


# Looks


def palettes() -> dict[str, dict[str, str]]:
    """The colours of each scheme, as the style sheet has them."""
    found = dict(zip(("light", "dark", "print"), re.findall(r":root \{(.*?)\}", STYLE, flags=re.DOTALL), strict=True))
    colors = {name: dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", block)) for name, block in found.items()}
    return {name: colors["light"] | given for name, given in colors.items()}


def luminance(color: str) -> float:
    """https://www.w3.org/TR/WCAG22/#dfn-relative-luminance"""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio"""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_contrast_is_that_of_level_aa(scheme: str) -> None:
    """Also in drawings, whose text no checker for accessibility takes the colours of."""
    colors = palettes()[scheme]
    text = ["ink", "soft", "link", "pause", "exit", "hop", "turn", "keyword", "string", "comment"]
    pairs = [(one, back) for one in text for back in ("page", "card", "code")]
    kinds = ("pause", "exit", "hop", "turn")
    # Marked code keeps its colours.
    marks = [(one, f"{kind}-back") for one in ("ink", "keyword", "string", "soft") for kind in kinds]
    pairs += marks + [(kind, f"{kind}-back") for kind in kinds] + [("card", kind) for kind in kinds]
    pairs += [("card", "ink"), ("good", "good-back"), ("comment", "code")]
    assert {f"{one} on {back}" for one, back in pairs if contrast(colors[one], colors[back]) < 4.5} == set()
    edges = [(f"{kind}-edge", back) for kind in kinds for back in ("card", "code")]
    assert {f"{one} on {back}" for one, back in edges if contrast(colors[one], colors[back]) < 3} == set()


def test_colours_are_named_once() -> None:
    """So that what is checked above is all there is."""
    rules = re.sub(r":root \{.*?\}", "", STYLE, flags=re.DOTALL)
    assert not re.search(r"#[0-9a-f]{3,8}\b|rgb|hsl", rules)
