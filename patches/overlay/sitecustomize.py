"""Patches the modules that the manifests name as they are imported, in memory: put this folder on `PYTHONPATH`.

Python imports a module of this name at its start (the `site` module). The `sitecustomize` that it would have found
without this folder is run as well. `PAUSE_LINT_PATCH=0` switches the patches off. Any Python can read this file, for
whatever Python a process is of, it has to go on as it would have.
"""

import os
import sys

_HERE = os.path.dirname(os.path.realpath(__file__))


def _patch():
    # type: () -> None
    if os.environ.get("PAUSE_LINT_PATCH", "1") == "0":
        return
    if sys.version_info < (3, 11):
        _warn("Python 3.11 or later is needed, and this is %d.%d" % sys.version_info[:2])
        return
    try:
        from pause_lint_overlay.hook import install

        install()
    except Exception as error:  # whatever is wrong with us, the program starts
        _warn("%s: %s" % (type(error).__name__, error))


def _warn(why):
    # type: (str) -> None
    try:
        sys.stderr.write("pause-lint: nothing is patched, and generation may be left paused: %s\n" % why)
    except Exception:
        return  # there may be no such stream


def _run_next():
    # type: () -> None
    """Run the `sitecustomize` that comes after this one on the path, as if this one were not there."""
    folders = [os.path.realpath(folder or os.curdir) for folder in sys.path]
    if _HERE not in folders:
        return
    # Not those in front: a second overlay would run this one again, and so on for ever.
    first = folders.index(_HERE) + 1
    path = [given for given, folder in zip(sys.path[first:], folders[first:]) if folder != _HERE]
    ours = sys.modules.get("sitecustomize")
    try:
        _load_next(path)
    except BaseException:
        if ours is not None:
            sys.modules["sitecustomize"] = ours
        raise


def _load_next(path):
    # type: (list[str]) -> None
    if sys.version_info < (3,):
        import imp

        try:
            found = imp.find_module("sitecustomize", path)
        except ImportError:
            return
        sys.modules.pop("sitecustomize", None)
        imp.load_module("sitecustomize", *found)
    else:
        from importlib.machinery import PathFinder
        from importlib.util import module_from_spec

        spec = PathFinder.find_spec("sitecustomize", path)
        if spec is not None and spec.loader is not None:
            sys.modules["sitecustomize"] = module = module_from_spec(spec)
            spec.loader.exec_module(module)


_patch()
_run_next()
