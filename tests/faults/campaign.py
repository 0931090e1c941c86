"""Kills `fix` at random moments, and looks at what is left.

The findings of a file and its new bytes are worked out once and remembered: a run then reads, analyses and writes the
whole tree, and the writing, which is what can be hurt, takes a good part of it.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from pause_lint.cli import main
from pause_lint.finding import Finding
from pause_lint.fixing import run
from pause_lint.fixing.run import FixedFile
from tests.faults.processes import start
from tests.faults.trees import Tree


class Tally(NamedTuple):
    """What came of it.

    kills: how many runs were killed. amid: how many of those left some files fixed and others not. remains: how many
    left a temporary file. wrong: what must not be, in words.
    """

    kills: int
    amid: int
    remains: int
    wrong: tuple[str, ...]


def campaign(folder: Path, files: int, kills: int, seed: int) -> Tally:
    """Kill runs over a tree of so many files, made in `folder`, which must not be there yet."""
    tree, dice = Tree(folder, files), random.Random(seed)
    longest, killed, amid, remains = _seconds(tree), 0, 0, 0
    wrong: list[str] = []
    while killed < kills:
        tree.reset()
        child = start(lambda: fix(tree))
        time.sleep(dice.uniform(0, longest))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
            continue  # it was through already
        killed += 1
        state = tree.state()
        amid += 0 < state.new < files
        if state.torn:
            wrong.append(f"kill {killed}: torn: {', '.join(state.torn)}")
        if state.strangers or killed % 50 == 0:
            remains += bool(state.strangers)
            _seconds(tree)
            again = tree.state()
            if again.new != files or again.strangers:
                wrong.append(f"kill {killed}: after a second run: {again}")
    return Tally(killed, amid, remains, tuple(wrong))


def fix(tree: Tree) -> int:
    """`fix` over a tree, with what it makes of each file remembered."""

    def remembered(data: bytes, path: str, findings: Sequence[Finding], *_: object, **__: object) -> FixedFile:
        return FixedFile(tree.files[path].new, tuple(findings), (), ())

    os.chdir(tree.folder)
    with patch.object(run, "fix_file", remembered):
        return main(["fix", "."])


def _seconds(tree: Tree) -> float:
    """How long a whole run takes."""
    begun = time.perf_counter()
    _, status = os.waitpid(start(lambda: fix(tree)), 0)
    assert os.waitstatus_to_exitcode(status) == 0
    return time.perf_counter() - begun
