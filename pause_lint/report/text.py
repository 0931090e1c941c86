"""The report for people: findings with their source line and their path, or one line each; and the totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pause_lint import suggest
from pause_lint.finding import Finding, Problem, Report, Span
from pause_lint.report.excerpt import excerpt, printable
from pause_lint.rules import BY_CODE

Lines = Callable[[str], Sequence[str]]
"""From a path, as shown, to the lines of that file without their endings; empty if they are not to be had."""


class Style(NamedTuple):
    """Escape sequences for a terminal; empty ones for everything else."""

    bold: str = ""
    red: str = ""
    dim: str = ""
    reset: str = ""

    @classmethod
    def colored(cls) -> Style:
        """The sequences that every terminal knows."""
        return cls("\x1b[1m", "\x1b[1;31m", "\x1b[2m", "\x1b[0m")


PLAIN = Style()


def headline(finding: Finding, style: Style = PLAIN) -> str:
    """`path:line:column: CODE message`."""
    span = finding.span
    return (
        f"{style.bold}{printable(finding.path)}{style.reset}:{span.line}:{span.column}: "
        f"{style.red}{finding.code}{style.reset} {printable(finding.message)}"
    )


def block(finding: Finding, lines: Lines, style: Style = PLAIN) -> str:
    """A finding in full: the headline, the source line with carets, the path as numbered notes."""
    notes = [f"  {step}" for step in steps(finding)]
    return "\n".join([headline(finding, style), *_excerpt(finding.span, lines(finding.path), style), *notes])


def steps(finding: Finding) -> list[str]:
    """The path of a finding as numbered notes, one line each; a place in its own file without the file's name."""
    width = len(str(len(finding.witness)))
    notes: list[str] = []
    for number, step in enumerate(finding.witness, 1):
        place = f"line {step.line}" if step.path == finding.path else f"{step.path}:{step.line}:{step.column}"
        notes.append(f"{number:>{width}}. {printable(place)}: {printable(step.message)}")
    return notes


def problem_line(problem: Problem) -> str:
    """`path:line: error: message`, without the line where none is to blame."""
    place = f"{problem.path}:{problem.line}" if problem.line else problem.path
    return f"{printable(place)}: error: {printable(problem.message)}"


def statistics(findings: Sequence[Finding]) -> str:
    """How often each rule was broken, by code."""
    counts = Counter(finding.code for finding in findings)
    width = max((len(str(count)) for count in counts.values()), default=0)
    names = {code: BY_CODE[code].name if code in BY_CODE else "" for code in counts}
    return "".join(f"{counts[code]:>{width}}  {code}  {names[code]}\n" for code in sorted(counts))


def summary(report: Report) -> str:
    """The last line: how much was found, and how much of it `fix` can mend."""
    findings = report.findings
    errors = f", and {count(len(report.problems), 'error')}" if report.problems else ""
    if not findings:
        return f"No findings in {count(report.files, 'file')}{errors}.\n"
    text = f"Found {count(len(findings), 'finding')} in {count(len({finding.path for finding in findings}), 'file')}"
    text += errors
    safe = sum(finding.fix == "safe" for finding in findings)
    unsafe = sum(finding.fix == "unsafe" for finding in findings)
    remarks = []
    if safe:
        remarks.append(f"{safe} fixable with `pause-lint fix`")
    if unsafe:
        remarks.append(f"{unsafe} {'more ' if safe else 'fixable '}with `--unsafe-fixes`")
    return text + (f" ({', '.join(remarks)})" if remarks else "") + ".\n"


def fix_summary(fixed: int, files: int, unfixed: int, *, diff: bool, noqa: bool) -> str:
    """The last line after `fix`. diff: the changes were only shown. noqa: they are suppressions."""
    if not fixed and not unfixed:
        return f"Nothing to {'suppress' if noqa else 'fix'}.\n"
    would, did = ("suppress", "Suppressed") if noqa else ("fix", "Fixed")
    text = f"{f'Would {would}' if diff else did} {count(fixed, 'finding')} in {count(files, 'file')}"
    return text + (f", {unfixed} not {did.lower()}" if unfixed else "") + ".\n"


def render(
    report: Report,
    lines: Lines,
    *,
    concise: bool = False,
    quiet: bool = False,
    with_statistics: bool = False,
    style: Style = PLAIN,
) -> str:
    """The findings of `report` and, unless `quiet`, the totals. Problems and notes go elsewhere."""
    parts = [
        headline(finding, style) + "\n" if concise else block(finding, lines, style) + "\n\n"
        for finding in report.findings
    ]
    if with_statistics:
        parts.append(statistics(report.findings))
    if not quiet:
        parts.append(summary(report))
        parts += [suggest.line(report.suggested) + "\n"] if report.suggested else []
    text = "".join(parts)
    return text.removesuffix("\n") if text.endswith("\n\n") else text


def count(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _excerpt(span: Span, lines: Sequence[str], style: Style) -> list[str]:
    """The first line of `span` with carets below it; nothing if there is no such line."""
    if not 0 < span.line <= len(lines):
        return []
    line = lines[span.line - 1]
    # Of a call that goes on, what there is of it on its first line.
    end = span.end_column - 1 if span.end_line == span.line else len(line.rstrip())
    shown = excerpt(line, span.column - 1, end)
    number = str(span.line)
    margin = " " * len(number)
    carets = f"{' ' * shown.indent}{style.red}{'^' * shown.width}{style.reset}"
    return [
        f"{style.dim}{margin} |{style.reset}",
        f"{style.dim}{number} |{style.reset} {shown.text}",
        f"{style.dim}{margin} |{style.reset} {carets}",
    ]
