"""A released trainer, `areal==1.0.4`: what is found, what the fix makes of it, and that flake8 says the same."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.commands import Done, flake8, pause_lint
from tests.helpers.execution import Outcome, Unmatched, method_of, outcome_of
from tests.helpers.fakes import Fake, World

FSDP = "areal/engine/fsdp_engine.py"
MEGATRON = "areal/engine/megatron_engine.py"
ARCHON = "areal/experimental/engine/archon_weight_sync.py"
SERVER = "areal/engine/vllm_ext/areal_vllm_server.py"
CONTROLLER = "areal/experimental/training_service/controller/controller.py"

FAULTY = {
    (FSDP, "FSDPEngine._update_weights_from_distributed"),
    (FSDP, "FSDPEngine._update_weights_from_disk"),
    (MEGATRON, "MegatronEngine._update_weights_from_distributed"),
    (MEGATRON, "MegatronEngine._update_weights_from_disk"),
    (ARCHON, "update_weights_from_distributed"),
    (ARCHON, "update_weights_from_disk"),
    (SERVER, "areal_update_weight"),
    (SERVER, "areal_update_weight_lora"),
    (SERVER, "areal_update_weight_xccl"),
    (SERVER, "areal_update_weight_lora_xccl"),
    (CONTROLLER, "update_weights"),
}

Places = list[tuple[str, int, int]]


@pytest.fixture(scope="module")
def checked(areal: Path) -> Any:
    done = pause_lint("check", "--output-format", "json", "areal", cwd=areal)
    assert done.code == 1, done.err
    return done.json


def pr001(report: Any) -> list[Any]:
    return [finding for finding in report["findings"] if finding["code"] == "PR001"]


def unqualified(finding: Any) -> tuple[str, str]:
    """A free function, or the controller's method, is known by its own name."""
    function = finding["function"]
    if finding["path"] in (FSDP, MEGATRON):
        return finding["path"], function
    return finding["path"], function.rpartition(".")[2]


def test_exactly_the_eleven_functions(checked: Any) -> None:
    assert Counter(map(unqualified, pr001(checked))) == Counter(FAULTY)
    assert checked["errors"] == []


def test_every_finding_stands_at_a_pause(areal: Path, checked: Any) -> None:
    for finding in pr001(checked):
        lines = (areal / finding["path"]).read_text(encoding="utf-8").splitlines()
        assert (
            lines[finding["line"] - 1][finding["column"] - 1 :]
            .lstrip()
            .removeprefix("await ")
            .partition("(")[0]
            .endswith("pause_generation")
        )


def test_fixed_tree_is_clean(areal_fix: tuple[Path, Done]) -> None:
    folder, fixed = areal_fix
    assert fixed.code == 0, fixed.out + fixed.err
    again = pause_lint("check", "areal", cwd=folder)
    assert (again.code, again.err) == (0, ""), again.out


def test_only_the_five_files_change_and_all_compile(areal: Path, areal_fixed: Path) -> None:
    before = {path.relative_to(areal) for path in areal.rglob("*") if path.is_file()}
    after = {path.relative_to(areal_fixed) for path in areal_fixed.rglob("*") if path.is_file()}
    assert before == after
    changed = {path.as_posix() for path in before if (areal / path).read_bytes() != (areal_fixed / path).read_bytes()}
    assert changed == {path for path, _ in FAULTY}
    for path in sorted(areal_fixed.rglob("*.py")):
        compile(path.read_bytes(), str(path), "exec", dont_inherit=True)


def test_fixing_twice_changes_nothing(areal_fixed: Path) -> None:
    before = {path: path.read_bytes() for path in areal_fixed.rglob("*.py")}
    assert pause_lint("fix", "areal", cwd=areal_fixed).code == 0
    assert {path: path.read_bytes() for path in areal_fixed.rglob("*.py")} == before


# The disk path of FSDP, cut out of the file and run with fakes.

SAVE = "self._save_model_to_hf"
FUTURE = "self.rollout_engine.update_weights_from_disk()#1.result"
NAME_SERVICE = "name_resolve.add"
PAUSE = "self.rollout_engine.pause_generation"
RESUME = "self.rollout_engine.continue_generation"


def disk_update(folder: Path, rank: int, failing: str | None = None, error: BaseException | None = None) -> Outcome:
    """Runs `_update_weights_from_disk` as it stands in `folder`, where the call of `failing` raises."""
    world = World(fails=lambda number, what: what == failing, answers={"dist.get_rank": rank})
    world.error = error or world.error
    method = method_of((folder / FSDP).read_text(encoding="utf-8"), "FSDPEngine", "_update_weights_from_disk", world)
    return outcome_of(world, lambda: method(Fake(world, "self"), Fake(world, "meta")))


@pytest.mark.parametrize("rank", [0, 1])
def test_disk_path_does_the_same_in_the_same_order(areal: Path, areal_fixed: Path, rank: int) -> None:
    before, after = disk_update(areal, rank), disk_update(areal_fixed, rank)
    assert before.error is None
    assert after.error is None
    assert before.world.calls == after.world.calls
    assert (PAUSE in after.world.calls) == (rank == 0)
    assert SAVE in after.world.calls
    assert after.world.calls[-2:] == ["current_platform.synchronize", "dist.barrier"]


@pytest.mark.parametrize("failing", [SAVE, FUTURE, NAME_SERVICE])
@pytest.mark.parametrize("error", [OSError(28, "no space left on device"), Unmatched("unmatched")], ids=repr)
def test_disk_path_resumes_once_when_it_fails(
    areal: Path, areal_fixed: Path, failing: str, error: BaseException
) -> None:
    before, after = disk_update(areal, 0, failing, error), disk_update(areal_fixed, 0, failing, error)
    assert before.error is error
    assert before.world.paused, "the release would not need the fix"
    assert after.error is error
    assert after.world.calls == [*before.world.calls, RESUME]
    assert not after.world.paused


@pytest.mark.parametrize("failing", [None, SAVE])
def test_disk_path_leaves_other_ranks_alone(areal_fixed: Path, failing: str | None) -> None:
    outcome = disk_update(areal_fixed, 1, failing)
    assert (outcome.error is None) == (failing is None)
    assert PAUSE not in outcome.world.calls
    assert RESUME not in outcome.world.calls


def test_disk_path_reads_as_its_maintainers_would_have_written_it(areal_fixed: Path) -> None:
    source = (areal_fixed / FSDP).read_text(encoding="utf-8")
    [method] = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.name == "_update_weights_from_disk"
    ]
    pause, guarded, synchronize, barrier = method.body[1:]
    assert ast.unparse(pause) == f"if dist.get_rank() == 0:\n    {PAUSE}()"
    assert isinstance(guarded, ast.Try)
    assert "fut.result()" in ast.unparse(guarded.body[-1])
    assert [ast.unparse(part) for part in guarded.finalbody] == [f"if dist.get_rank() == 0:\n    {RESUME}()"]
    assert ast.unparse(synchronize) == "current_platform.synchronize()"
    assert ast.unparse(barrier) == "dist.barrier(group=self.cpu_group)"


# flake8, on the same tree.


def places(done: Done) -> Places:
    """Where flake8 says PR001, in order."""
    found = re.findall(r"^(?:\./)?(.+?):(\d+):(\d+): PR001 ", done.out, flags=re.MULTILINE)
    return sorted((path, int(line), int(column)) for path, line, column in found)


@pytest.fixture(scope="module")
def expected(checked: Any) -> Places:
    return sorted((finding["path"], finding["line"], finding["column"]) for finding in pr001(checked))


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_flake8_says_the_same(areal: Path, expected: Places, jobs: str) -> None:
    done = flake8("--select", "PR001", "-j", jobs, "areal", cwd=areal)
    assert done.code == 1, done.err
    assert places(done) == expected


def test_flake8_says_the_same_of_standard_input(areal: Path, expected: Places) -> None:
    found: Places = []
    for path in sorted({path for path, _ in FAULTY}):
        data = (areal / path).read_bytes()
        found += places(flake8("--select", "PR001", "--stdin-display-name", path, "-", cwd=areal, stdin=data))
    assert sorted(found) == expected


def test_flake8_says_the_same_with_an_extended_selection(areal: Path, expected: Places, tmp_path: Path) -> None:
    config = tmp_path / "flake8.cfg"
    config.write_text("[flake8]\nextend-select = PR\nextend-ignore = E, W, F, C\n", encoding="utf-8")
    paths = sorted({path for path, _ in FAULTY})
    assert places(flake8("--config", config, *paths, cwd=areal)) == expected


def test_a_selection_without_it_turns_it_off(areal: Path, tmp_path: Path) -> None:
    """What the README says of `select =`."""
    config = tmp_path / "flake8.cfg"
    config.write_text("[flake8]\nselect = E9\n", encoding="utf-8")
    assert flake8("--config", config, FSDP, cwd=areal).out == ""
