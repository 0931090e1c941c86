"""The page about formats: it names them all, and what it tells CI servers to run gives what they are told to read."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pause_lint.report import MACHINE
from tests.helpers.commands import PROJECT, run
from tests.helpers.console import examples
from tests.helpers.formats import read_github, read_gitlab, read_junit, read_sarif
from tests.helpers.pages import read_html

PAGE = (PROJECT / "docs/formats.md").read_text(encoding="utf-8")
READERS: dict[str, Callable[[str], Any]] = {
    "github": read_github,
    "gitlab": read_gitlab,
    "sarif": read_sarif,
    "junit": read_junit,
    "html": read_html,
}


def test_every_format_is_in_the_table_and_has_a_section() -> None:
    assert re.findall(r"^\| `([a-z]+)` \|", PAGE, flags=re.MULTILINE) == ["text", "concise", *MACHINE]
    assert set(re.findall(r"^## ([a-z]+)$", PAGE, flags=re.MULTILINE)) == {"text", "concise", *MACHINE}


def test_commands_for_ci_write_what_is_uploaded() -> None:
    blocks = re.findall(r"^```yaml\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    seen = []
    for block in blocks:
        [command] = re.findall(r"- (?:run: )?(pause-lint check .*)", block)
        name = re.findall(r"--output-format ([a-z]+)", command)[0]
        with examples() as folder:
            done = run("sh", "-c", command, cwd=folder)
            assert done.code == (0 if "--exit-zero" in command else 1), done.err
            uploaded = re.findall(r"(?:codequality|junit|sarif_file|path): (\S+)", block)
            text = (folder / uploaded[0]).read_text(encoding="utf-8") if uploaded else done.out
        READERS[name](text)
        seen.append(name)
    assert seen == list(READERS)
