"""How long `pause-lint check` takes on a tree, as a multiple of `bare.py` on the same tree.

    python -m benchmarks.ratio TREE [--rounds 15] [--limit 7]

Both are run in turns, so that whatever else the machine does meets both alike; the ratio is the median of those of
the single turns. Exits 1 if it is above the limit. The findings themselves do not matter here.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

BARE = Path(__file__).with_name("bare.py")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tree", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--limit", type=float, default=7.0, help="the largest ratio that is good enough")
    options = parser.parse_args(arguments)
    if not options.tree.is_dir():
        parser.error(f"{options.tree} is no folder")

    where, name = options.tree.resolve().parent, options.tree.name
    commands = {
        "bare": [sys.executable, str(BARE), name],
        "check": [sys.executable, "-m", "pause_lint", "check", name],
    }
    for command in commands.values():  # once without measuring: the files are read from disk, bytecode is written
        _seconds(command, where)
    times: dict[str, list[float]] = {title: [] for title in commands}
    for _ in range(options.rounds):
        for title, command in commands.items():
            times[title].append(_seconds(command, where))

    medians = {title: statistics.median(values) for title, values in times.items()}
    for title, median in medians.items():
        print(f"{title:<6} {median * 1000:7.1f} ms   (least {min(times[title]) * 1000:.1f}, {options.rounds} rounds)")
    ratio = statistics.median(check / bare for bare, check in zip(times["bare"], times["check"], strict=True))
    print(f"ratio  {ratio:7.2f}      (limit {options.limit:g})")
    return int(ratio > options.limit)


def _seconds(command: Sequence[str], where: Path) -> float:
    """Wall time of one run, with bytecode cached as it is where something is installed.

    Raises CalledProcessError if the job could not be done.
    """
    start = time.perf_counter()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(command, cwd=where, env=environment, capture_output=True, check=False, text=True)
    elapsed = time.perf_counter() - start
    if done.returncode not in (0, 1):
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
    return elapsed


if __name__ == "__main__":
    sys.exit(main())
