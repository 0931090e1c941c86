"""Pythons that are too old: `apply.py` says which one it needs, and under the overlay a program runs as without it."""

from __future__ import annotations

import ast
import os
import sys

import pytest

from tests.helpers.commands import PROJECT, run
from tests.helpers.interpreters import interpreter
from tests.patches.test_overlay import NOTHING
from tests.patches.toy import Toy

OLD = ["2.7", "3.6", "3.8", "3.9", "3.10"]
READ_BY_ANY = ["patches/apply.py", "patches/overlay/sitecustomize.py"]


def pretending(version: tuple[int, ...], program: str) -> list[str]:
    """The arguments with which this Python says that it is another one, and then does something."""
    return ["-c", f"import runpy, sys\nsys.version_info = {(*version, 'final', 0)!r}\n{program}"]


@pytest.mark.parametrize("version", OLD)
def test_apply_says_what_it_needs(version: str, toy: Toy) -> None:
    done = run(interpreter(version), toy.folder / "patches/apply.py", toy.package, cwd=toy.folder)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"apply.py: error: Python 3.11 or later is needed, and this is {version} (")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("version", OLD)
def test_under_the_overlay_a_program_runs_as_before(version: str, toy: Toy) -> None:
    theirs = toy.folder / "theirs"
    theirs.mkdir()
    (theirs / "sitecustomize.py").write_text("import sys\nsys.theirs = 1\n", encoding="utf-8")
    path = os.pathsep.join([str(toy.folder / "patches/overlay"), str(theirs)])
    program = "import sys, probe; sys.stdout.write('%s %s' % (sys.theirs, probe.is_left_paused()))"
    done = run(interpreter(version), "-c", program, cwd=toy.folder, env={"PYTHONPATH": path})
    assert (done.code, done.out) == (0, "1 True")
    assert done.err == f"{NOTHING}Python 3.11 or later is needed, and this is {version}\n"
    off = {"PYTHONPATH": path, "PAUSE_LINT_PATCH": "0"}
    assert run(interpreter(version), "-c", program, cwd=toy.folder, env=off).err == ""


@pytest.mark.parametrize("name", READ_BY_ANY)
def test_any_python_can_read_what_it_starts_with(name: str) -> None:
    data = (PROJECT / name).read_bytes()
    assert data.isascii()
    ast.parse(data, feature_version=(3, 4))


def test_where_there_is_no_old_python(toy: Toy) -> None:
    """The version is asked for before anything is imported."""
    apply = toy.folder / "patches/apply.py"
    program = f"sys.modules['pathlib'] = None\nrunpy.run_path({str(apply)!r}, run_name='__main__')"
    done = run(sys.executable, *pretending((3, 10, 4), program), cwd=toy.folder)
    assert (done.code, done.err.partition(" (")[0]) == (
        2,
        "apply.py: error: Python 3.11 or later is needed, and this is 3.10",
    )
    overlay = toy.folder / "patches/overlay"
    program = f"sys.path.insert(0, {str(overlay)!r})\nimport sitecustomize, probe\nprint(probe.is_left_paused())"
    done = run(sys.executable, "-S", *pretending((3, 10, 4), program), cwd=toy.folder)
    assert (done.out, done.err) == ("True\n", f"{NOTHING}Python 3.11 or later is needed, and this is 3.10\n")


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_each_python_that_is_new_enough(version: str, toy: Toy) -> None:
    """They share a cache, and none takes the code of another."""
    python, cache = interpreter(version), toy.cache
    for _ in range(2):
        assert toy.python("probe.py").out == "False\n"
        env = {
            "PYTHONPATH": str(toy.folder / "patches/overlay"),
            "PAUSE_LINT_CACHE": str(cache),
            "PYTHONDONTWRITEBYTECODE": "",
        }
        assert run(python, "probe.py", cwd=toy.folder, env=env).out == "False\n"
    ours = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert len(list(cache.rglob("*.code"))) == len({ours, version})
    done = run(python, toy.folder / "patches/apply.py", toy.package, cwd=toy.folder)
    assert done.code == 0, done.err
    assert (toy.package / "engine.py").read_text(encoding="utf-8").count("finally:") == 1
