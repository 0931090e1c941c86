"""The package, built and installed as the README says, without any extra; and the demonstration."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from tests.helpers.commands import PROJECT, pause_lint, run
from tests.helpers.console import examples
from tools.completion import PLACES

SHIPPED = ("pyproject.toml", "setup.cfg", "setup.py", "MANIFEST.in", "README.md", "LICENSE")


def test_installs_without_the_extras(tmp_path: Path) -> None:
    clone, environment = tmp_path / "clone", tmp_path / "environment"
    for part in ("pause_lint", "patches", "tools"):
        shutil.copytree(PROJECT / part, clone / part, ignore=shutil.ignore_patterns("__pycache__"))
    for name in SHIPPED:
        shutil.copy(PROJECT / name, clone / name)
    assert run(sys.executable, "-m", "venv", environment, cwd=tmp_path).code == 0
    python = environment / "bin/python"

    installed = run(python, "-m", "pip", "install", "--quiet", ".", cwd=clone)
    assert installed.code == 0, installed.err

    with examples() as folder:
        command = run(environment / "bin/pause-lint", "check", "disk_update.py", cwd=folder)
        assert command.code == 1, command.err
        assert "PR001" in command.out
        plugin = run(python, "-m", "flake8", "--isolated", "--select", "PR", "disk_update.py", cwd=folder)
        assert plugin.code == 1, plugin.err
        assert "PR001" in plugin.out
        fixed = run(environment / "bin/pause-lint", "fix", "disk_update.py", cwd=folder)
        assert fixed.code == 0, fixed.out + fixed.err
    assert run(python, "-c", "import pytest", cwd=tmp_path).code == 1
    assert [
        place for place in PLACES.values() if "check" not in (environment / place).read_text(encoding="utf-8")
    ] == []
    [marker] = environment.glob("lib/*/site-packages/pause_lint/py.typed")
    assert marker.is_file()


def test_check_needs_the_standard_library_only(tmp_path: Path) -> None:
    """An interpreter without site-packages runs it."""
    (tmp_path / "pause_lint").symlink_to(PROJECT / "pause_lint")
    shutil.copy(PROJECT / "examples/disk_update.py", tmp_path)
    done = run(sys.executable, "-S", "-m", "pause_lint", "check", "disk_update.py", cwd=tmp_path)
    assert done.code == 1, done.err
    assert "PR001" in done.out


def test_demonstration(areal_wheel: Path, tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    (folder / "wheels").mkdir(parents=True)
    shutil.copy(areal_wheel, folder / "wheels")
    done = run(sys.executable, "-m", "examples.demo", folder, cwd=PROJECT)
    assert done.code == 0, done.out + done.err
    assert "_update_weights_from_disk" in done.out
    assert "\n   0 left\n" in done.out
    assert pause_lint("check", "areal", cwd=folder).code == 0
