"""What was patched once, compiled: kept by content, so that the next start reads two files and compiles nothing.

    <cache>/<digits>/<module>.py              the patched source
    <cache>/<digits>/<Python's tag>.code      its code

The folder is `PAUSE_LINT_CACHE`, or `pause_lint` in the user's cache folder. One that cannot be written is no fault:
the source is compiled anew each time.
"""

from __future__ import annotations

import marshal
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType
from typing import NamedTuple

from pause_lint_overlay.manifests import digest


class Kept(NamedTuple):
    """A patched file. filename: what its code was compiled from: the patched source in the cache, or if that cannot be
    written the original. functions: the names of those that are patched.
    """

    code: CodeType
    source: bytes
    filename: str
    functions: tuple[str, ...]


def folder() -> Path:
    """The cache's folder; it need not exist."""
    named = os.environ.get("PAUSE_LINT_CACHE")
    if named:
        return Path(named)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "pause_lint"


def read(path: str, before: str, manifest: Path) -> Kept | None:
    """What was kept of the file at `path` with the hash `before`; None if nothing is, or if it does not fit.

    manifest: where the patch is from.
    """
    shown = _shown(path, before, manifest)
    try:
        source = shown.read_bytes()
        kept = _compiled(shown).read_bytes()
        seal = _seal(manifest, source)
        if not kept.startswith(seal):
            return None
        code, functions = marshal.loads(kept[len(seal) :])
    except (OSError, ValueError, EOFError, TypeError):
        return None
    return Kept(code, source, str(shown), tuple(functions))


def write(path: str, before: str, manifest: Path, source: bytes, functions: Sequence[str]) -> Kept:
    """Compile the patched source of the file at `path`, and keep it if that is possible. Raises SyntaxError."""
    shown = _shown(path, before, manifest)
    try:
        shown.parent.mkdir(parents=True, exist_ok=True)
        _put(shown, source)
    except OSError:
        return Kept(_compile(source, path), source, path, tuple(functions))
    code = _compile(source, str(shown))
    with suppress(OSError):
        _put(_compiled(shown), _seal(manifest, source) + marshal.dumps((code, list(functions))))
    return Kept(code, source, str(shown), tuple(functions))


def _compile(source: bytes, filename: str) -> CodeType:
    code: CodeType = compile(source, filename, "exec", dont_inherit=True)
    return code


def _shown(path: str, before: str, manifest: Path) -> Path:
    key = digest(f"{before} {manifest.parent.name}/{manifest.name}".encode())
    return folder().absolute() / key[:32] / os.path.basename(path)


def _compiled(shown: Path) -> Path:
    return shown.with_name(f"{sys.implementation.cache_tag}-{sys.flags.optimize}.code")


def _seal(manifest: Path, source: bytes) -> bytes:
    """What kept code begins with: of which Python, which patch and which source it is."""
    return MAGIC_NUMBER + digest(manifest.read_bytes()).encode() + digest(source).encode()


def _put(path: Path, data: bytes) -> None:
    """Write a file as a whole, for other processes read it at the same time."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
