"""Three steps of training against a server, with rollouts made two steps ahead.

    python -m tinyrl.train 127.0.0.1:8000 --folder FOLDER

Exits 1 if a rollout is not answered in time.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

from .api import InferenceEngine, WeightUpdate
from .checkpoint import CharacterTokenizer, Tokenizer
from .distributed import SingleProcess
from .fsdp_engine import FSDPEngine
from .megatron_engine import MegatronEngine
from .vllm_remote import RemoteVLLMEngine

ENGINES = {"fsdp": FSDPEngine, "megatron": MegatronEngine}
MODES = ("disk", "distributed", "shards")
STEPS = 3
AHEAD = 2
PROMPT = "why"


class FullDisk:
    """A tokenizer for which there is no room left. Finds out when the server has begun to load, not before."""

    def __init__(self, address: str) -> None:
        self.address = address

    def save(self, folder: str) -> None:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and httpx.get(f"http://{self.address}/health").json()["running"]:
            time.sleep(0.02)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), f"{folder}/tokenizer.json")


def train(trainer: FSDPEngine | MegatronEngine, rollouts: InferenceEngine, mode: str, folder: Path) -> int:
    """Runs the steps; returns the exit code."""
    trainer.connect(rollouts)
    with ThreadPoolExecutor(max_workers=AHEAD) as threads:
        ahead: deque[Future[dict[str, Any]]] = deque(threads.submit(rollouts.generate, PROMPT) for _ in range(AHEAD))
        for answer in ahead:
            answer.result()
        for step in range(1, STEPS + 1):
            try:
                ahead.popleft().result()
            except httpx.TimeoutException:
                print(f"step {step}: the rollout is not answered", flush=True)
                return 1
            print(f"step {step}: the rollout is answered", flush=True)
            trainer.train_batch(reward=1.0)
            try:
                trainer.update_weights(WeightUpdate(mode, str(folder / f"step-{step}"), version=step))
            except OSError as error:
                print(f"step {step}: the update fails: {error.strerror}", flush=True)
            ahead.append(threads.submit(rollouts.generate, PROMPT))
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tinyrl.train")
    parser.add_argument("address", help="host:port of the server")
    parser.add_argument("--folder", type=Path, required=True, help="where checkpoints go")
    parser.add_argument("--engine", choices=ENGINES, default="fsdp")
    parser.add_argument("--mode", choices=MODES, default="disk", help="how new weights reach the server")
    parser.add_argument("--patience", type=float, default=3.0, help="how long to wait for an answer, in seconds")
    parser.add_argument("--disk-full", action="store_true", help="every save fails half-way")
    options = parser.parse_args()

    model = {"embedding": 0.0, "layer.0.experts.0": 0.0, "layer.0.experts.1": 0.0}
    tokenizer: Tokenizer = FullDisk(options.address) if options.disk_full else CharacterTokenizer()
    trainer = ENGINES[options.engine](model, tokenizer, SingleProcess())
    rollouts = RemoteVLLMEngine([options.address], timeout=options.patience)
    return train(trainer, rollouts, options.mode, options.folder)


if __name__ == "__main__":
    sys.exit(main())
