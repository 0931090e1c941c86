"""Fixing files: checks them, fixes each or hides what is in it, and writes it back. Says what was done, and why not.

How a file is fixed, how its findings are hidden and how it is written is not decided here.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from pause_lint.check import check_buffers, check_source, gathered, report_on
from pause_lint.config import Options, tree_root
from pause_lint.finding import Finding, Problem, Report
from pause_lint.fixing import fix_source
from pause_lint.fixing.silence import silence
from pause_lint.fixing.write import WriteRefused, remove_stale, target
from pause_lint.fixing.write import replace as replace_file
from pause_lint.module import Module
from pause_lint.rules import BY_CODE
from pause_lint.sources import Progress
from pause_lint.suppress import ABOUT_COMMENTS
from pause_lint.tree import Source, discover, parse, shown_path


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after. path: as shown in reports."""

    path: str
    old: bytes
    new: bytes


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run.

    changes: the files that were rewritten, or would have been.
    fixed: the findings that are gone with these changes.
    unfixed: those that stay, each with the reason, in the order of reports.
    report: the findings that stay, as a report; its problems are those of the whole run.
    """

    changes: tuple[Change, ...]
    fixed: tuple[Finding, ...]
    unfixed: tuple[tuple[Finding, str], ...]
    report: Report


def fix_paths(
    paths: Sequence[str],
    options: Options,
    *,
    unsafe: bool,
    write: bool,
    noqa: str | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Fix the findings in the files under `paths`.

    unsafe: whether to apply fixes that are not safe.
    noqa: if given, they are hidden behind comments with this reason (empty: none) instead.
    write: whether to write the files, and to remove what killed runs left beside them; without it, the changes are
    only worked out.
    progress: takes what is being done.
    """
    sources, missing = gathered(paths, options, progress)
    report, modules = report_on(sources, missing, options, progress=progress)
    tree = {module.path: module for module in modules}
    found = discover(paths, options)[0]
    locations = {source.path: source.location for source in found}
    removed = _without_remains(found, options) if write else []
    by_path: dict[str, list[Finding]] = {}
    for finding in report.findings:
        by_path.setdefault(finding.path, []).append(finding)
    changes: list[Change] = []
    fixed: list[Finding] = []
    unfixed: list[tuple[Finding, str]] = []
    problems = list(report.problems)
    for path, findings in by_path.items():
        location = locations.get(path, path)
        if progress is not None:
            progress(f"fixing: {path}")
        data = sources.bytes_of(path)
        done = fix_file(data, path, findings, options, unsafe=unsafe, context=tuple(tree.values()), noqa=noqa)
        problems += done.problems
        if done.new != data and write:
            refusal = _written(location, data, done.new, _root(location, options))
            if refusal:
                problems.append(Problem(path, 0, refusal))
                unfixed += [(finding, refusal) for finding in findings]
                continue
        if done.new != data:
            changes.append(Change(path, data, done.new))
            tree[path] = parse(path, done.new)
        fixed += done.fixed
        unfixed += done.unfixed
    unfixed.sort(key=lambda entry: entry[0].sort_key)
    left = report._replace(
        findings=tuple(finding for finding, _ in unfixed),
        problems=tuple(problems),
        notes=(*report.notes, *(f"{shown_path(path)}: left by a run that was killed, removed" for path in removed)),
    )
    return Outcome(tuple(changes), tuple(sorted(fixed, key=lambda finding: finding.sort_key)), tuple(unfixed), left)


def fix_bytes(data: bytes, path: str, options: Options, *, unsafe: bool, noqa: str | None = None) -> Outcome:
    """Fix the file in `data`, which is shown as `path`; nothing is written. `noqa` is that of `fix_paths`."""
    report, context = check_buffers({path: data}, options)
    if not report.findings:
        return Outcome((), (), (), report)
    done = fix_file(data, path, report.findings, options, unsafe=unsafe, context=context, noqa=noqa)
    left = report._replace(
        findings=tuple(finding for finding, _ in done.unfixed),
        problems=(*report.problems, *done.problems),
    )
    changes = (Change(path, data, done.new),) if done.new != data else ()
    return Outcome(changes, done.fixed, done.unfixed, left)


@dataclass(frozen=True, slots=True)
class FixedFile:
    """One file fixed in memory."""

    new: bytes
    fixed: tuple[Finding, ...]
    unfixed: tuple[tuple[Finding, str], ...]
    problems: tuple[Problem, ...]


def fix_file(
    data: bytes,
    path: str,
    findings: Sequence[Finding],
    options: Options,
    *,
    unsafe: bool,
    context: Sequence[Module] = (),
    noqa: str | None = None,
) -> FixedFile:
    """Fix `findings`, all of the file in `data`, which is shown as `path`. A fault of ours leaves the file as it is.

    context: the modules of the tree that the file lies in. noqa: that of `fix_paths`.

    What is left stands at its place in the new bytes.
    """
    if all(finding.code in ABOUT_COMMENTS for finding in findings):
        return FixedFile(data, (), _with_reasons(findings, ()), ())
    try:
        if noqa is not None:
            silenced = silence(data, path, findings, options, noqa, context)
            return FixedFile(silenced.data, silenced.hidden, silenced.unhidden, ())
        result = fix_source(data, path, options, unsafe, context)
    except Exception as error:
        message = f"internal error while fixing: {type(error).__name__}: {error}; please report it"
        unfixed = tuple((finding, "an internal error") for finding in findings)
        return FixedFile(data, (), unfixed, (Problem(path, 0, message),))
    left = check_source(result.data, path, options, context).findings if result.data != data else tuple(findings)
    # Where a function is clean now, what was found in it is shown at its place in the old bytes.
    still = {finding.function for finding in left}
    forecast = {finding._replace(fix="none", fix_note=""): finding for finding in result.fixed}
    fixed = [
        forecast.get(finding, finding)
        for finding in findings
        if finding.code not in ABOUT_COMMENTS and finding.function not in still
    ]
    fixed += [finding for finding in result.fixed if finding.function in still]
    return FixedFile(result.data, tuple(fixed), _with_reasons(left, result.unfixed), ())


_Unfixed: TypeAlias = Sequence[tuple[Finding, str]]


def _with_reasons(findings: Sequence[Finding], known: _Unfixed) -> tuple[tuple[Finding, str], ...]:
    """What is left, each with the reason; what is known of some says of their fixes as well whether they are safe."""
    by_place = {(finding.code, finding.span): (finding, reason) for finding, reason in known}

    def entry(finding: Finding) -> tuple[Finding, str]:
        if finding.code in ABOUT_COMMENTS:
            return finding, BY_CODE[finding.code].advice
        unknown = f"there is no fix for {finding.code}; see `pause-lint rule {finding.code}`"
        forecast, reason = by_place.get((finding.code, finding.span), (finding, unknown))
        return finding._replace(fix=forecast.fix, fix_note=forecast.fix_note), reason

    return tuple(map(entry, findings))


def _written(location: str, old: bytes, new: bytes, root: str) -> str:
    """Write `new` to the file; why not, if it was refused or failed."""
    try:
        replace_file(location, old, new, root)
    except WriteRefused as refusal:
        return f"not written: {refusal.reason}"
    return ""


def _root(location: str, options: Options) -> str:
    """The folder outside which nothing is written, whatever a link says."""
    return options.project_root or tree_root(location)


def _without_remains(found: Sequence[Source], options: Options) -> list[str]:
    """Remove the temporary files of killed runs from the folders where this run may write. Returns their paths."""
    roots: dict[str, str] = {}
    folders: set[str] = set()
    for source in found:
        folder = os.path.dirname(source.location)
        if folder not in roots:
            roots[folder] = _root(source.location, options)
        with suppress(WriteRefused, OSError):
            folders.add(os.path.dirname(target(source.location, roots[folder])))
    return [path for folder in sorted(folders) for path in remove_stale(folder)]


def unified_diff(change: Change) -> bytes:
    """`change` as a unified diff that `patch` and `git apply` take, byte for byte: line endings and encoding stay."""
    from difflib import diff_bytes
    from difflib import unified_diff as diff

    path = change.path.encode("utf-8", "surrogateescape")
    # As git does it: a tab ends a name with blanks in it.
    end = b"\t" if b" " in path else b""
    lines = diff_bytes(diff, _lines(change.old), _lines(change.new), b"a/" + path + end, b"b/" + path + end)
    unended = b"\n\\ No newline at end of file\n"
    return b"".join(line if line.endswith(b"\n") else line + unended for line in lines)


def _lines(data: bytes) -> list[bytes]:
    """The lines of `data` with their `\\n`; a diff knows no other end of a line."""
    return [line + b"\n" for line in data.split(b"\n")[:-1]] + [last for last in data.split(b"\n")[-1:] if last]
