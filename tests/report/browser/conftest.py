"""The browser that all of these tests share, and what they need that is no Python package.

Where something is missing they are skipped, and say what; with BROWSER=required, as `make html-test` sets it, that is a
failure. `sh .ci/browser` installs both.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.helpers.commands import PROJECT, pause_lint
from tests.helpers.sources import write_hostile
from tests.report.browser.chromium import Browser, Page, executable

AXE = PROJECT / "build/axe/node_modules/axe-core/axe.min.js"
Open = Callable[..., Page]


def missing(what: str) -> None:
    """Skips the test, or fails it where everything has to be there."""
    if os.environ.get("BROWSER") == "required":
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = executable()
    if program is None:
        missing("no Chromium: install Debian's package `chromium`, or name one in CHROMIUM")
        return
    one = Browser(program, tmp_path_factory.mktemp("profile"))
    yield one
    one.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core."""
    if not AXE.is_file():
        missing(f"no axe-core: npm install --prefix {AXE.parents[2].relative_to(PROJECT)} axe-core")
    return AXE.read_text(encoding="utf-8")


@pytest.fixture
def visit(browser: Browser) -> Iterator[Open]:
    """Opens a file in a tab, which is closed in the end: `visit(file, width=390, scheme="dark")`."""
    opened: list[Page] = []

    def call(file: Path, *, width: int = 1100, scheme: str = "light", media: str = "") -> Page:
        opened.append(Page(browser, file.as_uri(), width=width, scheme=scheme, media=media))
        return opened[-1]

    yield call
    for page in opened:
        page.close()


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports by name: of a pause behind an endpoint, of hostile code, of nothing."""
    folder = tmp_path_factory.mktemp("reports")
    found: dict[str, Path] = {}
    for name in ("endpoint", "hostile", "nothing"):
        project = folder / name
        if name == "endpoint":
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(PROJECT / "examples/areal_npu", project, ignore=ignored)
        else:
            project.mkdir()
            (project / "pyproject.toml").touch()
            (project / "empty.py").touch()
        if name == "hostile":
            write_hostile(project)
        checked = "tinyrl/fsdp_engine.py" if name == "endpoint" else "."
        done = pause_lint("check", checked, "--output-format", "html", cwd=project)
        found[name] = folder / f"{name}.html"
        found[name].write_text(done.out, encoding="ascii")
    return found
