"""An update of AReaL's own `FSDPEngine`, through the disk, to a server with AReaL's own extension.

    python -m tests.engine.programs.areal_train ADDRESS --model FOLDER --folder CHECKPOINTS [--disk-full]

Rollouts are made by AReaL's client, before and after. It prints a line of JSON for everything that happens.
"""

from __future__ import annotations

import argparse
import asyncio
import errno
import inspect
import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

PROMPT = "why is there no answer"
LENGTH = 8
ROUNDS = 8


def main() -> None:
    """Does it. Ends at once when it is done: after a failed save, AReaL's request waits two minutes more."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("address")
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True, help="where checkpoints go")
    parser.add_argument("--patience", type=float, default=30.0, help="seconds to wait for the rollout after the update")
    parser.add_argument("--token", type=int, default=201, help="what the model learns to say")
    parser.add_argument("--disk-full", action="store_true", help="the save raises")
    options = parser.parse_args()
    try:
        train(options)
    except BaseException:
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
        os._exit(2)
    sys.stdout.flush()
    os._exit(0)


def train(options: argparse.Namespace) -> None:
    """A rollout, an optimizer step, an update, a rollout."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    alone = {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    os.environ.update(alone)
    from areal.api import FinetuneSpec, WeightUpdateMeta
    from areal.api.cli_args import (
        FSDPEngineConfig,
        FSDPWrapPolicy,
        InferenceEngineConfig,
        NameResolveConfig,
        OptimizerConfig,
        TrainEngineConfig,
    )
    from areal.engine.fsdp_engine import FSDPEngine
    from areal.engine.vllm_remote import RemotevLLMEngine
    from areal.utils import name_resolve

    name_resolve.reconfigure(NameResolveConfig(nfs_record_root=str(options.folder / "names")))
    trial: dict[str, Any] = {"experiment_name": "engine", "trial_name": "test"}
    trainer = FSDPEngine(
        TrainEngineConfig(
            **trial,
            path=str(options.model),
            dtype="float32",
            grad_reduce_dtype="float32",
            attn_impl="sdpa",
            backend="fsdp:d1",
            optimizer=OptimizerConfig(lr=0.02, weight_decay=0.0, warmup_steps_proportion=0.0),
            # Recent transformers do not name the class themselves in the way that AReaL looks for.
            fsdp=FSDPEngineConfig(wrap_policy=FSDPWrapPolicy(transformer_layer_cls_to_wrap=["Qwen2DecoderLayer"])),
        )
    )
    trainer.create_process_group()
    trainer.initialize(None, FinetuneSpec(total_train_epochs=1, dataset_size=64, train_batch_size=1))
    rollouts = RemotevLLMEngine(
        InferenceEngineConfig(**trial, backend="vllm:d1", tokenizer_path=str(options.model), request_retries=1)
    )
    rollouts.initialize(addr=options.address)
    meta = WeightUpdateMeta(type="disk", path=str(options.folder / "update"), clear_checkpoint_after_load=False)
    trainer.connect_engine(rollouts, meta)
    say(resumes_whatever_happens=has_cleanup(FSDPEngine))

    prompt = trainer.tokenizer(PROMPT).input_ids
    say(before=generate(rollouts, prompt, 60.0))
    learn(trainer, prompt, options.token)
    if options.disk_full:
        trainer._save_model_to_hf = full_disk
    try:
        trainer.update_weights(meta)
        say(update=None)
    except OSError as error:
        say(update=error.errno)
    say(after=generate(rollouts, prompt, options.patience), reference=reference(trainer, prompt))


def has_cleanup(engine: Any) -> bool:
    """Whether the disk path of this AReaL has a cleanup, for what `inspect` shows of it."""
    return "finally:" in inspect.getsource(engine._update_weights_from_disk)


def full_disk(path: str, tokenizer: Any, processor: Any) -> None:
    """A save for which there is no room."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)


def learn(trainer: Any, prompt: list[int], token: int) -> None:
    """Steps of AReaL's optimizer: afterwards the model says one token over and over."""
    import torch

    tokens = torch.tensor([[*prompt, *[token] * LENGTH]])
    labels = tokens.clone()
    labels[:, : len(prompt)] = -100
    for _ in range(ROUNDS):
        # AReaL's forward passes name all positions, as its batches are packed.
        output = trainer.model(input_ids=tokens, position_ids=torch.arange(tokens.shape[1])[None], labels=labels)
        output.loss.backward()
        for group in trainer.optimizer.param_groups:
            group["lr"] = 0.02
        trainer.optimizer.step()
        trainer.optimizer.zero_grad()


def reference(trainer: Any, prompt: list[int]) -> list[int]:
    """What the trained model says, in plain torch."""
    from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict

    from .model import reference as answer

    weights = get_model_state_dict(trainer.model, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
    return answer(Path(trainer.config.path), weights, prompt)


def generate(rollouts: Any, prompt: list[int], patience: float) -> list[int] | None:
    """A rollout by AReaL's client; None if there is no answer in time."""
    from areal.api import ModelRequest
    from areal.api.cli_args import GenerationHyperparameters

    wanted = GenerationHyperparameters(max_new_tokens=LENGTH, greedy=True, ignore_eos=True)

    async def ask() -> list[int] | None:
        try:
            answer = await asyncio.wait_for(
                rollouts.agenerate(ModelRequest(input_ids=prompt, gconfig=wanted)), patience
            )
        except TimeoutError:
            return None
        return list(answer.output_tokens)

    return asyncio.run(ask())


def say(**what: Any) -> None:
    """Prints a line for the test."""
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    main()
