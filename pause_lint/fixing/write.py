"""Puts the new content of a file in its place, whole or not at all. Knows nothing of Python source.

The content goes to a temporary file beside the real one, reaches the disk, and takes the name over in one step
(`rename` of POSIX; `os.replace`), so that neither a crash nor a reader sees half a file. What another program writes
is noticed up to that step; between the last look and the step itself, POSIX has no means to notice it.

A run that is killed can leave a temporary file. While it runs it holds a lock on it (flock(2)), so that a later run can
tell what was left from what is still being written.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import struct
import sys
from collections.abc import Iterator
from typing import BinaryIO

if sys.platform != "win32":
    import fcntl

_TEMPORARY = re.compile(r"\.pause_lint\.[0-9a-f]{16}\.tmp")
_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
# ioctl_iflags(2), of Linux.
_IMMUTABLE, _APPEND_ONLY = 0x10, 0x20
_ACL = "system.posix_acl_access"
# Signatures of the content or of the inode: the system makes them anew.
_SIGNATURES = frozenset({"security.ima", "security.evm"})


class WriteRefused(Exception):
    """The file `path` was left as it is; `reason` says why and what helps."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.reason = reason


def replace(path: str, old: bytes, new: bytes, root: str | None = None) -> None:
    """Replace the content `old` of a file by `new`, atomically.

    Symbolic links are followed to the real file, which must lie within the folder `root`, if one is given.
    Owner, permissions, extended attributes and access control lists stay, as far as the platform has them.
    Raises `WriteRefused`, with the file untouched, if one of them cannot be kept, if it is not a regular file with one
    name, is read-only, or no longer holds `old`, and for whatever the system reports.
    """
    try:
        _replace(path, old, new, root)
    except OSError as error:
        raise _failed(path, error) from error


def create(path: str, data: bytes) -> None:
    """Make a file that is not there yet, whole or not at all, with the permissions that new files get.

    Raises `WriteRefused` if there is something of that name, and for whatever the system reports.
    """
    folder = os.path.dirname(os.path.abspath(path))
    try:
        with _temporary(path, folder, 0o666) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            _take_new_name(file, path)
        _sync_folder(folder)
    except FileNotFoundError as error:
        raise WriteRefused(path, f"cannot be written: {error.strerror}: make the folder first") from error
    except OSError as error:
        raise _failed(path, error) from error


def target(path: str, root: str | None) -> str:
    """The real file that `replace` would write, through all links. Raises `WriteRefused`, and OSError without one."""
    real = os.path.realpath(path, strict=True)
    if root is not None and not _within(real, os.path.realpath(root)):
        raise WriteRefused(path, f"leads to {real}, outside {root}: fix it there, or name that folder")
    return real


def remove_stale(folder: str) -> list[str]:
    """Remove the temporary files that killed runs left in a folder, not those of runs that are still writing.

    Returns their paths; raises nothing. Where the file system knows no locks, they cannot be told apart, and stay.
    """
    removed: list[str] = []
    with contextlib.suppress(OSError):
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if _TEMPORARY.fullmatch(name):
                with contextlib.suppress(OSError):
                    if _removed(path):
                        removed.append(path)
    return removed


def _replace(path: str, old: bytes, new: bytes, root: str | None) -> None:
    real = target(path, root)
    folder = os.path.dirname(real)
    status = os.stat(real)
    _check_kind(path, status)
    _check_writable(path, real, folder, status)
    _check_content(path, real, old)
    # Not readable by others before it has the permissions of the original.
    with _temporary(path, folder, 0o600) as file:
        file.write(new)
        file.flush()
        _copy_attributes(path, real, file.name, status)
        os.fsync(file.fileno())
        # As late as can be: what others wrote since then would be lost.
        if not os.path.samestat(os.stat(real), status):
            raise WriteRefused(path, "replaced by another program in the meantime: run again")
        _check_content(path, real, old)
        _close_on_windows(file)
        os.replace(file.name, real)
    _sync_folder(folder)


def _within(path: str, folder: str) -> bool:
    try:
        return os.path.commonpath((path, folder)) == folder
    except ValueError:  # another drive
        return False


def _check_kind(path: str, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise WriteRefused(path, "is a folder: name a file")
    if not stat.S_ISREG(status.st_mode):
        raise WriteRefused(path, "is no regular file: copy its content to one")
    if status.st_nlink > 1:
        raise WriteRefused(
            path,
            f"has {status.st_nlink} names (hard links), and replacing it would part them: "
            "make it a file of its own (`cp file copy && mv copy file`)",
        )


def _check_writable(path: str, real: str, folder: str, status: os.stat_result) -> None:
    """Refuses what a rename would do all the same: it asks for rights on the folder, not on the file."""
    for place, it in ((real, "is"), (folder, "its folder is")):
        flags = _flags(place)
        if flags & (_IMMUTABLE | _APPEND_ONLY):
            word, letter = ("immutable", "i") if flags & _IMMUTABLE else ("append-only", "a")
            raise WriteRefused(path, f"{it} {word} (`lsattr`): take the attribute away (`chattr -{letter}`)")
    # The mode says what is meant; the superuser may write all the same.
    if not status.st_mode & _WRITABLE:
        raise WriteRefused(path, "is read-only: make it writable (`chmod u+w`)")
    if not os.stat(folder).st_mode & _WRITABLE:
        raise WriteRefused(path, "its folder is read-only: make it writable (`chmod u+w`)")
    try:
        os.close(os.open(real, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)))
    except PermissionError as error:
        raise WriteRefused(path, f"cannot be written by you: {error.strerror}: run as its owner") from error


def _check_content(path: str, real: str, old: bytes) -> None:
    with open(real, "rb") as file:
        if file.read() != old:
            raise WriteRefused(path, "changed by another program in the meantime: run again")


@contextlib.contextmanager
def _temporary(path: str, folder: str, mode: int) -> Iterator[BinaryIO]:
    """A new file in `folder`, locked and open for writing. It is gone at the end if something goes wrong.

    path: the file that it is to become.
    """
    try:
        file = _made(folder, mode)
    except PermissionError as error:
        reason = f"its folder takes no new file: {error.strerror}: make it writable (`chmod u+w`), or run as its owner"
        raise WriteRefused(path, reason) from error
    try:
        with file:
            yield file
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(file.name)
        raise


def _made(folder: str, mode: int) -> BinaryIO:
    while True:
        name = os.path.join(folder, f".pause_lint.{os.urandom(8).hex()}.tmp")
        # `x`: never an existing file or a link.
        file = open(name, "xb", opener=lambda path, flags: os.open(path, flags, mode))  # noqa: SIM115
        if _claimed(file.fileno()):
            return file
        file.close()


def _claimed(descriptor: int) -> bool:
    """Lock a file of ours; whether nobody who removes what was left has been faster."""
    if sys.platform != "win32":
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # no locks on this file system
            pass
    return True


def _removed(path: str) -> bool:
    """Remove a temporary file unless somebody writes to it. Raises OSError."""
    if sys.platform == "win32":  # an open file cannot be removed there
        os.unlink(path)
        return True
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return False
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(path)
        return True
    finally:
        os.close(descriptor)


def _take_new_name(file: BinaryIO, path: str) -> None:
    """Give a temporary file its name, which must be free."""
    taken = WriteRefused(path, "made by another program in the meantime: run again")
    _close_on_windows(file)
    try:
        os.link(file.name, path)  # unlike a rename, it takes no name that is in use
    except FileExistsError:
        raise taken from None
    except OSError:  # no hard links on this file system, or the folder is gone, which the rename says as well
        if os.path.lexists(path):
            raise taken from None
        os.replace(file.name, path)
    else:
        os.unlink(file.name)


def _close_on_windows(file: BinaryIO) -> None:
    """There, an open file cannot be renamed; elsewhere, it stays locked until it has its name."""
    if sys.platform == "win32":
        file.close()


def _copy_attributes(path: str, real: str, temporary: str, status: os.stat_result) -> None:
    """Owner, extended attributes, then permissions: a change of owner clears the set-user bits."""
    owner, mode = (status.st_uid, status.st_gid), stat.S_IMODE(status.st_mode)
    created = os.stat(temporary)
    if (created.st_uid, created.st_gid) != owner:
        try:
            os.chown(temporary, *owner)
        except PermissionError as error:
            reason = f"belongs to user {owner[0]} and group {owner[1]}, which you cannot keep: run as its owner"
            raise WriteRefused(path, reason) from error
    _copy_extended(path, real, temporary)
    if stat.S_IMODE(os.stat(temporary).st_mode) != mode:
        os.chmod(temporary, mode)
    if stat.S_IMODE(os.stat(temporary).st_mode) != mode:
        raise WriteRefused(path, f"its permissions ({mode:o}) cannot be kept: run as its owner")


def _copy_extended(path: str, real: str, temporary: str) -> None:
    """The extended attributes, among which Linux keeps access control lists and labels."""
    wanted, given = _extended(real), _extended(temporary)
    name = _ACL
    try:
        if _ACL in given and _ACL not in wanted:  # the folder's, for new files
            os.removexattr(temporary, _ACL)
        for name, value in wanted.items():
            if given.get(name) != value:
                os.setxattr(temporary, name, value)
    except OSError as error:
        reason = f"its attribute {name} cannot be kept: {error.strerror}: run as its owner, or take the attribute away"
        raise WriteRefused(path, reason) from error


def _extended(path: str) -> dict[str, bytes]:
    if not hasattr(os, "listxattr"):
        return {}
    try:
        names = os.listxattr(path)
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            return {}
        raise
    return {name: os.getxattr(path, name) for name in names if name not in _SIGNATURES}


def _flags(path: str) -> int:
    """The inode flags of a file or folder; 0 where there are none."""
    if sys.platform == "linux":
        size = struct.calcsize("l")
        read_flags = 2 << 30 | size << 16 | ord("f") << 8 | 1  # FS_IOC_GETFLAGS
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                return int.from_bytes(fcntl.ioctl(descriptor, read_flags, bytes(size))[:4], sys.byteorder)
            finally:
                os.close(descriptor)
    return 0


def _sync_folder(folder: str) -> None:
    """Make the new name last. Where a folder cannot be opened or synchronised, the file is in place all the same."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _failed(path: str, error: OSError) -> WriteRefused:
    remedies = {
        errno.ENOENT: "it vanished, run again",
        errno.ELOOP: "its links lead in a circle, remove them",
        errno.ENOSPC: "free some space",
        errno.EDQUOT: "free some of your quota",
        errno.EFBIG: "raise the limit on the size of files (`ulimit -f`)",
        errno.EROFS: "mount it writable",
        errno.EACCES: "make the file and its folder accessible (`chmod u+rwx`), or run as their owner",
        errno.EPERM: "run as the owner of the file and its folder, or take attributes away that forbid it (`lsattr`)",
        errno.ENAMETOOLONG: "shorten its path",
    }
    remedy = remedies.get(error.errno or 0)
    return WriteRefused(path, f"cannot be written: {error.strerror or error}" + (f": {remedy}" if remedy else ""))
