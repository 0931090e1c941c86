"""Killed at any step of writing, a file is whole; and the next run leaves nothing behind. A thousand random moments:
`python -m tests.faults`.
"""

from __future__ import annotations

import itertools
import os
import sys
from pathlib import Path

import pytest

from pause_lint.cli import main
from pause_lint.fixing.write import create, remove_stale, replace
from tests.faults.campaign import campaign, fix
from tests.faults.processes import finished, killed_at
from tests.faults.trees import Tree

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")

OLD, NEW = b"old\n" * 5000, b"new\n" * 9000
BASELINE = "pause-lint-baseline.json"


def test_a_file_replaced(tmp_path: Path) -> None:
    """Every step is tried; those before the rename leave the old content, those behind it the new."""
    path = tmp_path / "module.py"
    found = []

    def act() -> int:
        replace(str(path), OLD, NEW)
        return 0

    for step in itertools.count(1):
        path.write_bytes(OLD)
        if not killed_at(step, act):
            break
        found.append(path.read_bytes())
        left = len(os.listdir(tmp_path)) - 1
        assert left <= 1
        assert left == len(remove_stale(str(tmp_path)))
        assert os.listdir(tmp_path) == ["module.py"]
    assert path.read_bytes() == NEW
    assert found == sorted(found, key=(OLD, NEW).index)
    assert len(found) > 50
    assert set(found) == {OLD, NEW}


def test_a_file_made(tmp_path: Path) -> None:
    path = tmp_path / "new.json"
    found = []

    def act() -> int:
        create(str(path), NEW)
        return 0

    for step in itertools.count(1):
        path.unlink(missing_ok=True)
        if not killed_at(step, act):
            break
        found.append(path.read_bytes() if path.exists() else None)
        remove_stale(str(tmp_path))
        assert os.listdir(tmp_path) == (["new.json"] if found[-1] else [])
    assert path.read_bytes() == NEW
    assert len(found) > 20
    assert found == sorted(found, key=(None, NEW).index)
    assert set(found) == {None, NEW}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """Two folders, twelve files."""
    return Tree(tmp_path_factory.mktemp("killed") / "tree", 12)


@pytest.fixture
def here(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> Tree:
    tree.reset()
    monkeypatch.chdir(tree.folder)
    return tree


@pytest.mark.parametrize("step", [1, 7, 40, 41, 160, 333, 420, 501])
def test_fix(here: Tree, step: int) -> None:
    assert killed_at(step, lambda: fix(here))
    state = here.state()
    assert state.torn == ()
    assert (state.old, state.new) != (0, 12)
    assert finished(lambda: main(["fix", "-q"]), here.folder.parent).code == 0
    assert here.state() == (0, 12, (), ())


@pytest.mark.parametrize("step", [30, 50, 70, 130, 150])
def test_fix_that_adds_comments(here: Tree, step: int) -> None:
    names = ("package_0/module_0.py", "package_0/module_2.py")
    wanted = [here.files[name].old.replace(b"generation()\n", b"generation()  # noqa: PR001\n", 1) for name in names]

    def command() -> int:
        return main(["fix", "-q", "--add-noqa", *names])

    assert killed_at(step, command)
    for name, new in zip(names, wanted, strict=True):
        assert (here.folder / name).read_bytes() in (here.files[name].old, new)
    assert finished(command, here.folder.parent).code == 0
    assert [(here.folder / name).read_bytes() for name in names] == wanted
    assert here.state().strangers == ()


@pytest.mark.parametrize("before", [False, True], ids=["made", "replaced"])
@pytest.mark.parametrize("step", [5, 12, 20, 30, 40])
def test_baseline(here: Tree, step: int, before: bool) -> None:
    def command() -> int:
        return main(["baseline", "-q"])

    old = b'{"version": 1, "findings": []}\n' if before else None
    if old is not None:
        Path(BASELINE).write_bytes(old)
    assert killed_at(step, command)
    now = Path(BASELINE).read_bytes() if Path(BASELINE).exists() else None
    assert finished(command, here.folder.parent).code == 0
    new = Path(BASELINE).read_bytes()
    assert new.count(b"\n") == 14
    assert now in (old, new)
    assert here.state([BASELINE]).strangers == ()


def test_a_campaign_of_a_few(tmp_path: Path) -> None:
    """That the campaign kills, looks, and finds nothing."""
    assert campaign(tmp_path / "tree", files=12, kills=3, seed=1)[::3] == (3, ())


def test_a_campaign_would_see_a_file_that_is_torn(tree: Tree) -> None:
    tree.reset()
    name, other = list(tree.files)[:2]
    (tree.folder / name).write_bytes(tree.files[name].new[:-1])
    (tree.folder / other).unlink()
    (tree.folder / "package_0" / "left.tmp").touch()
    assert tree.state() == (10, 0, tuple(sorted((name, other))), ("package_0/left.tmp",))
