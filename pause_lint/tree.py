"""Files: which there are under the paths named, what is in them, and their syntax trees.

Nothing here knows what is looked for in them. Lines count from 1; columns in characters from 1.
"""

from __future__ import annotations

import ast
import codecs
import errno
import os
import re
import stat
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from pause_lint.config import MARKERS, Options, marked_root, tree_root
from pause_lint.finding import Problem
from pause_lint.module import Module

STDIN_NAME = "stdin"
"""What standard input is called that has no name."""

SUFFIXES = (".py", ".pyi")
_NOTEBOOK = ".ipynb"
SKIPPED_FOLDERS = frozenset({"__pycache__", "__pypackages__", "node_modules", "site-packages", "dist-packages"})
BUILD_FOLDERS = frozenset({"build", "dist"})
ENVIRONMENT_MARKS = frozenset({"pyvenv.cfg", "conda-meta"})
PROJECT_FILES = frozenset({*MARKERS, "setup.py"})
TEST_FOLDERS = frozenset({"tests", "test"})

# A FIFO that took a file's place must not be waited for. The flags that are missing exist on other systems only.
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_BOM = codecs.BOM_UTF8
# PEP 263: in one of the first two lines, the first of which may only be blank or a comment.
_CODING = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"[ \t\f]*(?:#.*)?$")


class Source(NamedTuple):
    """A file that is to be looked at.

    path: as shown in reports, relative to the current folder, with `/`.
    location: as opened.
    inside: relative to the root of its tree, with `/`.
    named: whether the user named this very file.
    real: absolute and without links.
    """

    path: str
    location: str
    inside: str
    named: bool = False
    real: str = ""


class Unparsable(Exception):
    """A file that is not Python text: the line to blame (0: none) and what to do."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


def shown_path(path: str) -> str:
    """`path` as reports show it: relative to the current folder, with `/`."""
    try:
        return os.path.relpath(path).replace(os.sep, "/")
    except ValueError:  # another drive
        return path.replace(os.sep, "/")


def is_test(inside: str) -> bool:
    """Whether the file at `inside`, relative to the root of its tree, belongs to tests."""
    *folders, name = inside.split("/")
    stem = name.removesuffix("i").removesuffix(".py")
    if stem == "conftest" or stem.startswith("test_") or stem.endswith("_test"):
        return True
    return not TEST_FOLDERS.isdisjoint(folders)


def inside_tree(path: str) -> str:
    """Where `path` is in its tree: relative to the root of the project, with `/`.

    Without a project, the folder that the path names, or that the file is in, is part of the answer.
    """
    absolute = os.path.abspath(path)
    root = marked_root(absolute) or os.path.dirname(tree_root(absolute))
    return os.path.relpath(absolute, root).replace(os.sep, "/")


def not_python(path: str) -> str:
    """Why the file at `path` is not looked at although it was named, and what to do; empty if it is looked at.

    A notebook is JSON, which Python's grammar takes for an expression: it would pass for a file without faults.
    """
    if not path.lower().endswith(_NOTEBOOK):
        return ""
    return (
        "notebooks are not read; convert it first, as in `jupytext --to py` or `jupyter nbconvert --to script`, "
        "and name the .py file"
    )


def discover(paths: Sequence[str], options: Options) -> tuple[tuple[Source, ...], tuple[Problem, ...]]:
    """The files under `paths`, in the order of their shown paths, and what kept others from being found.

    A file that is named is taken whatever it is called, unless it is a notebook. With `options.force_exclude`, what
    `options.exclude` matches is left out also if it is named: see `forced_out`.

    Folders are searched for `.py` and `.pyi`; left out are hidden files and folders, caches, virtual environments,
    installed packages, `build` and `dist` beside a project file, and what `options.exclude` matches. Links to folders
    are not followed, and a file is taken once however many names lead to it. The order of `paths` does not matter.
    """
    excluded = _excluder(options.exclude)
    found: dict[str, tuple[bool, Source]] = {}
    problems: list[Problem] = []

    def take(source: Source, real: str, is_link: bool) -> None:
        old = found.get(real)
        if old is None:
            found[real] = (is_link, source)
            return
        best = min(old, (is_link, source), key=lambda entry: (entry[0], entry[1].path))
        named = old[1].named or source.named
        kept = best[1]
        found[real] = (best[0], kept._replace(named=named))

    for path in sorted(set(paths)):
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError) as error:
            problems.append(Problem(path, 0, _why(error)))
            continue
        if forced_out(path, options):
            continue
        shown, inside, real = shown_path(path), inside_tree(path), os.path.realpath(path)
        if stat.S_ISREG(mode) and (why := not_python(path)):
            problems.append(Problem(path, 0, why))
        elif stat.S_ISREG(mode):
            is_link = real != os.path.abspath(path)
            take(Source(shown, path, inside, True, real), real, is_link)
        elif stat.S_ISDIR(mode):
            before = len(problems)
            files = _walk(path, "" if shown == "." else shown + "/", inside, real, excluded, problems)
            for source, where, is_link in files:
                take(source, where, is_link)
            if not files and len(problems) == before:
                problems.append(Problem(path, 0, _why_empty(path, inside, real, options.exclude)))
        else:
            problems.append(Problem(path, 0, "not a regular file or folder; `-` reads standard input"))
    sources = sorted((source for _, source in found.values()), key=lambda source: source.path)
    return tuple(sources), tuple(problems)


def forced_out(path: str, options: Options) -> str:
    """The pattern because of which `path` is left out although it is named; empty if it is not left out."""
    return excluded_by(inside_tree(path), options.exclude) if options.force_exclude else ""


def _why_empty(top: str, inside: str, real: str, exclude: Sequence[str]) -> str:
    """Why no file was found below `top`."""
    left_out = [source.inside for source, *_ in _walk(top, "", inside, real, None, [])] if exclude else []
    patterns = {excluded_by(one, exclude) for one in left_out}
    named = ", ".join(repr(pattern) for pattern in dict.fromkeys(exclude) if pattern in patterns)
    if not named:
        return "no Python files (.py, .pyi) in this folder"
    return f"every Python file in this folder is excluded by {named} (`exclude` in the configuration)"


def excluded_by(inside: str, exclude: Sequence[str]) -> str:
    """The first of the patterns `exclude` that leaves out the file or folder at `inside`, or a folder that it is in.

    inside: relative to the root of its tree, with `/`. Empty if none of them does.
    """
    parts = inside.split("/")
    ways = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)] if inside != "." else []
    for pattern in exclude:
        excluded = _excluder((pattern,))
        if excluded is not None and any(excluded.match(way) for way in ways):
            return pattern
    return ""


def _walk(
    top: str,
    shown: str,
    inside: str,
    real: str,
    excluded: re.Pattern[str] | None,
    problems: list[Problem],
) -> list[tuple[Source, str, bool]]:
    """The Python files below `top`: each with its real path and whether a link leads to it."""
    found: list[tuple[Source, str, bool]] = []
    # Prefixes of: what is opened, what is shown, where it is in the tree, the real path. Links to folders are not
    # followed, so below `top` only a link to a file needs to be resolved.
    stack = [(os.path.join(top, ""), shown, "" if inside == "." else inside + "/", os.path.join(real, ""))]
    while stack:
        location, shown, inside, real = stack.pop()
        try:
            with os.scandir(location) as scan:
                entries = list(scan)
        except OSError as error:
            # A folder that went away in the meantime is no harm; the one that was named was there a moment ago.
            if not isinstance(error, FileNotFoundError):
                problems.append(Problem(shown.rstrip("/") or ".", 0, f"folder cannot be read: {_why(error)}"))
            continue
        names = {entry.name for entry in entries}
        if location != os.path.join(top, "") and not ENVIRONMENT_MARKS.isdisjoint(names):
            continue
        is_project = not PROJECT_FILES.isdisjoint(names)
        for entry in entries:
            name = entry.name
            if name.startswith("."):
                continue
            try:
                if name.endswith(SUFFIXES) and entry.is_file():
                    if excluded is None or not excluded.match(inside + name):
                        is_link = entry.is_symlink()
                        where = os.path.realpath(location + name) if is_link else real + name
                        source = Source(shown + name, location + name, inside + name, False, where)
                        found.append((source, where, is_link))
                    continue
                if not entry.is_dir(follow_symlinks=False):
                    continue
            except OSError:  # a link that leads round in a circle
                continue
            if name in SKIPPED_FOLDERS or (is_project and name in BUILD_FOLDERS):
                continue
            if excluded is not None and excluded.match(inside + name):
                continue
            stack.append((location + name + os.sep, shown + name + "/", inside + name + "/", real + name + os.sep))
    return found


def is_walked(path: str, options: Options) -> bool:
    """Whether a walk over its tree comes to the file at `path`, or would if it were there: see `discover`.

    Its name counts, not what is in it; nor whether it is a test.
    """
    root = options.project_root or tree_root(path)
    *folders, name = os.path.relpath(os.path.abspath(path), root).split(os.sep)
    if folders[:1] == [os.pardir]:
        return True
    excluded = _excluder(options.exclude)
    location, inside = root, inside_tree(root)
    inside = "" if inside == "." else inside + "/"
    for folder in folders:
        # Of what is in a folder, only this matters here.
        is_project = any(os.path.exists(os.path.join(location, mark)) for mark in PROJECT_FILES)
        location, inside = os.path.join(location, folder), inside + folder
        if folder.startswith(".") or folder in SKIPPED_FOLDERS or (is_project and folder in BUILD_FOLDERS):
            return False
        if any(os.path.exists(os.path.join(location, mark)) for mark in ENVIRONMENT_MARKS):
            return False
        if excluded is not None and excluded.match(inside):
            return False
        inside += "/"
    return not name.startswith(".") and (excluded is None or not excluded.match(inside + name))


def _excluder(patterns: Sequence[str]) -> re.Pattern[str] | None:
    """Matches what `patterns` leave out: the path inside the tree, or its last name."""
    if not patterns:
        return None
    from fnmatch import translate

    forms: list[str] = []
    for pattern in patterns:
        plain = pattern.replace(os.sep, "/").removeprefix("./").rstrip("/").removeprefix("**/")
        forms.append(translate(plain))
        forms.append(translate("*/" + plain))
    return re.compile("|".join(forms))


def _why(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file or folder"
    return getattr(error, "strerror", None) or str(error)


def read(location: str) -> bytes:
    """The bytes of the regular file at `location`. Raises OSError; never waits for a FIFO."""
    handle = os.open(location, _READ_FLAGS)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", location)
        data = os.read(handle, status.st_size + 1)
        if len(data) == status.st_size:
            return data
        parts = [data]
        while part := os.read(handle, 1 << 20):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(handle)


def decode(data: bytes) -> str:
    """The text of a Python file as Python reads it (PEP 263, byte order mark), with its line endings.

    Raises Unparsable.
    """
    marked = data.startswith(_BOM)
    body = data[len(_BOM) :] if marked else data
    name, line = _coding(body)
    if marked and name not in ("utf-8", "utf-8-sig"):
        raise Unparsable(
            line, f"the file begins with a UTF-8 byte order mark but declares {name}; remove one of the two"
        )
    try:
        return body.decode(name)
    except LookupError:
        raise Unparsable(line, f"unknown encoding {name!r} in the coding line") from None
    except UnicodeDecodeError as error:
        if error.object == body:
            line = body.count(b"\n", 0, error.start) + 1
        raise Unparsable(
            line,
            f"not {name} text ({error.reason}); convert the file or declare its encoding in a coding line (PEP 263)",
        ) from None
    except (UnicodeError, ValueError) as error:
        raise Unparsable(line, f"not {name} text ({error})") from None


def encode(text: str, like: bytes) -> bytes:
    """The bytes of a Python file with this text, in the encoding of the file in `like`, with its byte order mark.

    Raises UnicodeError if the encoding has no room for it, or if it writes down otherwise what stands in `like`.
    """
    mark = _BOM if like.startswith(_BOM) else b""
    body = like[len(mark) :]
    name = _coding(body)[0]
    if body.decode(name).encode(name) != body:
        raise UnicodeError(f"{name} has several ways to write this file down")
    return mark + text.encode(name)


def encoded(text: str) -> bytes:
    """The bytes of a Python file with this text, in the encoding that it declares. Raises Unparsable."""
    name, line = _coding(text.encode("utf-8", "surrogatepass"))
    try:
        return text.encode(name)
    except LookupError:
        raise Unparsable(line, f"unknown encoding {name!r} in the coding line") from None
    except UnicodeError as error:
        raise Unparsable(line, f"the text cannot be written as {name} ({error})") from None


def _coding(body: bytes) -> tuple[str, int]:
    """The encoding that the first two lines declare, and on which line; `utf-8` and 0 without a declaration."""
    start = 0
    for number in (1, 2):
        ends = [end for end in (body.find(b"\n", start), body.find(b"\r", start)) if end >= 0]
        end = min(ends, default=len(body))
        line = body[start:end]
        if found := _CODING.match(line):
            name = found[1].decode("ascii", "replace").lower().replace("_", "-")
            if name == "utf-8" or name.startswith("utf-8-"):
                return "utf-8", number
            return name, number
        if not _BLANK.match(line):
            break
        start = end + (2 if body[end : end + 2] == b"\r\n" else 1)
    return "utf-8", 0


def parse(path: str, data: bytes, outline: str | None = None, text: str | None = None) -> Module:
    """The module in `data`, to be shown as `path`.

    outline: if given, the text without the bodies of functions that need not be in the tree. Everything else is, at
    its place. text: the text of `data`, if it is known already.

    Raises Unparsable with the line and a remedy.
    """
    text = decode(data) if text is None else text
    if "\0" in text:
        raise Unparsable(text.count("\n", 0, text.index("\0")) + 1, "the file holds a null byte and is not Python text")
    if outline is not None and outline != text:
        # Text that was cut at the wrong place does not parse; nor does a file that is wrong as a whole.
        with suppress(Unparsable):
            return Module(path, data, text, _tree(outline), outline)
    return Module(path, data, text, _tree(text))


def _tree(text: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes and the like are not our business
            return ast.parse(text)
    except SyntaxError as error:
        raise Unparsable(error.lineno or 0, f"syntax error: {error.msg}") from None
    except (RecursionError, MemoryError):
        raise Unparsable(
            0, "nested too deeply for the parser of Python; split the expression or the blocks, or exclude the file"
        ) from None
    except ValueError as error:
        raise Unparsable(0, f"cannot be parsed: {error}") from None


def from_lines(path: str, lines: Sequence[str], tree: ast.Module) -> Module:
    """The module that another tool has read and parsed already: its lines with `\\n` endings, and its tree."""
    text = "".join(lines)
    return Module(path, text.encode("utf-8", "surrogatepass"), text, tree)
