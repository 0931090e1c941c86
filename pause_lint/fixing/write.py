"""Puts the new content of a file in its place, whole or not at all. Knows nothing of Python source.

The content goes to a temporary file beside the real one, reaches the disk, and takes the name over in one step
(`rename` of POSIX; `os.replace`), so that neither a crash nor a reader sees half a file.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat

_STALE = re.compile(r"\..+\.pause_lint\.[0-9a-f]{16}\.tmp")


class WriteRefused(Exception):
    """The file was left as it is; the message says why and what helps."""


def replace(path: str, old: bytes, new: bytes, root: str | None = None) -> None:
    """Replace the content `old` of a file by `new`, atomically.

    Symbolic links are followed to the real file, which must lie within the folder `root`, if one is given.
    Permissions, owner and extended attributes stay as they are, as far as the platform and the user's rights allow.
    Raises `WriteRefused`, with the file untouched, if it is not a regular file with one name, is read-only, or no
    longer holds `old`, and for whatever the system reports.
    """
    try:
        _replace(path, old, new, root)
    except OSError as error:
        raise WriteRefused(f"{path}: cannot be written: {error.strerror or error}{_remedy(error)}") from error


def create(path: str, data: bytes) -> None:
    """Make a file that is not there yet, whole or not at all, with the permissions that new files get.

    Raises `WriteRefused` if there is something of that name, and for whatever the system reports.
    """
    folder, name = os.path.split(os.path.abspath(path))
    temporary = os.path.join(folder, f".{name}.pause_lint.{secrets.token_hex(8)}.tmp")
    try:
        try:
            _write(temporary, data, 0o666)
            if os.path.lexists(path):
                raise WriteRefused(f"{path}: made by another program in the meantime: run again")
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        _sync_folder(folder)
    except OSError as error:
        remedy = ": make the folder first" if error.errno == errno.ENOENT else _remedy(error)
        raise WriteRefused(f"{path}: cannot be written: {error.strerror or error}{remedy}") from error


def remove_stale(folder: str) -> list[str]:
    """Remove the temporary files that killed runs left in a folder. Returns their paths; raises nothing.

    Not to be called while another run may be writing there.
    """
    removed: list[str] = []
    with contextlib.suppress(OSError):
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if _STALE.fullmatch(name):
                with contextlib.suppress(OSError):
                    if stat.S_ISREG(os.lstat(path).st_mode):
                        os.unlink(path)
                        removed.append(path)
    return removed


def _replace(path: str, old: bytes, new: bytes, root: str | None) -> None:
    real = os.path.realpath(path, strict=True)
    if root is not None and not _within(real, os.path.realpath(root)):
        raise WriteRefused(f"{path}: leads to {real}, outside {root}: fix it there, or name that folder")
    status = os.stat(real)
    _check_kind(path, status)
    _check_writable(path, real, status)
    _check_content(path, real, old)
    folder, name = os.path.split(real)
    temporary = os.path.join(folder, f".{name}.pause_lint.{secrets.token_hex(8)}.tmp")
    try:
        _write(temporary, new)
        _copy_attributes(real, temporary, status)
        # As late as can be: what others wrote since then would be lost.
        if not os.path.samestat(os.stat(real), status):
            raise WriteRefused(f"{path}: replaced by another program in the meantime: run again")
        _check_content(path, real, old)
        os.replace(temporary, real)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


def _within(path: str, folder: str) -> bool:
    try:
        return os.path.commonpath((path, folder)) == folder
    except ValueError:  # another drive
        return False


def _check_kind(path: str, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise WriteRefused(f"{path}: is a folder: name a file")
    if not stat.S_ISREG(status.st_mode):
        raise WriteRefused(f"{path}: is no regular file: copy its content to one")
    if status.st_nlink > 1:
        raise WriteRefused(
            f"{path}: has {status.st_nlink} names (hard links), and replacing it would part them: "
            "make it a file of its own (`cp file copy && mv copy file`)"
        )


def _check_writable(path: str, real: str, status: os.stat_result) -> None:
    # The mode bits as well: the superuser may write what was set read-only on purpose.
    if not status.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(real, os.W_OK):
        raise WriteRefused(f"{path}: is read-only: make it writable (`chmod u+w`)")
    folder = os.path.dirname(real)
    mode = os.stat(folder).st_mode
    if not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(folder, os.W_OK | os.X_OK):
        raise WriteRefused(f"{path}: its folder is read-only: make it writable (`chmod u+w`)")


def _check_content(path: str, real: str, old: bytes) -> None:
    with open(real, "rb") as file:
        if file.read() != old:
            raise WriteRefused(f"{path}: changed by another program in the meantime: run again")


def _write(temporary: str, new: bytes, mode: int = 0o600) -> None:
    # Not readable by others before it has the permissions of the original; `x`: never an existing file or a link.
    with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
        file.write(new)
        file.flush()
        os.fsync(file.fileno())


def _copy_attributes(real: str, temporary: str, status: os.stat_result) -> None:
    """Owner, extended attributes, then permissions: a change of owner clears the set-user bits."""
    mode = stat.S_IMODE(status.st_mode)
    owner = (status.st_uid, status.st_gid)
    if hasattr(os, "chown"):
        created = os.stat(temporary)
        if (created.st_uid, created.st_gid) != owner:
            with contextlib.suppress(PermissionError):
                os.chown(temporary, -1, status.st_gid)
            with contextlib.suppress(PermissionError):
                os.chown(temporary, status.st_uid, -1)
    if hasattr(os, "listxattr"):
        with contextlib.suppress(OSError):
            for name in os.listxattr(real):
                with contextlib.suppress(OSError):
                    os.setxattr(temporary, name, os.getxattr(real, name))
    created = os.stat(temporary)
    if (created.st_uid, created.st_gid) != owner:
        mode &= ~(stat.S_ISUID | stat.S_ISGID)  # they would speak for another owner
    os.chmod(temporary, mode)


def _sync_folder(folder: str) -> None:
    """Make the new name last. Where a folder cannot be opened or synchronised, the file is in place all the same."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _remedy(error: OSError) -> str:
    remedies = {
        errno.ENOENT: ": it vanished, run again",
        errno.ELOOP: ": its links lead in a circle, remove them",
        errno.ENOSPC: ": free some space",
        errno.EROFS: ": mount it writable",
        errno.EACCES: ": make the file and its folder writable",
        errno.EPERM: ": make the file and its folder writable",
        errno.ENAMETOOLONG: ": shorten its name",
    }
    return remedies.get(error.errno or 0, "")
