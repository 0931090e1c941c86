"""`python -m tests.oracle`: the whole campaign. Exit 0 when nothing is wrong, else 1."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.oracle.campaign import NEVER_LESS, Tally, campaign, described, dump, look, shortfalls
from tests.oracle.grammar import Sample, generate

WHOLE = 50_000


def main(arguments: list[str] | None = None) -> int:
    """Run and report."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument("--functions", type=int, default=WHOLE, help="how many functions (default: %(default)s)")
    parser.add_argument("--seeds", type=int, default=10, help="from how many seeds (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="the first seed (default: %(default)s)")
    parser.add_argument("--fix", action="store_true", help="fix what is found and compare by running")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: %(default)s)")
    parser.add_argument(
        "--show", type=int, default=3, help="how many failing functions to print (default: %(default)s)"
    )
    parser.add_argument("--dump", metavar="DIR", help="write every failing or unfixed function into this folder")
    parser.add_argument("--only", metavar="SEED:INDEX", help="look at this one function")
    parser.add_argument("--file", metavar="FILE", help="look at the function in this file")
    options = parser.parse_args(arguments)
    if options.only or options.file:
        return _one(options.only, options.file, options.fix)
    tally = campaign(options.functions, options.seeds, options.seed, options.fix, options.jobs, watch=True)
    if options.dump:
        dump(tally, options.dump)
    for verdict in tally.failing[: options.show]:
        print(described(verdict))
    least = NEVER_LESS if options.functions >= WHOLE else 1
    _report(tally, options.fix)
    short = shortfalls(tally, options.fix, least)
    print("\n".join(short) if short else "nothing is wrong")
    return 1 if short else 0


def _one(only: str | None, path: str | None, fix: bool) -> int:
    if only:
        seed, index = map(int, only.split(":"))
        verdict = look(generate(seed, index), fix, seed, index)
    else:
        with open(path or "", encoding="utf-8") as file:
            verdict = look(Sample(file.read(), Counter()), fix)
    print(described(verdict))
    print(f"runs {verdict.runs}, enumerated {verdict.enumerated}, leaking {verdict.leaking}", end=", ")
    print(f"reverse order {verdict.apart}, fixed {verdict.fixed}")
    return 1 if verdict.failures else 0


def _report(tally: Tally, fix: bool) -> None:
    for name, count in sorted(tally.constructs.items(), key=lambda item: (item[1], item[0])):
        print(f"{count:8} {name}")
    share = 100 * tally.enumerated / max(tally.functions, 1)
    print(f"functions {tally.functions}, enumerated {tally.enumerated} ({share:.1f} %), runs {tally.runs}")
    print(f"leaking {tally.leaking}, reverse order (not compared) {tally.apart}, crashes {tally.kinds['crash']}")
    print(f"false alarms {tally.kinds['false alarm']}, misses {tally.kinds['miss']}")
    if fix:
        share = 100 * tally.fixed / max(tally.leaking, 1)
        print(f"fixed {tally.fixed} ({share:.1f} % of the leaking), second fix changes {tally.kinds['second fix']}")
        print(f"order, result or exception changed {tally.kinds['changed']}, left paused {tally.kinds['left paused']}")
        for reason, count in tally.reasons.most_common(20):
            print(f"{count:8} not fixed: {reason}")


if __name__ == "__main__":
    sys.exit(main())
