"""The command line: commands, options, what is printed where, and exit codes.

Findings go to standard output, problems and notes to standard error. Exit codes: 0 nothing found or everything fixed,
1 findings, 2 the job could not be done. What is found, and how it is fixed, is decided elsewhere.
"""

from __future__ import annotations

import argparse
import atexit
import gc
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

from pause_lint import __version__, rules
from pause_lint.config import ConfigError, Options, Settings, checked, load, nearest, resolve, split_list
from pause_lint.finding import Problem, Report
from pause_lint.module import split_lines
from pause_lint.pairs import PRESETS
from pause_lint.report import FILES, MACHINE, render, text
from pause_lint.suppress import UNREASONED
from pause_lint.tree import STDIN_NAME, Unparsable, decode, read, shown_path

if TYPE_CHECKING:
    from pause_lint.analysis.program import Case, Told
    from pause_lint.finding import Finding
    from pause_lint.fixing.propose import Proposal
    from pause_lint.fixing.run import Outcome
    from pause_lint.fixing.spellings import Spellings

STDIN = "-"
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
    _tolerate_any_text()
    try:
        code = _run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except SystemExit as stop:  # argparse has printed what there is to say
        return stop.code if isinstance(stop.code, int) else CLEAN if stop.code is None else FAILED
    except BrokenPipeError:
        # Whoever read our output has seen enough. Without this, Python would complain again on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FOUND
    except KeyboardInterrupt:
        return INTERRUPTED
    except ConfigError as error:
        return _fail(str(error))
    except Exception as error:
        return _fail(f"pause-lint: internal error: {type(error).__name__}: {error}; please report it")
    return code


def _tolerate_any_text() -> None:
    """Paths and code may hold what the terminal cannot show; that must not end the run."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _run(argv: Sequence[str]) -> int:
    parser = _parser(argv)
    arguments, unknown = parser.parse_known_args(argv)
    if unknown:
        _refuse(parser, unknown[0], ["--" + name.replace("_", "-") for name in vars(arguments)])
    if arguments.command is None:
        parser.print_help()
        return FAILED
    if arguments.command == "rule":
        return _rule(arguments.code)
    if arguments.command == "run":
        return _start(arguments.program)
    options = _options(arguments)
    if arguments.command == "fix":
        return _fix(arguments, options)
    if arguments.command == "baseline":
        return _baseline(arguments, options)
    return _check(arguments, options)


# Options


class _Formatter(argparse.HelpFormatter):
    """Lays out help for the terminal. argparse makes one for every option, and each would load `shutil` to measure."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


def _columns() -> int:
    """How wide the terminal is, as `shutil.get_terminal_size` has it."""
    with suppress(ValueError, OSError):
        return int(os.environ.get("COLUMNS", "0")) or os.get_terminal_size(sys.stdout.fileno()).columns
    return 80


class _Parser(argparse.ArgumentParser):
    """Says which option was meant instead of printing all of them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=_Formatter, allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        self.exit(FAILED, f"{self.prog}: error: {message}\nTry `{self.prog} --help`.\n")


def _parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    """What understands `argv`. Commands that are not in it get no options of their own: each takes time to declare."""
    parser = _Parser(
        prog="pause-lint",
        description="Finds, and fixes, the pause of an inference engine that some path out of a function never undoes.",
    )
    parser.add_argument("--version", action="version", version=f"pause-lint {__version__}")
    # Told how it is called, the parser need not load what lays out its help.
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser, prog=parser.prog)
    check = commands.add_parser("check", help="report findings")
    baseline = commands.add_parser("baseline", help="write down today's findings, for `check --baseline`")
    fix = commands.add_parser("fix", help="rewrite files so that they have none")
    rule = commands.add_parser("rule", help="explain a rule, or list them all")
    if "check" in argv:
        _add_common(check)
        _add_report(check)
        _add_narrowing(check)
    if "baseline" in argv:
        _add_common(baseline)
        baseline.add_argument(
            "-o", "--output", metavar="FILE", help="where to write them (default: pause-lint-baseline.json)"
        )
    if "fix" in argv:
        _add_common(fix)
        _add_report(fix)
        fix.add_argument("--diff", action="store_true", help="print a unified diff instead of writing files")
        fix.add_argument("--unsafe-fixes", action="store_true", help="apply fixes that may change a path, too")
        fix.add_argument(
            "--add-noqa", action="store_true", help="suppress the findings with comments instead of fixing them"
        )
        fix.add_argument("--reason", metavar="TEXT", help="with --add-noqa: the reason, written behind the codes")
    start = commands.add_parser("run", help="start a program whose engine is patched as it is imported")
    start.add_argument("program", nargs=argparse.REMAINDER, metavar="-- PROGRAM ...", help="what to start")
    rule.add_argument("code", nargs="?", metavar="CODE", help="a code or a name; without it, the table of all rules")
    return parser


def _refuse(parser: argparse.ArgumentParser, word: str, known: Iterable[str]) -> NoReturn:
    """Stop because of an argument that means nothing here; the options in `known` would."""
    likely = nearest(word.partition("=")[0], known) if word.startswith("-") else ""
    parser.error(f"unrecognized argument: {word}{likely}")


def _add_common(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("paths", nargs="*", metavar="PATH", help="files and folders (default: this folder); `-` reads standard input")
    chosen = command.add_argument_group("what is looked for")
    chosen.add_argument("--select", action="append", metavar="CODES", help="rules in force, as codes or prefixes")
    chosen.add_argument("--ignore", action="append", metavar="CODES", help="rules not in force")
    chosen.add_argument("--extend-select", action="append", metavar="CODES", help="rules in force as well")
    chosen.add_argument(
        "--pair", action="append", metavar="PAUSE:RESUME[,RESUME]", help="one more pair of names; may be repeated"
    )
    chosen.add_argument(
        "--preset",
        action="append",
        metavar="NAME",
        help=f"pairs besides `default`: {', '.join(name for name in PRESETS if name != 'default')}, or all; repeatable",
    )
    chosen.add_argument(
        "--require-reason", action="store_true", help="report suppressions that give no reason, as PR901"
    )
    where = command.add_argument_group("where it is looked for")
    where.add_argument("--project-root", metavar="FOLDER", help="the root of the project (default: it is looked for)")
    where.add_argument("--no-project", action="store_true", default=None, help="look at nothing but the paths named")
    where.add_argument("--include-tests", action="store_true", default=None, help="look at test files as well")
    where.add_argument("--config", metavar="FILE", help="read the configuration from this file")
    said = command.add_argument_group("what is said beside")
    said.add_argument("-q", "--quiet", action="store_true", help="findings only")
    said.add_argument("-v", "--verbose", action="store_true", help="say what was left out and given up")


def _add_report(command: argparse.ArgumentParser) -> None:
    command.add_argument("--stdin-filename", metavar="PATH", help="what standard input is called in reports")
    shown = command.add_argument_group("what is shown")
    shown.add_argument(
        "--output-format", choices=("text", "concise", *MACHINE), default="text", help="how findings are printed"
    )
    shown.add_argument("--statistics", action="store_true", help="count findings by rule (text and concise)")
    shown.add_argument("--exit-zero", action="store_true", help="exit with 0 even if there are findings")
    shown.add_argument("--color", choices=("auto", "always", "never"), default="auto")


def _add_narrowing(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("what is new")
    group.add_argument("--baseline", metavar="FILE", help="report only what is not in this baseline")
    group.add_argument(
        "--update-baseline", action="store_true", help="take what is gone out of the baseline; nothing is ever added"
    )
    group.add_argument(
        "--diff-base", metavar="REV", help="report only findings on a path that changes since this git revision touch"
    )


def _options(arguments: argparse.Namespace) -> Options:
    paths: list[str] = arguments.paths
    if STDIN in paths and len(paths) > 1:
        raise ConfigError("pause-lint: error: `-` stands alone; it cannot be checked together with other paths")
    root: str | None = arguments.project_root
    if root is not None and not os.path.isdir(root):
        raise ConfigError(f"pause-lint: error: argument --project-root: no such folder: {root}")
    line = Settings(
        select=_listed(arguments, "select"),
        ignore=_listed(arguments, "ignore"),
        extend_select=_with_reasons(arguments),
        presets=_listed(arguments, "presets", "preset"),
        pairs=_listed(arguments, "pairs", "pair"),
        project_root=os.path.abspath(root) if root is not None else None,
        no_project=arguments.no_project,
        include_tests=arguments.include_tests,
    )
    if STDIN in paths:
        if arguments.command == "baseline":
            raise ConfigError("pause-lint baseline: error: `-` cannot be written down; name files or folders")
        paths = [arguments.stdin_filename] if arguments.stdin_filename else []
    return resolve(load(paths, arguments.config, root), line)


def _with_reasons(arguments: argparse.Namespace) -> tuple[str, ...] | None:
    """What is selected besides."""
    listed = _listed(arguments, "extend-select")
    return (*(listed or ()), UNREASONED) if arguments.require_reason else listed


def _listed(arguments: argparse.Namespace, key: str, option: str = "") -> tuple[str, ...] | None:
    option = option or key
    given: list[str] | None = getattr(arguments, option.replace("-", "_"))
    if given is None:
        return None
    try:
        # What is no pair is refused as it was written, not cut up at its commas.
        return checked(key, given if key == "pairs" else split_list(",".join(given)))
    except ConfigError as error:
        raise ConfigError(f"pause-lint: error: argument --{option}: {error}") from None


# Commands


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


def _check(arguments: argparse.Namespace, options: Options) -> int:
    from pause_lint.check import check_paths, check_source, context_of

    _refuse_narrowing(arguments)
    memory: dict[str, bytes] = {}
    cases: dict[Finding, Case] | None = {} if arguments.output_format == "sarif" else None
    if arguments.paths == [STDIN]:
        data, path = _stdin(arguments)
        memory[path] = data
        context = context_of(path, options) if os.path.exists(path) else ()
        report = check_source(data, path, options, context, _foretelling(cases))
    else:
        report = check_paths(arguments.paths or ["."], options, _foretelling(cases))
    report, notes = _narrowed(report, arguments, options, memory)
    _show(report, arguments, memory, _proposed(report, cases) if cases else {})
    _print_beside(notes, arguments)
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


def _proposed(report: Report, cases: dict[Finding, Case]) -> dict[Finding, Proposal]:
    """The fixes of findings, for a format that has a place for them."""
    gc.enable()  # rewriting makes cycles
    try:
        from pause_lint.fixing.propose import proposals
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "libcst":
            raise
        sys.stderr.write("note: fixes are left out: they need LibCST, which is not installed\n")
        return {}
    return proposals(report.findings, cases)


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
        outcome = fix_paths(paths, options, unsafe=unsafe, write=not arguments.diff, noqa=noqa)
        # What is left is shown as it stands in the files as fixed, written or not.
        memory.update({change.path: change.new for change in outcome.changes})
    if arguments.diff:
        sys.stdout.flush()
        for change in outcome.changes:
            sys.stdout.buffer.write(unified_diff(change))
        sys.stdout.buffer.flush()
    elif from_stdin:
        sys.stdout.flush()
        sys.stdout.buffer.write(memory[path])
        sys.stdout.buffer.flush()
    # Where standard output is a diff or a file, what there is to say goes beside it.
    _show_outcome(outcome, arguments, memory, beside=arguments.diff or from_stdin)
    return _exit_code(arguments, bool(outcome.unfixed or (arguments.diff and outcome.changes)), outcome.report)


def _baseline(arguments: argparse.Namespace, options: Options) -> int:
    from pause_lint.baseline import DEFAULT_FILE, record
    from pause_lint.check import check_paths

    report = check_paths(arguments.paths or ["."], options)
    file: str = arguments.output or DEFAULT_FILE
    recorded = record(report, file, _SourceLines({}))
    if not arguments.quiet:
        before = "" if recorded.before is None else f", which held {recorded.before}"
        sys.stdout.write(f"Wrote {_findings(recorded.now)} down in {file}{before}.\n")
    _print_problems(report.problems)
    _print_notes(report, arguments)
    return FAILED if report.problems else CLEAN


def _refuse_narrowing(arguments: argparse.Namespace) -> None:
    """Stop if what is new cannot be told with these options."""
    if arguments.update_baseline and arguments.baseline is None:
        raise ConfigError("pause-lint check: error: --update-baseline: name the baseline with --baseline FILE")
    if arguments.diff_base is not None and STDIN in arguments.paths:
        raise ConfigError("pause-lint check: error: --diff-base compares files on disk; name them instead of `-`")


def _narrowed(
    report: Report, arguments: argparse.Namespace, options: Options, memory: dict[str, bytes]
) -> tuple[Report, list[str]]:
    """What of a report is new, as far as that was asked, and what there is to say about the rest."""
    notes: list[str] = []
    lines, paths = _SourceLines(memory), list(memory) or arguments.paths or ["."]
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
            notes.append(f"{_findings(left_out)} not shown, which changes since {arguments.diff_base} do not touch")
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
    return sys.stdin.buffer.read(), shown_path(name) if name else STDIN_NAME


def _exit_code(arguments: argparse.Namespace, found: bool, report: Report) -> int:
    if report.problems:
        return FAILED
    return FOUND if found and not arguments.exit_zero else CLEAN


# Output


def _show(
    report: Report, arguments: argparse.Namespace, memory: dict[str, bytes], fixes: dict[Finding, Proposal]
) -> None:
    """Print a report. memory: the files that were not read from disk, by shown path. fixes: those to be shown."""
    lines = _SourceLines(memory)
    if arguments.output_format in MACHINE:
        sys.stdout.write(render(arguments.output_format, report, lines, fixes))
        if arguments.output_format in FILES:
            _print_problems(report.problems)
    else:
        sys.stdout.write(
            text.render(
                report,
                lines,
                concise=arguments.output_format == "concise",
                quiet=arguments.quiet,
                with_statistics=arguments.statistics,
                style=_style(arguments),
            )
        )
        _print_problems(report.problems)
    _print_notes(report, arguments)


def _show_outcome(outcome: Outcome, arguments: argparse.Namespace, memory: dict[str, bytes], beside: bool) -> None:
    """Print what was fixed and what was not. beside: on standard error."""
    if arguments.output_format in MACHINE and not beside:
        _show(outcome.report, arguments, memory, {})
        return
    out = sys.stderr if beside else sys.stdout
    style = _style(arguments)
    lines = _SourceLines(memory)
    if not arguments.quiet and not arguments.diff:
        for finding in outcome.fixed:
            out.write(f"{text.headline(finding, style)} [{'suppressed' if arguments.add_noqa else 'fixed'}]\n")
    for finding, reason in outcome.unfixed:
        concise = arguments.output_format == "concise"
        shown = text.headline(finding, style) if concise else text.block(finding, lines, style)
        out.write(f"{shown}\n  not {'suppressed' if arguments.add_noqa else 'fixed'}: {reason}\n")
    if arguments.statistics:
        out.write(text.statistics(outcome.report.findings))
    if not arguments.quiet:
        counts = (len(outcome.fixed), len(outcome.changes), len(outcome.unfixed))
        out.write(text.fix_summary(*counts, diff=arguments.diff, noqa=arguments.add_noqa))
    _print_problems(outcome.report.problems)
    _print_notes(outcome.report, arguments)


def _print_problems(problems: Sequence[Problem]) -> None:
    sys.stdout.flush()
    for problem in problems:
        sys.stderr.write(text.problem_line(problem) + "\n")


def _print_notes(report: Report, arguments: argparse.Namespace) -> None:
    if arguments.verbose and not arguments.quiet:
        sys.stdout.flush()
        for note in report.notes:
            sys.stderr.write(f"note: {note}\n")
        sys.stderr.write(f"note: {report.files} files read, {report.parsed} of them parsed\n")


def _print_beside(notes: Sequence[str], arguments: argparse.Namespace) -> None:
    """Print what there is to say about a report, beside it."""
    if not arguments.quiet:
        sys.stdout.flush()
        sys.stderr.write("".join(f"note: {note}\n" for note in notes))


class _SourceLines:
    """The lines of a file by its shown path: from memory, or read again and kept."""

    def __init__(self, memory: dict[str, bytes]) -> None:
        self._memory = memory
        self._known: dict[str, tuple[str, ...]] = {}

    def __call__(self, path: str) -> tuple[str, ...]:
        if path not in self._known:
            try:
                data = self._memory[path] if path in self._memory else read(path)
                self._known[path] = split_lines(decode(data))
            except (OSError, ValueError, Unparsable):
                self._known[path] = ()
        return self._known[path]


def _findings(number: int) -> str:
    return f"{number} finding{'' if number == 1 else 's'}"


def _style(arguments: argparse.Namespace) -> text.Style:
    """Colour if asked for, or if a person looks at a terminal (https://no-color.org, https://force-color.org)."""
    wanted: str = arguments.color
    if wanted == "auto":
        if os.environ.get("NO_COLOR"):
            wanted = "never"
        elif os.environ.get("FORCE_COLOR"):
            wanted = "always"
        elif os.environ.get("TERM") == "dumb" or not sys.stdout.isatty():
            wanted = "never"
    return text.PLAIN if wanted == "never" else text.Style.colored()


def _fail(message: str) -> int:
    sys.stdout.flush()
    sys.stderr.write(message + "\n")
    return FAILED
