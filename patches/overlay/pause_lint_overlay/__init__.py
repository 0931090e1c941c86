"""The patched engine: which files of which versions, what is done to them, and how that is put in force.

Needs the standard library only, for it runs inside finished images. It analyses nothing: the edits come from
`pause-lint fix`, by way of the manifests.
"""

from __future__ import annotations

import sys


def say(text: str) -> None:
    """Write a line to the standard error, if that is possible."""
    try:
        # In one piece, for other processes write there too; not with `print`, which takes None for standard output.
        sys.stderr.write(f"pause-lint: {text}\n")
    except Exception:
        return  # it may be closed, or None
