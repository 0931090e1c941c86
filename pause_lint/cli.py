"""The command line: its commands and their exit codes.

Exit codes: 0 nothing found or everything fixed, 1 findings, 2 the job could not be done. What is found, and how it is
fixed, is decided elsewhere; so is what is printed, and how.
"""

from __future__ import annotations

import argparse
import atexit
import gc
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from pause_lint import rules
from pause_lint.arguments import STDIN, options_of, parsed, refuse_narrowing, settings_of
from pause_lint.config import ConfigError, Options, nearest
from pause_lint.finding import Report
from pause_lint.output import SourceLines, print_beside, print_diffs, print_notes, print_problems, show, show_outcome
from pause_lint.report import MACHINE
from pause_lint.report.totals import count
from pause_lint.suppress import UNREASONED
from pause_lint.terminal import progress_on
from pause_lint.tree import STDIN_NAME, not_python, shown_path

if TYPE_CHECKING:
    from pause_lint.analysis.program import Case, Told
    from pause_lint.finding import Finding
    from pause_lint.fixing.propose import Proposal
    from pause_lint.fixing.spellings import Spellings

CLEAN, FOUND, FAILED, INTERRUPTED = 0, 1, 2, 130


def run() -> NoReturn:
    """The whole process: run the command of its arguments, and leave.

    Syntax trees are many objects without cycles: looking for cycles among them only takes time. And Python's own way
    out takes every tree apart first, which takes longer than reading the files did.
    """
    gc.disable()
    code = main()
    if sys.gettrace() is None and sys.getprofile() is None:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
            atexit._run_exitfuncs()
            os._exit(code)
    sys.exit(code)


def main(argv: list[str] | None = None) -> int:
    """Run the command in `argv` (default: that of this process) and return its exit code."""
    _open_closed_streams()
    _tolerate_any_text()
    try:
        code = _told(_run, sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()  # whoever read it has seen enough
        return FOUND
    except KeyboardInterrupt:
        return INTERRUPTED
    except ConfigError as error:
        return _fail(str(error))
    except Exception as error:
        if isinstance(error, OSError) and error.filename is None:  # no file of the tree: those are told by name
            _drop_output()
            why = f"{error.strerror or error}: free some space, or send it elsewhere"
            return _fail(f"pause-lint: error: the output cannot be written: {why}")
        return _fail(f"pause-lint: internal error: {type(error).__name__}: {error}; please report it")
    return code


def _told(run: Callable[[Sequence[str]], int], argv: Sequence[str]) -> int:
    """The exit code of `run`, also where argparse has printed what there is to say and leaves."""
    try:
        return run(argv)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else CLEAN if stop.code is None else FAILED


def _open_closed_streams() -> None:
    """Who closed a stream does not want it; but the next file that is opened must not take its place."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _drop_output() -> None:
    """What was not written yet goes nowhere; without this, Python would complain again on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tolerate_any_text() -> None:
    """Paths and code may hold what the terminal cannot show; that must not end the run."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _run(argv: Sequence[str]) -> int:
    arguments = parsed(argv)
    if arguments.command is None:
        return FAILED
    if arguments.command == "rule":
        return _rule(arguments.code)
    if arguments.command == "run":
        return _start(arguments.program)
    if arguments.command == "lsp":
        return _serve(arguments)
    command = {"check": _check, "fix": _fix, "baseline": _baseline}[arguments.command]
    return command(arguments, options_of(arguments))


def _rule(code: str | None) -> int:
    if code is None:
        sys.stdout.write(rules.table())
        return CLEAN
    for rule in rules.RULES:
        if code.upper() == rule.code or code.lower() == rule.name:
            sys.stdout.write(rules.page(rule))
            return CLEAN
    known = [*rules.BY_CODE, *(rule.name for rule in rules.RULES)]
    likely = nearest(code.upper(), known) or nearest(code.lower(), known)
    return _fail(f"pause-lint: error: unknown rule {code!r}{likely} (known: {', '.join(rules.BY_CODE)})")


def _start(program: Sequence[str]) -> int:
    program = program[1:] if program[:1] == ["--"] else program
    if not program:
        return _fail("pause-lint run: error: name a program, as in `pause-lint run -- python train.py`")
    from pause_lint.launch import launch

    return launch(program)


def _serve(arguments: argparse.Namespace) -> int:
    gc.enable()  # it lasts, and rewriting makes cycles
    try:
        from pause_lint.lsp.examine import Asked
        from pause_lint.lsp.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        return _fail(
            "pause-lint lsp: error: the language server needs pygls 2, which is not installed: "
            "python -m pip install 'pygls>=2.0,<3'"
        )
    return serve(Asked(settings_of(arguments), arguments.config, arguments.project_root))


def _check(arguments: argparse.Namespace, options: Options) -> int:
    from pause_lint.check import check_buffers, check_paths

    refuse_narrowing(arguments)
    memory: dict[str, bytes] = {}
    cases: dict[Finding, Case] | None = {} if arguments.output_format == "sarif" else None
    if arguments.paths == [STDIN]:
        data, path = _stdin(arguments)
        memory[path] = data
        report = check_buffers(memory, options, _foretelling(cases)).report
    else:
        with progress_on(sys.stderr, arguments.quiet) as progress:
            report = check_paths(arguments.paths or ["."], options, _foretelling(cases), progress)
    report, notes = _narrowed(report, arguments, options, memory)
    show(report, arguments, memory, _proposed(report, cases, arguments.quiet) if cases else {})
    print_beside(notes, arguments)
    return _exit_code(arguments, bool(report.findings), report)


def _foretelling(kept: dict[Finding, Case] | None) -> Told:
    """Puts findings with whether `fix` would cure them. kept: takes the case of each, if they are needed later."""
    spellings: list[Spellings] = []

    def told(case: Case) -> Finding:
        from pause_lint.fixing.forecast import forecast  # late: most runs find nothing
        from pause_lint.fixing.spellings import Spellings

        if not spellings:
            spellings.append(Spellings())
        finding = forecast(case, spellings[0])
        if kept is not None:
            kept[finding] = case
        return finding

    return told


def _proposed(report: Report, cases: dict[Finding, Case], quiet: bool) -> dict[Finding, Proposal]:
    """The fixes of findings, for a format that has a place for them."""
    gc.enable()  # rewriting makes cycles
    try:
        from pause_lint.fixing.propose import proposals
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "libcst":
            raise
        sys.stderr.write("note: fixes are left out: they need LibCST, which is not installed\n")
        return {}
    with progress_on(sys.stderr, quiet) as progress:
        return proposals(report.findings, cases, progress)


def _fix(arguments: argparse.Namespace, options: Options) -> int:
    gc.enable()  # rewriting makes cycles
    if arguments.diff and arguments.output_format in MACHINE:
        raise ConfigError(
            f"pause-lint fix: error: --diff and --output-format {arguments.output_format} exclude each other"
        )
    try:
        from pause_lint.fixing.run import fix_bytes, fix_paths, unified_diff
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "libcst":
            raise
        return _fail("pause-lint fix: error: fixing needs LibCST, which is not installed: python -m pip install libcst")
    unsafe: bool = arguments.unsafe_fixes
    noqa = _reason(arguments, options)
    memory: dict[str, bytes] = {}
    from_stdin = arguments.paths == [STDIN]
    if from_stdin:
        data, path = _stdin(arguments)
        outcome = fix_bytes(data, path, options, unsafe=unsafe, noqa=noqa)
        memory[path] = outcome.changes[0].new if outcome.changes else data
    else:
        paths = arguments.paths or ["."]
        with progress_on(sys.stderr, arguments.quiet) as progress:
            outcome = fix_paths(paths, options, unsafe=unsafe, write=not arguments.diff, noqa=noqa, progress=progress)
        # What is left is shown as it stands in the files as fixed, written or not.
        memory.update({change.path: change.new for change in outcome.changes})
    if arguments.diff:
        print_diffs(map(unified_diff, outcome.changes), arguments)
    elif from_stdin:
        sys.stdout.flush()
        sys.stdout.buffer.write(memory[path])
        sys.stdout.buffer.flush()
    # Where standard output is a diff or a file, what there is to say goes beside it.
    show_outcome(outcome, arguments, memory, beside=arguments.diff or from_stdin)
    return _exit_code(arguments, bool(outcome.unfixed or (arguments.diff and outcome.changes)), outcome.report)


def _baseline(arguments: argparse.Namespace, options: Options) -> int:
    from pause_lint.baseline import DEFAULT_FILE, record
    from pause_lint.check import check_paths

    with progress_on(sys.stderr, arguments.quiet) as progress:
        report = check_paths(arguments.paths or ["."], options, progress=progress)
    file: str = arguments.output or DEFAULT_FILE
    recorded = record(report, file, SourceLines({}))
    if not arguments.quiet:
        before = "" if recorded.before is None else f", which held {recorded.before}"
        sys.stdout.write(f"Wrote {count(recorded.now, 'finding')} down in {file}{before}.\n")
    print_problems(report.problems, arguments)
    print_notes(report, arguments)
    return FAILED if report.problems else CLEAN


def _narrowed(
    report: Report, arguments: argparse.Namespace, options: Options, memory: dict[str, bytes]
) -> tuple[Report, list[str]]:
    """What of a report is new, as far as that was asked, and what there is to say about the rest."""
    notes: list[str] = []
    lines, paths = SourceLines(memory), list(memory) or arguments.paths or ["."]
    touched = None
    if arguments.diff_base is not None:
        from pause_lint.changed import changed_only

        # First, for it may fail, and a baseline is not to be written then.
        touched = frozenset(changed_only(report, arguments.diff_base, lines, options, paths).findings)
    if arguments.baseline is not None:
        from pause_lint.baseline import narrowed

        update: bool = arguments.update_baseline
        report, notes = narrowed(report, arguments.baseline, lines, options.select, paths, update=update)
    if touched is not None:
        kept = tuple(finding for finding in report.findings if finding in touched)
        if left_out := len(report.findings) - len(kept):
            notes.append(
                f"{count(left_out, 'finding')} not shown, which changes since {arguments.diff_base} do not touch"
            )
        report = report._replace(findings=kept)
    return report, notes


def _reason(arguments: argparse.Namespace, options: Options) -> str | None:
    """The reason that goes into new suppressions; empty without one; None if none are asked for."""
    if arguments.reason is not None and not arguments.add_noqa:
        raise ConfigError("pause-lint fix: error: --reason goes with --add-noqa")
    if arguments.add_noqa and arguments.unsafe_fixes:
        raise ConfigError("pause-lint fix: error: --add-noqa suppresses instead of fixing; leave out --unsafe-fixes")
    if arguments.add_noqa and UNREASONED in options.select and arguments.reason is None:
        raise ConfigError("pause-lint fix: error: suppressions need a reason here: --reason TEXT")
    if not arguments.add_noqa:
        return None
    if arguments.reason is None:
        return ""
    from pause_lint.fixing.silence import check_reason

    return check_reason(arguments.reason)


def _stdin(arguments: argparse.Namespace) -> tuple[bytes, str]:
    name: str | None = arguments.stdin_filename
    if name and (why := not_python(name)):
        raise ConfigError(f"{name}: error: {why}")
    return sys.stdin.buffer.read(), shown_path(name) if name else STDIN_NAME


def _exit_code(arguments: argparse.Namespace, found: bool, report: Report) -> int:
    if report.problems:
        return FAILED
    return FOUND if found and not arguments.exit_zero else CLEAN


def _fail(message: str) -> int:
    with suppress(OSError):  # where there is no room for it, the exit code tells
        from pause_lint.report.excerpt import printable_lines

        sys.stdout.flush()
        sys.stderr.write(f"{printable_lines(message)}\n")
    return FAILED
