"""Other Pythons of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def interpreter(version: str) -> str:
    """The path of a Python of that version, as `3.9`: one on the path or of pyenv. Skips the test if there is none."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    named = shutil.which(f"python{version}")
    found = [*map(str, sorted(root.glob(f"versions/{version}.*/bin/python"))), *([named] if named else [])]
    program = "import sys; sys.stdout.write('%d.%d' % sys.version_info[:2])"
    for path in found:  # what pyenv has on the path may start nothing
        done = subprocess.run([path, "-c", program], capture_output=True, check=False)
        if done.stdout.decode() == version:
            return path
    pytest.skip(f"there is no Python {version} here")
