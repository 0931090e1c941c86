"""Follows the links of a built site.

    python -m tools.links FOLDER

Every link within the site must lead to a page that is there, and to an anchor on it. Nothing that a browser loads by
itself (styles, scripts, fonts, pictures) may come from elsewhere. Links that a reader follows to other sites are not
tried.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

LOADED = {"link": "href", "script": "src", "img": "src", "source": "src", "iframe": "src", "object": "data"}
"""Elements that are loaded without being asked for, and where they say what."""
NOT_LOADED = {"canonical", "next", "prev", "index", "search", "author", "copyright", "license"}
"""Relations of a `link` that are only followed."""
_IN_STYLES = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")


class Page(NamedTuple):
    """What a page holds: where links lead, what is loaded, and which anchors there are."""

    links: tuple[str, ...]
    loaded: tuple[str, ...]
    anchors: frozenset[str]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self._in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self._in_style = tag == "style"
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if given.get(LOADED.get(tag, "")) and NOT_LOADED.isdisjoint(given.get("rel", "").split()):
            self.loaded.append(given[LOADED[tag]])
        self.loaded += _in_styles(given.get("style", ""))

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.loaded += _in_styles(data)


def read(text: str) -> Page:
    """A page, taken apart."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return Page(tuple(reader.links), tuple(reader.loaded), frozenset(reader.anchors))


def _in_styles(text: str) -> list[str]:
    return [first or second for first, second in _IN_STYLES.findall(text)]


def faults(site: Path) -> Iterator[str]:
    """What is wrong with the links of a site, one line for each. Raises ValueError if there is no page."""
    pages = {path: read(path.read_text(encoding="utf-8")) for path in sorted(site.resolve().rglob("*.html"))}
    if not pages:
        raise ValueError(f"{site}: no page is there; build the site first")
    for path, page in pages.items():
        for link in page.links:
            yield from _astray(path, link, pages)
        for link in page.loaded:
            yield from _missing(path, link)
    for path in sorted(site.resolve().rglob("*.css")):
        for link in _in_styles(path.read_text(encoding="utf-8")):
            yield from _missing(path, link)


def _astray(page: Path, link: str, pages: dict[Path, Page]) -> Iterator[str]:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    target = target / "index.html" if target.is_dir() else target
    if not target.exists():
        yield f"{page}: {link}: no such page"
    elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
        yield f"{page}: {link}: no such anchor"


def _missing(page: Path, link: str) -> Iterator[str]:
    parts = urlsplit(link)
    if parts.scheme == "data":
        return
    if parts.scheme or parts.netloc:
        yield f"{page}: {link}: loaded from elsewhere"
    elif parts.path and not (page.parent / unquote(parts.path)).exists():
        yield f"{page}: {link}: no such file"


def main(folder: str) -> int:
    """Says what is wrong; 1 if anything is."""
    found = list(faults(Path(folder)))
    sys.stderr.write("".join(f"{fault}\n" for fault in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
