"""The pre-commit hooks, run by pre-commit itself on a throw-away repository."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.helpers.commands import PROJECT, Done, run

FAULTY = """\
def reload(engine, path):
    engine.pause_generation()
    engine.load(path)
    engine.continue_generation()
"""
CLEAN = """\
def reload(engine, path):
    engine.pause_generation()
    try:
        engine.load(path)
    finally:
        engine.continue_generation()
"""
SHIPPED = ("pause_lint", "pyproject.toml", "setup.cfg", "README.md", "LICENSE", ".pre-commit-hooks.yaml")


def git(*arguments: str, cwd: Path) -> None:
    identity = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.invalid", "-c", "commit.gpgsign=false")
    done = run("git", *identity, *arguments, cwd=cwd)
    assert done.code == 0, done.err


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that holds a copy of this project."""
    folder = tmp_path_factory.mktemp("hooks")
    for name in SHIPPED:
        source = PROJECT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    git("init", "--quiet", cwd=folder)
    git("add", "--all", cwd=folder)
    git("commit", "--quiet", "--message", "all", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit keeps the environments it makes."""
    return tmp_path_factory.mktemp("pre-commit-home")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A user's repository with a faulty and a clean file."""
    git("init", "--quiet", cwd=tmp_path)
    (tmp_path / "faulty.py").write_text(FAULTY, encoding="utf-8")
    (tmp_path / "clean.py").write_text(CLEAN, encoding="utf-8")
    git("add", "--all", cwd=tmp_path)
    return tmp_path


def try_hook(hook: str, *files: str, hooks: Path, home: Path, repository: Path) -> Done:
    return run(
        "pre-commit",
        "try-repo",
        hooks,
        hook,
        "--verbose",
        "--color=never",
        "--files",
        *files,
        cwd=repository,
        env={"PRE_COMMIT_HOME": str(home)},
    )


def test_check_fails_on_the_faulty_file(hooks: Path, home: Path, repository: Path) -> None:
    done = try_hook("pause-lint", "faulty.py", "clean.py", hooks=hooks, home=home, repository=repository)
    assert done.code == 1, done.out + done.err
    assert "faulty.py:2:5: PR001" in done.out
    assert "clean.py:" not in done.out
    assert (repository / "faulty.py").read_text(encoding="utf-8") == FAULTY


def test_check_passes_on_the_clean_file(hooks: Path, home: Path, repository: Path) -> None:
    done = try_hook("pause-lint", "clean.py", hooks=hooks, home=home, repository=repository)
    assert done.code == 0, done.out + done.err
    assert "Passed" in done.out


def test_fix_repairs(hooks: Path, home: Path, repository: Path) -> None:
    done = try_hook("pause-lint-fix", "faulty.py", "clean.py", hooks=hooks, home=home, repository=repository)
    assert done.code == 1, done.out + done.err
    assert "files were modified by this hook" in done.out
    assert (repository / "faulty.py").read_text(encoding="utf-8") == CLEAN
    again = try_hook("pause-lint-fix", "faulty.py", "clean.py", hooks=hooks, home=home, repository=repository)
    assert again.code == 0, again.out + again.err
