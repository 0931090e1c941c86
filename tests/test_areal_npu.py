"""The fault of the report in miniature, `examples/areal_npu`: found across processes, fixed, and watched as it runs."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

import pytest

from tests.helpers.commands import PROJECT, flake8, pause_lint

EXAMPLE = PROJECT / "examples/areal_npu"
FSDP = "tinyrl/fsdp_engine.py"
MEGATRON = "tinyrl/megatron_engine.py"
REMOTE = "tinyrl/remote_engine.py"
VLLM = "tinyrl/vllm_remote.py"
SERVER = "tinyrl/server.py"

FAULTY = [
    (FSDP, "FSDPEngine._update_weights_from_disk", "never"),
    (FSDP, "FSDPEngine._update_weights_from_distributed", "exception"),
    (FSDP, "FSDPEngine._update_weights_from_shards", "exception"),
    (MEGATRON, "MegatronEngine._update_weights_from_distributed", "exception"),
    (MEGATRON, "MegatronEngine._update_weights_from_shards", "exception"),
    (MEGATRON, "MegatronEngine._update_weights_from_disk", "never"),
]
ENGINES = {"fsdp": FSDP, "megatron": MEGATRON}

START = 30.0
"""Seconds for the server to answer its first request."""
SHORT, LONG = 3.0, 30.0
"""Seconds to wait for a rollout that is to hang, and for one that is to come: only a failing test waits that long."""
RUN = 120.0
"""Seconds for a whole run of the trainer."""

ANSWERED = [f"step {step}: the rollout is answered" for step in (1, 2, 3)]
HANGS_AT_3 = [*ANSWERED[:2], "step 3: the rollout is not answered"]
README_RUN = re.compile(r"^\$ python -m tinyrl\.train .*\n((?:step .*\n)+)", flags=re.MULTILINE)


@pytest.fixture(scope="module")
def example() -> Path:
    """The example as it stands."""
    return EXAMPLE


@pytest.fixture(scope="module")
def fixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy after `pause-lint fix`."""
    folder = tmp_path_factory.mktemp("fixed") / "areal_npu"
    copy_example(folder)
    done = pause_lint("fix", ".", cwd=folder)
    assert done.code == 0, done.out + done.err
    return folder


def copy_example(folder: Path) -> None:
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"))


def findings(*arguments: str, cwd: Path) -> list[Any]:
    done = pause_lint("check", "--output-format", "json", *arguments, cwd=cwd)
    assert done.json["errors"] == [], done.err
    found: list[Any] = done.json["findings"]
    assert done.code == bool(found)
    return found


def outline(found: list[Any]) -> list[tuple[str, str, str]]:
    return [(finding["path"], finding["function"], finding["kind"]) for finding in found]


# What is found


def test_both_engines_on_all_three_paths_and_nothing_else(example: Path) -> None:
    found = findings(".", cwd=example)
    assert outline(found) == FAULTY
    assert {finding["code"] for finding in found} == {"PR001"}
    assert {finding["fix"] for finding in found} == {"safe"}


def test_seen_from_above_it_is_a_project_of_its_own() -> None:
    found = findings("examples/areal_npu", cwd=PROJECT)
    assert outline(found) == [(f"examples/areal_npu/{path}", function, kind) for path, function, kind in FAULTY]


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("paths", [["."], [FSDP, SERVER], [MEGATRON]])
def test_flake8_sees_the_same_with_one_worker_or_two(example: Path, paths: list[str], jobs: str) -> None:
    done = flake8("--select", "PR001", "-j", jobs, *paths, cwd=example)
    found = re.findall(r"^(?:\./)?(.+?):(\d+):(\d+): PR001 ", done.out, flags=re.MULTILINE)
    expected = [(one["path"], str(one["line"]), str(one["column"])) for one in findings(*paths, cwd=example)]
    assert sorted(found) == sorted(expected) != []


@pytest.mark.parametrize("path", [FSDP, MEGATRON])
def test_one_file_is_enough_to_name(example: Path, path: str) -> None:
    assert outline(findings(path, cwd=example)) == [fault for fault in FAULTY if fault[0] == path]


@pytest.mark.parametrize("path", [FSDP, MEGATRON])
def test_the_way_of_the_pause_into_the_server_and_back_out(example: Path, path: str) -> None:
    [finding] = [one for one in findings(path, cwd=example) if one["kind"] == "never"]
    hops = [(step["path"], source_at(example, step)) for step in finding["witness"]]
    expected = [
        (path, "self.rollout_engine.update_weights_from_disk(update)"),
        (REMOTE, "get_executor().submit(_update_weights_from_disk, "),
        (REMOTE, "_load()"),
        (REMOTE, "backend.build_disk_requests(update)"),
        (VLLM, "HttpRequest(endpoint=endpoint, payload=payload)"),
        (SERVER, "async def update_weights("),
        (SERVER, "llm.pause_generation()"),
        (path, "save_model("),
    ]
    assert [where for where, _ in hops] == [where for where, _ in expected]
    for (_, source), (_, start) in zip(hops, expected, strict=True):
        assert source.startswith(start)


def test_the_way_crosses_into_the_server_once_and_names_the_backend(example: Path) -> None:
    [finding] = [one for one in findings(FSDP, cwd=example) if one["kind"] == "never"]
    notes = [step["message"] for step in finding["witness"]]
    [crossing] = [number for number, note in enumerate(notes) if "process" in note]
    assert finding["witness"][crossing]["path"] == SERVER
    assert "/areal_update_weights" in notes[crossing]
    assert "VLLMBackend" in notes[3]


def source_at(folder: Path, step: Any) -> str:
    lines = (folder / step["path"]).read_text(encoding="utf-8").splitlines()
    return str(lines[step["line"] - 1][step["column"] - 1 :])


def test_without_the_backend_that_pauses_only_explicit_pauses_are_left(tmp_path: Path) -> None:
    copy_example(tmp_path / "areal_npu")
    (tmp_path / "areal_npu" / VLLM).unlink()
    assert outline(findings(".", cwd=tmp_path / "areal_npu")) == [fault for fault in FAULTY if fault[2] == "exception"]


# What the fix makes of it


def test_fixed_tree_is_clean_and_compiles(fixed: Path) -> None:
    assert findings(".", cwd=fixed) == []
    for path in sorted(fixed.rglob("*.py")):
        compile(path.read_bytes(), str(path), "exec", dont_inherit=True)


def test_only_the_trainers_change(example: Path, fixed: Path) -> None:
    names = [path.relative_to(example) for path in example.rglob("*.py")]
    changed = {name.as_posix() for name in names if (example / name).read_bytes() != (fixed / name).read_bytes()}
    assert changed == {FSDP, MEGATRON}


def test_fixing_twice_changes_nothing(fixed: Path) -> None:
    before = {path: path.read_bytes() for path in fixed.rglob("*.py")}
    assert pause_lint("fix", ".", cwd=fixed).code == 0
    assert {path: path.read_bytes() for path in fixed.rglob("*.py")} == before


@pytest.mark.parametrize("path", [FSDP, MEGATRON])
def test_disk_path_resumes_right_after_the_block_that_waits(fixed: Path, path: str) -> None:
    tree = ast.parse((fixed / path).read_text(encoding="utf-8"))
    [function] = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name == "_update_weights_from_disk"
    ]
    *_, guarded, barrier = function.body
    assert isinstance(guarded, ast.Try)
    assert ast.unparse(guarded.body[-1]).splitlines() == [
        "if self.dist.get_rank() == 0:",
        "    mark_complete(update.path, update.version)",
        "    loaded.result()",
    ]
    assert [ast.unparse(statement).splitlines() for statement in guarded.finalbody] == [
        ["if self.dist.get_rank() == 0:", "    self.rollout_engine.continue_generation()"]
    ]
    assert ast.unparse(barrier) == "self.dist.barrier()"


# What one sees when it runs


def test_the_third_rollout_hangs(example: Path, tmp_path: Path) -> None:
    with server(example, tmp_path) as address:
        assert train(example, address, tmp_path, SHORT) == Trained(1, HANGS_AT_3)
        assert ask(address, "/health") == {"running": False}


@pytest.mark.parametrize("engine", ENGINES)
def test_the_third_rollout_is_answered_after_the_fix(fixed: Path, tmp_path: Path, engine: str) -> None:
    with server(fixed, tmp_path) as address:
        assert train(fixed, address, tmp_path, LONG, "--engine", engine) == Trained(0, ANSWERED)
        assert_has_the_last_weights(address)


def test_a_save_that_raises_leaves_it_hanging(example: Path, tmp_path: Path) -> None:
    with server(example, tmp_path) as address:
        trained = train(example, address, tmp_path, SHORT, "--disk-full")
        assert trained == Trained(1, with_failures(HANGS_AT_3, (1, 2)))
        assert ask(address, "/health") == {"running": False}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_save_that_raises_does_so_after_the_fix_and_rollouts_go_on(fixed: Path, tmp_path: Path, engine: str) -> None:
    with server(fixed, tmp_path) as address:
        trained = train(fixed, address, tmp_path, LONG, "--disk-full", "--engine", engine)
        assert trained == Trained(0, with_failures(ANSWERED, (1, 2, 3)))
        assert ask(address, "/health") == {"running": True}


@pytest.mark.parametrize("mode", ["distributed", "shards"])
@pytest.mark.parametrize("engine", ENGINES)
def test_other_paths_work_before_and_after_the_fix(
    example: Path, fixed: Path, tmp_path: Path, engine: str, mode: str
) -> None:
    for number, folder in enumerate((example, fixed)):
        with server(folder, tmp_path) as address:
            checkpoints = tmp_path / str(number)
            trained = train(folder, address, checkpoints, LONG, "--engine", engine, "--mode", mode)
            assert trained == Trained(0, ANSWERED)
            assert_has_the_last_weights(address)


def test_readme_shows_what_one_sees() -> None:
    shown = README_RUN.findall((EXAMPLE / "README.md").read_text(encoding="utf-8"))
    assert [run.splitlines() for run in shown] == [HANGS_AT_3, ANSWERED]


def with_failures(lines: list[str], steps: tuple[int, ...]) -> list[str]:
    """What is printed if the updates of these steps fail for lack of room."""
    failures = {step: f"step {step}: the update fails: No space left on device" for step in steps}
    return [
        line
        for step, printed in enumerate(lines, 1)
        for line in ([printed, failures[step]] if step in failures else [printed])
    ]


def assert_has_the_last_weights(address: str) -> None:
    """Three parameters were raised by one in each of three steps; the answer is their sum for each character."""
    assert ask(address, "/generate", {"prompt": "1234"}) == {"value": 4 * 3 * 3}


@dataclass(frozen=True, slots=True)
class Trained:
    """How a run of the trainer ended and what it printed."""

    code: int
    lines: list[str]


def train(folder: Path, address: str, checkpoints: Path, patience: float, *options: str) -> Trained:
    """Runs the trainer of the tree in `folder`. Raises TimeoutExpired if it does not end."""
    command = ["-m", "tinyrl.train", address, "--folder", str(checkpoints), "--patience", str(patience), *options]
    with process(command, folder, subprocess.PIPE) as running:
        out, _ = running.communicate(timeout=RUN)
    return Trained(running.returncode, out.decode().splitlines())


@contextmanager
def server(folder: Path, logs: Path) -> Iterator[str]:
    """The server of the tree in `folder`, on a free port of the loopback; gives its address."""
    log = logs / "server.log"
    command = ["-m", "uvicorn", "tinyrl.server:app", "--host", "127.0.0.1", "--port", "0", "--no-use-colors"]
    with log.open("wb") as output, process(command, folder, output) as running:
        deadline = time.monotonic() + START
        while not (started := re.search(r"running on http://(127\.0\.0\.1:\d+)", log.read_text(encoding="utf-8"))):
            assert running.poll() is None, log.read_text(encoding="utf-8")
            assert time.monotonic() < deadline, log.read_text(encoding="utf-8")
            time.sleep(0.05)
        yield started[1]


@contextmanager
def process(arguments: list[str], folder: Path, output: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Python with `arguments`, run in `folder`; ended with all that it started, whatever happens."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1", "NO_PROXY": "127.0.0.1"}
    running = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    with running:
        try:
            yield running
        finally:
            end_group(running)


def end_group(running: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):  # all of them have ended by themselves
        os.killpg(running.pid, signal.SIGKILL)


def ask(address: str, path: str, body: Any = None) -> Any:
    """The server's answer to a GET, or to a POST of `body`."""
    data = None if body is None else json.dumps(body).encode()
    request = Request(f"http://{address}{path}", data=data, headers={"Content-Type": "application/json"})
    with build_opener(ProxyHandler({})).open(request, timeout=LONG) as answer:
        return json.load(answer)
