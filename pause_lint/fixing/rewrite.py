"""Carries out a plan on the bytes of a file, with LibCST, so that all the plan does not name stays as it was written.

It knows nothing of pauses: what to do is in the plan (`edits.py`), whether it came out right is for `verify.py`.
What LibCST cannot give back byte for byte is refused.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import libcst as cst

from pause_lint.fixing.edits import At, Edit, Header, Keep, New, Piece, Plan, Rebuilt, Try
from pause_lint.fixing.layout import (
    Lines,
    Statement,
    as_statement,
    comment_lines,
    comments,
    has_comment,
    indented_by,
    join_lines,
    shifted,
    split_above_try,
    split_blank,
    suites,
    with_body,
    with_leading,
    with_suites,
    without_comments,
)
from pause_lint.fixing.style import style_of, styled

_Node: TypeAlias = cst.BaseSmallStatement | cst.BaseCompoundStatement
_Line: TypeAlias = cst.SimpleStatementLine | cst.SimpleStatementSuite

_NEWLINE = re.compile(r"\r\n|\r|\n")
_DEEPEST = 1000
_TYPE = re.compile(r"#\s*type:\s*(?!ignore\b)")
_HEADERS = (cst.If, cst.For, cst.While, cst.With)


class CannotRewrite(Exception):
    """The plan cannot be carried out on this file without losing something; `reason` is for the user."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(eq=False, slots=True)
class _Block:
    """Consecutive statements: a module, a suite, or the `elif` that stands in place of one."""

    key: str
    suite: cst.Module | cst.BaseSuite | None
    owner: _Slot | None
    indent: str  # of its statements, from the start of the line
    unit: str | None  # by which it is indented against its owner; None: as the module does
    slots: list[_Slot] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class _Slot:
    """A statement of the original in its place."""

    at: At
    node: _Node
    line: _Line | None  # of a simple statement; it may share it
    block: _Block
    index: int
    blocks: list[_Block] = field(default_factory=list)

    def neighbour(self, distance: int) -> _Slot | None:
        index = self.index + distance
        return self.block.slots[index] if 0 <= index < len(self.block.slots) else None

    @property
    def starts_line(self) -> bool:
        before = self.neighbour(-1)
        return self.line is None or before is None or before.line is not self.line

    @property
    def ends_line(self) -> bool:
        after = self.neighbour(1)
        return self.line is None or after is None or after.line is not self.line

    @property
    def leading(self) -> Lines:
        holder = self.node if isinstance(self.node, cst.BaseCompoundStatement) else self.line
        if isinstance(holder, (cst.SimpleStatementLine, cst.BaseCompoundStatement)) and self.starts_line:
            return tuple(holder.leading_lines)
        return ()

    def within(self) -> Iterator[_Slot]:
        """The statements around this one, from the nearest."""
        slot = self.block.owner
        while slot is not None:
            yield slot
            slot = slot.block.owner


@dataclass(slots=True)
class _Item:
    """What stands in a new block: a statement of the original as it is, or one that was built (of which, if any)."""

    slot: _Slot | None
    built: Statement | None = None


def rewrite(data: bytes, plan: Plan, limit: int | None = None) -> bytes:
    """Carry out the plan's edits on a file.

    Takes the bytes of the file and returns the new ones: same encoding, byte order mark, line endings and indentation.
    limit: how many characters a new line may have; without one, the file's longest line shows it.
    Raises `CannotRewrite` if LibCST cannot represent the file, or the plan does not fit it.
    """
    try:
        tree = ast.parse(data)
        _check_depth(tree)
        module, code = _parsed(data)
        new = _Rewriter(module, code, tree, plan, limit).module().bytes
        ast.parse(new)
    except (RecursionError, MemoryError):
        raise CannotRewrite("its expressions are nested too deeply to be rewritten") from None
    except SyntaxError as error:
        raise CannotRewrite(f"line {error.lineno}: not valid Python: {error.msg}") from None
    except ValueError as error:
        raise CannotRewrite(f"not valid Python: {error}") from None
    if _TYPE.search(data.decode("latin-1")) and _is_typed(data) and not _is_typed(new):
        raise CannotRewrite("a type comment would stand where it counts for nothing")
    return new


def _is_typed(data: bytes) -> bool:
    """Whether type comments are where the grammar wants them (PEP 484)."""
    try:
        ast.parse(data, type_comments=True)
    except SyntaxError:
        return False
    return True


def _check_depth(tree: ast.Module) -> None:
    """Refuse before LibCST's native parser runs out of stack, which would end the process (it knows no limit)."""
    level: list[ast.AST] = [tree]
    depth = 0
    while level:
        depth += 1
        if depth > _DEEPEST:
            raise RecursionError
        level = [child for node in level for child in ast.iter_child_nodes(node)]


def _parsed(data: bytes) -> tuple[cst.Module, str]:
    """The module, and the text it stands for."""
    try:
        module = cst.parse_module(data)
    except cst.ParserSyntaxError as error:
        raise CannotRewrite(f"line {error.raw_line}: LibCST cannot parse this file: {error.message}") from None
    except (KeyboardInterrupt, SystemExit, GeneratorExit, RecursionError, MemoryError):
        raise
    except BaseException as error:  # a panic of LibCST's native parser is no `Exception`
        raise CannotRewrite(f"LibCST cannot parse this file: {error}") from None
    code = module.code
    back = code.encode(module.encoding)
    if back != data:
        same = next((i for i, (a, b) in enumerate(zip(data, back, strict=False)) if a != b), min(len(data), len(back)))
        line = data.count(b"\n", 0, same) + 1
        raise CannotRewrite(f"line {line}: LibCST would not write it back as it is (form feed, line ending or blanks)")
    return module, code


class _Rewriter:
    """One plan carried out on one module, once."""

    def __init__(self, module: cst.Module, code: str, tree: ast.Module, plan: Plan, limit: int | None) -> None:
        self._module = module
        self._style = style_of(code, limit)
        self._continued = "\\" in code
        self._slots: dict[At, _Slot] = {}
        self._root = self._index(_NEWLINE.split(code), tree)
        self._edits: dict[At, tuple[Edit, int]] = {}  # by first statement, with the index of the last
        self._touched: set[_Block] = set()
        self._taken_apart: set[_Block] = set()  # whose statements are dealt with one by one by an outer edit
        self._dropped: set[_Slot] = set()
        self._adrift: dict[_Slot | _Block, Lines] = {}  # comments without a statement, above the next or at the end
        self._footer_home: dict[_Block, Header] = {}
        for edit in plan.edits:
            self._place(edit)
        self._check_overlap()

    def module(self) -> cst.Module:
        if not self._edits:
            return self._module
        return self._module.with_changes(
            body=self._body(self._root),
            footer=self.footer(self._root),
        )

    # -- the statements of the original, by where they start

    def _index(self, lines: Sequence[str], tree: ast.Module) -> _Block:
        """Walk LibCST's tree and the interpreter's side by side: the latter says where each statement starts."""

        def add(block: _Block, node: _Node, line: _Line | None, twin: ast.stmt) -> _Slot:
            text = lines[twin.lineno - 1]
            column = twin.col_offset if text.isascii() else len(text.encode()[: twin.col_offset].decode())
            slot = _Slot(At(twin.lineno, column + 1), node, line, block, len(block.slots))
            block.slots.append(slot)
            self._slots[slot.at] = slot
            return slot

        def fill(block: _Block, statements: Sequence[cst.CSTNode], twins: Sequence[ast.stmt]) -> _Block:
            nodes: list[tuple[_Node, _Line | None]] = []
            for statement in statements:
                if isinstance(statement, (cst.SimpleStatementLine, cst.SimpleStatementSuite)):
                    nodes.extend((small, statement) for small in statement.body)
                elif isinstance(statement, cst.BaseCompoundStatement):
                    nodes.append((statement, None))
            if len(nodes) != len(twins):
                raise CannotRewrite("LibCST reads other statements in this file than the interpreter")
            for (node, line), twin in zip(nodes, twins, strict=True):
                slot = add(block, node, line, twin)
                if isinstance(node, cst.BaseCompoundStatement):
                    blocks = _blocks(twin)
                    slot.blocks.extend(inner(slot, key, suite, blocks[key]) for key, suite in suites(node))
            return block

        def inner(slot: _Slot, key: str, suite: cst.BaseSuite | cst.If, twins: Sequence[ast.stmt]) -> _Block:
            outer = slot.block
            base = outer.indent + (self._text(slot.node.indent) if isinstance(slot.node, cst.Match) else "")
            if isinstance(suite, cst.If):
                return fill(_Block(key, None, slot, base, outer.unit), [suite], twins)
            if isinstance(suite, cst.IndentedBlock):
                indent = base + self._text(suite.indent)
                return fill(_Block(key, suite, slot, indent, suite.indent), suite.body, twins)
            return fill(_Block(key, suite, slot, base, outer.unit), [suite], twins)

        return fill(_Block("module", self._module, None, "", None), self._module.body, tree.body)

    def _text(self, unit: str | None) -> str:
        return self._module.default_indent if unit is None else unit

    def _find(self, at: At) -> _Slot:
        slot = self._slots.get(at)
        if slot is None:
            raise CannotRewrite(f"no statement starts at line {at.line}, column {at.column}")
        return slot

    # -- what becomes of each statement that an edit replaces

    def _place(self, edit: Edit) -> None:
        first, last = self._find(edit.first), self._find(edit.last)
        block = first.block
        if last.block is not block or last.index < first.index:
            raise CannotRewrite(f"lines {first.at.line} and {last.at.line} are not a part of one block")
        if block.suite is None:
            raise CannotRewrite(f"line {first.at.line}: an `elif` cannot be rewritten on its own")
        if edit.first in self._edits:
            raise CannotRewrite(f"line {first.at.line}: two edits begin here")
        self._edits[edit.first] = (edit, last.index)
        self._touched.add(block)
        self._touched.update(around.block for around in first.within())
        _Account(self, edit).settle(block.slots[first.index : last.index + 1])

    def _check_overlap(self) -> None:
        for edit, last in self._edits.values():
            first = self._find(edit.first)
            block = first.block
            starts = sum(slot.at in self._edits for slot in block.slots[first.index : last + 1])
            if starts > 1 or block in self._taken_apart or any(slot in self._dropped for slot in first.within()):
                raise CannotRewrite(f"line {first.at.line}: two edits change the same statements")

    def drop(self, slot: _Slot) -> None:
        """Take the statement out. Its comments go above the next one."""
        self._dropped.add(slot)
        lines = slot.leading + comment_lines(comments(slot.node)[self._above(slot) :])
        if slot.line is not None and slot.ends_line and slot.line.trailing_whitespace.comment is not None:
            trailing = slot.line.trailing_whitespace
            lines += (cst.EmptyLine(comment=trailing.comment, newline=trailing.newline),)
        if any(line.comment is not None and _TYPE.match(line.comment.value) for line in lines):
            raise CannotRewrite(f"line {slot.at.line}: the type comment of this statement counts nowhere else")
        self.set_adrift(slot, lines)

    @staticmethod
    def _above(slot: _Slot) -> int:
        """How many of a statement's own comments stand above it: a compound statement holds them, a line does not."""
        if isinstance(slot.node, cst.BaseCompoundStatement):
            return sum(line.comment is not None for line in slot.leading)
        return 0

    def set_adrift(self, slot: _Slot, lines: Lines) -> None:
        """Leave lines behind a statement; they settle once all dropped statements are known."""
        self._adrift[slot] = self._adrift.get(slot, ()) + lines

    def take_apart(self, block: _Block) -> None:
        self._taken_apart.add(block)

    def give_footer(self, block: _Block, pieces: Sequence[Header], owner: Header) -> None:
        """The comments at the end of a block go where its last statement goes."""
        left = [slot for slot in block.slots if slot not in self._dropped]
        self._footer_home[block] = next((p for p in pieces if left and _mentions(p.body, left[-1].at)), owner)

    def _above_lines(self, slot: _Slot) -> Lines:
        """The lines above a statement: its own, below those that drifted to it."""
        return join_lines(self._drifted(slot.neighbour(-1)), slot.leading)

    def _drifted(self, before: _Slot | None) -> Lines:
        lines: Lines = ()
        while before is not None:
            if before in self._adrift:
                lines = join_lines(self._adrift[before], lines)
            if before not in self._dropped:
                break
            before = before.neighbour(-1)
        return lines

    def footer(self, block: _Block) -> Lines:
        lines = self._drifted(block.slots[-1] if block.slots else None)
        if not has_comment(lines):
            lines = ()
        own = block.suite.footer if isinstance(block.suite, (cst.Module, cst.IndentedBlock)) else ()
        return lines + tuple(own)

    # -- building

    def _body(self, block: _Block) -> list[Statement]:
        items: list[_Item] = []
        index = 0
        while index < len(block.slots):
            slot = block.slots[index]
            if slot.at in self._edits:
                edit, index = self._edits[slot.at]
                items.extend(_led_by_blank(self._pieces(edit.pieces, block.indent, block.unit)))
            else:
                items.append(_Item(slot))
            index += 1
        return self._statements(items, block.indent) or ([] if block is self._root else [_pass()])

    def _suite(self, block: _Block) -> cst.BaseSuite | cst.If:
        if block.suite is None:
            changed = self._compound(block.slots[0])
            assert isinstance(changed, cst.If)
            return changed
        if isinstance(block.suite, cst.IndentedBlock):
            return block.suite.with_changes(body=self._body(block), footer=self.footer(block))
        return cst.IndentedBlock(body=self._body(block), footer=self.footer(block), indent=block.unit)

    def _compound(self, slot: _Slot, leave: Sequence[str] = ()) -> cst.BaseCompoundStatement:
        """A compound statement with the edits within it carried out, except in the blocks to leave."""
        assert isinstance(slot.node, cst.BaseCompoundStatement)
        new = {b.key: self._suite(b) for b in slot.blocks if b in self._touched and b.key not in leave}
        return with_suites(slot.node, new) if new else slot.node

    def _statements(self, items: Sequence[_Item], indent: str) -> list[Statement]:
        """The items as statements at an indentation; neighbours on one line of the original stay on one line."""
        result: list[Statement] = []
        run: list[_Slot] = []
        for item in (*items, _Item(None)):
            slot = item.slot if item.built is None else None
            if run and not (
                slot is not None
                and slot.line is run[0].line
                and slot.index == run[-1].index + 1
                and not self._drifted(slot.neighbour(-1))
            ):
                result.append(self._shifted(self._line(run), run[0].block.indent, indent))
                run = []
            if item.built is not None:
                result.append(item.built)
            elif slot is not None and slot.line is not None:
                run.append(slot)
            elif slot is not None:
                statement: Statement = self._compound(slot)
                lines = self._above_lines(slot)
                if lines != slot.leading:
                    statement = with_leading(statement, lines)
                result.append(self._shifted(statement, slot.block.indent, indent))
        return result

    def _line(self, run: Sequence[_Slot]) -> cst.SimpleStatementLine:
        line = run[0].line
        assert line is not None
        whole = run[0].starts_line and run[-1].ends_line
        if not whole and line.trailing_whitespace.comment is not None:
            raise CannotRewrite(f"line {run[0].at.line}: its comment belongs to several statements that would part")
        body = [slot.node for slot in run]
        if not run[-1].ends_line:
            body[-1] = body[-1].with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
        return cst.SimpleStatementLine(
            body=[small for small in body if isinstance(small, cst.BaseSmallStatement)],
            leading_lines=self._above_lines(run[0]),
            trailing_whitespace=line.trailing_whitespace if run[-1].ends_line else cst.TrailingWhitespace(),
        )

    def _shifted(self, statement: Statement, old: str, new: str) -> Statement:
        return shifted(statement, old, new) if self._continued else statement

    def _pieces(self, pieces: Sequence[Piece], indent: str, unit: str | None) -> list[_Item]:
        result = []
        for piece in pieces:
            if isinstance(piece, Keep):
                result.append(_Item(self._find(piece.at)))
            elif isinstance(piece, New):
                result.append(_Item(None, self._new(piece.source, indent, unit)))
            elif isinstance(piece, Header):
                result.append(self._header(piece, indent, unit))
            elif isinstance(piece, Try):
                result.append(_Item(None, self._try(piece, indent, unit)))
            else:
                result.append(self._rebuilt(piece, indent, unit))
        return result

    def _new(self, source: str, indent: str, unit: str | None) -> Statement:
        newline = self._module.default_newline
        try:
            text = styled(source, self._style, indent, self._text(unit)) + "\n"
            config = replace(self._module.config_for_parsing, default_indent=self._text(unit))
            module = cst.parse_module(text.replace("\n", newline), config=config)
        except cst.ParserSyntaxError as error:
            raise CannotRewrite(f"the new statement `{source}` does not parse: {error.message}") from None
        statements = [*module.body]
        if len(statements) != 1:
            raise CannotRewrite(f"`{source}` is not one statement")
        return indented_by(as_statement(statements[0]), unit)

    def _header(self, piece: Header, indent: str, unit: str | None) -> _Item:
        slot = self._find(piece.at)
        node = slot.node
        assert isinstance(node, _HEADERS)
        block = slot.blocks[0]
        inner = block.unit if isinstance(block.suite, cst.IndentedBlock) else unit
        items = self._pieces(piece.body, indent + self._text(inner), inner)
        body = self._statements(items, indent + self._text(inner)) or [_pass()]
        # Blank lines above a statement that now comes first separate this block from the one before.
        blank: Lines = ()
        if not piece.owner or (items and items[0].slot is not None and items[0].slot is not block.slots[0]):
            blank, rest = split_blank(body[0].leading_lines)
            body[0] = with_leading(body[0], rest)
        footer = self.footer(block) if self._footer_home[block] is piece else ()
        placeholder = cst.SimpleStatementSuite(body=(cst.Pass(),))
        shell: Statement
        if piece.owner:
            lines = self._above_lines(slot)
            lines = (split_blank(lines)[0] or blank) + split_blank(lines)[1]
            shell = with_leading(with_body(self._compound(slot, leave=("body",)), placeholder), lines)
            header = _header_of(block)
        else:
            bare = node.with_changes(body=placeholder)
            if not isinstance(bare, cst.With):
                bare = bare.with_changes(orelse=None)
            shell = with_leading(without_comments(bare), blank)
            header = cst.TrailingWhitespace()
        shell = self._shifted(shell, slot.block.indent, indent)
        suite = cst.IndentedBlock(body=body, header=header, indent=inner, footer=footer)
        return _Item(slot if piece.owner else None, with_body(shell, suite))

    def _try(self, piece: Try, indent: str, unit: str | None) -> cst.Try:
        deeper = indent + self._text(unit)
        body = self._statements(self._pieces(piece.body, deeper, unit), deeper)
        if not body:
            raise CannotRewrite("a `try` would have an empty body")
        above, rest = split_above_try(body[0].leading_lines)
        body[0] = with_leading(body[0], rest)
        final = cst.IndentedBlock(body=self._final(piece.final, indent, unit), indent=unit)
        handler = cst.ExceptHandler(type=cst.Name("BaseException"), body=final)
        return cst.Try(
            leading_lines=above,
            body=cst.IndentedBlock(body=body, indent=unit),
            handlers=[handler] if piece.if_raised else [],
            finalbody=None if piece.if_raised else cst.Finally(body=final),
        )

    def _final(self, pieces: Sequence[Piece], indent: str, unit: str | None) -> list[Statement]:
        deeper = indent + self._text(unit)
        items = self._pieces(pieces, deeper, unit)
        final = self._statements(items, deeper)
        if not final:
            raise CannotRewrite("a `finally` would be empty")
        final[0] = with_leading(final[0], split_blank(final[0].leading_lines)[1])
        return final

    def _rebuilt(self, piece: Rebuilt, indent: str, unit: str | None) -> _Item:
        slot = self._find(piece.at)
        node = self._compound(slot, leave=_replaced(piece))
        assert isinstance(node, (cst.Try, cst.TryStar))
        lines = self._above_lines(slot)
        blocks = {block.key: block for block in slot.blocks}
        placeholder = cst.SimpleStatementSuite(body=(cst.Pass(),))
        new: dict[str, cst.BaseSuite | cst.If] = {}
        if piece.body is not None:
            block = blocks["body"]
            inner = block.unit if isinstance(block.suite, cst.IndentedBlock) else unit
            items = self._pieces(piece.body, indent + self._text(inner), inner)
            body = self._statements(items, indent + self._text(inner)) or [_pass()]
            if items and items[0].slot is not None and items[0].slot is not block.slots[0]:
                above, rest = split_blank(body[0].leading_lines)
                body[0] = with_leading(body[0], rest)
                lines = (split_blank(lines)[0] or above) + split_blank(lines)[1]
            new["body"] = cst.IndentedBlock(
                body=body, header=_header_of(block), indent=inner, footer=self.footer(block)
            )
        finalbody = node.finalbody
        if piece.final == ():
            if not node.handlers:
                raise CannotRewrite(f"line {slot.at.line}: a `try` without handlers needs its `finally`")
            finalbody = None
        elif piece.final is not None:
            final_block = blocks.get("final")
            indented = final_block is not None and isinstance(final_block.suite, cst.IndentedBlock)
            inner = final_block.unit if final_block is not None and indented else unit
            suite = cst.IndentedBlock(
                body=self._final(piece.final, indent, inner),
                header=_header_of(final_block),
                indent=inner,
                footer=self.footer(final_block) if final_block is not None else (),
            )
            finalbody = (finalbody or cst.Finally(body=suite)).with_changes(body=placeholder)
            new["final"] = suite
        shell = node.with_changes(finalbody=finalbody)
        if piece.body is not None:
            shell = shell.with_changes(body=placeholder)
        moved = self._shifted(with_leading(shell, lines), slot.block.indent, indent)
        assert isinstance(moved, cst.BaseCompoundStatement)
        return _Item(slot, with_suites(moved, new))


class _Account:
    """Sees to it that each statement an edit replaces is used once, and where the comments of the lost ones go."""

    def __init__(self, rewriter: _Rewriter, edit: Edit) -> None:
        self._rewriter = rewriter
        self._open: dict[At, list[Piece | None]] = {}
        self._collect(edit.pieces)
        for at in edit.dropped:
            self._open.setdefault(at, []).append(None)

    def _collect(self, pieces: Sequence[Piece]) -> None:
        for piece in pieces:
            if not isinstance(piece, (New, Try)):
                self._open.setdefault(piece.at, []).append(piece)
            for inner in _inner(piece):
                self._collect(inner)

    def settle(self, slots: Sequence[_Slot]) -> None:
        for slot in slots:
            self._settle(slot)
        if self._open:
            at = min(self._open)
            raise CannotRewrite(f"line {at.line}, column {at.column}: the edit does not replace this statement")

    def _settle(self, slot: _Slot) -> None:
        uses = self._open.pop(slot.at, [])
        line = slot.at.line
        if not uses:
            raise CannotRewrite(f"line {line}: the plan loses this statement")
        headers = [piece for piece in uses if isinstance(piece, Header)]
        if len(uses) > 1 and len(headers) != len(uses):
            raise CannotRewrite(f"line {line}: the plan uses this statement twice")
        if headers:
            self._settle_headers(slot, headers)
        elif uses[0] is None:
            self._rewriter.drop(slot)
        elif isinstance(uses[0], Rebuilt):
            self._settle_rebuilt(slot, uses[0])

    def _settle_headers(self, slot: _Slot, headers: list[Header]) -> None:
        if not isinstance(slot.node, _HEADERS):
            raise CannotRewrite(f"line {slot.at.line}: this statement has no header that could stand over another body")
        owners = [header for header in headers if header.owner]
        if len(owners) != 1:
            raise CannotRewrite(f"line {slot.at.line}: of the copies of this header, one must own its comments")
        block = slot.blocks[0]
        self._rewriter.take_apart(block)
        for child in block.slots:
            self._settle(child)
        self._rewriter.give_footer(block, headers, owners[0])

    def _settle_rebuilt(self, slot: _Slot, piece: Rebuilt) -> None:
        if not isinstance(slot.node, (cst.Try, cst.TryStar)):
            raise CannotRewrite(f"line {slot.at.line}: this statement is no `try`")
        for block in slot.blocks:
            if block.key in _replaced(piece):
                self._rewriter.take_apart(block)
                for child in block.slots:
                    self._settle(child)
        clause = slot.node.finalbody
        if piece.final == () and clause is not None:
            block = slot.blocks[-1]
            lines = (*clause.leading_lines, *self._rewriter.footer(block))
            above = [line for line in lines[: len(clause.leading_lines)] if line.comment is not None]
            below = [line for line in lines[len(clause.leading_lines) :] if line.comment is not None]
            self._rewriter.set_adrift(slot, (*above, *comment_lines(comments(_header_of(block))), *below))


def _blocks(node: ast.stmt) -> dict[str, list[ast.stmt]]:
    """The blocks of a statement of the interpreter's tree, by the names of `suites`."""
    blocks = {"body": getattr(node, "body", []), "final": getattr(node, "finalbody", [])}
    blocks["orelse"] = blocks["elif"] = getattr(node, "orelse", [])
    for index, handler in enumerate(getattr(node, "handlers", [])):
        blocks[f"handler{index}"] = handler.body
    for index, case in enumerate(getattr(node, "cases", [])):
        blocks[f"case{index}"] = case.body
    return blocks


def _replaced(piece: Rebuilt) -> list[str]:
    """The blocks of a `try` that the piece says anew."""
    return [key for key, pieces in (("body", piece.body), ("final", piece.final)) if pieces is not None]


def _inner(piece: Piece) -> Iterator[tuple[Piece, ...]]:
    if isinstance(piece, Header):
        yield piece.body
    elif isinstance(piece, (Try, Rebuilt)):
        yield piece.body or ()
        yield piece.final or ()


def _mentions(pieces: Sequence[Piece], at: At) -> bool:
    return any(
        (not isinstance(piece, (New, Try)) and piece.at == at) or any(_mentions(inner, at) for inner in _inner(piece))
        for piece in pieces
    )


def _header_of(block: _Block | None) -> cst.TrailingWhitespace:
    if block is not None and isinstance(block.suite, cst.IndentedBlock):
        return block.suite.header
    return cst.TrailingWhitespace()


def _pass() -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine(body=[cst.Pass()])


def _led_by_blank(items: list[_Item]) -> list[_Item]:
    """The blank lines above a new `try` go above the new statement that now precedes it."""
    if len(items) > 1 and items[0].slot is None and items[0].built is not None and items[1].built is not None:
        blank, rest = split_blank(items[1].built.leading_lines)
        if not items[0].built.leading_lines:
            items[0].built = with_leading(items[0].built, blank)
            items[1].built = with_leading(items[1].built, rest)
    return items
