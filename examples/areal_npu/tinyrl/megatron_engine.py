"""Training with model parallelism, where experts travel apart from the other parameters."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path

from .api import InferenceEngine, Model, WeightUpdate
from .checkpoint import Tokenizer, mark_complete, save_model
from .distributed import SingleProcess, write_json


class MegatronEngine:
    def __init__(self, model: Model, tokenizer: Tokenizer, distributed: SingleProcess) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.dist = distributed
        self.rollout_engine: InferenceEngine | None = None

    def connect(self, rollout_engine: InferenceEngine) -> None:
        self.rollout_engine = rollout_engine

    def train_batch(self, reward: float) -> None:
        self.model.update({name: value + reward for name, value in self.model.items()})

    def update_weights(self, update: WeightUpdate) -> None:
        if update.mode == "distributed":
            self._update_weights_from_distributed(update)
        elif update.mode == "shards":
            self._update_weights_from_shards(update)
        elif update.mode == "disk":
            self._update_weights_from_disk(update)
        else:
            raise ValueError(f"no such way to update weights: {update.mode}")

    def _update_weights_from_distributed(self, update: WeightUpdate) -> None:
        if self.dist.get_rank() == 0:
            self.rollout_engine.pause_generation()

        self.dist.barrier()

        dense = [name for name in self.model if ".experts." not in name]
        if dense:
            self._send(update, dense)

        self.dist.barrier()

        experts = [name for name in self.model if ".experts." in name]
        if experts:
            self._send(update, experts)

        self.dist.barrier()

        if self.dist.get_rank() == 0:
            self.rollout_engine.continue_generation()

        self.dist.barrier()

    def _update_weights_from_shards(self, update: WeightUpdate) -> None:
        if not self.model:
            raise RuntimeError("there are no weights to send")

        if self.dist.get_rank() == 0:
            self.rollout_engine.pause_generation()

        self.dist.barrier()

        assembled = None
        rank, ranks = self.dist.get_rank(), self.dist.get_world_size()
        write_json(Path(update.path, f"shard-{rank}-of-{ranks}.json"), self._stage(rank, ranks))
        self.dist.barrier()
        if self.dist.get_rank() == 0:
            assembled = self.rollout_engine.update_weights_from_shards(update)

        self.dist.barrier()

        if self.dist.get_rank() == 0 and assembled is not None:
            assembled.result()
            self.rollout_engine.continue_generation()
        elif self.dist.get_rank() == 0:
            self.rollout_engine.continue_generation()

        self.dist.barrier()

    def _update_weights_from_disk(self, update: WeightUpdate) -> None:
        loaded: Future[float] = Future()

        if self.dist.get_rank() == 0:
            loaded = self.rollout_engine.update_weights_from_disk(update)

        save_model(update.path, self.model, self.tokenizer)

        if self.dist.get_rank() == 0:
            mark_complete(update.path, update.version)
            loaded.result()

        self.dist.barrier()

    def _stage(self, rank: int, ranks: int) -> Model:
        """The parameters of one stage of the pipeline: as many consecutive ones as the others have."""
        names = list(self.model)
        size = -(-len(names) // ranks)
        return {name: self.model[name] for name in names[rank * size : (rank + 1) * size]}

    def _send(self, update: WeightUpdate, names: list[str]) -> None:
        """Has the head of the pipeline send these parameters."""
        if self.dist.get_rank() != 0:
            return
        received = self.rollout_engine.update_weights_from_distributed(update, names)
        for name in names:
            self.dist.broadcast(update.path, name, self.model[name])
        received.result()
