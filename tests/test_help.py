"""`--help`: every command is explained, every example runs, and asking for it costs nobody else anything."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from pause_lint.arguments import whole
from pause_lint.guide import COMMANDS, WHOLE
from pause_lint.rules import RULES
from tests.helpers.commands import PROJECT, pause_lint, run

GUIDES = {"": WHOLE, **COMMANDS}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with a faulty file in `src`, and a baseline of it."""
    (tmp_path / "src").mkdir()
    shutil.copy(PROJECT / "examples/disk_update.py", tmp_path / "src/trainer.py")
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    identity = ("-c", "user.name=me", "-c", "user.email=me@example.invalid", "-c", "commit.gpgsign=false")
    for command in (("init", "--quiet"), ("add", "."), (*identity, "commit", "--quiet", "--message", "Start")):
        done = run("git", *command, cwd=tmp_path)
        assert done.code == 0, done.err
    assert pause_lint("baseline", "-q", "src", cwd=tmp_path).code == 0
    return tmp_path


def test_every_command_has_a_guide() -> None:
    [commands] = [action.choices for action in whole()._actions if action.dest == "command" and action.choices]
    assert set(COMMANDS) == set(commands)


@pytest.mark.parametrize("name", GUIDES, ids=lambda name: name or "pause-lint")
def test_help_says_what_it_is_for_with_examples(name: str) -> None:
    done = pause_lint(*filter(None, [name]), "--help", cwd=PROJECT)
    guide = GUIDES[name]
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"usage: pause-lint {name} ".replace("  ", " "))
    assert guide.description in done.out
    for command, meaning in guide.examples:
        assert re.search(rf"^  {re.escape(command)}  +{re.escape(meaning)}$", done.out, flags=re.MULTILINE)
    assert max(map(len, done.out.splitlines())) <= 80


@pytest.mark.parametrize("name", [name for name in GUIDES if name not in ("rule", "run")])
def test_help_says_what_the_exit_codes_mean(name: str) -> None:
    codes = re.findall(r"^  (\d)  ", GUIDES[name].after, flags=re.MULTILINE)
    assert codes == (["0", "2"] if name in ("baseline", "lsp") else ["0", "1", "2"])


@pytest.mark.skipif(shutil.which("git") is None, reason="an example compares with a commit")
@pytest.mark.parametrize(
    "command", [command for guide in GUIDES.values() for command, _ in guide.examples], ids=lambda text: str(text)
)
def test_an_example_runs(command: str, tree: Path) -> None:
    words = shlex.split(command)
    assert words[0] == "pause-lint"
    done = run(*words, cwd=tree)
    assert done.code in (0, 1), done.err
    assert done.out


def test_every_option_is_explained() -> None:
    [commands] = [action.choices for action in whole()._actions if action.dest == "command" and action.choices]
    bare = [
        (name, action.dest)
        for name, command in dict(commands).items()
        for action in command._actions
        if not action.help
    ]
    assert bare == []


def test_without_a_command_help_is_printed() -> None:
    done = pause_lint(cwd=PROJECT)
    assert (done.code, done.out) == (2, pause_lint("--help", cwd=PROJECT).out)


def test_codes_named_in_help_exist() -> None:
    texts = [text for guide in GUIDES.values() for text in (guide.description, guide.after, str(guide.examples))]
    assert {code for text in texts for code in re.findall(r"PR\d{3}", text)} <= {rule.code for rule in RULES}
