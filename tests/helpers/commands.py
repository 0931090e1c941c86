"""Running the installed commands, as a user does: in a folder, in a process of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parent.parent.parent
SCRIPTS = Path(sys.executable).parent


@dataclass(frozen=True, slots=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The standard output, read as JSON."""
        return json.loads(self.out)


def run(
    *command: str | Path,
    cwd: Path,
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
) -> Done:
    """Runs `command` in `cwd`; commands of this environment come first on the path."""
    # A hook that runs the tests leaves GIT_DIR and the like behind, which name another repository.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    path = os.pathsep.join([str(SCRIPTS), inherited.get("PATH", os.defpath)])
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        input=b"" if stdin is None else stdin,
        capture_output=True,
        check=False,
        env={**inherited, "PATH": path, "PYTHONUTF8": "1", "NO_COLOR": "1", **(env or {})},
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def pause_lint(*arguments: str | Path, cwd: Path, stdin: bytes | None = None) -> Done:
    """`python -m pause_lint` with `arguments`."""
    return run(sys.executable, "-m", "pause_lint", *arguments, cwd=cwd, stdin=stdin)


def flake8(*arguments: str | Path, cwd: Path, stdin: bytes | None = None) -> Done:
    """`python -m flake8` with `arguments`, with no configuration but what they name."""
    isolated = () if "--config" in arguments else ("--isolated",)
    return run(sys.executable, "-m", "flake8", *isolated, *arguments, cwd=cwd, stdin=stdin)
