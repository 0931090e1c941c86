"""Files: which are looked at, how they are read, and how lines and columns are counted."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

from pause_lint.config import Options
from pause_lint.finding import Problem
from pause_lint.module import split_lines
from pause_lint.tree import Unparsable, decode, discover, encoded, is_test, is_walked, parse, read


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def touch(*names: str) -> None:
    for name in names:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def found(*paths: str, exclude: tuple[str, ...] = ()) -> list[str]:
    sources, problems = discover(paths, Options(exclude=exclude))
    assert problems == ()
    return [source.path for source in sources]


def complaints(*paths: str) -> list[tuple[str, str]]:
    return [(problem.path, problem.message) for problem in discover(paths, Options())[1]]


# Which files


def test_python_files_below_a_folder() -> None:
    touch("b.py", "a.pyi", "notes.txt", "pkg/c.py", "pkg/deep/d.py", "pyc.pyc", "py")
    assert found(".") == ["a.pyi", "b.py", "pkg/c.py", "pkg/deep/d.py"]
    assert found("pkg") == ["pkg/c.py", "pkg/deep/d.py"]


def test_what_is_nobodys_source_is_left_out() -> None:
    touch(
        "a.py",
        ".hidden/b.py",
        ".hidden.py",
        "__pycache__/c.py",
        "node_modules/d.py",
        "env/pyvenv.cfg",
        "env/lib/e.py",
        "lib/site-packages/f.py",
    )
    assert found(".") == ["a.py"]


def test_build_folders_only_beside_a_project_file() -> None:
    touch("pkg/build/a.py", "pkg/dist/b.py")
    assert found(".") == ["pkg/build/a.py", "pkg/dist/b.py"]
    touch("pkg/pyproject.toml")
    assert complaints(".") == [(".", "no Python files (.py, .pyi) in this folder")]


def test_what_is_named_is_taken() -> None:
    touch("script", ".hidden/a.py", "env/pyvenv.cfg", "env/b.py", "lib/site-packages/areal/c.py")
    assert found("script", ".hidden", "env", "lib/site-packages/areal") == [
        ".hidden/a.py",
        "env/b.py",
        "lib/site-packages/areal/c.py",
        "script",
    ]


def test_the_order_of_arguments_does_not_matter() -> None:
    touch("a/x.py", "b/y.py", "z.py")
    assert found("z.py", "b", "a") == found("a", "b", "z.py", "./a", "a/") == ["a/x.py", "b/y.py", "z.py"]


def test_a_file_is_taken_once(tmp_path: Path) -> None:
    touch("pkg/a.py")
    assert found("pkg", "pkg/a.py", ".", str(tmp_path / "pkg")) == ["pkg/a.py"]
    for paths in (["pkg", "pkg/a.py"], ["pkg/a.py", "pkg"]):
        sources, _ = discover(paths, Options())
        assert [(source.path, source.named) for source in sources] == [("pkg/a.py", True)]


def test_absolute_paths_are_shown_relative(tmp_path: Path) -> None:
    touch("pkg/a.py")
    assert found(str(tmp_path)) == ["pkg/a.py"]
    touch("other/b.py")
    os.chdir("other")
    assert found(str(tmp_path / "pkg")) == ["../pkg/a.py"]


@pytest.mark.parametrize(
    "pattern, left",
    [
        ("gen", ["pkg/a.py", "pkg/sub/b_pb2.py"]),
        ("gen/", ["pkg/a.py", "pkg/sub/b_pb2.py"]),
        ("*_pb2.py", ["gen/c.py", "pkg/a.py"]),
        ("pkg/sub", ["gen/c.py", "pkg/a.py"]),
        ("**/sub/*.py", ["gen/c.py", "pkg/a.py"]),
        ("sub/*.py", ["gen/c.py", "pkg/a.py"]),
        ("g", ["gen/c.py", "pkg/a.py", "pkg/sub/b_pb2.py"]),
    ],
)
def test_excluded(pattern: str, left: list[str]) -> None:
    touch("pkg/a.py", "pkg/sub/b_pb2.py", "gen/c.py", "setup.cfg")
    assert found(".", exclude=(pattern,)) == left


@pytest.mark.parametrize(
    "patterns, named",
    [
        (("gen",), "'gen'"),
        (("gen/deep/*.py", "b.py", "other"), "'gen/deep/*.py', 'b.py'"),
        (("*.py",), "'*.py'"),
    ],
)
def test_a_folder_of_which_everything_is_excluded_says_so(patterns: tuple[str, ...], named: str) -> None:
    touch("pyproject.toml", "gen/b.py", "gen/deep/c.py")
    sources, [problem] = discover(["."], Options(exclude=patterns))
    assert sources == ()
    assert problem == Problem(
        ".", 0, f"every Python file in this folder is excluded by {named} (`exclude` in the configuration)"
    )


def test_a_folder_without_python_files_says_so_whatever_is_excluded() -> None:
    touch("pyproject.toml", "gen/notes.txt", ".hidden/a.py")
    _, [problem] = discover(["."], Options(exclude=("gen", "*.py")))
    assert problem.message == "no Python files (.py, .pyi) in this folder"


def test_an_excluded_file_that_is_named_is_taken() -> None:
    touch("gen/c.py")
    assert found("gen/c.py", exclude=("gen",)) == ["gen/c.py"]


@pytest.mark.parametrize(
    "pattern, left",
    [
        ("gen", ["a.py", "pkg/sub/b_pb2.py"]),
        ("gen/deep", ["a.py", "gen/c.py", "pkg/sub/b_pb2.py"]),
        ("*_pb2.py", ["a.py", "gen/c.py", "gen/deep/d.py"]),
        ("pkg", ["a.py", "gen/c.py", "gen/deep/d.py"]),
        ("deep/*.py", ["a.py", "gen/c.py", "pkg/sub/b_pb2.py"]),
    ],
)
def test_with_force_what_is_excluded_is_left_out_though_it_is_named(pattern: str, left: list[str]) -> None:
    """A file because of its own name or of a folder that it is in; a folder likewise."""
    files = ["a.py", "gen/c.py", "gen/deep/d.py", "pkg/sub/b_pb2.py"]
    touch("pyproject.toml", *files)
    options = Options(exclude=(pattern,), force_exclude=True)
    for paths in (files, [os.path.abspath(name) for name in files], ["."]):
        assert [source.path for source in discover(paths, options)[0]] == left
    assert [source.path for source in discover(files, options._replace(force_exclude=False))[0]] == files
    assert discover(["gen"], Options(exclude=("gen",), force_exclude=True)) == ((), ())
    assert complaints("missing.py") == [("missing.py", "no such file or folder")]


@pytest.mark.parametrize("exclude", [(), ("gen",), ("*_pb2.py",), ("pkg/sub",), ("**/sub/*.py",)])
def test_what_a_walk_comes_to_is_known_of_each_file_by_itself(exclude: tuple[str, ...]) -> None:
    files = ["a.py", "pkg/b.pyi", "pkg/sub/c_pb2.py", "gen/deep/d.py", "build/e.py", "pkg/build/f.py", ".g.py"]
    files += [".h/i.py", "__pycache__/j.py", "env/lib/k.py", "lib/site-packages/l/m.py"]
    touch("pyproject.toml", "env/pyvenv.cfg", *files)
    inside = [name for name in files if is_walked(name, Options(exclude=exclude, project_root=os.getcwd()))]
    assert sorted(inside) == found(".", exclude=exclude) != []
    # The root of its tree is where it is looked at from, also for one that is not there yet.
    assert is_walked("pkg/new.py", Options(exclude=exclude))
    assert not is_walked("gen/new.py", Options(exclude=("gen",)))
    # What is installed is a tree of its own.
    assert is_walked("lib/site-packages/l/m.py", Options(exclude=exclude))


# Links, and things that are no files


def test_links_to_folders_are_not_followed() -> None:
    touch("pkg/a.py", "outside/b.py")
    os.symlink("..", "pkg/up")
    os.symlink("../outside", "pkg/out")
    assert found("pkg") == ["pkg/a.py"]
    assert found("pkg/out") == ["pkg/out/b.py"]


def test_links_to_files_are_taken_once_under_their_own_name() -> None:
    touch("pkg/b.py")
    os.symlink("b.py", "pkg/a.py")
    os.symlink("missing.py", "pkg/c.py")
    os.symlink("round.py", "pkg/round.py")
    assert found("pkg") == ["pkg/b.py"]
    assert found("pkg/a.py") == ["pkg/a.py"]
    assert found("pkg/b.py", "pkg/a.py") == ["pkg/b.py"]


def test_fifos_are_passed_over() -> None:
    touch("pkg/a.py")
    os.mkfifo("pkg/pipe.py")
    assert found("pkg") == ["pkg/a.py"]
    assert complaints("pkg/pipe.py") == [
        ("pkg/pipe.py", "not a regular file or folder; `-` reads standard input"),
    ]
    with pytest.raises(OSError, match="not a regular file"):
        read("pkg/pipe.py")


@pytest.mark.parametrize("path", ["missing.py", "missing/", "", "nul\0l"])
def test_a_path_that_does_not_exist(path: str) -> None:
    ((shown, message),) = complaints(path)
    assert shown == path
    assert message in ("no such file or folder", "embedded null byte")


def test_a_folder_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    touch("pkg/a.py", "pkg/closed/b.py")
    real = os.scandir

    def scandir(path: str) -> object:
        if "closed" in path:
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    sources, problems = discover(["pkg"], Options())
    assert [source.path for source in sources] == ["pkg/a.py"]
    assert [(problem.path, problem.message) for problem in problems] == [
        ("pkg/closed", "folder cannot be read: Permission denied")
    ]


def test_reading_a_file_that_grows(tmp_path: Path) -> None:
    data = b"x = 1\n" * 100_000
    Path("a.py").write_bytes(data)
    assert read("a.py") == data
    Path("empty.py").touch()
    assert read("empty.py") == b""


# Tests


@pytest.mark.parametrize(
    "inside, answer",
    [
        ("pkg/a.py", False),
        ("test_a.py", True),
        ("pkg/a_test.py", True),
        ("conftest.py", True),
        ("pkg/conftest.pyi", True),
        ("tests/helpers/a.py", True),
        ("pkg/test/a.py", True),
        ("latest.py", False),
        ("contest/a.py", False),
        ("testing/a.py", False),
        ("tests.py", False),
    ],
)
def test_which_files_are_tests(inside: str, answer: bool) -> None:
    assert is_test(inside) is answer


def test_a_folder_above_the_project_makes_no_tests() -> None:
    touch("tests/project/pyproject.toml", "tests/project/a.py", "tests/project/tests/b.py")
    sources, _ = discover(["tests/project"], Options())
    assert {source.path: is_test(source.inside) for source in sources} == {
        "tests/project/a.py": False,
        "tests/project/tests/b.py": True,
    }


def test_without_a_project_the_named_folder_counts() -> None:
    touch("tests/a.py")
    for path in ("tests", "tests/a.py"):
        sources, _ = discover([path], Options())
        assert [is_test(source.inside) for source in sources] == [True]


# Text


@pytest.mark.parametrize(
    "data, text",
    [
        (b"x = 1\n", "x = 1\n"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        ("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"), "# -*- coding: latin-1 -*-\nx = 'é'\n"),
        ("#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n'€'\n".encode("cp1252"), None),
        ("\n# coding: utf-8\n'é'\n".encode(), None),
        ("# coding: utf8\n'é'\n".encode(), None),
        ("# coding: UTF-8-unix\n'é'\n".encode(), None),
        ("x = 1\n# coding: latin-1\n'é'\n".encode(), "x = 1\n# coding: latin-1\n'é'\n"),
        ("#\r\n# coding: latin-1\r\n'é'\r\n".encode("latin-1"), "#\r\n# coding: latin-1\r\n'é'\r\n"),
    ],
)
def test_decoding_as_python_does(data: bytes, text: str | None) -> None:
    decoded = decode(data)
    if text is not None:
        assert decoded == text
    # Python itself is the judge.
    assert ast.dump(ast.parse(decoded)) == ast.dump(ast.parse(data))


@pytest.mark.parametrize(
    "data, line, message",
    [
        (b"x = 1\ny = '\xff'\n", 2, "not utf-8 text"),
        (b"# coding: nonsense\n", 1, "unknown encoding 'nonsense'"),
        (b"# coding: hex\n", 1, "unknown encoding 'hex'"),
        (b"\xef\xbb\xbf# coding: latin-1\n", 1, "byte order mark but declares latin-1"),
        (b"x = 1\ny = '\0'\n", 2, "null byte"),
        (b"x = 1\ndef f(:\n", 2, "syntax error"),
        (b"x = " + b"(" * 300 + b")" * 300, 1, "syntax error: too many nested parentheses"),
        (b"x = " + b"-" * 200_000 + b"1\n", 0, "nested too deeply"),
    ],
)
def test_what_is_no_python_text(data: bytes, line: int, message: str) -> None:
    with pytest.raises(Unparsable, match=message) as caught:
        parse("a.py", data)
    assert caught.value.line == line


def test_warnings_of_the_parser_are_not_shown(recwarn: pytest.WarningsRecorder) -> None:
    parse("a.py", b"x = '\\d'\nassert (1, 2)\n1 is 1\n")
    assert len(recwarn) == 0


def test_lines_are_counted_as_the_parser_does() -> None:
    text = "a = 1\r\nb = '''\x0c\x1d\u2028'''\rc = 3\n\x0cd = 4"
    tree = ast.parse(text)
    lines = split_lines(text)
    assert [lines[statement.lineno - 1][:1] for statement in tree.body] == ["a", "b", "c", "\x0c"]
    assert split_lines("") == ()
    assert split_lines("\n") == ("",)


def test_columns_count_characters() -> None:
    module = parse("a.py", "x = '日本é𝄞'; y = 1\nz = 2\n".encode())
    statement = module.tree.body[1]
    assert module.column(statement.lineno, statement.col_offset) == 13
    assert module.column(2, 0) == 1
    assert module.column(3, 4) == 5


def test_text_is_written_down_as_it_declares() -> None:
    text = "# coding: latin-1\n'é'\n"
    assert decode(encoded(text)) == text
    assert encoded("'é'") == "'é'".encode()
    assert decode(encoded("\ufeff'é'")) == "'é'"
    for wrong, line in (("# coding: latin-1\n'☃'\n", 1), ("# coding: klingon\n", 1), ("'\ud800'\n", 0)):
        with pytest.raises(Unparsable) as caught:
            encoded(wrong)
        assert caught.value.line == line
