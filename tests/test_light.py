"""What `check` costs before it has looked at anything: it imports only the standard library, and little of that."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """\
import sys
before = set(sys.modules)
from pause_lint.cli import main
code = main(sys.argv[1:])
sys.stderr.write("\\n".join(sorted(set(sys.modules) - before)))
sys.exit(code)
"""
HEAVY = {
    "asyncio",
    "concurrent.futures",
    "dataclasses",
    "difflib",
    "email",
    "inspect",
    "json",
    "logging",
    "multiprocessing",
    "pathlib",
}
HEAVY |= {"socket", "subprocess", "tempfile", "tomllib", "configparser", "unittest", "urllib"}


@pytest.mark.parametrize("faulty", [True, False])
def test_check_imports_nothing_outside_the_standard_library(tmp_path: Path, faulty: bool) -> None:
    lines = ["def f(engine):", "    engine.pause_generation()", "    engine.load()", "    engine.continue_generation()"]
    text = "\n".join(lines if faulty else [])
    (tmp_path / "a.py").write_text(text + "\n", encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'a'\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "check", "."], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == int(faulty), done.stderr
    imported = set(done.stderr.split())
    foreign = {name.partition(".")[0] for name in imported} - sys.stdlib_module_names - {"pause_lint"}
    assert foreign == set()
    assert imported & HEAVY == set()
    assert "pause_lint.fixing.rewrite" not in imported
    # Only what was asked for: no baseline, no history.
    assert (
        imported & {f"pause_lint.{name}" for name in ("baseline", "changed", "guide", "history", "identity")} == set()
    )
    # Nothing to show: then what shows findings is not, either.
    shows = {f"pause_lint.report.{name}" for name in ("text", "excerpt", "witness")}
    assert imported & shows == (shows if faulty else set())
    # Nothing to analyse: then the analysis is not even imported.
    assert ("pause_lint.analysis.program" in imported) == faulty
