"""The facade over the analysis: from paths, or from a file in memory, to a report.

Every front end checks through here, so that all of them find the same. This is where files are read, the rules in force
are chosen, suppression comments are honoured, and where a fault of ours in one file is kept from ending the run.
Nothing is printed here and nothing is written.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pause_lint import suppress
from pause_lint.config import Options, tree_root
from pause_lint.finding import Finding, Problem, Report
from pause_lint.module import Module
from pause_lint.pairs import PRESETS
from pause_lint.sources import Progress, Sources, Words, excluded, left_out, left_out_folder
from pause_lint.suggest import suggested
from pause_lint.tree import STDIN_NAME, Source, discover, forced_out, inside_tree, is_test, shown_path

if TYPE_CHECKING:
    from pause_lint.analysis.program import Grow, Told


def check_paths(
    paths: Sequence[str], options: Options, told: Told | None = None, progress: Progress | None = None
) -> Report:
    """Check the files under `paths`. What kept a part from being done is among the problems of the report.

    told: how findings are put. progress: takes what is being done.
    """
    sources, problems = gathered(paths, options, progress)
    report = report_on(sources, problems, options, told=told, progress=progress).report
    return report if options.pairs != PRESETS["default"] else report._replace(suggested=suggested(sources.data))


def check_source(
    data: bytes, path: str, options: Options, context: Sequence[Module] = (), told: Told | None = None
) -> Report:
    """Check one file whose bytes are `data`; it is shown as `path` and need not exist. Nothing is read.

    context: modules of the tree that it lies in; one of the same path is left out. told: how findings are put.
    """
    if not options.include_tests and belongs_to_tests(path):
        return Report((), (), 0, 0, (left_out(path),))
    sources = Sources(options)
    sources.take(path, data, named=True, reported=True)
    return report_on(sources, (), options, context, told).report


def check_buffers(buffers: Mapping[str, bytes], options: Options, told: Told | None = None) -> Checked:
    """Check files in memory, by the paths that they are shown as. They need not exist.

    Each stands in the place of the file of its path. The rest of their tree counts, as it is on disk; one that is
    called `STDIN_NAME` has none. told: how findings are put.
    """
    sources = Sources(options)
    for path, data in buffers.items():
        if path != STDIN_NAME and (pattern := forced_out(path, options)):
            sources.leave_out(excluded(path, pattern), named=True)
        elif not options.include_tests and belongs_to_tests(path):
            sources.leave_out(left_out(path), named=True)
        else:
            sources.take(path, data, named=True, reported=True)
    if sources.count:
        _add_tree_of(sources, [path for path in buffers if path != STDIN_NAME], options)
    return report_on(sources, (), options, told=told)


def check_module(module: Module, options: Options) -> tuple[tuple[Finding, ...], tuple[Problem, ...]]:
    """What the rules in force find in one module, suppressed or not, in order; and what went wrong with it.

    For tools that read suppression comments themselves. The rest of the tree counts, as it is on disk; it is analysed
    once for all of its files that are what they are there.
    """
    if options.no_project or module.path in (STDIN_NAME, "-"):
        analysed = _analyse([module], _Run(options))
        return tuple(_chosen(analysed.findings, options)), analysed.problems
    whole = _whole_tree(options.project_root or tree_root(module.path), options)
    if whole.texts.get(module.path) != hash(module.text):
        sources = Sources(options)
        sources.take(module.path, module.data, named=True, reported=True)
        _add_tree_of(sources, [module.path], options)
        whole = _of_tree(sources, options)
    findings = [finding for finding in whole.findings if finding.path == module.path]
    return tuple(_chosen(findings, options)), tuple(one for one in whole.problems if one.path == module.path)


def belongs_to_tests(path: str) -> bool:
    """Whether the file at `path` is one of a project's tests. Standard input without a name is not."""
    return path != STDIN_NAME and is_test(inside_tree(path))


def gathered(
    paths: Sequence[str], options: Options, progress: Progress | None = None
) -> tuple[Sources, tuple[Problem, ...]]:
    """The files under `paths`, with the rest of their tree beside them, and what kept some from being found."""
    found, problems = discover(paths, options)
    sources = Sources(options, progress)
    for path in sorted(set(paths)):
        if os.path.exists(path) and (pattern := forced_out(path, options)):
            sources.leave_out(excluded(shown_path(path), pattern), named=True)
    sources.read_all(found, reported=True)
    if not options.include_tests:
        sources.unheeded += [left_out_folder(shown) for shown in _folders_of_tests(paths, found)]
    _add_context(sources, paths, options)
    return sources, problems


def _folders_of_tests(paths: Sequence[str], found: Sequence[Source]) -> Iterator[str]:
    """The folders among `paths`, as shown, below which nothing was found but tests."""
    for shown in sorted({shown_path(path) for path in paths if os.path.isdir(path)}):
        below = [source for source in found if shown == "." or source.path.startswith(f"{shown}/")]
        if below and all(is_test(source.inside) for source in below):
            yield shown


def _add_context(sources: Sources, paths: Sequence[str], options: Options) -> None:
    """The rest of the tree, which is not reported on but has effects."""
    if options.no_project:
        return
    roots = (
        {options.project_root} if options.project_root else {tree_root(path) for path in paths if os.path.exists(path)}
    )
    named = {os.path.abspath(path) for path in paths}
    _read_trees(sources, roots - named, options)


def _add_tree_of(sources: Sources, buffers: Sequence[str], options: Options) -> None:
    """The rest of the tree around files in memory, which stand in the place of those on disk under any name."""
    if options.no_project or not buffers:
        return
    roots = {options.project_root} if options.project_root else {tree_root(path) for path in buffers}
    _read_trees(sources, roots, options, frozenset(map(os.path.realpath, buffers)))


def _read_trees(sources: Sources, roots: Iterable[str], options: Options, but: frozenset[str] = frozenset()) -> None:
    """Everything under `roots`, which is not reported on. but: files left out, absolute and without links."""
    for root in sorted(roots):
        found, _ = discover([root], options._replace(force_exclude=False))
        sources.read_all((source for source in found if source.real not in but), reported=False)


class _Tree(NamedTuple):
    """A whole tree analysed: its findings and problems, and the texts that they are of."""

    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    texts: dict[str, int]


@lru_cache(maxsize=4)
def _whole_tree(root: str, options: Options) -> _Tree:
    """The analysis of a tree on disk. Kept, for flake8 asks for one file after the other."""
    sources = Sources(options)
    found, _ = discover([root], options)
    sources.read_all(found, reported=True)
    return _of_tree(sources, options)


def _of_tree(sources: Sources, options: Options) -> _Tree:
    analysed = _analyse_all(sources, _Run(options))
    texts = {path: hash(text) for path, text in sources.texts().items()}
    return _Tree(analysed.findings, analysed.problems, texts)


class Checked(NamedTuple):
    """A report, and the modules that it was made from: those of the run and what effects reach."""

    report: Report
    modules: Sequence[Module]


def report_on(
    sources: Sources,
    problems: Sequence[Problem],
    options: Options,
    context: Sequence[Module] = (),
    told: Told | None = None,
    progress: Progress | None = None,
) -> Checked:
    """What is found in the files of a run. `context`: modules of the tree besides those of `sources`."""
    analysed = _analyse_all(sources, _Run(options, told, progress), context)
    reported = sources.reported
    modules = [module for module in sources.parsed() if module.path in reported]
    by_path: dict[str, list[Finding]] = {module.path: [] for module in modules}
    for finding in analysed.findings:
        if finding.path in reported:
            by_path.setdefault(finding.path, []).append(finding)
    # Where the analysis failed, nobody knows whether a comment would have had something to suppress.
    failed = {problem.path for problem in analysed.problems}
    shown: list[Finding] = []
    for module in modules:
        shown += _suppressed(module.path, module.text, by_path[module.path], options, module.path not in failed)
    for path, text in sources.comments():
        shown += _suppressed(path, text, [], options, True)
    wrong = [problem for problem in analysed.problems if problem.path in reported]
    report = Report(
        findings=tuple(_chosen(shown, options)),
        problems=tuple(
            sorted(
                (*problems, *sources.problems, *wrong),
                key=lambda problem: (problem.path, problem.line, problem.message),
            )
        ),
        files=sources.count,
        parsed=len(modules),
        notes=(*sources.notes, *analysed.notes),
        checked=reported,
        unheeded=tuple(sources.unheeded),
    )
    return Checked(report, analysed.modules)


def _suppressed(path: str, text: str, findings: list[Finding], options: Options, judge: bool) -> list[Finding]:
    judged = options.select if judge and suppress.INEFFECTIVE in options.select else frozenset()
    with_reasons = options.select if suppress.UNREASONED in options.select else frozenset()
    shown, wrong = suppress.apply(text, path, findings, judged, with_reasons)
    return shown + wrong


def _chosen(findings: Iterable[Finding], options: Options) -> list[Finding]:
    wanted = (finding for finding in findings if finding.code in options.select)
    return sorted(wanted, key=lambda finding: (*finding.sort_key, finding.message))


class _Analysed(NamedTuple):
    """Raw findings, what could not be analysed, what was given up, and the modules looked at."""

    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    modules: Sequence[Module] = ()


class _Run(NamedTuple):
    """What is asked of an analysis."""

    options: Options
    told: Told | None = None
    progress: Progress | None = None

    def seen(self, path: str) -> None:
        """Say that a module is being looked at."""
        if self.progress is not None:
            self.progress(f"analysing: {path}")


def _analyse_all(sources: Sources, run: _Run, context: Sequence[Module] = ()) -> _Analysed:
    """What is in the files of a run, their tree read as far as effects reach."""
    beside = [module for module in context if module.path not in sources.reported]

    def grow(words: Words, imports: frozenset[tuple[str, str]]) -> Sequence[Module]:
        return [*sources.modules(words, imports), *beside]

    return _analyse([*sources.modules(), *beside], run, grow)


def _analyse(modules: Sequence[Module], run: _Run, grow: Grow | None = None) -> _Analysed:
    """What is in `modules`. Those on which the analysis fails become problems, and the others are still seen."""
    if not modules:
        return _Analysed()
    from pause_lint.analysis import program  # late: a run in which no file can matter needs no analysis

    try:
        outcome = program.analyse(modules, run.options, grow, run.told, run.seen)
    except Exception as error:
        if len(modules) == 1:
            return _Analysed(problems=(_internal(modules[0], error),))
    else:
        return _Analysed(outcome.findings, (), outcome.notes, outcome.modules)
    alone = [_analyse((module,), run) for module in modules]
    problems = tuple(problem for one in alone for problem in one.problems)
    if problems:
        together = _analyse([module for module, one in zip(modules, alone, strict=True) if not one.problems], run)
        return together._replace(problems=problems + together.problems)
    # Each is sound by itself, but not all together: what one file shows is all there is to be had.
    return _Analysed(
        tuple(finding for one in alone for finding in one.findings),
        (Problem(modules[0].path, 0, "internal error in the analysis across files; please report it"),),
        tuple(note for one in alone for note in one.notes),
        modules,
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
