"""The tool at work on a released trainer: check, fix, check again.

    python -m examples.demo FOLDER

Downloads the wheel of `areal` 1.0.4 into FOLDER and unpacks it there; it is never installed or run. Exits 1 if anything
comes out otherwise than it should: nothing found at first, something left after the fix, a file that does not compile.
"""

from __future__ import annotations

import difflib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.corpus import RELEASE, fetch, unpack

DISK_PATH_FILE = "areal/engine/fsdp_engine.py"
DISK_PATH = "_update_weights_from_disk"


def main(folder: Path) -> int:
    """Runs the demonstration in `folder`; returns the exit code."""
    title(f"{RELEASE}, from the package index, unpacked into {folder}")
    package = unpack(fetch(folder / "wheels"), folder)
    files = sorted(package.rglob("*.py"))
    before = {path: path.read_bytes() for path in files}
    lines = sum(data.count(b"\n") for data in before.values())
    print(f"{len(files)} Python files, {lines:,} lines.")

    title("What can stay paused?")
    pause_lint("check", "areal", cwd=folder)
    found = report(folder)

    title("Fixing it")
    pause_lint("fix", "areal", cwd=folder)
    changed = [path for path in files if path.read_bytes() != before[path]]
    disk_path = folder / DISK_PATH_FILE
    title(f"What the fix did to {DISK_PATH}, the disk path of FSDP")
    shown = show_hunks(DISK_PATH_FILE, before[disk_path].decode(), disk_path.read_text(encoding="utf-8"), DISK_PATH)

    title("And now?")
    pause_lint("check", "areal", cwd=folder)
    left = report(folder)
    broken = [path for path in files if not compiles(path)]

    title("Totals")
    print(f"{len(found):4} found in {len({finding['path'] for finding in found})} files")
    print(f"{len(changed):4} files changed, {len(files) - len(broken)} of {len(files)} compile")
    print(f"{len(left):4} left")
    as_expected = found and changed and shown and not left and not broken
    if not as_expected:
        print("This is not as it should be.", file=sys.stderr)
    return 0 if as_expected else 1


def title(text: str) -> None:
    """A heading, with room above it."""
    print(f"\n{text}\n{'-' * len(text)}", flush=True)


def pause_lint(*arguments: str, cwd: Path) -> None:
    """Runs the command for the reader to see. Raises CalledProcessError if the job could not be done."""
    print(f"$ pause-lint {' '.join(arguments)}", flush=True)
    done = subprocess.run([sys.executable, "-m", "pause_lint", *arguments], cwd=cwd, check=False)
    if done.returncode not in (0, 1):
        raise subprocess.CalledProcessError(done.returncode, done.args)


def report(folder: Path) -> list[Any]:
    """What `check` finds in `folder`, as data."""
    command = [sys.executable, "-m", "pause_lint", "check", "--output-format", "json", "areal"]
    done = subprocess.run(command, cwd=folder, check=False, stdout=subprocess.PIPE)
    findings: list[Any] = json.loads(done.stdout)["findings"]
    return findings


def show_hunks(name: str, before: str, after: str, function: str) -> bool:
    """Prints the hunks of the difference that lie in `function`; returns whether there are any."""
    lines = before.splitlines()
    [start] = [number for number, line in enumerate(lines, 1) if line.lstrip().startswith(f"def {function}(")]
    ends = [number for number, line in enumerate(lines[start:], start + 1) if line.lstrip().startswith(("def ", "@"))]
    end = ends[0] if ends else len(lines)
    shown = within = False
    for line in difflib.unified_diff(lines, after.splitlines(), f"a/{name}", f"b/{name}", n=3, lineterm=""):
        if line.startswith("@@"):
            first, _, length = line.split()[1].removeprefix("-").partition(",")
            within = int(first) < end and start < int(first) + int(length or 1)
        if within or line.startswith(("--- ", "+++ ")):
            print(line)
            shown = shown or within
    return shown


def compiles(path: Path) -> bool:
    """Whether Python reads the file."""
    try:
        compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/demo")))
