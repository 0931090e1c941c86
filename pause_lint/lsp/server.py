"""The server: which documents are open, when they are looked at, and what the client is told.

One look at a time, in another thread, a moment after the last change. What comes of it is told only if nothing has
changed since, so that a client never hears of a text that it no longer has. What is found, what can be done about it
and how it is put is decided elsewhere.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from pause_lint import __version__
from pause_lint.finding import Finding
from pause_lint.lsp.examine import Asked, Document, Examination, Look, examine
from pause_lint.lsp.messages import SOURCE, Wording
from pause_lint.lsp.remedies import Remedy, fix_all, remedies
from pause_lint.tree import STDIN_NAME, SUFFIXES, shown_path

QUIET = 0.2
"""Seconds without a change after which documents are looked at."""

WATCHED = ("**/*.py", "**/*.pyi", "**/pyproject.toml", "**/setup.cfg")
_QUICK, _ALL = types.CodeActionKind.QuickFix, types.CodeActionKind.SourceFixAll

_Known = dict[tuple[str, Finding | None], tuple[Remedy, ...]]
"""Remedies by document and finding; for none, those of all."""


def serve(asked: Asked) -> int:
    """Serve one client over standard input and output until it leaves; 1 if it left without saying so, else 0."""
    session = Session(asked)
    # Closed when the client leaves; the process still has its own then.
    session.server.start_io(stdout=os.fdopen(os.dup(sys.stdout.fileno()), "wb"))
    return 0 if session.ended else 1


class Session:
    """One client."""

    def __init__(self, asked: Asked) -> None:
        self.server = LanguageServer(SOURCE, __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.ended = False
        self._asked = asked
        self._paths: dict[str, str] = {}  # of the documents that are open, by URI
        self._due: set[str] = set()  # those that their client waits to hear about
        self._sound: dict[str, bytes] = {}
        self._told: dict[str, types.PublishDiagnosticsParams] = {}
        self._looks: Mapping[str, Look] = {}
        self._errors: Sequence[str] = ()
        self._changed = asyncio.Event()
        self._settled = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        # Fixes take longer than looking does, and must not hold it up.
        self._looking = ThreadPoolExecutor(max_workers=1, thread_name_prefix="looking")
        self._mending = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mending")
        self._known: _Known = {}
        self._register()

    def _register(self) -> None:
        handlers: dict[str, Callable[[Any], object]] = {
            types.INITIALIZED: self._watch,
            types.TEXT_DOCUMENT_DID_OPEN: self._opened,
            types.TEXT_DOCUMENT_DID_CHANGE: self._edited,
            types.TEXT_DOCUMENT_DID_SAVE: self._saved,
            types.TEXT_DOCUMENT_DID_CLOSE: self._closed,
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: self._moved,
            types.TEXT_DOCUMENT_CODE_ACTION: self._actions,
            types.SHUTDOWN: self._shut_down,
        }
        options = {types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(code_action_kinds=[_QUICK, _ALL])}
        for method, handler in handlers.items():
            # pygls makes notes on what it calls, and a method has no room for them.
            self.server.feature(method, options.get(method))(partial(handler))

    # Events

    async def _watch(self, params: types.InitializedParams) -> None:
        """Ask to be told of changes on disk, of configuration for one."""
        workspace = self.server.client_capabilities.workspace
        watching = workspace.did_change_watched_files if workspace is not None else None
        if watching is None or not watching.dynamic_registration:
            return
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(glob) for glob in WATCHED])
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        registration = types.Registration(id=method, method=method, register_options=options)
        await self.server.client_register_capability_async(types.RegistrationParams([registration]))

    def _opened(self, params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        path = _path(document.uri)
        if path is not None and (document.language_id == "python" or path.endswith(SUFFIXES)):
            self._paths[document.uri] = path
            self._change(document.uri)

    def _edited(self, params: types.DidChangeTextDocumentParams) -> None:
        self._change(params.text_document.uri)

    def _saved(self, params: types.DidSaveTextDocumentParams) -> None:
        self._change(params.text_document.uri)

    def _closed(self, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        if self._paths.pop(uri, None) is None:
            return
        self._due.discard(uri)
        self._sound.pop(uri, None)
        if self._told.pop(uri, None) is not None:
            self.server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=[]))
        self._look_again()

    def _moved(self, params: types.DidChangeWatchedFilesParams) -> None:
        self._look_again()

    def _shut_down(self, params: None) -> None:
        self.ended = True
        if self._task is not None:
            self._task.cancel()
        for pool in (self._looking, self._mending):
            pool.shutdown(wait=False, cancel_futures=True)

    def _change(self, uri: str) -> None:
        if uri in self._paths:
            self._due.add(uri)
            self._look_again()

    def _look_again(self) -> None:
        self._settled.clear()
        self._changed.set()
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._keep_looking())

    # Looking

    async def _keep_looking(self) -> None:
        while True:
            await self._changed.wait()
            while self._changed.is_set():
                self._changed.clear()
                await asyncio.sleep(QUIET)
            try:
                look = partial(examine, self._documents(), self._asked)
                examined = await asyncio.get_running_loop().run_in_executor(self._looking, look)
                if not self._changed.is_set():
                    self._tell(examined)
            except Exception as error:
                self._complain((_internal(error),))
            if not self._changed.is_set():
                self._settled.set()

    def _documents(self) -> list[Document]:
        """What is open, in the order of paths."""
        open_ = self.server.workspace.text_documents
        return [
            Document(uri, path, open_[uri].version or 0, open_[uri].source, self._sound.get(uri))
            for uri, path in sorted(self._paths.items(), key=lambda entry: (entry[1], entry[0]))
        ]

    def _tell(self, examined: Examination) -> None:
        self._complain(examined.errors)
        self._looks, self._known = examined.looks, {}
        for uri, look in examined.looks.items():
            if look.sound is not None:
                self._sound[uri] = look.sound
            told = types.PublishDiagnosticsParams(
                uri=uri, version=look.document.version, diagnostics=self._wording(look).diagnostics()
            )
            if uri in self._due or told != self._told.get(uri):
                self._told[uri] = told
                self.server.text_document_publish_diagnostics(told)
            self._due.discard(uri)

    def _complain(self, errors: Sequence[str]) -> None:
        """Show the user what is wrong at the moment, each thing once as long as it lasts."""
        for error in errors:
            if error not in self._errors:
                self._show(error)
        self._errors = errors

    def _show(self, error: str) -> None:
        message = error if error.startswith(SOURCE) else f"{SOURCE}: {error}"
        self.server.window_show_message(types.ShowMessageParams(types.MessageType.Error, message))

    def _wording(self, look: Look) -> Wording:
        uris = {path: uri for uri, path in self._paths.items() if path != STDIN_NAME}
        return Wording(look, uris, self.server.workspace.position_encoding)

    # Code actions

    async def _actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """What can be done at a place of the text as it is now."""
        uri = params.text_document.uri
        if uri not in self._paths:
            return []
        await self._settled.wait()
        look = self._looks.get(uri)
        now = self.server.workspace.text_documents.get(uri)
        # Without a look at this very text, nobody knows where what was found stands in it.
        if look is None or now is None or look.problem is not None or look.document.version != (now.version or 0):
            return []
        work = partial(_actions, look, self._wording(look), params, self._known)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._mending, work)
        except Exception as error:
            self._show(_internal(error))
            return []


def _actions(look: Look, wording: Wording, params: types.CodeActionParams, known: _Known) -> list[types.CodeAction]:
    """The actions of the kinds that are wanted, for findings on the lines of a range.

    known: what was worked out before; an editor asks again at every step of the cursor.
    """
    uri = look.document.uri
    found: list[types.CodeAction] = []
    if _is_wanted(_QUICK, params):
        first, last = params.range.start.line, params.range.end.line
        for finding in look.findings:
            if finding.span.line - 1 <= last and first <= finding.span.end_line - 1:
                if (uri, finding) not in known:
                    known[uri, finding] = tuple(remedies(look, finding))
                found += [wording.action(remedy, _QUICK) for remedy in known[uri, finding]]
    if _is_wanted(_ALL, params):
        if (uri, None) not in known:
            known[uri, None] = tuple(fix_all(look))
        found += [wording.action(remedy, _ALL) for remedy in known[uri, None]]
    return found


def _internal(error: Exception) -> str:
    return f"internal error: {type(error).__name__}: {error}; please report it"


def _is_wanted(kind: types.CodeActionKind, params: types.CodeActionParams) -> bool:
    """Whether a client asks for a kind, or for one that it belongs to. Without a word on that, it wants all."""
    only = params.context.only
    return only is None or any(one == "" or f"{kind.value}.".startswith(f"{_text(one)}.") for one in only)


def _text(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind


def _path(uri: str) -> str | None:
    """The path of a document as reports show it; None for one that is neither a file nor to become one."""
    if uri.startswith("untitled:"):
        return STDIN_NAME
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return shown_path(path) if path else None
