"""The inference engine inside the server: answers from its weights, unless it is paused."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

from .api import Model
from .checkpoint import WEIGHTS
from .distributed import receive

RECEIVE_TIMEOUT = 10.0
"""Seconds to wait for a parameter that was announced."""


class LLM:
    def __init__(self) -> None:
        self.weights: Model = {}
        self.adapters: dict[str, Model] = {}
        self._running = asyncio.Event()
        self._running.set()

    @property
    def running(self) -> bool:
        return self._running.is_set()

    async def pause_generation(self) -> None:
        self._running.clear()

    async def resume_generation(self) -> None:
        self._running.set()

    async def generate(self, prompt: str) -> float:
        """A number that tells which weights made it. Waits for as long as generation is paused."""
        await self._running.wait()
        return len(prompt) * sum(self.weights.values())

    async def load(self, folder: str) -> None:
        """Takes the weights of a checkpoint."""
        self.weights = await asyncio.to_thread(_read, Path(folder, WEIGHTS))

    async def load_shards(self, folder: str) -> None:
        """Takes the weights that lie in several files."""
        self.weights = await asyncio.to_thread(_read_shards, Path(folder))

    async def receive(self, folder: str, names: Sequence[str]) -> None:
        """Takes the parameters named as they are broadcast."""
        for name in names:
            self.weights[name] = await asyncio.to_thread(receive, folder, name, RECEIVE_TIMEOUT)

    async def load_adapter(self, name: str, folder: str) -> None:
        """Keeps an adapter beside the weights."""
        self.adapters[name] = await asyncio.to_thread(_read, Path(folder, WEIGHTS))


def _read(path: Path) -> Model:
    weights: Model = json.loads(path.read_text(encoding="utf-8"))
    return weights


def _read_shards(folder: Path) -> Model:
    weights: Model = {}
    for path in sorted(folder.glob("shard-*.json")):
        weights |= _read(path)
    return weights
