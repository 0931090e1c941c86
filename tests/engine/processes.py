"""Processes that are ended with all that they started, whatever happens, and what is asked of a server over HTTP."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

from tests.helpers.commands import PROJECT

START = 180.0
"""Seconds for a server to come up; it takes some twenty."""
RUN = 180.0
"""Seconds for a whole run of a trainer."""
END = 15.0
"""Seconds for a process to end when it is asked to."""
MOMENT = 0.3
"""Seconds for what it has started to follow."""
SHORT, LONG = 3.0, 60.0
"""Seconds to wait for an answer that is not to come, and for one that is: only a failing test waits that long."""

QUIET = {
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "NO_PROXY": "127.0.0.1",
    "OMP_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUTF8": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TORCHDYNAMO_DISABLE": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_LOGGING_LEVEL": "WARNING",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_SERVER_DEV_MODE": "1",
}
"""The environment of everything that is started: nothing is fetched or compiled, and little is said."""

SERVES = re.compile(r"running on http://(127\.0\.0\.1:\d+)")


def environment(*path: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a process gets: QUIET, and `path` and the project before what is on PYTHONPATH, where images have CANN."""
    inherited = [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]
    given = os.pathsep.join([*(str(folder) for folder in (*path, PROJECT)), *inherited])
    return {**os.environ, **QUIET, "PYTHONPATH": given, **(more or {})}


@contextmanager
def process(
    *arguments: str | Path, cwd: Path, log: Path, env: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Python with `arguments`, which writes to `log`; ended with the whole of its group, whatever happens."""
    with log.open("wb") as output:
        running = subprocess.Popen(
            [sys.executable, *[str(argument) for argument in arguments]],
            cwd=cwd,
            env=environment() if env is None else env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    with running:
        try:
            yield running
        finally:
            end(running)


def end(running: subprocess.Popen[bytes]) -> None:
    """Ends a process and its group: first all are asked to, and have a moment to put their shared memory away."""
    if running.poll() is None:
        running.terminate()
        with suppress(subprocess.TimeoutExpired):
            running.wait(END)
    with suppress(ProcessLookupError):  # all of them have ended by themselves
        os.killpg(running.pid, signal.SIGTERM)
        time.sleep(MOMENT)
        os.killpg(running.pid, signal.SIGKILL)


@contextmanager
def server(*arguments: str | Path, cwd: Path, log: Path, env: Mapping[str, str] | None = None) -> Iterator[str]:
    """A server that says where it serves; gives its address."""
    with process(*arguments, cwd=cwd, log=log, env=env) as running:
        deadline = time.monotonic() + START
        while not (started := SERVES.search(read(log))):
            assert running.poll() is None, read(log)
            assert time.monotonic() < deadline, read(log)
            time.sleep(0.1)
        yield started[1]


@contextmanager
def listening(*arguments: str | Path, cwd: Path, log: Path, env: Mapping[str, str] | None = None) -> Iterator[str]:
    """A server that is told on which port to listen; gives its address when it says that it is well."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with process(*arguments, "--host", "127.0.0.1", "--port", str(port), cwd=cwd, log=log, env=env) as running:
        deadline = time.monotonic() + START
        while True:
            try:
                with build_opener(ProxyHandler({})).open(f"http://127.0.0.1:{port}/health", timeout=LONG):
                    break
            except OSError:
                assert running.poll() is None, read(log)
                assert time.monotonic() < deadline, read(log)
                time.sleep(0.2)
        yield f"127.0.0.1:{port}"


def vllm_options(model: Path, device: str) -> list[str]:
    """Options of vLLM's own server: small, and nothing compiled."""
    options = ["--model", str(model), "--max-model-len", "4096", "--max-num-seqs", "8"]
    options += ["--enforce-eager", "--no-enable-prefix-caching"]
    return options + (["--dtype", "float32"] if device == "cpu" else ["--gpu-memory-utilization", "0.3"])


def read(log: Path) -> str:
    """What a process has written so far."""
    return log.read_text(encoding="utf-8", errors="replace")


def ask(address: str, path: str, body: Any = None, *, timeout: float = LONG) -> Any:
    """The server's answer to a GET, or to a POST of `body`. Raises TimeoutError if there is none."""
    data = None if body is None else json.dumps(body).encode()
    request = Request(f"http://{address}{path}", data=data, headers={"Content-Type": "application/json"})
    try:
        with build_opener(ProxyHandler({})).open(request, timeout=timeout) as answer:
            return json.load(answer)
    except HTTPError as error:
        raise AssertionError(f"{path}: {error.code}: {error.read().decode(errors='replace')}") from error


def is_paused(address: str) -> bool:
    """What the engine itself says."""
    paused: bool = ask(address, "/is_paused")["is_paused"]
    return paused


def wait_until(said: str, log: Path, running: subprocess.Popen[bytes]) -> None:
    """Returns when a process has written `said`. Raises AssertionError if it does not."""
    deadline = time.monotonic() + RUN
    while said not in read(log):
        assert running.poll() is None, read(log)
        assert time.monotonic() < deadline, read(log)
        time.sleep(0.05)
