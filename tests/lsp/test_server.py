"""Editing with the server: what is shown and offered as documents are opened, changed and closed."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest
from lsprotocol import types

from tests.lsp.editor import PATIENCE, applied, editor

FAULTY = """\
def update(engine):
    engine.pause_generation()
    engine.load()
    engine.continue_generation()
"""
CLEAN = """\
def update(engine):
    engine.pause_generation()
    try:
        engine.load()
    finally:
        engine.continue_generation()
"""
UNSAFE = """\
async def reload(engine):
    await engine.drain()
    await engine.load()
"""
HELPER = """\
def quiesce(engine):
    engine.pause_generation()
"""
CALLER = """\
from helper import quiesce


def update(engine):
    quiesce(engine)
    engine.load()
    engine.continue_generation()
"""

pytestmark = pytest.mark.asyncio


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    return tmp_path


def codes(diagnostics: list[types.Diagnostic]) -> list[tuple[object, int]]:
    """Code and line, from 1, of each."""
    return [(one.code, one.range.start.line + 1) for one in diagnostics]


async def test_open_change_save_act_close(project: Path) -> None:
    (project / "a.py").write_text(FAULTY, encoding="utf-8")
    async with editor(project) as user:
        (found,) = await user.open("a.py")
        assert found.range == types.Range(types.Position(1, 4), types.Position(1, 29))
        assert (found.code, found.source, found.severity) == ("PR001", "pause-lint", types.DiagnosticSeverity.Error)
        assert found.message.startswith("generation paused by engine.pause_generation() is not resumed if")
        assert [one.location.range.start.line for one in found.related_information or []] == [1, 2]

        edited = "import os\n" + FAULTY
        assert codes(await user.change("a.py", edited)) == [("PR001", 3)]
        assert codes(await user.save("a.py", edited)) == [("PR001", 3)]

        fix, suppress = await user.actions("a.py", 3, "quickfix")
        assert (fix.kind, fix.is_preferred) == (types.CodeActionKind.QuickFix, True)
        assert codes(list(fix.diagnostics or [])) == [("PR001", 3)]
        fixed = applied(edited, fix, user.version("a.py"))
        assert fixed == "import os\n" + CLEAN
        assert (suppress.is_preferred, suppress.kind) == (False, types.CodeActionKind.QuickFix)
        hidden = applied(edited, suppress, user.version("a.py"))
        assert hidden == edited.replace("pause_generation()", "pause_generation()  # noqa: PR001")

        assert await user.change("a.py", hidden) == []
        assert await user.change("a.py", fixed) == []
        assert await user.actions("a.py", 3) == []
        await user.change("a.py", edited)
        assert await user.close("a.py") == []


async def test_ten_rapid_edits_are_answered_for_the_last_only(project: Path) -> None:
    async with editor(project) as user:
        assert await user.open("new.py", "") == []
        for number in range(10):
            user.type("new.py", "\n" * number + FAULTY)
        assert codes(await user.diagnostics("new.py")) == [("PR001", 11)]
        assert [one.version for one in user.heard] == [1, 11]
        # Nothing of what came in between is told later either.
        assert codes(await user.change("new.py", FAULTY)) == [("PR001", 2)]
        assert [one.version for one in user.heard] == [1, 11, 12]


async def test_text_that_is_no_python_clears_nothing(project: Path) -> None:
    (project / "helper.py").write_text(CLEAN, encoding="utf-8")
    async with editor(project) as user:
        assert codes(await user.open("caller.py", CALLER)) == []
        heard = len(user.heard)
        await user.open("helper.py", HELPER)
        # Its pause is another file's finding, while it is open and unsaved.
        assert codes(await user.diagnostics("caller.py", heard)) == [("PR001", 5)]

        broken = "def (\n\n" + HELPER
        mark, *left = await user.change("helper.py", broken)
        assert mark.message.startswith("not checked: syntax error")
        assert (mark.severity, mark.range.start.line, left) == (types.DiagnosticSeverity.Information, 0, [])
        assert codes(await user.change("caller.py", "\n" + CALLER)) == [("PR001", 6)]

        mark, *left = await user.change("caller.py", "if\n\n" + CALLER)
        assert mark.message.endswith("; what is shown was found before")
        # It stands where that line is now.
        assert codes(left) == [("PR001", 7)]
        assert await user.actions("caller.py", 7) == []

        heard = len(user.heard)
        await user.change("helper.py", "\n" + HELPER)
        assert codes(await user.change("caller.py", CALLER)) == [("PR001", 5)]


async def test_what_is_unsaved_counts_in_other_files_until_it_is_closed(project: Path) -> None:
    (project / "helper.py").write_text(HELPER, encoding="utf-8")
    (project / "caller.py").write_text(CALLER, encoding="utf-8")
    async with editor(project) as user:
        (found,) = await user.open("caller.py")
        steps = [(one.location.uri, one.location.range.start) for one in found.related_information or []]
        assert (user.uri("helper.py"), types.Position(1, 4)) in steps
        assert steps[0] == (user.uri("caller.py"), types.Position(4, 4))

        await user.open("helper.py")
        heard = len(user.heard)
        await user.change("helper.py", "\n\n" + HELPER)
        (found,) = await user.diagnostics("caller.py", heard)
        steps = [(one.location.uri, one.location.range.start) for one in found.related_information or []]
        assert (user.uri("helper.py"), types.Position(3, 4)) in steps

        heard = len(user.heard)
        await user.change("helper.py", "def quiesce(engine):\n    pass\n")
        assert await user.diagnostics("caller.py", heard) == []

        heard = len(user.heard)
        assert await user.close("helper.py") == []
        assert codes(await user.diagnostics("caller.py", heard)) == [("PR001", 5)]


@pytest.mark.parametrize("encodings, column", [(None, 12), (["utf-16"], 12), (["utf-8"], 14), (["utf-32"], 11)])
async def test_columns_are_counted_as_was_agreed(project: Path, encodings: list[str] | None, column: int) -> None:
    text = FAULTY.replace("    engine.pause", '    "🎉"; engine.pause')
    async with editor(project, encodings=encodings) as user:
        (found,) = await user.open("a.py", text.replace('"; engine', '" ; engine'))
        assert found.range.start == types.Position(1, column - 1)
        assert found.range.end.character - found.range.start.character == len("engine.pause_generation()")


async def test_edits_behind_an_emoji(project: Path) -> None:
    text = FAULTY.replace("load()", 'load("🎉𝔘é")  # ✂️').replace("\n", "\r\n")
    async with editor(project) as user:
        await user.open("a.py", text)
        fix, suppress = await user.actions("a.py", 2, "quickfix")
        assert applied(text, fix, 1) == CLEAN.replace("load()", 'load("🎉𝔘é")  # ✂️').replace("\n", "\r\n")
        assert "pause_generation()  # noqa: PR001\r\n" in applied(text, suppress, 1)


async def test_the_last_line_without_an_end(project: Path) -> None:
    async with editor(project) as user:
        await user.open("a.py", FAULTY.rstrip("\n"))
        fix, _ = await user.actions("a.py", 2, "quickfix")
        assert applied(FAULTY.rstrip("\n"), fix, 1) == CLEAN.rstrip("\n")


async def test_a_form_feed_ends_no_line(project: Path) -> None:
    async with editor(project) as user:
        assert codes(await user.open("a.py", "x = 1\n\f\n" + FAULTY)) == [("PR001", 4)]
        assert codes(await user.change("a.py", 'x = "\u2028"\f\n' + FAULTY)) == [("PR001", 3)]


async def test_unsafe_fixes_are_named_so_and_never_applied_with_others(project: Path) -> None:
    two = FAULTY + "\n\n" + UNSAFE
    async with editor(project, "--pair", "drain:undrain") as user:
        found = await user.open("a.py", two)
        assert len(found) == 2
        line = found[1].range.start.line + 1
        fix, suppress = await user.actions("a.py", line, "quickfix")
        assert fix.title.startswith("Unsafe fix of PR001: ")
        assert fix.is_preferred is False
        assert suppress.title == f"Suppress {found[1].code} on line {line} with # noqa"
        (everything,) = await user.actions("a.py", 1, "source.fixAll")
        assert everything.kind == types.CodeActionKind.SourceFixAll
        assert codes(list(everything.diagnostics or [])) == [("PR001", 2)]
        assert applied(two, everything, 1) == CLEAN + "\n\n" + UNSAFE
        assert await user.actions("a.py", 2, "refactor") == []


async def test_an_action_waits_for_the_text_of_now(project: Path) -> None:
    async with editor(project) as user:
        await user.open("a.py", FAULTY)
        user.type("a.py", "\n\n" + FAULTY)
        fix, _ = await user.actions("a.py", 4, "quickfix")
        assert applied("\n\n" + FAULTY, fix, 2) == "\n\n" + CLEAN


async def test_where_reasons_are_required_none_is_made_up(project: Path) -> None:
    async with editor(project, "--require-reason") as user:
        await user.open("a.py", FAULTY)
        (fix,) = await user.actions("a.py", 2, "quickfix")
        assert fix.title == "Fix PR001: resume on every way out"


async def test_configuration_that_is_wrong_is_shown_and_taken_again_once_right(project: Path) -> None:
    config = project / "pyproject.toml"
    async with editor(project) as user:
        assert codes(await user.open("a.py", FAULTY)) == [("PR001", 2)]
        config.write_text("[tool.pause_lint]\npreset = []\n", encoding="utf-8")
        user.type("a.py", "\n" + FAULTY)
        assert await user.message() == (
            "pause-lint: pyproject.toml:2: error: unknown key 'preset'; did you mean 'presets'? (known: exclude, "
            "extend-select, force-exclude, ignore, include-tests, no-project, pairs, pauses, presets, project-root, "
            "quiet-calls, resumes, select, stable-calls)"
        )
        # What was found before stays, and nothing can be done about it: nobody knows whether it still holds.
        assert [one.version for one in user.heard] == [1]
        assert await user.actions("a.py", 3) == []
        config.write_text('[tool.pause_lint]\nignore = ["PR001"]\n', encoding="utf-8")
        event = types.FileEvent(config.as_uri(), types.FileChangeType.Changed)
        user.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
        assert await user.diagnostics("a.py") == []


@pytest.mark.parametrize("more", ["", "force-exclude = true\n"])
async def test_what_the_project_leaves_out_is_left_out(project: Path, more: str) -> None:
    text = f'[tool.pause_lint]\nexclude = ["third_party"]\n{more}'
    (project / "pyproject.toml").write_text(text, encoding="utf-8")
    async with editor(project) as user:
        assert await user.open("third_party/deep/a.py", FAULTY) == []
        assert await user.open("tests/test_a.py", FAULTY) == []
        assert await user.open("build/a.py", FAULTY) == []
        assert codes(await user.open("pkg/a.py", FAULTY)) == [("PR001", 2)]


async def test_a_document_without_a_file_is_by_itself(project: Path) -> None:
    (project / "helper.py").write_text(HELPER, encoding="utf-8")
    async with editor(project) as user:
        assert codes(await user.open("untitled:Untitled-1", FAULTY)) == [("PR001", 2)]
        assert codes(await user.open("untitled:Untitled-2", CALLER)) == []
        assert codes(await user.open("a.py", CALLER)) == [("PR001", 5)]


async def test_what_is_no_python_is_passed_over(project: Path) -> None:
    async with editor(project) as user:
        for uri, language in ((user.uri("notes.md"), "markdown"), ("git:/a.py?ref", "python")):
            item = types.TextDocumentItem(uri, language, 1, FAULTY)
            user.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        await user.open("a.py", FAULTY)
        assert [one.uri for one in user.heard] == [user.uri("a.py")]


async def test_text_in_the_encoding_that_it_declares(project: Path) -> None:
    text = "# -*- coding: latin-1 -*-\n" + FAULTY.replace("    engine.pause", '    "é" ; engine.pause')
    async with editor(project) as user:
        (found,) = await user.open("a.py", text)
        assert found.range.start == types.Position(2, 10)
        mark, *left = await user.change("a.py", text.replace("é", "🎉"))
        assert mark.message.startswith("not checked: the text cannot be written as latin-1")
        assert codes(left) == [("PR001", 3)]


async def test_a_client_that_goes_away_leaves_nothing_behind(project: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "pause_lint", "lsp", "--stdio", cwd=project, stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.close()
    async with asyncio.timeout(PATIENCE):
        assert await process.wait() == 1


async def test_a_file_that_has_two_names(project: Path) -> None:
    """The text in the editor stands in the place of the file, by whatever name it was opened."""
    (project / "helper.py").write_text(HELPER, encoding="utf-8")
    (project / "caller.py").write_text(CALLER, encoding="utf-8")
    os.symlink(project, project.parent / "other")
    async with editor(project.parent / "other", "--project-root", str(project)) as user:
        assert codes(await user.open("caller.py")) == [("PR001", 5)]
        heard = len(user.heard)
        await user.open("helper.py", "def quiesce(engine):\n    pass\n")
        assert await user.diagnostics("caller.py", heard) == []
