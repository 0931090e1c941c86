"""`python -m tests.determinism`: a hundred runs of every command. Exit 0 when all say the same, else 1."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.determinism.runs import COMMANDS, differences, make_tree


def main(arguments: list[str] | None = None) -> int:
    """Run and report."""
    parser = argparse.ArgumentParser(prog="python -m tests.determinism", description=__doc__)
    parser.add_argument("--runs", type=int, default=100, help="how many (default: %(default)s)")
    parser.add_argument("--commands", nargs="+", choices=COMMANDS, default=list(COMMANDS), help="which (default: all)")
    options = parser.parse_args(arguments)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        for difference in differences(tree, make_tree(tree), range(options.runs), options.commands):
            print(difference, flush=True)
            wrong += 1
    print(f"{options.runs} runs of {len(options.commands)} commands, {wrong} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
