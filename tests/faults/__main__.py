"""`python -m tests.faults`: kills `fix` a thousand times. Exit 0 when nothing was hurt, else 1."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.faults.campaign import campaign


def main(arguments: list[str] | None = None) -> int:
    """Run and report."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=1000, help="how often (default: %(default)s)")
    parser.add_argument("--files", type=int, default=200, help="files of the tree (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments (default: %(default)s)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        tally = campaign(Path(folder) / "tree", options.files, options.kills, options.seed)
    print(f"killed {tally.kills} times, {tally.amid} of them with some of {options.files} files fixed")
    print(f"temporary files left by {tally.remains}, and removed by the next run")
    print("\n".join(tally.wrong) or "every file whole, as before or as fixed")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
