"""Presets that a tree seems to want are suggested, in one line, and report nothing until they are chosen."""

from __future__ import annotations

from pathlib import Path

import pytest

from pause_lint.pairs import PRESETS
from pause_lint.suggest import suggested
from tests.helpers.commands import pause_lint

TRAINER = """\
def update(rollout_engine, weights):
    rollout_engine.sleep()
    load(weights)
    rollout_engine.wake_up()
"""


@pytest.mark.parametrize(
    "call, preset",
    [
        ("self.llm.sleep(level=1)", "vllm"),
        ("ray.get(engines[0].release_memory_occupation.remote())", "sglang"),
        ("rollout_manager.offload()", "lifecycle"),
        ("self.client.start_weight_update()", "update-session"),
        ("ray.get(self.rollout_engine_lock.acquire.remote())", "lock"),
        ("self.checkpoint_manager.sleep_replicas()", "verl"),
    ],
)
def test_a_pausing_call_on_a_fitting_receiver_suggests(call: str, preset: str) -> None:
    assert preset in suggested([f"# rollout\n{call}".encode()])


@pytest.mark.parametrize(
    "text",
    [
        "rollout(); time.sleep(1)",
        "rollout(); self.profiler.pause()",
        "rollout(); lock.acquire()",
        "rollout(); def sleep(self): pass",
        "rollout(); names = ['engine.sleep']",
        "rollout(); engine.pause_generation()",
        "engine.sleep()  # in a file that speaks of nothing of the kind",
    ],
)
def test_other_calls_do_not(text: str) -> None:
    assert suggested([text.encode()]) == ()


def test_every_preset_can_be_suggested_but_the_one_that_is_on() -> None:
    names = {name for name in PRESETS if name != "default"}
    calls = [f"rollout_engine_lock.{min(pair.pauses)}()" for name in names for pair in PRESETS[name]]
    assert set(suggested([f"rollout\n{call}".encode() for call in calls])) == names


def test_check_says_so_in_one_line_and_reports_nothing(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "trainer.py").write_text(TRAINER)
    done = pause_lint("check", ".", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "No findings in 1 file.\nMore is paused here than the default preset knows. To check that too: --preset vllm\n"
    )
    assert pause_lint("check", "-q", ".", cwd=tmp_path).out == ""
    assert "More is paused" not in pause_lint("check", "--output-format", "json", ".", cwd=tmp_path).out


@pytest.mark.parametrize("option", [("--preset", "sglang"), ("--pair", "drain:undrain"), ("--output-format", "sarif")])
def test_nothing_is_suggested_once_something_is_chosen_or_to_programs(tmp_path: Path, option: tuple[str, str]) -> None:
    """As docs/configuration.md has it."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "trainer.py").write_text(TRAINER)
    assert "More is paused" in pause_lint("check", "trainer.py", cwd=tmp_path).out
    done = pause_lint("check", *option, "trainer.py", cwd=tmp_path)
    assert "More is paused" not in done.out + done.err
    done = pause_lint("check", "-", "--stdin-filename", "trainer.py", cwd=tmp_path, stdin=TRAINER.encode())
    assert "More is paused" not in done.out + done.err


def test_a_chosen_preset_reports_and_is_not_suggested(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.pause_lint]\npresets = ["vllm"]\n')
    (tmp_path / "trainer.py").write_text(TRAINER)
    done = pause_lint("check", ".", cwd=tmp_path)
    assert done.code == 1
    assert "trainer.py:2:5: PR001" in done.out
    assert "More is paused" not in done.out
