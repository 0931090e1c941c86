"""Reads the trees: pages in Markdown, one tree under each heading of the second level.

    ## A title

    What it shows. A paragraph that begins with `Wrong:` and the like (see `REMARKS`) says what is known to go amiss.

    `pkg/engine.py`

    ```python
    engine.pause_generation()  # PR001, step 1
    ```

A path on a line of its own names the file in the block below it. A comment at the end of a line says what must be
reported there, and which steps of the witness stand there; what bears none must be left alone. Nothing here checks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent

REMARKS = ("Wrong", "Lost", "Unfixed", "Unfixable", "Witness", "Flake8", "Order", "Large", "Unforetold")
"""What a remark is about.

Wrong: the analysis answers otherwise. Lost: what it finds is lost on the way to the report. Unfixed: `fix` does not
cure it although it should. Unfixable: `fix` must leave it. Witness: the witness goes another way. Flake8: flake8
reports something else. Order: the answer depends on how the files are given. Large: on how long they are. Unforetold:
`check` says otherwise what `fix` does.
"""

_FENCE = re.compile(r"^`(?P<path>[\w./]+)`\n\n```(?:python|toml)\n(?P<text>.*?)^```$", flags=re.MULTILINE | re.DOTALL)
_REMARK = re.compile(rf"^(?P<about>{'|'.join(REMARKS)}): (?P<why>.+?)(?=\n\n|\Z)", flags=re.MULTILINE | re.DOTALL)
_ONE = r"(?:PR\d{3}|step \d+)"
_MARK = re.compile(rf"# ({_ONE}(?:, {_ONE})*)$")

Place = tuple[str, int]
"""Path inside the tree and line, from 1."""


@dataclass(frozen=True, slots=True)
class Tree:
    """The files of one tree by path, and the remarks on it by what they are about."""

    title: str
    page: str
    files: Mapping[str, str]
    remarks: Mapping[str, str]

    @property
    def sources(self) -> list[str]:
        """The paths of its Python files."""
        return sorted(path for path in self.files if path.endswith(".py"))

    @property
    def expected(self) -> list[tuple[str, int, str]]:
        """Path, line and code of every finding there must be, in order."""
        return [(*place, word) for place, word in self._marks() if word.startswith("PR")]

    @property
    def witness(self) -> list[Place]:
        """The places of the steps of its one witness, in order; empty if the tree says nothing of it."""
        steps = {int(word.removeprefix("step ")): place for place, word in self._marks() if word.startswith("step")}
        return [steps[number] for number in sorted(steps)]

    def write(self, folder: Path) -> Path:
        """Writes it into `folder`, as a project of its own, and returns that folder."""
        for path, text in {"pyproject.toml": "", **self.files}.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return folder

    def _marks(self) -> Iterator[tuple[Place, str]]:
        for path in self.sources:
            for number, line in enumerate(self.files[path].splitlines(), start=1):
                if mark := _MARK.search(line):
                    for word in mark[1].split(", "):
                        yield (path, number), word


def trees() -> list[Tree]:
    """Every tree, page by page. Raises ValueError for one that cannot be what was meant."""
    found = [tree for page in sorted(FOLDER.glob("*.md")) for tree in _of_page(page)]
    titles = [tree.title for tree in found]
    if repeated := {title for title in titles if titles.count(title) > 1}:
        raise ValueError(f"titles are given twice: {', '.join(sorted(repeated))}")
    return found


def _of_page(page: Path) -> Iterator[Tree]:
    _, *parts = re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for part in parts:
        title, _, body = part.partition("\n")
        files = {match["path"]: match["text"] for match in _FENCE.finditer(body)}
        prose = _FENCE.sub("", body)
        remarks = {match["about"]: " ".join(match["why"].split()) for match in _REMARK.finditer(prose)}
        tree = Tree(title, page.stem, files, remarks)
        if "```" in prose or len(tree.sources) < 2:
            raise ValueError(f"{page.name}: {title}: at least two files are wanted, each with its path above it")
        for path in tree.sources:
            compile(files[path], f"{page.name}: {title}: {path}", "exec")
        yield tree
