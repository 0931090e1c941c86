"""The device, the model, the servers, and the example in its four ways."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.engine import devices
from tests.engine.processes import ask, environment, server
from tests.helpers.commands import PROJECT, pause_lint, run

EXAMPLE = PROJECT / "examples/areal_npu"
FSDP = "tinyrl/fsdp_engine.py"
WAITS = "            loaded.result()\n"
STRAIGHT = WAITS + "            self.rollout_engine.continue_generation()\n"
"""The correction that comes to mind: resume after the wait. Nothing else is as in anyone's code."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--device`."""
    parser.addoption("--device", choices=["cpu", "npu"], help="default: an NPU if there is one, else the CPU")


@pytest.fixture(scope="session")
def npus() -> devices.Found:
    """The NPUs of this machine."""
    return devices.npus()


@pytest.fixture(scope="session")
def device(pytestconfig: pytest.Config, npus: devices.Found) -> str:
    """`cpu` or `npu`."""
    asked: str | None = pytestconfig.getoption("device")
    if asked == "npu" and npus.reason:
        pytest.exit(f"--device npu: {npus.reason}", returncode=2)
    return asked or ("cpu" if npus.reason else "npu")


@pytest.fixture(autouse=True)
def _npu_only(request: pytest.FixtureRequest) -> None:
    """Tests marked `npu` are skipped without one, for the reason that there is."""
    if request.node.get_closest_marker("npu") is None:
        return
    found: devices.Found = request.getfixturevalue("npus")
    if found.reason:
        pytest.skip(found.reason)
    if request.getfixturevalue("device") != "npu":
        pytest.skip("--device cpu")


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the model."""
    folder = tmp_path_factory.mktemp("model") / "tiny"
    made = run(sys.executable, "-m", "tests.engine.programs.model", folder, cwd=PROJECT, env=environment())
    assert made.code == 0, made.err
    return folder


@dataclass(frozen=True, slots=True)
class Way:
    """The example as a trainer runs it. tree: its folder. path: what comes first on PYTHONPATH."""

    tree: Path
    path: tuple[Path, ...] = ()

    @property
    def env(self) -> dict[str, str]:
        """The environment of the trainer."""
        return environment(*self.path, more={"PAUSE_LINT_CACHE": str(self.tree.parent / "cache")})


WAYS = ("before", "straight", "fix", "overlay")


def copied(folder: Path) -> Path:
    """A copy of the example."""
    return Path(shutil.copytree(EXAMPLE, folder / "areal_npu", ignore=shutil.ignore_patterns("__pycache__")))


@pytest.fixture(scope="session")
def ways(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Way]:
    """By name: as it stands, resumed in a straight line, after `pause-lint fix`, and under the overlay."""
    straight = copied(tmp_path_factory.mktemp("straight"))
    text = (straight / FSDP).read_text(encoding="utf-8")
    assert text.count(WAITS) == 1
    (straight / FSDP).write_text(text.replace(WAITS, STRAIGHT), encoding="utf-8")

    fixed = copied(tmp_path_factory.mktemp("fix"))
    done = pause_lint("fix", ".", cwd=fixed)
    assert done.code == 0, done.out + done.err

    overlaid = copied(tmp_path_factory.mktemp("overlay"))
    patches = overlaid.parent / "patches"
    shutil.copytree(PROJECT / "patches", patches, ignore=shutil.ignore_patterns("areal", "__pycache__"))
    tree = str(overlaid / "tinyrl")
    made = run(sys.executable, "-m", "patches.make", "1.0", tree, "--origin", "the example", cwd=overlaid.parent)
    assert made.code == 0, made.err
    return {
        "before": Way(copied(tmp_path_factory.mktemp("before"))),
        "straight": Way(straight),
        "fix": Way(fixed),
        "overlay": Way(overlaid, (patches / "overlay",)),
    }


class Servers:
    """The example's server on vLLM: one for all tests, and another one if a test was the end of it."""

    def __init__(self, model: Path, device: str, folder: Path) -> None:
        self.model = model
        self.device = device
        self.folder = folder
        self.started = 0
        self._stack = ExitStack()
        self._address = ""

    def fresh(self) -> str:
        """The address of a server that answers, with the weights it began with."""
        if self._address and self._is_well():
            return self._address
        self.close()
        self.started += 1
        program = ("-m", "tests.engine.programs.serve", EXAMPLE, self.model, self.device)
        log = self.folder / f"server-{self.started}.log"
        self._address = self._stack.enter_context(server(*program, cwd=self.folder, log=log))
        assert self._is_well(), log.read_text(encoding="utf-8")
        return self._address

    def _is_well(self) -> bool:
        try:
            ask(self._address, "/control", {})
            ask(self._address, "/areal_update_weights", {"model_path": str(self.model)})
            ask(self._address, "/areal_continue_generation", {})
            ask(self._address, "/generate", {"prompt": "the engine"})
        except (OSError, AssertionError):
            return False
        return True

    def close(self) -> None:
        """Ends it."""
        self._stack.close()


@pytest.fixture(scope="session")
def servers(model: Path, device: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """What starts the server, and ends it."""
    kept = Servers(model, device, tmp_path_factory.mktemp("server"))
    try:
        yield kept
    finally:
        kept.close()


@pytest.fixture
def address(servers: Servers) -> str:
    """The server that the example's trainer speaks to: not paused, with the weights it began with."""
    return servers.fresh()


def pytest_report_header() -> str:
    """Says what the device was chosen by."""
    found = devices.npus()
    return f"NPU: {found.reason or found.npus}; {len(os.sched_getaffinity(0))} cores"
