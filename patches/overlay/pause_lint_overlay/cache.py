"""What was patched once, compiled: kept by content, so that the next start reads two files and compiles nothing.

    <cache>/<digits>/<module>.py              the patched source
    <cache>/<digits>/<Python's tag>.code      its code

The folder is `PAUSE_LINT_CACHE`, or `pause_lint` in the user's cache folder. One that cannot be written is no fault:
the source is compiled anew each time.
"""

from __future__ import annotations

import hashlib
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


def folder() -> Path | None:
    """The cache's folder; it need not exist. None if no place is known: never one in the current folder by accident."""
    named = os.environ.get("PAUSE_LINT_CACHE")
    if named:
        return Path(named).absolute()
    given = os.environ.get("XDG_CACHE_HOME", "")
    # A relative one does not count (XDG Base Directory Specification), nor a `~` that stands for no folder.
    home = given if os.path.isabs(given) else os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "pause_lint" if os.path.isabs(home) else None


def read(path: str, before: str, manifest: Path) -> Kept | None:
    """What was kept of the file at `path` with the hash `before`; None if nothing is, or if it does not fit.

    manifest: where the patch is from.
    """
    shown = _shown(path, before, manifest)
    if shown is None:
        return None
    try:
        source = shown.read_bytes()
        kept = _compiled(shown).read_bytes()
        body = kept[_SEAL:]
        if kept[:_SEAL] != _seal(manifest, shown, source, body):
            return None
        code, functions = marshal.loads(body)
    except (OSError, ValueError, EOFError, TypeError):
        return None
    return Kept(code, source, str(shown), tuple(functions))


def write(path: str, before: str, manifest: Path, source: bytes, functions: Sequence[str]) -> Kept:
    """Compile the patched source of the file at `path`, and keep it if that is possible. Raises SyntaxError.

    Of its code nothing is kept where Python is to write no bytecode (`-B`).
    """
    shown = _shown(path, before, manifest)
    if shown is not None:
        try:
            shown.parent.mkdir(parents=True, exist_ok=True)
            _put(shown, source)
        except OSError:
            shown = None
    if shown is None:
        return Kept(_compile(source, path), source, path, tuple(functions))
    code = _compile(source, str(shown))
    if not sys.dont_write_bytecode:
        body = marshal.dumps((code, list(functions)))
        with suppress(OSError):
            _put(_compiled(shown), _seal(manifest, shown, source, body) + body)
    return Kept(code, source, str(shown), tuple(functions))


def _compile(source: bytes, filename: str) -> CodeType:
    code: CodeType = compile(source, filename, "exec", dont_inherit=True)
    return code


def _shown(path: str, before: str, manifest: Path) -> Path | None:
    key = digest(f"{before} {manifest.parent.name}/{manifest.name}".encode())
    where = folder()
    return None if where is None else where / key[:32] / os.path.basename(path)


def _compiled(shown: Path) -> Path:
    return shown.with_name(f"{sys.implementation.cache_tag}-{sys.flags.optimize}.code")


_SEAL = 32
"""The length of a seal."""


def _seal(manifest: Path, shown: Path, source: bytes, body: bytes) -> bytes:
    """What kept code begins with: says of which Python, which patch, which source and which place it is, and that not a
    bit of it has changed. It is no proof against those who may write to the user's cache.
    """
    name = str(_compiled(shown)).encode("utf-8", "surrogateescape")
    parts = (MAGIC_NUMBER, name, manifest.read_bytes(), source, body)
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).digest()


def _put(path: Path, data: bytes) -> None:
    """Write a file as a whole, for other processes read it at the same time."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
