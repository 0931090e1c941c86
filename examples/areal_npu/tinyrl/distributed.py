"""A process group of one process, so that the example runs without torch.

What a rank broadcasts to the servers goes through files in a folder, one a parameter.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any


class SingleProcess:
    """Rank 0 of 1."""

    def get_rank(self) -> int:
        return 0

    def get_world_size(self) -> int:
        return 1

    def barrier(self) -> None:
        """Every rank is here."""

    def broadcast(self, folder: str, name: str, value: float) -> None:
        """Makes `value` available to whoever receives `name` from `folder`."""
        write_json(Path(folder, f"{name}.json"), value)


def receive(folder: str, name: str, timeout: float) -> float:
    """The value broadcast as `name`, waited for. Raises TimeoutError after `timeout` seconds."""
    path = wait_for(Path(folder, f"{name}.json"), timeout)
    value: float = json.loads(path.read_text(encoding="utf-8"))
    return value


def wait_for(path: Path, timeout: float) -> Path:
    """`path`, once it exists. Raises TimeoutError after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while not path.exists():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{path} did not appear")
        time.sleep(0.02)
    return path


def write_json(path: Path, value: Any) -> None:
    """Writes the file so that it is complete as soon as it exists."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(value), encoding="utf-8")
    os.replace(unfinished, path)
