"""Findings against a reading: which row a finding is about, what that makes of it, which faults no finding is about.

It compares places, not reasons: that the finding names the right path out is for its reader to see.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tests.field.data import Answer, Finding, Label, Reading, Row

NEAR = 2
"""Lines by which a finding and a row about the same pause may differ: a call over several lines has several."""
VERDICTS = {"fault": "real", "ok": "false", "unclear": "open", "": "unread"}


class Judged(NamedTuple):
    """A finding, and the rows it is about: none if nobody has read it."""

    finding: Finding
    rows: tuple[Row, ...]

    @property
    def verdict(self) -> str:
        """`real`, `false`, `open` or `unread`."""
        return VERDICTS[self.rows[0].verdict if self.rows else ""]


class Judgement(NamedTuple):
    """What a reading makes of the findings in its tree."""

    reading: Reading
    found: tuple[Judged, ...]
    missed: tuple[Row, ...]
    """The faults that no finding is about."""

    def count(self, verdict: str, fix: str | None = None) -> int:
        """How many findings are judged so and, with `fix`, have that fix."""
        return sum(item.verdict == verdict and fix in (None, item.finding.fix) for item in self.found)

    @property
    def functions(self) -> int:
        """How many functions were looked at."""
        return len({(row.path, row.function) for row in self.reading.rows})


def judge(reading: Reading, findings: Sequence[Finding]) -> Judgement:
    """Each finding with the rows nearest to it in its function, a fault before what is none at the same distance."""
    found = tuple(Judged(finding, _about(finding, reading.rows)) for finding in findings)
    met = {row for item in found for row in item.rows}
    return Judgement(reading, found, tuple(row for row in reading.rows if row.verdict == "fault" and row not in met))


def _about(finding: Finding, rows: Sequence[Row]) -> tuple[Row, ...]:
    here = [row for row in rows if same_place(row, finding)]
    nearest = min((abs(row.line - finding.line) for row in here), default=0)
    here = [row for row in here if abs(row.line - finding.line) == nearest]
    return tuple([row for row in here if row.verdict == "fault"] or here)


def same_place(one: Row | Finding | Label | Answer, other: Row | Finding | Label | Answer) -> bool:
    """Whether both are about the same pause of one tree."""
    return (one.path, one.function) == (other.path, other.function) and abs(one.line - other.line) <= NEAR


def of_tree(labels: Sequence[Label], reading: Reading) -> tuple[Label, ...]:
    """The labels of the tree that was read."""
    return tuple(item for item in labels if (item.repository, item.commit) == (reading.repository, reading.commit))


def readers(place: Row | Finding, labels: Sequence[Label]) -> int:
    """By how many the function of `place` was read: once for us, and once more if a label of it was made by reading."""
    return 1 + any(
        label.checked == "reading" and (label.path, label.function) == (place.path, place.function) for label in labels
    )


def is_found(label: Label, judgement: Judgement) -> bool:
    """Whether anything is reported in the function of `label`."""
    return any((item.finding.path, item.finding.function) == (label.path, label.function) for item in judgement.found)


def disputed(labels: Sequence[Label], judgement: Judgement) -> tuple[Label, ...]:
    """The labels that ask for silence where the reading sees a fault, or for a report where it sees none."""
    rows = judgement.reading.rows
    faults = [row for row in rows if row.verdict == "fault"]
    wanted = [label for label in labels if label.flag]
    silent = [
        label
        for label in labels
        if not label.flag
        and any(same_place(label, row) for row in faults)
        and not any(same_place(label, other) for other in wanted)
    ]
    read = {(row.path, row.function) for row in rows}
    real = {(row.path, row.function) for row in faults}
    loud = [label for label in wanted if (label.path, label.function) in read - real]
    return tuple(silent + loud)


def answers_to(label: Label, answers: Sequence[Answer]) -> tuple[Answer, ...]:
    """The answers given to `label`."""
    tree = (label.repository, label.commit)
    return tuple(item for item in answers if (item.repository, item.commit) == tree and same_place(item, label))
