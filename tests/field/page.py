"""The field report, from its data.

    python -m tests.field.page

writes `docs/field-report.md`. Every number and every row in it is made from `docs/field/`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tests.field.data import Alarm, Answer, Finding, Label, Row, answers, findings, labels, readings, unrelated
from tests.field.judge import Judgement, disputed, is_found, judge, of_tree, readers
from tests.helpers.commands import PROJECT

PAGE = PROJECT / "docs/field-report.md"

HEAD = """\
# Field report

What the analyser says of code it was not made for, against what people say who read that code without it. Made from the
data in `docs/field` by `python -m tests.field.page`; a test holds the page to them. Only places, names and words of
ours are in either: no code and no text of the projects.

**How it was done.** Each tree was read for every function that pauses an engine or has one paused by a callee, before
and apart from any run of the analyser. One verdict a pause: a *fault* if some path out (an exception of any call in
between, a cancelled await, an early return, a failed member of a fan-out) leaves an engine paused, partly paused,
locked or asleep, whatever then becomes of the job; *ok* if none does, if paused is the state in which it rests, or if
another function has the duty by design; *unclear* where the code does not say who has to resume. `check --preset all`
was then run on the same commit. A finding about a fault is *real*, one about what is ok *false*, any other *open*. A
finding and a verdict are about the same pause if they stand in the same function, at most two lines apart: places are
compared. Where the finding gives another reason than the reader's, the row says so.

**Who read.** One reader for each tree. Where an older label of the function was made by reading as well, two; the
tables say which (column *read by*). A verdict by one reader is no more than that.
"""

NOTES = """\
*Functions*: those looked at, each counted once. *Missed*: faults read that no finding is about. *Fixed*, *unsafe*, *not
fixed*: the real findings, by what they say of `fix`: it repairs them, it shows a diff and leaves the change to its user
(`--unsafe-fixes`), or neither. Many defects stand in several commits of one project and count in each; hence the line
for the newest.

(1) Read in part: the functions that a maintainers' correction is about, and those around them.
(2) Only what is found was read there, by a reader who knew of the finding and compared the function with that of a
commit that was read whole; nothing can be said of misses beyond the older labels.
"""

SCOPES = {"whole": "", "part": " (1)", "found": " (2)"}


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines: list[Sequence[object]] = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def place(item: Row | Finding | Label | Answer | Alarm) -> str:
    """Where something stands."""
    return f"`{item.path}:{item.line}`"


def tree(item: Judgement) -> str:
    """The name of a tree, short: repository and commit."""
    return f"{item.reading.repository} {item.reading.commit}"


def per(part: int, whole: int) -> str:
    """`part` of `whole`, and how many of a hundred that is."""
    return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else "0 of 0"


def overview(trees: Sequence[Judgement]) -> str:
    """The table by repository and commit, with what it adds up to."""
    rows = [[tree(item) + SCOPES[item.reading.scope], *numbers([item])] for item in trees]
    head = ["tree", "functions", "found", "real", "false", "open", "missed", "fixed", "unsafe", "not fixed"]
    newest = [item for item in trees if item.reading.newest]
    return "\n".join(
        [
            "## By repository and commit\n",
            table(head, [*rows, ["**newest of each**", *numbers(newest)], ["**all**", *numbers(trees)]]),
            NOTES,
            f"- newest of each: {shares(newest)}",
            f"- all: {shares(trees)}\n",
        ]
    )


def shares(trees: Sequence[Judgement]) -> str:
    """How many of the findings are real, and what becomes of those."""
    found = sum(len(item.found) for item in trees)
    real = sum(item.count("real") for item in trees)
    fixed = sum(item.count("real", "safe") for item in trees)
    shown = sum(item.count("real", "unsafe") for item in trees)
    return f"real {per(real, found)}; fixed {per(fixed, real)}; fixed or shown {per(fixed + shown, real)}"


def numbers(trees: Sequence[Judgement]) -> list[int]:
    """The numbers of a line of the table, for these trees together."""
    return [
        sum(item.functions for item in trees),
        sum(len(item.found) for item in trees),
        *(sum(item.count(verdict) for item in trees) for verdict in ("real", "false", "open")),
        sum(len(item.missed) for item in trees),
        *(sum(item.count("real", fix) for item in trees) for fix in ("safe", "unsafe", "none")),
    ]


def every_finding(trees: Sequence[Judgement], known: Sequence[Label]) -> str:
    """One row for each finding, by tree."""
    parts = ["## Every finding, judged\n"]
    for item in trees:
        parts.append(f"### {link(item)}\n")
        here = of_tree(known, item.reading)
        rows = [
            [
                place(found.finding),
                f"`{found.finding.function}`",
                found.finding.code,
                found.verdict,
                found.finding.fix,
                readers(found.finding, here),
                " ".join(f"{row.why} {row.remark}".strip() for row in found.rows[:1]),
            ]
            for found in item.found
        ]
        parts.append(
            table(["where", "function", "code", "judged", "fix", "read by", "why"], rows) if rows else "None.\n"
        )
    return "\n".join(parts)


def link(item: Judgement) -> str:
    """A tree's name, with a link to it if its commit has a name of its own."""
    reading = item.reading
    if reading.commit.endswith("^"):
        return f"{reading.repository}, the parent of {reading.commit[:-1]}"
    return f"[{tree(item)}](https://github.com/{reading.repository}/tree/{reading.commit})"


def every_miss(trees: Sequence[Judgement], known: Sequence[Label]) -> str:
    """What was read and is not found, with why it is not."""
    rows = [
        [tree(item), place(row), f"`{row.function}`", row.miss, readers(row, of_tree(known, item.reading)), row.why]
        for item in trees
        for row in item.missed
    ]
    head = ["tree", "where", "function", "why it is not found", "read by", "what is wrong there"]
    text = "Faults that were read and no finding is about. Names in no preset can be given with `--pair`.\n"
    return "\n".join(["## Known misses\n", text, table(head, rows)])


def about_labels(trees: Sequence[Judgement], known: Sequence[Label], given: Sequence[Answer]) -> str:
    """How far the older labels are met, and what is said where the reading differs."""
    wanted = [(label, item) for item in trees for label in of_tree(known, item.reading) if label.flag]
    counts = Counter((label.checked, is_found(label, item)) for label, item in wanted)
    lost = [[tree(item), place(label), f"`{label.function}`"] for label, item in wanted if not is_found(label, item)]
    labelled = len({(label.repository, label.commit) for label in known})
    parts = [
        "## The older labels\n",
        f"{len(wanted)} of {len(known)} labels, of {labelled} trees, ask for a report. Found in their function:\n",
        *(
            f"- label made by {how}: {per(counts[how, True], counts[how, True] + counts[how, False])}"
            for how in sorted({label.checked for label, _ in wanted})
        ),
        "",
    ]
    if lost:
        parts += ["Not found:\n", table(["tree", "where", "function"], lost)]
    disputes = sum(len(disputed(of_tree(known, item.reading), item)) for item in trees)
    parts.append(
        f"In {disputes} places a label asks for silence where the reading sees a fault, or the other way round. Each is"
        " answered here with what the reading shows, along with places where both agree on the verdict and not on the"
        " reason. Verdicts of the reading stand in all tables of this page.\n"
    )
    rows = [
        [f"{item.repository} {item.commit}", place(item), f"`{item.function}`", item.label, item.reading]
        for item in given
    ]
    parts.append(table(["tree", "where", "function", "what the label says", "what the reading shows"], rows))
    return "\n".join(parts)


def elsewhere() -> str:
    """The trees that have nothing to do with inference."""
    packages, alarms = unrelated()
    real = sum(alarm.judgement == "real" for alarm in alarms)
    files, lines = sum(item.files for item in packages), sum(item.lines for item in packages)
    text = f"{len(packages)} released packages, {files} files, {lines} lines; `check --preset all`."
    parts = [
        "## Trees that have nothing to do with inference\n",
        f"{text} Findings: {len(alarms)}, of which real: {real}. One reader, who knew of the findings.\n",
    ]
    if alarms:
        rows = [
            (f"{item.tree} {item.version}", place(item), f"`{item.function}`", item.code, item.judgement, item.why)
            for item in alarms
        ]
        parts.append(table(["tree", "where", "function", "code", "judged", "why"], rows))
    quiet = ", ".join(sorted((f"{item.name} {item.version}" for item in packages if not item.findings), key=str.lower))
    parts.append(f"Nothing is found in: {quiet}.\n")
    return "\n".join(parts)


def looked_at(trees: Sequence[Judgement], known: Sequence[Label]) -> str:
    """Every row that is no fault."""
    parts = [
        "## What was read and is no fault\n",
        "The other pauses that were looked at, with why nothing is to be reported, or why that cannot be told.\n",
    ]
    for item in trees:
        here = of_tree(known, item.reading)
        rows = [
            [place(row), f"`{row.function}`", row.call, row.verdict, row.kind, readers(row, here), row.why]
            for row in item.reading.rows
            if row.verdict != "fault"
        ]
        if rows:
            head = ["where", "function", "calls", "verdict", "kind", "read by", "why"]
            parts += [f"### In {tree(item)}\n", table(head, rows)]
    return "\n".join(parts)


def render() -> str:
    """The whole page."""
    trees = [judge(reading, findings(reading.name)) for reading in readings()]
    known = labels()
    parts = [
        HEAD,
        overview(trees),
        every_finding(trees, known),
        every_miss(trees, known),
        about_labels(trees, known, answers()),
        elsewhere(),
        looked_at(trees, known),
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
