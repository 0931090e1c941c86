"""Runs of the trainer, and what a rollout tells of the engine."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.engine.conftest import Way
from tests.engine.processes import LONG, RUN, SHORT, ask, is_paused, process, read

PROMPT = {"prompt": "why is there no answer"}
ASKING = 2
"""Rollouts that are asked for at the same time."""
BETWEEN = 0.05
"""Seconds from an answer to the next question: the trainer has to live on the same cores."""


@dataclass(frozen=True, slots=True)
class Trained:
    """How a run of the trainer ended, what it told, line by line, and everything it wrote."""

    code: int
    lines: list[Any]
    text: str


def started(
    way: Way, address: str, model: Path, folder: Path, *options: str, ranks: int = 1
) -> AbstractContextManager[subprocess.Popen[bytes]]:
    """The trainer, as it runs; it writes to `trainer.log` in `folder`."""
    program = ("-m", "tests.engine.programs.train", address, "--model", model, "--folder", folder / "checkpoints")
    torchrun = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks))
    command = (*(torchrun if ranks > 1 else ()), *program, *options)
    return process(*command, cwd=way.tree, log=folder / "trainer.log", env=way.env)


def train(way: Way, address: str, model: Path, folder: Path, *options: str, ranks: int = 1) -> Trained:
    """Runs the trainer to its end. Raises TimeoutExpired if there is none."""
    with started(way, address, model, folder, *options, ranks=ranks) as running:
        running.wait(RUN)
    return told(running, folder)


def told(running: subprocess.Popen[bytes], folder: Path) -> Trained:
    """What a trainer that has ended wrote."""
    text = read(folder / "trainer.log")
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return Trained(running.returncode, lines, text)


def tokens(address: str, timeout: float = LONG) -> list[int]:
    """A rollout. Raises TimeoutError if it is not answered."""
    value: list[int] = ask(address, "/generate", PROMPT, timeout=timeout)["value"]
    return value


def assert_hangs(address: str) -> None:
    """Generation is paused: a rollout gets no answer, and gets one as soon as generation is resumed by hand."""
    assert is_paused(address)
    answers: list[Any] = []
    waiting = threading.Thread(target=lambda: answers.append(tokens(address)), daemon=True)
    waiting.start()
    waiting.join(SHORT)
    assert waiting.is_alive(), f"answered: {answers}"
    assert is_paused(address)
    ask(address, "/areal_continue_generation", {})
    waiting.join(LONG)
    assert len(answers) == 1


def assert_answers(address: str) -> None:
    """Generation goes on."""
    assert not is_paused(address)
    assert tokens(address)


@dataclass(slots=True)
class Rollouts:
    """What was asked for and what came of it. longest: seconds that one had to wait."""

    asked: int = 0
    answers: list[Sequence[int]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    longest: float = 0.0


@contextmanager
def rollouts(address: str) -> Iterator[Rollouts]:
    """Asks for one rollout after the other, several at a time, until the block ends; then waits for the last."""
    found = Rollouts()
    lock = threading.Lock()
    enough = threading.Event()

    def go_on() -> None:
        while not enough.wait(BETWEEN):
            begun = time.monotonic()
            with lock:
                found.asked += 1
            try:
                answer = tokens(address)
            except (OSError, AssertionError) as error:
                with lock:
                    found.errors.append(f"{type(error).__name__}: {error}")
                return
            with lock:
                found.answers.append(answer)
                found.longest = max(found.longest, time.monotonic() - begun)

    threads = [threading.Thread(target=go_on, daemon=True) for _ in range(ASKING)]
    for thread in threads:
        thread.start()
    try:
        yield found
    finally:
        enough.set()
        for thread in threads:
            thread.join(LONG + SHORT)
