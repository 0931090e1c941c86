"""What was found, in the words of the protocol: diagnostics with their witness, and code actions. Nothing is decided.

Follows the Language Server Protocol, version 3.17
(https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/).
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from lsprotocol import types
from pygls.uris import from_fs_path

from pause_lint.finding import Finding, Step
from pause_lint.lsp.examine import Look
from pause_lint.lsp.places import Places, Shift
from pause_lint.lsp.remedies import Remedy
from pause_lint.report.levels import level
from pause_lint.rules import BY_CODE
from pause_lint.tree import decode

SOURCE = "pause-lint"
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}


class Wording:
    """How one look is put for a client.

    uris: those of open documents, by shown path. encoding: the units of columns that were agreed upon.
    """

    def __init__(self, look: Look, uris: Mapping[str, str], encoding: types.PositionEncodingKind | str | None) -> None:
        self._look = look
        self._uris = uris
        self._encoding = encoding
        self._path = look.document.path
        self._shift = Shift(decode(look.sound) if look.sound is not None else "", look.document.text)
        self._texts = {module.path: module.text for module in look.tree.modules}
        self._places = {self._path: Places(look.document.text, encoding)}

    def diagnostics(self) -> list[types.Diagnostic]:
        """Every finding; where the text is no Python at the moment, at its place of now, and a word on that first."""
        problem = [self._problem()] if self._look.problem is not None else []
        return problem + [self.diagnostic(finding) for finding in self._look.findings]

    def _problem(self) -> types.Diagnostic:
        problem = self._look.problem
        assert problem is not None
        places, line = self._places[self._path], max(1, problem.line)
        before = "; what is shown was found before" if self._look.findings else ""
        return types.Diagnostic(
            range=types.Range(places.position(line, 1), places.end_of(line)),
            message=f"not checked: {problem.message}{before}",
            severity=types.DiagnosticSeverity.Information,
            source=SOURCE,
        )

    def diagnostic(self, finding: Finding) -> types.Diagnostic:
        """One finding, with its witness."""
        return types.Diagnostic(
            range=self.range(finding),
            message=finding.message,
            severity=_SEVERITIES[level(BY_CODE[finding.code])],
            code=finding.code,
            source=SOURCE,
            related_information=[self._related(step) for step in finding.witness] or None,
        )

    def range(self, finding: Finding) -> types.Range:
        """Where a finding is in the document."""
        return self._places[self._path].range(self._shift.span(finding.span))

    def action(self, remedy: Remedy, kind: types.CodeActionKind) -> types.CodeAction:
        """A remedy as an edit of this version of the document, and of no other."""
        document = self._look.document
        places = self._places[self._path]
        edits = [types.TextEdit(places.range(one.span), one.text) for one in remedy.replacements]
        version = types.OptionalVersionedTextDocumentIdentifier(uri=document.uri, version=document.version)
        return types.CodeAction(
            title=remedy.title,
            kind=kind,
            diagnostics=[self.diagnostic(finding) for finding in remedy.fixes],
            is_preferred=remedy.preferred,
            edit=types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(version, list(edits))]),
        )

    def _related(self, step: Step) -> types.DiagnosticRelatedInformation:
        line = self._shift.line(step.line) if step.path == self._path else step.line
        places = self._places_of(step.path)
        start, end = places.position(line, step.column), places.end_of(line)
        uri = self._uris.get(step.path) or from_fs_path(os.path.abspath(step.path)) or ""
        return types.DiagnosticRelatedInformation(
            location=types.Location(uri, types.Range(start, end)), message=step.message
        )

    def _places_of(self, path: str) -> Places:
        found = self._places.get(path)
        if found is None:
            found = self._places[path] = Places(self._texts.get(path, ""), self._encoding)
        return found
