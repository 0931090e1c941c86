"""Ten runs say the same, byte for byte. A hundred of every command: `python -m tests.determinism`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.determinism.runs import COMMANDS, answers, differences, make_tree
from tests.helpers.commands import PROJECT


@pytest.mark.parametrize("command", COMMANDS)
def test_the_same_bytes(tmp_path: Path, command: str) -> None:
    named = make_tree(tmp_path / "tree", every=60)
    [(_, answer)] = answers(tmp_path / "tree", named, 0, [command])
    assert b"PR001" in answer.out + answer.err + answer.written
    assert answer.code in (1, 2)
    assert list(differences(tmp_path / "tree", named, range(10), [command])) == []


def test_folders_are_read_in_another_order(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number}.py").touch()
    program = (
        "import os, sys; from tests.determinism.shuffled import shuffle_folders; shuffle_folders(int(sys.argv[1]));"
        "print(os.listdir('.'), [entry.name for entry in os.scandir('.')])"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program, seed],
            cwd=tmp_path,
            env={"PYTHONPATH": str(PROJECT)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(said) == 3
