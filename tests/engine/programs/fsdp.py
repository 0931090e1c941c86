"""A trainer with real FSDP2 around the example's `FSDPEngine`: updates through the disk, rollouts from a server.

`tests.engine.programs.train` runs it in the folder of the example, alone or under torchrun.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import shutil
import sys
import time
from collections import deque
from collections.abc import Mapping
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import torch
import torch.distributed as dist
from safetensors.torch import save_file
from tinyrl import fsdp_engine
from tinyrl.api import WeightUpdate
from tinyrl.checkpoint import WEIGHTS
from tinyrl.distributed import write_json
from tinyrl.vllm_remote import RemoteVLLMEngine
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.fsdp import fully_shard
from transformers import AutoTokenizer, Qwen2ForCausalLM

from .model import LENGTH, reference

AHEAD = 2
PROMPT = "why is there no answer"
ROUNDS = 8
"""Optimizer steps in each step of training: enough for the model to say something else afterwards."""
FAULTS = ("save", "future", "400", "half", "killed")


class Ranks:
    """The process group, as the example's engines see it."""

    def get_rank(self) -> int:
        """This process's number."""
        return int(dist.get_rank())

    def get_world_size(self) -> int:
        """How many there are."""
        return int(dist.get_world_size())

    def barrier(self) -> None:
        """Waits for every rank."""
        dist.barrier()


class Files:
    """What is saved beside the weights."""

    def __init__(self, model: Path) -> None:
        self.model = model

    def save(self, folder: str) -> None:
        """Copies the tokenizer."""
        for path in self.model.glob("tokenizer*"):
            shutil.copy(path, folder)


class Trainer(fsdp_engine.FSDPEngine):  # type: ignore[misc]  # the example is found by its path
    """The example's engine; its model is real. steps: how many there were."""

    steps = 0

    def train_batch(self, reward: float) -> None:
        """Teaches the model to say one token over and over, another one in each step."""
        self.steps += 1
        token = 40 + 23 * self.steps
        tokens = torch.tensor([[*self.prompt, *[token] * LENGTH]], device=self.device)
        labels = tokens.clone()
        labels[:, : len(self.prompt)] = -100
        optimizer = torch.optim.AdamW(self.model.parameters(), lr=0.02)
        for _ in range(ROUNDS):
            loss = self.model(input_ids=tokens, labels=labels).loss
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()

    def prepare(self, prompt: list[int], device: str) -> None:
        """prompt: what rollouts are made of."""
        self.prompt = prompt
        self.device = device


def main() -> int:
    """Trains; returns 1 if a rollout is not answered in time."""
    parser = argparse.ArgumentParser(prog="tests.engine.programs.train", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("address")
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True, help="where checkpoints go")
    parser.add_argument("--device", choices=["cpu", "npu"], default="cpu")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--patience", type=float, default=30.0, help="seconds to wait for a rollout")
    parser.add_argument("--update-patience", type=float, default=30.0, help="seconds to wait for an update")
    parser.add_argument("--verify", action="store_true", help="ask for a rollout right after each update")
    parser.add_argument("--fault", choices=FAULTS, help="what goes wrong in each update")
    options = parser.parse_args()

    device = begin(options.device)
    tokenizer = AutoTokenizer.from_pretrained(options.model)
    model = Qwen2ForCausalLM.from_pretrained(options.model, dtype=torch.float32).to(device)
    for layer in model.model.layers:
        fully_shard(layer)
    fully_shard(model)
    trainer = Trainer(model, Files(options.model), Ranks())
    trainer.prepare(tokenizer(PROMPT).input_ids, device)
    trainer.connect(RemoteVLLMEngine([options.address], timeout=options.update_patience))
    saved: dict[str, Any] = {}
    fsdp_engine.save_model = partial(save_model, options, saved)
    try:
        return train(trainer, options, saved)
    finally:
        sys.stdout.flush()
        dist.destroy_process_group()


def begin(kind: str) -> str:
    """Joins the process group; returns the device of this rank."""
    rank = int(os.environ.get("LOCAL_RANK", "0"))
    if kind == "npu":
        import torch_npu  # noqa: F401

        torch.npu.set_device(rank)
    backend = "hccl" if kind == "npu" else "gloo"
    if "RANK" in os.environ:
        dist.init_process_group(backend)
    else:
        dist.init_process_group(backend, store=dist.HashStore(), rank=0, world_size=1)
    return f"npu:{rank}" if kind == "npu" else "cpu"


def train(trainer: Trainer, options: argparse.Namespace, saved: Mapping[str, Any]) -> int:
    """Runs the steps, with rollouts made two ahead, as in the example; returns the exit code."""
    leads = dist.get_rank() == 0
    rollouts = RemoteVLLMEngine([options.address], timeout=options.patience)
    ahead: deque[Future[dict[str, Any]]] = deque()
    with ThreadPoolExecutor(max_workers=AHEAD) as threads:
        if leads:
            ahead.extend(threads.submit(rollouts.generate, PROMPT) for _ in range(AHEAD))
            for answer in ahead:
                answer.result()
        for step in range(1, options.steps + 1):
            if leads:
                try:
                    say(step=step, rollout=ahead.popleft().result()["value"])
                except httpx.TimeoutException:
                    say(step=step, rollout=None)
                    return 1
            trainer.train_batch(reward=1.0)
            try:
                trainer.update_weights(WeightUpdate("disk", str(options.folder / f"step-{step}"), version=step))
                outcome = None
            except (OSError, httpx.HTTPError, BrokenExecutor) as error:
                outcome = type(error).__name__
            if leads:
                say(step=step, update=outcome, reference=reference(options.model, saved, trainer.prompt))
                if options.verify:
                    say(step=step, served=rollouts.generate(PROMPT)["value"])
                ahead.append(threads.submit(rollouts.generate, PROMPT))
    # A rank that ends while another still has the group's connections open takes its threads down with it.
    dist.barrier()
    return 0


def save_model(options: argparse.Namespace, saved: dict[str, Any], folder: str, model: Any, tokenizer: Files) -> None:
    """Gathers the shards and writes them, the weights first, as the example does; then what is to go wrong does."""
    full = StateDictOptions(full_state_dict=True, cpu_offload=True)
    weights = get_model_state_dict(model, options=full)
    if dist.get_rank() != 0:
        return
    saved.update(weights)
    Path(folder).mkdir(parents=True)
    config = json.loads((options.model / "config.json").read_text(encoding="utf-8"))
    if options.fault == "400":
        config["model_type"] = "llama"
    if options.fault != "future":
        Path(folder, "config.json").write_text(json.dumps(config), encoding="utf-8")
    if options.fault == "half":
        weights = {**weights, "model.norm.weight": torch.ones(3)}  # which no engine can take
    save_file({name: tensor.contiguous() for name, tensor in weights.items()}, Path(folder, "model.safetensors"))
    write_json(Path(folder, WEIGHTS), sorted(weights))
    if options.fault in {"save", "killed"}:
        wait_for_pause(options.address)
        say(paused=True)
        if options.fault == "killed":
            time.sleep(600)  # until it is
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), f"{folder}/tokenizer.json")
    tokenizer.save(folder)


def wait_for_pause(address: str) -> None:
    """Returns when the server has begun to load."""
    deadline = time.monotonic() + 30
    while not httpx.get(f"http://{address}/is_paused", timeout=30).json()["is_paused"]:
        if time.monotonic() > deadline:
            raise TimeoutError("the server does not pause")
        time.sleep(0.02)


def say(**what: Any) -> None:
    """Prints a line for the test."""
    print(json.dumps(what), flush=True)
