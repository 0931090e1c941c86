"""What was done to a package on disk: noted beside it, with the files as they were, so that it can be taken back.

    <package>.pause_lint/files/<path>   a file as it was
    <package>.pause_lint/done.json      what was done: the hash of each file before and after

The note is written last and removed first. While it is there, every file that it names is kept; without it the package
is as it was, and all that is kept are copies. A file takes its place in one step (`rename` of POSIX). So a run can be
killed at any moment: the next one puts back what was done, or removes the copies. For POSIX systems.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from pause_lint_overlay.manifests import NotPatched, digest

MARK = ".pause_lint"
"""How the names of the store and of temporary files end."""


class Note(NamedTuple):
    """What was done. version: of the package. before, after: the hashes of the files, by their paths in the package."""

    version: str
    before: Mapping[str, str]
    after: Mapping[str, str]


class State(NamedTuple):
    """The files of a note as they are today, by their paths: as before, as after, and those that are neither."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    edited: tuple[str, ...]


def store_of(folder: Path) -> Path:
    """Where the files of a package are kept as they were."""
    return folder.with_name(f"{folder.name}{MARK}")


def kept_of(folder: Path, path: str) -> Path:
    """Where one of them is kept."""
    return store_of(folder) / "files" / path


def read(folder: Path) -> Note | None:
    """The note beside a package; None if there is none. Raises NotPatched for one that is not of ours, and OSError."""
    file = store_of(folder) / "done.json"
    try:
        found = json.loads(file.read_bytes())
        files = {str(path): (str(one["before"]), str(one["after"])) for path, one in found["files"].items()}
        version = str(found["version"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotPatched(f"{file} is damaged ({type(error).__name__}: {error}); {_BY_HAND}") from None
    for path in files:
        if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
            raise NotPatched(f"{file} names a file outside the package, {path}; {_BY_HAND}")
    return Note(version, {path: one[0] for path, one in files.items()}, {path: one[1] for path, one in files.items()})


_BY_HAND = "put the files in `files/` beside it back by hand, then remove that folder"


def state(folder: Path, note: Note) -> State:
    """What has become of the files of a note. Raises OSError if one is there and cannot be read."""
    current = {path: _digest(folder / path) for path in sorted(note.before)}
    after = tuple(path for path, digits in current.items() if digits == note.after[path])
    before = tuple(path for path, digits in current.items() if digits == note.before[path] and path not in after)
    return State(before, after, tuple(path for path in current if path not in {*before, *after}))


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other runs away from a package, as long as this one lives. Raises NotPatched if one is at work on it."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise NotPatched(f"another run is at work on {folder}; wait for it") from None
        except OSError:
            pass  # a file system without locks
        yield
    finally:
        os.close(handle)


def write(folder: Path, contents: Mapping[str, bytes], version: str) -> None:
    """Put `contents` in place, by path in the package, and keep the files as they were.

    If anything is raised, also KeyboardInterrupt, all is as it was; NotPatched says so if that could not be done.
    """
    before = {path: (folder / path).read_bytes() for path in contents}
    done = {path: {"before": digest(before[path]), "after": digest(data)} for path, data in contents.items()}
    note = {"package": str(folder), "version": version, "files": done}
    try:
        for path, data in before.items():
            kept_of(folder, path).parent.mkdir(parents=True, exist_ok=True)
            _put(kept_of(folder, path), data, folder / path)
        text = json.dumps(note, indent=1) + "\n"
        _put(store_of(folder) / "done.json", text.encode(), folder / next(iter(contents)))
        for path, data in contents.items():
            _put(folder / path, data, folder / path)
    except BaseException as error:
        try:
            take_back(folder)
        except (NotPatched, OSError) as second:
            why = str(error) or type(error).__name__
            raise NotPatched(
                f"{why}; what was done until then could not be put back ({second}): "
                f"once the cause is gone, run it with `--revert`"
            ) from error
        raise


def take_back(folder: Path) -> State:
    """Put back the files that are as they were patched, and remove what is kept of them. Returns the state before.

    Files that were edited since are left alone; if there are any, all that is kept stays. Without a note, only copies
    are removed. Raises NotPatched and OSError; it can then be called again.
    """
    note = read(folder)
    if note is None:
        _sweep(folder)
        return State((), (), ())
    found = state(folder, note)
    originals = {path: kept_of(folder, path).read_bytes() for path in found.after}
    for path, data in originals.items():
        if digest(data) != note.before[path]:
            raise NotPatched(f"{kept_of(folder, path)} is not as it was kept; put {path} back by hand")
    for path, data in originals.items():
        _put(folder / path, data, folder / path)
    remove_temporary(folder, note)
    if not found.edited:
        (store_of(folder) / "done.json").unlink()
        _sweep(folder)
    return found


def remove_temporary(folder: Path, note: Note) -> None:
    """Remove the temporary files that a killed run left in the package. Raises OSError."""
    for path in note.before:
        temporary = _temporary(folder / path)
        if os.path.lexists(temporary):  # asked first, for a read-only file system refuses even what changes nothing
            temporary.unlink()


def _sweep(folder: Path) -> None:
    """Remove a store that has no note, and is of copies only. Raises NotPatched if anything in it is nowhere else."""
    store = store_of(folder)
    if not os.path.lexists(store):
        return
    for path in sorted(store.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            continue
        inside = path.relative_to(store)
        is_copy = inside.parts[0] == "files" and _digest(path) == _digest(folder.joinpath(*inside.parts[1:]))
        if not is_copy and not _is_temporary(path):
            raise NotPatched(
                f"{store} has no note of what was done (done.json), and {inside} in it is not as in the package; "
                "if you have no use for it, remove that folder and run this again"
            )
    shutil.rmtree(store)


def _digest(path: Path) -> str:
    """The hash of a file; the empty string if there is none."""
    try:
        return digest(path.read_bytes())
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return ""


def _temporary(path: Path) -> Path:
    """What the content of a file is written to first: a name that a later run knows again."""
    real = path.resolve()
    return real.with_name(f".{real.name}{MARK}")


def _is_temporary(path: Path) -> bool:
    return path.name.startswith(".") and path.name.endswith(MARK)


def _put(path: Path, data: bytes, like: Path) -> None:
    """Write a file as a whole or not at all, with the owner and the permissions of `like`. Raises OSError, which names
    the file.
    """
    temporary = _temporary(path)
    try:
        if os.path.lexists(temporary):
            temporary.unlink()
        status = like.stat()
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with suppress(PermissionError):
            os.chown(temporary, status.st_uid, status.st_gid)
        os.chmod(temporary, status.st_mode & 0o777)
        os.replace(temporary, path.resolve())
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
