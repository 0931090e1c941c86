"""vLLM's engine in a process, with the methods that the example's server calls."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import json
from pathlib import Path
from typing import Any

from fastapi import HTTPException
from vllm import SamplingParams
from vllm.engine.arg_utils import AsyncEngineArgs
from vllm.v1.engine.async_llm import AsyncLLM

from .model import LENGTH

LONGEST = 4096


def start(model: Path, device: str) -> AsyncLLM:
    """vLLM's engine with the model in a folder."""
    # On an NPU the trainer needs room as well.
    given: dict[str, Any] = {"gpu_memory_utilization": 0.3} if device == "npu" else {"dtype": "float32"}
    return AsyncLLM.from_engine_args(
        AsyncEngineArgs(
            model=str(model),
            max_model_len=LONGEST,
            max_num_seqs=8,
            enforce_eager=True,
            enable_prefix_caching=False,
            worker_extension_cls="tests.engine.programs.worker.Extension",
            **given,
        )
    )


class Adapter:
    """Stands in for the example's engine; keeps what is in flight over a pause, as the example's does.

    pause_after, load_after: seconds that a pause and the loading after it are late, for tests of what goes wrong.
    """

    def __init__(self, engine: AsyncLLM) -> None:
        self.engine = engine
        self.running = True
        self.pause_after = 0.0
        self.load_after = 0.0
        self.loads = 0
        self._numbers = itertools.count()

    async def is_paused(self) -> bool:
        """What vLLM itself says."""
        return bool(await self.engine.is_paused())

    async def pause_generation(self) -> None:
        """Requests wait from now on."""
        await asyncio.sleep(self.pause_after)
        await pause(self.engine, "keep")
        self.running = False

    async def resume_generation(self) -> None:
        """Requests are answered again."""
        await self.engine.resume_generation()
        self.running = True

    async def generate(self, prompt: str) -> list[int]:
        """The tokens of the answer. Waits for as long as generation is paused."""
        return (await generate(self.engine, prompt, f"rollout-{next(self._numbers)}"))[0]

    async def load(self, folder: str) -> None:
        """Takes the weights of a checkpoint. What is no checkpoint is refused before a weight is touched."""
        await asyncio.sleep(self.load_after)
        kind = await asyncio.to_thread(_kind, Path(folder))
        if kind != "qwen2":
            raise HTTPException(400, f"the engine serves no {kind}")
        await self.engine.collective_rpc("take_checkpoint", args=(folder,))
        self.loads += 1


def _kind(folder: Path) -> str:
    """Which architecture a checkpoint is of."""
    return str(json.loads((folder / "config.json").read_text(encoding="utf-8"))["model_type"])


async def pause(engine: AsyncLLM, mode: str) -> None:
    """Pauses; earlier releases know no modes: there, what is in flight is ended or waited for."""
    if "mode" in inspect.signature(engine.pause_generation).parameters:
        arguments: dict[str, Any] = {"mode": mode}
    else:
        arguments = {"wait_for_inflight_requests": mode != "abort"}
    await engine.pause_generation(**arguments)


async def generate(engine: AsyncLLM, prompt: str, name: str, length: int = LENGTH) -> tuple[list[int], str | None]:
    """The tokens that come after `prompt`, the likeliest ones, and why there are no more."""
    last = None
    parameters = SamplingParams(temperature=0, max_tokens=length, ignore_eos=True)
    async for output in engine.generate({"prompt": prompt}, parameters, name):
        last = output
    assert last is not None
    [only] = last.outputs
    return list(only.token_ids), only.finish_reason
