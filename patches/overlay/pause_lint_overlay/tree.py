"""A package on disk: which version it is, by the hashes of its files, and what they are patched. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterable
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


def never_compared(folder: Path, paths: Iterable[str]) -> list[Path]:
    """The bytecode of these files that Python loads without a look at them: it would go on with what they were.

    See PEP 552: an unchecked file has the lowest bit of its flags set, and not the next.
    """
    found = []
    for path in paths:
        file = folder / path
        for bytecode in sorted(file.parent.glob(f"__pycache__/{file.stem}.*.pyc")):
            with bytecode.open("rb") as opened:
                flags = opened.read(8)[4:]
            if flags and flags[0] & 0b11 == 0b01:
                found.append(bytecode)
    return found
