"""An editor: the client of pytest-lsp, with the server as users start it, in a project of its own."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient, client_capabilities
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

PATIENCE = 60.0
"""Seconds after which a test gives up on an answer."""


class Editor:
    """What a user does, and what they are shown."""

    def __init__(self, folder: Path, client: LanguageClient) -> None:
        self.folder = folder
        self.client = client
        self.heard: list[types.PublishDiagnosticsParams] = []
        self._news = asyncio.Condition()
        self._versions: dict[str, int] = {}

    async def hear(self, params: types.PublishDiagnosticsParams) -> None:
        """Takes in diagnostics."""
        async with self._news:
            self.heard.append(params)
            self._news.notify_all()

    def uri(self, path: str) -> str:
        """What a file of the project is called; or what has no file, and so a name of its own."""
        return path if path.startswith("untitled:") else (self.folder / path).as_uri()

    def version(self, path: str) -> int:
        """The version of a document that is open."""
        return self._versions[path]

    async def open(self, path: str, text: str | None = None) -> list[types.Diagnostic]:
        """Opens a file, as it is on disk or with another text, and waits for what is said of it."""
        self._versions[path] = 1
        text = (self.folder / path).read_bytes().decode() if text is None else text
        item = types.TextDocumentItem(self.uri(path), "python", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.diagnostics(path)

    def type(self, path: str, text: str) -> None:
        """Changes an open document to `text`."""
        self._versions[path] += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self._versions[path], self.uri(path)),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    async def change(self, path: str, text: str) -> list[types.Diagnostic]:
        """Changes an open document and waits for what is said of it."""
        self.type(path, text)
        return await self.diagnostics(path)

    async def save(self, path: str, text: str) -> list[types.Diagnostic]:
        """Writes an open document and waits for what is said of it."""
        (self.folder / path).write_bytes(text.encode())
        since = len(self.heard)
        identifier = types.TextDocumentIdentifier(self.uri(path))
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(identifier))
        return await self.diagnostics(path, since)

    async def close(self, path: str) -> list[types.Diagnostic]:
        """Closes a document and waits until that has been taken in."""
        del self._versions[path]
        identifier = types.TextDocumentIdentifier(self.uri(path))
        since = len(self.heard)
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(identifier))
        return await self.diagnostics(path, since)

    async def diagnostics(self, path: str, since: int = 0) -> list[types.Diagnostic]:
        """The diagnostics of the present version of a document, once they are there.

        since: how many that have been heard do not count.
        """
        uri, version = self.uri(path), self._versions.get(path)

        def found() -> types.PublishDiagnosticsParams | None:
            return next((one for one in reversed(self.heard[since:]) if (one.uri, one.version) == (uri, version)), None)

        async with asyncio.timeout(PATIENCE), self._news:
            await self._news.wait_for(lambda: found() is not None)
        told = found()
        assert told is not None
        return list(told.diagnostics)

    async def actions(self, path: str, line: int, *only: str) -> list[types.CodeAction]:
        """What is offered on a line, from 1."""
        place = types.Position(line - 1, 0)
        params = types.CodeActionParams(
            types.TextDocumentIdentifier(self.uri(path)),
            types.Range(place, place),
            types.CodeActionContext([], only=[types.CodeActionKind(kind) for kind in only] or None),
        )
        async with asyncio.timeout(PATIENCE):
            found = await self.client.text_document_code_action_async(params)
        actions = [one for one in found or [] if isinstance(one, types.CodeAction)]
        assert len(actions) == len(found or [])
        return actions

    async def message(self) -> str:
        """The next message that the user is shown."""
        async with asyncio.timeout(PATIENCE):
            told = await self.client.wait_for_notification(types.WINDOW_SHOW_MESSAGE)
        assert isinstance(told, types.ShowMessageParams)
        return told.message


@asynccontextmanager
async def editor(folder: Path, *options: str, encodings: Sequence[str] | None = None) -> AsyncIterator[Editor]:
    """An editor in the project `folder`. Afterwards, the server has left by itself, and with nothing to complain of.

    options: those of `pause-lint lsp`. encodings: in which the client may count columns.
    """
    client = LanguageClient(converter_factory=default_converter)
    session = Editor(folder, client)
    register_lsp_features(
        client, {**DEFAULT_CLIENT_FEATURES, types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: _listener(session)}
    )
    await client.start_io(sys.executable, "-m", "pause_lint", "lsp", *options, cwd=folder)
    process = client._server
    assert process is not None
    capabilities = client_capabilities("visual-studio-code")
    assert capabilities.general is not None
    capabilities.general.position_encodings = (
        [types.PositionEncodingKind(one) for one in encodings] if encodings is not None else None
    )
    try:
        async with asyncio.timeout(PATIENCE):
            await client.initialize_session(
                types.InitializeParams(
                    capabilities=capabilities, workspace_folders=[types.WorkspaceFolder(folder.as_uri(), folder.name)]
                )
            )
        yield session
        async with asyncio.timeout(PATIENCE):
            await client.shutdown_session()
        assert process.returncode == 0
    finally:
        if process.returncode is None:
            process.kill()
        await client.stop()  # type: ignore[no-untyped-call]


def _listener(session: Editor) -> object:
    async def listen(params: types.PublishDiagnosticsParams) -> None:
        await session.hear(params)

    return listen


def applied(text: str, action: types.CodeAction, version: int) -> str:
    """The text after an action, as an editor with this version of it carries it out (columns in UTF-16)."""
    assert action.edit is not None
    assert action.edit.changes is None
    assert action.edit.document_changes is not None
    (change,) = action.edit.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.version == version
    data = text.encode("utf-16-le")
    for edit in sorted(change.edits, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True):
        assert isinstance(edit, types.TextEdit)
        start, end = (_offset(text, place) for place in (edit.range.start, edit.range.end))
        data = data[: 2 * start] + edit.new_text.encode("utf-16-le") + data[2 * end :]
    return data.decode("utf-16-le")


def _offset(text: str, place: types.Position) -> int:
    """Where a position is, in UTF-16 units; behind the end of a line, that is its end."""
    lines = text.splitlines(keepends=True)  # of the texts that are used here, nothing else ends a line
    before = sum(len(line.encode("utf-16-le")) // 2 for line in lines[: place.line])
    content = lines[place.line].rstrip("\r\n") if place.line < len(lines) else ""
    return before + min(place.character, len(content.encode("utf-16-le")) // 2)
