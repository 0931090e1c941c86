"""White space and comments of LibCST statements: read, moved, stripped, shifted. Knows nothing of plans or pauses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import libcst as cst

Statement: TypeAlias = cst.SimpleStatementLine | cst.BaseCompoundStatement
Lines: TypeAlias = tuple[cst.EmptyLine, ...]

_SIGNATURE = re.compile(r"#\s*type:\s*\(")


class _Comments(cst.CSTVisitor):
    def __init__(self) -> None:
        self.found: list[str] = []

    def visit_Comment(self, node: cst.Comment) -> None:
        self.found.append(node.value)


class _Bare(cst.CSTTransformer):
    """Takes the comments and blank lines out of parentheses; the line breaks stay."""

    def leave_ParenthesizedWhitespace(
        self, original_node: cst.ParenthesizedWhitespace, updated_node: cst.ParenthesizedWhitespace
    ) -> cst.ParenthesizedWhitespace:
        return updated_node.with_changes(first_line=cst.TrailingWhitespace(), empty_lines=())


class _Shift(cst.CSTTransformer):
    """Moves lines continued with a backslash. LibCST shifts all others with their block, these it keeps as text."""

    def __init__(self, old: str, new: str) -> None:
        self._pattern = re.compile(r"(\\(?:\r\n|\r|\n))" + re.escape(old))
        self._new = new

    def leave_SimpleWhitespace(
        self, original_node: cst.SimpleWhitespace, updated_node: cst.SimpleWhitespace
    ) -> cst.SimpleWhitespace:
        if "\\" not in updated_node.value:
            return updated_node
        return updated_node.with_changes(
            value=self._pattern.sub(lambda found: found[1] + self._new, updated_node.value)
        )


class _Indent(cst.CSTTransformer):
    def __init__(self, unit: str | None) -> None:
        self._unit = unit

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        return updated_node.with_changes(indent=self._unit)


def as_statement(node: object) -> Statement:
    """The node as what it is known to be; LibCST types the result of a change more widely."""
    assert isinstance(node, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
    return node


def comments(node: cst.CSTNode) -> list[str]:
    """All comments within a node, in the order of the file."""
    visitor = _Comments()
    node.visit(visitor)
    return visitor.found


def comment_lines(texts: Iterable[str]) -> Lines:
    """Comments, each on a line of its own."""
    return tuple(cst.EmptyLine(comment=cst.Comment(text)) for text in texts)


def has_comment(lines: Iterable[cst.EmptyLine]) -> bool:
    """Whether any of the lines is a comment."""
    return any(line.comment is not None for line in lines)


def split_blank(lines: Sequence[cst.EmptyLine]) -> tuple[Lines, Lines]:
    """The blank lines at the start, and the rest."""
    count = next((index for index, line in enumerate(lines) if line.comment is not None), len(lines))
    return tuple(lines[:count]), tuple(lines[count:])


def split_above_try(lines: Sequence[cst.EmptyLine]) -> tuple[Lines, Lines]:
    """What of the lines above a statement stays above a `try:` that takes it in, and what goes in with it.

    Blank lines stay, and so does a signature comment (PEP 484: the line after the `def`), which counts only there.
    """
    for index, line in enumerate(lines):
        if line.comment is not None and _SIGNATURE.match(line.comment.value):
            return tuple(lines[: index + 1]), tuple(lines[index + 1 :])
    return split_blank(lines)


def join_lines(above: Lines, below: Lines) -> Lines:
    """Lines that lost their statement, put above those of the next one; blank lines are not doubled."""
    if not above:
        return below
    if below and below[0].comment is None and above[-1].comment is None:
        while above and above[-1].comment is None:
            above = above[:-1]
    return above + below


def with_leading(statement: Statement, lines: Lines) -> Statement:
    """The statement below other lines."""
    return as_statement(statement.with_changes(leading_lines=lines))


def with_body(statement: Statement, body: cst.BaseSuite) -> Statement:
    """The compound statement with another body."""
    assert isinstance(statement, cst.BaseCompoundStatement)
    return with_suites(statement, {"body": body})


def without_comments(statement: Statement) -> Statement:
    """The statement with no lines above it and no comments between its brackets."""
    return as_statement(statement.with_changes(leading_lines=()).visit(_Bare()))


def shifted(statement: Statement, old: str, new: str) -> Statement:
    """The statement moved from the indentation `old` to `new`, as far as LibCST does not see to that itself."""
    if old == new:
        return statement
    return as_statement(statement.visit(_Shift(old, new)))


def indented_by(statement: Statement, unit: str | None) -> Statement:
    """The statement with all its blocks indented by `unit`; `None` is the module's own indentation."""
    return as_statement(statement.visit(_Indent(unit)))


def suites(node: cst.BaseCompoundStatement) -> Iterator[tuple[str, cst.BaseSuite | cst.If]]:
    """The blocks of a compound statement by name: `body`, `orelse`, `final`, `handler0`, `case0`, ..., `elif`."""
    if isinstance(node, cst.Match):
        for index, case in enumerate(node.cases):
            yield f"case{index}", case.body
        return
    yield "body", node.body
    if isinstance(node, (cst.Try, cst.TryStar)):
        handlers: Sequence[cst.ExceptHandler | cst.ExceptStarHandler] = node.handlers
        for index, handler in enumerate(handlers):
            yield f"handler{index}", handler.body
    if isinstance(node, (cst.If, cst.For, cst.While, cst.Try, cst.TryStar)):
        if isinstance(node.orelse, cst.If):
            yield "elif", node.orelse
        elif node.orelse is not None:
            yield "orelse", node.orelse.body
    if isinstance(node, (cst.Try, cst.TryStar)) and node.finalbody is not None:
        yield "final", node.finalbody.body


def with_suites(node: cst.BaseCompoundStatement, new: dict[str, cst.BaseSuite | cst.If]) -> cst.BaseCompoundStatement:
    """The statement with some of its blocks replaced, by the names of `suites`."""
    changes: dict[str, object] = {}
    if "body" in new:
        changes["body"] = new["body"]
    if "elif" in new:
        changes["orelse"] = new["elif"]
    if "orelse" in new and isinstance(node, (cst.If, cst.For, cst.While, cst.Try, cst.TryStar)):
        assert isinstance(node.orelse, cst.Else)
        changes["orelse"] = node.orelse.with_changes(body=new["orelse"])
    if isinstance(node, (cst.Try, cst.TryStar)):
        changes["handlers"] = tuple(
            handler.with_changes(body=new[f"handler{index}"]) if f"handler{index}" in new else handler
            for index, handler in enumerate(node.handlers)
        )
        if "final" in new and node.finalbody is not None:
            changes["finalbody"] = node.finalbody.with_changes(body=new["final"])
    if isinstance(node, cst.Match):
        changes["cases"] = tuple(
            case.with_changes(body=new[f"case{index}"]) if f"case{index}" in new else case
            for index, case in enumerate(node.cases)
        )
    changed = node.with_changes(**changes)
    assert isinstance(changed, cst.BaseCompoundStatement)
    return changed
