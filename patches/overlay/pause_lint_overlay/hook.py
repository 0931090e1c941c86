"""What stands on `sys.meta_path`: sees to it that `finder` is asked about the packages that there are manifests for.

Every Python process under the overlay loads this, also those that import none of these packages: it imports nothing
that Python's own start has not imported yet. No import fails for it: whatever goes wrong is said, and the other
finders are asked.
"""

from __future__ import annotations

import os
import sys
from _thread import get_ident

from pause_lint_overlay import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

    from pause_lint_overlay.finder import Finder

FOLDER = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""`patches/`."""


def install() -> None:
    """Put the hook in front of the other finders, once. Modules that are imported already are named and stay as they
    are. Raises FileNotFoundError if there are no manifests.
    """
    if any(isinstance(finder, Hook) for finder in sys.meta_path):
        return
    hook = Hook()
    if not hook.packages:
        raise FileNotFoundError(f"there are no manifests in {FOLDER}")
    hook.warn_of_imported()
    sys.meta_path.insert(0, hook)


class Hook:
    """Hands questions about some packages on to the finder."""

    def __init__(self) -> None:
        names = os.listdir(FOLDER)
        self.packages = frozenset(name for name in names if os.path.isfile(os.path.join(FOLDER, name, "index.json")))
        self._finder: Finder | None = None
        self._is_broken = False
        self._loading: set[int] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """See `importlib.abc.MetaPathFinder.find_spec`."""
        if fullname.partition(".")[0] not in self.packages:
            # A finder that came in front of this one may have loaded a module in its own way.
            self.warn_of_imported()
            return None
        finder = self._loaded()
        if finder is None:
            return None
        try:
            return finder.find_spec(fullname, path, target)
        except Exception as error:
            say(f"{fullname} is not patched and may leave generation paused: {type(error).__name__}: {error}")
            return None

    def warn_of_imported(self) -> None:
        """Name the modules that were imported without this hook, each once."""
        if sys.modules.keys().isdisjoint(self.packages):  # looks up the packages, not every module
            return
        finder = self._loaded()
        if finder is not None:
            finder.warn_of_imported()

    def _loaded(self) -> Finder | None:
        """The finder, loaded when it is first needed; None while that is going on, and if it cannot be done."""
        thread = get_ident()
        if self._finder is None and not self._is_broken and thread not in self._loading:
            self._loading.add(thread)
            try:
                from pause_lint_overlay.finder import Finder

                self._finder = Finder(self)
            except Exception as error:
                self._is_broken = True
                say(f"nothing is patched, and generation may be left paused: {type(error).__name__}: {error}")
            finally:
                self._loading.discard(thread)
        return self._finder
