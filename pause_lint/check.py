"""The facade over the analysis: from paths, or from a file in memory, to a report.

Every front end checks through here, so that all of them find the same. This is where files are read, the rules in force
are chosen, suppression comments are honoured, and where a fault of ours in one file is kept from ending the run.
Nothing is printed here and nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pause_lint import suppress
from pause_lint.config import Options
from pause_lint.finding import Finding, Problem, Report
from pause_lint.pairs import Vocabulary
from pause_lint.tree import (
    STDIN_NAME,
    Module,
    Source,
    Unparsable,
    decode,
    discover,
    inside_tree,
    is_test,
    parse,
    read,
)


def check_paths(paths: Sequence[str], options: Options) -> Report:
    """Check the files under `paths`. What kept a part from being done is among the problems of the report."""
    sources, problems = discover(paths, options)
    return _report(_load(sources, options), problems, options)


def check_source(data: bytes, path: str, options: Options) -> Report:
    """Check one file whose bytes are `data`; it is shown as `path` and need not exist."""
    if not options.include_tests and belongs_to_tests(path):
        return Report((), (), 0, 0, (_left_out(path),))
    loaded = _Loaded(options)
    loaded.take(path, data, parse_always=True)
    return _report(loaded, (), options)


def check_module(module: Module, options: Options) -> tuple[tuple[Finding, ...], tuple[Problem, ...]]:
    """What the rules in force find in one module, suppressed or not, in order; and what went wrong with it.

    For tools that read suppression comments themselves.
    """
    analysed = _analyse((module,), options)
    return tuple(_chosen(analysed.findings, options)), analysed.problems


def belongs_to_tests(path: str) -> bool:
    """Whether the file at `path` is one of a project's tests. Standard input without a name is not."""
    return path != STDIN_NAME and is_test(inside_tree(path))


class _Loaded:
    """The files of a run, sorted by what is to be done with them.

    modules: those to analyse. others: path and text of those in which only comments count. problems, notes: what became
    of the rest. files: how many there are.
    """

    def __init__(self, options: Options) -> None:
        vocabulary = Vocabulary.of(options.pairs)
        self._stems = sorted(vocabulary.stems())
        outside = (name.rpartition(".")[2] for name in (*options.pauses, *options.resumes))
        self._words = (*vocabulary.pausing, *vocabulary.resuming, *outside)
        self._comments_count = suppress.INEFFECTIVE in options.select
        self.modules: list[Module] = []
        self.others: list[tuple[str, str]] = []
        self.problems: list[Problem] = []
        self.notes: list[str] = []
        self.files = 0

    def take(self, path: str, data: bytes, parse_always: bool) -> None:
        """Take in one file; it is parsed if it can matter, or in any case."""
        self.files += 1
        matters = any(stem in data for stem in self._stems)
        if not (parse_always or matters):
            if self._comments_count and suppress.mentions_us(data):
                try:
                    self.others.append((path, decode(data)))
                except Unparsable as error:
                    self.problems.append(Problem(path, error.line, error.message))
            return
        try:
            # A file that is named is read as a whole, so that what is wrong anywhere in it comes out.
            self.modules.append(parse(path, data, None if parse_always else self._words))
        except Unparsable as error:
            self.problems.append(Problem(path, error.line, error.message))

    def miss(self, source: Source, error: OSError) -> None:
        """Note that a file could not be read."""
        if isinstance(error, FileNotFoundError) and not source.named:
            self.notes.append(f"{source.path}: went away before it was read")
            return
        self.problems.append(Problem(source.path, 0, f"cannot be read: {error.strerror or error}"))

    def skip(self, path: str) -> None:
        """Note that a test file was left out."""
        self.notes.append(_left_out(path))


def _left_out(path: str) -> str:
    return f"{path}: left out as a test (--include-tests takes it in)"


def _load(sources: Iterable[Source], options: Options) -> _Loaded:
    loaded = _Loaded(options)
    for source in sources:
        if not options.include_tests and is_test(source.inside):
            loaded.skip(source.path)
            continue
        try:
            data = read(source.location)
        except OSError as error:
            loaded.miss(source, error)
            continue
        # A broken file that is named is an answer in itself; in a tree, only files that can matter are parsed.
        loaded.take(source.path, data, parse_always=source.named)
    return loaded


def _report(loaded: _Loaded, problems: Sequence[Problem], options: Options) -> Report:
    analysed = _analyse(loaded.modules, options)
    by_path: dict[str, list[Finding]] = {module.path: [] for module in loaded.modules}
    for finding in analysed.findings:
        by_path.setdefault(finding.path, []).append(finding)
    # Where the analysis failed, nobody knows whether a comment would have had something to suppress.
    failed = {problem.path for problem in analysed.problems}
    shown: list[Finding] = []
    for module in loaded.modules:
        shown += _suppressed(module.path, module.text, by_path[module.path], options, module.path not in failed)
    for path, text in loaded.others:
        shown += _suppressed(path, text, [], options, True)
    return Report(
        findings=tuple(_chosen(shown, options)),
        problems=tuple(
            sorted(
                (*problems, *loaded.problems, *analysed.problems),
                key=lambda problem: (problem.path, problem.line, problem.message),
            )
        ),
        files=loaded.files,
        parsed=len(loaded.modules),
        notes=(*loaded.notes, *analysed.notes),
    )


def _suppressed(path: str, text: str, findings: list[Finding], options: Options, judge: bool) -> list[Finding]:
    judged = options.select if judge and suppress.INEFFECTIVE in options.select else frozenset()
    shown, ineffective = suppress.apply(text, path, findings, judged)
    return shown + ineffective


def _chosen(findings: Iterable[Finding], options: Options) -> list[Finding]:
    wanted = (finding for finding in findings if finding.code in options.select)
    return sorted(wanted, key=lambda finding: (*finding.sort_key, finding.message))


@dataclass(frozen=True, slots=True)
class _Analysed:
    """Raw findings, what could not be analysed, and what was given up."""

    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()


def _analyse(modules: Sequence[Module], options: Options) -> _Analysed:
    """What is in `modules`. Those on which the analysis fails become problems, and the others are still seen."""
    if not modules:
        return _Analysed()
    from pause_lint.analysis import program  # late: a run in which no file can matter needs no analysis

    try:
        outcome = program.analyse(modules, options)
    except Exception as error:
        if len(modules) == 1:
            return _Analysed(problems=(_internal(modules[0], error),))
    else:
        return _Analysed(tuple(outcome.findings), (), tuple(outcome.notes))
    alone = [_analyse((module,), options) for module in modules]
    problems = tuple(problem for one in alone for problem in one.problems)
    if problems:
        together = _analyse([module for module, one in zip(modules, alone, strict=True) if not one.problems], options)
        return _Analysed(together.findings, problems + together.problems, together.notes)
    # Each is sound by itself, but not all together: what one file shows is all there is to be had.
    return _Analysed(
        tuple(finding for one in alone for finding in one.findings),
        (Problem(modules[0].path, 0, "internal error in the analysis across files; please report it"),),
        tuple(note for one in alone for note in one.notes),
    )


def _internal(module: Module, error: Exception) -> Problem:
    """What a user can do about a fault of ours: the file, the error and where in our code it was raised."""
    if isinstance(error, RecursionError):
        return Problem(module.path, 0, "nested too deeply to be analysed; split the function, or exclude the file")
    trace, place = error.__traceback__, ""
    while trace is not None:
        place = f"{trace.tb_frame.f_globals.get('__name__', '?')}:{trace.tb_lineno}"
        trace = trace.tb_next
    return Problem(module.path, 0, f"internal error: {type(error).__name__}: {error} (at {place}); please report it")
