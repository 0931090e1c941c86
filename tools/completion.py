"""Completion for shells, made by shtab from the options of the command line as the package is built (`setup.py`)."""

from __future__ import annotations

import argparse
from pathlib import Path

import shtab

from pause_lint.arguments import whole
from pause_lint.pairs import PRESETS
from pause_lint.rules import RULES

PLACES = {
    "bash": "share/bash-completion/completions/pause-lint",
    "zsh": "share/zsh/site-functions/_pause-lint",
    "fish": "share/fish/vendor_completions.d/pause-lint.fish",
}
"""Where each shell looks, below the folder that is installed into."""
_CODES = tuple(rule.code for rule in RULES)
_CHOICES = {"CODE": _CODES, "CODES": _CODES, "NAME": (*PRESETS, "all")}
_FILES = {"PATH": shtab.FILE, "FILE": shtab.FILE, "FOLDER": shtab.DIRECTORY, "-- PROGRAM ...": shtab.FILE}
"""What arguments stand for, by how the help calls them."""


def script(shell: str) -> str:
    """The completion for one of the shells in `PLACES`."""
    parser = whole()
    _describe(parser)
    return str(shtab.complete(parser, shell))


def _describe(parser: argparse.ArgumentParser) -> None:
    """Say of each argument what can stand there."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _describe(command)
        elif action.metavar in _CHOICES:
            action.choices = _CHOICES[action.metavar]
        elif action.metavar in _FILES:
            setattr(action, "complete", _FILES[action.metavar])  # noqa: B010 an attribute of shtab's


def written(folder: Path) -> list[tuple[str, list[str]]]:
    """Write the completion for all shells below `folder`; what there is, as setuptools wants it of `data_files`."""
    found = []
    for shell, place in PLACES.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(script(shell), encoding="utf-8")
        found.append((str(Path(place).parent), [str(path)]))
    return found
