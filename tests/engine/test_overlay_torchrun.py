"""The overlay under torchrun: each rank is a process that torchrun starts, and each is patched."""

from __future__ import annotations

import json
from pathlib import Path

from tests.engine.conftest import Way
from tests.engine.processes import RUN, process, read

PROGRAM = """\
import inspect
import json
import sys

import torch.distributed as dist
from tinyrl import fsdp_engine

dist.init_process_group("gloo")
source = inspect.getsource(fsdp_engine.FSDPEngine._update_weights_from_disk)
said = [None] * dist.get_world_size()
dist.all_gather_object(said, "finally:" in source)
if dist.get_rank() == 0:
    print(json.dumps(said))
dist.destroy_process_group()
"""
LOGGED = "pause-lint: tinyrl.fsdp_engine: FSDPEngine._update_weights_from_disk is patched to resume whatever happens"


def torchrun(way: Way, folder: Path) -> tuple[list[bool], str]:
    """For each rank, whether what it imports has a cleanup; and everything that was written."""
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    log = folder / "ranks.log"
    options = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", folder / "program.py")
    env = way.env
    env["PYTHONPATH"] += f":{way.tree}"
    with process(*options, cwd=folder, log=log, env=env) as running:
        assert running.wait(RUN) == 0, read(log)
    [line] = [line for line in read(log).splitlines() if line.startswith("[")]
    said: list[bool] = json.loads(line)
    return said, read(log)


def test_both_ranks_are_patched(ways: dict[str, Way], tmp_path: Path) -> None:
    for _ in ("anew", "from the cache"):
        said, log = torchrun(ways["overlay"], tmp_path)
        assert said == [True, True]
        assert log.count(LOGGED) == 2, log


def test_switched_off_neither_is(ways: dict[str, Way], tmp_path: Path) -> None:
    way = ways["overlay"]
    (tmp_path / "off").mkdir()
    said, log = torchrun(Way(way.tree), tmp_path / "off")
    assert said == [False, False]
    assert "pause-lint" not in log
