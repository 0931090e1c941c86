"""The terminal that a stream may be: its width, whether it takes colours, and a line that tells what a run is at."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from pause_lint.sources import Progress

PATIENCE = 1.0
"""After how many seconds a run says how far it is."""
INTERVAL = 0.1
"""How many seconds a line stays at least: nobody reads faster, and terminals are slow."""


def columns(stream: TextIO, otherwise: int) -> int:
    """How wide a line of `stream` may be: as `COLUMNS` or the terminal has it, `otherwise` if it is none."""
    if not stream.isatty():
        return otherwise
    with suppress(ValueError, OSError):
        return int(os.environ.get("COLUMNS", "0")) or os.get_terminal_size(stream.fileno()).columns or otherwise
    return otherwise


def takes_color(stream: TextIO, wanted: str = "auto") -> bool:
    """Whether to colour what is written to `stream`. wanted: `always`, `never`, or `auto`: if a person looks at it.

    What was asked for on the command line outranks both variables (https://no-color.org, https://force-color.org), of
    which any value but an empty one counts; where both are set, there is no colour.
    """
    if wanted != "auto":
        return wanted == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (os.environ.get("TERM") != "dumb" and stream.isatty())


class Line:
    """A line at the end of a terminal that says what a run does, once that takes longer than `PATIENCE`.

    A context manager: on the way out, whatever that is, the line is gone. What is printed in between would break it.
    Written from where the work is done, so that there is no thread to be left behind.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._due = clock() + PATIENCE
        self._shown = False

    def __enter__(self) -> Progress:
        return self._say

    def __exit__(self, *failure: object) -> None:
        if self._shown:
            self._write("\r\x1b[K")

    def _say(self, doing: str) -> None:
        now = self._clock()
        if now < self._due:
            return
        from pause_lint.report.excerpt import clipped  # late: few runs take so long

        self._due = now + INTERVAL
        self._shown = True
        # In the last column, some terminals begin a new line.
        self._write(f"\r{clipped(doing, columns(self._stream, 80) - 1)}\x1b[K")

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # a terminal that went away is no reason to stop
            self._stream.write(text)
            self._stream.flush()


class Silence:
    """In the place of a `Line` where nobody is to see one."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *failure: object) -> None:
        return None


def progress_on(stream: TextIO, quiet: bool) -> Line | Silence:
    """A line on `stream` if that is a terminal which can erase it again; none with `quiet`."""
    return Line(stream) if not quiet and stream.isatty() and os.environ.get("TERM") != "dumb" else Silence()
