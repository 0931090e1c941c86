"""A tree of faulty files, as it is and as `fix` makes it; and what became of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pause_lint.config import Options
from pause_lint.fixing import fix_source

_FUNCTION = """\
def reload_{number}(engine, path):
    engine.pause_generation()
    engine.load(path)
    engine.continue_generation()
"""
_LONG = "".join(f"# What stands around it, line {number}.\n" for number in range(4000))


class Contents(NamedTuple):
    """A file before and after."""

    old: bytes
    new: bytes


class State(NamedTuple):
    """What became of a tree.

    old, new: how many files are as before, and as fixed. torn: those that are neither. strangers: what does not
    belong to it.
    """

    old: int
    new: int
    torn: tuple[str, ...]
    strangers: tuple[str, ...]


class Tree:
    """A folder of faulty files: short ones, some with other line ends, and one in ten of 150 kB."""

    def __init__(self, folder: Path, files: int) -> None:
        """Make it; ten files share a folder."""
        self.folder = folder
        self.files: dict[str, Contents] = {}
        for number in range(files):
            text = _FUNCTION.format(number=number)
            data = (text + _LONG if number % 10 == 9 else text).encode()
            if number % 3 == 1:
                data = data.replace(b"\n", b"\r\n")
            name = f"package_{number // 10}/module_{number}.py"
            self.files[name] = Contents(data, fix_source(data, name, Options(), unsafe=False).data)
        assert all(file.old != file.new for file in self.files.values())
        self.reset()

    def reset(self) -> None:
        """Make it what it was in the beginning."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        (self.folder / "pyproject.toml").touch()
        for name, file in self.files.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(file.old)

    def state(self, beside: Iterable[str] = ()) -> State:
        """What has become of it. beside: files that belong to it as well."""
        known = {"pyproject.toml", *beside}
        found = {path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if not path.is_dir()}
        now = {name: (self.folder / name).read_bytes() if name in found else None for name in self.files}
        return State(
            sum(data == self.files[name].old for name, data in now.items()),
            sum(data == self.files[name].new for name, data in now.items()),
            tuple(sorted(name for name, data in now.items() if data not in self.files[name])),
            tuple(sorted(found - known - self.files.keys())),
        )
