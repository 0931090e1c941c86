"""What can be done about the findings of a document: fixes and suppressions, as stretches of its text to replace.

Each is carried out and verified in memory as `fix` does it. Nothing is written, and nothing here knows of the protocol.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pause_lint.finding import Finding
from pause_lint.fixing import fix_source
from pause_lint.fixing.propose import Replacement, proposal, replacements
from pause_lint.fixing.silence import silence
from pause_lint.lsp.examine import Look
from pause_lint.suppress import ABOUT_COMMENTS, UNREASONED
from pause_lint.tree import decode


class Remedy(NamedTuple):
    """What is done, in words, and to which text; from top to bottom. fixes: the findings that are gone then.

    preferred: whether it is what one would do unasked.
    """

    title: str
    replacements: tuple[Replacement, ...]
    fixes: tuple[Finding, ...]
    preferred: bool = False


def remedies(look: Look, finding: Finding) -> Iterator[Remedy]:
    """The fix of a finding of `look`, if there is one, and its suppression.

    There are none where suppressions need a reason: nobody but the author knows it.
    """
    cases = [case for one in look.findings if (case := look.tree.cases.get(one)) is not None]
    case = look.tree.cases.get(finding)
    fix = proposal(case, cases) if case is not None else None
    if fix is not None and fix.safe:
        yield Remedy(f"Fix {finding.code}: resume on every way out", fix.replacements, (finding,), preferred=True)
    elif fix is not None:
        yield Remedy(f"Unsafe fix of {finding.code}: {fix.why_unsafe}", fix.replacements, (finding,))
    if finding.code not in ABOUT_COMMENTS and UNREASONED not in look.tree.options.select:
        silenced = silence(*_file(look), look.findings, look.tree.options, "", look.tree.modules, only=finding)
        if silenced.hidden:
            changes = _changes(look, silenced.data)
            yield Remedy(f"Suppress {finding.code} on line {finding.span.line} with # noqa", changes, silenced.hidden)


def fix_all(look: Look) -> Iterator[Remedy]:
    """Every safe fix of the document at once, if there is one."""
    if not any(finding.fix == "safe" for finding in look.findings):
        return
    data, path = _file(look)
    done = fix_source(data, path, look.tree.options, False, look.tree.modules)
    if done.data == data:
        return
    fixed = {(finding.code, finding.span) for finding in done.fixed}
    gone = tuple(finding for finding in look.findings if (finding.code, finding.span) in fixed)
    yield Remedy("Fix every pause that has a safe fix", _changes(look, done.data), gone)


def _file(look: Look) -> tuple[bytes, str]:
    assert look.sound is not None, "there are findings, so there is a text that they stand in"
    return look.sound, look.document.path


def _changes(look: Look, new: bytes) -> tuple[Replacement, ...]:
    return tuple(replacements(decode(_file(look)[0]), decode(new)))
