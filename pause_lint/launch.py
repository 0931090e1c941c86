"""Starts a program under the overlay: the modules that the manifests of `patches/` name are patched as it imports them.

Python finds the overlay by `PYTHONPATH`, so that every Python process that the program starts has it too. What it does
is the overlay's business; nothing here analyses.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NoReturn

from pause_lint.config import ConfigError


def overlay_folder() -> str:
    """The overlay's folder: in the installed package, or beside it in a checkout.

    Raises ConfigError if it is not there.
    """
    here = os.path.dirname(os.path.abspath(__file__))
    for parent in (here, os.path.dirname(here)):
        folder = os.path.join(parent, "patches", "overlay")
        if os.path.isfile(os.path.join(folder, "sitecustomize.py")):
            return folder
    raise ConfigError("pause-lint run: error: the patches are not part of this installation")


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """An environment with the overlay in front of what is on `PYTHONPATH`, which stays as it is: an empty entry of it
    is the current folder.

    Raises ConfigError if the overlay cannot be put there.
    """
    overlay = overlay_folder()
    if os.pathsep in overlay:
        raise ConfigError(f"pause-lint run: error: PYTHONPATH cannot name {overlay}: there is a {os.pathsep!r} in it")
    path = given.get("PYTHONPATH")
    return {**given, "PYTHONPATH": f"{overlay}{os.pathsep}{path}" if path else overlay}


def unheard(program: Sequence[str]) -> str:
    """The option of a Python that is started by which it does not look for the overlay; the empty string if none.

    See "Generic options" and "Miscellaneous options" in Python's manual of its command line.
    """
    if not os.path.basename(program[0]).startswith(("python", "pypy")):
        return ""
    rest = iter(program[1:])
    for argument in rest:
        if not argument.startswith("-") or argument.startswith("--") or argument == "-":
            break
        for place, letter in enumerate(argument[1:], start=2):
            if letter in "IES":
                return f"-{letter}"
            if letter in "cm":
                return ""
            if letter in "WX":
                if not argument[place:]:
                    next(rest, None)  # its value
                break
    return ""


def launch(program: Sequence[str]) -> NoReturn:
    """Become `program`, with its arguments. Raises ConfigError if it cannot be started, or not under the overlay."""
    option = unheard(program)
    if option:
        raise ConfigError(
            f"pause-lint run: error: with {option} Python does not load the overlay: leave the option out, "
            "or patch the package on disk with `patches/apply.py`"
        )
    try:
        os.execvpe(program[0], list(program), environment(os.environ))
    except OSError as error:
        raise ConfigError(f"pause-lint run: error: cannot start {program[0]}: {error.strerror or error}") from None
