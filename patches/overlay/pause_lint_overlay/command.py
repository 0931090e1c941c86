"""The command line of `patches/apply.py`: a package patched in place, shown as a patch, and put back.

Known versions need nothing but Python. For another one `--unknown` has `pause-lint fix` work out the change; that has
to be installed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pause_lint_overlay import store, tree
from pause_lint_overlay.edits import lines_of
from pause_lint_overlay.manifests import Manifest, NotPatched

DONE, TO_DO, FAILED, INTERRUPTED = 0, 1, 2, 130
"""The exit codes. The last is that of a command that Ctrl-C ends in a shell."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Does what the command line says; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="apply.py",
        description="Patches an installed AReaL so that its weight updates never leave generation paused.",
        epilog="Exit code: 0 patched, put back or shown, 1 something is to be done, 2 it could not be done.",
    )
    parser.add_argument("folder", metavar="AREAL_DIR", type=Path, help="the package's folder, or one that holds it")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="say which version it is, and change nothing")
    what.add_argument("--diff", action="store_true", help="write the change as a patch, and change nothing")
    what.add_argument("--revert", action="store_true", help="put every file back as it was")
    parser.add_argument("--unknown", action="store_true", help="let pause-lint fix a version that is not known")
    options = parser.parse_args(arguments)
    folder: Path | None = None
    try:
        folder = tree.package_folder(options.folder)
        if options.check or options.diff:
            return _patch(folder, options)
        with store.locked(folder):
            return _revert(folder) if options.revert else _patch(folder, options)
    except (NotPatched, OSError) as error:
        _say(f"not {'put back' if options.revert else 'patched'}: {error}")
        return FAILED
    except KeyboardInterrupt:
        if folder is None or not store.store_of(folder).exists():
            _say("interrupted: every file is as it was")
        else:
            _say(f"interrupted: {store.store_of(folder)} says what is done; run it again, or with `--revert`")
        return INTERRUPTED


def _revert(folder: Path) -> int:
    if not store.store_of(folder).exists():
        raise NotPatched(f"nothing was patched in {folder}: there is no {store.store_of(folder)}")
    found = store.take_back(folder)
    for path in found.after:
        _say(f"put back {path}")
    for path in found.edited:
        _say(
            f"not put back: {path} was edited or removed after it was patched, and is left like that. As it was before "
            f"the patch it is in {store.kept_of(folder, path)}: copy that over it, then run `--revert` once more"
        )
    if not found.after and not found.edited:
        _say(f"every file is as it was; what an earlier run left in {store.store_of(folder)} is removed")
    return FAILED if found.edited else DONE


def _patch(folder: Path, options: argparse.Namespace) -> int:
    known = _of_earlier_runs(folder, may_write=not (options.check or options.diff))
    if known is not None:
        return known
    found = tree.identify(folder)
    if isinstance(found, tree.Unknown):
        _say(_described(folder, found))
        if not options.unknown:
            return FAILED
        contents = _worked_out(folder)
        title = "unknown"
    else:
        title = found.manifest.version
        _say(f"{folder} is {found.manifest.origin}{', patched' if found.is_patched else ''}")
        if found.is_patched:
            return _in_force(folder, [file.path for file in found.manifest.files])
        contents = tree.new_contents(folder, found.manifest)
        _tell(found.manifest)
    if not contents:
        _say("nothing is found that could leave generation paused")
        return DONE
    if options.diff:
        sys.stdout.buffer.write(_difference(folder, contents))
        return DONE
    if options.check:
        return TO_DO
    store.write(folder, contents, title)
    files = "1 file" if len(contents) == 1 else f"{len(contents)} files"
    _say(f"patched {files}; the files as they were are in {store.store_of(folder)}")
    return _in_force(folder, contents)


def _in_force(folder: Path, paths: Iterable[str]) -> int:
    """The exit code for patched files: whether they are what Python will load."""
    stale = tree.never_compared(folder, paths)
    for bytecode in stale:
        _say(f"not in force: Python loads {bytecode} without comparing it with its source: remove it")
    return TO_DO if stale else DONE


def _of_earlier_runs(folder: Path, *, may_write: bool) -> int | None:
    """What there is to say of a package that was patched before, as an exit code; None if it is as it was.

    What a killed run left is put back or removed.
    """
    note = store.read(folder)
    state = store.State((), (), ()) if note is None else store.state(folder, note)
    if note is not None and state.edited:
        _say(_edited(folder, note, state))
        return FAILED
    if note is not None and state.after and not state.before:
        if may_write:
            store.remove_temporary(folder, note)
        found = tree.identify(folder)
        origin = found.manifest.origin if isinstance(found, tree.Known) else f"of a version not known ({note.version})"
        _say(f"{folder} is {origin}, patched")
        return _in_force(folder, note.after)
    if may_write:
        store.take_back(folder)
    if state.after:
        _say(f"{folder} is patched in part, for an earlier run was interrupted: {', '.join(state.after)}")
        if not may_write:
            _say("run it without an option, which patches all of it, or with `--revert`")
            return FAILED
    return None


def _edited(folder: Path, note: store.Note, state: store.State) -> str:
    text = (
        f"{folder} was patched ({note.version}), and these files were edited or removed since then: "
        f"{', '.join(state.edited)}. Nothing is changed."
    )
    if state.after:
        text += f" `--revert` puts back the others ({', '.join(state.after)}) and leaves these as they are."
    return (
        f"{text} As they were before the patch they are in {store.store_of(folder) / 'files'}: to start anew, copy "
        "them over the edited ones. If another version was installed since then, remove "
        f"{store.store_of(folder)} and run this again"
    )


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


def _difference(folder: Path, contents: Mapping[str, bytes]) -> bytes:
    """A patch that `git apply` and `patch` take; the bytes of the lines stay as they are."""
    from difflib import diff_bytes, unified_diff

    parts: list[bytes] = []
    for path, data in sorted(contents.items()):
        # As git does it: a tab ends a name with blanks in it.
        name = f"{folder.name}/{path}".encode("utf-8", "surrogateescape") + (b"\t" if " " in path else b"")
        old, new = lines_of((folder / path).read_bytes()), lines_of(data)
        parts += diff_bytes(unified_diff, old, new, b"a/" + name, b"b/" + name)
    return b"".join(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in parts)


def _say(text: str) -> None:
    print(text, file=sys.stderr)
