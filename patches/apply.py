"""Patches an installed AReaL so that its weight updates never leave generation paused.

    python patches/apply.py AREAL_DIR            patch the package in place
    python patches/apply.py AREAL_DIR --check    say which version it is, and change nothing
    python patches/apply.py AREAL_DIR --diff     write the change as a patch to standard output, and change nothing
    python patches/apply.py AREAL_DIR --revert   put every file back as it was

AREAL_DIR is the package's folder, or one that holds it (a checkout, `site-packages`). Known versions need nothing but
Python. `--unknown` has `pause-lint fix` work out the change for a version that is not known; it has to be installed.

Exit code: 0 if the package is patched (or put back, or the diff was written), 1 if there is something to do that was
not asked for, 2 if it could not be done.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from difflib import unified_diff
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "overlay"))

from pause_lint_overlay import tree
from pause_lint_overlay.manifests import Manifest, NotPatched


def main(arguments: Sequence[str] | None = None) -> int:
    """Does what the command line says; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="apply.py",
        description=(__doc__ or "").partition("\n")[0],
        epilog="Exit code: 0 patched, 1 something is to be done, 2 it could not be done.",
    )
    parser.add_argument("folder", metavar="AREAL_DIR", type=Path, help="the package's folder, or one that holds it")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="say which version it is, and change nothing")
    what.add_argument("--diff", action="store_true", help="write the change as a patch, and change nothing")
    what.add_argument("--revert", action="store_true", help="put every file back as it was")
    parser.add_argument("--unknown", action="store_true", help="let pause-lint fix a version that is not known")
    options = parser.parse_args(arguments)
    try:
        folder = tree.package_folder(options.folder)
        if options.revert:
            for path in tree.revert(folder):
                _say(f"put back {path}")
            return 0
        return _patch(folder, options)
    except (NotPatched, OSError) as error:
        _say(f"not patched: {error}")
        return 2


def _patch(folder: Path, options: argparse.Namespace) -> int:
    found = tree.identify(folder)
    if isinstance(found, tree.Unknown):
        _say(_described(folder, found))
        if not options.unknown:
            return 2
        contents = _worked_out(folder)
        title = "unknown"
    else:
        title = found.manifest.version
        _say(f"{folder} is {found.manifest.origin}{', patched' if found.is_patched else ''}")
        if found.is_patched:
            return 0
        contents = tree.new_contents(folder, found.manifest)
        _tell(found.manifest)
    if not contents:
        _say("nothing is found that could leave generation paused")
        return 0
    if options.diff:
        sys.stdout.write(_difference(folder, contents))
        return 0
    if options.check:
        return 1
    tree.write(folder, contents, title)
    _say(f"patched {len(contents)} files; the files as they were are in {tree.store_of(folder)}")
    return 0


def _described(folder: Path, found: tree.Unknown) -> str:
    if found.nearest is None:
        text = f"{folder} is of no known version"
    else:
        text = (
            f"{folder} is of no known version: it is nearest to {found.nearest.version}, but these files are others: "
            f"{', '.join(found.strange)}"
        )
    return f"{text}. It is left alone; `--unknown` lets pause-lint fix it (`--unknown --diff` shows the change)"


def _tell(manifest: Manifest) -> None:
    for file in manifest.files:
        for function in file.functions:
            _say(f"{file.path}:{function.line}: {function.name} hangs {function.hangs}: {function.fault}")
    for text in manifest.unconcerned:
        _say(f"not concerned: {text}")


def _worked_out(folder: Path) -> Mapping[str, bytes]:
    """The change that `pause-lint fix` makes, by path in the package. Raises NotPatched if it is not installed."""
    try:
        from pause_lint.config import Settings, load, resolve
        from pause_lint.fixing.run import fix_paths
    except ImportError as error:
        raise NotPatched(
            f"pause-lint is needed for a version that is not known ({error}): pip install pause-lint"
        ) from None
    outcome = fix_paths([str(folder)], resolve(load([str(folder)]), Settings()), unsafe=False, write=False)
    for finding, reason in outcome.unfixed:
        _say(f"{finding.path}:{finding.span.line}: not fixed: {reason}")
    return {Path(one.path).resolve().relative_to(folder).as_posix(): one.new for one in outcome.changes}


def _difference(folder: Path, contents: Mapping[str, bytes]) -> str:
    parts: list[str] = []
    for path, data in sorted(contents.items()):
        name = f"{folder.name}/{path}"
        old = (folder / path).read_bytes().decode().splitlines(keepends=True)
        parts += unified_diff(old, data.decode().splitlines(keepends=True), f"a/{name}", f"b/{name}")
    return "".join(parts)


def _say(text: str) -> None:
    print(text, file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
