"""Servers of the kind in `server.py`."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from .api import HttpRequest, InferenceEngine, WeightUpdate
from .remote_engine import RemoteEngine


class VLLMBackend:
    def build_disk_requests(self, update: WeightUpdate) -> list[HttpRequest]:
        if update.lora_name is not None:
            endpoint = "/v1/load_lora_adapter"
            payload = {"lora_name": f"{update.lora_name}-v{update.version}", "lora_path": update.path}
        else:
            endpoint = "/areal_update_weights"
            payload = {"model_path": update.path}
        return [HttpRequest(endpoint=endpoint, payload=payload)]

    def build_distributed_requests(self, update: WeightUpdate, names: Sequence[str]) -> list[HttpRequest]:
        payload = {"folder": update.path, "names": list(names)}
        if update.lora_name is not None:
            payload["lora_name"] = update.lora_name
            endpoint = "/areal_update_weights_lora_xccl"
        else:
            endpoint = "/areal_update_weights_xccl"
        return [HttpRequest(endpoint=endpoint, payload=payload)]

    def build_shard_requests(self, update: WeightUpdate) -> list[HttpRequest]:
        return [HttpRequest(endpoint="/areal_update_weights_shards", payload={"model_path": update.path})]

    def pause_request(self) -> HttpRequest:
        return HttpRequest(endpoint="/areal_pause_generation")

    def resume_request(self) -> HttpRequest:
        return HttpRequest(endpoint="/areal_continue_generation")


class RemoteVLLMEngine(InferenceEngine):
    """Hands everything on."""

    def __init__(self, addresses: Sequence[str], timeout: float = 30.0) -> None:
        self._engine = RemoteEngine(addresses, VLLMBackend(), timeout)

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
