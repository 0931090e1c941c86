"""What the command line prints: findings on standard output, what there is to say beside them on standard error."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TextIO

from pause_lint.finding import Problem, Report
from pause_lint.module import split_lines
from pause_lint.report import FILES, MACHINE, render, totals
from pause_lint.terminal import columns, takes_color
from pause_lint.tree import Unparsable, decode, read

if TYPE_CHECKING:
    from pause_lint.finding import Finding
    from pause_lint.fixing.propose import Proposal
    from pause_lint.fixing.run import Outcome
    from pause_lint.report import text


def show(
    report: Report, arguments: argparse.Namespace, memory: dict[str, bytes], fixes: dict[Finding, Proposal]
) -> None:
    """Print a report. memory: the files that were not read from disk, by shown path. fixes: those to be shown."""
    lines = SourceLines(memory)
    if arguments.output_format in MACHINE:
        sys.stdout.write(render(arguments.output_format, report, lines, fixes))
        if arguments.output_format in FILES:
            print_problems(report.problems, arguments)
    else:
        shown = totals.render(report, quiet=arguments.quiet, with_statistics=arguments.statistics)
        if report.findings:
            from pause_lint.report import text  # late: most runs find nothing

            one_line = arguments.output_format == "concise"
            shown = text.render(report.findings, lines, one_line=one_line, page=_page(arguments, sys.stdout)) + shown
        sys.stdout.write(shown[:-1] if shown.endswith("\n\n") else shown)
        print_problems(report.problems, arguments)
    print_notes(report, arguments)


def show_outcome(outcome: Outcome, arguments: argparse.Namespace, memory: dict[str, bytes], beside: bool) -> None:
    """Print what was fixed and what was not. beside: on standard error."""
    if arguments.output_format in MACHINE and not beside:
        show(outcome.report, arguments, memory, {})
        return
    from pause_lint.report import text
    from pause_lint.report.excerpt import printable

    out = sys.stderr if beside else sys.stdout
    page = _page(arguments, out)
    lines = SourceLines(memory)
    did = "suppressed" if arguments.add_noqa else "fixed"
    if not arguments.quiet and not arguments.diff:
        for finding in outcome.fixed:
            how = (
                f", unsafe: {printable(finding.fix_note)}" if finding.fix == "unsafe" and not arguments.add_noqa else ""
            )
            out.write(f"{text.headline(finding, page.style)} [{did}{how}]\n")
    for finding, reason in outcome.unfixed:
        remark = f"not {did}: {printable(reason)}"
        if arguments.output_format == "concise":
            out.write(f"{text.concise(finding, page.style)}\n  {remark}\n")
        else:
            out.write(f"{text.block(finding, lines, page, remark)}\n")
    if arguments.statistics:
        out.write(totals.statistics(outcome.report.findings))
    if not arguments.quiet:
        unsafe = sum(finding.fix == "unsafe" for finding, _ in outcome.unfixed)
        counts = (len(outcome.fixed), len(outcome.changes), len(outcome.unfixed), unsafe)
        out.write(totals.fix_summary(*counts, diff=arguments.diff, noqa=arguments.add_noqa))
    print_problems(outcome.report.problems, arguments)
    print_notes(outcome.report, arguments)


def print_problems(problems: Sequence[Problem], arguments: argparse.Namespace) -> None:
    """Print what could not be done, on standard error."""
    sys.stdout.flush()
    if problems:
        from pause_lint.report import text

        style = _page(arguments, sys.stderr).style
        sys.stderr.write("".join(f"{text.problem_line(problem, style)}\n" for problem in problems))


def print_diffs(diffs: Iterable[bytes], arguments: argparse.Namespace) -> None:
    """Print diffs: byte for byte, so that they can be applied; on a terminal so that they can be read."""
    if not sys.stdout.isatty():
        sys.stdout.flush()
        for diff in diffs:
            sys.stdout.buffer.write(diff)
        sys.stdout.buffer.flush()
        return
    from pause_lint.report.excerpt import visible

    style = _page(arguments, sys.stdout).style
    colors = {"+": style.green, "-": style.red, "@": style.blue}
    for diff in diffs:
        for line in diff.decode("utf-8", "backslashreplace").removesuffix("\n").split("\n"):
            line = line.removesuffix("\r")  # a line ending, like the other
            color = style.bold if line.startswith(("--- ", "+++ ")) else colors.get(line[:1], "")
            sys.stdout.write(f"{color}{visible(line)}{style.reset}\n" if color else f"{visible(line)}\n")


def print_notes(report: Report, arguments: argparse.Namespace) -> None:
    """Print what was left out and given up, if that is wanted; and in any case if a path that was named was."""
    if arguments.verbose:
        print_beside([*report.notes, totals.read(report)], arguments)
    elif len(report.unheeded) == 1:
        print_beside(report.unheeded, arguments)
    elif report.unheeded:
        print_beside([f"{len(report.unheeded)} of the paths named were left out (-v names them)"], arguments)


def print_beside(notes: Sequence[str], arguments: argparse.Namespace) -> None:
    """Print what there is to say about a report, beside it."""
    if notes and not arguments.quiet:
        from pause_lint.report.excerpt import printable_lines

        sys.stdout.flush()
        sys.stderr.write("".join(f"note: {printable_lines(note)}\n" for note in notes))


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


def _page(arguments: argparse.Namespace, stream: TextIO) -> text.Page:
    """What a report that goes to `stream` is written on."""
    from pause_lint.report import text

    style = text.Style.colored() if takes_color(stream, getattr(arguments, "color", "auto")) else text.PLAIN
    return text.Page(columns(stream, text.COLUMNS), stream.encoding or "utf-8", style)
