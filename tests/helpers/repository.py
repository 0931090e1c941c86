"""A real repository of git, made by a test: no configuration of the machine's has a say in it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


class Repository:
    """A work tree with a branch `main`."""

    def __init__(self, folder: Path) -> None:
        """Make it in `folder`, which may hold files already; nothing is committed."""
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> str:
        """Run git; what it answers. Fails the test if git fails."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        done = subprocess.run(
            ["git", "-c", "user.name=Nobody", "-c", "user.email=nobody@example.org", *arguments],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            env={**inherited, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
        )
        assert done.returncode == 0, f"git {' '.join(arguments)}: {done.stdout}{done.stderr}"
        return done.stdout.strip()

    def commit(self, message: str = "Work") -> str:
        """Commit everything that is in the folder; the commit's name."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")
