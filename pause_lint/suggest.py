"""Which presets a tree seems to want that are not in force: it calls their names on what they pause.

Looks at bytes, and only in trees that speak of rollouts; it parses nothing and decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pause_lint.pairs import PRESETS, Pair, fits, words

SUBJECT = b"rollout"
"""What a tree that trains with rollouts speaks of somewhere."""

_CALL = r"\b(\w+)(?:\[[^]\n]*\])?\.(?:areal_)?(?:async_)?(%s)(?:_async)?(?:\.remote)?\("


def suggested(texts: Sequence[bytes]) -> tuple[str, ...]:
    """The presets besides the default one, in order, of which `texts` call a pausing name on a fitting receiver."""
    if not any(SUBJECT in text for text in texts):
        return ()
    others = {name: pairs for name, pairs in PRESETS.items() if name != "default"}
    return tuple(name for name, pairs in others.items() if any(_uses(texts, pair) for pair in pairs))


def _uses(texts: Sequence[bytes], pair: Pair) -> bool:
    """Whether some text calls a pausing name of the pair on a receiver that it fits."""
    stems = [f".{name}".encode() for name in sorted(pair.pauses)]
    call = re.compile((_CALL % "|".join(sorted(pair.pauses))).encode())
    return any(
        fits(pair, words(found[1].decode(errors="ignore")))
        for text in texts
        if any(stem in text for stem in stems)
        for found in call.finditer(text)
    )


def line(presets: Sequence[str]) -> str:
    """What is said of them."""
    options = " ".join(f"--preset {name}" for name in presets)
    return f"More is paused here than the default preset knows. To check that too: {options}"
