"""Checks a rewritten file against its plan, without LibCST and without trusting the rewriter.

The new syntax tree is searched for what the plan says, from the outermost edit inwards; the statements kept are put
back where they were, the dropped ones are taken from the old file, and the tree that comes out must be the old one.
Tokens, comments, encoding and line endings are compared as well. Whether the finding is gone is not looked at here.
"""

from __future__ import annotations

import ast
import copy
import io
import re
import tokenize
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pause_lint.fixing.edits import At, Header, Keep, New, Piece, Plan, Rebuilt, Try

_BOM = b"\xef\xbb\xbf"
_NEWLINE = re.compile(r"\r\n|\r|\n")
_SIGNATURE = re.compile(r"#\s*type:\s*\(")
_LAYOUT = frozenset((tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER))
_HEADERS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith)


class _Refused(Exception):
    pass


def check_plan(old: bytes, new: bytes, plan: Plan) -> str | None:
    """Whether `new` is `old` with the plan's edits and nothing else changed.

    Takes the bytes of the file before and after. Returns None if so, else the reason. Raises nothing.
    """
    try:
        before, after = _file(old, "the original"), _file(new, "the result")
        _check_bytes(before, after)
        if before.typed and not after.typed:
            return "a type comment lost its place"
        _Inversion(before, after, plan).check()
    except _Refused as refused:
        return str(refused)
    except (RecursionError, MemoryError):
        return "nested too deeply to be checked"
    return None


# -- files


@dataclass(slots=True)
class _File:
    bom: bool
    encoding: str
    text: str
    lines: list[str]
    endings: list[str]
    tree: ast.Module
    typed: bool  # type comments are where the grammar wants them, and are in the tree
    tokens: list[tokenize.TokenInfo]
    starts: list[tuple[int, int]] = field(default_factory=list)

    def at(self, node: ast.stmt) -> At:
        line, column = self.start(node)
        return At(line, column + 1)

    def start(self, node: ast.stmt | ast.expr) -> tuple[int, int]:
        return node.lineno, self._characters(node.lineno, node.col_offset)

    def end(self, node: ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return node.end_lineno, self._characters(node.end_lineno, node.end_col_offset)

    def _characters(self, line: int, offset: int) -> int:
        text = self.lines[line - 1]
        return offset if text.isascii() else len(text.encode()[:offset].decode())

    def index(self, place: tuple[int, int]) -> int:
        """The index of the first token that starts there or later."""
        return bisect_left(self.starts, place)


def _file(data: bytes, name: str) -> _File:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
        typed = True
        try:
            tree = ast.parse(data, type_comments=True)
        except SyntaxError:
            typed = False
            tree = ast.parse(data)
        tree.type_ignores = []
        # The tokenizer of Python 3.11 knows no lone carriage return.
        plain = _NEWLINE.sub("\n", text)
        tokens = list(tokenize.generate_tokens(io.StringIO(plain).readline))
    except (SyntaxError, ValueError, tokenize.TokenError) as error:
        raise _Refused(f"{name} does not parse: {error}") from None
    starts = [token.start for token in tokens]
    return _File(
        data.startswith(_BOM),
        encoding,
        text,
        plain.split("\n"),
        _NEWLINE.findall(text),
        tree,
        typed,
        tokens,
        starts,
    )


def _check_bytes(old: _File, new: _File) -> None:
    if old.bom != new.bom:
        raise _Refused("the byte order mark changed")
    if old.encoding != new.encoding:
        raise _Refused(f"the encoding changed from {old.encoding} to {new.encoding}")
    if bool(_NEWLINE.match(old.text[-1:])) != bool(_NEWLINE.match(new.text[-1:])):
        raise _Refused("the newline at the end of the file changed")
    _check_endings(old, new)
    comments = [Counter(t.string for t in file.tokens if t.type == tokenize.COMMENT) for file in (old, new)]
    for text, count in (comments[0] - comments[1]).items():
        raise _Refused(f"{count} comment(s) lost: {text}")
    for text, count in (comments[1] - comments[0]).items():
        raise _Refused(f"{count} comment(s) added: {text}")


def _check_endings(old: _File, new: _File) -> None:
    if foreign := set(new.endings) - set(old.endings or ["\n"]):
        raise _Refused(f"line endings of another kind: {sorted(foreign)}")
    if len(set(old.endings)) < 2:
        return
    # Mixed endings: a line that is still there ends as it did.
    counts = [Counter(zip((line.strip() for line in file.lines), file.endings, strict=False)) for file in (old, new)]
    texts = [Counter(line.strip() for line in file.lines) for file in (old, new)]
    for (text, ending), count in counts[0].items():
        if text and counts[1][text, ending] < count and texts[1][text] >= texts[0][text]:
            raise _Refused(f"the line ending {ending!r} changed: {text}")


# -- the syntax tree


def _blocks(node: ast.AST) -> Iterator[tuple[str, list[ast.stmt]]]:
    """The blocks of a module or statement, by name; an empty `else` or `finally` is none."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list) and block:
            yield name, block
    for name in ("handlers", "cases"):
        for index, part in enumerate(getattr(node, name, ())):
            yield f"{name} {index}", part.body


def _with_blocks(node: ast.stmt, blocks: dict[str, list[ast.stmt]]) -> ast.stmt:
    """A copy of the statement with some of its blocks replaced."""
    result = copy.copy(node)
    for key, block in blocks.items():
        name, _, index = key.partition(" ")
        if index:
            parts = list(getattr(result, name))
            parts[int(index)] = copy.copy(parts[int(index)])
            parts[int(index)].body = block
            setattr(result, name, parts)
        else:
            setattr(result, name, block)
    return result


def _same(one: ast.AST, other: ast.AST) -> bool:
    return ast.dump(one) == ast.dump(other)


def _is_pass(statements: Sequence[ast.stmt]) -> bool:
    return len(statements) == 1 and isinstance(statements[0], ast.Pass)


@dataclass(slots=True)
class _Found:
    """Where the statements of one edit were found in the new tree."""

    kept: dict[At, ast.stmt] = field(default_factory=dict)
    headers: dict[At, list[tuple[ast.stmt, bool]]] = field(default_factory=dict)
    rebuilt: dict[At, tuple[ast.stmt, Rebuilt]] = field(default_factory=dict)
    dropped: set[At] = field(default_factory=set)

    def uses(self, at: At) -> int:
        return sum(at in use for use in (self.kept, self.headers, self.rebuilt, self.dropped))

    def places(self) -> set[At]:
        return {*self.kept, *self.headers, *self.rebuilt, *self.dropped}


class _Inversion:
    """One plan undone on one pair of files."""

    def __init__(self, old: _File, new: _File, plan: Plan) -> None:
        self._old = old
        self._new = new
        self._edits = {edit.first: edit for edit in plan.edits}
        self._left = set(self._edits)  # edits not yet undone
        self._pairs: list[tuple[ast.stmt, ast.stmt, bool]] = []  # old, new, whether only the header is the same
        self._parents: dict[ast.stmt, ast.stmt | None] = {}
        self._at: dict[At, ast.stmt] = {}
        self._index(old.tree, None)
        self._touched: set[ast.stmt] = set()  # statements with an edit somewhere within
        if len(self._edits) != len(plan.edits):
            raise _Refused("two edits begin at the same statement")
        for edit in plan.edits:
            node = self._parents.get(self._at.get(edit.first) or ast.Pass())
            while node is not None:
                self._touched.add(node)
                node = self._parents[node]

    def _index(self, node: ast.Module | ast.stmt, parent: ast.stmt | None) -> None:
        for _, block in _blocks(node):
            for statement in block:
                self._parents[statement] = parent
                self._at[self._old.at(statement)] = statement
                self._index(statement, statement)

    def check(self) -> None:
        restored = ast.Module(body=self._restore(self._old.tree.body, self._new.tree.body, True), type_ignores=[])
        for at in sorted(self._left):
            raise _Refused(f"line {at.line}: the edit that begins here was not found")
        if not _same(restored, self._old.tree):
            raise _Refused(self._difference(restored))
        for old, new, header in self._pairs:
            self._check_tokens(old, new, header)

    def _difference(self, restored: ast.Module) -> str:
        for old, new in zip(self._old.tree.body, restored.body, strict=False):
            if not _same(old, new):
                return f"with the edits undone, the statement on line {old.lineno} is another"
        return "with the edits undone, the statements of the module are others"

    def _restore(self, old: Sequence[ast.stmt], new: Sequence[ast.stmt], module: bool = False) -> list[ast.stmt]:
        """The old block again, from what stands in its place in the new tree."""
        result: list[ast.stmt] = []
        rest = list(new)
        index = 0
        if not any(self._old.at(s) in self._edits or s in self._touched for s in old) and len(old) != len(new):
            raise _Refused("a block without edits has another number of statements")
        gone = len(old) > 0 and not module and self._all_gone(old)
        if gone and _is_pass(rest):
            rest.pop()
        while index < len(old):
            statement = old[index]
            edit = self._edits.get(self._old.at(statement))
            if edit is None:
                result.append(self._restore_one(statement, self._take(rest, statement)))
                index += 1
                continue
            self._left.discard(edit.first)
            last = next((i for i in range(index, len(old)) if self._old.at(old[i]) == edit.last), None)
            if last is None:
                raise _Refused(f"line {edit.first.line}: the edit leaves its block")
            found = _Found(dropped=set(edit.dropped))
            if len(found.dropped) != len(edit.dropped):
                raise _Refused(f"line {edit.first.line}: a statement is dropped twice")
            self._match(edit.pieces, rest, found, len(edit.pieces))
            result.extend(self._put_back(s, found) for s in old[index : last + 1])
            for at in sorted(found.places()):
                raise _Refused(f"line {at.line}: the edit uses a statement that it does not replace")
            index = last + 1
        if rest:
            raise _Refused(f"a statement that no edit explains, on line {rest[0].lineno} of the result")
        return result

    def _all_gone(self, old: Sequence[ast.stmt]) -> bool:
        """Whether the edits of a block leave nothing in it, so that a `pass` stands there."""
        index = 0
        while index < len(old):
            edit = self._edits.get(self._old.at(old[index]))
            if edit is None or edit.pieces:
                return False
            index = next((i for i in range(index, len(old)) if self._old.at(old[i]) == edit.last), len(old)) + 1
        return True

    @staticmethod
    def _take(rest: list[ast.stmt], wanted: ast.stmt | str) -> ast.stmt:
        if not rest:
            name = wanted if isinstance(wanted, str) else f"the statement on line {wanted.lineno}"
            raise _Refused(f"{name} is not in the result where it should be")
        return rest.pop(0)

    def _restore_one(self, old: ast.stmt, new: ast.stmt) -> ast.stmt:
        if old not in self._touched:
            self._pairs.append((old, new, False))
            return new
        self._pairs.append((old, new, True))
        return self._restore_blocks(old, new, ())

    def _restore_blocks(self, old: ast.stmt, new: ast.stmt, leave: Sequence[str]) -> ast.stmt:
        before, after = dict(_blocks(old)), dict(_blocks(new))
        changed = {}
        for key, block in before.items():
            if key not in leave:
                if key not in after:
                    raise _Refused(f"line {old.lineno}: a part of this statement is missing")
                changed[key] = self._restore(block, after[key])
        return _with_blocks(new, changed)

    # -- forwards: what the plan says must be in the new tree

    def _match(self, pieces: Sequence[Piece], rest: list[ast.stmt], found: _Found, count: int) -> None:
        for piece in pieces[:count]:
            node = self._take(rest, "a statement of the plan")
            if isinstance(piece, Keep):
                self._use(found, piece.at)
                found.kept[piece.at] = node
            elif isinstance(piece, New):
                self._match_new(piece, node)
            elif isinstance(piece, Header):
                self._match_header(piece, node, found)
            elif isinstance(piece, Try):
                self._match_all(piece.body, getattr(node, "body", []), found)
                self._match_all(piece.final, self._final_of(piece, node), found)
            else:
                self._match_rebuilt(piece, node, found)

    def _final_of(self, piece: Try, node: ast.stmt) -> Sequence[ast.stmt]:
        """What a new `try` does at its end."""
        if isinstance(node, ast.Try) and not node.orelse:
            match piece.if_raised, node.handlers, node.finalbody:
                case False, [], final:
                    return final
                case True, [ast.ExceptHandler(type=ast.Name(id="BaseException"), name=None, body=final)], []:
                    return final
        raise _Refused(f"line {node.lineno} of the result: not the new `try`")

    def _match_all(self, pieces: Sequence[Piece], block: Sequence[ast.stmt], found: _Found) -> None:
        rest = list(block)
        if not pieces and _is_pass(rest):
            return
        self._match(pieces, rest, found, len(pieces))
        if rest:
            raise _Refused(f"line {rest[0].lineno} of the result: a statement that the plan does not name")

    @staticmethod
    def _use(found: _Found, at: At) -> None:
        if found.uses(at):
            raise _Refused(f"line {at.line}: the plan uses this statement twice")

    @staticmethod
    def _match_new(piece: New, node: ast.stmt) -> None:
        try:
            wanted = ast.parse(piece.source).body
        except (SyntaxError, ValueError):
            wanted = []
        if len(wanted) != 1:
            raise _Refused(f"`{piece.source}` is not one statement")
        if not _same(wanted[0], node):
            raise _Refused(f"line {node.lineno} of the result: not the new statement `{piece.source}`")

    def _match_header(self, piece: Header, node: ast.stmt, found: _Found) -> None:
        if not isinstance(node, _HEADERS):
            raise _Refused(f"line {node.lineno} of the result: not the header of line {piece.at.line}")
        if piece.at not in found.headers:
            self._use(found, piece.at)
        found.headers.setdefault(piece.at, []).append((node, piece.owner))
        self._match_all(piece.body, node.body, found)

    def _match_rebuilt(self, piece: Rebuilt, node: ast.stmt, found: _Found) -> None:
        if not isinstance(node, (ast.Try, ast.TryStar)):
            raise _Refused(f"line {node.lineno} of the result: not the `try` of line {piece.at.line}")
        self._use(found, piece.at)
        found.rebuilt[piece.at] = (node, piece)
        if piece.body is not None:
            self._match_all(piece.body, node.body, found)
        if piece.final is not None:
            if not piece.final and node.finalbody:
                raise _Refused(f"line {node.lineno} of the result: its `finally` should be gone")
            self._match_all(piece.final, node.finalbody, found)

    # -- backwards: the statements where they were

    def _put_back(self, old: ast.stmt, found: _Found) -> ast.stmt:
        at = self._old.at(old)
        if found.uses(at) != 1:
            raise _Refused(f"line {at.line}: the plan uses this statement {found.uses(at)} times, not once")
        if at in found.kept:
            return self._restore_one(old, found.kept.pop(at))
        if at in found.dropped:
            found.dropped.remove(at)
            return old
        if at in found.headers:
            return self._put_back_header(old, found.headers.pop(at), found)
        node, piece = found.rebuilt.pop(at)
        replaced = [name for name, part in (("body", piece.body), ("finalbody", piece.final)) if part is not None]
        self._pairs.append((old, node, True))
        result = self._restore_blocks(old, node, replaced)
        blocks = {name: [self._put_back(s, found) for s in getattr(old, name, ())] for name in replaced}
        return _with_blocks(result, blocks)

    def _put_back_header(self, old: ast.stmt, copies: list[tuple[ast.stmt, bool]], found: _Found) -> ast.stmt:
        owners = [node for node, owner in copies if owner]
        if len(owners) != 1:
            raise _Refused(f"line {old.lineno}: of the copies of this header, one must be its owner")
        self._pairs.append((old, owners[0], True))
        shell, spelt = self._bare(owners[0]), self._spelling(owners[0])
        for node, owner in copies:
            same = not getattr(node, "orelse", None) and _same(self._bare(node), shell)
            if not owner and not (same and self._spelling(node) == spelt):
                raise _Refused(f"line {node.lineno} of the result: not a copy of the header on line {old.lineno}")
        result = self._restore_blocks(old, owners[0], ("body",))
        body = getattr(old, "body", [])
        return _with_blocks(result, {"body": [self._put_back(s, found) for s in body]})

    @staticmethod
    def _bare(node: ast.stmt) -> ast.stmt:
        """The header alone. A type comment stays with the owner."""
        bare = copy.copy(node)
        for name, empty in (("body", []), ("orelse", []), ("type_comment", None)):
            if name in bare._fields:
                setattr(bare, name, empty)
        return bare

    def _spelling(self, header: ast.stmt) -> list[str]:
        return [text for text in self._code(self._new, header, True) if not text.startswith("#")]

    # -- what the tree does not show

    def _check_tokens(self, old: ast.stmt, new: ast.stmt, header: bool) -> None:
        if self._code(self._old, old, header) != self._code(self._new, new, header):
            raise _Refused(f"line {old.lineno}: the statement is spelt differently, or a comment moved")
        above_old, above_new = self._above(self._old, old), self._above(self._new, new)
        if above_old and above_new[-len(above_old) :] != above_old and old is not self._old.tree.body[0]:
            raise _Refused(f"line {old.lineno}: the comment above this statement left it")

    @staticmethod
    def _first(file: _File, node: ast.stmt) -> int:
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        if not decorators:
            return file.index(file.start(node))
        index = file.index(file.start(decorators[0]))
        while file.tokens[index].string != "@":
            index -= 1
        return index

    def _code(self, file: _File, node: ast.stmt, header: bool) -> list[str]:
        """The tokens of a statement, or of its header, with the comment behind them on the line."""
        first = self._first(file, node)
        if header:
            blocks = [block for _, block in _blocks(node)]
            stop = self._first(file, min((b[0] for b in blocks), key=file.start)) if blocks else first
            # The comments above the first statement of the body belong to that.
            while (
                stop > first and file.tokens[stop - 1].type != tokenize.NEWLINE and file.tokens[stop - 1].string != ":"
            ):
                stop -= 1
        else:
            stop = file.index(file.end(node))
            while stop < len(file.tokens) and file.tokens[stop].string == ";":
                stop += 1
            if stop < len(file.tokens) and file.tokens[stop].type == tokenize.COMMENT:
                stop += 1
            elif file.tokens[stop - 1].string == ";":
                stop = file.index(file.end(node))
        return [token.string for token in file.tokens[first:stop] if token.type not in _LAYOUT]

    def _above(self, file: _File, node: ast.stmt) -> list[str]:
        """The comments on lines of their own right above a statement and as far to the right, from the top."""
        index = self._first(file, node)
        column = file.tokens[index].start[1]
        found: list[str] = []
        while index > 0:
            index -= 1
            token = file.tokens[index]
            if token.type == tokenize.COMMENT and token.start[1] == column:
                if not _SIGNATURE.match(token.string):
                    found.append(token.string)
            elif token.type not in (tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
                break
        return found[::-1]
