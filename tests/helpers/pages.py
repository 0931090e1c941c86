"""A reader of the HTML report, stricter than a browser: what a browser would mend, fetch or run is refused.

Takes the page apart with the standard library's parser into elements, and holds it to what every page must be:
balanced, made of known elements, without scripts, styles of its own and addresses of elsewhere, with every reference
leading somewhere in it and with headings and landmarks in order.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise

from tests.helpers.formats import STEERING

ELEMENTS = frozenset(
    re.findall(
        r"\w+",
        "html head meta title style body header main footer section article nav h1 h2 h3 h4 p ul ol li a span strong "
        "em code pre mark wbr div details summary table caption thead tbody tr th td "
        "figure figcaption svg desc g path rect text",
    )
)
"""All that a report is made of: nothing that runs, loads, embeds or sends anything."""
VOID = frozenset({"meta", "wbr"})
CLOSED = frozenset({"path", "rect"})
"""Elements of SVG that are written without content."""
LANDMARKS = ("header", "main", "footer")


class Element:
    """An element with its attributes and what is in it, in order."""

    def __init__(self, tag: str, attributes: dict[str, str]) -> None:
        self.tag = tag
        self.attributes = attributes
        self.children: list[Element | str] = []

    @property
    def text(self) -> str:
        """The text in it, put together."""
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    @property
    def classes(self) -> frozenset[str]:
        """Its classes."""
        return frozenset(self.attributes.get("class", "").split())

    def all(self, tag: str = "", kind: str = "", **attributes: str) -> list[Element]:
        """The elements in it with that tag, class and attributes, in the order of the page."""
        return [
            one
            for one in self._inner()
            if (not tag or one.tag == tag)
            and (not kind or kind in one.classes)
            and attributes.items() <= one.attributes.items()
        ]

    def one(self, tag: str = "", kind: str = "", **attributes: str) -> Element:
        """The only element of that kind. Raises ValueError if there are none, or more."""
        [found] = self.all(tag, kind, **attributes)
        return found

    def _inner(self) -> Iterator[Element]:
        for child in self.children:
            if isinstance(child, Element):
                yield child
                yield from child._inner()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.open = [self.root]
        self.doctype = ""

    def handle_decl(self, decl: str) -> None:
        self.doctype = decl

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a declaration: {data}")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._begin(tag, attrs)
        if tag not in VOID:
            self.open.append(self._last())

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in CLOSED, tag
        self._begin(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag, tag

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)

    def _begin(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ELEMENTS, tag
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), names
        self.open[-1].children.append(Element(tag, {name: value or "" for name, value in attrs}))

    def _last(self) -> Element:
        last = self.open[-1].children[-1]
        assert isinstance(last, Element)
        return last


def read_html(text: str) -> Element:
    """The element `html` of a report. Raises AssertionError for one that breaks a rule."""
    assert text.isascii()
    assert text.endswith("</html>\n")
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert reader.doctype == "doctype html"
    assert reader.open == [reader.root]
    page = reader.root.one("html")
    assert page.attributes["lang"]
    _check_policy(page)
    _check_attributes(page)
    _check_outline(page)
    for element in page.all():
        if element.tag != "style":
            shown = [child for child in element.children if isinstance(child, str)]
            assert not any(STEERING.search(part) for part in [*shown, *element.attributes.values()])
    return page


def _check_policy(page: Element) -> None:
    """Nothing is allowed but the one style sheet, by its hash."""
    policy = page.one("meta", **{"http-equiv": "Content-Security-Policy"}).attributes["content"]
    digest = b64encode(sha256(page.one("style").text.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    # It holds for what comes after it.
    assert [one.tag for one in page.one("head").all()].index("style") > 1
    assert not re.search(r"url\(|@import|expression|</", page.one("style").text)


def _check_attributes(page: Element) -> None:
    """References lead to something in the page; nothing is run or brought in by an attribute."""
    known = [one.attributes["id"] for one in page.all() if "id" in one.attributes]
    assert len(set(known)) == len(known)
    for element in page.all():
        for name, value in element.attributes.items():
            assert not name.startswith("on")
            assert name not in ("style", "src", "srcset", "action", "formaction", "background", "xlink:href", "target")
            if name == "href":
                assert value.startswith("#")
                assert value[1:] in known
            if name in ("aria-labelledby", "aria-describedby"):
                assert set(value.split()) <= set(known)


def _check_outline(page: Element) -> None:
    """Headings go down by one level at a time; landmarks are there once; drawings have a text in their place."""
    levels = [int(one.tag[1]) for one in page.all() if re.fullmatch(r"h\d", one.tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    body = page.one("body")
    assert [one.tag for one in body.children if isinstance(one, Element) and one.tag != "a"] == list(LANDMARKS)
    for drawing in page.all("svg"):
        if drawing.attributes.get("aria-hidden") != "true":
            assert drawing.attributes["role"] == "img"
            assert drawing.one("title").text
            assert drawing.one("desc").text
    for table in page.all("table"):
        assert table.one("caption").text
        assert all("scope" in head.attributes for head in table.all("th"))


def places_of(page: Element) -> list[tuple[str, int]]:
    """Where findings and problems stand."""
    found = [article.all("p", "where")[0].all("code")[0].text.split(":")[:2] for article in page.all("article")]
    for section in page.all("section", "problems"):
        found += [item.one("code").text.split(":") for item in section.all("li")]
    return [(path, int(line)) for path, line in found]
