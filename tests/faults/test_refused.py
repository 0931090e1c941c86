"""What cannot be written is said, with file, reason and remedy; it stays as it was, and the others are done."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pause_lint.cli import main
from pause_lint.fixing import run
from tests.faults.processes import finished
from tests.helpers.commands import Done
from tests.helpers.sources import FAULTY, FIXED

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="rights, links and mounts of POSIX")
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only for the superuser")

SILENCED = FAULTY.replace("generation()\n", "generation()  # noqa: PR001\n", 1)
COMMANDS = {"fix": (["fix"], FIXED), "add-noqa": (["fix", "--add-noqa"], SILENCED)}
OTHERS = ("a.py", "z.py")
HARMED = "package/harmed.py"
NOBODY = 65534
BASELINE = '{"version": 1, "findings": []}\n'


@pytest.fixture(scope="module", autouse=True)
def loaded(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Everything is loaded before a child gives up the right to read it."""
    path = tmp_path_factory.mktemp("loaded") / "a.py"
    path.write_text(FAULTY, encoding="utf-8")
    assert [main(["fix", *words, "-q", "--diff", str(path)]) for words in ([], ["--add-noqa"])] == [1, 1]


@pytest.fixture
def tree() -> Iterator[Path]:
    """Three faulty files, one of them in a folder of its own. Not below `tmp_path`, where only one user may go."""
    top = Path(tempfile.mkdtemp()).resolve()
    top.chmod(0o755)
    folder = top / "tree"
    (folder / "package").mkdir(parents=True)
    (folder / "pyproject.toml").touch()
    for name in (*OTHERS, HARMED):
        (folder / name).write_text(FAULTY, encoding="utf-8")
    (folder / "package" / "pause-lint-baseline.json").write_text(BASELINE, encoding="utf-8")
    yield folder
    shutil.rmtree(top)


@pytest.fixture(params=COMMANDS)
def command(request: pytest.FixtureRequest) -> tuple[list[str], str]:
    """A command that writes, and what it makes of a faulty file."""
    return COMMANDS[request.param]


def went(tree: Path, command: tuple[list[str], str], before: Callable[[], object] = lambda: None) -> str:
    """Run a command on the tree; what it says of the file that cannot be written. All the others are written.

    before: what the process does first.
    """
    words, new = command
    files = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    done = ran(tree, words, before)
    assert done.code == 2, done.err
    for name in OTHERS:
        assert (tree / name).read_text("utf-8") == new
        del files[tree / name]
    # Nothing else has changed, and nothing was left.
    assert {path: path.read_bytes() for path in files} == files
    assert {path for path in tree.rglob("*") if path.is_file()} == {*files, *(tree / name for name in OTHERS)}
    [line] = done.err.splitlines()
    assert line.startswith(f"{HARMED}: error: ")
    return line.removeprefix(f"{HARMED}: error: ")


def ran(tree: Path, words: list[str], before: Callable[[], object] = lambda: None) -> Done:
    def action() -> int:
        os.chdir(tree)
        before()
        return main(words)

    return finished(action, tree.parent)


def attribute(path: Path, letter: str) -> Iterator[None]:
    """Give a file or folder an attribute of chattr(1) for a while."""
    if shutil.which("chattr") is None or subprocess.run(["chattr", f"+{letter}", path], check=False).returncode:
        pytest.skip("the file system takes no such attribute, or chattr is missing")
    yield
    subprocess.run(["chattr", f"-{letter}", path], check=True)


@pytest.fixture
def immutable_file(tree: Path) -> Iterator[None]:
    yield from attribute(tree / HARMED, "i")


@pytest.fixture
def immutable_folder(tree: Path) -> Iterator[None]:
    yield from attribute(tree / "package", "i")


@pytest.fixture
def append_only_file(tree: Path) -> Iterator[None]:
    yield from attribute(tree / HARMED, "a")


@pytest.fixture
def append_only_folder(tree: Path) -> Iterator[None]:
    yield from attribute(tree / "package", "a")


@pytest.fixture
def small_disk(tree: Path) -> Iterator[Path]:
    """A file system of its own for `package`."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tree / "package")]
    if shutil.which("mount") is None or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    (tree / HARMED).write_text(FAULTY, encoding="utf-8")
    (tree / "package" / "pause-lint-baseline.json").write_text(BASELINE, encoding="utf-8")
    yield tree / "package"
    subprocess.run(["umount", tree / "package"], check=True)


def fill(disk: Path) -> None:
    """Leave no room on a disk."""
    with suppress(OSError), (disk / "filler").open("wb", buffering=0) as filler:
        while filler.write(b"x" * 4096):
            pass


def test_a_read_only_file(tree: Path, command: tuple[list[str], str]) -> None:
    (tree / HARMED).chmod(0o444)
    assert went(tree, command) == "not written: is read-only: make it writable (`chmod u+w`)"


def test_a_read_only_folder(tree: Path, command: tuple[list[str], str]) -> None:
    (tree / "package").chmod(0o555)
    try:
        assert went(tree, command) == "not written: its folder is read-only: make it writable (`chmod u+w`)"
    finally:
        (tree / "package").chmod(0o755)


def test_a_hard_link(tree: Path, command: tuple[list[str], str]) -> None:
    os.link(tree / HARMED, tree.parent / "second.py")
    said = went(tree, command)
    assert said.startswith("not written: has 2 names (hard links), and replacing it would part them: make it a file of")


def test_a_link_out_of_the_tree(tree: Path, command: tuple[list[str], str]) -> None:
    outside = tree.parent / "outside.py"
    outside.write_text(FAULTY, encoding="utf-8")
    (tree / HARMED).unlink()
    (tree / HARMED).symlink_to(outside)
    said = went(tree, command)
    assert said.startswith(f"not written: leads to {outside}, outside {tree}: fix it there, or name that folder")
    assert outside.read_text("utf-8") == FAULTY


def test_a_link_within_the_tree(tree: Path) -> None:
    """It is followed, and stays a link."""
    (tree / "package" / "link.py").symlink_to("harmed.py")
    done = ran(tree, ["fix", "-q", "package/link.py"])
    assert (done.code, done.err) == (0, "")
    assert (tree / "package" / "link.py").is_symlink()
    assert (tree / HARMED).read_text("utf-8") == FIXED


def test_a_link_out_of_what_configuration_calls_the_project(tree: Path) -> None:
    """The tree itself cannot say that its project is larger than it is."""
    outside = tree.parent / "outside.py"
    outside.write_text(FAULTY, encoding="utf-8")
    (tree / "link.py").symlink_to(outside)
    (tree / "pyproject.toml").write_text('[tool.pause_lint]\nproject-root = "/"\n', encoding="utf-8")
    done = ran(tree, ["fix"])
    assert done.code == 2
    assert done.err.startswith("pyproject.toml:2: error: project-root leads outside the folder of this file: '/'")
    assert {path.read_text("utf-8") for path in (outside, tree / OTHERS[0])} == {FAULTY}


@as_root
def test_an_immutable_file(tree: Path, command: tuple[list[str], str], immutable_file: None) -> None:
    assert went(tree, command) == "not written: is immutable (`lsattr`): take the attribute away (`chattr -i`)"


@as_root
def test_an_immutable_folder(tree: Path, command: tuple[list[str], str], immutable_folder: None) -> None:
    said = went(tree, command)
    assert said == "not written: its folder is immutable (`lsattr`): take the attribute away (`chattr -i`)"


@as_root
def test_an_append_only_file(tree: Path, command: tuple[list[str], str], append_only_file: None) -> None:
    assert went(tree, command) == "not written: is append-only (`lsattr`): take the attribute away (`chattr -a`)"


@as_root
def test_an_append_only_folder(tree: Path, command: tuple[list[str], str], append_only_folder: None) -> None:
    """A temporary file could be made in it, and never be removed."""
    said = went(tree, command)
    assert said == "not written: its folder is append-only (`lsattr`): take the attribute away (`chattr -a`)"


@as_root
def test_a_full_disk(tree: Path, command: tuple[list[str], str], small_disk: Path) -> None:
    fill(small_disk)
    assert went(tree, command) == "not written: cannot be written: No space left on device: free some space"


@as_root
def test_a_disk_that_is_mounted_read_only(tree: Path, command: tuple[list[str], str], small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    assert went(tree, command) == "not written: cannot be written: Read-only file system: mount it writable"


def test_a_limit_on_the_size_of_files(tree: Path, command: tuple[list[str], str]) -> None:
    long = FAULTY + "# A long file.\n" * 1000
    (tree / HARMED).write_text(long, encoding="utf-8")
    said = went(tree, command, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
    assert said.startswith("not written: cannot be written: File too large: raise the limit on the size of files")


def give(path: Path, user: int) -> None:
    os.chown(path, user, user)


def as_nobody() -> None:
    """Give up all rights."""
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


@as_root
@pytest.mark.parametrize(
    "owner, mode, folder_owner, said",
    [
        (0, 0o644, NOBODY, "cannot be written by you: Permission denied: run as its owner"),
        (0, 0o666, NOBODY, "belongs to user 0 and group 0, which you cannot keep: run as its owner"),
        (
            NOBODY,
            0o644,
            0,
            "its folder takes no new file: Permission denied: make it writable (`chmod u+w`), or run as its owner",
        ),
    ],
    ids=["the file", "its owner", "the folder"],
)
def test_without_the_right(
    tree: Path, command: tuple[list[str], str], owner: int, mode: int, folder_owner: int, said: str
) -> None:
    for path in (tree, *(tree / name for name in OTHERS)):
        give(path, NOBODY)
    give(tree / HARMED, owner)
    (tree / HARMED).chmod(mode)
    give(tree / "package", folder_owner)
    assert went(tree, command, as_nobody) == f"not written: {said}"
    assert (tree / HARMED).stat().st_uid == owner


@as_root
def test_a_file_that_cannot_be_read(tree: Path, command: tuple[list[str], str]) -> None:
    for path in (tree, *(tree / name for name in OTHERS)):
        give(path, NOBODY)
    (tree / HARMED).chmod(0o600)
    said = went(tree, command, as_nobody)
    assert said == "cannot be read: Permission denied: make it readable (`chmod u+r`), or exclude it"


@pytest.mark.parametrize(
    "act, said",
    [
        (lambda path: path.write_text("theirs()\n"), "changed by another program in the meantime: run again"),
        (lambda path: path.unlink(), "cannot be written: No such file or directory: it vanished, run again"),
        (lambda path: path.chmod(0o444), "is read-only: make it writable (`chmod u+w`)"),
    ],
    ids=["changed", "removed", "permission lost"],
)
def test_what_others_do_between_reading_and_writing(
    tree: Path, monkeypatch: pytest.MonkeyPatch, act: Callable[[Path], object], said: str
) -> None:
    """They do it when the files have been read, and the first is being fixed."""
    real, acts, after = run.fix_file, [act], tree / HARMED

    def fix_file(*given: object, **options: object) -> run.FixedFile:
        while acts:
            acts.pop()(after)
        return real(*given, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(run, "fix_file", fix_file)
    done = ran(tree, ["fix", "-q"])
    assert done.code == 2
    assert done.err == f"{HARMED}: error: not written: {said}\n"
    assert [(tree / name).read_text("utf-8") for name in OTHERS] == [FIXED, FIXED]
    assert not after.exists() or after.read_text("utf-8") in (FAULTY, "theirs()\n")


# The baseline is one file: it is written, or the command says why not.


@pytest.mark.parametrize(
    "words", [["baseline", "-o"], ["check", "--update-baseline", "--baseline"]], ids=lambda words: words[0]
)
@pytest.mark.parametrize("harm", ["read-only", "hard link", "full", "immutable"])
def test_a_baseline(tree: Path, words: list[str], harm: str, request: pytest.FixtureRequest) -> None:
    name = "package/pause-lint-baseline.json"
    file = tree / name
    if harm in ("full", "immutable") and os.geteuid() != 0:
        pytest.skip("only for the superuser")
    if harm == "full":
        request.getfixturevalue("small_disk")
    gone = '{"around": "", "code": "PR001", "function": "f", "kind": "never", "path": "../a.py", "pause": "p"}'
    file.write_text(BASELINE if words[0] == "baseline" else BASELINE.replace("[]", f"[{gone}]"), encoding="utf-8")
    before = file.read_bytes()
    if harm == "read-only":
        file.chmod(0o444)
    elif harm == "hard link":
        os.link(file, tree / "second.json")
    elif harm == "full":
        fill(file.parent)
    else:
        holder = attribute(file, "i")
        next(holder)
        request.addfinalizer(lambda: next(holder, None))
    listed = sorted(os.listdir(file.parent))
    done = ran(tree, [*words, name, "a.py"])
    said = {
        "read-only": "is read-only: make it writable (`chmod u+w`)",
        "hard link": "has 2 names (hard links), and replacing it would part them: make it a file of its own "
        "(`cp file copy && mv copy file`)",
        "full": "cannot be written: No space left on device: free some space",
        "immutable": "is immutable (`lsattr`): take the attribute away (`chattr -i`)",
    }[harm]
    assert (done.code, done.err) == (2, f"pause-lint: error: {name}: {said}\n")
    assert file.read_bytes() == before
    assert sorted(os.listdir(file.parent)) == listed


def test_output_that_has_no_room(tree: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    for words in (["check"], ["check", "--output-format", "json"], ["fix", "--diff"], ["rule"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [sys.executable, "-m", "pause_lint", *words], cwd=tree, stdout=full, stderr=subprocess.PIPE, check=False
            )
        assert done.returncode == 2
        assert done.stderr.decode() == (
            "pause-lint: error: the output cannot be written: No space left on device: free some space, or send it "
            "elsewhere\n"
        )


def test_output_that_is_closed_does_not_end_in_a_file(tree: Path) -> None:
    words = [sys.executable, "-m", "pause_lint", "fix", "--statistics"]
    done = subprocess.run(["sh", "-c", '"$@" >&- 2>&- <&-', "sh", *words], cwd=tree, check=False)
    assert done.returncode == 0
    assert {(tree / name).read_text("utf-8") for name in (*OTHERS, HARMED)} == {FIXED}
