"""A package with a fault, and a copy of `patches/` that knows it: what the tests of the patched engine are run on."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.helpers.commands import PROJECT, Done, run

ENGINE = '''\
"""Swaps weights."""


class Llm:
    def __init__(self):
        self.paused = False

    def pause_generation(self):
        self.paused = True

    def continue_generation(self):
        self.paused = False


class Updater:
    def __init__(self, llm):
        self.llm = llm

    def update(self, load):
        self.llm.pause_generation()
        load()
        self.llm.continue_generation()
'''

OTHER = "LIMIT = 1\n"

PROBE = '''\
"""Says whether a failed update leaves generation paused."""

from toyrl.engine import Llm, Updater


def fail():
    raise OSError(28, "no space left on device")


def is_left_paused():
    llm = Llm()
    try:
        Updater(llm).update(fail)
    except OSError:
        return llm.paused


if __name__ == "__main__":
    print(is_left_paused())
'''

LOGGED = "pause-lint: toyrl.engine: Updater.update is patched to resume whatever happens\n"


@dataclass(frozen=True, slots=True)
class Toy:
    """folder: what holds the package `toyrl`, `probe.py`, `patches/`, and the cache."""

    folder: Path

    @property
    def package(self) -> Path:
        """The package's folder."""
        return self.folder / "toyrl"

    @property
    def cache(self) -> Path:
        """The overlay's cache."""
        return self.folder / "cache"

    def python(self, *arguments: str | Path, env: Mapping[str, str] | None = None, overlay: bool = True) -> Done:
        """Runs Python in the folder, under the overlay."""
        path = {"PYTHONPATH": str(self.folder / "patches/overlay")} if overlay else {}
        # Empty is unset: whoever runs the tests may have set it, and then no code is kept.
        given = {"PAUSE_LINT_CACHE": str(self.cache), "PYTHONDONTWRITEBYTECODE": "", **path, **(env or {})}
        return run(sys.executable, *arguments, cwd=self.folder, env=given)

    def script(self, text: str, env: Mapping[str, str] | None = None) -> Done:
        """Runs a program under the overlay."""
        (self.folder / "script.py").write_text(text, encoding="utf-8")
        return self.python("script.py", env=env)

    def apply(self, *arguments: str) -> Done:
        """Runs `apply.py` on the package."""
        return run(sys.executable, self.folder / "patches/apply.py", self.package, *arguments, cwd=self.folder)


def toy_in(folder: Path) -> Toy:
    """Makes one in `folder`."""
    toy = Toy(folder)
    toy.package.mkdir()
    (toy.package / "__init__.py").write_text("", encoding="utf-8")
    (toy.package / "engine.py").write_text(ENGINE, encoding="utf-8")
    (toy.package / "other.py").write_text(OTHER, encoding="utf-8")
    (folder / "probe.py").write_text(PROBE, encoding="utf-8")
    shutil.copytree(PROJECT / "patches", folder / "patches", ignore=shutil.ignore_patterns("areal", "__pycache__"))
    made = run(sys.executable, "-m", "patches.make", "1.0", "toyrl", "--origin", "a toy", cwd=folder)
    assert made.code == 0, made.err
    return toy
