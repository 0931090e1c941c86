"""Which device the tests of the real engine run on: an Ascend NPU if one is really there, the CPU otherwise.

    python tests/engine/devices.py

says what was found, and exits 0 if there is an NPU. Standard library only: it has to run where nothing else does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from typing import NamedTuple

PATIENCE = 120.0
"""Seconds for torch and its backend to be imported."""

PROBE = "import torch, torch_npu; print('npus:', torch.npu.is_available() and torch.npu.device_count())"


class Found(NamedTuple):
    """npus: how many there are. reason: what keeps the tests from running on one, if there is none."""

    npus: int
    reason: str


def npus() -> Found:
    """Looks for NPUs.

    That torch_npu is installed says little: without CANN it does not import, and takes `import torch` along. So it is
    imported in a process of its own, in which torch does not load it by itself.
    """
    if find_spec("torch_npu") is None:
        return Found(0, "no torch_npu: it is not installed for this Python")
    environment = {**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    try:
        done = subprocess.run(
            [sys.executable, "-c", PROBE],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        return Found(0, f"torch_npu is installed, but is not imported within {PATIENCE:.0f} seconds")
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["no word"]
        return Found(0, f"torch_npu without CANN: it is installed, but does not import ({said[-1]})")
    counted = [line for line in done.stdout.decode(errors="replace").splitlines() if line.startswith("npus: ")]
    number = counted[-1].removeprefix("npus: ") if counted else "0"
    if not number.isdecimal() or number == "0":
        return Found(0, "no device: torch_npu imports, but sees no NPU")
    return Found(int(number), "")


def main() -> int:
    """Says what was found; returns the exit code."""
    found = npus()
    print(found.reason or f"{found.npus} NPU{'s' if found.npus > 1 else ''}")
    return 0 if found.npus else 1


if __name__ == "__main__":
    raise SystemExit(main())
