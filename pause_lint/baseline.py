"""The baseline: the findings of a day, written down, so that a check can report what is new since then.

What identifies a finding is said in `identity`: its code, its kind, the text of its pause and that of the function
around it, never its line. Entries and findings are matched one to one, so that a second copy of known code is new. Of
what could match, the nearest is taken, in this order:

1. the same text at the same place; else in the same file, that is renamed; else under the same name, that is moved;
   else anywhere;
2. the same pause in a function of the same path and name whose text was edited;
3. the same where the file is gone, and another holds a function of that name: the file was renamed and edited.

An edited function thus stays known as long as its name and its pause stay; with another kind of fault in it, it is new.

A run may look at a part of the tree. What it did not look at is not gone; and an entry of a file outside the run can
only have moved into it if its text no longer stands where it was.

The file is JSON with one finding a line, in the order of paths, which are relative to the folder that the file is in.
It says what it was made of, not what a run looks for: a check has to be given the same options.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from pause_lint.config import ConfigError
from pause_lint.finding import Report
from pause_lint.fixing.write import WriteRefused, create, remove_stale, replace
from pause_lint.identity import Identity, Lines, Surroundings, identify
from pause_lint.tree import read

VERSION = 1
DEFAULT_FILE = "pause-lint-baseline.json"
_REMEDY = "restore it, or make it anew with `pause-lint baseline`"


class Scope(NamedTuple):
    """What a run looked at, for what is not found in it is gone.

    checked: the paths that were checked, as the baseline has them. codes: the rules that were looked for.
    exists: whether there is a file at a path. named: whether a path lies in what was to be checked.
    stands: whether a file that was not checked still holds the text of an entry.
    """

    checked: frozenset[str]
    codes: frozenset[str]
    exists: Callable[[str], bool]
    named: Callable[[str], bool]
    stands: Callable[[Identity], bool]


class Matched(NamedTuple):
    """Which findings are new, by their index; the entries that are gone; those that stay, at their place of today."""

    new: tuple[int, ...]
    gone: tuple[Identity, ...]
    kept: tuple[Identity, ...]


def match(entries: Sequence[Identity], found: Sequence[Identity], scope: Scope) -> Matched:
    """Match the entries of a baseline with what a run found, one to one, in the order that this module states."""
    texts = {_text(identity) for identity in found}
    here = [entry.path in scope.checked or not scope.exists(entry.path) for entry in entries]
    free = [
        index
        for index, entry in enumerate(entries)
        if here[index] or (_text(entry) in texts and not scope.stands(entry))
    ]
    # Of equals, those go first whose place nothing else can lay claim to.
    held = {_place(identity) for identity in found}
    free.sort(key=lambda index: _place(entries[index]) in held)
    known = {_place(entries[index]) for index in free}
    vanished = [index for index in free if here[index] and entries[index].path not in scope.checked]
    partner: dict[int, int] = {}
    left = sorted(range(len(found)), key=lambda number: _place(found[number]) in known)
    for key, candidates in ((_place_and_text, free), (_path_and_text, free), (_name_and_text, free), (_text, free)):
        left = _pair_up(key, entries, candidates, found, left, partner)
    left = _pair_up(_place, entries, free, found, left, partner)
    left = _pair_up(_name, entries, vanished, found, left, partner)
    gone, kept = [], []
    for index, entry in enumerate(entries):
        looked_for = entry.code in scope.codes and here[index] and scope.named(entry.path)
        if index in partner:
            kept.append(found[partner[index]])
        elif looked_for:
            gone.append(entry)
        else:
            kept.append(entry)
    return Matched(tuple(sorted(left)), tuple(gone), tuple(sorted(kept)))


_Key = Callable[[Identity], tuple[str, ...]]


def _pair_up(
    key: _Key,
    entries: Sequence[Identity],
    candidates: Iterable[int],
    found: Sequence[Identity],
    left: Iterable[int],
    partner: dict[int, int],
) -> list[int]:
    """Match what has the same key; `partner` notes which entry has which finding. Returns the findings still left."""
    waiting: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for index in candidates:
        if index not in partner:
            waiting[key(entries[index])].append(index)
    still = []
    for number in left:
        same = waiting.get(key(found[number]))
        if same:
            partner[same.pop(0)] = number
        else:
            still.append(number)
    return still


def _text(one: Identity) -> tuple[str, ...]:
    return (one.code, one.kind, one.pause, one.around)


def _place_and_text(one: Identity) -> tuple[str, ...]:
    return one


def _path_and_text(one: Identity) -> tuple[str, ...]:
    return (one.path, *_text(one))


def _name_and_text(one: Identity) -> tuple[str, ...]:
    return (one.function, *_text(one))


def _place(one: Identity) -> tuple[str, ...]:
    return (one.path, one.function, one.code, one.kind, one.pause)


def _name(one: Identity) -> tuple[str, ...]:
    return (one.function, one.code, one.kind, one.pause)


class Compared(NamedTuple):
    """A report without what was known; and what the baseline holds of it."""

    report: Report
    entries: tuple[Identity, ...]
    gone: tuple[Identity, ...]
    kept: tuple[Identity, ...]


def compare(report: Report, file: str, lines: Lines, codes: frozenset[str], paths: Sequence[str]) -> Compared:
    """Take out of `report` what the baseline in `file` knows.

    lines: of the files checked. codes: the rules in force. paths: what was to be checked.
    Where something kept a part of the job from being done, nothing is said to be gone.

    Raises ConfigError for a file that is no baseline.
    """
    entries = load(file)
    place = _Places(file)
    found = identities(report, lines, place)
    inside = [os.path.abspath(path) for path in paths]

    def named(path: str) -> bool:
        location = place.location(path)
        return any(location == folder or location.startswith(os.path.join(folder, "")) for folder in inside)

    matched = match(
        entries,
        found,
        Scope(
            frozenset(place(path) for path in report.checked),
            codes,
            lambda path: os.path.lexists(place.location(path)),
            named,
            _Standing(place),
        ),
    )
    new = report._replace(findings=tuple(report.findings[index] for index in matched.new))
    if report.problems:
        return Compared(new, entries, (), tuple(sorted((*matched.kept, *matched.gone))))
    return Compared(new, entries, matched.gone, matched.kept)


def identities(report: Report, lines: Lines, place: Callable[[str], str]) -> tuple[Identity, ...]:
    """The identities of the findings of a report, in its order. place: from a shown path to that in the baseline."""
    surroundings: dict[str, Surroundings] = {}
    for finding in report.findings:
        if finding.path not in surroundings:
            surroundings[finding.path] = Surroundings(lines(finding.path))
    return tuple(identify(finding, surroundings[finding.path], place(finding.path)) for finding in report.findings)


class _Places:
    """Paths as a baseline has them: relative to its own folder, so that it does not matter where a run is started."""

    def __init__(self, file: str) -> None:
        self._folder = os.path.dirname(os.path.abspath(file))

    def __call__(self, path: str) -> str:
        try:
            return os.path.relpath(path, self._folder).replace(os.sep, "/")
        except ValueError:  # another drive
            return path

    def location(self, path: str) -> str:
        """The absolute path of what the baseline calls `path`."""
        return os.path.normpath(os.path.join(self._folder, path))


class _Standing:
    """Whether the text of an entry stands where it was, by the file on disk."""

    def __init__(self, places: _Places) -> None:
        self._places = places
        self._known: dict[str, Surroundings] = {}

    def __call__(self, entry: Identity) -> bool:
        from pause_lint.module import split_lines
        from pause_lint.tree import Unparsable, decode

        if entry.path not in self._known:
            try:
                lines = split_lines(decode(read(self._places.location(entry.path))))
            except (OSError, ValueError, Unparsable):
                return True  # nobody knows
            self._known[entry.path] = Surroundings(lines)
        return self._known[entry.path].hold(entry.around)


# The file


def render(entries: Iterable[Identity]) -> str:
    """The content of a baseline file; plain ASCII."""
    lines = [json.dumps(entry._asdict()) for entry in sorted(entries)]
    body = "\n" + ",\n".join(lines) + "\n" if lines else ""
    return f'{{"version": {VERSION}, "findings": [{body}]}}\n'


def load(file: str) -> tuple[Identity, ...]:
    """The entries of a baseline file. Raises ConfigError with what is wrong with it, and the remedy."""
    return _entries(file, _bytes(file))


def _bytes(file: str) -> bytes:
    try:
        return read(file)
    except FileNotFoundError:
        raise ConfigError(
            f"{file}: error: no such file; `pause-lint baseline --output {file}` writes down today's findings"
        ) from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file}: error: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _entries(file: str, data: bytes) -> tuple[Identity, ...]:
    try:
        document = json.loads(data.decode())
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{file}:{line}: error: not UTF-8 text, so no baseline: {_REMEDY}") from None
    except json.JSONDecodeError as error:
        if b"<<<<<<<" in data:
            raise ConfigError(
                f"{file}:{error.lineno}: error: a merge left its conflict in it: keep the lines of both sides, "
                "or make it anew with `pause-lint baseline`"
            ) from None
        raise ConfigError(f"{file}:{error.lineno}: error: not JSON ({error.msg}): {_REMEDY}") from None
    except (RecursionError, ValueError):
        raise ConfigError(f"{file}: error: not a baseline: {_REMEDY}") from None
    if not isinstance(document, dict) or "version" not in document:
        raise ConfigError(f"{file}: error: not a baseline, for it has no version: {_REMEDY}")
    version = document["version"]
    if type(version) is not int or version != VERSION:
        raise ConfigError(
            f"{file}: error: version {json.dumps(version)[:20]} of a baseline is not known here (known: {VERSION}): "
            "update pause-lint, or make it anew with `pause-lint baseline`"
        )
    findings = document.get("findings")
    if not isinstance(findings, list) or set(document) != {"version", "findings"}:
        raise ConfigError(
            f"{file}: error: a baseline holds `version` and a list of `findings`, nothing else: {_REMEDY}"
        )
    for number, entry in enumerate(findings, 1):
        _check_entry(f"{file}: error: finding {number}", entry)
    return tuple(sorted(Identity(**entry) for entry in findings))


def _check_entry(where: str, entry: object) -> None:
    if not isinstance(entry, dict):
        raise ConfigError(f"{where} is no object: {_REMEDY}")
    for key in Identity._fields:
        if not isinstance(entry.get(key), str):
            raise ConfigError(f"{where} has no text {key!r}: {_REMEDY}")
    for key in entry:
        if key not in Identity._fields:
            raise ConfigError(f"{where} has a key {key!r} that means nothing here: {_REMEDY}")


def narrowed(
    report: Report, file: str, lines: Lines, codes: frozenset[str], paths: Sequence[str], *, update: bool
) -> tuple[Report, list[str]]:
    """The report without what the baseline in `file` knows, and what there is to say about the baseline.

    update: whether to take out of the file what is gone. The rest as for `compare`, which see; raises ConfigError.
    """
    compared = compare(report, file, lines, codes, paths)
    known = len(report.findings) - len(compared.report.findings)
    notes = [f"{_findings(known)} not shown, known from {file}"] if known else []
    if update and report.problems:
        notes.append(f"{file} is not updated, for not everything could be checked")
    elif update and _update(file, compared):
        notes.append(f"{file} updated: {_findings(len(compared.gone))} gone, {len(compared.kept)} left")
    elif compared.gone and not update:
        verb = "is" if len(compared.gone) == 1 else "are"
        notes.append(f"{_findings(len(compared.gone))} of {file} {verb} gone; --update-baseline takes out:")
        notes[-1] += "".join(f"\n  {_described(entry)}" for entry in compared.gone)
    return compared.report, notes


def _described(entry: Identity) -> str:
    """An entry, as a person reads it."""
    return f"{entry.path}: {entry.code} {entry.pause}" + (f" in {entry.function}" if entry.function else "")


def _findings(number: int) -> str:
    return f"{number} finding{'' if number == 1 else 's'}"


class Recorded(NamedTuple):
    """What was written: how many findings, and how many the file held before; None if there was no such file."""

    now: int
    before: int | None


def record(report: Report, file: str, lines: Lines) -> Recorded:
    """Write the findings of a report down as the baseline in `file`, whatever it knew before.

    Raises ConfigError if `file` is something else than a baseline, or cannot be written.
    """
    entries = identities(report, lines, _Places(file))
    if not os.path.lexists(file):
        _put(file, None, render(entries))
        return Recorded(len(entries), None)
    try:
        old = _bytes(file)
        before = _entries(file, old)
    except ConfigError as error:
        raise ConfigError(f"{error}\n{file}: error: it is left as it is; name another file, or remove it") from None
    _put(file, old, render(entries))
    return Recorded(len(entries), len(before))


def _update(file: str, compared: Compared) -> bool:
    """Write a baseline again without what is gone, and with what has moved at its place of today; nothing is added.

    Returns whether that changed the file. Raises ConfigError if it cannot be written.
    """
    old = _bytes(file)
    if _entries(file, old) != compared.entries:
        raise ConfigError(f"{file}: error: changed by another program in the meantime: run again")
    return _put(file, old, render(compared.kept))


def _put(file: str, old: bytes | None, text: str) -> bool:
    new = text.encode("ascii")
    remove_stale(os.path.dirname(os.path.realpath(file)))
    if new == old:
        return False
    try:
        if old is None:
            create(file, new)
        else:
            replace(file, old, new)
    except WriteRefused as refusal:
        raise ConfigError(f"pause-lint: error: {refusal}") from None
    return True
