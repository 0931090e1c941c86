"""Runs of every command over one tree, with everything varied that must not matter.

Varied are the order in which files are named and folders are read, the seed of hashes, and, for flake8, the number of
workers. What is printed must be the same, and so must what is written.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.helpers.cases import all_cases
from tests.helpers.commands import PROJECT
from tests.helpers.sources import GRADED
from tests.trees.reading import trees

FORMATS = ("text", "concise", "json", "github", "gitlab", "sarif", "junit")
_CODES = ("--extend-select", "PR005,PR006,PR007,PR901", "--preset", "all", "--include-tests")
_BASELINE = "known.json"
COMMANDS: dict[str, tuple[str, ...]] = {
    **{name: ("pause-lint", "check", *_CODES, "-v", "--statistics", "--output-format", name) for name in FORMATS},
    "diff": ("pause-lint", "fix", "--diff", *_CODES, "--unsafe-fixes"),
    "diff of comments": ("pause-lint", "fix", "--diff", "--add-noqa", "--reason", "known", *_CODES),
    "baseline": ("pause-lint", "baseline", "-o", _BASELINE, *_CODES),
    "flake8": ("flake8", "--isolated", "--select", "PR", "--pause-lint-presets", "all"),
}


class Answer(NamedTuple):
    """What a command gave: its exit code, both outputs, and what it wrote."""

    code: int
    out: bytes
    err: bytes
    written: bytes


def make_tree(folder: Path, every: int = 10) -> list[str]:
    """Make the tree in `folder`: labelled cases, trees whose effects cross files, and files that are no Python.

    every: of how many cases and trees one is taken. Returns what a run names, which is in `folder`.
    """
    (folder / "cases").mkdir(parents=True)
    for case in all_cases()[::every]:
        shutil.copy(case.path, folder / "cases")
    for number, tree in enumerate(trees()[::every]):
        for name, text in tree.files.items():
            path = folder / f"tree_{number}" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    (folder / "graded.py").write_text(GRADED, encoding="utf-8")
    (folder / "broken.py").write_text("def (:\n", encoding="utf-8")
    (folder / "bytes.py").write_bytes(b"pause_generation = 1  # \xff\n")
    return sorted(path.name for path in folder.iterdir())


def answers(folder: Path, named: Sequence[str], seed: int, commands: Sequence[str]) -> Iterator[tuple[str, Answer]]:
    """What each of `commands` answers in a run that `seed` decides about."""
    dice = random.Random(seed)
    for name in commands:
        order = list(named)
        dice.shuffle(order)
        program, *words = COMMANDS[name]
        workers = ("-j", str(dice.randint(1, 4))) if program == "flake8" else ()
        command = [sys.executable, "-m", "tests.determinism.shuffled", str(dice.random())[2:], program]
        environment = {**os.environ, "PYTHONHASHSEED": str(dice.randrange(2**32)), "PYTHONPATH": str(PROJECT)}
        done = subprocess.run(
            [*command, *words, *workers, *order], cwd=folder, env=environment, capture_output=True, check=False
        )
        file = folder / _BASELINE
        written = file.read_bytes() if file.exists() else b""
        file.unlink(missing_ok=True)
        yield name, Answer(done.returncode, done.stdout, done.stderr, written)


def differences(
    folder: Path, named: Sequence[str], seeds: Sequence[int], commands: Sequence[str] = tuple(COMMANDS)
) -> Iterator[str]:
    """What differs from the first run, in words."""
    first = dict(answers(folder, named, seeds[0], commands))
    for seed in seeds[1:]:
        for name, answer in answers(folder, named, seed, commands):
            for what, before, now in zip(Answer._fields, first[name], answer, strict=True):
                if before != now:
                    yield f"{name}: the {what} of run {seed} is another than that of run {seeds[0]}"
