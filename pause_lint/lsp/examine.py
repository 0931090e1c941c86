"""From open documents, and the trees they lie in, to what is found in them: one pure function, apart from reading disk.

A document that is no Python at the moment is looked at as it last was, so that neither its own findings nor those of
other files go away while one types. Nothing here knows of the protocol.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pause_lint.analysis.program import Case
from pause_lint.check import check_buffers
from pause_lint.config import ConfigError, Options, Settings, load, resolve, tree_root
from pause_lint.finding import Finding, Problem
from pause_lint.fixing.forecast import forecast
from pause_lint.fixing.spellings import Spellings
from pause_lint.module import Module
from pause_lint.tree import STDIN_NAME, Unparsable, encoded, is_walked, parse


class Asked(NamedTuple):
    """What the command line of the server says: options, the configuration file and the project's root, if named."""

    settings: Settings = Settings()
    config: str | None = None
    root: str | None = None


class Document(NamedTuple):
    """An open document.

    path: as shown in reports; `STDIN_NAME` for one that has no file.
    text: as it stands in the editor.
    sound: its bytes when it last was Python; None if it never was.
    """

    uri: str
    path: str
    version: int
    text: str
    sound: bytes | None = None


class Tree(NamedTuple):
    """What the documents of one tree were looked at with: options, modules, and the cases of findings."""

    options: Options
    modules: Sequence[Module] = ()
    cases: Mapping[Finding, Case] = {}


class Look(NamedTuple):
    """What there is in one document.

    sound: the bytes that the findings have their places in; None if there are none.
    problem: why the document was not checked, or not all of it.
    """

    document: Document
    sound: bytes | None
    findings: tuple[Finding, ...]
    problem: Problem | None
    tree: Tree


class Examination(NamedTuple):
    """Looks by URI. Documents whose configuration cannot be followed have none; `errors` says what is wrong with it."""

    looks: Mapping[str, Look]
    errors: tuple[str, ...]


def examine(documents: Sequence[Document], asked: Asked) -> Examination:
    """What there is in `documents`, each tree with all of its open documents in the place of their files."""
    trees: dict[tuple[str, Options], list[Document]] = {}
    errors: dict[str, None] = {}
    for document in documents:
        try:
            options = _options(document, asked)
        except ConfigError as error:
            errors[str(error)] = None
            continue
        # What has no file lies in no tree.
        root = document.uri if document.path == STDIN_NAME else options.project_root or tree_root(document.path)
        trees.setdefault((root, options), []).append(document)
    looks = {look.document.uri: look for (_, options), members in trees.items() for look in _looks(members, options)}
    return Examination(looks, tuple(errors))


def _options(document: Document, asked: Asked) -> Options:
    paths = [document.path] if document.path != STDIN_NAME else []
    return resolve(load(paths, asked.config, asked.root), asked.settings)


def _looks(documents: Sequence[Document], options: Options) -> list[Look]:
    """What there is in the documents of one tree."""
    left_out = Tree(options)
    looks = [
        Look(document, document.sound, (), None, left_out)
        for document in documents
        if document.path != STDIN_NAME and not is_walked(document.path, options)
    ]
    ignored = {look.document.uri for look in looks}
    readable = [(document, *_readable(document)) for document in documents if document.uri not in ignored]
    buffers = {document.path: sound for document, sound, _ in readable if sound is not None}
    spellings = Spellings()
    cases: dict[Finding, Case] = {}

    def told(case: Case) -> Finding:
        finding = forecast(case, spellings)
        cases[finding] = case
        return finding

    report, modules = check_buffers(buffers, options, told)
    tree = Tree(options, modules, cases)
    for document, sound, problem in readable:
        failed = next((one for one in report.problems if one.path == document.path), None)
        found = tuple(finding for finding in report.findings if finding.path == document.path)
        looks.append(Look(document, sound, found if sound is not None else (), problem or failed, tree))
    return looks


def _readable(document: Document) -> tuple[bytes | None, Problem | None]:
    """The bytes that a document is looked at as, and why they are not those that it holds."""
    try:
        data = encoded(document.text)
        if data != document.sound:
            parse(document.path, data)
    except Unparsable as error:
        return document.sound, Problem(document.path, error.line, error.message)
    return data, None
