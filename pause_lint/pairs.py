"""Pairs: which calls pause, which undo it, and all that differs from pair to pair. Plain data.

Matching names against source is the business of `analysis.events`; nothing here reads code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

ENGINE_WORDS = (
    "engine",
    "engines",
    "rollout",
    "rollouts",
    "scheduler",
    "router",
    "manager",
    "client",
    "server",
    "servers",
    "worker",
    "workers",
    "llm",
    "replica",
    "replicas",
    "trajectory",
    "generation",
    "inference",
    "vllm",
    "sglang",
)
NEVER_WORDS = (
    "monitor",
    "monitoring",
    "profiler",
    "progress",
    "bar",
    "time",
    "asyncio",
    "timer",
    "trio",
    "anyio",
    "signal",
    "metrics",
    "scraper",
    "stats",
    "recorder",
    "tracer",
    "watchdog",
    "heartbeat",
)


class Pair(NamedTuple):
    """A set of pause names and the resume names that undo any of them.

    A name that is both pauses with `True` and resumes with `False`.

    pauses, resumes: method, function, RPC and route names without decoration (`areal_`, `_async`, leading underscores).
    noun: what is paused, for messages.
    receivers: if not empty, the receiver's last name must contain one of these words.
    needs: and all of these.
    never: words that rule a receiver out.
    harmless: resuming what was not paused does nothing.
    tested: the pausing call answers whether it took effect (`lock.acquire(timeout=1)`).
    rests: paused is a state to stay in (an engine asleep while the trainer has its memory): whoever needs it, resumes.
    portions: resume names that undo a part of the pause only, each with that part. Calls say it with `tags=[...]`.
    """

    pauses: frozenset[str]
    resumes: frozenset[str]
    preset: str = "default"
    noun: str = "generation"
    receivers: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    harmless: bool = True
    tested: bool = False
    rests: bool = False
    needs: tuple[str, ...] = ()
    portions: tuple[tuple[str, str], ...] = ()


def _pair(
    pauses: str,
    resumes: str,
    preset: str,
    noun: str,
    *,
    engines_only: bool = False,
    rests: bool = False,
    harmless: bool = True,
    portions: tuple[tuple[str, str], ...] = (),
) -> Pair:
    return Pair(
        pauses=frozenset(pauses.split()),
        resumes=frozenset(resumes.split()),
        preset=preset,
        noun=noun,
        receivers=ENGINE_WORDS if engines_only else (),
        never=NEVER_WORDS if engines_only else (),
        rests=rests,
        harmless=harmless,
        portions=portions,
    )


def _session(begins: str, ends: str) -> Pair:
    return _pair(begins, ends, "update-session", "the weight update session", harmless=False)


PRESETS: dict[str, tuple[Pair, ...]] = {
    "default": (_pair("pause_generation", "continue_generation resume_generation", "default", "generation"),),
    "vllm": (
        _pair("sleep", "wake_up wakeup wake", "vllm", "the engine", engines_only=True, rests=True),
        _pair("pause", "resume unpause", "vllm", "the engine", engines_only=True, rests=True),
    ),
    "sglang": (
        _pair(
            "release_memory_occupation",
            "resume_memory_occupation",
            "sglang",
            "the engine's memory",
            rests=True,
            harmless=False,
        ),
    ),
    "lifecycle": (
        _pair("pause", "resume unpause", "lifecycle", "the engine", engines_only=True, rests=True),
        _pair("suspend", "resume", "lifecycle", "the engine", engines_only=True, rests=True),
        _pair(
            "offload",
            "onload onload_weights onload_kv onload_kvcache onload_kv_cache",
            "lifecycle",
            "the engine",
            engines_only=True,
            rests=True,
            portions=(
                ("onload_weights", "weights"),
                ("onload_kv", "kv"),
                ("onload_kvcache", "kv"),
                ("onload_kv_cache", "kv"),
            ),
        ),
        _pair("prepare_for_refit suspend_for_refit", "resume_after_refit", "lifecycle", "generation"),
        _pair("set_should_stop", "set_should_stop", "lifecycle", "generation", engines_only=True),
    ),
    "update-session": (
        _session("start_weight_update", "finish_weight_update"),
        _session("begin_weight_update", "end_weight_update"),
        _session("begin_update_weights", "end_update_weights"),
    ),
    "lock": (
        _pair("acquire", "release", "lock", "the engine lock")._replace(
            receivers=("engine", "engines", "rollout", "vllm", "sglang", "llm", "update", "weight", "weights"),
            needs=("lock",),
            harmless=False,
            tested=True,
        ),
    ),
    "verl": (
        _pair(
            "abort_replicas abort_all_requests",
            "resume_generation_replicas resume_generation resume_all_requests",
            "verl",
            "generation",
            rests=True,
        ),
        _pair("sleep_replicas", "wake_up_replicas", "verl", "the replicas", rests=True),
        _pair("release_kv_cache_replicas", "resume_kv_cache_replicas", "verl", "the replicas' KV cache", rests=True),
        _pair("release_kv_cache", "resume_kv_cache", "verl", "the KV cache", rests=True),
    ),
}

ANSWERS: tuple[tuple[str, str], ...] = (
    ("pause", "resume"),
    ("pause", "continue"),
    ("pause", "unpause"),
    ("suspend", "resume"),
    ("stop", "start"),
    ("stop", "resume"),
    ("stop", "continue"),
    ("sleep", "wake"),
    ("sleep", "resume"),
    ("offload", "onload"),
    ("offload", "reload"),
    ("offload", "load"),
    ("before", "after"),
    ("pre", "post"),
    ("begin", "end"),
    ("start", "finish"),
    ("start", "end"),
    ("start", "stop"),
    ("enter", "exit"),
    ("aenter", "aexit"),
    ("acquire", "release"),
    ("lock", "unlock"),
    ("release", "resume"),
    ("release", "restore"),
    ("disable", "enable"),
    ("freeze", "thaw"),
    ("halt", "resume"),
    ("hold", "release"),
    ("block", "unblock"),
    ("abort", "resume"),
    ("prepare", "finish"),
    ("prepare", "finalize"),
    ("prepare", "restore"),
    ("setup", "teardown"),
    ("open", "close"),
    ("close", "open"),
)
"""Word pairs by which the name of one function answers another's; `x`/`unx` is understood without being listed."""

PRIMITIVES = frozenset().union(*(pair.pauses | pair.resumes for preset in PRESETS.values() for pair in preset))
"""The names that pause or resume in any preset, chosen or not: a function of that name exists to do so."""

_DECORATION = re.compile(r"^_*(?:areal_)?(?:async_)?(.+?)(?:_async)?_*$")


@lru_cache(maxsize=4096)
def plain_name(name: str) -> str:
    """`name` without leading underscores, `areal_`, `async_` and `_async`."""
    match = _DECORATION.match(name)
    return match[1] if match else name


@lru_cache(maxsize=4096)
def words(name: str) -> frozenset[str]:
    """The words of a name in snake or camel case, in lower case."""
    parts: list[str] = []
    for chunk in name.split("_"):
        start = 0
        for place in range(1, len(chunk)):
            if chunk[place].isupper() and not chunk[place - 1].isupper():
                parts.append(chunk[start:place])
                start = place
        parts.append(chunk[start:])
    return frozenset(part.lower() for part in parts if part)


def fits(pair: Pair, receiver_words: frozenset[str]) -> bool:
    """Whether a receiver of these words can be what `pair` pauses."""
    if not {word.removesuffix("s") for word in receiver_words}.union(receiver_words).isdisjoint(pair.never):
        return False
    if not receiver_words.issuperset(pair.needs):
        return False
    return not pair.receivers or any(word in receiver_words for word in pair.receivers)


def is_primitive(name: str, pair: Pair) -> bool:
    """Whether a function of this name exists to pause or to resume."""
    plain = plain_name(name)
    return plain in PRIMITIVES or plain in pair.pauses or plain in pair.resumes


def answers(first: str, second: str) -> bool:
    """Whether a function called `second` is, by its name, the one that undoes `first`."""
    one, two = plain_name(first).split("_"), plain_name(second).split("_")
    if one == two:
        return False
    pairs = (pair for preset in PRESETS.values() for pair in preset)
    if any("_".join(one) in pair.pauses and "_".join(two) in pair.resumes for pair in pairs):
        return True
    words_match = [(a, b) for a, b in zip(one, two, strict=False) if a != b]
    if len(one) == len(two) and all((a, b) in ANSWERS or b == "un" + a for a, b in words_match):
        return True
    # `sleep` / `wake_up`: the differing word grew a particle.
    if len(two) == len(one) + 1 and "up" in two:
        shorter = [word for word in two if word != "up"]
        return all(a == b or (a, b) in ANSWERS for a, b in zip(one, shorter, strict=False))
    return False


class Vocabulary(NamedTuple):
    """The pairs in force, indexed by plain name.

    words: one of these stands in every text that holds a name: those names that are in no other one.
    """

    pairs: tuple[Pair, ...]
    pausing: dict[str, tuple[Pair, ...]]
    resuming: dict[str, tuple[Pair, ...]]
    words: tuple[str, ...]

    @classmethod
    def of(cls, pairs: tuple[Pair, ...]) -> Vocabulary:
        """Index `pairs`."""
        pausing: dict[str, tuple[Pair, ...]] = {}
        resuming: dict[str, tuple[Pair, ...]] = {}
        for pair in pairs:
            for name in pair.pauses:
                pausing[name] = (*pausing.get(name, ()), pair)
            for name in pair.resumes:
                resuming[name] = (*resuming.get(name, ()), pair)
        return cls(pairs, pausing, resuming, shortest((*pausing, *resuming)))


def shortest(names: Iterable[str]) -> tuple[str, ...]:
    """Those of `names` that hold no other of them, in order."""
    found: list[str] = []
    for name in sorted(names, key=lambda name: (len(name), name)):
        if not any(other in name for other in found):
            found.append(name)
    return tuple(sorted(found))


def preset_pairs(names: tuple[str, ...]) -> tuple[Pair, ...]:
    """The pairs of the presets named (`all`: every one), without duplicates.

    Raises KeyError with the unknown name.
    """
    wanted = tuple(PRESETS) if "all" in names else names
    found: dict[tuple[frozenset[str], frozenset[str]], Pair] = {}
    for name in wanted:
        for pair in PRESETS[name]:
            found.setdefault((pair.pauses, pair.resumes), pair)
    return tuple(found.values())


def parse_pair(text: str) -> Pair:
    """`PAUSE:RESUME[,RESUME]` as given to `--pair`.

    Raises ValueError with a remedy if `text` has another form.
    """
    pause, colon, resumes = text.partition(":")
    names = [name.strip() for name in resumes.split(",")]
    if not colon or not all(name.isidentifier() for name in [pause.strip(), *names]):
        raise ValueError(f"{text!r} is not of the form PAUSE:RESUME[,RESUME], for example drain:undrain")
    return Pair(
        frozenset([plain_name(pause.strip())]), frozenset(map(plain_name, names)), preset="pair", noun="the engine"
    )
