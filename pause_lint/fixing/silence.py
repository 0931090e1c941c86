"""Suppression comments written into one file in memory, and verified before anything is believed.

A comment goes to the end of the line on which flake8 looks for it. Where a `# noqa` with codes stands there already,
the code goes into its list, for flake8 reads only the first one. Nothing else changes, not a byte. The result has the
same syntax tree, and the same findings less those that were to be hidden; else nothing is written and the reason is
given.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from pause_lint.check import check_source
from pause_lint.config import ConfigError, Options
from pause_lint.finding import Finding
from pause_lint.module import Module
from pause_lint.rules import BY_CODE
from pause_lint.suppress import ABOUT_COMMENTS, Suppressions, codes_of, has_reason
from pause_lint.tree import Unparsable, decode, encode, parse


@dataclass(frozen=True, slots=True)
class Silenced:
    """The file with its new comments, which findings they hide, and why others are not hidden."""

    data: bytes
    hidden: tuple[Finding, ...]
    unhidden: tuple[tuple[Finding, str], ...]


def check_reason(reason: str) -> str:
    """The reason as it is written behind the codes. Raises ConfigError if it would not be read as one."""
    told = " ".join(reason.split())
    wrong = ""
    if not told.isprintable():
        wrong = "it holds characters that cannot be printed"
    elif codes_of(f"# noqa: PR001 {told}") != ("PR001",):
        wrong = "it begins with what flake8 takes for a code"
    elif not has_reason(told):
        wrong = "there is no word in it"
    if wrong:
        raise ConfigError(f"pause-lint fix: error: argument --reason: {reason!r}: {wrong}")
    return told


def silence(
    data: bytes,
    path: str,
    findings: Sequence[Finding],
    options: Options,
    reason: str,
    context: Sequence[Module],
    only: Finding | None = None,
) -> Silenced:
    """Hide `findings`, all of the file in `data`, which is shown as `path`, behind comments.

    reason: what stands behind the codes; empty for none. context: the other modules of the tree that the file lies in.
    only: the one to hide, if the others are to stay.
    Raises Unparsable if it is no Python source.
    """
    file = _File(path, options, reason, context)
    if only is not None:
        return file.silenced(data, [only], findings)
    done = file.silenced(data, findings, findings)
    if done.hidden or len(findings) == 1:
        return done
    # What stands in the way of one must not keep the others from being hidden.
    left = list(findings)
    unhidden: list[tuple[Finding, str]] = []
    for finding in findings:
        alone = file.silenced(data, [finding], left)
        data = alone.data
        unhidden += alone.unhidden
        left = [one for one in left if one not in alone.hidden]
    return Silenced(data, tuple(finding for finding in findings if finding not in left), tuple(unhidden))


@dataclass(frozen=True, slots=True)
class _File:
    """A file that is given comments, and what is known of it besides its bytes."""

    path: str
    options: Options
    reason: str
    context: Sequence[Module]

    def silenced(self, data: bytes, findings: Sequence[Finding], present: Sequence[Finding]) -> Silenced:
        """The file in `data`, with its findings `present`, and `findings` of them hidden: all that can be, or none."""
        comments = _Comments(decode(data))
        refusals = [(finding, comments.add(finding, self.reason)) for finding in findings]
        unhidden = [(finding, why) for finding, why in refusals if why]
        wanted = [finding for finding, why in refusals if not why]
        if not wanted:
            return Silenced(data, (), tuple(unhidden))
        new, wrong = self._verified(data, comments.text(), present, wanted)
        if wrong:
            return Silenced(data, (), (*unhidden, *((finding, wrong) for finding in wanted)))
        return Silenced(new, tuple(wanted), tuple(unhidden))

    def _verified(
        self, data: bytes, text: str, present: Sequence[Finding], wanted: Sequence[Finding]
    ) -> tuple[bytes, str]:
        """The file with `text` in it; or what is wrong with that."""
        try:
            new = encode(text, data)
        except UnicodeError:
            return data, "the reason cannot be written in the encoding of the file"
        try:
            if decode(new) != text or _dump(parse(self.path, new)) != _dump(parse(self.path, data)):
                return data, "the comment did not pass verification: it changes the program"
        except Unparsable as error:
            return data, f"the comment did not pass verification: {error.message}"
        found = check_source(new, self.path, self.options, self.context).findings
        left = [(finding.code, finding.span.line) for finding in found]
        expected = [(finding.code, finding.span.line) for finding in present if finding not in wanted]
        if sorted(left) != sorted(expected):
            return data, "the comment did not pass verification: it hides something else, or not this"
        return new, ""


class _Comments:
    """A text, and what is to be written into it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._suppressions = Suppressions(text)
        # Where each line ends, before its line ending, as Python counts lines.
        self._starts, self._ends = _edges(text)
        self._codes: dict[int, tuple[list[str], str | None]] = {}
        """Codes by the place in the text where they go, and the reason behind them; None in a list that is there."""

    def add(self, finding: Finding, reason: str) -> str:
        """Hide a finding; why that cannot be done, if it cannot."""
        if finding.code in ABOUT_COMMENTS:
            return BY_CODE[finding.code].advice
        line = finding.span.line
        found, at = self._suppressions.first_noqa(line), self._suppressions.first_noqa_at(line)
        if found is None or at is None:
            place = self._ends[self._suppressions.joined(line)[1] - 1]
        elif not self._suppressions.is_comment(*at):
            return "a string on this line holds a `# noqa`, the only one that flake8 reads; split the line"
        else:
            # Up to the last code of the list.
            written = found[0].partition("\n")[0].rstrip(", \t\f")
            place = self._starts[at[0] - 1] + at[1] - 1 + len(written)
        listed, _ = self._codes.setdefault(place, ([], None if found is not None else reason))
        if finding.code not in listed:
            listed.append(finding.code)
        return ""

    def text(self) -> str:
        """The text with its comments."""
        text = self._text
        for place in sorted(self._codes, reverse=True):
            codes, reason = self._codes[place]
            if reason is not None:
                before = text[text.rfind("\n", 0, place) + 1 : place]
                gap = "" if before.endswith("  ") else "  "
                written = f"{gap}# noqa: {', '.join(sorted(codes))} {reason}".rstrip()
            else:
                written = "".join(f", {code}" for code in sorted(codes))
            text = text[:place] + written + text[place:]
        return text


def _edges(text: str) -> tuple[list[int], list[int]]:
    """Where each line of a text begins, and where it ends before its line ending."""
    starts, ends = [0], []
    at = 0
    while at < len(text):
        if text[at] in "\r\n":
            ends.append(at)
            at += 2 if text.startswith("\r\n", at) else 1
            starts.append(at)
        else:
            at += 1
    ends.append(len(text))
    return starts, ends


def _dump(module: Module) -> str:
    return ast.dump(module.tree, include_attributes=True)
