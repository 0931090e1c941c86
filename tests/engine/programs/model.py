"""The model of the tests: two layers and a tokenizer, made on the spot, so that nothing is fetched.

    python -m tests.engine.programs.model FOLDER

Needs torch, transformers and tokenizers.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

VOCABULARY = 320
LENGTH = 8
"""Tokens in an answer."""
TEXT = ["the engine is paused", "the engine goes on", "new weights for the engine", "why is there no answer"]


def make(folder: Path) -> None:
    """Saves a model with random weights, and a tokenizer that was trained on a few sentences."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, initial_alphabet=alphabet, special_tokens=["<eos>"])
    tokenizer.train_from_iterator(TEXT * 4, trainer)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<eos>", pad_token="<eos>").save_pretrained(folder)
    torch.manual_seed(0)
    # Heads of 32: vLLM on the CPU has no attention for smaller ones.
    config = Qwen2Config(
        vocab_size=VOCABULARY,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=4096,
        tie_word_embeddings=False,
    )
    Qwen2ForCausalLM(config).save_pretrained(folder)


def answer(model: Any, prompt: list[int], length: int = LENGTH) -> list[int]:
    """What the model says after `prompt`, token by token the likeliest one: no engine, no cache, plain torch."""
    tokens = list(prompt)
    with torch.no_grad():
        for _ in range(length):
            logits = model(input_ids=torch.tensor([tokens]), use_cache=False).logits
            tokens.append(int(logits[0, -1].argmax()))
    return tokens[len(prompt) :]


def reference(folder: Path, weights: Mapping[str, Any], prompt: list[int]) -> list[int]:
    """What a model like the one in `folder`, with these weights, says after `prompt`."""
    model = Qwen2ForCausalLM(Qwen2Config.from_pretrained(folder)).to(torch.float32)
    model.load_state_dict({name: tensor.to(torch.float32) for name, tensor in weights.items()})
    return answer(model.eval(), prompt)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
