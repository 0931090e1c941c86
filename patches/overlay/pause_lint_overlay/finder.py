"""The import hook: a module that a manifest names is loaded with its patches, in memory, if its file is a known one.

Follows the import system of the Python reference (section 5): a finder on `sys.meta_path` asks the others where the
module is, and changes nothing but the loader. Whatever is not as expected, the module is loaded as it is, with a
warning that says why. What was compiled is kept by content in a cache folder.
"""

from __future__ import annotations

import io
import linecache
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import decode_source
from pathlib import Path
from types import CodeType, ModuleType

from pause_lint_overlay import cache, say
from pause_lint_overlay.manifests import FOLDER, File, Known, NotPatched, digest, index, load, patched


class Finder:
    """Finds the modules that the index names where the other finders do. hook: what asks it. Raises NotPatched."""

    def __init__(self, hook: object) -> None:
        self.hook = hook
        self.known = index()
        self.seen: set[str] = set()
        """The names of the modules that were loaded by our loader, or about which a warning was given."""

    def warn_of_imported(self) -> None:
        """Name the modules that are imported already, and not by our loader; each once."""
        for name in sorted((self.known.keys() & sys.modules.keys()) - self.seen):
            spec = _spec_of(sys.modules.get(name))
            if spec is None or getattr(spec, "_initializing", False):
                continue  # none that was imported, or one that may yet ask
            self.seen.add(name)
            way = "before" if type(spec.loader) is SourceFileLoader else f"by {type(spec.loader).__name__}"
            _warn(name, f"it was imported {way}")

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's spec with our loader; None for other modules, and where a file is not one of source."""
        if fullname not in self.known:
            return None
        spec = self._elsewhere(fullname, path, target)
        if spec is None:
            return None
        if type(spec.loader) is not SourceFileLoader or not spec.origin:
            self.seen.add(fullname)
            _warn(fullname, f"it is loaded by {type(spec.loader).__name__}, not from a file of source")
            return None
        spec.loader = Loader(fullname, spec.origin, self.known[fullname], self.seen)
        return spec

    def _elsewhere(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None) -> ModuleSpec | None:
        for finder in sys.meta_path:
            if finder is not self.hook and hasattr(finder, "find_spec"):
                spec = finder.find_spec(fullname, path, target)
                if spec is not None:
                    return spec
        return None


class Loader(SourceFileLoader):
    """Loads a file of source with its patches, if it is one that is known by its bytes. seen: takes its name then."""

    def __init__(self, fullname: str, path: str, known: Known, seen: set[str]) -> None:
        super().__init__(fullname, path)
        self.known = known
        self._seen = seen
        self._is_loaded = False
        self._patched: bytes | None = None

    def get_code(self, fullname: str) -> CodeType | None:
        """The code of the patched source; that of the file itself if anything is off."""
        self._seen.add(self.name)
        kept = None
        try:
            kept = self._kept()
            if kept is not None:
                _show(self.path, kept)
        except NotPatched as error:
            kept = None
            _warn(fullname, str(error))
        except Exception as error:
            kept = None
            _warn(fullname, f"{type(error).__name__}: {error}")
        self._is_loaded, self._patched = True, None if kept is None else kept.source
        if kept is None:
            return super().get_code(fullname)
        for name in kept.functions:
            say(f"{self.name}: {name} is patched to resume whatever happens")
        return kept.code

    def get_source(self, fullname: str) -> str | None:
        """The source that is in force, or would be if the module were loaded now."""
        source = self._patched
        if source is None and not self._is_loaded:
            with suppress(Exception):  # said when it is loaded
                kept = self._kept()
                source = None if kept is None else kept.source
        return super().get_source(fullname) if source is None else decode_source(source)

    def _kept(self) -> cache.Kept | None:
        """The patched file; None if the one on disk is patched already. Raises NotPatched and others."""
        data = self.get_data(self.path)
        before = digest(data)
        manifests = self.known.get(before)
        if manifests is None:
            raise NotPatched("its file is of no known version; see `patches/apply.py --unknown`")
        if not manifests:
            return None
        manifest = manifests[0] if len(manifests) == 1 else self._of_this_tree(manifests)
        kept = cache.read(self.path, before, FOLDER / manifest)
        if kept is None:
            file = _file(manifest, self.name, before)
            names = [function.name for function in file.functions]
            kept = cache.write(self.path, before, FOLDER / manifest, patched(data, file), names)
        return kept

    def _of_this_tree(self, names: Sequence[str]) -> str:
        """The one of several manifests that knows the files beside this one as well: what a file needs may depend on
        what the others do.
        """
        for name in names:
            manifest = load(FOLDER / name)
            depth = self.name.count(".") + self.is_package(self.name)
            root = Path(self.path).parents[depth - 1]
            before = {**manifest.beside, **{file.path: file.before for file in manifest.files}}
            if all(_is(root / path, digits) for path, digits in before.items()):
                return name
        raise NotPatched("its file is of several versions, and the files beside it are of none of them")


def _spec_of(module: object) -> ModuleSpec | None:
    try:
        spec = getattr(module, "__spec__", None)
    except Exception:  # a stand-in for a module may answer in any way
        return None
    return spec if isinstance(spec, ModuleSpec) else None


def _is(path: Path, digits: str) -> bool:
    return path.is_file() and digest(path.read_bytes()) == digits


def _file(manifest: str, module: str, before: str) -> File:
    for file in load(FOLDER / manifest).files:
        if file.module == module and file.before == before:
            return file
    raise NotPatched(f"the index and {manifest} do not agree")


def _show(path: str, kept: cache.Kept) -> None:
    """Have tracebacks and `inspect` show the patched source under the name of the original as well.

    An entry without a time is never looked up on disk again (see `linecache.checkcache`).
    """
    lines = io.StringIO(decode_source(kept.source)).readlines()
    for name in {path, kept.filename}:
        linecache.cache[name] = (len(kept.source), None, lines, name)


def _warn(module: str, why: str) -> None:
    say(f"{module} is not patched and may leave generation paused: {why}")
