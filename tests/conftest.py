"""What several test files share: a released trainer, as it is and fixed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import settings

from benchmarks.corpus import fetch, unpack
from tests.helpers.commands import Done, pause_lint

settings.register_profile("default", deadline=None)  # how long a machine takes is no property
settings.load_profile("default")


@pytest.fixture(scope="session")
def areal_wheel(pytestconfig: pytest.Config) -> Path:
    """The released wheel: downloaded once, kept with what pytest keeps between runs."""
    cache = pytestconfig.cache
    assert cache is not None
    return fetch(cache.mkdir("areal"))


@pytest.fixture(scope="session")
def areal(areal_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that holds the package `areal` as it was released. Not to be written to."""
    return unpack(areal_wheel, tmp_path_factory.mktemp("released")).parent


@pytest.fixture(scope="session")
def areal_fix(areal: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """The same folder after one `fix areal`, and what that command said. Not to be written to."""
    folder = tmp_path_factory.mktemp("fixed")
    shutil.copytree(areal, folder, dirs_exist_ok=True)
    return folder, pause_lint("fix", "areal", cwd=folder)


@pytest.fixture(scope="session")
def areal_fixed(areal_fix: tuple[Path, Done]) -> Path:
    """The folder after `fix areal`."""
    return areal_fix[0]
