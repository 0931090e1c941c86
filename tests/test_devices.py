"""What the tests of the real engine say of the machine they run on, for each state that it can be in."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.helpers.commands import PROJECT, Done, run

PROGRAM = PROJECT / "tests/engine/devices.py"

TORCH = """\
import os

if os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD", "1") == "1":
    import torch_npu


class npu:
    is_available = staticmethod(lambda: {available})
    device_count = staticmethod(lambda: {count})
"""
WITHOUT_CANN = 'raise ImportError("libhccl.so: cannot open shared object file: No such file or directory")\n'


def detect(folder: Path, *, backend: str | None, available: bool = False, count: int = 0) -> Done:
    """What is said where torch and, if it is given, torch_npu are these."""
    (folder / "torch.py").write_text(TORCH.format(available=available, count=count), encoding="utf-8")
    if backend is not None:
        (folder / "torch_npu.py").write_text(backend, encoding="utf-8")
    # Without site-packages, so that no real torch_npu is found.
    return run(sys.executable, "-S", PROGRAM, cwd=folder, env={"PYTHONPATH": str(folder)})


def test_no_torch_npu(tmp_path: Path) -> None:
    done = detect(tmp_path, backend=None)
    assert (done.code, done.out) == (1, "no torch_npu: it is not installed for this Python\n")


def test_torch_npu_without_cann(tmp_path: Path) -> None:
    done = detect(tmp_path, backend=WITHOUT_CANN)
    assert done.code == 1
    assert done.out == (
        "torch_npu without CANN: it is installed, but does not import "
        "(ImportError: libhccl.so: cannot open shared object file: No such file or directory)\n"
    )


@pytest.mark.parametrize("available, count", [(False, 0), (True, 0), (False, 1)])
def test_no_device(tmp_path: Path, available: bool, count: int) -> None:
    done = detect(tmp_path, backend="", available=available, count=count)
    assert (done.code, done.out) == (1, "no device: torch_npu imports, but sees no NPU\n")


@pytest.mark.parametrize("count, said", [(1, "1 NPU\n"), (8, "8 NPUs\n")])
def test_there_it_is(tmp_path: Path, count: int, said: str) -> None:
    done = detect(tmp_path, backend='print("a word of welcome")\n', available=True, count=count)
    assert (done.code, done.out) == (0, said)
