"""`apply.py` killed, stopped, or out of room at any of its file-system calls: nothing is lost, and it can be mended."""

from __future__ import annotations

import errno
import fcntl
import itertools
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from pause_lint_overlay import manifests
from pause_lint_overlay.command import main
from tests.helpers.commands import run
from tests.patches.toy import ENGINE, Toy, toy_in

CHANGING = {"open", "write", "flush", "fsync", "replace", "unlink", "rmdir", "mkdir", "chmod", "chown"}
"""The functions written in C by which a program can change what is on the disk."""

Act = Callable[[Any], None]
Files = dict[str, bytes]


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """Folders that hold a package with two faulty files: `fresh`, and `patched` by `apply.py`. Not to be written to."""
    folder = tmp_path_factory.mktemp("two")
    toy = toy_in(folder)
    (toy.package / "second.py").write_text(ENGINE.replace("Updater", "Second"), encoding="utf-8")
    made = run(sys.executable, "-m", "patches.make", "1.0", "toyrl", "--origin", "a toy", cwd=folder)
    assert made.code == 0, made.err
    found = {name: tmp_path_factory.mktemp(name) for name in ("fresh", "patched")}
    for copy in found.values():
        shutil.copytree(toy.package, copy / "toyrl")
    with pytest.MonkeyPatch.context() as patching:
        patching.setattr(manifests, "FOLDER", folder / "patches")
        assert main([str(found["patched"])]) == 0
        yield found


def contents(folder: Path) -> Files:
    """The bytes of every file in a folder; the path of the folder itself does not count."""
    return {
        path.relative_to(folder).as_posix(): b"" if path.name == "done.json" else path.read_bytes()
        for path in folder.rglob("*")
        if not path.is_dir()
    }


def copied(tree: Path, to: Path) -> Path:
    shutil.rmtree(to, ignore_errors=True)
    return shutil.copytree(tree, to)


def at_call(number: int, act: Act) -> Callable[[FrameType, str, Any], None]:
    """A function for `sys.setprofile` that does `act` just before the call of that number."""
    calls = itertools.count(1)

    def look(frame: FrameType, event: str, what: Any) -> None:
        if event != "c_call" or what.__name__ not in CHANGING or isinstance(what.__self__, str):
            return  # also not the `replace` of a text
        if next(calls) == number:
            act(what)

    return look


def kill(call: Any) -> None:
    if call.__name__ == "flush":
        os.write(call.__self__.fileno(), b"half a fi")
    os.kill(os.getpid(), signal.SIGKILL)


def is_killed(arguments: list[str], number: int) -> bool:
    """Runs `apply.py` in a process that is killed at that call; False if it ends before."""
    process = os.fork()
    if process == 0:
        try:
            sys.setprofile(at_call(number, kill))
            main(arguments)
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(process, 0)[1])


def points(tree: Path, folder: Path, stop: Callable[[int], bool]) -> int:
    """How often a copy of `tree` in `folder` could be stopped; `stop` says whether it was, at the call of a number."""
    for number in itertools.count(1):
        copied(tree, folder)
        if not stop(number):
            return number - 1
    raise AssertionError


COMMANDS = [([], "fresh", "patched"), (["--revert"], "patched", "fresh")]
"""Options, what they are used on, and what comes of it."""


@pytest.mark.parametrize("options, start, end", COMMANDS, ids=["patch", "revert"])
def test_killed_at_any_moment(options: list[str], start: str, end: str, trees: dict[str, Path], tmp_path: Path) -> None:
    fresh, patched = contents(trees["fresh"]), contents(trees["patched"])
    whole = {path: {fresh[path], patched[path]} for path in fresh}
    folder = tmp_path / "tree"

    def check_what_is_left(number: int) -> bool:
        if not is_killed([str(folder), *options], number):
            assert contents(folder) == {"fresh": fresh, "patched": patched}[end]
            return False
        left = contents(folder)
        for path, states in whole.items():
            assert left[path] in states
            assert fresh[path] in (left[path], left.get(f"toyrl.pause_lint/files/{path.removeprefix('toyrl/')}"))
        has_store = (folder / "toyrl.pause_lint").exists()
        again = copied(folder, tmp_path / "again")
        assert main([str(again)]) == 0
        assert contents(again) == patched
        assert main([str(folder), "--revert"]) == (0 if has_store else 2)
        assert contents(folder) == fresh
        assert not (folder / "toyrl.pause_lint").exists()
        return True

    assert points(trees[start], folder, check_what_is_left) > 10


@pytest.mark.parametrize(
    "error, code, message",
    [
        (OSError(errno.ENOSPC, "No space left on device"), 2, "No space left on device"),
        (PermissionError(errno.EROFS, "Read-only file system"), 2, "Read-only file system"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
    ids=["full", "read-only", "Ctrl-C"],
)
@pytest.mark.parametrize("options, start, end", COMMANDS, ids=["patch", "revert"])
def test_an_error_at_any_moment(
    options: list[str],
    start: str,
    end: str,
    error: BaseException,
    code: int,
    message: str,
    trees: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A patch is rolled back by itself; putting back can be asked for again."""
    fresh = contents(trees["fresh"])
    folder = tmp_path / "tree"

    def raise_it(call: Any) -> None:
        raise error

    def check_what_is_left(number: int) -> bool:
        sys.setprofile(at_call(number, raise_it))
        try:
            got = main([str(folder), *options])
        finally:
            sys.setprofile(None)
        if got == 0:
            return False
        assert got == code
        told = capsys.readouterr().err
        assert message in told
        if options:
            assert main([str(folder), "--revert"]) == 0
        elif code == 130:
            assert told.endswith("interrupted: every file is as it was\n")
        assert contents(folder) == fresh
        assert not (folder / "toyrl.pause_lint").exists()
        return True

    assert points(trees[start], folder, check_what_is_left) > 10


def test_what_cannot_be_rolled_back_is_said(
    trees: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copied(trees["fresh"], tmp_path / "tree")
    replace = os.replace

    def full(source: Any, target: Any) -> None:
        if Path(target).name == "second.py" and Path(target).parent.name == "toyrl":
            full_now.append(True)
        if full_now:
            raise OSError(errno.ENOSPC, "No space left on device", str(source), None, str(target))
        replace(source, target)

    full_now: list[bool] = []
    with monkeypatch.context() as patching:
        patching.setattr(os, "replace", full)
        assert main([str(folder)]) == 2
    told = capsys.readouterr().err
    assert f"No space left on device: '{folder}/toyrl/second.py'" in told
    assert "what was done until then could not be put back" in told
    assert "once the cause is gone, run it with `--revert`" in told

    assert main([str(folder), "--check"]) == 2
    told = capsys.readouterr().err
    assert "is patched in part, for an earlier run was interrupted: engine.py\n" in told
    assert main([str(folder), "--revert"]) == 0
    assert contents(folder) == contents(trees["fresh"])


@pytest.mark.parametrize("closed", [".", "toyrl"])
def test_a_folder_that_cannot_be_written_to(closed: str, trees: dict[str, Path]) -> None:
    """With the rights of a user who is not the superuser, for whom there is no such folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve() / "tree"
        shutil.copytree(trees["fresh"], folder)
        known = shutil.copytree(manifests.FOLDER, folder.parent / "patches")
        if os.getuid() == 0:
            for path in (folder.parent, folder, *folder.rglob("*")):
                os.chown(path, 65534, 65534)
        (folder / closed).chmod(0o555)
        process = os.fork()
        if process == 0:
            code = 1
            manifests.FOLDER = known
            try:
                if os.getuid() == 0:
                    os.seteuid(65534)
                with (folder.parent / "said").open("w", encoding="utf-8") as sys.stderr:
                    code = main([str(folder)])
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 2
        (folder / closed).chmod(0o755)
        refused = folder / {".": "toyrl.pause_lint", "toyrl": "toyrl/engine.py"}[closed]
        assert f"not patched: [Errno 13] Permission denied: '{refused}" in (folder.parent / "said").read_text()
        assert contents(folder) == contents(trees["fresh"])


def test_two_runs_at_once(trees: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = copied(trees["fresh"], tmp_path / "tree")
    handle = os.open(folder / "toyrl", os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        assert main([str(folder)]) == 2
    finally:
        os.close(handle)
    assert f"another run is at work on {folder / 'toyrl'}" in capsys.readouterr().err
    assert contents(folder) == contents(trees["fresh"])


def test_what_was_edited_since_is_kept_and_the_others_are_put_back(
    trees: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied(trees["patched"], tmp_path / "tree")
    fresh, patched = contents(trees["fresh"]), contents(folder)
    engine, kept = folder / "toyrl/engine.py", folder / "toyrl.pause_lint/files/engine.py"
    edited = engine.read_bytes() + b"# ours\n"
    engine.write_bytes(edited)

    assert main([str(folder)]) == 2
    told = capsys.readouterr().err
    assert (
        "was patched (1.0), and these files were edited or removed since then: engine.py. Nothing is changed." in told
    )
    assert "`--revert` puts back the others (second.py) and leaves these as they are" in told
    assert contents(folder) == {**patched, "toyrl/engine.py": edited}

    assert main([str(folder), "--revert"]) == 2
    told = capsys.readouterr().err
    assert "put back second.py\n" in told
    assert "not put back: engine.py was edited or removed after it was patched, and is left like that" in told
    assert str(kept) in told
    assert contents(folder) == {**patched, "toyrl/engine.py": edited, "toyrl/second.py": fresh["toyrl/second.py"]}

    shutil.copyfile(kept, engine)
    assert main([str(folder), "--revert"]) == 0
    assert contents(folder) == fresh


@pytest.mark.parametrize(
    "note, message",
    [
        ("", "is damaged (JSONDecodeError"),
        ("[]", "is damaged (TypeError"),
        ('{"version": "1.0", "files": {"engine.py": {}}}', "is damaged (KeyError"),
        ('{"version": "1.0", "files": {"../x": {"before": "", "after": ""}}}', "names a file outside the package"),
    ],
)
def test_a_damaged_note(
    note: str, message: str, trees: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied(trees["patched"], tmp_path / "tree")
    (folder / "toyrl.pause_lint/done.json").write_text(note, encoding="utf-8")
    before = contents(folder)
    for options in ([], ["--check"], ["--revert"]):
        assert main([str(folder), *options]) == 2
        told = capsys.readouterr().err
        assert message in told
        assert "back by hand, then remove that folder" in told
    assert contents(folder) == before


def test_a_folder_of_someone_else_in_the_place_of_the_store(
    trees: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied(trees["fresh"], tmp_path / "tree")
    (folder / "toyrl.pause_lint").mkdir()
    (folder / "toyrl.pause_lint/thesis.txt").write_text("the only copy", encoding="utf-8")
    before = contents(folder)
    for options in ([], ["--revert"]):
        assert main([str(folder), *options]) == 2
        assert "has no note of what was done (done.json), and thesis.txt in it" in capsys.readouterr().err
    assert contents(folder) == before


def test_an_unknown_version_is_patched_in_the_same_way(toy: Toy) -> None:
    """Killed or not, a change that was worked out on the spot can be taken back like any other."""
    engine = toy.package / "engine.py"
    engine.write_text(f"{ENGINE}# ours\n", encoding="utf-8")
    assert toy.apply("--unknown").code == 0
    again = toy.apply()
    assert (again.code, again.err) == (0, f"{toy.package} is of a version not known (unknown), patched\n")
    assert toy.apply("--revert").code == 0
    assert engine.read_text(encoding="utf-8") == f"{ENGINE}# ours\n"
