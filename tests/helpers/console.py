"""The commands that a page shows, and what they print.

    python -m tests.helpers.console README.md ...

runs the commands of every ```console block of the pages named in a copy of `examples/`, and writes down what they
print. In such a block a line that begins with `$ ` is a command; what follows, up to the next one, is its output.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.helpers.commands import PROJECT, run

BLOCK = re.compile(r"^```console\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
SHELL_BLOCK = re.compile(r"^```sh\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


def blocks(page: str) -> list[str]:
    """The contents of the `console` blocks of a page."""
    return BLOCK.findall(page)


def shell_lines(page: str) -> list[str]:
    """The commands of the `sh` blocks of a page, which show no output."""
    return [line for block in SHELL_BLOCK.findall(page) for line in block.splitlines() if line]


@contextmanager
def examples() -> Iterator[Path]:
    """A fresh copy of the examples, a project of its own. What the commands of one page do to it adds up."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "examples")
        shutil.copytree(PROJECT / "examples", copy, ignore=shutil.ignore_patterns("__pycache__", "demo.py"))
        (copy / "pyproject.toml").write_text("", encoding="utf-8")
        yield copy


def home(page: Path, copy: Path) -> Path:
    """Where in `copy`, a copy of the examples, the commands of a page are run: an example's page in its own folder."""
    folder = PROJECT / "examples"
    return copy / page.resolve().parent.relative_to(folder) if folder in page.resolve().parents else copy


def replay(block: str, folder: Path) -> str:
    """The block as it would stand if its commands were run in `folder` now."""
    lines: list[str] = []
    for line in block.splitlines():
        if not line.startswith("$ "):
            continue
        done = run("sh", "-c", line.removeprefix("$ "), cwd=folder)
        lines += [line, *(done.out + done.err).rstrip("\n").splitlines()]
    return "".join(f"{line}\n" for line in lines)


def renewed(page: str, folder: Path) -> str:
    """The page with the outputs of today; its commands are run in `folder`."""
    return BLOCK.sub(lambda match: f"```console\n{replay(match[1], folder)}```", page)


def main(pages: list[str]) -> None:
    """Writes the outputs of today into the pages named."""
    for name in pages:
        path = Path(name)
        with examples() as folder:
            text = renewed(path.read_text(encoding="utf-8"), home(path, folder))
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
