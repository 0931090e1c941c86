"""Training with sharded data parallelism: three ways to hand new weights to the inference engine."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

from .api import InferenceEngine, Model, WeightUpdate
from .checkpoint import Tokenizer, mark_complete, save_model
from .distributed import SingleProcess, write_json

BUCKET = 2
"""Parameters sent at a time."""


class FSDPEngine:
    def __init__(self, model: Model, tokenizer: Tokenizer, distributed: SingleProcess) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.dist = distributed
        self.rollout_engine: InferenceEngine | None = None

    def connect(self, rollout_engine: InferenceEngine) -> None:
        self.rollout_engine = rollout_engine

    def train_batch(self, reward: float) -> None:
        for name in self.model:
            self.model[name] += reward

    def update_weights(self, update: WeightUpdate) -> None:
        if update.mode == "disk":
            self._update_weights_from_disk(update)
        elif update.mode == "distributed":
            self._update_weights_from_distributed(update)
        elif update.mode == "shards":
            self._update_weights_from_shards(update)
        else:
            raise ValueError(f"no such way to update weights: {update.mode}")

    def _update_weights_from_disk(self, update: WeightUpdate) -> None:
        loaded: Future[float] = Future()

        if self.dist.get_rank() == 0:
            loaded = self.rollout_engine.update_weights_from_disk(update)

        # The servers read the weights while the rest of the checkpoint is written.
        save_model(update.path, self.model, self.tokenizer)

        if self.dist.get_rank() == 0:
            mark_complete(update.path, update.version)
            loaded.result()

        self.dist.barrier()

    def _update_weights_from_distributed(self, update: WeightUpdate) -> None:
        if self.dist.get_rank() == 0:
            self.rollout_engine.pause_generation()

        self.dist.barrier()

        for bucket in self._buckets():
            # All ranks take part in putting a bucket together, one of them sends it.
            if self.dist.get_rank() != 0:
                continue
            self._send_bucket(update, bucket)

        self.dist.barrier()

        if self.dist.get_rank() == 0:
            self.rollout_engine.continue_generation()

        self.dist.barrier()

    def _update_weights_from_shards(self, update: WeightUpdate) -> None:
        if self.dist.get_rank() == 0:
            self.rollout_engine.pause_generation()

        self.dist.barrier()

        rank, ranks = self.dist.get_rank(), self.dist.get_world_size()
        own = dict(list(self.model.items())[rank::ranks])
        write_json(Path(update.path, f"shard-{rank}-of-{ranks}.json"), own)

        self.dist.barrier()

        if self.dist.get_rank() == 0:
            self.rollout_engine.update_weights_from_shards(update).result()
            self.rollout_engine.continue_generation()

        self.dist.barrier()

    def _buckets(self) -> Iterator[Model]:
        names = list(self.model)
        for start in range(0, len(names), BUCKET):
            yield {name: self.model[name] for name in names[start : start + BUCKET]}

    def _send_bucket(self, update: WeightUpdate, bucket: Model) -> None:
        received = self.rollout_engine.update_weights_from_distributed(update, list(bucket))
        for name, value in bucket.items():
            self.dist.broadcast(update.path, name, value)
        received.result()
