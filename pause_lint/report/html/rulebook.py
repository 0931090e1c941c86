"""The pages of rules as parts of the page: paragraphs, lists and code, which is all that they hold of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pause_lint.report.html.markup import Markup, lines, rich, tag, together
from pause_lint.rules import Rule

ABOUT = "rule-"
"""What the identifier of a rule's section begins with; its code follows."""


def section(rule: Rule) -> Markup:
    """What a rule reports, why it matters, and what a fix changes; folded up."""
    about = [
        tag("h4", "What it reports"),
        *_blocks(rule.reports),
        tag("h4", "Why it matters"),
        *_blocks(rule.why),
        tag("h4", "Fault"),
        tag("pre", tag("code", rich_code(rule.bad)), tabindex="0", aria_label=f"A fault that {rule.code} reports"),
        tag("h4", "Repaired"),
        tag("pre", tag("code", rich_code(rule.good)), tabindex="0", aria_label="The same, repaired"),
        tag("h4", "When not to follow it"),
        *_blocks(rule.when_not),
        tag("h4", "What a fix changes"),
        *_blocks(rule.fix_safety),
    ]
    title = tag("h3", tag("span", rule.code, class_="rule-code"), f" {rule.name}", id=f"{ABOUT}{rule.code}")
    summary = tag("summary", "About ", rule.code)
    lead = tag("p", f"{rule.summary[0].upper()}{rule.summary[1:]}.".replace("`", ""))
    return tag("section", title, lead, tag("details", summary, lines(about)), aria_labelledby=f"{ABOUT}{rule.code}")


def rich_code(source: str) -> Markup:
    """Lines of code of our own."""
    return together(tag("span", rich(line), Markup("\n")) for line in source.rstrip("\n").split("\n"))


def _blocks(paragraphs: str) -> Iterator[Markup]:
    for block in paragraphs.split("\n\n"):
        if block.startswith("- "):
            items = re.split(r"\n?^- ", block, flags=re.MULTILINE)[1:]
            yield tag("ul", *(tag("li", _inline(item)) for item in items))
        else:
            yield tag("p", _inline(block))


def _inline(text: str) -> Markup:
    """Text with code between backticks and emphasis between asterisks."""
    parts = re.split(r"`([^`]+)`", " ".join(text.split()))
    return together(tag("code", rich(part)) if at % 2 else _emphasis(part) for at, part in enumerate(parts) if part)


def _emphasis(text: str) -> Markup:
    parts = re.split(r"\*([^*]+)\*", text)
    return together(tag("em", part) if at % 2 else part for at, part in enumerate(parts))
