"""The pre-commit hooks, run by pre-commit itself on a throw-away repository."""

from __future__ import annotations

import re
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
SHIPPED = (
    "pause_lint",
    "patches",
    "tools",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "MANIFEST.in",
    "README.md",
    "LICENSE",
    ".pre-commit-hooks.yaml",
)


pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="pre-commit works on git repositories")


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


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's repository with a faulty and a clean file, and a faulty one that its configuration excludes."""
    folder = tmp_path_factory.mktemp("repository")
    git("init", "--quiet", cwd=folder)
    (folder / "faulty.py").write_text(FAULTY, encoding="utf-8")
    (folder / "clean.py").write_text(CLEAN, encoding="utf-8")
    (folder / "vendored").mkdir()
    (folder / "vendored/copied.py").write_text(FAULTY, encoding="utf-8")
    (folder / "pyproject.toml").write_text('[tool.pause_lint]\nexclude = ["vendored"]\n', encoding="utf-8")
    git("add", "--all", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def runs(hooks: Path, home: Path, repository: Path) -> tuple[Done, Done]:
    """All hooks on all files, and once more on what the first run made of them."""
    files = ("faulty.py", "clean.py", "vendored/copied.py")
    command = ("pre-commit", "try-repo", hooks, "--verbose", "--color=never", "--files", *files)
    environment = {"PRE_COMMIT_HOME": str(home)}
    return run(*command, cwd=repository, env=environment), run(*command, cwd=repository, env=environment)


def result_of(hook: str, done: Done) -> tuple[str, str]:
    """Whether the hook passed, in pre-commit's words, and everything it printed."""
    [(verdict, printed)] = re.findall(rf"^{hook}\.+(\w+)\n(.*?)(?=^pause-lint|\Z)", done.out, re.MULTILINE | re.DOTALL)
    return verdict, printed


def test_check_fails_on_the_faulty_file(runs: tuple[Done, Done]) -> None:
    verdict, printed = result_of("pause-lint", runs[0])
    assert verdict == "Failed"
    assert "faulty.py:2:5: PR001" in printed
    assert "clean.py:" not in printed


def test_fix_repairs(runs: tuple[Done, Done], repository: Path) -> None:
    verdict, printed = result_of("pause-lint fix", runs[0])
    assert verdict == "Failed"
    assert "files were modified by this hook" in printed
    assert (repository / "faulty.py").read_text(encoding="utf-8") == CLEAN
    assert (repository / "clean.py").read_text(encoding="utf-8") == CLEAN


def test_what_is_excluded_is_neither_reported_nor_rewritten(runs: tuple[Done, Done], repository: Path) -> None:
    """Although pre-commit names it."""
    assert all("PR001" not in line for done in runs for line in done.out.splitlines() if "copied.py" in line)
    assert (repository / "vendored/copied.py").read_text(encoding="utf-8") == FAULTY


def test_both_pass_on_clean_files(runs: tuple[Done, Done]) -> None:
    assert [done.code for done in runs] == [1, 0]
    assert result_of("pause-lint", runs[1])[0] == "Passed"
    assert result_of("pause-lint fix", runs[1])[0] == "Passed"
