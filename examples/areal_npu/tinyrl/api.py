"""What trainers, clients and backends agree on."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Protocol

Model = dict[str, float]
"""The weights: one number a parameter."""


@dataclass(frozen=True)
class WeightUpdate:
    """One transfer of weights: how (`disk`, `distributed` or `shards`), through which folder, and which version."""

    mode: str
    path: str
    version: int
    lora_name: str | None = None


@dataclass(frozen=True)
class HttpRequest:
    """What is sent to every server."""

    endpoint: str
    payload: dict[str, Any] = field(default_factory=dict)


class Backend(Protocol):
    """The endpoints of one kind of inference server."""

    def build_disk_requests(self, update: WeightUpdate) -> list[HttpRequest]: ...

    def build_distributed_requests(self, update: WeightUpdate, names: Sequence[str]) -> list[HttpRequest]: ...

    def build_shard_requests(self, update: WeightUpdate) -> list[HttpRequest]: ...

    def pause_request(self) -> HttpRequest: ...

    def resume_request(self) -> HttpRequest: ...


class InferenceEngine(abc.ABC):
    """What a trainer sees of the servers that make its rollouts."""

    @abc.abstractmethod
    def generate(self, prompt: str) -> dict[str, Any]:
        """The answer of a server; waits while generation is paused."""

    @abc.abstractmethod
    def update_weights_from_disk(self, update: WeightUpdate) -> Future[float]:
        """Has the servers load a checkpoint as soon as its weights are there; the result is how long that took."""

    @abc.abstractmethod
    def update_weights_from_distributed(self, update: WeightUpdate, names: Sequence[str]) -> Future[None]:
        """Has the servers receive the parameters named."""

    @abc.abstractmethod
    def update_weights_from_shards(self, update: WeightUpdate) -> Future[None]:
        """Has the servers put shards together that are all there."""

    @abc.abstractmethod
    def pause_generation(self) -> None:
        """Requests wait from now on."""

    @abc.abstractmethod
    def continue_generation(self) -> None:
        """Requests are answered again. Harmless if they were all along."""
