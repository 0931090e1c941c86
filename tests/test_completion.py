"""Completion, in the shells themselves: what is offered for what is typed."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pause_lint.arguments import whole
from pause_lint.pairs import PRESETS
from pause_lint.rules import RULES
from tests.helpers.commands import PROJECT, run
from tools.completion import PLACES, script, written

TYPED = {
    "pause-lint ": {"check", "fix", "baseline", "rule"},
    "pause-lint ch": {"check"},
    "pause-lint check --out": {"--output-format"},
    "pause-lint check --output-format sa": {"sarif"},
    "pause-lint check --preset ": {*PRESETS, "all"},
    "pause-lint fix --select PR00": {rule.code for rule in RULES if rule.code.startswith("PR00")},
    "pause-lint fix --dif": {"--diff"},
    "pause-lint rule PR9": {"PR900", "PR901"},
    "pause-lint check tra": {"trainer.py"},
}
"""What is typed, and what must be offered."""
ABSENT = {"pause-lint fix --basel": "--baseline", "pause-lint check --unsafe": "--unsafe-fixes"}
"""What is typed, and what must not be offered: it belongs to another command."""


def _bash(line: str, file: Path, folder: Path) -> set[str]:
    words = line.split(" ")
    program = (
        'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; '
        '$(complete -p pause-lint | grep -o -- "-F [^ ]*" | cut -c4-) pause-lint "${COMP_WORDS[COMP_CWORD]}"; '
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = run("bash", "--norc", "-c", program, "bash", file, *words, cwd=folder)
    return {word.strip() for word in done.out.splitlines()}


def _fish(line: str, file: Path, folder: Path) -> set[str]:
    # Read as fish reads it: from a folder that it completes from.
    program = f"set fish_complete_path '{file.parent}'; complete --do-complete '{line}'"
    done = run("fish", "--no-config", "--command", program, cwd=folder, env={"HOME": str(folder)})
    assert done.err == ""
    return {entry.split("\t")[0] for entry in done.out.splitlines()}


def _zsh(line: str, file: Path, folder: Path) -> set[str]:
    """zsh completes only where somebody types: here, at the other end of a terminal."""
    (folder / ".zshrc").write_text(
        f"PS1='READY '; unset zle_bracketed_paste; fpath=('{file.parent}' $fpath)\n"
        "autoload -Uz compinit; compinit -u -D\n"
        "unsetopt auto_menu list_ambiguous menu_complete; setopt bash_auto_list no_beep\n"
        "zstyle ':completion:*' list-separator '--'; LISTMAX=1000; bindkey '^I' list-choices\n",
        encoding="utf-8",
    )
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        wide = {"HOME": str(folder), "ZDOTDIR": str(folder), "TERM": "dumb", "COLUMNS": "70", "LINES": "200"}
        os.execvpe("zsh", ["zsh", "--no-globalrcs", "-i"], {**os.environ, **wide})
    try:
        _read_until(terminal, lambda text: "READY " in text)
        os.write(terminal, line.encode())
        _read_until(terminal, lambda text: line in text)
        # After the list zsh shows the line again; then a word of ours says that it is ready.
        os.write(terminal, b"\t")
        os.write(terminal, b"\x15print -r -- DO''NE\r")
        shown = _read_until(terminal, lambda text: re.search(r"^DONE", text, flags=re.MULTILINE) is not None)
    finally:
        os.close(terminal)
        os.waitpid(child, 0)
    return set(re.findall(r"[\w.-]+", shown))


def _read_until(terminal: int, enough: Callable[[str], bool]) -> str:
    """What the terminal shows, up to the point that is looked for. Raises TimeoutError if it never comes."""
    shown, end = "", time.monotonic() + 15
    while not enough(shown.replace("\r", "")):
        if not select.select([terminal], [], [], max(0.0, end - time.monotonic()))[0]:
            raise TimeoutError(shown)
        shown += os.read(terminal, 4096).decode(errors="replace")
    return shown.replace("\r", "")


SHELLS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
IN_SHELLS = [
    pytest.param(name, id=name, marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed"))
    for name in SHELLS
]


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the completion is installed into."""
    folder = tmp_path_factory.mktemp("prefix")
    written(folder)
    return folder


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder to type in."""
    (tmp_path / "trainer.py").write_text("", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("shell", IN_SHELLS)
@pytest.mark.parametrize("line", TYPED)
def test_what_is_offered(shell: str, line: str, prefix: Path, work: Path) -> None:
    assert TYPED[line] <= SHELLS[shell](line, prefix / PLACES[shell], work)


@pytest.mark.parametrize("shell", IN_SHELLS)
@pytest.mark.parametrize("line", ABSENT)
def test_what_belongs_to_another_command_is_not_offered(shell: str, line: str, prefix: Path, work: Path) -> None:
    assert ABSENT[line] not in SHELLS[shell](line, prefix / PLACES[shell], work)


@pytest.mark.parametrize("shell", IN_SHELLS)
def test_the_shell_can_read_it(shell: str, prefix: Path) -> None:
    done = subprocess.run([shell, "-n", prefix / PLACES[shell]], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", SHELLS)
def test_every_option_of_every_command_is_there(shell: str) -> None:
    text = script(shell)
    [commands] = [action.choices for action in whole()._actions if action.dest == "command" and action.choices]
    options = {
        option for command in dict(commands).values() for action in command._actions for option in action.option_strings
    }
    assert len(options) > 20
    # fish writes options without their dashes.
    assert {option for option in options if option.lstrip("-") not in text} == set()


def test_the_page_names_the_places() -> None:
    page = (PROJECT / "docs/completion.md").read_text(encoding="utf-8")
    assert dict(re.findall(r"^\| (\w+) \| `([^`]+)` \|", page, flags=re.MULTILINE)) == PLACES
