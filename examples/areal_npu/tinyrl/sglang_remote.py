"""Servers that never pause by themselves; none of them is part of this tree."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from .api import HttpRequest, InferenceEngine, WeightUpdate
from .remote_engine import RemoteEngine


class SGLangBackend:
    def build_disk_requests(self, update: WeightUpdate) -> list[HttpRequest]:
        if update.lora_name is not None:
            name = f"{update.lora_name}-v{update.version}"
            return [HttpRequest(endpoint="/load_lora_adapter", payload={"lora_name": name, "lora_path": update.path})]
        return [HttpRequest(endpoint="/update_weights_from_disk", payload={"model_path": update.path})]

    def build_distributed_requests(self, update: WeightUpdate, names: Sequence[str]) -> list[HttpRequest]:
        if update.lora_name is not None:
            raise ValueError("adapters go through the disk")
        return [HttpRequest(endpoint="/update_weights_from_distributed", payload={"names": list(names)})]

    def build_shard_requests(self, update: WeightUpdate) -> list[HttpRequest]:
        return [HttpRequest(endpoint="/update_weights_from_disk", payload={"model_path": update.path, "sharded": True})]

    def pause_request(self) -> HttpRequest:
        return HttpRequest(endpoint="/pause_generation")

    def resume_request(self) -> HttpRequest:
        return HttpRequest(endpoint="/continue_generation")


class RemoteSGLangEngine(InferenceEngine):
    """Hands everything on."""

    def __init__(self, addresses: Sequence[str], timeout: float = 30.0) -> None:
        self._engine = RemoteEngine(addresses, SGLangBackend(), timeout)

    def generate(self, prompt: str) -> dict[str, Any]:
        return self._engine.generate(prompt)

    def update_weights_from_disk(self, update: WeightUpdate) -> Future[float]:
        return self._engine.update_weights_from_disk(update)

    def update_weights_from_distributed(self, update: WeightUpdate, names: Sequence[str]) -> Future[None]:
        return self._engine.update_weights_from_distributed(update, names)

    def update_weights_from_shards(self, update: WeightUpdate) -> Future[None]:
        return self._engine.update_weights_from_shards(update)

    def pause_generation(self) -> None:
        return self._engine.pause_generation()

    def continue_generation(self) -> None:
        return self._engine.continue_generation()
