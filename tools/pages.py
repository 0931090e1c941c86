"""Makes the parts of the documentation that follow from the code.

    python -m tools.pages

writes the pages of the rules (`docs/rules`) and the drawings (`docs/images`). A test compares what is there with what
would be written.
"""

from __future__ import annotations

from pathlib import Path

from pause_lint import rules
from pause_lint.config import Options
from pause_lint.fixing import fix_source
from tools.drawing import drawn

PROJECT = Path(__file__).resolve().parents[1]
EXAMPLE, FUNCTION = "reload_server.py", "reload"
"""The function that is drawn."""


def generated() -> dict[str, str]:
    """The text of every file that is made, by its path from the root of the project."""
    return {**_rule_pages(), **_drawings()}


def _rule_pages() -> dict[str, str]:
    note = "<!-- Written by `make pages` from pause_lint/rules.py. -->\n\n"
    pages = {f"docs/rules/{rule.code}.md": note + rules.page(rule) for rule in rules.RULES}
    links = "".join(f"[{rule.code}]: {rule.code}.md\n" for rule in rules.RULES)
    table = rules.table()
    for rule in rules.RULES:
        table = table.replace(f"| {rule.code} ", f"| [{rule.code}] ")
    pages["docs/rules/index.md"] = (
        f"{note}# Rules\n\nEach page says what the rule reports, shows the fault and a repaired form, says when not to "
        "follow it,\nand what its fix changes. `pause-lint rule CODE` prints the same page.\n\n"
        "Default: `on`; `opt-in`, which is reported when selected; or `cli`, on in the command line tool only.\n\n"
        f"{table}\n{links}\n```{{toctree}}\n:hidden:\n:glob:\n\nPR*\n```\n"
    )
    return pages


def _drawings() -> dict[str, str]:
    source = (PROJECT / "examples" / EXAMPLE).read_text(encoding="utf-8")
    fixed = fix_source(source.encode(), EXAMPLE, Options(), unsafe=False).data.decode()
    return {
        f"docs/images/{FUNCTION}.svg": drawn(source, FUNCTION),
        f"docs/images/{FUNCTION}-fixed.svg": drawn(fixed, FUNCTION),
    }


def main() -> None:
    """Writes what is made."""
    for name, text in generated().items():
        path = PROJECT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
