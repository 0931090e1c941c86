"""What is said to a terminal and to nothing else: colours, and how far a long run has come."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from pause_lint.terminal import Line, Silence, columns, progress_on, takes_color
from tests.helpers.sources import FAULTY
from tests.helpers.terminal import Screen, on_terminal


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        """It is."""
        return True


@pytest.mark.parametrize(
    "environment, terminal, pipe",
    [
        ({}, True, False),
        ({"TERM": "dumb"}, False, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": "0"}, False, False),
        ({"NO_COLOR": ""}, True, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "0"}, True, True),
        ({"FORCE_COLOR": ""}, True, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
    ],
    ids=str,
)
def test_colours(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], terminal: bool, pipe: bool) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    for stream, colored in ((Terminal(), terminal), (io.StringIO(), pipe)):
        assert takes_color(stream) == colored
        assert takes_color(stream, "always")
        assert not takes_color(stream, "never")


def test_each_stream_is_coloured_by_itself(tmp_path: Path) -> None:
    """What goes beside a diff that is written to a file is still for a person to read."""
    (tmp_path / "a.py").write_text(FAULTY + "\n\nx = 1  # noqa: PR001\n", encoding="utf-8")
    beside = on_terminal("sh", "-c", f"'{sys.executable}' -m pause_lint fix --diff > diff.txt", cwd=tmp_path)
    assert "\x1b[1;31mPR900\x1b[0m" in beside
    assert b"\x1b" not in (tmp_path / "diff.txt").read_bytes()


def test_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "33")
    assert columns(Terminal(), 120) == 33
    assert columns(io.StringIO(), 120) == 120
    monkeypatch.setenv("COLUMNS", "many")
    assert columns(Terminal(), 80) == 80


# A run that takes long


class Clock:
    """Time as it is set."""

    now = 100.0

    def __call__(self) -> float:
        """Seconds."""
        return self.now


def test_a_line_comes_after_a_second_and_goes_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    stream, clock = Terminal(), Clock()
    with Line(stream, clock) as progress:
        clock.now += 0.9
        progress("reading: 1 files")
        assert stream.getvalue() == ""
        clock.now += 0.2
        progress("reading: 2 files")
        progress("reading: 3 files")  # too soon to be read
        assert Screen(stream.getvalue(), 20).rows[0] == "reading: 2 files"
        clock.now += 0.2
        progress("analysing: \x1b[2J日本語/pause.py")
        assert Screen(stream.getvalue(), 20).rows[:2] == [r"analysing: \x1b[...", ""]
    assert set(Screen(stream.getvalue(), 20).rows) == {""}


def test_a_short_run_says_nothing() -> None:
    stream, clock = Terminal(), Clock()
    with Line(stream, clock) as progress:
        progress("reading: 1 files")
    assert stream.getvalue() == ""


def test_the_line_goes_when_the_run_fails() -> None:
    stream, clock = Terminal(), Clock()

    def fail() -> None:
        with Line(stream, clock) as progress:
            clock.now += 2
            progress("reading: 1 files")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert set(Screen(stream.getvalue()).rows) == {""}


def test_only_a_terminal_that_can_erase_gets_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert isinstance(progress_on(Terminal(), quiet=False), Line)
    assert isinstance(progress_on(Terminal(), quiet=True), Silence)
    assert isinstance(progress_on(io.StringIO(), quiet=False), Silence)
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(progress_on(Terminal(), quiet=False), Silence)


IMPATIENT = """\
import sys
from pause_lint import terminal
terminal.PATIENCE = terminal.INTERVAL = -1
from pause_lint.cli import main
code = main(sys.argv[1:])
assert "threading" not in sys.modules or len(__import__("threading").enumerate()) == 1
sys.exit(code)
"""


@pytest.mark.parametrize(
    "command", [("check",), ("check", "--output-format", "sarif"), ("fix", "--diff"), ("baseline",)]
)
def test_runs_say_what_they_do_and_leave_nothing_of_it(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "a.py").write_text(FAULTY, encoding="utf-8")
    impatient = (sys.executable, "-c", IMPATIENT, *command)
    quiet = (sys.executable, "-c", IMPATIENT, *command, "-q")
    written = on_terminal(*impatient, cwd=tmp_path, columns=300)
    assert "reading: 0 files" in written
    assert "analysing: a.py" in written
    (tmp_path / "pause-lint-baseline.json").unlink(missing_ok=True)
    assert not any(row.startswith(("reading:", "analysing:", "fixing:")) for row in Screen(written, 300).rows)
    assert "reading:" not in on_terminal(*quiet, cwd=tmp_path, columns=300)


def test_a_pipe_gets_none(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(FAULTY, encoding="utf-8")
    shell = f"'{sys.executable}' -c \"$PROGRAM\" check 2>err.txt"
    on_terminal("sh", "-c", shell, cwd=tmp_path, env={**os.environ, "PROGRAM": IMPATIENT})
    assert (tmp_path / "err.txt").read_bytes() == b""
