"""Patches the modules that the manifests name as they are imported, in memory: put this folder on `PYTHONPATH`.

Python imports a module of this name at its start (the `site` module). Any other `sitecustomize` that it would have
found instead is run as well. `PAUSE_LINT_PATCH=0` switches the patches off.
"""

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _patch() -> None:
    if os.environ.get("PAUSE_LINT_PATCH", "1") == "0":
        return
    try:
        from pause_lint_overlay.hook import install

        install()
    except Exception as error:  # whatever is wrong with us, the program starts
        print(f"pause-lint: nothing is patched: {type(error).__name__}: {error}", file=sys.stderr)


def _run_next() -> None:
    """Run the `sitecustomize` that comes after this one on the path, as if this one were not there."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    path = [folder for folder in sys.path if os.path.abspath(folder or os.curdir) != _HERE]
    spec = PathFinder.find_spec("sitecustomize", path)
    if spec is None or spec.loader is None:
        return
    module = module_from_spec(spec)
    ours = sys.modules.get("sitecustomize")
    sys.modules["sitecustomize"] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        if ours is not None:
            sys.modules["sitecustomize"] = ours
        raise


_patch()
_run_next()
