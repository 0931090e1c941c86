"""The toy package."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.patches.toy import Toy, toy_in


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    """A toy that is not to be written to."""
    return toy_in(tmp_path_factory.mktemp("toy"))


@pytest.fixture
def toy(made_once: Toy, tmp_path: Path) -> Toy:
    """A toy of one's own."""
    shutil.copytree(made_once.folder, tmp_path, dirs_exist_ok=True)
    return Toy(tmp_path)
