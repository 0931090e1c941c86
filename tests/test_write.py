"""Replacing a file: whole or not at all, with everything but the content as it was."""

from __future__ import annotations

import errno
import os
import stat
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pause_lint.fixing.write import WriteRefused, create, remove_stale, replace

ACL = "system.posix_acl_access"
OLD, NEW = b"a()\r\n", b"try:\r\n    a()\r\nfinally:\r\n    b()\r\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "module.py"
    path.write_bytes(OLD)
    return path


def set_attribute(path: Path, name: str, value: bytes) -> None:
    """Set an extended attribute, where there are any."""
    try:
        os.setxattr(path, name, value)
    except (AttributeError, OSError) as error:
        pytest.skip(f"{name} cannot be set on this file system: {error}")


def access_list(user: int) -> bytes:
    """An access control list that gives one more user the right to read, as acl(5) has it in an attribute of Linux."""
    nobody = 0xFFFFFFFF
    # Of the owner, of that user, of the group, the mask, of others; rights are those of `chmod`.
    entries = ((1, 6, nobody), (2, 4, user), (4, 4, nobody), (16, 4, nobody), (32, 4, nobody))
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


def while_writing(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Let another program act when the new content is on its way to the disk."""
    real = os.fsync

    def fsync(descriptor: int) -> None:
        real(descriptor)
        act()

    monkeypatch.setattr(os, "fsync", fsync)


def refused(path: Path, old: bytes = OLD, root: Path | None = None) -> str:
    """What is said; nothing may be left behind."""
    before = sorted(os.listdir(path.parent)) if path.parent.is_dir() else []
    with pytest.raises(WriteRefused) as caught:
        replace(str(path), old, NEW, None if root is None else str(root))
    assert (sorted(os.listdir(path.parent)) if path.parent.is_dir() else []) == before
    return str(caught.value)


def test_the_content_is_replaced(file: Path) -> None:
    replace(str(file), OLD, NEW, None)
    assert file.read_bytes() == NEW
    assert os.listdir(file.parent) == ["module.py"]


def test_a_relative_path_without_a_folder(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    replace("module.py", OLD, NEW, ".")
    assert file.read_bytes() == NEW


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o755, 0o664, 0o4755])
def test_permissions_stay(file: Path, mode: int) -> None:
    file.chmod(mode)
    replace(str(file), OLD, NEW)
    assert stat.S_IMODE(file.stat().st_mode) == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can give files away")
def test_the_owner_stays(file: Path) -> None:
    os.chown(file, 12345, 23456)
    replace(str(file), OLD, NEW)
    assert (file.stat().st_uid, file.stat().st_gid) == (12345, 23456)


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can give files away")
def test_without_the_right_to_keep_the_owner_nothing_is_written(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def chown(*args: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    os.chown(file, 12345, 23456)
    monkeypatch.setattr(os, "chown", chown)
    assert "belongs to user 12345 and group 23456, which you cannot keep: run as its owner" in refused(file)
    assert (file.stat().st_uid, file.read_bytes()) == (12345, OLD)


def test_permissions_that_cannot_be_kept_are_said(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.chmod(0o755)
    monkeypatch.setattr(os, "chmod", lambda *args: None)
    assert "its permissions (755) cannot be kept" in refused(file)


def test_extended_attributes_stay(file: Path) -> None:
    set_attribute(file, "user.origin", b"here")
    replace(str(file), OLD, NEW)
    assert os.getxattr(file, "user.origin") == b"here"


def test_an_extended_attribute_that_cannot_be_kept_is_said(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def setxattr(*args: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    set_attribute(file, "user.origin", b"here")
    monkeypatch.setattr(os, "setxattr", setxattr)
    assert "its attribute user.origin cannot be kept: Operation not permitted" in refused(file)
    assert file.read_bytes() == OLD


def test_a_signature_of_the_content_is_not_taken_over(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "listxattr", lambda path: ["security.ima"])
    replace(str(file), OLD, NEW)
    assert file.read_bytes() == NEW


def test_an_access_control_list_stays(file: Path) -> None:
    granted = access_list(user=12345)
    set_attribute(file, ACL, granted)
    before = stat.S_IMODE(file.stat().st_mode)
    replace(str(file), OLD, NEW)
    assert os.getxattr(file, ACL) == granted
    assert stat.S_IMODE(file.stat().st_mode) == before


def test_the_list_that_a_folder_gives_new_files_is_not_given_to_an_old_one(file: Path) -> None:
    set_attribute(file.parent, "system.posix_acl_default", access_list(user=12345))
    probe = file.with_name("probe")
    probe.touch()
    assert ACL in os.listxattr(probe)
    replace(str(file), OLD, NEW)
    assert ACL not in os.listxattr(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o644


def test_a_link_stays_a_link(file: Path, tmp_path: Path) -> None:
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "link.py"
    link.symlink_to(Path("..") / "module.py")
    replace(str(link), OLD, NEW, str(tmp_path))
    assert link.is_symlink()
    assert file.read_bytes() == NEW
    assert os.listdir(link.parent) == ["link.py"]


def test_a_link_out_of_the_tree_is_refused(file: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    link = tree / "link.py"
    link.symlink_to(file)
    assert "outside" in refused(link, root=tree)
    assert file.read_bytes() == OLD


def test_a_tree_whose_name_only_begins_alike_is_another(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree2").mkdir()
    other = tmp_path / "tree2" / "a.py"
    other.write_bytes(OLD)
    assert "outside" in refused(other, root=tmp_path / "tree")


def test_a_tree_named_by_a_link_is_the_same_tree(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "here"
    link.symlink_to(tmp_path)
    replace(str(link / "module.py"), OLD, NEW, str(link))
    assert file.read_bytes() == NEW


def test_a_link_in_a_circle_is_refused(tmp_path: Path) -> None:
    link = tmp_path / "loop.py"
    link.symlink_to(link)
    assert "circle" in refused(link)


def test_a_file_changed_by_another_program_is_refused(file: Path) -> None:
    assert "run again" in refused(file, old=b"b()\n")
    assert file.read_bytes() == OLD


def test_a_change_while_we_write_is_seen(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    while_writing(monkeypatch, lambda: file.write_bytes(b"theirs()\n"))
    assert "changed by another program" in refused(file)
    assert file.read_bytes() == b"theirs()\n"


def test_another_file_put_in_place_while_we_write_is_seen(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def put() -> None:
        other = file.with_name("other")
        other.write_bytes(OLD)
        other.replace(file)

    while_writing(monkeypatch, put)
    assert "replaced by another program" in refused(file)


def test_a_file_that_vanishes_while_we_write_is_not_made_again(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    while_writing(monkeypatch, file.unlink)
    with pytest.raises(WriteRefused, match="vanished"):
        replace(str(file), OLD, NEW)
    assert os.listdir(file.parent) == []


def test_a_read_only_file_is_refused_even_to_the_superuser(file: Path) -> None:
    file.chmod(0o444)
    assert "read-only: make it writable" in refused(file)
    assert file.read_bytes() == OLD


def test_a_read_only_folder_is_refused(file: Path) -> None:
    file.parent.chmod(0o555)
    try:
        assert "folder is read-only" in refused(file)
    finally:
        file.parent.chmod(0o755)
    assert file.read_bytes() == OLD


def test_a_file_that_vanished_is_refused(tmp_path: Path) -> None:
    assert "vanished" in refused(tmp_path / "gone.py")
    assert "vanished" in refused(tmp_path / "gone" / "gone.py")
    assert refused(tmp_path / "gone.py" / "below.py")


def test_hard_links_are_refused(file: Path) -> None:
    os.link(file, file.with_name("second.py"))
    assert "2 names (hard links)" in refused(file)
    assert file.read_bytes() == OLD


def test_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "package.py").mkdir()
    assert "is a folder" in refused(tmp_path / "package.py")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs here")
def test_a_fifo_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    assert "no regular file" in refused(tmp_path / "pipe.py")


@pytest.mark.parametrize("call", ["fsync", "replace", "chmod"])
def test_whatever_fails_leaves_the_file_alone(file: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    file.chmod(0o755)

    def fail(*args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, call, fail)
    assert "No space left on device: free some space" in refused(file)
    assert file.read_bytes() == OLD


def test_an_interrupt_leaves_no_temporary_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        replace(str(file), OLD, NEW)
    assert os.listdir(file.parent) == ["module.py"]
    assert file.read_bytes() == OLD


def test_a_folder_that_cannot_be_synchronised_does_no_harm(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.fsync

    def fsync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    replace(str(file), OLD, NEW)
    assert file.read_bytes() == NEW


def test_the_content_is_on_disk_before_the_name_is_taken(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    fsync, rename = os.fsync, os.replace

    def synchronise(descriptor: int) -> None:
        order.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "content")
        fsync(descriptor)

    def take(source: str, target: str) -> None:
        order.append("name")
        assert Path(source).parent == Path(target).parent
        rename(source, target)

    monkeypatch.setattr(os, "fsync", synchronise)
    monkeypatch.setattr(os, "replace", take)
    replace(str(file), OLD, NEW)
    assert order == ["content", "name", "folder"]


def test_what_killed_runs_left_is_removed_and_nothing_else(file: Path) -> None:
    folder = file.parent
    left = folder / ".pause_lint.0123456789abcdef.tmp"
    left.touch()
    (folder / ".pause_lint.tmp").touch()
    (folder / ".pause_lint.1123456789abcdef.tmp").mkdir()
    (folder / ".pause_lint.2123456789abcdef.tmp").symlink_to(file)
    assert remove_stale(str(folder)) == [str(left)]
    assert sorted(os.listdir(folder)) == [
        ".pause_lint.1123456789abcdef.tmp",
        ".pause_lint.2123456789abcdef.tmp",
        ".pause_lint.tmp",
        "module.py",
    ]
    assert remove_stale(str(folder / "missing")) == []


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be removed there")
def test_what_another_run_is_writing_is_not_removed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    removed: list[str] = []
    while_writing(monkeypatch, lambda: removed.extend(remove_stale(str(file.parent))))
    replace(str(file), OLD, NEW)
    create(str(file.with_name("new.json")), NEW)
    assert removed == []
    assert file.read_bytes() == file.with_name("new.json").read_bytes() == NEW


@pytest.mark.skipif(sys.platform == "win32", reason="no flock there")
def test_a_file_that_is_being_removed_is_not_written_to(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between making the temporary file and locking it, another run takes it for one that was left."""
    import fcntl

    real, others = fcntl.flock, ["another run"]

    def flock(descriptor: int, how: int) -> None:
        if others:
            raise BlockingIOError(errno.EWOULDBLOCK, others.pop())
        real(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    replace(str(file), OLD, NEW)
    assert file.read_bytes() == NEW


@pytest.mark.skipif(sys.platform == "win32", reason="no flock there")
def test_without_locks_files_are_written_and_nothing_is_removed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    def flock(*args: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    (file.parent / ".pause_lint.0123456789abcdef.tmp").touch()
    assert remove_stale(str(file.parent)) == []
    replace(str(file), OLD, NEW)
    assert file.read_bytes() == NEW


def test_a_name_of_any_length(tmp_path: Path) -> None:
    path = tmp_path / ("x" * (os.pathconf(tmp_path, "PC_NAME_MAX") - 3) + ".py")
    path.write_bytes(OLD)
    replace(str(path), OLD, NEW)
    assert path.read_bytes() == NEW


def test_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "new.json"
    mask = os.umask(0o027)
    try:
        create(str(path), NEW)
    finally:
        os.umask(mask)
    assert path.read_bytes() == NEW
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["new.json"]


def test_what_is_there_is_not_overwritten(file: Path) -> None:
    (file.parent / "link").symlink_to("nowhere")
    for name in ("module.py", "link"):
        with pytest.raises(WriteRefused, match="made by another program in the meantime: run again"):
            create(str(file.parent / name), NEW)
    assert file.read_bytes() == OLD
    assert sorted(os.listdir(file.parent)) == ["link", "module.py"]


def test_what_is_made_while_we_write_is_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "new.json"
    while_writing(monkeypatch, lambda: path.write_bytes(b"theirs"))
    with pytest.raises(WriteRefused, match="made by another program in the meantime: run again"):
        create(str(path), NEW)
    assert path.read_bytes() == b"theirs"
    assert os.listdir(tmp_path) == ["new.json"]


def test_a_new_file_where_there_are_no_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def link(*args: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    create(str(tmp_path / "new.json"), NEW)
    assert (tmp_path / "new.json").read_bytes() == NEW
    with pytest.raises(WriteRefused, match="made by another program"):
        create(str(tmp_path / "new.json"), OLD)
    assert os.listdir(tmp_path) == ["new.json"]


def test_a_new_file_in_no_folder(tmp_path: Path) -> None:
    with pytest.raises(WriteRefused, match="No such file or directory: make the folder first"):
        create(str(tmp_path / "no" / "new.json"), NEW)
