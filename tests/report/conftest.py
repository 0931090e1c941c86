"""What the tests of all formats share: a project to check, and the command that checks it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pause_lint.cli import main
from tests.helpers.commands import Done

Check = Callable[..., Done]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a project without files."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def check(project: Path, capfd: pytest.CaptureFixture[str]) -> Check:
    """`check --output-format` in this process, in the project: the format, then further arguments."""

    def call(name: str, *arguments: str) -> Done:
        code = main(["check", "--output-format", name, *arguments])
        return Done(code, *capfd.readouterr())

    return call
