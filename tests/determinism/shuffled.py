"""`python -m tests.determinism.shuffled SEED PROGRAM ...`: runs `pause-lint` or `flake8`, each folder in another order.

A file system lists a folder in any order it likes; here that order is shuffled, each time anew.
"""

from __future__ import annotations

import os
import random
import runpy
import sys
from typing import Any


class _Shuffled:
    """What `os.scandir` gives, in another order."""

    def __init__(self, entries: list[os.DirEntry[Any]]) -> None:
        self._entries = iter(entries)

    def __iter__(self) -> _Shuffled:
        return self

    def __next__(self) -> os.DirEntry[Any]:
        return next(self._entries)

    def __enter__(self) -> _Shuffled:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def close(self) -> None:
        """Nothing is open."""


def shuffle_folders(seed: int) -> None:
    """Let `os.scandir` and `os.listdir` answer in an order that `seed` decides."""
    dice, scandir, listdir = random.Random(seed), os.scandir, os.listdir

    def shuffled_scandir(*path: Any) -> _Shuffled:
        with scandir(*path) as found:
            entries = list(found)
        dice.shuffle(entries)
        return _Shuffled(entries)

    def shuffled_listdir(*path: Any) -> list[Any]:
        names = listdir(*path)
        dice.shuffle(names)
        return names

    os.scandir = shuffled_scandir  # type: ignore[assignment]
    os.listdir = shuffled_listdir  # type: ignore[assignment]


if __name__ == "__main__":
    _, seed, program, *words = sys.argv
    shuffle_folders(int(seed))
    sys.argv = [program, *words]
    runpy.run_module({"pause-lint": "pause_lint"}.get(program, program), run_name="__main__", alter_sys=True)
