"""The report on a real engine: the example's server with vLLM behind it, its trainer with FSDP2, one rank and two."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from tests.engine import devices
from tests.engine.conftest import Way
from tests.engine.processes import SHORT
from tests.engine.trainers import assert_answers, assert_hangs, rollouts, tokens, train

UPDATES = 10


@pytest.fixture(params=[1, 2], ids=["one rank", "two ranks"])
def ranks(request: pytest.FixtureRequest, device: str, npus: devices.Found) -> int:
    """How many ranks train. On NPUs each needs one of its own."""
    number: int = request.param
    if device == "npu" and npus.npus < number:
        pytest.skip(f"{number} ranks need as many NPUs; there is {npus.npus}")
    return number


def test_the_third_rollout_hangs(
    ways: dict[str, Way], address: str, model: Path, tmp_path: Path, device: str, ranks: int
) -> None:
    options = ("--steps", "3", "--patience", str(SHORT), "--device", device)
    trained = train(ways["before"], address, model, tmp_path, *options, ranks=ranks)
    assert trained.code == 1, trained.text
    assert [(line["step"], bool(line["rollout"])) for line in trained.lines if "rollout" in line] == [
        (1, True),
        (2, True),
        (3, False),
    ]
    # Nothing failed, and nothing was said.
    assert [line["update"] for line in trained.lines if "update" in line] == [None, None]
    assert_hangs(address)


@pytest.mark.parametrize("way", ["straight", "fix", "overlay"])
def test_no_rollout_is_lost_and_the_new_weights_are_served(
    ways: dict[str, Way], address: str, model: Path, tmp_path: Path, device: str, ranks: int, way: str
) -> None:
    before = tokens(address)
    options = ("--steps", str(UPDATES), "--verify", "--device", device)
    with rollouts(address) as made:
        trained = train(ways[way], address, model, tmp_path, *options, ranks=ranks)
    assert trained.code == 0, trained.text
    assert [line["update"] for line in trained.lines if "update" in line] == [None] * UPDATES

    assert made.errors == []
    assert len(made.answers) == made.asked > UPDATES
    assert {len(answer) for answer in made.answers} == {len(before)}

    checked = [line for line in trained.lines if "served" in line]
    assert [line["served"] for line in checked] == [line["reference"] for line in trained.lines if "reference" in line]
    assert len(checked) == UPDATES
    in_turn = [before, *[line["served"] for line in checked]]
    assert all(one != other for one, other in pairwise(in_turn))
    assert_answers(address)
