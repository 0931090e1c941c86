"""The inference engine as a trainer holds it: servers behind addresses, spoken to over HTTP."""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from .api import Backend, HttpRequest, InferenceEngine, WeightUpdate
from .checkpoint import WEIGHTS
from .distributed import wait_for


@cache
def get_executor() -> ProcessPoolExecutor:
    """Requests for weights are made elsewhere, so that training does not wait for the interpreter."""
    return ProcessPoolExecutor(max_workers=1, mp_context=multiprocessing.get_context("spawn"))


class RemoteEngine(InferenceEngine):
    """Speaks to servers of any kind, in the words of a backend. Waits `timeout` seconds for an answer."""

    def __init__(self, addresses: Sequence[str], backend: Backend, timeout: float) -> None:
        self.addresses = list(addresses)
        self.backend = backend
        self.timeout = timeout

    def generate(self, prompt: str) -> dict[str, Any]:
        answer = httpx.post(f"http://{self.addresses[0]}/generate", json={"prompt": prompt}, timeout=self.timeout)
        answer.raise_for_status()
        return answer.json()

    def update_weights_from_disk(self, update: WeightUpdate) -> Future[float]:
        if update.mode != "disk":
            raise ValueError("these weights are not on disk")
        return get_executor().submit(_update_weights_from_disk, self.backend, self.addresses, update, self.timeout)

    def update_weights_from_distributed(self, update: WeightUpdate, names: Sequence[str]) -> Future[None]:
        return get_executor().submit(
            _update_weights_from_distributed, self.backend, self.addresses, update, names, self.timeout
        )

    def update_weights_from_shards(self, update: WeightUpdate) -> Future[None]:
        return get_executor().submit(_update_weights_from_shards, self.backend, self.addresses, update, self.timeout)

    def pause_generation(self) -> None:
        self._ask_all(self.backend.pause_request())

    def continue_generation(self) -> None:
        self._ask_all(self.backend.resume_request())

    def _ask_all(self, request: HttpRequest) -> None:
        asyncio.run(_send([request], self.addresses, self.timeout))


# These run in the process pool.


def _update_weights_from_disk(backend: Backend, addresses: list[str], update: WeightUpdate, timeout: float) -> float:
    async def _load() -> float:
        await asyncio.to_thread(wait_for, Path(update.path, WEIGHTS), timeout)
        begun = time.monotonic()
        requests = backend.build_disk_requests(update)
        await _send(requests, addresses, timeout)
        return time.monotonic() - begun

    return asyncio.run(_load())


def _update_weights_from_distributed(
    backend: Backend, addresses: list[str], update: WeightUpdate, names: Sequence[str], timeout: float
) -> None:
    async def _receive() -> None:
        requests = backend.build_distributed_requests(update, names)
        await _send(requests, addresses, timeout)

    asyncio.run(_receive())


def _update_weights_from_shards(backend: Backend, addresses: list[str], update: WeightUpdate, timeout: float) -> None:
    requests = backend.build_shard_requests(update)
    asyncio.run(_send(requests, addresses, timeout))


async def _send(requests: Sequence[HttpRequest], addresses: Sequence[str], timeout: float) -> None:
    """One request after the other, each to all servers at once. Raises httpx.HTTPError if one of them fails."""
    async with httpx.AsyncClient(timeout=timeout) as client:
        for request in requests:
            answers = await asyncio.gather(
                *[client.post(f"http://{address}{request.endpoint}", json=request.payload) for address in addresses]
            )
            for answer in answers:
                answer.raise_for_status()
