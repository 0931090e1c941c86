"""The functions of `tests/analysis/rules`: every front end finds what their comments say, and `fix` cures it."""

from __future__ import annotations

import ast
import io
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from pause_lint.check import check_source
from pause_lint.cli import main
from pause_lint.config import Options
from pause_lint.finding import Finding
from pause_lint.fixing import fix_source
from pause_lint.fixing.forecast import forecast
from pause_lint.fixing.spellings import Spellings
from pause_lint.flake8_plugin import Checker
from tests.analysis.rules import (
    call_shapes,
    cleanup,
    fanouts,
    guards,
    locks,
    loops,
    no_defects,
    owners,
    phases,
    portions,
    raising,
    receivers,
    sessions,
    spellings,
)
from tests.helpers.marked import Snippet

OF_PAIRS = (receivers, spellings, portions, phases, owners, locks, sessions, fanouts)
"""What differs from pair to pair: the presets."""
MODULES = (call_shapes, raising, guards, loops, cleanup, no_defects, *OF_PAIRS)
SECTIONS = [section for module in MODULES for section in module.SECTIONS]
SNIPPETS = [(section.title, snippet) for section in SECTIONS for snippet in section.snippets()]
PATH = "example.py"
FIXABLE = {"PR001", "PR002", "PR003"}


def found(source: str, options: Options, path: str = PATH) -> list[Finding]:
    report = check_source(source.encode(), path, options)
    assert not report.problems
    return list(report.findings)


def places(findings: list[Finding]) -> list[tuple[int, str]]:
    return [(finding.span.line, finding.code) for finding in findings]


def parameters(failing: str = "") -> Sequence[object]:
    """The functions as parameters of a test, with those that must fail it marked: `wrong`, `unfixed`, `unforetold`."""
    chosen = []
    for title, snippet in SNIPPETS:
        reason = getattr(snippet, failing) if failing else None
        marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
        chosen.append(pytest.param(snippet, id=f"{title}: {snippet.name}", marks=marks))
    return chosen


def test_at_least_half_are_left_alone() -> None:
    assert len(SNIPPETS) >= 250
    assert sum(not snippet.expected for _, snippet in SNIPPETS) * 2 >= len(SNIPPETS)


@pytest.mark.parametrize("module", OF_PAIRS, ids=lambda module: module.__name__.rpartition(".")[2])
def test_at_least_half_are_left_alone_in_every_file_about_pairs(module: ModuleType) -> None:
    snippets = [snippet for section in module.SECTIONS for snippet in section.snippets()]
    assert any(snippet.expected for snippet in snippets)
    assert sum(not snippet.expected for snippet in snippets) * 2 >= len(snippets)


@pytest.mark.parametrize("snippet", parameters("wrong"))
def test_what_is_reported(snippet: Snippet) -> None:
    assert places(found(snippet.source, snippet.options)) == snippet.expected


@pytest.mark.parametrize("snippet", parameters())
def test_every_front_end_finds_the_same(
    snippet: Snippet, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    findings = found(snippet.source, snippet.options)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(snippet.source.encode())))
    presets = [argument for preset in snippet.presets for argument in ("--preset", preset)]
    code = main(["check", "-", "--stdin-filename", PATH, "--output-format", "json", *presets])
    printed = json.loads(capsys.readouterr().out)["findings"]
    assert [(one["line"], one["column"], one["code"], one["message"]) for one in printed] == [
        (one.span.line, one.span.column, one.code, one.message) for one in findings
    ]
    assert code == (1 if findings else 0)

    monkeypatch.setattr(Checker, "options", snippet.options)
    monkeypatch.setattr(Checker, "stems", [""])
    checker = Checker(ast.parse(snippet.source), PATH, snippet.source.splitlines(keepends=True))
    assert sorted((line, column + 1, text) for line, column, text, _ in checker.run()) == [
        (one.span.line, one.span.column, f"{one.code} {one.message}") for one in findings
    ]


@pytest.mark.parametrize("snippet", parameters())
def test_a_comment_on_its_line_hides_it(snippet: Snippet) -> None:
    lines = snippet.source.splitlines()
    for finding in found(snippet.source, snippet.options):
        place = finding.span.line - 1
        lines[place] = lines[place].partition("  # PR")[0] + f"  # noqa: {finding.code}"
    assert found("\n".join(lines), snippet.options) == []


@pytest.mark.parametrize("snippet", parameters("unfixed"))
def test_a_fix_cures_it(snippet: Snippet) -> None:
    first = fix_source(snippet.source.encode(), PATH, snippet.options, unsafe=True)
    compile(first.data, PATH, "exec")
    left = {finding.code for finding in found(first.data.decode(), snippet.options)} & FIXABLE
    assert bool(first.unfixed) is bool(left)
    if snippet.expected or not snippet.wrong:  # of a false alarm there is nothing to cure
        assert bool(left) is (snippet.unfixable is not None)
    assert fix_source(first.data, PATH, snippet.options, unsafe=True).data == first.data


@pytest.mark.parametrize("snippet", parameters("unforetold"))
def test_check_foretells_what_fix_does(snippet: Snippet) -> None:
    spellings, source = Spellings(), snippet.source.encode()
    report = check_source(source, PATH, snippet.options, told=lambda case: forecast(case, spellings))
    foretold = Counter(finding.fix for finding in report.findings)
    assert len(fix_source(source, PATH, snippet.options, unsafe=False).fixed) == foretold["safe"]
    every = fix_source(source, PATH, snippet.options, unsafe=True).fixed
    assert len(every) == foretold["safe"] + foretold["unsafe"]


@pytest.mark.parametrize("name", ["hold_it", "make_paused", "both_of_them"])
def test_what_exists_to_pause_is_said_to(name: str) -> None:
    (snippet,) = (snippet for _, snippet in SNIPPETS if f"def {name}(" in snippet.source)
    left = fix_source(snippet.source.encode(), PATH, snippet.options, unsafe=True).unfixed
    assert {reason for _, reason in left} == {"it exists to pause; resume where it is called"}


@pytest.mark.parametrize("path", ["test_engine.py", "engine_test.py", "conftest.py", "tests/engine.py"])
def test_files_of_tests_are_left_alone_unless_asked_for(path: str) -> None:
    source = "def reload(engine):\n    engine.pause_generation()\n    work()\n"
    assert found(source, Options(), path) == []
    assert places(found(source, Options(include_tests=True), path)) == [(2, "PR001")]


@pytest.mark.parametrize(
    "source",
    [
        "def test_reload(engine):\n    engine.pause_generation()\n    work()\n",
        "class EngineTest(unittest.TestCase):\n    def run(self):\n        self.x.pause_generation()\n        work()\n",
    ],
)
def test_functions_of_tests_are_left_alone_unless_asked_for(source: str) -> None:
    assert found(source, Options()) == []
    assert [finding.code for finding in found(source, Options(include_tests=True))] == ["PR001"]


def test_a_call_can_be_declared_quiet() -> None:
    source = "def reload(engine):\n    engine.pause_generation()\n    work()\n    engine.continue_generation()\n"
    assert places(found(source, Options())) == [(2, "PR001")]
    assert found(source, Options(quiet_calls=frozenset({"work"}))) == []


def test_a_call_can_be_declared_stable() -> None:
    source = """\
def reload(engine):
    if is_driver():
        engine.pause_generation()
    try:
        work()
    finally:
        if is_driver():
            engine.continue_generation()
"""
    assert places(found(source, Options())) == [(3, "PR001")]
    assert found(source, Options(stable_calls=frozenset({"is_driver"}))) == []


SYNCHRONOUS_BESIDE_ASYNCHRONOUS = """\
class Engine:
    async def swap(self, engine, weights):
        await engine.pause_generation()
        try:
            await weights.load()
        finally:
            await engine.continue_generation()


def swap(engine, weights):
    engine.pause_generation()  # PR001
    weights.load()
    engine.continue_generation()


class Local:
    def swap(self, weights):
        self.engine.pause_generation()  # PR001
        weights.load()
        self.engine.continue_generation()


class Threaded:
    async def swap(self, weights):
        await asyncio.to_thread(self.engine.pause_generation)
        try:
            await asyncio.to_thread(weights.load)
        finally:
            await asyncio.to_thread(self.engine.continue_generation)

    def swap_here(self, weights):
        self.engine.pause_generation()  # PR001
        weights.load()
        self.engine.continue_generation()


class Remote:
    async def hold(self):
        await self.engine.pause_generation()  # PR001

    async def release(self):
        self.engine.continue_generation()  # PR004
"""


def test_a_receiver_written_alike_in_another_function_need_not_be_the_same_object() -> None:
    expected = [
        (number, line.rpartition("# ")[2])
        for number, line in enumerate(SYNCHRONOUS_BESIDE_ASYNCHRONOUS.splitlines(), 1)
        if "# PR" in line
    ]
    assert places(found(SYNCHRONOUS_BESIDE_ASYNCHRONOUS, Options())) == expected


@pytest.mark.parametrize(
    "body, event",
    [
        ("engine.pause_generation()\n        load()\n        engine.continue_generation()", "load() on line 4 raises"),
        ("engine.pause_generation()\n    engine.continue_generation()", "leaving the block of lock on line 2 raises"),
    ],
)
def test_leaving_a_with_block_comes_after_what_it_holds(body: str, event: str) -> None:
    source = f"def swap(engine, lock):\n    with lock:\n        {body}\n"
    assert [one.message.partition(" if ")[2] for one in found(source, Options())] == [event]


@pytest.mark.parametrize("options", sorted({snippet.options for _, snippet in SNIPPETS}, key=repr))
def test_functions_of_one_file_do_not_disturb_each_other(options: Options) -> None:
    source = ""
    expected: list[tuple[int, str]] = []
    for title, snippet in SNIPPETS:
        # What a decorator may make of the functions of the pair counts for the whole file.
        if snippet.options == options and not snippet.wrong and title != fanouts.DECORATED.title:
            before = source.count("\n")
            source += snippet.source + "\n\n"
            expected += [(before + line, code) for line, code in snippet.expected]
    assert places(found(source, options)) == expected


@pytest.mark.parametrize(
    "callback", ["engine.continue_generation", "lambda future: engine.continue_generation()", "release"]
)
def test_a_fix_resumes_only_what_no_callback_will(callback: str) -> None:
    before = f"""\
def swap(engine, weights):
    def release(future):
        {"engine.continue_generation()" if callback == "release" else "return future"}

    engine.pause_generation()
"""
    source = f"""\
{before}    future = weights.load()
    future.add_done_callback({callback})
"""
    fixed = f"""\
{before}    paused = True
    try:
        future = weights.load()
        future.add_done_callback({callback})
        paused = False
    finally:
        if paused:
            engine.continue_generation()
"""
    assert fix_source(source.encode(), PATH, Options(), unsafe=False).data.decode() == fixed


@pytest.mark.parametrize("name", ["engine.continue_generation", "resume"])
def test_a_fix_is_safe_where_the_resume_is_called_by_another_name(name: str) -> None:
    source = f"""\
def swap(engine, weights):
    resume = engine.continue_generation
    engine.pause_generation()
    weights.load()
    {name}()
""".encode()
    assert not fix_source(source, PATH, Options(), unsafe=False).unfixed


def test_the_order_is_not_reversed_where_no_path_returns() -> None:
    source = """\
class Trainer:
    def swap(self, weights):
        self.ready = False
        self.engine.resume_generation()
        weights.load()
        self.engine.pause_generation()
        assert self.ready
"""
    assert places(found(source, Options())) == [(6, "PR001")]
    assert places(found(source.replace("ready = False", "ready = weights.there"), Options())) == []
