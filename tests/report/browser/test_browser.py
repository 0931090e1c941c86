"""The HTML report in a real browser: nothing is run or asked for, everybody can read it, on every screen and paper.

Screenshots of what was looked at are in `build/html-test`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.helpers.commands import PROJECT
from tests.helpers.sources import HOSTILE
from tests.report.browser.chromium import Page
from tests.report.browser.conftest import Open

SCREENS = [(1100, "light"), (1100, "dark"), (390, "light"), (390, "dark")]
NAMES = ["endpoint", "hostile", "nothing"]
SHOTS = PROJECT / "build/html-test"


def found(page: Page, axe: str) -> list[str]:
    """What axe finds amiss: https://github.com/dequelabs/axe-core/blob/develop/doc/API.md#results-object"""
    page.evaluate(f"{axe}\n;0")
    violations = page.evaluate("axe.run(document).then(all => all.violations)")
    return [f"{one['id']}: {one['help']}: {node['html']}" for one in violations for node in one["nodes"]]


# Nothing is run or asked for


@pytest.mark.parametrize("name", NAMES)
def test_it_runs_nothing_asks_for_nothing_and_complains_of_nothing(
    visit: Open, reports: dict[str, Path], name: str
) -> None:
    page = visit(reports[name])
    assert page.evaluate("document.querySelectorAll('h1').length") == 1
    assert page.requests() == [reports[name].as_uri()]
    assert page.complaints() == []
    assert page.evaluate("document.querySelectorAll('script, img, iframe, object, embed, link').length") == 0


def test_hostile_code_is_there_as_text(visit: Open, reports: dict[str, Path]) -> None:
    page = visit(reports["hostile"])
    shown = page.evaluate("document.querySelector('mark').textContent")
    assert "</script><img src=x onerror=alert(1)> ]]> &amp; <!-- \\u202e \\u2066 \N{GRINNING FACE} \\x1b]0;" in shown
    assert page.evaluate("document.title") == "3 findings in 3 files · pause-lint"


def test_what_is_run_or_asked_for_is_noticed(visit: Open, tmp_path: Path) -> None:
    """The tests above would notice: here the same text is markup, and there is no policy."""
    file = tmp_path / "markup.html"
    file.write_text(
        f"<title>x</title><script>console.log(1){HOSTILE.replace('alert', 'console.error')}", encoding="utf-8"
    )
    page = visit(file)
    assert (tmp_path / "x").as_uri() in page.requests()
    assert len(page.complaints()) >= 2


def test_policy_holds_even_if_markup_got_in(visit: Open, reports: dict[str, Path], tmp_path: Path) -> None:
    """Scripts, handlers, images and styles that stood in the page would do nothing."""
    smuggled = (
        "<main><script>document.title = 'run'</script><img src=x onerror=\"document.title = 'run'\">"
        "<style>h1 { display: none }</style>"
    )
    file = tmp_path / "smuggled.html"
    file.write_text(reports["endpoint"].read_text("ascii").replace("<main>", smuggled, 1), encoding="ascii")
    page = visit(file)
    assert page.evaluate("document.title") == "3 findings in 1 file · pause-lint"
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).display") == "block"
    assert any("Content Security Policy" in one for one in page.complaints())


# Everybody can read it


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width, scheme", SCREENS)
def test_axe_finds_nothing(visit: Open, reports: dict[str, Path], axe: str, name: str, width: int, scheme: str) -> None:
    page = visit(reports[name], width=width, scheme=scheme)
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(SHOTS / f"{name}-{width}-{scheme}.png")
    # Folded parts are looked at as well.
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert found(page, axe) == []


def test_axe_would_find_something(visit: Open, axe: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.html"
    file.write_text("<!doctype html><p style='color: #999; background: #fff'>pale</p><svg role=img>", encoding="utf-8")
    rules = {one.partition(":")[0] for one in found(visit(file), axe)}
    assert {"color-contrast", "document-title", "html-has-lang", "svg-img-alt"} <= rules


def test_schemes_differ(visit: Open, reports: dict[str, Path]) -> None:
    color = "getComputedStyle(document.body).backgroundColor"
    light, dark = (visit(reports["endpoint"], scheme=scheme).evaluate(color) for scheme in ("light", "dark"))
    assert light != dark


def test_keyboard_reaches_everything_and_shows_where_it_is(visit: Open, reports: dict[str, Path]) -> None:
    page = visit(reports["endpoint"])
    focusable = page.evaluate(
        "[...document.querySelectorAll('a[href], summary, [tabindex=\"0\"]')]"
        ".filter(one => one.checkVisibility()).length"
    )
    assert focusable > 10
    reached = []
    for _ in range(focusable):
        page.press("Tab", 9)
        reached.append(
            page.evaluate(
                "(one => ({text: one.textContent, line: getComputedStyle(one).outlineStyle,"
                " wide: parseFloat(getComputedStyle(one).outlineWidth)"
                " && one.getBoundingClientRect().width}))(document.activeElement)"
            )
        )
    assert reached[0]["text"] == "Skip to the findings"
    assert all(one["line"] == "solid" and one["wide"] > 8 for one in reached)
    page.evaluate("document.querySelector('.skip').focus()")
    page.press("Enter", 13)
    assert page.evaluate("document.activeElement.id") == "findings"


def test_screen_reader_is_told_of_landmarks_headings_and_the_drawing(visit: Open, reports: dict[str, Path]) -> None:
    page = visit(reports["endpoint"])
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    told = [
        (node["role"]["value"], node.get("name", {}).get("value", ""), node.get("description", {}).get("value", ""))
        for node in nodes
        if not node["ignored"]
    ]
    roles = [role for role, _, _ in told]
    assert {"banner", "main", "navigation", "contentinfo"} <= set(roles)
    assert ("navigation", "Findings by file", "") in told
    assert len([name for role, name, _ in told if role == "article" and name.startswith("PR001 generation")]) == 3
    drawings = [(name, text) for role, name, text in told if role in ("image", "img")]
    [(_, text)] = drawings  # of the two, the one for this width
    assert "in the process that serves /areal_update_weights, update_weights() runs" in text


# Every screen and paper


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [320, 390, 768])
def test_nothing_is_wider_than_the_screen(visit: Open, reports: dict[str, Path], name: str, width: int) -> None:
    page = visit(reports[name], width=width)
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    cut = page.evaluate(
        "[...document.querySelectorAll('.code *')].filter("
        "one => one.getBoundingClientRect().right > one.closest('.code').getBoundingClientRect().right"
        ").map(one => one.outerHTML)"
    )
    assert cut == []


@pytest.mark.parametrize("width, form", [(1100, "wide"), (390, "narrow")])
def test_drawing_is_legible_and_its_text_stays_in_its_boxes(
    visit: Open, reports: dict[str, Path], width: int, form: str
) -> None:
    page = visit(reports["endpoint"], width=width)
    drawings = page.evaluate(
        "[...document.querySelectorAll('.chain')].filter(x => x.checkVisibility()).map(x => x.classList[1])"
    )
    assert drawings == [form]
    texts = json.loads(
        page.evaluate(
            f"""JSON.stringify([...document.querySelectorAll('.chain.{form} text')].map(text => {{
                const at = text.getBoundingClientRect();
                const inside = [...text.ownerSVGElement.querySelectorAll('rect')].some(rect => {{
                    const box = rect.getBoundingClientRect();
                    return box.left <= at.left && at.right <= box.right && box.top <= at.top && at.bottom <= box.bottom;
                }});
                return [text.textContent, inside || text.classList.contains('request-text'), at.height];
            }}))"""
        )
    )
    assert len(texts) > 20
    assert [text for text, inside, _ in texts if not inside] == []
    assert min(height for _, _, height in texts) >= 11


def test_on_paper_folded_parts_are_open_and_the_scheme_is_light(visit: Open, reports: dict[str, Path]) -> None:
    page = visit(reports["endpoint"], scheme="dark", media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    folded = "[...document.querySelectorAll('details:not([open])')]"
    assert page.evaluate(f"{folded}.length") == 1
    assert page.evaluate(f"{folded}.every(one => one.querySelector('p').getBoundingClientRect().height > 0)")
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.pdf(SHOTS / "endpoint.pdf")
    assert (SHOTS / "endpoint.pdf").read_bytes().startswith(b"%PDF-")
