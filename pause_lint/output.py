"""What the command line prints: findings on standard output, what there is to say beside them on standard error."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pause_lint.finding import Problem, Report
from pause_lint.module import split_lines
from pause_lint.report import FILES, MACHINE, render, text
from pause_lint.tree import Unparsable, decode, read

if TYPE_CHECKING:
    from pause_lint.finding import Finding
    from pause_lint.fixing.propose import Proposal
    from pause_lint.fixing.run import Outcome


def show(
    report: Report, arguments: argparse.Namespace, memory: dict[str, bytes], fixes: dict[Finding, Proposal]
) -> None:
    """Print a report. memory: the files that were not read from disk, by shown path. fixes: those to be shown."""
    lines = SourceLines(memory)
    if arguments.output_format in MACHINE:
        sys.stdout.write(render(arguments.output_format, report, lines, fixes))
        if arguments.output_format in FILES:
            print_problems(report.problems)
    else:
        sys.stdout.write(
            text.render(
                report,
                lines,
                concise=arguments.output_format == "concise",
                quiet=arguments.quiet,
                with_statistics=arguments.statistics,
                style=_style(arguments),
            )
        )
        print_problems(report.problems)
    print_notes(report, arguments)


def show_outcome(outcome: Outcome, arguments: argparse.Namespace, memory: dict[str, bytes], beside: bool) -> None:
    """Print what was fixed and what was not. beside: on standard error."""
    if arguments.output_format in MACHINE and not beside:
        show(outcome.report, arguments, memory, {})
        return
    out = sys.stderr if beside else sys.stdout
    style = _style(arguments)
    lines = SourceLines(memory)
    if not arguments.quiet and not arguments.diff:
        for finding in outcome.fixed:
            out.write(f"{text.headline(finding, style)} [{'suppressed' if arguments.add_noqa else 'fixed'}]\n")
    for finding, reason in outcome.unfixed:
        concise = arguments.output_format == "concise"
        shown = text.headline(finding, style) if concise else text.block(finding, lines, style)
        out.write(f"{shown}\n  not {'suppressed' if arguments.add_noqa else 'fixed'}: {reason}\n")
    if arguments.statistics:
        out.write(text.statistics(outcome.report.findings))
    if not arguments.quiet:
        counts = (len(outcome.fixed), len(outcome.changes), len(outcome.unfixed))
        out.write(text.fix_summary(*counts, diff=arguments.diff, noqa=arguments.add_noqa))
    print_problems(outcome.report.problems)
    print_notes(outcome.report, arguments)


def print_problems(problems: Sequence[Problem]) -> None:
    sys.stdout.flush()
    for problem in problems:
        sys.stderr.write(text.problem_line(problem) + "\n")


def print_notes(report: Report, arguments: argparse.Namespace) -> None:
    if arguments.verbose and not arguments.quiet:
        sys.stdout.flush()
        for note in report.notes:
            sys.stderr.write(f"note: {note}\n")
        sys.stderr.write(f"note: {report.files} files read, {report.parsed} of them parsed\n")


def print_beside(notes: Sequence[str], arguments: argparse.Namespace) -> None:
    """Print what there is to say about a report, beside it."""
    if not arguments.quiet:
        sys.stdout.flush()
        sys.stderr.write("".join(f"note: {note}\n" for note in notes))


class SourceLines:
    """The lines of a file by its shown path: from memory, or read again and kept."""

    def __init__(self, memory: dict[str, bytes]) -> None:
        self._memory = memory
        self._known: dict[str, tuple[str, ...]] = {}

    def __call__(self, path: str) -> tuple[str, ...]:
        if path not in self._known:
            try:
                data = self._memory[path] if path in self._memory else read(path)
                self._known[path] = split_lines(decode(data))
            except (OSError, ValueError, Unparsable):
                self._known[path] = ()
        return self._known[path]


def _style(arguments: argparse.Namespace) -> text.Style:
    """Colour if asked for, or if a person looks at a terminal (https://no-color.org, https://force-color.org)."""
    wanted: str = arguments.color
    if wanted == "auto":
        if os.environ.get("NO_COLOR"):
            wanted = "never"
        elif os.environ.get("FORCE_COLOR"):
            wanted = "always"
        elif os.environ.get("TERM") == "dumb" or not sys.stdout.isatty():
            wanted = "never"
    return text.PLAIN if wanted == "never" else text.Style.colored()
