"""Children of this process that run a command of the tool, and end as they are told to.

They are forked, so that everything is loaded already: a thousand of them do not take an hour, and one that has given up
its rights can still run what it has no right to read.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from pause_lint.fixing import write
from tests.helpers.commands import Done

Action = Callable[[], int]
"""What a child does; its exit code."""


def start(action: Action, out: str = os.devnull, err: str = os.devnull) -> int:
    """Run `action` in a child whose output goes to the files `out` and `err`. Returns its process id."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        for stream, name, file in ((1, "stdout", out), (2, "stderr", err)):
            os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), stream)
            opened = open(stream, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, opened)
        code = action()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def finished(action: Action, folder: Path) -> Done:
    """Run `action` in a child to its end. folder: where its output is kept meanwhile."""
    out, err = folder / "stdout", folder / "stderr"
    _, status = os.waitpid(start(action, str(out), str(err)), 0)
    return Done(os.waitstatus_to_exitcode(status), out.read_text("utf-8"), err.read_text("utf-8"))


def killed_at(step: int, action: Action) -> bool:
    """Run `action` in a child that is killed at a step of `write`, counted from 1; whether it got that far.

    A step is a call of a function written in C, or the return from one: whatever asks the system for something is.
    """
    _, status = os.waitpid(start(lambda: _until(step, action)), 0)
    return os.waitstatus_to_exitcode(status) == -signal.SIGKILL


def _until(step: int, action: Action) -> int:
    left = step

    def profile(frame: FrameType, event: str, _: object) -> None:
        nonlocal left
        if event in ("c_call", "c_return") and frame.f_code.co_filename == write.__file__:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(profile)
    return action()
