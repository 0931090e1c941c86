"""The totals of a report for people, which a run that found nothing has as well. Nothing here shows a finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pause_lint import suggest
from pause_lint.finding import Finding, Report
from pause_lint.rules import BY_CODE


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


def read(report: Report) -> str:
    """How many files were read, how many of these were parsed, and why the others were not."""
    text = f"{count(report.files, 'file')} read, {report.parsed} parsed"
    if report.problems or report.parsed == report.files:  # those that cannot be parsed are said by name
        return text
    one, several = ("the other", "the others") if report.parsed else ("it", "them")
    where = one if report.files - report.parsed == 1 else several
    return f"{text}: no word of a pair is in {where}"


def fix_summary(fixed: int, files: int, unfixed: int, unsafe: int, *, diff: bool, noqa: bool) -> str:
    """The last line after `fix`.

    unsafe: how many of those not fixed have an unsafe fix. diff: the changes were only shown. noqa: they are
    suppressions.
    """
    if not fixed and not unfixed:
        return f"Nothing to {'suppress' if noqa else 'fix'}.\n"
    would, did = ("suppress", "Suppressed") if noqa else ("fix", "Fixed")
    text = f"{f'Would {would}' if diff else did} {count(fixed, 'finding')} in {count(files, 'file')}"
    more = f" ({unsafe} fixable with `--unsafe-fixes`)" if unsafe and not noqa else ""
    return text + (f", {unfixed} not {did.lower()}{more}" if unfixed else "") + ".\n"


def render(report: Report, *, quiet: bool = False, with_statistics: bool = False) -> str:
    """What stands below the findings of `report`; with `quiet`, at most the statistics."""
    text = statistics(report.findings) if with_statistics else ""
    if quiet:
        return text
    return text + summary(report) + (suggest.line(report.suggested) + "\n" if report.suggested else "")


def count(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
