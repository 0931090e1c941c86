"""What a finding is known by from one run to the next: what it says and where, without line numbers.

A line more or less above it, another message or another indentation change nothing. Another file or function, and
another text of the pausing call, make it another finding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

from pause_lint.finding import Finding
from pause_lint.report.text import Lines


def fingerprints(findings: Iterable[Finding], lines: Lines) -> list[str]:
    """One for each of `findings`, in their order: 32 hexadecimal digits, different from each other.

    Of several that are alike in one function, the first keeps its fingerprint when more are added below it.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    found: list[str] = []
    for finding in findings:
        parts = (finding.code, finding.path, finding.function, _source(finding, lines))
        found.append(fingerprint(*parts, str(seen[parts])))
        seen[parts] += 1
    return found


def fingerprint(*parts: str) -> str:
    """32 hexadecimal digits that stand for `parts`."""
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _source(finding: Finding, lines: Lines) -> str:
    """The code that a finding stands at, its white space evened out; empty if the file is not to be had."""
    line, column, end_line, end_column = finding.span
    stretch = list(lines(finding.path)[line - 1 : end_line])
    if stretch:
        stretch[-1] = stretch[-1][: end_column - 1]
        stretch[0] = stretch[0][column - 1 :]
    return " ".join(" ".join(stretch).split())
