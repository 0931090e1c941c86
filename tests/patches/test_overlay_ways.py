"""The overlay by other ways of coming to a module: each leads to the patched one, or says that it does not."""

from __future__ import annotations

import os
import shutil
import sys

import pytest

from pause_lint.launch import environment, overlay_folder, unheard
from tests.helpers.commands import pause_lint, run
from tests.patches.test_overlay import NOTHING
from tests.patches.toy import ENGINE, LOGGED, PROBE, Toy

NOT_PATCHED = "pause-lint: toyrl.engine is not patched and may leave generation paused: "

WAYS = {
    "importlib": "import importlib\nimportlib.import_module('toyrl.engine')\n",
    "runpy": "import runpy\nrunpy.run_module('toyrl.engine')\n",
    "its specification first": "import importlib.util\nassert importlib.util.find_spec('toyrl.engine')\n",
    "pkgutil": "import pkgutil, toyrl\nassert next(pkgutil.iter_modules(toyrl.__path__)).name == 'engine'\n",
    "resources": "from importlib.resources import files\nassert (files('toyrl') / 'engine.py').read_text()\n",
    "a zip beside it": "import sys, zipfile\nzipfile.ZipFile('z.zip', 'w').writestr('zipped.py', '')\n"
    "sys.path.insert(0, 'z.zip')\nimport zipped\n",
    "no caches": "import sys, importlib\nsys.path_importer_cache.clear()\nimportlib.invalidate_caches()\n",
}


@pytest.mark.parametrize("way", WAYS)
def test_ways_within_a_program(way: str, toy: Toy) -> None:
    done = toy.script(f"{WAYS[way]}import probe\nprint(probe.is_left_paused())\n")
    assert (done.code, done.out) == (0, "False\n"), done.err
    assert done.err == LOGGED * (2 if way == "runpy" else 1)


@pytest.mark.parametrize(
    "options, env",
    [
        (["-O"], {}),
        (["-OO"], {}),
        (["-X", "importtime"], {}),
        (["-X", "frozen_modules=off", "-v"], {}),
        (["-s"], {"PYTHONSAFEPATH": "1"}),
    ],
    ids=lambda given: " ".join(given),
)
def test_ways_of_starting_python(options: list[str], env: dict[str, str], toy: Toy) -> None:
    path = os.pathsep.join([str(toy.folder / "patches/overlay"), str(toy.folder)])
    for _ in range(2):  # the second time with what is kept
        done = toy.python(*options, "probe.py", env={"PYTHONPATH": path, **env})
        assert done.out == "False\n"
        assert LOGGED in done.err


def test_run_as_a_module(toy: Toy) -> None:
    """Also seen from a traceback: the module's name is `__main__` then."""
    with (toy.package / "engine.py").open("a", encoding="utf-8") as file:
        file.write('\n\nif __name__ == "__main__":\n    Updater(Llm()).update(None)\n')
    made = run(sys.executable, "-m", "patches.make", "1.1", "toyrl", "--origin", "a toy", cwd=toy.folder)
    assert made.code == 0, made.err
    done = toy.python("-m", "toyrl.engine")
    assert LOGGED in done.err
    assert "in update\n    load()" in done.err


@pytest.mark.parametrize("layout", ["namespace", "symbolic link", "two copies", "CRLF", "a blank in the path"])
def test_layouts(layout: str, toy: Toy) -> None:
    overlay, source = toy.folder / "patches/overlay", toy.package / "engine.py"
    path = [str(overlay)]
    if layout == "namespace":
        (toy.package / "__init__.py").unlink()
    elif layout == "symbolic link":
        toy.package.rename(toy.folder / "real")
        toy.package.symlink_to("real")
    elif layout == "two copies":
        shutil.copytree(toy.package, toy.folder / "copies/toyrl")
        (toy.folder / "copies/toyrl/engine.py").write_text(f"{ENGINE}# another\n", encoding="utf-8")
        path.append(str(toy.folder / "copies"))
    elif layout == "CRLF":
        source.write_bytes(ENGINE.replace("\n", "\r\n").encode())
        made = run(sys.executable, "-m", "patches.make", "1.1", "toyrl", "--origin", "a toy", cwd=toy.folder)
        assert made.code == 0, made.err
    else:
        shutil.copytree(toy.folder / "patches", toy.folder / "a blank/patches")
        path = [str(toy.folder / "a blank/patches/overlay")]
    shown = "'\\r' in inspect.getsource(probe.Updater.update)"
    text = f"import inspect, probe\nprint(probe.is_left_paused(), {shown})\n"
    done = toy.script(text, env={"PYTHONPATH": os.pathsep.join(path)})
    assert (done.out, done.err) == ("False False\n", LOGGED)


def test_a_package_s_own_file(toy: Toy) -> None:
    """`toyrl/__init__.py` is the module `toyrl`."""
    (toy.package / "engine.py").rename(toy.package / "__init__.py")
    made = run(sys.executable, "-m", "patches.make", "1.1", "toyrl", "--origin", "a toy", cwd=toy.folder)
    assert made.code == 0, made.err
    (toy.folder / "probe.py").write_text(PROBE.replace("toyrl.engine", "toyrl"), encoding="utf-8")
    done = toy.script("import probe, toyrl.other\nprint(probe.is_left_paused())\n")
    assert (done.out, done.err) == ("False\n", LOGGED.replace("toyrl.engine", "toyrl"))


def test_what_is_handed_to_a_spawned_child(toy: Toy) -> None:
    """A function is handed on by its name: the child imports its module, patched, and shows the patched source."""
    text = """\
import inspect
import multiprocessing
import importlib

import toyrl.engine

importlib.reload(toyrl.engine)

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.apply(inspect.getsource, [toyrl.engine.Updater.update]).count("finally"))
    print(inspect.getsource(toyrl.engine).count("finally"))
"""
    done = toy.script(text)
    assert (done.code, done.out) == (0, "1\n1\n"), done.err


def test_a_child_with_another_path(toy: Toy) -> None:
    """Who sets `PYTHONPATH` anew has to name the overlay again."""
    text = """\
import os, subprocess, sys

for path in ("", os.environ["PYTHONPATH"] + os.pathsep + "elsewhere"):
    subprocess.run([sys.executable, "probe.py"], env={**os.environ, "PYTHONPATH": path})
"""
    assert toy.script(text).out == "True\nFalse\n"


def test_the_source_is_the_patched_one_before_the_code_is_asked_for(toy: Toy) -> None:
    text = """\
import importlib.util

loader = importlib.util.find_spec("toyrl.engine").loader
print("finally" in loader.get_source("toyrl.engine"))
with open("toyrl/engine.py", "a") as file:
    file.write("# ours\\n")
print("finally" in loader.get_source("toyrl.engine"), loader.get_source("toyrl.engine").endswith("# ours\\n"))
"""
    done = toy.script(text)
    assert (done.out, done.err) == ("True\nFalse True\n", "")


@pytest.mark.parametrize("others", ["sitecustomize", "usercustomize"])
def test_customizations_of_others_run_once_behind_any_number_of_overlays(others: str, toy: Toy) -> None:
    theirs, copy, link = toy.folder / "their own", toy.folder / "copy", toy.folder / "link"
    theirs.mkdir()
    (theirs / f"{others}.py").write_text("print('theirs')\n", encoding="utf-8")
    shutil.copytree(toy.folder / "patches", copy)
    link.symlink_to(copy)
    overlays = [str(folder / "overlay") for folder in (toy.folder / "patches", copy, link)]
    # Not that of an environment, which may have no usercustomize.
    python = os.path.realpath(sys.executable)
    env = {"PYTHONPATH": os.pathsep.join([*overlays, str(theirs)]), "PAUSE_LINT_CACHE": str(toy.cache)}
    done = run(python, "probe.py", cwd=toy.folder, env=env)
    assert (done.out, done.err) == ("theirs\nFalse\n", LOGGED)


def test_a_finder_in_front_that_loads_it_in_its_own_way(toy: Toy) -> None:
    """As pytest does with a module in which assertions are to be explained."""
    (toy.folder / "conftest.py").write_text("import pytest\npytest.register_assert_rewrite('toyrl')\n")
    (toy.folder / "test_it.py").write_text("def test_it():\n    import probe\n    assert probe.is_left_paused()\n")
    done = toy.python("-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", ".")
    assert done.code == 0, done.out
    assert f"{NOT_PATCHED}it was imported by AssertionRewritingHook\n" in done.err

    (toy.folder / "conftest.py").unlink()
    done = toy.python("-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", ".")
    assert done.code == 1
    assert LOGGED in done.err


BROKEN = {
    "index cut": ("toyrl/index.json", '{"toyrl.engine"', "is damaged: "),
    "index of another kind": ("toyrl/index.json", "[]", "is damaged: "),
    "index of numbers": ("toyrl/index.json", '{"toyrl.engine": 3}', "is damaged: "),
    "no finder": ("overlay/pause_lint_overlay/finder.py", "import no_such_module\n", "ModuleNotFoundError: "),
    "no cache": ("overlay/pause_lint_overlay/cache.py", "def f(:\n", "SyntaxError: "),
}


@pytest.mark.parametrize("what", BROKEN)
def test_whatever_is_broken_the_original_is_loaded(what: str, toy: Toy) -> None:
    """And that is said once, however many modules there are."""
    file, text, why = BROKEN[what]
    (toy.folder / "patches" / file).write_text(text, encoding="utf-8")
    done = toy.script("import probe, toyrl.other\nprint(probe.is_left_paused())\n")
    assert (done.code, done.out) == (0, "True\n")
    assert done.err.startswith(NOTHING)
    assert why in done.err
    assert done.err.count("\n") == 1


def test_a_finder_that_raises(toy: Toy) -> None:
    text = """\
import sys

class Once:
    def find_spec(self, name, path=None, target=None):
        if name == "toyrl.engine" and not seen:
            seen.append(name)
            raise OSError("no network")

seen = []
sys.meta_path.insert(1, Once())
import probe
print(probe.is_left_paused())
"""
    done = toy.script(text)
    assert (done.out, done.err) == ("True\n", f"{NOT_PATCHED}OSError: no network\n")


def test_a_stand_in_of_any_kind_harms_nothing(toy: Toy) -> None:
    """As tests put one in the place of a module."""
    text = """\
import sys

class Raising:
    def __getattr__(self, name):
        raise OSError(name)

import toyrl
sys.modules["toyrl.engine"] = Raising()
import colorsys
sys.modules["toyrl.engine"] = None
import toyrl.other
print(toyrl.other.LIMIT)
"""
    done = toy.script(text)
    assert (done.out, done.err) == ("1\n", "")


def test_an_overlay_without_manifests(toy: Toy, tmp_path_factory: pytest.TempPathFactory) -> None:
    alone = tmp_path_factory.mktemp("alone")
    shutil.copytree(toy.folder / "patches/overlay", alone / "overlay")
    done = toy.python("probe.py", env={"PYTHONPATH": str(alone / "overlay")})
    assert done.out == "True\n"
    assert done.err == f"{NOTHING}FileNotFoundError: there are no manifests in {alone}\n"


@pytest.mark.parametrize("stream", ["2>&-", "2>/dev/full"])
def test_where_nothing_can_be_said(stream: str, toy: Toy) -> None:
    """A warning is no reason to fail, nor does it go where the program's output goes."""
    env = {"PYTHONPATH": str(toy.folder / "patches/overlay"), "PAUSE_LINT_CACHE": str(toy.cache)}
    done = run("sh", "-c", f'"$0" probe.py {stream}', sys.executable, cwd=toy.folder, env=env)
    assert done.out == "False\n"
    (toy.package / "engine.py").write_text(f"{ENGINE}# ours\n", encoding="utf-8")
    done = run("sh", "-c", f'"$0" probe.py {stream}', sys.executable, cwd=toy.folder, env=env)
    assert done.out == "True\n"


@pytest.mark.parametrize("before, behind", [(None, ""), ("", ""), (":/a b", "::/a b"), ("/a:", ":/a:")])
def test_what_is_on_the_path_stays_there(before: str | None, behind: str) -> None:
    """An empty entry is the current folder, from which examples are often run."""
    given = {} if before is None else {"PYTHONPATH": before}
    assert environment(given)["PYTHONPATH"] == f"{overlay_folder()}{behind}"


@pytest.mark.parametrize("option", ["-I", "-E", "-S"])
def test_options_by_which_python_does_not_look_for_it(option: str, toy: Toy) -> None:
    """What the page says of them; `pause-lint run` refuses what would not work, and the patch on disk does."""
    program = "import sys; sys.path.insert(0, '.'); import probe; print(probe.is_left_paused())"
    assert toy.python(option, "-c", program).out == "True\n"
    done = pause_lint("run", "--", sys.executable, option, "-c", program, cwd=toy.folder)
    assert (done.code, done.out) == (2, "")
    assert f"with {option} Python does not load the overlay: leave the option out, or patch" in done.err
    assert toy.apply().code == 0
    assert toy.python(option, "-c", program).out == "False\n"


@pytest.mark.parametrize(
    "program, option",
    [
        ("python3 -uI train.py", "-I"),
        ("/usr/bin/python -X dev -W error -E train.py", "-E"),
        ("python -Xdev -S -m train", "-S"),
        ("python train.py -I", ""),
        ("python -m train -E", ""),
        ("python -W Ignored -c pass -S", ""),
        ("python -XI -", ""),
        ("python", ""),
        ("torchrun -I", ""),
    ],
)
def test_which_options_are_python_s_own(program: str, option: str) -> None:
    assert unheard(program.split()) == option


def test_the_bytecode_that_python_keeps_is_that_of_the_original(toy: Toy) -> None:
    """Switched off again, nothing is left of the patch."""
    assert toy.python("probe.py").out == "False\n"
    assert toy.python("probe.py", overlay=False).out == "True\n"
    assert toy.python("probe.py").out == "False\n"
