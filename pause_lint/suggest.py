"""Which presets a tree seems to want that are not in force: it calls their names on what they pause.

Looks at bytes, and only of files that speak of rollouts; it parses nothing and decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pause_lint.pairs import PRESETS, Pair, fits, words

SUBJECT = b"rollout"
"""What files that train with rollouts speak of; no other is looked at."""

_RECEIVER = re.compile(rb"(\w+)(?:\[[^]\n]*\])?$")
_CALLED = re.compile(rb"(?:_async)?(?:\.remote)?\(")
_REACH = 80


def suggested(texts: Sequence[bytes]) -> tuple[str, ...]:
    """The presets besides the default one, in order, of which `texts` call a pausing name on a fitting receiver."""
    near = [text for text in texts if SUBJECT in text]
    others = {name: pairs for name, pairs in PRESETS.items() if name != "default"}
    return tuple(name for name, pairs in others.items() if any(_uses(near, pair) for pair in pairs))


def _uses(texts: Iterable[bytes], pair: Pair) -> bool:
    """Whether some text calls a pausing name of the pair on a receiver that it fits."""
    return any(fits(pair, words(name)) for text in texts for name in _receivers(text, pair.pauses))


def _receivers(text: bytes, names: Iterable[str]) -> Iterator[str]:
    """The last names of what methods of these names are called on."""
    for name in sorted(names):
        stem = f".{name}".encode()
        place = text.find(stem)
        while place >= 0:
            if _CALLED.match(text, place + len(stem)):
                receiver = _RECEIVER.search(text[max(0, place - _REACH) : place])
                if receiver:
                    yield receiver[1].decode(errors="ignore")
            place = text.find(stem, place + 1)


def line(presets: Sequence[str]) -> str:
    """What is said of them."""
    options = " ".join(f"--preset {name}" for name in presets)
    return f"More is paused here than the default preset knows. To check that too: {options}"
