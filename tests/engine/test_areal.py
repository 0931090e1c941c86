"""Released AReaL 1.0.4 with the vLLM it is made for: its own engines, its own server, nothing of it changed but by us.

The release resumes in a straight line, so an update that goes well is answered. If the save raises, nobody resumes.
"""

from __future__ import annotations

import json
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import Way
from tests.engine.processes import LONG, RUN, SHORT, ask, environment, is_paused, listening, process, read, vllm_options
from tests.helpers.commands import PROJECT, pause_lint, run

DISK_PATH = "FSDPEngine._update_weights_from_disk"
LOGGED = f"pause-lint: areal.engine.fsdp_engine: {DISK_PATH} is patched to resume whatever happens"
OVERLAY = PROJECT / "patches/overlay"
WORKER = "tests.engine.programs.areal_worker.VLLMWorkerExtension"
PROMPT = "why is there no answer"


def released() -> Path:
    """The package, as pip installed it."""
    found = find_spec("areal")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent


def copied(folder: Path) -> Path:
    """A copy of the package in a folder that comes first on the path."""
    shutil.copytree(released(), folder / "areal", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture(scope="session")
def areal_ways(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Way]:
    """By name: the release as it is, after `pause-lint fix`, after `apply.py`, and under the overlay."""
    assert version("areal") == "1.0.4"
    fixed = copied(tmp_path_factory.mktemp("fix"))
    done = pause_lint("fix", "--quiet", "areal", cwd=fixed)
    assert done.code == 0, done.out + done.err
    applied = copied(tmp_path_factory.mktemp("apply"))
    done = run(sys.executable, PROJECT / "patches/apply.py", applied / "areal", cwd=applied)
    assert done.code == 0, done.err
    assert f"{applied / 'areal'} is areal 1.0.4 on PyPI\n" in done.err
    return {
        "before": Way(tmp_path_factory.mktemp("before") / "here"),
        "fix": Way(fixed, (fixed,)),
        "apply": Way(applied, (applied,)),
        "overlay": Way(tmp_path_factory.mktemp("overlay") / "here", (OVERLAY,)),
    }


@contextmanager
def serving(way: Way, model: Path, folder: Path) -> Iterator[str]:
    """AReaL's server for vLLM; gives its address."""
    program = ("-m", "areal.engine.vllm_ext.areal_vllm_server", *vllm_options(model, "cpu"))
    options = ("--worker-extension-cls", WORKER)
    with listening(*program, *options, cwd=folder, log=folder / "server.log", env=way.env) as address:
        yield address


@pytest.fixture(scope="module")
def address(areal_ways: dict[str, Way], model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The server of the release, unpatched: the trainers are what differs."""
    with serving(areal_ways["before"], model, tmp_path_factory.mktemp("server")) as given:
        yield given


@pytest.fixture(autouse=True)
def _generation_goes_on(address: str) -> Iterator[None]:
    yield
    ask(address, "/areal_continue_generation", {})
    assert not is_paused(address)


def train(way: Way, address: str, model: Path, folder: Path, *options: str) -> tuple[dict[str, Any], str]:
    """What the trainer told, and everything it wrote."""
    log = folder / "trainer.log"
    program = ("-m", "tests.engine.programs.areal_train", address, "--model", model, "--folder", folder / "checkpoints")
    with process(*program, *options, cwd=folder, log=log, env=way.env) as running:
        assert running.wait(RUN) == 0, read(log)
    told: dict[str, Any] = {}
    for line in read(log).splitlines():
        if line.startswith('{"'):
            told |= json.loads(line)
    return told, read(log)


def completion(address: str, model: Path) -> Any:
    """A rollout as AReaL's client asks for it."""
    body = {"model": str(model), "prompt": PROMPT, "max_tokens": 8, "temperature": 0.0, "ignore_eos": True}
    return ask(address, "/v1/completions", body)["choices"][0]["text"]


def assert_hangs(address: str, model: Path) -> None:
    """A rollout gets no answer, and gets one as soon as generation is resumed by hand."""
    assert is_paused(address)
    answers: list[Any] = []
    waiting = threading.Thread(target=lambda: answers.append(completion(address, model)), daemon=True)
    waiting.start()
    waiting.join(SHORT)
    assert waiting.is_alive(), f"answered: {answers}"
    ask(address, "/areal_continue_generation", {})
    waiting.join(LONG)
    assert len(answers) == 1


WAYS = ("before", "fix", "apply", "overlay")


@pytest.mark.parametrize("way", WAYS)
def test_an_update_serves_the_new_weights(
    areal_ways: dict[str, Way], address: str, model: Path, tmp_path: Path, way: str
) -> None:
    token = str(101 + WAYS.index(way))  # the server has the weights of the test before
    told, text = train(areal_ways[way], address, model, tmp_path, "--token", token)
    assert told["update"] is None, text
    assert told["after"] == told["reference"] != told["before"], text
    assert told["resumes_whatever_happens"] == (way != "before")
    assert (LOGGED in text) == (way == "overlay")
    assert not is_paused(address)


@pytest.mark.parametrize("way", WAYS)
def test_the_save_raises(areal_ways: dict[str, Way], address: str, model: Path, tmp_path: Path, way: str) -> None:
    options = ("--disk-full", *(("--patience", str(SHORT)) if way == "before" else ()))
    told, text = train(areal_ways[way], address, model, tmp_path, *options)
    assert told["update"] == 28, text
    if way == "before":
        assert told["after"] is None, text
        assert_hangs(address, model)
    else:
        assert len(told["after"]) == 8, text
        assert not is_paused(address)


def test_the_server_of_the_release_under_the_overlay(areal_ways: dict[str, Way], model: Path, tmp_path: Path) -> None:
    """It is started as a module: the module is patched on its way to being the program."""
    with serving(areal_ways["overlay"], model, tmp_path) as address:
        told, text = train(areal_ways["overlay"], address, model, tmp_path)
        assert told["after"] == told["reference"] != told["before"], text
    log = read(tmp_path / "server.log")
    assert "pause-lint: areal.engine.vllm_ext.areal_vllm_server: areal_update_weight is patched" in log, log


def test_the_page_shows_what_is_logged() -> None:
    assert f"\n{LOGGED}\n" in (PROJECT / "docs/npu.md").read_text(encoding="utf-8")


def test_environment_is_clean() -> None:
    """The release that is tested is the one that pip installed."""
    assert (
        run(sys.executable, PROJECT / "patches/apply.py", released(), "--check", cwd=PROJECT, env=environment()).code
        == 1
    )
