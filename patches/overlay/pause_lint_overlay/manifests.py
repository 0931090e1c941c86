"""The manifests: of each known version of a package the files that are patched, by the hashes of their bytes.

    patches/areal/<version>.toml

A file is known by what is in it, not by the version it is said to be of. `index.json` beside the manifests says which
modules they name, so that a process that imports none of them reads nothing else. Nothing here writes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pause_lint_overlay.edits import Edit, apply

FOLDER = Path(__file__).resolve().parents[2]
"""`patches/`."""


class Function(NamedTuple):
    """A function that is patched: what is wrong with it, and when generation hangs for it."""

    name: str
    line: int
    code: str
    fault: str
    hangs: str


class File(NamedTuple):
    """A file of a version. path: in the package. before, after: SHA-256 of its bytes."""

    path: str
    module: str
    before: str
    after: str
    functions: tuple[Function, ...]
    edits: tuple[Edit, ...]


class Manifest(NamedTuple):
    """A version of a package.

    origin: where its files are from. unconcerned: paths that need no patch, and why. beside: the files that are not
    patched but are the reason for it, as a server that pauses is for its clients, and the hashes of their bytes.
    """

    version: str
    package: str
    origin: str
    unconcerned: tuple[str, ...]
    beside: Mapping[str, str]
    files: tuple[File, ...]


class NotPatched(Exception):
    """What kept a file from being patched; it is as it was."""


def load(path: Path) -> Manifest:
    """The manifest in a file."""
    import tomllib  # late: most processes need none

    with path.open("rb") as opened:
        found = tomllib.load(opened)
    files = tuple(
        File(
            one["path"],
            one["module"],
            one["before"],
            one["after"],
            tuple(Function(**function) for function in one["function"]),
            tuple(one["edits"]),
        )
        for one in found["file"]
    )
    unconcerned = tuple(found["unconcerned"])
    return Manifest(found["version"], found["package"], found["origin"], unconcerned, found["beside"], files)


def every(package: str = "*") -> list[Manifest]:
    """All manifests of a package, or of all packages, by the names of their files."""
    return [load(path) for path in sorted(FOLDER.glob(f"{package}/*.toml"))]


Known = Mapping[str, Sequence[str]]
"""The hashes of the files that are to be patched, each with the manifests that do it, as `package/version.toml`; more
than one, if they do so differently. And the hashes of the files that are patched already, with none."""

Index = Mapping[str, Known]
"""What is known of each module."""


def index() -> Index:
    """What `index.json` of each package says. Raises NotPatched if one is damaged, and OSError."""
    found: dict[str, Known] = {}
    for path in sorted(FOLDER.glob("*/index.json")):
        try:
            for module, known in json.loads(path.read_bytes()).items():
                found[module] = {digits: list(map(str, manifests)) for digits, manifests in known.items()}
        except (ValueError, AttributeError, TypeError) as error:
            raise NotPatched(f"{path} is damaged: {error}") from None
    return found


def index_of(manifests: Sequence[Manifest]) -> dict[str, dict[str, list[str]]]:
    """What the index of these manifests has to say."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for manifest in manifests:
        for file in manifest.files:
            ways = found.setdefault(file.module, {})
            ways.setdefault(file.before, {}).setdefault(file.after, f"{manifest.package}/{manifest.version}.toml")
            ways.setdefault(file.after, {})
    return {
        module: {digits: list(ways[digits].values()) for digits in sorted(ways)}
        for module, ways in sorted(found.items())
    }


def digest(data: bytes) -> str:
    """The SHA-256 of some bytes, as manifests put it."""
    return hashlib.sha256(data).hexdigest()


def patched(data: bytes, file: File) -> bytes:
    """The bytes of a file after its edits. Raises NotPatched unless they are exactly what the manifest says."""
    if digest(data) != file.before:
        raise NotPatched("its bytes are not those that the manifest knows")
    try:
        new = apply(data, file.edits)
    except (ValueError, KeyError, TypeError) as error:
        raise NotPatched(f"the edits of the manifest do not fit: {error}") from None
    if digest(new) != file.after:
        raise NotPatched("the result of the edits is not what the manifest says")
    return new
