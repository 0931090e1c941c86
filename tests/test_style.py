"""New statements are written as their file writes its own: its quotes, and lines no longer than it allows."""

from __future__ import annotations

from pathlib import Path

import pytest

from pause_lint.config import Options
from pause_lint.fixing import fix_source
from pause_lint.fixing.style import Style, configured_limit, style_of, styled

GATHER = "await asyncio.gather(*[post(session, f'{url}/resume', timeout, data={}) for url in urls])"


def test_what_fits_stays_on_one_line() -> None:
    assert styled(GATHER, Style("'", 120), "    ", "    ") == GATHER


@pytest.mark.parametrize(
    "room, lines",
    [
        (
            88,
            [
                "await asyncio.gather(",
                "    *[post(session, f'{url}/resume', timeout, data={}) for url in urls]",
                ")",
            ],
        ),
        (
            60,
            [
                "await asyncio.gather(",
                "    *[",
                "        post(session, f'{url}/resume', timeout, data={})",
                "        for url in urls",
                "    ]",
                ")",
            ],
        ),
        (
            40,
            [
                "await asyncio.gather(",
                "    *[",
                "        post(",
                "            session,",
                "            f'{url}/resume',",
                "            timeout,",
                "            data={},",
                "        )",
                "        for url in urls",
                "    ]",
                ")",
            ],
        ),
    ],
)
def test_a_long_line_is_broken_at_its_brackets(room: int, lines: list[str]) -> None:
    assert styled(GATHER, Style("'", room), "", "    ").splitlines() == lines


def test_what_has_no_brackets_stays_long() -> None:
    assert styled("if one and other:\n    act()", Style('"', 10), "", "\t") == "if one and other:\n\tact()"


@pytest.mark.parametrize(
    "source, wanted",
    [
        ("post('/resume')", 'post("/resume")'),
        ("post(f'{url}/resume')", 'post(f"{url}/resume")'),
        ("post(b'x')", 'post(b"x")'),
        ("post('say \"so\"')", "post('say \"so\"')"),
        ("post('a\\n')", "post('a\\n')"),
        ("post(f'{urls[\"a\"]}/resume')", "post(f'{urls[\"a\"]}/resume')"),
    ],
)
def test_quotes_are_those_of_the_file_where_the_text_allows_it(source: str, wanted: str) -> None:
    assert styled(source, Style('"', 88), "", "    ") == wanted


def test_the_style_is_read_off_the_file() -> None:
    assert style_of("a = 'x'\nb = 'y'\nc = \"z\"\n") == Style("'", 79)
    assert style_of('a = "x"\n' + "b = 1" + " " * 90 + "# far\n") == Style('"', 100)
    assert style_of("", limit=60) == Style('"', 60)


@pytest.mark.parametrize(
    "name, text, limit",
    [
        ("pyproject.toml", "[tool.ruff]\nline-length = 101\n", 101),
        ("pyproject.toml", "[tool.black]\n", 88),
        ("pyproject.toml", "[tool.black]\nline-length = 99\n[tool.flake8]\nmax-line-length = 120\n", 99),
        ("pyproject.toml", "[tool.black]\nline_length = 119\n", 119),
        ("ruff.toml", "line-length = 77\n", 77),
        ("setup.cfg", "[flake8]\nmax-line-length = 110\n", 110),
        (".flake8", "[flake8]\nmax-line-length = 111\n", 111),
        ("pyproject.toml", "this is no toml", None),
        ("setup.cfg", "[flake8]\nmax-line-length = wide\n", None),
        ("pyproject.toml", "[project]\nname = 'a'\n", None),
    ],
)
def test_the_project_says_how_long_a_line_may_be(tmp_path: Path, name: str, text: str, limit: int | None) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "package").mkdir()
    above = configured_limit(str(tmp_path.parent / "other.py"))
    assert configured_limit(str(tmp_path / "package" / "engine.py")) == (above if limit is None else limit)


def test_a_fix_writes_a_resume_that_fits(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\nline-length = 60\n", encoding="utf-8")
    source = """\
def update(session, address, meta):
    session.post(f"{address}/pause_generation", json={}, timeout=60)
    load(meta)
"""
    fixed = """\
def update(session, address, meta):
    session.post(f"{address}/pause_generation", json={}, timeout=60)
    try:
        load(meta)
    finally:
        session.post(
            f"{address}/continue_generation",
            json={},
            timeout=60,
        )
"""
    path = str(tmp_path / "client.py")
    assert fix_source(source.encode(), path, Options(), unsafe=True).data.decode() == fixed
