"""What stands on `sys.meta_path`: sees to it that `finder` is asked about the packages that there are manifests for.

Every Python process under the overlay loads this, also those that import none of these packages: it imports nothing
that Python's own start has not imported yet.
"""

from __future__ import annotations

import os
import sys

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
    are.
    """
    if any(isinstance(finder, Hook) for finder in sys.meta_path):
        return
    hook = Hook()
    if not hook.packages.isdisjoint(sys.modules):
        hook.finder.warn_of_imported()
    sys.meta_path.insert(0, hook)


class Hook:
    """Hands questions about some packages on to the finder."""

    def __init__(self) -> None:
        names = os.listdir(FOLDER)
        self.packages = frozenset(name for name in names if os.path.isfile(os.path.join(FOLDER, name, "index.json")))
        self._finder: Finder | None = None

    @property
    def finder(self) -> Finder:
        """The finder, loaded when it is first needed."""
        if self._finder is None:
            from pause_lint_overlay.finder import Finder

            self._finder = Finder(self)
        return self._finder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """See `importlib.abc.MetaPathFinder.find_spec`."""
        package, dot, _ = fullname.partition(".")
        if not dot or package not in self.packages:
            return None
        return self.finder.find_spec(fullname, path, target)
