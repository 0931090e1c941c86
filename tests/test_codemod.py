"""The LibCST codemod, run by LibCST's own tool: the same change as `pause-lint fix`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.helpers.commands import Done, pause_lint, run

COMMAND = "pause_lint.codemod.FixPauses"
FAULTY = """\
def reload(engine, path):
    engine.pause_generation()  # now
    engine.load(path)
    engine.continue_generation()
"""


def codemod(*arguments: str, cwd: Path, stdin: bytes | None = None) -> Done:
    tool = (sys.executable, "-m", "libcst.tool", "codemod", "-x", "--no-format")
    return run(*tool, COMMAND, *arguments, cwd=cwd, stdin=stdin)


FILES = {
    "a.py": FAULTY.encode(),
    "pkg/b.py": FAULTY.replace("\n", "\r\n").encode(),
    "pkg/c.py": f"# coding: latin-1\n{FAULTY.replace('path', 'größe')}".encode("latin-1"),
    "pkg/d.py": FAULTY.removesuffix("\n").encode(),
    "pkg/clean.py": b"x = 1\n",
    "pkg/hidden.py": FAULTY.replace("# now", "# noqa: PR001").encode(),
    "tests/e.py": FAULTY.encode(),
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").touch()
    for name, data in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


def test_the_same_change_as_fix(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("fixed") / "project"
    shutil.copytree(project, other)
    assert pause_lint("fix", cwd=other).code == 0
    done = codemod(".", cwd=project)
    assert done.code == 0, done.err
    assert contents(project) == contents(other)
    changed = {name for name, data in contents(project).items() if data != FILES[name]}
    assert changed == {"a.py", "pkg/b.py", "pkg/c.py", "pkg/d.py"}


def test_from_standard_input(project: Path) -> None:
    done = codemod("-", cwd=project, stdin=FAULTY.encode())
    assert done.code == 0, done.err
    pause_lint("fix", "a.py", cwd=project)
    assert done.out.strip() == (project / "a.py").read_text(encoding="utf-8").strip()


def test_found_through_a_configuration_of_libcst(project: Path) -> None:
    (project / ".libcst.codemod.yaml").write_text("modules: ['pause_lint']\nformatter: []\n", encoding="utf-8")
    done = run(sys.executable, "-m", "libcst.tool", "codemod", "--no-format", "codemod.FixPauses", "a.py", cwd=project)
    assert done.code == 0, done.err
    assert b"finally" in (project / "a.py").read_bytes()


def test_options(project: Path) -> None:
    file = project / "a.py"
    text = FAULTY.replace("pause_generation", "drain").replace("continue_generation", "undrain")
    file.write_text(text, encoding="utf-8")
    assert codemod("a.py", cwd=project).code == 0
    assert file.read_text(encoding="utf-8") == text
    assert codemod("--pair", "drain:undrain", "a.py", cwd=project).code == 0
    assert "finally" in file.read_text(encoding="utf-8")


def test_what_is_not_fixed_is_warned_of(project: Path) -> None:
    (project / "a.py").write_text("x = 1  # noqa: PR001\n", encoding="utf-8")
    done = codemod("a.py", cwd=project)
    assert "a.py:1:16: PR900" in done.err
    assert "not fixed: delete or correct the comment" in done.err


def test_a_mistake_in_an_option(project: Path) -> None:
    done = codemod("--preset", "vlm", "a.py", cwd=project)
    assert done.code == 1
    assert "unknown preset 'vlm'" in done.err
