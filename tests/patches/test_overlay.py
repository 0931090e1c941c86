"""The overlay: modules patched as they are imported, whatever way a process comes to be; or left alone, and said so."""

from __future__ import annotations

import compileall
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.helpers.commands import PROJECT, pause_lint, run
from tests.patches.toy import ENGINE, LOGGED, Toy

NOTHING = "pause-lint: nothing is patched, and generation may be left paused: "


def test_without_the_overlay_it_stays_paused(toy: Toy) -> None:
    assert toy.python("probe.py", overlay=False).out == "True\n"


def test_plain_import(toy: Toy) -> None:
    done = toy.python("probe.py")
    assert (done.out, done.err) == ("False\n", LOGGED)
    assert (toy.package / "engine.py").read_text(encoding="utf-8") == ENGINE


def test_switched_off(toy: Toy) -> None:
    done = toy.python("probe.py", env={"PAUSE_LINT_PATCH": "0"})
    assert (done.out, done.err) == ("True\n", "")


def test_the_second_time_nothing_is_compiled_or_worked_out(toy: Toy) -> None:
    first = toy.python("probe.py")
    (kept,) = toy.cache.rglob("*.code")
    before = kept.stat().st_mtime_ns
    # The manifest is not even read for its edits: a module that reads TOML would be loaded for that.
    second = toy.script("import sys, probe\nprint(probe.is_left_paused(), 'tomllib' in sys.modules)\n")
    assert (second.out, second.err) == ("False False\n", first.err)
    assert kept.stat().st_mtime_ns == before


def test_programs_that_import_something_else_load_next_to_nothing(toy: Toy) -> None:
    bare = toy.script("import sys\nprint(*sorted(sys.modules))\n", env={"PAUSE_LINT_PATCH": "0"})
    under = toy.script("import sys\nprint(*sorted(sys.modules))\n")
    new = set(under.out.split()) - set(bare.out.split())
    assert new - {"__future__"} == {"pause_lint_overlay", "pause_lint_overlay.hook"}


def test_only_the_modules_named_are_touched(toy: Toy) -> None:
    text = """\
import toyrl.engine
import toyrl.other

print(*[type(one.__loader__).__name__ for one in (toyrl, toyrl.engine, toyrl.other)])
"""
    assert toy.script(text).out == "SourceFileLoader Loader SourceFileLoader\n"


def test_reload(toy: Toy) -> None:
    text = """\
import importlib

import probe
import toyrl.engine

importlib.reload(toyrl.engine)
importlib.reload(probe)
print(probe.is_left_paused())
"""
    done = toy.script(text)
    assert (done.out, done.err) == ("False\n", 2 * LOGGED)


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_processes(method: str, toy: Toy) -> None:
    text = f"""\
import multiprocessing
import probe_in_child

if __name__ == "__main__":
    with multiprocessing.get_context("{method}").Pool(2) as pool:
        print(pool.apply(probe_in_child.run))
"""
    (toy.folder / "probe_in_child.py").write_text("def run():\n    import probe\n    return probe.is_left_paused()\n")
    done = toy.script(text)
    assert (done.out, done.err) == ("False\n", LOGGED)


def test_process_pool_executor(toy: Toy) -> None:
    text = """\
from concurrent.futures import ProcessPoolExecutor

import probe

if __name__ == "__main__":
    with ProcessPoolExecutor(1) as pool:
        print(pool.submit(probe.is_left_paused).result())
"""
    assert toy.script(text).out == "False\n"


def test_a_child_that_is_started_by_hand(toy: Toy) -> None:
    text = "import subprocess, sys\nsubprocess.run([sys.executable, 'probe.py'])\n"
    assert toy.script(text).out == "False\n"


def test_two_threads_import_at_once(toy: Toy) -> None:
    text = """\
import threading

barrier = threading.Barrier(2)
seen = []


def work():
    barrier.wait()
    import probe

    seen.append(probe.is_left_paused())


threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(seen)
"""
    done = toy.script(text)
    assert (done.out, done.err) == ("[False, False]\n", LOGGED)


def test_a_package_in_a_zip_is_left_alone(toy: Toy) -> None:
    archive = shutil.make_archive(str(toy.folder / "packed"), "zip", toy.folder, "toyrl")
    shutil.rmtree(toy.package)
    done = toy.script(f"import sys\nsys.path.append({archive!r})\nimport probe\nprint(probe.is_left_paused())\n")
    assert done.out == "True\n"
    assert "toyrl.engine is not patched and may leave generation paused: it is loaded by zipimporter" in done.err


def test_a_package_of_bytecode_only_is_left_alone(toy: Toy) -> None:
    compileall.compile_dir(toy.package, quiet=1, legacy=True)
    for source in toy.package.glob("*.py"):
        source.unlink()
    done = toy.python("probe.py")
    assert done.out == "True\n"
    assert (
        "toyrl.engine is not patched and may leave generation paused: it is loaded by SourcelessFileLoader" in done.err
    )


def test_a_module_that_was_imported_before(toy: Toy) -> None:
    text = """\
import sys

import toyrl.engine

sys.path.insert(0, "patches/overlay")
from pause_lint_overlay.hook import install

install()
install()
import probe

print(probe.is_left_paused(), [type(one).__name__ for one in sys.meta_path].count("Hook"))
"""
    done = toy.script(text, env={"PAUSE_LINT_PATCH": "0"})
    assert done.out == "True 1\n"
    assert (
        done.err == "pause-lint: toyrl.engine is not patched and may leave generation paused: it was imported before\n"
    )


def test_a_source_that_changed_since(toy: Toy) -> None:
    assert toy.python("probe.py").out == "False\n"
    with (toy.package / "engine.py").open("a", encoding="utf-8") as file:
        file.write("# a local change\n")
    done = toy.python("probe.py")
    assert done.out == "True\n"
    assert "toyrl.engine is not patched and may leave generation paused: its file is of no known version" in done.err


@pytest.mark.parametrize("what", ["source", "code", "cut", "older patch"])
def test_a_cache_that_does_not_fit_is_made_anew(what: str, toy: Toy) -> None:
    assert toy.python("probe.py").out == "False\n"
    (shown,) = toy.cache.rglob("engine.py")
    (kept,) = toy.cache.rglob("*.code")
    good = shown.read_bytes(), kept.read_bytes()
    if what == "source":
        shown.write_text(ENGINE, encoding="utf-8")
    elif what == "code":
        kept.write_bytes(b"nonsense")
    elif what == "cut":
        kept.write_bytes(good[1][:-20])
    else:
        with (toy.folder / "patches/toyrl/1.0.toml").open("a", encoding="utf-8") as file:
            file.write("\n# changed\n")
    assert toy.python("probe.py").out == "False\n"
    assert shown.read_bytes() == good[0]
    if what != "older patch":
        assert kept.read_bytes() == good[1]


def test_a_cache_that_cannot_be_written(toy: Toy) -> None:
    toy.cache.write_text("a file where the folder should be", encoding="utf-8")
    done = toy.python("probe.py")
    assert (done.out, done.err) == ("False\n", LOGGED)


@pytest.mark.parametrize("cached", [True, False])
def test_tracebacks_and_inspect_show_the_patched_source(cached: bool, toy: Toy) -> None:
    if not cached:
        toy.cache.write_text("", encoding="utf-8")
    text = """\
import inspect
import traceback

import probe
from toyrl import engine

print(inspect.getsource(engine.Updater.update))
print("finally" in inspect.getsource(engine), engine.__file__.endswith("toyrl/engine.py"))
try:
    engine.Updater(engine.Llm()).update(probe.fail)
except OSError:
    print(traceback.format_exc())
"""
    done = toy.script(text)
    method, _, rest = done.out.partition("\n\n")
    assert "        finally:\n            self.llm.continue_generation()" in method
    assert rest.startswith("True True\n")
    assert "in update\n    load()" in rest


def test_an_uncaught_error_shows_the_patched_source(toy: Toy) -> None:
    done = toy.script("import probe\nfrom toyrl.engine import *\nUpdater(Llm()).update(probe.fail)\n")
    assert done.code == 1
    assert "in update\n    load()" in done.err


@pytest.mark.parametrize(
    "damage, why",
    [
        ('after = "', "the result of the edits is not what the manifest says"),
        ("edits = [", "TOMLDecodeError"),
        ("module = ", "do not agree"),
    ],
)
def test_a_manifest_that_is_off(damage: str, why: str, toy: Toy) -> None:
    manifest = toy.folder / "patches/toyrl/1.0.toml"
    text = manifest.read_text(encoding="utf-8")
    changed = {
        'after = "': text.replace('after = "', 'after = "0'),
        "edits = [": text.replace("edits = [", "edits = ["[:-1]),
        "module = ": text.replace('module = "toyrl.engine"', 'module = "toyrl.elsewhere"'),
    }[damage]
    assert changed != text
    manifest.write_text(changed, encoding="utf-8")
    done = toy.python("probe.py")
    assert done.out == "True\n"
    assert "toyrl.engine is not patched and may leave generation paused: " in done.err
    assert why in done.err


SERVER = """\
class Server:
    def __init__(self, llm):
        self.llm = llm

    def swap(self, load):
        self.llm.pause_generation()
        load()
        {done}
"""

CLIENT = """\
from toyrl.server import Server


class Trainer:
    def __init__(self, llm):
        self.llm = llm
        self.server = Server(llm)

    def update(self, load):
        self.server.swap(load)
        self.report()
        self.server.llm.continue_generation()

    def other(self):
        self.llm.pause_generation()
        self.report()
        self.llm.continue_generation()
"""


def test_a_file_of_two_versions_is_told_by_those_beside_it(toy: Toy) -> None:
    """What one file needs may depend on what another does."""
    client, server = toy.package / "client.py", toy.package / "server.py"
    client.write_text(CLIENT, encoding="utf-8")
    sources = {"2.0": SERVER.format(done="pass"), "2.1": SERVER.format(done="self.llm.continue_generation()")}
    for version, text in sources.items():
        server.write_text(text, encoding="utf-8")
        made = run(sys.executable, "-m", "patches.make", version, "toyrl", "--origin", "a toy", cwd=toy.folder)
        assert made.code == 0, made.err
    patched = {}
    for version, text in sources.items():
        server.write_text(text, encoding="utf-8")
        done = toy.script("import inspect, toyrl.client\nprint(inspect.getsource(toyrl.client.Trainer))\n")
        patched[version] = done.out
        assert done.code == 0
    assert patched["2.0"].count("finally:") == 2
    assert patched["2.1"].count("finally:") == 1
    server.write_text(f"{sources['2.0']}# ours\n", encoding="utf-8")
    done = toy.script("import inspect, toyrl.client\nprint('finally' in inspect.getsource(toyrl.client.Trainer))\n")
    assert done.out == "False\n"
    assert "its file is of several versions, and the files beside it are of none of them" in done.err


def test_patches_that_cannot_be_loaded_at_all(toy: Toy) -> None:
    (toy.folder / "patches/overlay/pause_lint_overlay/hook.py").write_text("raise ValueError('broken')\n")
    done = toy.python("probe.py")
    assert (done.out, done.err) == ("True\n", f"{NOTHING}ValueError: broken\n")


def test_another_sitecustomize_still_runs(toy: Toy) -> None:
    theirs = toy.folder / "theirs"
    theirs.mkdir()
    (theirs / "sitecustomize.py").write_text("import sys\nsys.theirs = __file__\n", encoding="utf-8")
    path = os.pathsep.join([str(toy.folder / "patches/overlay"), str(theirs)])
    text = "import sys, sitecustomize, probe\nprint(sys.theirs == sitecustomize.__file__, probe.is_left_paused())\n"
    done = toy.script(text, env={"PYTHONPATH": path})
    assert (done.out, done.err) == ("True False\n", LOGGED)


def test_the_command(toy: Toy) -> None:
    """`pause-lint run`, with the manifests of this project: the toy is none of its business."""
    text = "import os, sys\nprint(sys.argv[1:], os.environ['PYTHONPATH'].split(os.pathsep)[0])\n"
    (toy.folder / "script.py").write_text(text, encoding="utf-8")
    done = pause_lint("run", "--", sys.executable, "script.py", "--flag", "-v", cwd=toy.folder)
    assert done.out == f"['--flag', '-v'] {PROJECT / 'patches/overlay'}\n"
    assert done.code == 0


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "pause-lint run: error: name a program, as in `pause-lint run -- python train.py`\n"),
        (["--", "no-such-program"], "pause-lint run: error: cannot start no-such-program: No such file or directory\n"),
    ],
)
def test_what_cannot_be_started(arguments: list[str], message: str, tmp_path: Path) -> None:
    done = pause_lint("run", *arguments, cwd=tmp_path)
    assert (done.code, done.out, done.err) == (2, "", message)


def test_the_exit_code_is_that_of_the_program(tmp_path: Path) -> None:
    done = run(sys.executable, "-m", "pause_lint", "run", sys.executable, "-c", "raise SystemExit(7)", cwd=tmp_path)
    assert done.code == 7
