"""Suppression comments, line for line as flake8 7 reads them; those that do nothing (PR900) or do not say why (PR901).

flake8 searches text, not comments: `# noqa` counts inside a string as well. It looks at the physical line of a finding;
lines that a string or a backslash runs across count as one. Of several `# noqa` there, only the first is read. Codes
are prefixes and their case matters; anything after `# noqa` that is no list of codes leaves a bare `# noqa`, which
hides everything. A line that begins with `# flake8: noqa` hides the whole file, whatever codes follow it.

Nothing here decides what is reported: it is given findings and says which of them are hidden.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pause_lint.finding import Finding, Span
from pause_lint.rules import RULES

INEFFECTIVE = "PR900"
UNREASONED = "PR901"
ABOUT_COMMENTS = frozenset({INEFFECTIVE, UNREASONED})
"""The rules about the comments themselves."""

# What flake8 understands. One blank after `#`, at most one white space after the colon.
_NOQA = re.compile(r"# noqa(?::\s?(?P<codes>(?:[A-Z]+[0-9]+[,\s]*)+))?", re.IGNORECASE)
_NOQA_FILE = re.compile(r"\s*# flake8[:=]\s*noqa", re.IGNORECASE)

# What people write. A code that does not stand in a list must look like one of ours to be taken for one, and not like
# the number of a pull request. As text: few files have any of it, and only there are they compiled.
_LIKE_NOQA = r"(?i)#\s*noqa"
_LIKE_NOQA_FILE = r"(?i)#\s*flake8\s*[:=]?\s*noqa(?P<rest>.*)"
_OUR_CODE = r"(?i)PR\d+"
_CODE_NEXT = r"(?i)[\s:=,;(\[-]*(?P<code>PR[09]\d*)\b"
_MORE_CODES = r"(?i)\s*[;|/&+.]\s*(?P<code>PR[09]\d*)\b"
_NAME = "|".join(re.escape(rule.name) for rule in RULES)
_NAMES_NEXT = rf"(?i)[\s:=,;(\[-]*(?P<names>(?:{_NAME})(?:[,\s]+(?:{_NAME}))*)(?![\w-])"
_OUR_DIRECTIVE = r"(?i)#\s*pause[-_ ]?lint\s*[:=]\s*(?:ignore|disable|noqa|skip|off|allow|suppress)\b[^#]*"
_OTHER_TOOL = r"(?i)#\s*(?:pylint|ruff|type|mypy|pyright|nosec|nolint)\b\s*[:=]?[^#]{0,40}?\b(?P<code>PR[09]\d\d)\b"

# What may stand behind a suppression without being a reason: comments that tools read, codes.
_DIRECTIVE = (
    r"(?i)#\s*(?:noqa|flake8|type|ruff|pylint|mypy|pyright|pragma|nosec|nolint|isort|fmt|yapf|pause[-_ ]?lint)\b[^#]*"
)
_CODE = r"\b(?:[A-Z]+\d+|PR)\b"
_WORD = r"[^\W\d_]{2,}"

_MEANT_FOR_US = r"(?:noqa|disable|ignore|nosec|nolint)[^\r\n]{0,80}pr\d|pause[-_]lint\s*[:=]"
_NAMES_US = rf"noqa[\s:=,;(\[-]*(?:{_NAME})"

_KNOWN = tuple(rule.code for rule in RULES)
_CODE_OF = {rule.name: rule.code for rule in RULES}


def mentions_us(data: bytes) -> bool:
    """Whether a file may hold a comment that is meant to suppress one of our findings.

    Fast for the many files that hold none. What it misses are codes in lower case, names of rules, and comments
    without a code.
    """
    return re.search(rb"PR[09]\d", data) is not None and _meant_for_us(data.decode("latin-1").lower())


def _lower(text: str) -> str:
    """The text with its ASCII letters in lower case; what else is in it does not matter, and takes long."""
    return text.lower() if text.isascii() else text.encode("utf-8", "replace").lower().decode("latin-1")


def _meant_for_us(lowered: str) -> bool:
    # Fixed letters are found quickly; hardly a file comes to the patterns in full.
    may_be = "pause-lint" in lowered or "pause_lint" in lowered or re.search(r"pr\d", lowered) is not None
    if may_be and re.search(_MEANT_FOR_US, lowered) is not None:
        return True
    return "noqa" in lowered and re.search(_NAMES_US, lowered) is not None


class _Comment:
    """A comment: where its `#` is (line from 1, column in characters from 1), and its text."""

    __slots__ = ("column", "line", "text")

    def __init__(self, line: int, column: int, text: str) -> None:
        self.line = line
        self.column = column
        self.text = text


class Suppressions:
    """What the comments of one file suppress."""

    def __init__(self, text: str) -> None:
        """Take in `text`, decoded, without a byte order mark, with any line endings."""
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.lines = _split(text)
        self.whole_file = "flake8" in text.lower() and any(_NOQA_FILE.match(line) for line in self.lines)
        self._spans: dict[int, tuple[int, int]] | None = None
        self._comments: tuple[_Comment, ...] = ()

    def hides(self, finding: Finding) -> bool:
        """Whether flake8 would not show `finding`."""
        if self.whole_file:
            return True
        match = self.first_noqa(finding.span.line)
        return match is not None and _covers(match["codes"], finding.code)

    def comments(self) -> tuple[_Comment, ...]:
        """The comments of the file; none if it cannot be split into tokens."""
        self._read_tokens()
        return self._comments

    def joined(self, line: int) -> tuple[int, int]:
        """The first and last line of those that flake8 searches for a finding on `line`."""
        if self._spans is None and self._stands_alone(line):
            return (line, line)
        return self._read_tokens().get(line, (line, line))

    def _stands_alone(self, line: int) -> bool:
        """Whether the text shows, without reading all tokens, that `line` shares no string or backslash with others.

        Only for a line on which there is code.
        """
        here = self.lines[line - 1 : line]
        around = "".join(self.lines[max(line - 2, 0) : line])
        if not here or any(mark in here[0] for mark in ('"""', "'''")) or "\\\n" in around:
            return False
        # Code within a long formatted string: an opening mark before, and no closing one.
        before = "".join(self.lines[: line - 1])
        opening = max(before.rfind(mark + quotes) for mark in "fFtTrR" for quotes in ('"""', "'''"))
        return opening < 0 or before.count(before[opening + 1 : opening + 4], opening + 4) % 2 == 1

    def first_noqa(self, line: int) -> re.Match[str] | None:
        """The `# noqa` that flake8 reads for a finding on `line`, as a match in the lines searched together."""
        first, last = self.joined(line)
        return _NOQA.search("".join(self.lines[first - 1 : last]))

    def first_noqa_at(self, line: int) -> tuple[int, int] | None:
        """Where the `# noqa` begins that flake8 reads for a finding on `line`: line and column from 1."""
        match = self.first_noqa(line)
        if match is None:
            return None
        before = match.string[: match.start()]
        return self.joined(line)[0] + before.count("\n"), match.start() - (before.rfind("\n") + 1) + 1

    def is_comment(self, line: int, column: int) -> bool:
        """Whether what stands at a place (both from 1) is in a comment."""
        return any(comment.line == line and comment.column <= column for comment in self.comments())

    def _read_tokens(self) -> dict[int, tuple[int, int]]:
        if self._spans is None:
            self._spans, self._comments = _tokens(self.lines)
        return self._spans


def _split(text: str) -> list[str]:
    """The lines of `text` with their `\\n`; nothing else ends a line."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _covers(codes: str | None, code: str) -> bool:
    """Whether the codes of a `# noqa` (None: a bare one) hide `code`."""
    return codes is None or any(code.startswith(prefix) for prefix in _listed(codes))


def codes_of(comment: str) -> tuple[str, ...]:
    """The codes of the `# noqa` that flake8 reads in a comment; none of a bare one."""
    match = _NOQA.search(comment)
    return tuple(_listed(match["codes"] or "")) if match else ()


def _listed(codes: str) -> list[str]:
    return [code for code in re.split(r"[,\s]", codes) if code]


def _tokens(lines: Sequence[str]) -> tuple[dict[int, tuple[int, int]], tuple[_Comment, ...]]:
    """Which lines flake8 searches together, for each line; and the comments."""
    import tokenize

    spans: dict[int, tuple[int, int]] = {}
    comments: list[_Comment] = []
    start, end = 0, 0
    source = iter(lines)
    try:
        for token in tokenize.generate_tokens(lambda: next(source, "")):
            if token.type in (tokenize.ENDMARKER, tokenize.DEDENT):
                continue
            start = min(start, token.start[0]) if start else token.start[0]
            end = max(end, token.end[0])
            if token.type == tokenize.COMMENT:
                comments.append(_Comment(token.start[0], token.start[1] + 1, token.string))
            elif token.type in (tokenize.NL, tokenize.NEWLINE):
                spans.update(dict.fromkeys(range(start, end + 1), (start, end)))
                start, end = 0, 0
    except (tokenize.TokenError, SyntaxError):
        return {}, ()
    return spans, tuple(comments)


def apply(
    text: str,
    path: str,
    findings: Iterable[Finding],
    judged: frozenset[str],
    with_reasons: frozenset[str] = frozenset(),
) -> tuple[list[Finding], list[Finding]]:
    """Hide what the comments of a file suppress, and find those that suppress nothing.

    text: the file, decoded, without a byte order mark.
    path: as shown in reports.
    findings: all that was found in it, of rules in force or not.
    judged: the codes that were looked for; a comment for another code is not said to do nothing. None: no comment is
    judged at all.
    with_reasons: the codes that a comment may hide only if it says why.

    Returns the findings that are left, and a PR900 for each comment that does nothing (also when PR900 is not in
    force: that is for the caller to decide), or PR901 for each that does not say why.
    """
    all_of_them = list(findings)
    lowered = _lower(text)
    judge = bool(judged) and _meant_for_us(lowered)
    if not judge and not (all_of_them and "noqa" in lowered):
        return all_of_them, []
    suppressions = Suppressions(text)
    shown = [finding for finding in all_of_them if not suppressions.hides(finding)]
    wrong = list(_ineffective(suppressions, path, all_of_them, judged)) if judge else []
    if with_reasons:
        wrong += _unreasoned(suppressions, path, [one for one in all_of_them if one.code in with_reasons])
    # A comment hides its own PR900 only by naming it: a bare one would always hide the finding that it is useless.
    return shown, [finding for finding in wrong if not _named_away(suppressions, finding)]


def _named_away(suppressions: Suppressions, finding: Finding) -> bool:
    match = suppressions.first_noqa(finding.span.line)
    return match is not None and match["codes"] is not None and _covers(match["codes"], finding.code)


def has_reason(behind: str) -> bool:
    """Whether there is a reason in what stands behind a `# noqa` and its codes, on the same line: a word of a language,
    which codes and comments for other tools are not.
    """
    return re.search(_WORD, re.sub(_CODE, "", re.sub(_DIRECTIVE, "", behind))) is not None


def _unreasoned(suppressions: Suppressions, path: str, findings: Sequence[Finding]) -> Iterator[Finding]:
    """A PR901 for each comment that hides one of `findings` and gives no reason."""
    hidden = [finding for finding in findings if suppressions.hides(finding)]
    if not hidden:
        return
    if suppressions.whole_file:
        places = [
            (number, match) for number, line in enumerate(suppressions.lines, 1) if (match := _NOQA_FILE.match(line))
        ]
        if any(has_reason(match.string[match.end() :]) for _, match in places):
            return
        number, match = places[0]
        indent = len(match[0]) - len(match[0].lstrip())
        yield _without_reason(
            path, (number, indent + 1), match[0].lstrip(), f"{match[0].strip()}: the supervisor resumes"
        )
        return
    seen: set[tuple[int, int]] = set()
    for finding in hidden:
        found, place = suppressions.first_noqa(finding.span.line), suppressions.first_noqa_at(finding.span.line)
        if found is None or place is None or place in seen:
            continue
        seen.add(place)
        comment = found.string[found.start() :].partition("\n")[0]
        written = comment[: len(found[0])].rstrip(", \t")
        if not has_reason(comment[len(written) :]):
            yield _without_reason(path, place, written, f"# noqa: {finding.code} the supervisor resumes")


def _without_reason(path: str, place: tuple[int, int], written: str, example: str) -> Finding:
    message = f"`{written}` does not say why: write the reason behind it, as in `{example}`"
    span = Span(*place, place[0], place[1] + len(written))
    return Finding(UNREASONED, "suppression", message, path, span, "")


def _ineffective(
    suppressions: Suppressions, path: str, findings: Sequence[Finding], judged: frozenset[str]
) -> Iterator[Finding]:
    for comment in suppressions.comments():
        for start, length, message in _faults(suppressions, comment, findings, judged):
            column = comment.column + start
            span = Span(comment.line, column, comment.line, column + length)
            yield Finding(INEFFECTIVE, "suppression", message, path, span, "")


def _faults(
    suppressions: Suppressions, comment: _Comment, findings: Sequence[Finding], judged: frozenset[str]
) -> Iterator[tuple[int, int, str]]:
    """What is wrong with one comment: offset and length in it, and the message."""
    if whole := re.match(_LIKE_NOQA_FILE, comment.text):
        yield from _faults_of_file_level(suppressions, comment, whole, findings)
        return
    if suppressions.whole_file:
        return
    if ours := re.match(_OUR_DIRECTIVE, comment.text):
        written = ours[0].rstrip()
        yield 0, len(written), f"`{written}` suppresses nothing: write `# noqa: PR001` with the code of the finding"
        return
    if other := re.match(_OTHER_TOOL, comment.text):
        code = other["code"].upper()
        yield 0, other.end(), f"`{other[0]}` is not read here and suppresses nothing: write `# noqa: {code}`"
        return
    for like in re.finditer(_LIKE_NOQA, comment.text):
        yield from _faults_of_noqa(suppressions, comment, like, findings, judged)


def _faults_of_file_level(
    suppressions: Suppressions, comment: _Comment, whole: re.Match[str], findings: Sequence[Finding]
) -> Iterator[tuple[int, int, str]]:
    if not re.search(_OUR_CODE, whole["rest"]):
        return
    written = comment.text.rstrip()
    line = suppressions.lines[comment.line - 1]
    if not _NOQA_FILE.match(line):
        yield (
            0,
            len(written),
            f"`{written}` suppresses nothing: `# flake8: noqa` must be spelt so and stand on a line of its own",
        )
    elif not findings:
        yield 0, len(written), f"`{written}` suppresses nothing: there is no finding in this file"


def _faults_of_noqa(
    suppressions: Suppressions,
    comment: _Comment,
    like: re.Match[str],
    findings: Sequence[Finding],
    judged: frozenset[str],
) -> Iterator[tuple[int, int, str]]:
    start = like.start()
    match = _NOQA.match(comment.text, start)
    if match is None:
        if code := re.compile(_CODE_NEXT).match(comment.text, like.end()):
            written = comment.text[start : code.end()]
            yield (
                start,
                len(written),
                f"`{written}` suppresses nothing: {_spelt(code['code'])}, with one blank after the `#`",
            )
        return
    first, last = suppressions.joined(comment.line)
    here = [finding for finding in findings if first <= finding.span.line <= last]
    is_read = suppressions.first_noqa_at(comment.line) == (comment.line, comment.column + start)
    if match["codes"] is None and (named := re.compile(_NAMES_NEXT).match(comment.text, match.end())):
        written = comment.text[start : named.end()]
        codes = ", ".join(_CODE_OF[name] for name in re.split(r"[,\s]+", named["names"].lower()))
        effect = (
            "flake8 reads it as a bare `# noqa`, which hides the findings of every tool"
            if is_read
            else "it is not read"
        )
        yield start, len(written), f"`{written}` names no code; write {codes}: {effect}"
        return
    if match["codes"] is None:
        code = re.compile(_CODE_NEXT).match(comment.text, match.end())
        if code is not None and not (is_read and here):
            written = comment.text[start : code.end()]
            why = (
                "is read as a bare `# noqa` and" if is_read else "is not read, another `# noqa` comes before it, and it"
            )
            yield start, len(written), f"`{written}` {why} suppresses nothing: {_spelt(code['code'])}"
        return
    for word in re.finditer(r"[^,\s]+", match["codes"]):
        offset, code_text = match.start("codes") + word.start(), word[0]
        if re.match(_OUR_CODE, code_text):
            why_not = _why_not(code_text, here, findings, comment.line, is_read, judged)
            if why_not:
                yield offset, len(code_text), f"suppression of {code_text} does nothing: {why_not}"
    if more := re.compile(_MORE_CODES).match(comment.text, match.end()):
        yield (
            more.start("code"),
            len(more["code"]),
            f"suppression of {more['code']} does nothing: codes are separated by commas or blanks",
        )


def _spelt(code: str) -> str:
    known = code.upper() if code.upper() in _KNOWN else "PR001"
    return f"write `# noqa: {known}`"


def _why_not(
    code: str,
    here: Sequence[Finding],
    findings: Sequence[Finding],
    line: int,
    is_read: bool,
    judged: frozenset[str],
) -> str:
    """Why a code in a `# noqa: ...` hides nothing; empty if it hides something, or if nobody looked."""
    if not any(known.startswith(code) for known in _KNOWN):
        if code.upper() != code and any(known.startswith(code.upper()) for known in _KNOWN):
            return f"the case of a code matters; write {code.upper()}"
        split = re.sub(r"(?<=\d)(?=[A-Z])", ", ", code)
        if split != code:
            return f"codes are separated by commas or blanks; write `# noqa: {split}`"
        from pause_lint.config import nearest

        return f"there is no such rule{nearest(code, _KNOWN).replace(chr(39), '`')}"
    meant = [known for known in _KNOWN if known.startswith(code)]
    if ABOUT_COMMENTS.intersection(meant) or not judged.intersection(meant):
        return ""
    if any(finding.code.startswith(code) for finding in here):
        return "" if is_read else "only the first `# noqa` of a line is read; put all codes into it"
    elsewhere = [finding for finding in findings if finding.code.startswith(code)]
    if not is_read and not elsewhere:
        return "only the first `# noqa` of a line is read, and there is nothing to suppress on it"
    close = min(elsewhere, key=lambda finding: abs(finding.span.line - line), default=None)
    if close is not None and abs(close.span.line - line) <= 20:
        return f"nothing to suppress on this line; {close.code} stands on line {close.span.line}: put the comment there"
    return "nothing to suppress on this line"
