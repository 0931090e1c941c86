"""Source in which the lines that must be reported bear the codes as a comment: `engine.pause()  # PR001`.

A section is one text of many functions, separated as usual; each function or class is checked by itself.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pause_lint.config import Options
from pause_lint.pairs import preset_pairs

_MARK = re.compile(r"#((?: PR\d{3})+)$", flags=re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Snippet:
    """One function or class. wrong, unfixed, ...: what the section says of it in the tables of those names."""

    name: str
    source: str
    presets: tuple[str, ...]
    wrong: str | None
    unfixed: str | None
    unfixable: str | None
    unforetold: str | None

    @property
    def options(self) -> Options:
        """What it is checked with."""
        return Options(pairs=preset_pairs(self.presets))

    @property
    def expected(self) -> list[tuple[int, str]]:
        """Line and code of every finding there must be, in order."""
        return [
            (number, code)
            for number, line in enumerate(self.source.splitlines(), start=1)
            if (mark := _MARK.search(line))
            for code in mark[1].split()
        ]


@dataclass(frozen=True, slots=True)
class Section:
    """Functions that are about the same thing.

    wrong: functions on which the analysis gives another answer than the marks, and why. unfixed: those that `fix` does
    not cure although it should. unfixable: those that `fix` must leave as they are, and why. unforetold: those of which
    `check` says otherwise what `fix` does.
    """

    title: str
    text: str
    presets: tuple[str, ...] = ("default",)
    wrong: dict[str, str] = field(default_factory=dict)
    unfixed: dict[str, str] = field(default_factory=dict)
    unfixable: dict[str, str] = field(default_factory=dict)
    unforetold: dict[str, str] = field(default_factory=dict)

    def snippets(self) -> Iterator[Snippet]:
        """Its functions and classes. Raises ValueError if two have the same name, or a name in a table is unknown."""
        lines = self.text.splitlines(keepends=True)
        names: set[str] = set()
        tables = (self.wrong, self.unfixed, self.unfixable, self.unforetold)
        for node in ast.parse(self.text).body:
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or node.name in names:
                raise ValueError(f"{self.title}, line {node.lineno}: a definition with a name of its own is wanted")
            names.add(node.name)
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            source = "".join(lines[first - 1 : node.end_lineno])
            yield Snippet(node.name, source, self.presets, *(table.get(node.name) for table in tables))
        unknown = {name for table in tables for name in table} - names
        if unknown:
            raise ValueError(f"{self.title}: no function is called {', '.join(sorted(unknown))}")
