"""The overlay's cache: only what is whole and fits is loaded; and where it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pause_lint_overlay import cache
from tests.helpers.commands import run
from tests.patches.toy import LOGGED, Toy


@pytest.fixture
def entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str, Path]:
    """Names an entry that was written."""
    monkeypatch.setenv("PAUSE_LINT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    manifest = tmp_path / "1.0.toml"
    manifest.write_text("version = '1.0'\n", encoding="utf-8")
    named = ("engine.py", "0" * 64, manifest)
    cache.write(*named, b"LIMIT = 1\n", ["f"])
    return named


def test_what_was_written_is_read(entry: tuple[str, str, Path]) -> None:
    kept = cache.read(*entry)
    assert kept is not None
    assert (kept.source, kept.functions) == (b"LIMIT = 1\n", ("f",))
    found: dict[str, object] = {}
    exec(kept.code, found)
    assert found["LIMIT"] == 1


@pytest.mark.parametrize("name", ["*.code", "engine.py"])
def test_a_bit_that_flipped_is_noticed_wherever_it_is(name: str, entry: tuple[str, str, Path], tmp_path: Path) -> None:
    (file,) = (tmp_path / "cache").rglob(name)
    data = file.read_bytes()
    for place in range(len(data)):
        file.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        assert cache.read(*entry) is None, place
    file.write_bytes(data)
    assert cache.read(*entry) is not None


def test_code_of_another_place_or_another_level_is_not_taken(
    entry: tuple[str, str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tracebacks name the file that the code was compiled from, and `-O` leaves out assertions."""
    (file,) = (tmp_path / "cache").rglob("*.code")
    file.with_name(f"{sys.implementation.cache_tag}-9.code").write_bytes(file.read_bytes())
    (tmp_path / "cache").rename(tmp_path / "moved")
    monkeypatch.setenv("PAUSE_LINT_CACHE", str(tmp_path / "moved"))
    assert cache.read(*entry) is None


def test_where_python_is_to_write_no_bytecode_none_is_kept(toy: Toy) -> None:
    for _ in range(2):
        done = toy.python("-B", "probe.py")
        assert (done.out, done.err) == ("False\n", LOGGED)
    assert [path.name for path in toy.cache.rglob("*") if path.is_file()] == ["engine.py"]


@pytest.mark.parametrize(
    "env", [{}, {"HOME": "here"}, {"XDG_CACHE_HOME": "here"}], ids=["no home", "relative home", "relative cache"]
)
def test_it_is_never_in_the_current_folder_by_accident(env: dict[str, str], toy: Toy) -> None:
    """A user without a home, or with one that is no absolute path, has no cache."""
    before = {path for path in toy.folder.rglob("*") if "__pycache__" not in path.parts}
    program = f"""\
import os, pwd

def unknown(user):
    raise KeyError(user)

pwd.getpwuid = unknown
for name in ("HOME", "XDG_CACHE_HOME", "PAUSE_LINT_CACHE"):
    os.environ.pop(name, None)
os.environ.update({env!r})
import probe
print(probe.is_left_paused())
"""
    path = {"PYTHONPATH": str(toy.folder / "patches/overlay")}
    done = run(sys.executable, "-c", program, cwd=toy.folder, env=path)
    assert (done.out, done.err) == ("False\n", LOGGED)
    assert {path for path in toy.folder.rglob("*") if "__pycache__" not in path.parts} == before


def test_many_processes_with_an_empty_cache(toy: Toy) -> None:
    program = "import sys; sys.stdin.read(); import probe; print(probe.is_left_paused())"
    env = {"PYTHONPATH": str(toy.folder / "patches/overlay"), "PAUSE_LINT_CACHE": str(toy.cache)}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            cwd=toy.folder,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    for process in started:
        assert process.stdin is not None
        process.stdin.close()  # all of them go on now
        process.stdin = None
    assert [tuple(map(bytes.decode, process.communicate())) for process in started] == 4 * [("False\n", LOGGED)]
    names = sorted(path.name for path in toy.cache.rglob("*") if path.is_file())
    assert names == [f"{sys.implementation.cache_tag}-0.code", "engine.py"]
