"""`docs/npu.md`: its commands are run, in the folder that it speaks of, on the released AReaL."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from tests.helpers.commands import PROJECT
from tests.helpers.console import BLOCK, blocks, replay

PAGE = PROJECT / "docs/npu.md"
STANDS_FOR = "/opt"


def renewed(areal: Path, folder: Path) -> str:
    """The page with the outputs of today; its commands are run in `folder`, with what it says is there."""
    shutil.copytree(areal / "areal", folder / "areal")
    shutil.copytree(PROJECT / "patches", folder / "patches", ignore=shutil.ignore_patterns("__pycache__"))

    def fill(match: re.Match[str]) -> str:
        return f"```console\n{replay(match[1], folder).replace(str(folder.resolve()), STANDS_FOR)}```"

    return BLOCK.sub(fill, PAGE.read_text(encoding="utf-8"))


def test_outputs_are_those_of_today(areal: Path, tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert len(blocks(page)) == 5
    assert renewed(areal, tmp_path) == page


def test_devices_are_called_as_the_program_calls_them() -> None:
    page, program = PAGE.read_text(encoding="utf-8"), (PROJECT / "tests/engine/devices.py").read_text(encoding="utf-8")
    for state in ("no torch_npu", "torch_npu without CANN", "no device"):
        assert f"`{state}`" in page
        assert f'"{state}: ' in program


def test_table_is_that_of_the_tests() -> None:
    """The scenarios stand in a file that needs no torch to be read."""
    tests = (PROJECT / "tests/engine/test_failures.py").read_text(encoding="utf-8")
    named = re.findall(r'^    Scenario\("([^"]+)"', tests, flags=re.MULTILINE)
    assert len(named) == 6
    table = PAGE.read_text(encoding="utf-8").partition("| in the update |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| ([^|]+) \|", table, flags=re.MULTILINE) == [*named, "the trainer is killed"]


if __name__ == "__main__":
    # python -m tests.test_npu_page FOLDER_WITH_AREAL EMPTY_FOLDER writes the outputs of today into the page.
    PAGE.write_text(renewed(Path(sys.argv[1]), Path(sys.argv[2])), encoding="utf-8")
