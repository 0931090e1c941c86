"""The command line: what is printed where, what is written, and exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pause_lint import sources
from pause_lint.analysis import program
from pause_lint.cli import main
from pause_lint.tree import read
from tests.helpers.commands import Done, pause_lint

FAULTY = """\
def reload(engine, path):
    engine.pause_generation()
    engine.load(path)
    engine.continue_generation()
"""
CLEAN = """\
def reload(engine, path):
    engine.pause_generation()
    try:
        engine.load(path)
    finally:
        engine.continue_generation()
"""
HEADLINE = "a.py:2:5: PR001 "


Run = Callable[..., Done]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a project without files."""
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """`main` in this process, in the project."""
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments: str) -> Done:
        code = main(list(arguments))
        out, err = capfd.readouterr()
        return Done(code, out, err)

    return call


def write(name: str, text: str = FAULTY) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


# check


def test_a_finding_in_full(run: Run) -> None:
    write("a.py")
    done = run("check")
    assert done.code == 1
    assert done.err == ""
    first, *lines, last = done.out.splitlines()
    assert first.startswith(HEADLINE)
    assert lines == [
        "  |",
        "2 |     engine.pause_generation()",
        "  |     ^^^^^^^^^^^^^^^^^^^^^^^^^ paused here",
        "3 |     engine.load(path)",
        "  |     - escapes here",
        "  1. paused   line 2: engine.pause_generation() pauses generation",
        "  2. escapes  line 3: engine.load() raises; no resume stands on the way out",
        "  help: resume in a `finally`, so that every way out of the function resumes; `pause-lint fix` writes that",
        "",
    ]
    assert last == "Found 1 finding in 1 file (1 fixable with `pause-lint fix`)."


def test_nothing_found(run: Run) -> None:
    write("a.py", CLEAN)
    assert run("check") == Done(0, "No findings in 1 file.\n", "")
    assert run("check", "-q") == Done(0, "", "")


def test_carets_stand_below_what_they_mean(run: Run) -> None:
    """Tabs, wide and combining characters before it, and control characters, notwithstanding."""
    write("a.py", "def f(engine):\n\tx = '日本e\u0301\x1b'; engine.pause_generation()\n\tengine.load()\n")
    _, _, source, carets, *_ = run("check").out.splitlines()
    assert source == "2 |         x = '日本e\u0301\\x1b'; engine.pause_generation()"
    # Two wide characters take two columns each, the accent takes none.
    assert carets.index("^") == source.index("engine") + 2 - 1
    assert carets.count("^") == len("engine.pause_generation()")


def test_a_call_over_several_lines_is_marked_on_the_first(run: Run) -> None:
    write("a.py", FAULTY.replace("pause_generation()", "pause_generation(\n        mode='keep',\n    )"))
    _, _, source, carets, *_ = run("check").out.splitlines()
    assert source == "2 |     engine.pause_generation("
    assert carets == "  |     ^^^^^^^^^^^^^^^^^^^^^^^^ paused here"


def test_concise(run: Run) -> None:
    write("a.py")
    done = run("check", "--output-format", "concise", "-q")
    (line,) = done.out.splitlines()
    assert line.startswith(HEADLINE)


def test_statistics(run: Run) -> None:
    write("a.py", FAULTY + "\n\n" + FAULTY)
    done = run("check", "--output-format", "concise", "--statistics")
    assert done.out.splitlines()[2] == "2  PR001  pause-not-resumed"


def test_json(run: Run) -> None:
    write(
        "pkg/a.py", "class Engine:\n    é = '𝄞'; z = 1\n\n" + "".join(f"    {line}\n" for line in FAULTY.splitlines())
    )
    done = run("check", "--output-format", "json")
    document = json.loads(done.out)
    assert list(document) == ["version", "findings", "errors", "summary"]
    assert document["version"] == 1
    assert document["errors"] == []
    assert document["summary"] == {"files": 1, "parsed": 1, "findings": 1, "errors": 0}
    (finding,) = document["findings"]
    message, witness, fix = finding.pop("message"), finding.pop("witness"), finding.pop("fix")
    assert finding == {
        "code": "PR001",
        "name": "pause-not-resumed",
        "path": "pkg/a.py",
        "line": 5,
        "column": 9,
        "end_line": 5,
        "end_column": 34,
        "function": "Engine.reload",
        "kind": "exception",
    }
    assert "engine.pause_generation()" in message
    assert fix in ("safe", "unsafe", "none")
    assert all(list(step) == ["path", "line", "column", "message"] for step in witness)
    assert {step["path"] for step in witness} == {"pkg/a.py"}
    assert run("check", "--output-format", "json").out == done.out


def test_findings_are_ordered(run: Run) -> None:
    for name in ("b.py", "a/c.py", "a.py"):
        write(name, FAULTY + "\n\n" + FAULTY)
    done = run("check", "b.py", "a.py", "a", "--output-format", "json")
    places = [(finding["path"], finding["line"]) for finding in json.loads(done.out)["findings"]]
    assert places == [("a.py", 2), ("a.py", 8), ("a/c.py", 2), ("a/c.py", 8), ("b.py", 2), ("b.py", 8)]


def test_exit_zero(run: Run) -> None:
    write("a.py")
    assert run("check", "--exit-zero").code == 0
    assert run("check", "--exit-zero", "missing.py").code == 2


def test_selection(run: Run) -> None:
    write("a.py")
    assert run("check", "--select", "PR002,PR003").code == 0
    assert run("check", "--ignore", "PR0").code == 0
    assert run("check", "--select", "PR00", "--ignore", "PR002").code == 1


def test_pairs_and_presets(run: Run) -> None:
    write("a.py", FAULTY.replace("pause_generation", "drain").replace("continue_generation", "undrain"))
    assert run("check").code == 0
    assert run("check", "--pair", "drain:undrain").code == 1
    write("a.py", FAULTY.replace("pause_generation", "sleep").replace("continue_generation", "wake_up"))
    assert run("check").code == 0
    assert run("check", "--preset", "vllm").code == 1
    assert run("check", "--preset", "all").code == 1


def test_configuration_of_the_project(run: Run) -> None:
    write("pkg/a.py")
    write("pyproject.toml", '[tool.pause_lint]\nignore = ["PR001"]\n')
    assert run("check", "pkg/a.py").code == 0
    assert run("check", "pkg", "--select", "PR001").code == 1
    write("other.toml", '[tool.pause_lint]\nselect = ["PR"]\n')
    assert run("check", "--config", "other.toml").code == 1


def test_tests_are_left_out(run: Run) -> None:
    for name in ("tests/a.py", "test_b.py", "pkg/conftest.py", "pkg/c.py"):
        write(name)
    assert run("check").out.count("PR001") == 1
    assert run("check", "--include-tests").out.count("PR001") >= 3
    done = run("check", "test_b.py", "-v")
    assert done.code == 0
    assert "note: test_b.py: left out as a test (--include-tests takes it in)\n" in done.err


def test_a_path_that_is_named_and_left_out_as_a_test_is_said(run: Run) -> None:
    for name in ("test_a.py", "tests/b.py", "tests/c.py", "pkg/d.py"):
        write(name, CLEAN)
    note = "note: test_a.py: left out as a test (--include-tests takes it in)\n"
    assert run("check", "test_a.py") == Done(0, "No findings in 0 files.\n", note)
    assert run("fix", "test_a.py") == Done(0, "Nothing to fix.\n", note)
    assert run("check", "test_a.py", "pkg") == Done(0, "No findings in 1 file.\n", note)
    assert run("check", "-q", "test_a.py") == Done(0, "", "")
    assert run("check", "--include-tests", "test_a.py") == Done(0, "No findings in 1 file.\n", "")
    # Of a folder, if nothing else is in it.
    note = "note: tests: nothing but tests is in this folder, left out (--include-tests takes them in)\n"
    assert run("check", "tests") == Done(0, "No findings in 0 files.\n", note)
    assert run("check") == Done(0, "No findings in 1 file.\n", "")
    # A hook names every file of a commit.
    note = "note: 2 of the paths named were left out (-v names them)\n"
    assert run("check", "test_a.py", "tests/b.py", "pkg/d.py") == Done(0, "No findings in 1 file.\n", note)
    assert run("check", "-v", "test_a.py", "tests/b.py", "pkg/d.py").err.splitlines()[:2] == [
        f"note: {name}: left out as a test (--include-tests takes it in)" for name in ("test_a.py", "tests/b.py")
    ]


VENDORED = "vendored/deep/a.py"


@pytest.fixture
def vendoring(run: Run) -> Run:
    """A project whose configuration excludes a faulty file."""
    write(VENDORED)
    write("pyproject.toml", '[tool.pause_lint]\nexclude = ["vendored"]\n')
    return run


def test_what_is_excluded_and_named_is_left_out_by_force_only(vendoring: Run) -> None:
    note = f"note: {VENDORED}: excluded by 'vendored' (--force-exclude)\n"
    assert vendoring("check", VENDORED).code == 1
    assert vendoring("check", "--force-exclude", VENDORED) == Done(0, "No findings in 0 files.\n", note)
    assert vendoring("fix", "--force-exclude", VENDORED) == Done(0, "Nothing to fix.\n", note)
    assert Path(VENDORED).read_text(encoding="utf-8") == FAULTY
    write("pyproject.toml", '[tool.pause_lint]\nexclude = ["vendored"]\nforce-exclude = true\n')
    assert vendoring("fix", VENDORED) == Done(0, "Nothing to fix.\n", note)
    folder = vendoring("check", "vendored/deep")
    assert (folder.code, folder.err) == (0, "note: vendored/deep: excluded by 'vendored' (--force-exclude)\n")
    write("b.py")
    assert vendoring("fix", VENDORED, "b.py").code == 0
    assert Path(VENDORED).read_text(encoding="utf-8") == FAULTY
    assert Path("b.py").read_text(encoding="utf-8") == CLEAN


def test_what_is_excluded_by_force_is_excluded_on_standard_input(vendoring: Run, project: Path) -> None:
    for force, found in (([], 1), (["--force-exclude"], 0)):
        arguments = ("-", *force, "--stdin-filename", VENDORED)
        assert pause_lint("check", *arguments, cwd=project, stdin=FAULTY.encode()).code == found
        done = pause_lint("fix", *arguments, cwd=project, stdin=FAULTY.encode())
        assert (done.code, done.out) == (0, CLEAN if found else FAULTY)


@pytest.mark.parametrize("command, said", [("check", "No findings in 0 files.\n"), ("fix", FAULTY)])
def test_standard_input_that_is_left_out_as_a_test_is_said(project: Path, command: str, said: str) -> None:
    done = pause_lint(command, "-", "--stdin-filename", "tests/a.py", cwd=project, stdin=FAULTY.encode())
    assert (done.code, done.out) == (0, said)
    assert "note: tests/a.py: left out as a test (--include-tests takes it in)\n" in done.err


def test_how_many_files_were_parsed_and_why_not_the_others(run: Run) -> None:
    def read() -> str:
        return run("check", "-v").err.splitlines()[-1]

    write("a.py", "x = 1\n")
    assert read() == "note: 1 file read, 0 parsed: no word of a pair is in it"
    write("b.py", "x = 1\n")
    assert read() == "note: 2 files read, 0 parsed: no word of a pair is in them"
    write("b.py", CLEAN)
    assert read() == "note: 2 files read, 1 parsed: no word of a pair is in the other"
    write("c.py", "x = 1\n")
    assert read() == "note: 3 files read, 1 parsed: no word of a pair is in the others"
    write("a.py", CLEAN)
    write("c.py", CLEAN)
    assert read() == "note: 3 files read, 3 parsed"
    write("c.py", "def pause_generation(:\n")
    assert "note: 3 files read, 2 parsed" in run("check", "-v").err.splitlines()


def test_standard_input(project: Path) -> None:
    done = pause_lint("check", "-", "--output-format", "concise", cwd=project, stdin=FAULTY.encode())
    assert done.code == 1
    assert done.out.startswith("stdin:2:5: PR001 ")
    done = pause_lint("check", "-", "--stdin-filename", "pkg/a.py", cwd=project, stdin=FAULTY.encode())
    assert done.out.startswith("pkg/a.py:2:5: PR001 ")
    assert "2 |     engine.pause_generation()" in done.out
    assert pause_lint("check", "-", "--stdin-filename", "tests/a.py", cwd=project, stdin=FAULTY.encode()).code == 0
    assert pause_lint("check", "-", cwd=project, stdin=b"def f(:\n").code == 2


def test_color(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.py")
    assert "\x1b[" not in run("check").out
    assert "\x1b[" in run("check", "--color", "always").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in run("check").out
    assert "\x1b[" not in run("check", "--color", "never").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run("check").out
    assert "\x1b[" not in run("check", "--output-format", "json", "--color", "always").out


# What cannot be done


@pytest.fixture
def broken(run: Run) -> Run:
    """Beside a faulty file, several that cannot be checked."""
    write("a.py")
    write("syntax.py", "def f(engine):\n    engine.pause_generation(:\n")
    Path("bytes.py").write_bytes(b"x = 1\n# pause_generation \xff\n")
    Path("null.py").write_bytes(b"pause_generation = '\0'\n")
    write("deep.py", "pause_generation = " + "-" * 200_000 + "1\n")
    return run


PROBLEMS = [
    ("bytes.py", 2, "not utf-8 text"),
    ("deep.py", 0, "nested too deeply"),
    ("null.py", 1, "null byte"),
    ("syntax.py", 2, "syntax error"),
]


def test_what_cannot_be_parsed_is_said_and_the_rest_is_reported(broken: Run) -> None:
    done = broken("check", "--output-format", "concise")
    assert done.code == 2
    assert done.out.startswith(HEADLINE)
    assert "and 4 errors" in done.out
    for line, (path, number, message) in zip(done.err.splitlines(), PROBLEMS, strict=True):
        assert line.startswith(f"{path}:{number}: error: " if number else f"{path}: error: ")
        assert message in line


def test_errors_in_json(broken: Run) -> None:
    done = broken("check", "--output-format", "json")
    document = json.loads(done.out)
    assert done.code == 2
    assert [(error["path"], error["line"]) for error in document["errors"]] == [entry[:2] for entry in PROBLEMS]
    assert document["summary"] == {"files": 5, "parsed": 1, "findings": 1, "errors": 4}


def test_a_broken_file_that_is_named_is_an_error_whatever_is_in_it(run: Run) -> None:
    write("a.py", "def f(:\n")
    write("b.py", "x = 1\n")
    assert run("check").code == 0
    done = run("check", "a.py", "b.py")
    assert (done.code, done.err.startswith("a.py:1: error: syntax error")) == (2, True)


@pytest.mark.parametrize("command", ["check", "fix", "baseline"])
def test_a_notebook_that_is_named_is_an_error_that_says_what_to_do(run: Run, command: str) -> None:
    """Its JSON is an expression of Python's, and would pass for a file without faults."""
    notebook = {"cells": [{"cell_type": "code", "source": FAULTY.splitlines(keepends=True)}], "nbformat": 4}
    file = write("pkg/nb.ipynb", json.dumps(notebook, indent=1))
    before = file.read_bytes()
    write("a.py", CLEAN)
    done = run(command, "a.py", "pkg/nb.ipynb")
    assert done.code == 2
    assert done.err.startswith(
        "pkg/nb.ipynb: error: notebooks are not read; convert it first, as in `jupytext --to py`"
    )
    assert file.read_bytes() == before
    # Below a folder it is no Python file, like any other.
    assert run("check", ".") == Done(0, "No findings in 1 file.\n", "")


@pytest.mark.parametrize("command", ["check", "fix"])
def test_a_notebook_on_standard_input_is_an_error_as_well(project: Path, command: str) -> None:
    done = pause_lint(command, "-", "--stdin-filename", "Nb.IPYNB", cwd=project, stdin=b"{}")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Nb.IPYNB: error: notebooks are not read; convert it first")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("check", "missing.py"), "missing.py: error: no such file or folder"),
        (("fix", "missing.py"), "missing.py: error: no such file or folder"),
        (("check", "empty"), "empty: error: no Python files (.py, .pyi) in this folder"),
        (("check", "--colour"), "pause-lint check: error: unrecognized argument: --colour; did you mean '--color'?"),
        (
            ("check", "--output-format", "xml"),
            "pause-lint check: error: argument --output-format: invalid choice: 'xml'",
        ),
        (("chek",), "pause-lint: error: unknown command 'chek'; did you mean 'check'? (known: check, baseline, fix, "),
        (
            ("check", "--select", "PR999"),
            "pause-lint: error: argument --select: unknown rule 'PR999' (known: PR001, ",
        ),
        (
            ("check", "--preset", "vlm"),
            "pause-lint: error: argument --preset: unknown preset 'vlm'; did you mean 'vllm'?",
        ),
        (("check", "--pair", "drain"), "pause-lint: error: argument --pair: 'drain' is not of the form PAUSE:RESUME"),
        (("check", "--config", "no.toml"), "no.toml: error: no such file"),
        (("check", "--project-root", "no"), "pause-lint: error: argument --project-root: no such folder: no"),
        (("check", "-", "a.py"), "pause-lint: error: `-` stands alone"),
        (("rule", "PR01"), "pause-lint: error: unknown rule 'PR01'; did you mean 'PR001'?"),
        (
            ("fix", "--diff", "--output-format", "json"),
            "pause-lint fix: error: --diff and --output-format json exclude",
        ),
    ],
)
def test_mistakes(run: Run, arguments: tuple[str, ...], message: str) -> None:
    Path("empty").mkdir()
    done = run(*arguments)
    assert done.code == 2
    assert done.err.startswith(message)


@pytest.mark.parametrize(
    "arguments, said, look",
    [
        (("check", "--fix"), " check: error: unrecognized argument: --fix", "check"),
        (("check", "--path", "a.py"), " check: error: unrecognized argument: --path", "check"),
        (("check", "--command"), " check: error: unrecognized argument: --command", "check"),
        (("check", "--unsafe-fixes"), " check: error: unrecognized argument: --unsafe-fixes", "check"),
        (
            ("check", "--basline=x"),
            " check: error: unrecognized argument: --basline=x; did you mean '--baseline'?",
            "check",
        ),
        (("fix", "--dif"), " fix: error: unrecognized argument: --dif; did you mean '--diff'?", "fix"),
        (("fix", "--preset"), " fix: error: argument --preset: expected one argument", "fix"),
        (("rule", "PR001", "PR002"), " rule: error: unrecognized argument: PR002", "rule"),
        (("src/",), " check: error: no command before 'src/'; did you mean `pause-lint check src/`?", "check"),
        (("src",), " check: error: no command before 'src'; did you mean `pause-lint check src`?", "check"),
        (("no/way",), " check: error: no command before 'no/way'; did you mean `pause-lint check no/way`?", "check"),
        (
            ("a b.py", "--preset", "vllm"),
            " check: error: no command before 'a b.py'; did you mean `pause-lint check 'a b.py' --preset vllm`?",
            "check",
        ),
        (("basline",), ": error: unknown command 'basline'; did you mean 'baseline'? (known: ", ""),
        (("rules",), ": error: unknown command 'rules'; did you mean 'rule'? (known: ", ""),
        (("scan",), ": error: unknown command 'scan' (known: check, baseline, fix, rule, lsp, run)", ""),
        (("--verison",), ": error: unrecognized argument: --verison; did you mean '--version'?", ""),
    ],
)
def test_what_was_meant_is_suggested_if_it_is_close_and_where_to_look(
    run: Run, arguments: tuple[str, ...], said: str, look: str
) -> None:
    write("src/a.py")
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    [first, last] = done.err.splitlines()
    assert first.startswith(f"pause-lint{said}")
    assert ("did you mean" in first) == ("did you mean" in said)
    assert last == f"Try `{' '.join(filter(None, ['pause-lint', look, '--help']))}`."


def test_a_mistake_in_the_configuration(run: Run) -> None:
    write("a.py")
    write("pyproject.toml", '[tool.pause_lint]\nselect = ["PR001"]\npreset = ["vllm"]\n')
    done = run("check")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("pyproject.toml:3: error: unknown key 'preset'; did you mean 'presets'?")


def test_without_a_command(run: Run) -> None:
    done = run()
    assert done.code == 2
    assert done.out.startswith("usage: pause-lint")
    assert run("--version") == Done(0, "pause-lint 0.1.0\n", "")


def test_an_unreadable_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.py")
    write("closed.py")

    def refuse(location: str) -> bytes:
        if location.endswith("closed.py"):
            raise PermissionError(13, "Permission denied", location)
        return read(location)

    monkeypatch.setattr(sources, "read", refuse)
    done = run("check", "--output-format", "concise")
    assert done.code == 2
    assert done.out.startswith(HEADLINE)
    assert done.err == (
        "closed.py: error: cannot be read: Permission denied: make it readable (`chmod u+r`), or exclude it\n"
    )


def test_a_file_that_goes_away_during_the_run_is_no_harm(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.py")
    write("gone.py")

    def remove_first(location: str) -> bytes:
        if location.endswith("gone.py"):
            os.unlink(location)
        return read(location)

    monkeypatch.setattr(sources, "read", remove_first)
    done = run("check", "-v", "--output-format", "concise")
    assert done.code == 1
    assert "note: gone.py: went away before it was read\n" in done.err
    write("gone.py")
    assert run("check", "gone.py").code == 2


def test_a_fault_of_ours_in_one_file_is_said_and_the_rest_is_reported(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.py")
    write("odd.py", "pause_generation = 1\n")
    real = program.analyse

    def analyse(modules: object, options: object, *others: object) -> object:
        if any(module.path == "odd.py" for module in modules):  # type: ignore[attr-defined]
            raise KeyError("odd")
        return real(modules, options)  # type: ignore[arg-type]

    monkeypatch.setattr(program, "analyse", analyse)
    done = run("check", "--output-format", "concise")
    assert done.code == 2
    assert done.out.startswith(HEADLINE)
    assert done.err.startswith("odd.py: error: internal error: KeyError: 'odd' (at tests.test_cli:")
    assert done.err.endswith("); please report it\n")


def test_a_reader_that_has_seen_enough(project: Path) -> None:
    write("a.py", "\n\n".join([FAULTY] * 2000))
    process = subprocess.Popen(
        [sys.executable, "-m", "pause_lint", "check"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=project
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 1


def test_an_interrupt(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*given: object) -> object:
        raise KeyboardInterrupt

    write("a.py")
    monkeypatch.setattr(program, "analyse", interrupt)
    assert run("check").code == 130


def test_what_the_terminal_cannot_show(project: Path) -> None:
    write("a.py", FAULTY.replace("path", "größe"))
    done = subprocess.run(
        [sys.executable, "-m", "pause_lint", "check"],
        cwd=project,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )
    assert done.returncode == 1
    assert done.stderr == b""


# fix


def test_fix(run: Run) -> None:
    file = write("a.py")
    write("clean.py", CLEAN)
    done = run("fix")
    assert done.code == 0
    assert done.err == ""
    first, last = done.out.splitlines()
    assert first.startswith(HEADLINE)
    assert first.endswith("[fixed]")
    assert last == "Fixed 1 finding in 1 file."
    assert file.read_text(encoding="utf-8") == CLEAN
    assert run("check").code == 0
    assert run("fix") == Done(0, "Nothing to fix.\n", "")


def test_a_diff_can_be_applied(run: Run, project: Path) -> None:
    """Line endings, encoding and a missing last newline included; nothing is written."""
    text = "# coding: latin-1\n" + FAULTY.replace("path", "größe").replace("\n", "\r\n").removesuffix("\r\n")
    file = Path("some where.py")
    before = text.encode("latin-1")
    file.write_bytes(before)
    done = pause_lint_bytes("fix", "--diff", cwd=project)
    assert done.returncode == 1
    assert done.stdout.startswith(b"--- a/some where.py\t\n+++ b/some where.py\t\n@@ ")
    assert b"\\ No newline at end of file\n" in done.stdout
    assert b"gr\xf6\xdfe" in done.stdout
    assert done.stderr == b"Would fix 1 finding in 1 file.\n"
    assert file.read_bytes() == before
    subprocess.run(["git", "apply", "-p1", "-"], input=done.stdout, cwd=project, check=True)
    applied = file.read_bytes()
    file.write_bytes(before)
    assert run("fix").code == 0
    assert file.read_bytes() == applied != before


def pause_lint_bytes(*arguments: str, cwd: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "pause_lint", *arguments], input=stdin, cwd=cwd, capture_output=True, check=False
    )


def test_fixing_standard_input(project: Path) -> None:
    done = pause_lint_bytes("fix", "-", cwd=project, stdin=FAULTY.encode())
    assert (done.returncode, done.stdout) == (0, CLEAN.encode())
    assert done.stderr.endswith(b"Fixed 1 finding in 1 file.\n")
    done = pause_lint_bytes("fix", "-", "--diff", "--stdin-filename", "a.py", cwd=project, stdin=FAULTY.encode())
    assert done.returncode == 1
    assert done.stdout.startswith(b"--- a/a.py\n+++ b/a.py\n")
    done = pause_lint_bytes("fix", "-", cwd=project, stdin=CLEAN.encode())
    assert (done.returncode, done.stdout) == (0, CLEAN.encode())


def test_what_has_no_fix_stays_and_is_said(run: Run) -> None:
    file = write("a.py", "x = 1  # noqa: PR001\n")
    done = run("fix", "--output-format", "concise")
    assert done.code == 1
    assert done.out.splitlines()[0].startswith("a.py:1:16: PR900 ")
    assert done.out.splitlines()[1] == "  not fixed: delete or correct the comment"
    assert done.out.splitlines()[2] == "Fixed 0 findings in 0 files, 1 not fixed."
    assert file.read_text(encoding="utf-8") == "x = 1  # noqa: PR001\n"


def test_fix_in_json_reports_what_is_left(run: Run) -> None:
    write("a.py", FAULTY + "\n\nx = 1  # noqa: PR001\n")
    done = run("fix", "--output-format", "json")
    assert [finding["code"] for finding in json.loads(done.out)["findings"]] == ["PR900"]
    assert done.code == 1


def test_fix_beside_what_cannot_be_parsed(broken: Run) -> None:
    done = broken("fix")
    assert done.code == 2
    assert "Fixed 1 finding in 1 file." in done.out
    assert Path("a.py").read_text(encoding="utf-8") == CLEAN


def test_fix_without_libcst(project: Path) -> None:
    """`check` does not need it; `fix` says so when there is something to fix."""
    write("a.py")
    hidden = "import sys; sys.modules['libcst'] = None; from pause_lint.cli import main; sys.exit(main(sys.argv[1:]))"
    for arguments, code, message in [
        (["check", "-q"], 1, b""),
        (["fix"], 2, b"pause-lint fix: error: fixing needs LibCST, which is not installed"),
    ]:
        done = subprocess.run([sys.executable, "-c", hidden, *arguments], cwd=project, capture_output=True, check=False)
        assert done.returncode == code
        assert done.stderr.startswith(message)
        assert done.stderr.count(b"\n") == (1 if message else 0)


def test_what_is_fixed_is_shown_where_it_stood(run: Run) -> None:
    write("a.py", "\n\n".join(FAULTY.replace("reload", f"reload_{number}") for number in range(3)))
    done = run("fix", "--output-format", "concise")
    assert [line.split(" ")[0] for line in done.out.splitlines()[:-1]] == ["a.py:2:5:", "a.py:8:5:", "a.py:14:5:"]
    assert done.out.splitlines()[-1] == "Fixed 3 findings in 1 file."


def test_rules_without_a_fix_are_left_and_said(run: Run) -> None:
    """Beside others that are fixed, and at the line where they now stand."""
    swallowed = CLEAN.replace("reload", "again").replace(
        "        engine.continue", "        with suppress(Exception):\n            engine.continue"
    )
    write("a.py", f"from contextlib import suppress\n\n\n{FAULTY}\n\n{swallowed}")
    done = run("fix", "--extend-select", "PR005", "--output-format", "concise")
    assert done.code == 1
    fixed, left, reason, last = done.out.splitlines()
    assert fixed.startswith("a.py:5:5: PR001 ")
    assert left.startswith("a.py:18:13: PR005 ")
    assert reason == "  not fixed: there is no fix for PR005; see `pause-lint rule PR005`"
    assert last == "Fixed 1 finding in 1 file, 1 not fixed."
