"""What docs/editors.md tells one to write is what starts the server. Its other commands are run by `test_docs.py`."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from tests.helpers.commands import PROJECT, run

PAGE = (PROJECT / "docs/editors.md").read_text(encoding="utf-8")
COMMAND = ["pause-lint", "lsp"]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)


def test_vs_code() -> None:
    settings, on_save = map(json.loads, blocks("json"))
    assert [settings["glspc.server.command"], *settings["glspc.server.commandArguments"]] == COMMAND
    assert settings["glspc.server.languageId"] == ["python"]
    assert on_save["[python]"]["editor.codeActionsOnSave"] == {"source.fixAll": "explicit"}


def test_helix() -> None:
    (block,) = blocks("toml")
    languages = tomllib.loads(block)
    server = languages["language-server"]["pause-lint"]
    assert [server["command"], *server["args"]] == COMMAND
    assert languages["language"] == [{"name": "python", "language-servers": ["pause-lint"]}]


@pytest.mark.parametrize("language, command", [("lua", '"pause-lint", "lsp"'), ("elisp", '"pause-lint" "lsp"')])
def test_neovim_and_emacs(language: str, command: str) -> None:
    (block,) = blocks(language)
    assert command in block
    for left, right in ("()", "{}", "[]"):
        assert block.count(left) == block.count(right)


def test_the_command_is_there(tmp_path: Path) -> None:
    done = run(*COMMAND, "--help", cwd=tmp_path)
    assert done.code == 0
    for option in set(re.findall(r"`(--(?:preset|pair|select|project-root))`", PAGE)):
        assert option in done.out
