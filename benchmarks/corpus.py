"""A released trainer to look at: the wheel of `areal` from the package index, unpacked and never installed.

    python -m benchmarks.corpus FOLDER

Nothing of it is imported or run.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

RELEASE = "areal==1.0.4"
WHEEL = "areal-1.0.4-*.whl"


def fetch(wheels: Path) -> Path:
    """The wheel in the folder `wheels`, downloaded if it is not there yet.

    Raises CalledProcessError, with what pip said, if it cannot be had.
    """
    if not (found := sorted(wheels.glob(WHEEL))):
        wheels.mkdir(parents=True, exist_ok=True)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--ignore-requires-python"]
        subprocess.run([*pip, "--only-binary", ":all:", "--dest", str(wheels), RELEASE], check=True)
        found = sorted(wheels.glob(WHEEL))
    return found[0]


def unpack(wheel: Path, folder: Path) -> Path:
    """Unpacks `wheel` into `folder`, anew, as a project of its own. Returns the package's folder."""
    package = folder / "areal"
    shutil.rmtree(package, ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    # Marks the root of a project, so that no configuration above the folder has a say.
    (folder / "pyproject.toml").write_text("", encoding="utf-8")
    return package


if __name__ == "__main__":
    target = Path(sys.argv[1])
    print(unpack(fetch(target / "wheels"), target))
