"""How grave a finding is, for formats that tell faults from hints. Nothing here decides what is reported."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pause_lint.rules import Rule

Level: TypeAlias = Literal["error", "warning", "note"]


def level(rule: Rule) -> Level:
    """A rule that is on by default names an engine that hangs; one that is not, something that may be meant."""
    if rule.default == "on":
        return "error"
    return "warning" if rule.default == "opt-in" else "note"
