"""The data of the field report, as they lie in `docs/field/`, read into plain tuples.

`readings/` holds what people who read a tree without the analyser say of its functions, `findings/` what the analyser
says of the same tree, `labels.json` older labels of some of the trees, `answers.json` what is to be said where the two
differ, `unrelated.json` what is found in trees that have nothing to do with inference. Nothing of the projects' own
text is in them: only where something stands, the name of what is called there, and words of ours.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from tests.helpers.commands import PROJECT

FIELD = PROJECT / "docs/field"


class Row(NamedTuple):
    """One pause of one function, and what its reader says of it."""

    path: str
    function: str
    line: int
    call: str
    """The name of what is called there; `an event`, `an assignment` or `a with statement` where nothing is."""
    verdict: str
    """`fault`: a path leaves something paused. `ok`: none does. `unclear`: the code does not say who has to resume."""
    kind: str
    why: str
    miss: str = ""
    """For a fault that the analyser is known not to find: why it does not."""
    remark: str = ""
    """For one that it finds for another reason than the reader's: what is to be said of that."""


class Reading(NamedTuple):
    """What was read of one tree."""

    name: str
    """Of its files here: owner, repository and commit."""
    repository: str
    commit: str
    scope: str
    """`whole`: every function that pauses. `part`: those a correction is about and their surroundings. `found`: only
    what the analyser reports."""
    newest: bool
    """Whether this is the newest of its repository's trees here."""
    rows: tuple[Row, ...]


class Finding(NamedTuple):
    """A finding without its message, which quotes the code."""

    code: str
    path: str
    line: int
    function: str
    kind: str
    fix: str
    """`safe`, `unsafe` or `none`, as the analyser says."""


class Label(NamedTuple):
    """An older label: whether the function should be reported, and how that was judged."""

    repository: str
    commit: str
    path: str
    function: str
    line: int
    flag: bool
    checked: str
    """`reading`, `shape` or `name only`."""


class Answer(NamedTuple):
    """Where the reading says otherwise than a label: both, in our words."""

    repository: str
    commit: str
    path: str
    function: str
    line: int
    label: str
    reading: str


class Package(NamedTuple):
    """A tree that has nothing to do with inference."""

    name: str
    version: str
    files: int
    lines: int
    findings: int


class Alarm(NamedTuple):
    """A finding in such a tree, judged."""

    tree: str
    version: str
    path: str
    line: int
    function: str
    code: str
    judgement: str
    """`real` or `false`."""
    why: str


def readings(folder: Path = FIELD) -> tuple[Reading, ...]:
    """All readings under `folder`, in the order of their names, without regard to case."""
    found = []
    for path in sorted((folder / "readings").glob("*.json"), key=lambda path: path.name.lower()):
        data = json.loads(path.read_text(encoding="utf-8"))
        rows = tuple(Row(**row) for row in data["rows"])
        found.append(Reading(path.stem, data["repository"], data["commit"], data["scope"], data["newest"], rows))
    return tuple(found)


def findings(name: str, folder: Path = FIELD) -> tuple[Finding, ...]:
    """What was recorded of the tree `name`. Raises FileNotFoundError if nothing was."""
    rows = json.loads((folder / "findings" / f"{name}.json").read_text(encoding="utf-8"))
    return tuple(Finding(**row) for row in rows)


def labels(folder: Path = FIELD) -> tuple[Label, ...]:
    """All labels, in the order of their file."""
    return tuple(Label(**row) for row in json.loads((folder / "labels.json").read_text(encoding="utf-8")))


def answers(folder: Path = FIELD) -> tuple[Answer, ...]:
    """All answers, in the order of their file."""
    return tuple(Answer(**row) for row in json.loads((folder / "answers.json").read_text(encoding="utf-8")))


def unrelated(folder: Path = FIELD) -> tuple[tuple[Package, ...], tuple[Alarm, ...]]:
    """The trees that have nothing to do with inference, and what is found in them."""
    data = json.loads((folder / "unrelated.json").read_text(encoding="utf-8"))
    return tuple(Package(**row) for row in data["trees"]), tuple(Alarm(**row) for row in data["findings"])
