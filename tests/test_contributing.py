"""The pages for contributors: followed step by step in a copy of the repository.

    python -m tests.test_contributing

writes the outputs of today into them.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.helpers.commands import PROJECT, run
from tests.helpers.console import BLOCK, replay

PAGES = sorted((PROJECT / "docs/contributing").glob("*.md"))
STEP = re.compile(r"^```(diff|console)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info")

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="changes are applied by git")


def followed(page: str, clone: Path) -> str:
    """The page with the outputs of today: its changes are made in `clone`, its commands run there, in their order."""
    shutil.copytree(PROJECT, clone, ignore=LEFT_OUT)

    def step(match: re.Match[str]) -> str:
        if match[1] == "console":
            return f"```console\n{replay(match[2], clone)}```"
        # Git takes an empty line for an empty line of context, as editors leave it.
        applied = run("git", "apply", "-", cwd=clone, stdin=match[2].encode())
        assert applied.code == 0, applied.err
        return match[0]

    return STEP.sub(step, page)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_page_can_be_followed(path: Path, tmp_path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert "passed" in "".join(BLOCK.findall(page))
    assert followed(page, tmp_path / "clone") == page


def test_every_way_to_add_something_has_a_page() -> None:
    assert [path.stem for path in PAGES] == ["call-shape", "pair", "rule"]


def main() -> None:
    """Writes the outputs of today."""
    for path in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            text = followed(path.read_text(encoding="utf-8"), Path(folder, "clone"))
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
