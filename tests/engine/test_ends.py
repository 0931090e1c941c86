"""Nothing is left of what the tests start: not when they pass, not when one fails, not after Ctrl-C."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.engine.processes import environment

PATIENCE = 60.0

TESTS = '''\
import signal
import time
from pathlib import Path

import pytest

from tests.engine.processes import process, wait_until

STARTS = """
import signal, socket, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it does not go when it is asked to
port = socket.create_server(("127.0.0.1", 0))
port.set_inheritable(True)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], close_fds=False)
print(port.getsockname()[1], flush=True)
time.sleep(600)
"""


@pytest.fixture
def started(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.engine.processes.END", 1.0)
    log = Path("log")
    with process("-c", STARTS, cwd=tmp_path, log=log) as running:
        wait_until("\\n", log, running)
        Path("group").write_text(str(running.pid))
        yield


def test_it(started):
    Path("begun").touch()
    {body}
'''


def left(group: int) -> list[str]:
    """The processes of a group, without those that have ended and that nobody has asked after yet."""
    listed = subprocess.run(["ps", "-A", "-o", "pgid=,stat=,args="], capture_output=True, check=True)
    rows = [line.split(maxsplit=2) for line in listed.stdout.decode(errors="replace").splitlines()]
    return [" ".join(args) for pgid, stat, *args in rows if pgid == str(group) and not stat.startswith("Z")]


@pytest.mark.parametrize(
    "body, code", [("pass", 0), ("assert False", 1), ("time.sleep(600)", 2)], ids=["passes", "fails", "interrupted"]
)
def test_nothing_is_left(body: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text(TESTS.replace("{body}", body), encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_one.py"]
    tests = subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        # A shell has what it starts in the background ignore Ctrl-C (POSIX, 2.11), and that is inherited.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        deadline = time.monotonic() + PATIENCE
        while not (tmp_path / "begun").exists():
            assert tests.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        if code == 2:
            tests.send_signal(signal.SIGINT)
        out, _ = tests.communicate(timeout=PATIENCE)
    finally:
        tests.kill()
        tests.wait()
    assert tests.returncode == code, out.decode()
    time.sleep(0.2)
    assert left(int((tmp_path / "group").read_text())) == []
    port = int((tmp_path / "log").read_text())
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0
