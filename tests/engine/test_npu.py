"""Ascend NPUs: what runs on one is the other files, with `--device npu`; this one says whether that was so.

Without an NPU the tests marked `npu` are skipped, for the reason that `devices.py` gives. That it gives the right one
is tested with fakes in the quick suite, and here with the real wheel.
"""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.engine.conftest import Way
from tests.engine.processes import environment
from tests.engine.trainers import assert_answers, train
from tests.helpers.commands import PROJECT, run

PROGRAM = PROJECT / "tests/engine/devices.py"


@pytest.mark.npu
def test_vllm_is_on_the_npu(tmp_path: Path) -> None:
    program = "from vllm.platforms import current_platform; print('device:', current_platform.device_type)"
    done = run(sys.executable, "-c", program, cwd=tmp_path, env=environment())
    assert "device: npu" in done.out.splitlines(), done.out + done.err


@pytest.mark.npu
def test_an_update_between_npus(ways: dict[str, Way], address: str, model: Path, tmp_path: Path) -> None:
    trained = train(ways["fix"], address, model, tmp_path, "--steps", "1", "--verify", "--device", "npu")
    assert trained.code == 0, trained.text
    [served] = [line["served"] for line in trained.lines if "served" in line]
    [expected] = [line["reference"] for line in trained.lines if "reference" in line]
    assert served == expected
    assert_answers(address)


@pytest.mark.skipif(find_spec("torch_npu") is not None, reason="torch_npu is installed here")
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the wheel for this machine is not asked for")
def test_the_real_wheel_without_cann(tmp_path: Path) -> None:
    """In a folder of its own, which is thrown away: beside this torch it would keep it from being imported."""
    release = version("torch").partition("+")[0]
    wheel = ("--no-deps", "--target", "packages", f"torch-npu=={release}")
    installed = run(sys.executable, "-m", "pip", "install", "--quiet", *wheel, cwd=tmp_path)
    assert installed.code == 0, installed.err
    env = {"PYTHONPATH": str(tmp_path / "packages")}

    bare = run(sys.executable, "-c", "import torch", cwd=tmp_path, env=env)
    assert bare.code == 1
    assert "libhccl.so" in bare.err

    said = run(sys.executable, PROGRAM, cwd=tmp_path, env=env)
    assert said.code == 1, said.err
    assert said.out.startswith("torch_npu without CANN: it is installed, but does not import (ImportError: libhccl.so")
    with pytest.raises(PackageNotFoundError):
        version("torch_npu")
