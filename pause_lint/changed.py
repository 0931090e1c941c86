"""Which findings the changes since a revision touch.

A finding is touched if a step of its witness stands on a changed line: where it pauses, the turns that it takes, where
it escapes, where it leaves. Lines that are gone leave no line behind, and are what most easily makes a fault. So code
taken away touches the lines right before and behind it; and where a change leaves fewer lines that resume, or that hold
up an exception (`except`, `finally`, `with`), it touches the findings of the function around it.

A function elsewhere that resumes no more is no step, and is not seen here. A baseline sees what it leads to.

What was changed is found out by `history`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from pause_lint.config import Options
from pause_lint.finding import Finding, Report
from pause_lint.history import Changes, Hunk, Hunks, Repository
from pause_lint.identity import Lines
from pause_lint.sources import vocabulary_sides

_COMMENT = re.compile(r"\s*#")
_CODE = re.compile(r"\s*[^\s#]")
_HOLDING_UP = re.compile(r"\s*(?:try|except|finally|else|with|async\s+with)\b")


def changed_only(report: Report, revision: str, lines: Lines, options: Options, paths: Sequence[str]) -> Report:
    """The report with those of its findings only that the changes since `revision` touch.

    lines: of the files of the report. paths: what was to be checked; all of it lies in one repository.
    Raises ConfigError if git cannot tell, with what to do about it.
    """
    repository = Repository.of(paths)
    touching = _Touching(repository, repository.changes(revision), lines, vocabulary_sides(options)[1])
    return report._replace(findings=tuple(finding for finding in report.findings if touching(finding)))


class _Touching:
    """Whether changes touch a finding."""

    def __init__(self, repository: Repository, changes: Changes, lines: Lines, words: frozenset[str]) -> None:
        self._repository = repository
        self._changes = changes
        self._lines = lines
        self._words = words
        self._functions: dict[str, list[tuple[int, int]]] = {}

    def __call__(self, finding: Finding) -> bool:
        steps = {(finding.path, finding.span.line), *((step.path, step.line) for step in finding.witness)}
        return any(touched(self._of(path), line) for path, line in steps) or self._lost_its_hold(finding)

    def _of(self, path: str) -> Hunks:
        return self._changes.of(self._repository.inside(path))

    def _lost_its_hold(self, finding: Finding) -> bool:
        """Whether something was taken out of the function that resumed, or that held up exceptions."""
        hunks = self._of(finding.path)
        if not hunks:
            return False
        lines = self._lines(finding.path)
        if finding.path not in self._functions:
            self._functions[finding.path] = _functions(lines)
        first, last = _around(self._functions[finding.path], finding.span.line, len(lines))
        indent = _indent(lines[first - 1]) if first else -1
        return any(
            self._holding(_within(indent, hunk.removed)) > self._holding(lines[hunk.start - 1 : hunk.stop - 1])
            for hunk in hunks
            if first < hunk.stop and hunk.start <= last + (hunk.start == hunk.stop)
        )

    def _holding(self, lines: Iterable[str]) -> int:
        """How many of the lines resume, or hold up exceptions."""
        return sum(bool(_HOLDING_UP.match(line)) or any(word in line for word in self._words) for line in lines)


def touched(hunks: Hunks, line: int) -> bool:
    """Whether a line of a file with these changes was changed, or stood beside code that was taken away."""
    return hunks is None or any(_touches(hunk, line) for hunk in hunks)


def _touches(hunk: Hunk, line: int) -> bool:
    if hunk.start < hunk.stop:
        return hunk.start <= line < hunk.stop
    removed = [text.strip() for text in hunk.removed if not _COMMENT.match(text)] or [""]
    return bool((line == hunk.start - 1 and removed[0]) or (line == hunk.start and removed[-1]))


def _within(indent: int, removed: Iterable[str]) -> Iterator[str]:
    """Of lines taken out of a function indented so, or at its end, those that belonged to it."""
    for text in removed:
        if _CODE.match(text) and _indent(text) <= indent:
            return
        yield text


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _functions(lines: Sequence[str]) -> list[tuple[int, int]]:
    """The first and last line of every function."""
    try:
        tree = ast.parse("\n".join(lines) + "\n")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [
        (node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def _around(functions: Iterable[tuple[int, int]], line: int, count: int) -> tuple[int, int]:
    """The first and last line of the innermost function on a line; of a file of `count` lines, 0 and the last, if there
    is none.
    """
    return max(((first, last) for first, last in functions if first <= line <= last), default=(0, count))
