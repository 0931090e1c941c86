"""The page as a whole: what was found at a glance, every finding with its path, what could not be checked, the rules.

The same report gives the same bytes, plain ASCII. The page asks for nothing from anywhere and runs nothing: its policy
(https://www.w3.org/TR/CSP3/) allows no more than its own style sheet, known by its hash.
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from pkgutil import get_data
from typing import NamedTuple

from pause_lint import __version__
from pause_lint.finding import Finding, Problem, Report
from pause_lint.report.fingerprints import fingerprints
from pause_lint.report.html import code, drawing, rulebook
from pause_lint.report.html.markup import NOTHING, Child, Markup, lines, rich, tag, together
from pause_lint.report.html.path import Stretch, numbered, way
from pause_lint.report.html.syntax import Syntax
from pause_lint.report.text import Lines
from pause_lint.rules import BY_CODE

_KINDS = {
    "never": "never resumed",
    "normal-path": "returns while paused",
    "exception": "an exception skips the resume",
    "cancellation": "a cancellation skips the resume",
    "partial": "paused in part",
    "cleanup": "cleanup stands before the resume",
    "not-awaited": "coroutine that nobody awaits",
    "swallowed": "failed resume goes unnoticed",
    "early-resume": "resumed too early",
    "split": "paused here, resumed elsewhere",
    "suppression": "suppression comment",
}
_FIXES = {
    "safe": "`pause-lint fix` writes the repair",
    "unsafe": "`pause-lint fix --unsafe-fixes` writes a repair",
    "none": "to be repaired by hand",
}


def render(report: Report, lines_of: Lines) -> str:
    """`report` as one file of HTML.

    lines_of: from a path, as shown, to the lines of that file; a finding in a file that is not to be had goes without
    its code.
    """
    style = _style()
    sources = _Sources(lines_of, {})
    keys = [f"f-{known_by[:16]}" for known_by in fingerprints(report.findings, lines_of)]
    known = list(zip(report.findings, keys, strict=True))
    title = _title(report)
    body = [
        tag("a", "Skip to the findings", href="#findings", class_="skip") if known else NOTHING,
        _header(report, title),
        tag(
            "main",
            _problems(report.problems) if report.problems else NOTHING,
            _overview(known) if known else NOTHING,
            _findings(known, sources) if known else NOTHING,
            _rules(report.findings) if known else NOTHING,
        ),
        tag("footer", tag("p", f"Made by pause-lint {__version__}. Lines and columns count from 1.")),
    ]
    policy = f"default-src 'none'; style-src 'sha256-{_digest(style)}'; base-uri 'none'; form-action 'none'"
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", f"{title} · pause-lint"),
        tag("style", Markup(style)),
    ]
    document = tag("html", Markup("\n"), tag("head", lines(head)), Markup("\n"), tag("body", lines(body)), lang="en")
    return "<!doctype html>\n" + document.text.encode("ascii", "xmlcharrefreplace").decode() + "\n"


class _Sources(NamedTuple):
    """The lines of files, and what is told of their syntax, worked out once."""

    lines: Lines
    known: dict[str, Syntax]

    def syntax(self, path: str) -> Syntax:
        if path not in self.known:
            self.known[path] = Syntax(self.lines(path))
        return self.known[path]


def _style() -> str:
    data = get_data(__package__ or "", "style.css")
    assert data is not None
    indents = "".join(f".i{columns}{{--indent:{columns}}}\n" for columns in range(1, code.DEEPEST + 1))
    return f"{data.decode('ascii')}{indents}"


def _digest(style: str) -> str:
    return b64encode(sha256(style.encode()).digest()).decode()


# Parts of the page


def _title(report: Report) -> str:
    if not report.findings:
        return f"No findings in {_count(report.files, 'file')}"
    return f"{_count(len(report.findings), 'finding')} in {_count(len({one.path for one in report.findings}), 'file')}"


def _header(report: Report, title: str) -> Markup:
    fixes = Counter(finding.fix for finding in report.findings)
    said = [f"{_count(report.files, 'file')} checked"]
    said += [f"{fixes['safe']} fixable with `pause-lint fix`"] if fixes["safe"] else []
    said += [f"{fixes['unsafe']} with `--unsafe-fixes`"] if fixes["unsafe"] else []
    said += [f"{_count(len(report.problems), 'error')}"] if report.problems else []
    items = [tag("li", _ticked(one)) for one in said]
    return tag("header", tag("p", "pause-lint", class_="brand"), tag("h1", title), tag("ul", *items, class_="facts"))


def _problems(problems: Sequence[Problem]) -> Markup:
    items = [
        tag("li", tag("code", rich(f"{one.path}:{one.line}" if one.line else one.path)), " ", rich(one.message))
        for one in problems
    ]
    heading = tag("h2", "Not checked", id="problems")
    return tag("section", heading, tag("ul", lines(items)), class_="problems", aria_labelledby="problems")


def _overview(known: Sequence[tuple[Finding, str]]) -> Markup:
    found = [finding for finding, _ in known]
    folders = {_folder(finding.path): f"#{_file_key(key)}" for finding, key in reversed(known)}
    rules = {_rule_name(finding): f"#{rulebook.ABOUT}{finding.code}" for finding in found}
    tables = [
        _table("By rule", (_rule_name(finding) for finding in found), rules),
        _table("By kind", (_KINDS.get(finding.kind, finding.kind) for finding in found), {}),
        _table("By folder", (_folder(finding.path) for finding in found), folders),
    ]
    index = [
        tag("li", tag("h3", tag("code", rich(path))), tag("ol", lines(_entry(finding, key) for finding, key in group)))
        for path, group in _by_file(known)
    ]
    return tag(
        "section",
        tag("h2", "Overview", id="overview"),
        tag("div", lines(tables), class_="tables"),
        tag("nav", tag("ul", lines(index)), aria_label="Findings by file", class_="index"),
        aria_labelledby="overview",
    )


def _table(caption: str, names: Iterable[str], links: dict[str, str]) -> Markup:
    counts = Counter(names)
    most = max(counts.values())
    rows = []
    for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        shown = tag("a", rich(name), href=links[name]) if name in links else rich(name)
        bar = tag("rect", width=f"{100 * count / most:.1f}", height=4, rx=0)
        drawn = tag("svg", bar, viewBox="0 0 100 4", preserveAspectRatio="none", aria_hidden="true", class_="bar")
        rows.append(tag("tr", tag("th", shown, drawn, scope="row"), tag("td", str(count))))
    heads = tag(
        "tr", tag("th", caption.removeprefix("By ").capitalize(), scope="col"), tag("th", "Findings", scope="col")
    )
    return tag("table", tag("caption", caption), tag("thead", heads), tag("tbody", lines(rows)))


def _entry(finding: Finding, key: str) -> Markup:
    where = tag("span", f"line {finding.span.line}", class_="place")
    name = tag("code", rich(finding.function)) if finding.function else NOTHING
    text = tag("a", f"{finding.code} ", where, " ", name, href=f"#{key}")
    return tag("li", text, " ", tag("span", _KINDS.get(finding.kind, finding.kind), class_="aside"))


def _findings(known: Sequence[tuple[Finding, str]], sources: _Sources) -> Markup:
    parts: list[Markup] = [tag("h2", "Findings", id="findings", tabindex="-1")]
    for path, group in _by_file(known):
        parts.append(tag("h3", tag("code", rich(path)), id=_file_key(group[0][1]), class_="file"))
        parts += [_finding(finding, key, sources) for finding, key in group]
    return tag("section", lines(parts), aria_labelledby="findings")


def _finding(finding: Finding, key: str, sources: _Sources) -> Markup:
    span = finding.span
    path = way(finding)
    place = tag("code", rich(f"{finding.path}:{span.line}:{span.column}"))
    labels = [
        tag("li", tag("a", BY_CODE[finding.code].name, href=f"#{rulebook.ABOUT}{finding.code}")),
        tag("li", _KINDS.get(finding.kind, finding.kind)),
        tag("li", _ticked(_FIXES.get(finding.fix, finding.fix)), class_=f"fix-{finding.fix}"),
    ]
    parts = [
        tag("h4", tag("span", finding.code, class_="rule-code"), " ", rich(finding.message), id=key),
        tag("p", place, *_within(finding.function), class_="where"),
        tag("ul", *labels, class_="labels"),
        code.excerpt(path.own, sources.lines(finding.path), sources.syntax(finding.path), own=True),
    ]
    if path.elsewhere:
        raised = any(mark.step.role in ("escape", "cause") for stretch in path.elsewhere for mark in stretch.marks)
        title = "Where the exception comes from" if raised else "In another function"
        parts.append(_elsewhere(title, path.elsewhere, sources))
    if path.behind:
        if drawing.crosses(finding):
            parts.append(drawing.figure(finding, key))
        parts.append(_elsewhere("What the call does", path.behind, sources))
    return tag("article", lines(parts), aria_labelledby=key)


def _elsewhere(summary: str, stretches: Sequence[Stretch], sources: _Sources) -> Markup:
    """Steps outside the function, each stretch with its code; open, and can be folded up."""
    steps = numbered(stretches[0].marks[0].number, stretches[-1].marks[-1].number)
    parts = [tag("summary", f"{summary}: {steps}")]
    for stretch in stretches:
        if stretch.marks[0].step.role == "serve":
            served = tag("code", rich(stretch.marks[0].step.endpoint))
            parts.append(tag("p", tag("span", "Another process, which serves ", served), class_="border"))
        parts.append(tag("p", tag("code", rich(stretch.path)), *_within(stretch.function), class_="where"))
        parts.append(code.excerpt(stretch, sources.lines(stretch.path), sources.syntax(stretch.path), own=False))
    return tag("details", lines(parts), open="")


def _within(function: str) -> tuple[Child, ...]:
    return (" in ", tag("code", rich(function))) if function else ()


def _rules(findings: Sequence[Finding]) -> Markup:
    parts = [tag("h2", "Rules", id="rules")]
    parts += [rulebook.section(BY_CODE[rule]) for rule in sorted({finding.code for finding in findings})]
    return tag("section", lines(parts), class_="rules", aria_labelledby="rules")


# Words


def _by_file(known: Sequence[tuple[Finding, str]]) -> Iterator[tuple[str, list[tuple[Finding, str]]]]:
    for path, group in groupby(known, lambda one: one[0].path):
        yield path, list(group)


def _file_key(first: str) -> str:
    """The identifier of a file's heading, from that of its first finding."""
    return f"in-{first}"


def _rule_name(finding: Finding) -> str:
    return f"{finding.code} {BY_CODE[finding.code].name}"


def _folder(path: str) -> str:
    return path.rpartition("/")[0] or "this folder"


def _ticked(text: str) -> Markup:
    """Text of our own with code between backticks."""
    return together(tag("code", part) if at % 2 else part for at, part in enumerate(text.split("`")))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
