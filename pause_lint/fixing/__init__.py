"""Fixes: planned on the syntax tree, carried out with LibCST, verified before anything is believed.

`fix_source` is loaded when it is asked for: planning alone, as `check` does it, needs no LibCST.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pause_lint.fixing.source import FixResult, fix_source

__all__ = ["FixResult", "fix_source"]


def __getattr__(name: str) -> Any:
    """PEP 562. Raises AttributeError for what is not here."""
    if name in __all__:
        from pause_lint.fixing import source

        return getattr(source, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
