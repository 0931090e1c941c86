"""What follows the links of the built documentation (`make docs`) sees what is wrong, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.links import faults, main

HEAD = '<link rel="stylesheet" href="style.css"><link rel="canonical" href="https://example.org/">'
STYLE = '@font-face { src: url("font.woff2") } a { background: url(data:image/png;base64,AA) }'


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site without faults."""
    (tmp_path / "rules").mkdir()
    (tmp_path / "index.html").write_text(
        f'{HEAD}<h1 id="top">Site</h1><a href="rules/">rules</a><a href="rules/index.html#one%20two">one</a>'
        '<a href="#top">top</a><a href="https://example.org/x">elsewhere</a><a href="mailto:a@example.org">mail</a>',
        encoding="utf-8",
    )
    (tmp_path / "rules/index.html").write_text('<p id="one two">1</p><a href="../index.html">up</a>', encoding="utf-8")
    (tmp_path / "style.css").write_text(STYLE, encoding="utf-8")
    (tmp_path / "font.woff2").write_bytes(b"")
    return tmp_path


def test_a_site_without_faults(site: Path) -> None:
    assert list(faults(site)) == []
    assert main(str(site)) == 0


@pytest.mark.parametrize(
    "added, fault",
    [
        ('<a href="gone.html">', "gone.html: no such page"),
        ('<a href="rules/#gone">', "rules/#gone: no such anchor"),
        ('<a href="#gone">', "#gone: no such anchor"),
        ('<img src="gone.png">', "gone.png: no such file"),
        ('<img src="https://example.org/a.png">', "https://example.org/a.png: loaded from elsewhere"),
        ('<script src="//example.org/a.js"></script>', "//example.org/a.js: loaded from elsewhere"),
        (
            '<link rel="stylesheet" href="https://example.org/a.css">',
            "https://example.org/a.css: loaded from elsewhere",
        ),
        ('<style>@import "https://example.org/b.css";</style>', "https://example.org/b.css: loaded from elsewhere"),
        ('<p style="background: url(https://example.org/c)">', "https://example.org/c: loaded from elsewhere"),
    ],
)
def test_what_is_wrong_is_said(site: Path, added: str, fault: str) -> None:
    page = site / "index.html"
    page.write_text(page.read_text(encoding="utf-8") + added, encoding="utf-8")
    assert list(faults(site)) == [f"{page.resolve()}: {fault}"]
    assert main(str(site)) == 1


def test_styles_are_looked_at(site: Path) -> None:
    (site / "style.css").write_text("a { background: url(https://example.org/d) }", encoding="utf-8")
    assert [fault.endswith("https://example.org/d: loaded from elsewhere") for fault in faults(site)] == [True]


def test_nothing_built_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="build the site first"):
        list(faults(tmp_path))
