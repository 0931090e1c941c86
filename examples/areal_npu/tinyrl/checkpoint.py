"""A model on disk: the weights first, then what goes with them."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from .api import Model
from .distributed import write_json

WEIGHTS = "weights.json"
COMPLETE = "complete.json"


class Tokenizer(Protocol):
    """Saved beside every model."""

    def save(self, folder: str) -> None: ...


class CharacterTokenizer:
    """A token a character."""

    def save(self, folder: str) -> None:
        write_json(Path(folder, "tokenizer.json"), {"kind": "character"})


def save_model(folder: str, model: Model, tokenizer: Tokenizer) -> None:
    """Writes model and tokenizer. Raises OSError if the disk is full."""
    write_json(Path(folder, WEIGHTS), model)
    tokenizer.save(folder)


def mark_complete(folder: str, version: int) -> None:
    """Says, to whoever picks up checkpoints, that this one is whole."""
    write_json(Path(folder, COMPLETE), version)
