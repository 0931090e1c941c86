"""The labelled cases of `tests/cases`: what their two header lines say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "cases"

_EXPECT = re.compile(r"# expect: (?:clean|PR001 at line (?P<line>\d+) \(function (?P<function>\w+)\)) — .+")
_TIER = re.compile(r"# tier: (?P<tier>core|strict|design|interproc|semantic)")


@dataclass(frozen=True, slots=True)
class Case:
    """One file. `line` and `function` are None where nothing is to be found."""

    path: Path
    tier: str
    line: int | None
    function: str | None

    @property
    def data(self) -> bytes:
        """The file as it stands."""
        return self.path.read_bytes()

    @property
    def faulty(self) -> bool:
        """Whether there is something to find."""
        return self.line is not None


def all_cases() -> list[Case]:
    """Every case, by name. Raises ValueError for a file without the two header lines."""
    return [_read(path) for path in sorted(FOLDER.glob("*.py"))]


def _read(path: Path) -> Case:
    first, second, *_ = path.read_text(encoding="utf-8").splitlines()
    expect, tier = _EXPECT.fullmatch(first), _TIER.fullmatch(second)
    if expect is None or tier is None:
        raise ValueError(f"{path.name} does not begin with its `expect` and `tier` lines")
    line = int(expect["line"]) if expect["line"] else None
    return Case(path, tier["tier"], line, expect["function"])
