"""The report for people: it convinces, says what to do, and shows a terminal nothing but text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pause_lint.finding import Finding, Span, Step
from pause_lint.report.text import Page, block, help_text
from pause_lint.rules import RULES
from tests.helpers.commands import PROJECT, pause_lint
from tests.helpers.formats import STEERING
from tests.helpers.sources import FAULTY, write_hostile
from tests.helpers.terminal import Screen, on_terminal
from tests.report.conftest import Check

AREAL = PROJECT / "examples/areal_npu"
DISK = "tinyrl/fsdp_engine.py"
HOPS = [
    ("calls", "line 45", "RemoteEngine.update_weights_from_disk (declared as InferenceEngine)"),
    ("calls", "tinyrl/remote_engine.py:43:16", "hands on _update_weights_from_disk"),
    ("calls", "tinyrl/remote_engine.py:74:24", "calls _update_weights_from_disk._load"),
    ("calls", "tinyrl/remote_engine.py:70:20", "calls VLLMBackend.build_disk_requests (declared as Backend)"),
    ("requests", "tinyrl/vllm_remote.py:21:17", "makes a request to /areal_update_weights"),
    ("=== into the process that serves /areal_update_weights ===", "", ""),
    ("served", "tinyrl/server.py:57:1", "update_weights() runs"),
    ("paused", "tinyrl/server.py:59:11", "llm.pause_generation() pauses generation"),
    ("=== back in the process that made the request ===", "", ""),
    ("escapes", "line 48", "save_model() raises; no resume stands on the way out"),
]


def test_a_finding_across_processes_shows_every_hop_in_order() -> None:
    first = pause_lint("check", DISK, cwd=AREAL).out.split("\n\n")[0].splitlines()
    shown = first[first.index("   |         - escapes here") + 1 : -1]
    assert len(shown) == len(HOPS)
    number = 0
    for line, (label, place, message) in zip(shown, HOPS, strict=True):
        if not place:
            assert line.strip() == label
            continue
        number += 1
        assert re.fullmatch(rf"  {number}\. {label} +{re.escape(place)}: .*{re.escape(message)}.*", line), line


def test_the_same_in_one_line() -> None:
    first = pause_lint("check", "--output-format", "concise", DISK, cwd=AREAL).out.splitlines()[0]
    assert first.startswith(f"{DISK}:45:22: PR001 ")
    assert first.endswith(
        " [via tinyrl/fsdp_engine.py:45 -> tinyrl/remote_engine.py:43 -> tinyrl/remote_engine.py:74"
        " -> tinyrl/remote_engine.py:70 -> tinyrl/vllm_remote.py:21 => /areal_update_weights -> tinyrl/server.py:57"
        " -> tinyrl/server.py:59; escapes at tinyrl/fsdp_engine.py:48]"
    )


def test_the_way_through_a_condition_is_marked_where_it_turns(check: Check) -> None:
    Path("a.py").write_text(
        "def f(engine, ready):\n    engine.pause_generation()\n\n    if not ready:\n        return\n"
        "    engine.continue_generation()\n",
        encoding="utf-8",
    )
    assert check("text").out.splitlines()[1:13] == [
        "  |",
        "2 |     engine.pause_generation()",
        "  |     ^^^^^^^^^^^^^^^^^^^^^^^^^ paused here",
        "...",
        "4 |     if not ready:",
        "  |            - turns here",
        "5 |         return",
        "  |         - leaves here",
        "  1. paused  line 2: engine.pause_generation() pauses generation",
        "  2. turns   line 4: ready is false",
        "  3. leaves  line 5: the function returns here without a resume",
        "  help: resume in a `finally`, so that every way out of the function resumes; `pause-lint fix` writes that",
    ]


# What to do


def found(fix: str, note: str = "", code: str = "PR001") -> Finding:
    return Finding(code, "exception", "it hangs", "a.py", Span(1, 1, 1, 6), "f", fix=fix, fix_note=note)


@pytest.mark.parametrize(
    "finding, says",
    [
        (found("safe"), "; `pause-lint fix` writes that"),
        (found("unsafe", "it may"), "; `pause-lint fix` writes that only with `--unsafe-fixes`: it may"),
        (found("none", "it exists to pause"), "; `pause-lint fix` leaves it: it exists to pause"),
        (found("none", code="PR004"), " (by hand: there is no fix for PR004)"),
    ],
)
def test_help_says_what_to_do_and_whether_fix_does_it(finding: Finding, says: str) -> None:
    [advice] = [rule.advice for rule in RULES if rule.code == finding.code]
    assert help_text(finding) == advice + says
    assert block(finding, lambda path: ["pause"]).splitlines()[-1] == f"  help: {advice}{says}"


UNSAFE = """\
def swap(self, weights):
    self.servers.pause_generation()
    self.servers.load(weights)
"""
GUESS = "nothing in the project resumes this receiver; continue_generation is a guess"


def test_help_gives_the_reason_that_fix_gives(project: Path) -> None:
    (project / "a.py").write_text(UNSAFE, encoding="utf-8")
    helped = next(line for line in pause_lint("check", cwd=project).out.splitlines() if "help: " in line)
    refused = next(line for line in pause_lint("fix", cwd=project).out.splitlines() if "not fixed: " in line)
    reason = helped.rpartition("only with `--unsafe-fixes`: ")[2]
    assert reason == GUESS
    assert refused == f"  not fixed: the fix is unsafe: {reason}; --unsafe-fixes applies it"


# After `fix`


def test_fix_says_what_it_left_and_why_and_what_it_guessed(project: Path) -> None:
    (project / "a.py").write_text(f"{FAULTY}\n\n{UNSAFE}\n\nx = 1  # noqa: PR001\n", encoding="utf-8")
    done = pause_lint("fix", cwd=project)
    assert done.code == 1
    fixed, *left, last = done.out.splitlines()
    assert re.fullmatch(r"a\.py:2:5: PR001 .* \[fixed\]", fixed)
    assert [line for line in left if line.startswith("  not fixed: ")] == [
        f"  not fixed: the fix is unsafe: {GUESS}; --unsafe-fixes applies it",
        "  not fixed: delete or correct the comment",
    ]
    assert "   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ paused here" in left
    assert last == "Fixed 1 finding in 1 file, 2 not fixed (1 fixable with `--unsafe-fixes`)."
    assert pause_lint("fix", "--output-format", "json", cwd=project).json["findings"][0]["fix"] == "unsafe"

    guessed, *_, last = pause_lint("fix", "--unsafe-fixes", cwd=project).out.splitlines()
    assert guessed.endswith(f" [fixed, unsafe: {GUESS}]")
    assert last == "Fixed 1 finding in 1 file, 1 not fixed."


# On a terminal

SEQUENCE = re.compile(r"\x1b\[\d+(;\d+)*m")
"""What colours are made of."""


@pytest.mark.parametrize("name", ["text", "concise"])
@pytest.mark.parametrize("columns", [60, 80, 200])
def test_hostile_code_and_names_reach_a_terminal_as_text(project: Path, name: str, columns: int) -> None:
    write_hostile(project)
    written = on_terminal("pause-lint", "check", "--output-format", name, cwd=project, columns=columns)
    plain = SEQUENCE.sub("", written)
    assert plain != written
    assert not STEERING.search(plain)
    assert plain.count(": PR001 ") == 3
    screen = Screen(written, columns)
    assert screen.title == ""
    code = [line for line in plain.splitlines() if re.match(r" *\d* \|", line)]
    assert (code != []) == (name == "text")
    assert all(len(Screen(line, columns).rows) == 1 or not Screen(line, columns).rows[1] for line in code)
    if name == "text":
        assert screen.above().startswith('engines["</script><img src=x')


@pytest.mark.parametrize(
    "command",
    [("fix", "--diff"), ("fix",), ("fix", "--add-noqa", "--diff"), ("check", "-v", "--statistics"), ("baseline",)],
    ids=" ".join,
)
def test_nothing_else_steers_it_either(project: Path, command: tuple[str, ...]) -> None:
    write_hostile(project)
    (project / "test_\x1b[2J.py").write_text("", encoding="utf-8")
    plain = SEQUENCE.sub("", on_terminal("pause-lint", *command, cwd=project, columns=100))
    assert plain.strip()
    assert not STEERING.search(plain)


def test_a_diff_on_a_terminal_is_coloured_and_in_a_pipe_it_can_be_applied(project: Path) -> None:
    (project / "a.py").write_text(FAULTY.replace("path", "path='\x1b[2J'"), encoding="utf-8")
    seen = on_terminal("pause-lint", "fix", "--diff", cwd=project)
    assert "\x1b[32m+    try:\x1b[0m\n" in seen
    assert "engine.load(path='\\x1b[2J')" in seen
    assert "engine.load(path='\x1b[2J')" in pause_lint("fix", "--diff", cwd=project).out


def test_what_does_not_fit_beside_the_carets_stands_below_them() -> None:
    finding = Finding(
        "PR001", "exception", "m", "a.py", Span(1, 5, 1, 30), "f", (Step("a.py", 1, 5, "m", "pause", "f"),)
    )
    lines = ["    engine.pause_generation()"]
    assert block(finding, lambda path: lines, Page(columns=34)).splitlines()[1:5] == [
        "  |",
        "1 |     engine.pause_generation()",
        "  |     ^^^^^^^^^^^^^^^^^^^^^^^^^",
        "  |     paused here",
    ]


def test_a_pipe_gets_the_same_whatever_terminal_it_is_made_on(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "a.py").write_text(FAULTY.replace("reload(", "reload(  " + "x" * 200 + ", "), encoding="utf-8")
    outputs = set()
    for columns in ("40", "200"):
        monkeypatch.setenv("COLUMNS", columns)
        outputs.add(pause_lint("check", cwd=project).out)
    assert len(outputs) == 1
