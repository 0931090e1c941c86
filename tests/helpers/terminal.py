"""What a terminal shows: a screen that obeys what is written to it as a terminal does, and a terminal to run things on.

pyte is the terminal here; how wide characters are, it has from wcwidth, which our own code does not use.
"""

from __future__ import annotations

import os
import pty
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyte

from tests.helpers.commands import SCRIPTS


class Screen:
    """A screen of so many columns after `text` was written to it, of which nothing has scrolled away."""

    def __init__(self, text: str, columns: int = 80) -> None:
        self._screen = pyte.Screen(columns, text.count("\n") + len(text) // columns + 2)
        pyte.Stream(self._screen).feed(text.replace("\n", "\r\n"))
        self.title: str = self._screen.title

    @property
    def rows(self) -> list[str]:
        """What can be read on it, row by row, without blanks at the ends."""
        return [row.rstrip() for row in self._screen.display]

    def above(self, mark: str = "^") -> str:
        """What stands above the first run of `mark` that has a row to itself, letters with their marks (NFC)."""
        for row in range(1, self._screen.lines):
            line = self._cells(row)
            columns = [column for column, text in enumerate(line) if text == mark]
            if columns and set(line[columns[0] : columns[-1] + 1]) == {mark}:
                return "".join(self._cells(row - 1)[columns[0] : columns[-1] + 1])
        raise AssertionError(f"no {mark} on the screen")

    def _cells(self, row: int) -> list[str]:
        return [self._screen.buffer[row][column].data for column in range(self._screen.columns)]


def on_terminal(*command: str | Path, cwd: Path, columns: int = 80, env: Mapping[str, str] | None = None) -> str:
    """What `command` writes when standard output and standard error are a terminal. Fails if it fails by a signal."""
    leader, follower = pty.openpty()
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    path = os.pathsep.join([str(SCRIPTS), plain.get("PATH", os.defpath)])
    settings = {
        **plain,
        "PATH": path,
        "TERM": "xterm-256color",
        "COLUMNS": str(columns),
        "PYTHONUTF8": "1",
        **(env or {}),
    }
    with subprocess.Popen(
        _texts(command), cwd=cwd, stdin=follower, stdout=follower, stderr=follower, env=settings
    ) as done:
        os.close(follower)
        written = b""
        while chunk := _chunk(leader):
            written += chunk
    os.close(leader)
    assert done.returncode >= 0
    return written.decode().replace("\r\n", "\n")


def _chunk(leader: int) -> bytes:
    try:
        return os.read(leader, 65536)
    except OSError:  # Linux says so where the other end was closed
        return b""


def _texts(command: Sequence[str | Path]) -> list[str]:
    return [str(part) for part in command]
