"""A package on disk: which version it is, patched in place, and put back.

The files as they were are kept beside the package, in `<package>.pause_lint/`, with a note of what was done. A file is
written as a whole or not at all; a tree of which one file is unknown is left alone.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pause_lint_overlay.manifests import Manifest, NotPatched, digest, every, patched


class Known(NamedTuple):
    """The version that a tree is of, and whether it is patched already."""

    manifest: Manifest
    is_patched: bool


class Unknown(NamedTuple):
    """No version that is known. nearest: the one that most files are of. strange: those of its files that are not."""

    nearest: Manifest | None
    strange: tuple[str, ...]


def package_folder(given: Path) -> Path:
    """The folder of the package: the one given, or `areal` in it. Raises NotPatched if there is none."""
    packages = {manifest.package for manifest in every()}
    for folder in (given, *(given / package for package in sorted(packages))):
        if folder.resolve().name in packages and (folder / "__init__.py").is_file():
            return folder.resolve()
    raise NotPatched(f"{given} is no folder of {' or '.join(sorted(packages))}, nor does it hold one")


def identify(folder: Path) -> Known | Unknown:
    """The version that the package in `folder` is of, by the hashes of the files that would be patched."""
    hashes: dict[str, str] = {}

    def found(path: str) -> str:
        if path not in hashes:
            file = folder / path
            hashes[path] = digest(file.read_bytes()) if file.is_file() else ""
        return hashes[path]

    best: tuple[int, Manifest | None, tuple[str, ...]] = (0, None, ())
    for manifest in every(folder.name):
        fresh = [file.path for file in manifest.files if found(file.path) == file.before]
        done = [file.path for file in manifest.files if found(file.path) == file.after]
        beside = [path for path, digits in manifest.beside.items() if found(path) == digits]
        if len(beside) == len(manifest.beside) and len(manifest.files) in (len(fresh), len(done)):
            return Known(manifest, bool(done))
        alike = {*fresh, *done, *beside}
        strange = tuple(
            path for path in (*(file.path for file in manifest.files), *manifest.beside) if path not in alike
        )
        if len(alike) > best[0]:
            best = (len(alike), manifest, strange)
    return Unknown(best[1], best[2])


def new_contents(folder: Path, manifest: Manifest) -> dict[str, bytes]:
    """The patched bytes of each file, by its path. Raises NotPatched if any is not what the manifest says."""
    result = {}
    for file in manifest.files:
        try:
            result[file.path] = patched((folder / file.path).read_bytes(), file)
        except NotPatched as error:
            raise NotPatched(f"{file.path}: {error}") from None
    return result


def store_of(folder: Path) -> Path:
    """Where the files of a package are kept as they were."""
    return folder.with_name(f"{folder.name}.pause_lint")


def write(folder: Path, contents: Mapping[str, bytes], title: str) -> None:
    """Put `contents` in place, the files as they were kept beside the package. If one cannot be written, none is.

    title: the version, as the note has it.
    """
    store = store_of(folder)
    if store.exists():
        raise NotPatched(f"{store} is there from an earlier run; `--revert` first, or remove it")
    before = {path: (folder / path).read_bytes() for path in contents}
    try:
        for path, data in before.items():
            kept = store / "files" / path
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(data)
        done = {path: {"before": digest(before[path]), "after": digest(data)} for path, data in contents.items()}
        note = {"package": str(folder), "version": title, "files": done}
        (store / "done.json").write_text(json.dumps(note, indent=1) + "\n", encoding="utf-8")
        for path, data in contents.items():
            replace(folder / path, data)
    except OSError:
        for path, data in before.items():
            if (folder / path).read_bytes() != data:
                replace(folder / path, data)
        _remove(store)
        raise


def revert(folder: Path) -> list[str]:
    """Put back the files as they were, and say which.

    Raises NotPatched if nothing was done, or if one was changed since.
    """
    store = store_of(folder)
    try:
        note = json.loads((store / "done.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotPatched(f"nothing was patched in {folder}: there is no {store}") from None
    originals: dict[str, bytes] = {}
    for path, hashes in note["files"].items():
        current = digest((folder / path).read_bytes())
        if current not in (hashes["before"], hashes["after"]):
            raise NotPatched(f"{path} was changed since; put it back by hand from {store / 'files' / path}")
        originals[path] = (store / "files" / path).read_bytes()
        if digest(originals[path]) != hashes["before"]:
            raise NotPatched(f"{store / 'files' / path} is not as it was kept")
    for path, data in originals.items():
        replace(folder / path, data)
    _remove(store)
    return sorted(originals)


def replace(path: Path, data: bytes) -> None:
    """Write a file as a whole or not at all; its permissions stay. Raises OSError."""
    real = path.resolve()
    handle, name = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, real.stat().st_mode & 0o7777)
        os.replace(name, real)
    except BaseException:
        os.unlink(name)
        raise


def _remove(store: Path) -> None:
    for parent, folders, names in os.walk(store, topdown=False):
        for name in names:
            os.unlink(os.path.join(parent, name))
        for name in folders:
            os.rmdir(os.path.join(parent, name))
    store.rmdir()
