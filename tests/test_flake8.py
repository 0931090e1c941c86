"""The flake8 plugin, run by flake8 itself: the same findings at the same places as `check`."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from pause_lint.analysis import program
from pause_lint.flake8_plugin import Checker
from tests.helpers.commands import flake8, pause_lint

FAULTY = """\
def reload(engine, path):
    engine.pause_generation()
    engine.load(path)
    engine.continue_generation()
"""
SWALLOWED = """\
def reload(engine):
    engine.pause_generation()
    try:
        engine.load()
    finally:
        try:
            engine.continue_generation()
        except Exception:
            pass
"""
HEAD = re.compile(r"(?:\./)?(.+?):(\d+):(\d+): (PR\d+) (.*)")


def places(out: str) -> set[tuple[str, ...]]:
    """Path, line, column, code and message of each of our findings."""
    return {match.groups() for line in out.splitlines() if (match := HEAD.fullmatch(line))}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Several files, with tests, other encodings and line endings among them."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "a.py").write_text(FAULTY, encoding="utf-8")
    (tmp_path / "b.py").write_text(
        f"x = '日本'\n\n\n{FAULTY.replace('engine.pause', 'é = 1; engine.pause')}", encoding="utf-8"
    )
    (tmp_path / "crlf.py").write_bytes(b"\xef\xbb\xbf" + FAULTY.replace("\n", "\r\n").encode())
    (tmp_path / "latin.py").write_bytes(f"# coding: latin-1\n{FAULTY.replace('path', 'größe')}".encode("latin-1"))
    (tmp_path / "hidden.py").write_text(FAULTY.replace("()", "()  # noqa: PR001", 1), encoding="utf-8")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "c.py").write_text(FAULTY, encoding="utf-8")
    return tmp_path


def test_the_same_places_as_check(project: Path) -> None:
    checked = pause_lint("check", "--output-format", "concise", cwd=project)
    expected = places(checked.out)
    assert {place[0] for place in expected} == {"a.py", "b.py", "crlf.py", "latin.py"}
    for arguments in (["-j", "1"], ["-j", "2"]):
        done = flake8("--select", "PR", *arguments, ".", cwd=project)
        assert (done.code, done.err) == (1, "")
        assert places(done.out) == expected


def test_on_a_released_trainer(areal: Path) -> None:
    expected = places(pause_lint("check", "areal", "--output-format", "concise", cwd=areal).out)
    assert len(expected) == 11
    config = areal.parent / "extend.cfg"
    config.write_text("[flake8]\nextend-select = PR\nextend-ignore = C,E,F,W\n", encoding="utf-8")
    assert places(flake8("--select", "PR001", "-j", "2", "areal", cwd=areal).out) == expected
    # flake8's own checks take their time: here only the files with findings, and one without.
    files = sorted({place[0] for place in expected})
    assert places(flake8("--config", config, *files, "areal/__init__.py", cwd=areal).out) == expected


def test_standard_input(project: Path) -> None:
    done = flake8("--select", "PR001", "-", cwd=project, stdin=FAULTY.encode())
    assert {place[:3] for place in places(done.out)} == {("stdin", "2", "5")}
    done = flake8("--select", "PR001", "--stdin-display-name", "pkg/d.py", "-", cwd=project, stdin=FAULTY.encode())
    assert {place[:3] for place in places(done.out)} == {("pkg/d.py", "2", "5")}
    done = flake8("--select", "PR001", "--stdin-display-name", "tests/d.py", "-", cwd=project, stdin=FAULTY.encode())
    assert places(done.out) == set()


def test_on_without_being_selected(project: Path) -> None:
    assert {place[3] for place in places(flake8("a.py", cwd=project).out)} == {"PR001"}


def test_pairs_and_presets(project: Path) -> None:
    text = FAULTY.replace("pause_generation", "drain").replace("continue_generation", "undrain")
    (project / "a.py").write_text(text, encoding="utf-8")
    (project / "b.py").write_text(text.replace("undrain", "wake_up").replace("drain", "sleep"), encoding="utf-8")
    assert places(flake8("a.py", "b.py", cwd=project).out) == set()
    done = flake8(
        "--pause-lint-pairs", "drain:undo,undrain", "--pause-lint-presets", "vllm", "a.py", "b.py", cwd=project
    )
    assert {place[0] for place in places(done.out)} == {"a.py", "b.py"}
    config = project / "flake8.cfg"
    config.write_text(
        "[flake8]\npause-lint-pairs = drain:undo, undrain\npause_lint_presets = vllm\npause-lint-no-project = true\n",
        encoding="utf-8",
    )
    assert places(flake8("--config", config, "a.py", "b.py", cwd=project).out) == places(done.out)


def test_configuration_of_the_project_counts(project: Path) -> None:
    (project / "a.py").write_text(FAULTY.replace("pause_generation", "drain"), encoding="utf-8")
    (project / "pyproject.toml").write_text(
        '[tool.pause_lint]\npairs = ["drain:continue_generation"]\ninclude-tests = true\n', encoding="utf-8"
    )
    expected = places(pause_lint("check", "--output-format", "concise", cwd=project).out)
    assert {"a.py", "tests/c.py"} <= {place[0] for place in expected}
    assert places(flake8("--select", "PR", cwd=project).out) == expected


def test_what_is_excluded_by_force_is_left_out(project: Path) -> None:
    """Though flake8 names every file."""
    for more, names in (("", {"a.py", "b.py"}), ("force-exclude = true\n", {"b.py"})):
        (project / "pyproject.toml").write_text(f'[tool.pause_lint]\nexclude = ["a.py"]\n{more}', encoding="utf-8")
        assert {place[0] for place in places(flake8("--select", "PR", "a.py", "b.py", cwd=project).out)} == names


def test_rules_that_are_opt_in_are_asked_for_by_their_code(project: Path) -> None:
    file = project / "swallowed.py"
    file.write_text(SWALLOWED, encoding="utf-8")
    assert pause_lint("check", "swallowed.py", cwd=project).code == 0
    assert places(flake8("--extend-select", "PR", "swallowed.py", cwd=project).out) == set()
    expected = places(
        pause_lint("check", "--extend-select", "PR005", "--output-format", "concise", "swallowed.py", cwd=project).out
    )
    assert {place[3] for place in expected} == {"PR005"}
    assert places(flake8("--extend-select", "PR005", "swallowed.py", cwd=project).out) == expected
    (project / "pyproject.toml").write_text('[tool.pause_lint]\nextend-select = ["PR005"]\n', encoding="utf-8")
    assert places(flake8("swallowed.py", cwd=project).out) == expected


def test_useless_comments_are_for_the_command_line_tool(project: Path) -> None:
    (project / "a.py").write_text("x = 1  # noqa: PR001\n", encoding="utf-8")
    assert pause_lint("check", "a.py", cwd=project).code == 1
    assert flake8("--extend-select", "PR900", "a.py", cwd=project).code == 0


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("--pause-lint-pairs", "drain"), "pause-lint: 'drain' is not of the form PAUSE:RESUME[,RESUME]"),
        (("--pause-lint-presets", "vlm"), "pause-lint: unknown preset 'vlm'; did you mean 'vllm'?"),
        (("--pause-lint-project-root", "no/where"), "argument --pause-lint-project-root: no such folder: "),
    ],
)
def test_a_wrong_option_is_said(project: Path, arguments: tuple[str, str], message: str) -> None:
    done = flake8(*arguments, "a.py", cwd=project)
    assert done.code == 2
    assert message in done.err


def test_a_mistake_in_the_configuration_of_the_project_is_said(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.pause_lint]\npreset = []\n", encoding="utf-8")
    done = flake8("a.py", cwd=project)
    assert done.code == 2
    assert "pyproject.toml:2: error: unknown key 'preset'" in done.err


def test_a_crash_of_ours_does_not_end_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is said on standard error, where flake8's report is not."""
    monkeypatch.chdir(tmp_path)

    def crash(*given: object) -> object:
        raise KeyError("odd")

    monkeypatch.setattr(program, "analyse", crash)
    lines = FAULTY.splitlines(keepends=True)
    assert list(Checker(ast.parse(FAULTY), "a.py", lines).run()) == []
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("pause-lint: a.py: internal error: KeyError: 'odd'")
    # Not even a tree that no analysis could expect.
    assert list(Checker(None, "a.py", lines).run()) == []  # type: ignore[arg-type]


def test_what_flake8_is_given() -> None:
    lines = FAULTY.splitlines(keepends=True)
    ((line, column, text, origin),) = Checker(ast.parse(FAULTY), "stdin", lines).run()
    assert (line, column, origin) == (2, 4, Checker)
    assert text.startswith("PR001 generation paused by engine.pause_generation()")
    assert (Checker.name, Checker.version) == ("pause-lint", "0.1.0")
