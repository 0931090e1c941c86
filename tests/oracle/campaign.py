"""The campaign: what the analysis and the fix say of random functions, against what running them says.

`look` judges one function, `campaign` many of them in parallel. The truth comes from `execute` alone; `pause_lint` is
imported where it is asked, so that grammar and executor stand without it.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.oracle.execute import BOUND, ENGINES, Program, Recorded, Truth
from tests.oracle.grammar import Sample, generate

CODES = frozenset({"PR001", "PR002", "PR003"})
NEVER_LESS = 1000
ENUMERATED = 0.95
FIXED = 0.95
SECOND_LOOK = 20 * BOUND


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be said of one function. `failures`: one line each, empty when all is as it must be.

    `leaking`: some run leaves an engine paused. `fixed`: every finding of it was fixed. `apart`: reverse order.
    """

    seed: int
    index: int
    source: str
    enumerated: bool
    runs: int = 0
    leaking: bool = False
    apart: bool = False
    fixed: bool = False
    failures: tuple[str, ...] = ()
    unfixed: tuple[str, ...] = ()
    after: str = ""


@dataclass(slots=True)
class Tally:
    """The figures of a campaign."""

    functions: int = 0
    enumerated: int = 0
    apart: int = 0
    leaking: int = 0
    fixed: int = 0
    runs: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    constructs: Counter[str] = field(default_factory=Counter)
    failing: list[Verdict] = field(default_factory=list)
    unfixed: list[Verdict] = field(default_factory=list)

    def add(self, verdict: Verdict, constructs: Counter[str]) -> None:
        """Count one function."""
        self.functions += 1
        self.runs += verdict.runs
        self.constructs.update(constructs)
        self.enumerated += verdict.enumerated
        self.apart += verdict.apart
        self.leaking += verdict.leaking and not verdict.apart
        self.fixed += verdict.fixed
        self.kinds.update({failure.partition(":")[0] for failure in verdict.failures})
        self.reasons.update(verdict.unfixed)
        if verdict.failures:
            self.failing.append(verdict)
        if verdict.unfixed:
            self.unfixed.append(verdict)

    def merge(self, other: Tally) -> None:
        """Take in the figures of another part."""
        for name in ("functions", "enumerated", "apart", "leaking", "fixed", "runs"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.kinds.update(other.kinds)
        self.reasons.update(other.reasons)
        self.constructs.update(other.constructs)
        self.failing += other.failing
        self.unfixed += other.unfixed

    def rare(self, least: int) -> list[str]:
        """The constructs that occur less than `least` times."""
        return sorted(name for name, count in self.constructs.items() if count < least)


def found_lines(data: bytes) -> frozenset[int]:
    """The lines of the findings that say that something stays paused."""
    from pause_lint.check import check_source
    from pause_lint.config import Options

    report = check_source(data, "oracle.py", Options())
    if report.problems:
        raise RuntimeError(f"check_source has problems: {report.problems}")
    return frozenset(finding.span.line for finding in report.findings if finding.code in CODES)


def look(sample: Sample, fix: bool, seed: int = 0, index: int = 0) -> Verdict:
    """Run one function, check it and, if asked, fix it; compare."""
    source = sample.source
    program = Program(source)
    truth = program.explore()
    if not truth.complete:
        return Verdict(seed, index, source, enumerated=False, runs=truth.runs)
    leaking = bool(truth.leaking)
    failures: list[str] = []
    unfixed: tuple[str, ...] = ()
    after, whole = "", False
    try:
        found = found_lines(source.encode())
        if not truth.reverse:
            failures += _compared(program, truth, found)
            if fix and found and not failures:
                whole, after, unfixed, more = _fixed(program, source)
                failures += more
    except Exception:
        failures.append("crash: " + traceback.format_exc(limit=-4))
    return Verdict(
        seed,
        index,
        source,
        enumerated=True,
        runs=truth.runs,
        leaking=leaking,
        apart=truth.reverse,
        fixed=whole and leaking and not failures,
        failures=tuple(failures),
        unfixed=unfixed,
        after=after,
    )


def _compared(program: Program, truth: Truth, found: frozenset[int]) -> Iterator[str]:
    """Misses and false alarms. A false alarm is looked at again with more turns of each loop before it counts."""
    for line in sorted(truth.leaking - found):
        yield f"miss: line {line} stays paused: {_told(truth.witness[line])}"
    extra = found - truth.leaking
    if extra:
        extra -= program.explore(SECOND_LOOK, loops=4).leaking
    for line in sorted(extra):
        yield f"false alarm: line {line}"


def _told(run: Recorded) -> str:
    chosen = ", ".join(f"{name}: {outcome}" for name, outcome in run.choices if outcome is not None)
    return f"choices {{{chosen}}}, calls {' '.join(run.trace)}, error {run.error}"


def _fixed(program: Program, source: str) -> tuple[bool, str, tuple[str, ...], list[str]]:
    """Whether every finding was fixed, the fixed text, why some were not, and what is wrong with the fix."""
    from pause_lint.config import Options
    from pause_lint.fixing import fix_source

    result = fix_source(source.encode(), "oracle.py", Options(), unsafe=True)
    reasons = tuple(reason for _, reason in result.unfixed)
    whole = not result.unfixed
    if result.data == source.encode():
        return False, "", reasons or ("no reason given",), []
    after = result.data.decode()
    failures: list[str] = []
    again = fix_source(result.data, "oracle.py", Options(), unsafe=True)
    if again.data != result.data:
        failures.append("second fix: it changes the file again")
    changed = Program(after)
    _enclose_alike(program, changed)
    runs = program.explore(SECOND_LOOK, keep=True)
    for run in runs.right:
        new = changed.replay(run.choices)
        if new.seen != run.seen:
            became = f"calls {' '.join(new.trace)}, error {new.error}, result {new.result}"
            failures.append(f"changed: {_told(run)}, result {run.result} became {became}")
            break
    rest = Program(after).explore(SECOND_LOOK)
    if len(rest.leaking) > len(result.unfixed):
        failures.append(f"left paused: fixed lines {sorted(rest.leaking)}: {_told(next(iter(rest.witness.values())))}")
    found = found_lines(result.data)
    if rest.complete and not rest.reverse and found != rest.leaking:
        failures.append(f"fixed function: found lines {sorted(found)}, leaking lines {sorted(rest.leaking)}")
    return whole, after, reasons, failures


def _enclose_alike(one: Program, two: Program) -> None:
    """Let each call raise, in both programs, what handlers around it name in either."""
    relevant = [
        name
        for name in one.sites.names.keys() & two.sites.names.keys()
        if name[-1].isdigit()
        or name in ("items", "more_items", "aitems", "lock")
        or (name.endswith("_generation") and name.startswith(ENGINES))
    ]
    first = {name: one.sites.names[name] for name in relevant}
    second = {name: two.sites.names[name] for name in relevant}
    one.extend({name: names for name, names in second.items() if names - first[name]})
    two.extend({name: names for name, names in first.items() if names - second[name]})


def _part(task: tuple[int, int, int, bool]) -> Tally:
    seed, start, stop, fix = task
    tally = Tally()
    gc.disable()  # exceptions with their frames keep it busy
    try:
        for index in range(start, stop):
            sample = generate(seed, index)
            tally.add(look(sample, fix, seed, index), sample.constructs)
            if index % 20 == 0:
                gc.collect()
    finally:
        gc.enable()
    return tally


def campaign(functions: int, seeds: int, seed: int, fix: bool, jobs: int, watch: bool = False) -> Tally:
    """`functions` functions from `seeds` seeds, the first of which is `seed`. `watch`: say how far it is."""
    each = -(-functions // seeds)
    tasks = [(seed + k, start, min(start + 250, each), fix) for k in range(seeds) for start in range(0, each, 250)]
    tally = Tally()
    if jobs <= 1:
        for task in tasks:
            tally.merge(_part(task))
        return tally
    with multiprocessing.Pool(jobs, maxtasksperchild=20) as pool:
        for part in pool.imap(_part, tasks):
            tally.merge(part)
            if watch and tally.functions % 2500 < 250:
                print(f"{tally.functions} functions, failing: {len(tally.failing)}", flush=True)
    return tally


def shortfalls(tally: Tally, fix: bool, least: int) -> list[str]:
    """What keeps a campaign from having passed."""
    short = [f"{count} functions: {kind}" for kind, count in sorted(tally.kinds.items())]
    if tally.enumerated < ENUMERATED * tally.functions:
        short.append("too few functions are enumerated")
    if fix and tally.fixed < FIXED * tally.leaking:
        short.append("too few leaking functions are fixed")
    short += [f"too rare: {name}" for name in tally.rare(least)]
    return short


def dump(tally: Tally, folder: str) -> None:
    """Write every failing function, and every one that was not fixed, with its verdict into `folder`."""
    os.makedirs(folder, exist_ok=True)
    for verdict in [*tally.failing, *(v for v in tally.unfixed if not v.failures)]:
        what = verdict.failures[0].partition(":")[0].replace(" ", "_") if verdict.failures else "unfixed"
        with open(os.path.join(folder, f"{what}-{verdict.seed}-{verdict.index}.txt"), "w", encoding="utf-8") as file:
            file.write(described(verdict))


def described(verdict: Verdict) -> str:
    """A function, numbered, with what is wrong with it."""
    parts = [
        f"seed {verdict.seed} index {verdict.index}",
        *verdict.failures,
        *(f"not fixed: {reason}" for reason in verdict.unfixed),
    ]
    parts += [_numbered(verdict.source)]
    if verdict.after:
        parts += ["fixed:", _numbered(verdict.after)]
    return "\n".join(parts) + "\n"


def _numbered(source: str) -> str:
    lines = source.splitlines()
    start = (
        max((number for number, line in enumerate(lines) if line == "class WorseError(LocalError):"), default=-4) + 4
    )
    return "\n".join(f"{number:4} {line}" for number, line in enumerate(lines, 1) if number > start)
