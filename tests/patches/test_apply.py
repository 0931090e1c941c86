"""`apply.py`: a known package is patched, shown and put back; an unknown one is named and left alone."""

from __future__ import annotations

import hashlib
import py_compile
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.commands import PROJECT, Done, pause_lint, run
from tests.patches.toy import ENGINE, Toy


def snapshot(folder: Path) -> dict[str, str]:
    """The hash of every file, by its path."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_a_known_package(toy: Toy) -> None:
    before = snapshot(toy.package)
    done = toy.apply()
    assert done.code == 0
    assert f"{toy.package} is a toy\n" in done.err
    assert "engine.py:20: Updater.update hangs after an update in which anything between" in done.err
    assert toy.python("probe.py", overlay=False).out == "False\n"
    assert pause_lint("check", "toyrl", cwd=toy.folder).code == 0
    patched = snapshot(toy.package)
    assert {path for path in before if before[path] != patched[path]} == {"engine.py"}

    again = toy.apply()
    assert (again.code, snapshot(toy.package)) == (0, patched)
    assert again.err == f"{toy.package} is a toy, patched\n"

    back = toy.apply("--revert")
    assert (back.code, back.err) == (0, "put back engine.py\n")
    assert snapshot(toy.package) == before
    assert not (toy.folder / "toyrl.pause_lint").exists()


def test_the_folder_that_holds_it_will_do(toy: Toy) -> None:
    assert run(sys.executable, "patches/apply.py", ".", cwd=toy.folder).code == 0
    assert toy.python("probe.py", overlay=False).out == "False\n"


@pytest.mark.parametrize("option", ["--check", "--diff"])
def test_what_changes_nothing(option: str, toy: Toy) -> None:
    before = snapshot(toy.folder)
    done = toy.apply(option)
    assert done.code == {"--check": 1, "--diff": 0}[option]
    assert snapshot(toy.folder) == before


def test_the_diff_is_a_patch(toy: Toy) -> None:
    diff = toy.apply("--diff").out
    subprocess.run(["git", "init", "-q"], cwd=toy.folder, check=True)
    subprocess.run(["git", "apply", "-"], cwd=toy.folder, check=True, input=diff.encode())
    assert toy.apply("--check").err == f"{toy.package} is a toy, patched\n"


@pytest.mark.parametrize(
    "text",
    [
        ENGINE.replace("\n", "\r\n"),
        ENGINE.rstrip("\n"),
        f"# -*- coding: latin-1 -*-\n# \xe9\x0c\n{ENGINE}",
    ],
    ids=["CRLF", "no last newline", "another encoding"],
)
def test_the_diff_keeps_every_byte(text: str, toy: Toy) -> None:
    (toy.package / "engine.py").write_bytes(text.encode("latin-1"))
    diff = subprocess.run(
        [sys.executable, toy.folder / "patches/apply.py", toy.package, "--unknown", "--diff"],
        check=True,
        capture_output=True,
    ).stdout
    assert toy.apply("--unknown").code == 0
    patched = snapshot(toy.package)
    assert toy.apply("--revert").code == 0
    subprocess.run(["git", "init", "-q"], cwd=toy.folder, check=True)
    subprocess.run(["git", "apply", "-"], cwd=toy.folder, check=True, input=diff)
    assert snapshot(toy.package) == patched


def test_bytecode_that_is_never_compared_is_named(toy: Toy) -> None:
    """Python would go on with what the file was: patched on disk, and not in force."""
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    bytecode = py_compile.compile(str(toy.package / "engine.py"), invalidation_mode=mode)
    assert bytecode is not None
    for _ in range(2):
        done = toy.apply()
        assert done.code == 1
        assert f"not in force: Python loads {bytecode} without comparing it with its source: remove it" in done.err
        assert toy.python("probe.py", overlay=False).out == "True\n"
    Path(bytecode).unlink()
    assert toy.apply().code == 0
    assert toy.python("probe.py", overlay=False).out == "False\n"


def test_the_overlay_leaves_a_patched_package_as_it_is(toy: Toy) -> None:
    toy.apply()
    done = toy.python("probe.py")
    assert (done.out, done.err) == ("False\n", "")


def test_no_manifest_is_made_of_a_package_without_a_fault(toy: Toy) -> None:
    toy.apply()
    before = snapshot(toy.folder / "patches")
    made = run(sys.executable, "-m", "patches.make", "2.0", "toyrl", "--origin", "a toy", cwd=toy.folder)
    assert (made.code, made.err) == (1, f"there is nothing to patch in {toy.package}\n")
    assert snapshot(toy.folder / "patches") == before


def test_a_local_edit_makes_it_unknown(toy: Toy) -> None:
    engine = toy.package / "engine.py"
    engine.write_text(f"{ENGINE}# ours\n", encoding="utf-8")
    before = snapshot(toy.package)
    done = toy.apply()
    assert done.code == 2
    assert "is of no known version" in done.err
    assert "`--unknown` lets pause-lint fix it" in done.err
    assert snapshot(toy.package) == before

    asked = toy.apply("--unknown")
    assert asked.code == 0
    assert engine.read_text(encoding="utf-8").endswith("# ours\n")
    assert toy.python("probe.py", overlay=False).out == "False\n"
    assert toy.apply("--revert").code == 0
    assert snapshot(toy.package) == before


@pytest.mark.parametrize(
    "prepare, message",
    [
        ("revert", "nothing was patched in"),
        ("nowhere", "is no folder of toyrl, nor does it hold one"),
    ],
)
def test_what_cannot_be_done(prepare: str, message: str, toy: Toy) -> None:
    folder = toy.folder / "patches" if prepare == "nowhere" else toy.package
    option = ["--revert"] if prepare == "revert" else []
    before = snapshot(toy.folder)
    done = run(sys.executable, toy.folder / "patches/apply.py", folder, *option, cwd=toy.folder)
    assert done.code == 2
    assert message in done.err
    assert snapshot(toy.folder) == before


def test_a_manifest_that_is_off_writes_nothing(toy: Toy) -> None:
    manifest = toy.folder / "patches/toyrl/1.0.toml"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace("try:", "if True:"), encoding="utf-8")
    before = snapshot(toy.package)
    done = toy.apply()
    assert (done.code, done.err.splitlines()[-1]) == (
        2,
        "not patched: engine.py: the result of the edits is not what the manifest says",
    )
    assert snapshot(toy.package) == before


def test_the_released_trainer(areal: Path, areal_fixed: Path, tmp_path: Path) -> None:
    """Known by its files; the result is, byte for byte, that of `pause-lint fix`. Without anything but Python."""
    shutil.copytree(areal / "areal", tmp_path / "areal")
    before = snapshot(tmp_path / "areal")

    def apply(*arguments: str) -> Done:
        return run(sys.executable, "-I", "-S", PROJECT / "patches/apply.py", "areal", *arguments, cwd=tmp_path)

    done = apply()
    assert done.code == 0, done.err
    assert "areal 1.0.4 on PyPI" in done.err
    assert "not concerned: the LoRA disk path" in done.err
    assert snapshot(tmp_path / "areal") == snapshot(areal_fixed / "areal")
    assert apply().code == 0
    assert snapshot(tmp_path / "areal") == snapshot(areal_fixed / "areal")
    assert apply("--revert").code == 0
    assert snapshot(tmp_path / "areal") == before
