"""The arguments of the command line: which there are, what `--help` says of them, and the options that they amount to.

Nothing is read but the configuration, and nothing is done.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from pause_lint import __version__
from pause_lint.config import ConfigError, Options, Settings, checked, load, nearest, resolve, split_list
from pause_lint.pairs import PRESETS
from pause_lint.report import MACHINE
from pause_lint.suppress import UNREASONED
from pause_lint.terminal import columns

STDIN = "-"
"""The path that stands for standard input."""
_FAILED = 2  # what argparse exits with as well


def parsed(argv: Sequence[str]) -> argparse.Namespace:
    """What `argv` says; its `command` is None if it names none, and then the help has been printed.

    Raises SystemExit, with the exit code, once help or what is wrong has been printed.
    """
    parser, commands = _parsers(argv)
    if argv and not argv[0].startswith("-") and argv[0] not in commands:
        _refuse_command(parser, argv, commands)
    arguments, unknown = parser.parse_known_args(argv)
    if unknown:
        _refuse(commands.get(arguments.command or "", parser), unknown[0])
    if arguments.command is None:
        parser.print_help()
    return arguments


def whole() -> argparse.ArgumentParser:
    """What understands every command at once: for what is made of the options, not for reading arguments."""
    return _parsers(())[0]


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Lays out help for the terminal. argparse makes one for every option, and each would load `shutil` to measure."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=columns(sys.stdout, 80) - 2)


class _Parser(argparse.ArgumentParser):
    """Says which option was meant instead of printing all of them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=_Formatter, allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        self.exit(_FAILED, f"{self.prog}: error: {message}\nTry `{self.prog} --help`.\n")


def _parsers(argv: Sequence[str]) -> tuple[_Parser, Mapping[str, _Parser]]:
    """What understands `argv`, and its commands. Those not asked for are left out: each takes time to declare."""
    parser = _Parser(
        prog="pause-lint",
        description="Finds, and fixes, the pause of an inference engine that some path out of a function never undoes.",
    )
    parser.add_argument("--version", action="version", version=f"pause-lint {__version__}")
    # Told how it is called, the parser need not load what lays out its help.
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser, prog=parser.prog)
    asked = argv[0] if argv else ""
    for name, (summary, declare) in _COMMANDS.items():
        if asked == name or asked not in _COMMANDS:
            declare(commands.add_parser(name, help=summary))
    if not argv or not {"-h", "--help"}.isdisjoint(argv):
        from pause_lint.guide import explain

        explain(parser, commands.choices)
    return parser, commands.choices


def _refuse(parser: _Parser, word: str) -> NoReturn:
    """Stop because of an argument that means nothing to `parser`."""
    known = [option for action in parser._actions for option in action.option_strings if option.startswith("--")]
    likely = nearest(word.partition("=")[0], known) if word.startswith("-") else ""
    parser.error(f"unrecognized argument: {word}{likely}")


def _refuse_command(parser: _Parser, argv: Sequence[str], commands: Mapping[str, _Parser]) -> NoReturn:
    """Stop because `argv` begins with something that is no command: a path, or one that is misspelt."""
    word = argv[0]
    if os.path.exists(word) or "/" in word or os.sep in word or word.endswith((".py", ".pyi")):
        import shlex

        commands["check"].error(f"no command before {word!r}; did you mean `{parser.prog} check {shlex.join(argv)}`?")
    parser.error(f"unknown command {word!r}{nearest(word, commands)} (known: {', '.join(commands)})")


def _add_common(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("paths", nargs="*", metavar="PATH", help="files and folders (default: this folder); `-`: standard input")
    _add_choice(command)
    said = command.add_argument_group("what is said beside")
    said.add_argument("-q", "--quiet", action="store_true", help="print findings only")
    said.add_argument("-v", "--verbose", action="store_true", help="say what was left out and given up")


def _add_choice(command: argparse.ArgumentParser) -> None:
    chosen = command.add_argument_group("what is looked for")
    chosen.add_argument(
        "--select",
        action="append",
        metavar="CODES",
        help="report these rules only: codes or beginnings of codes, as in PR001,PR9",
    )
    chosen.add_argument("--ignore", action="append", metavar="CODES", help="do not report these rules")
    chosen.add_argument(
        "--extend-select", action="append", metavar="CODES", help="report these rules besides, as in PR005"
    )
    chosen.add_argument(
        "--pair",
        action="append",
        metavar="PAUSE:RESUME[,RESUME]",
        help="one more pair of names, as in drain:undrain; repeatable",
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
    where.add_argument(
        "--no-project",
        action="store_true",
        default=None,
        help="look at the paths named only, not at what they call elsewhere",
    )
    where.add_argument(
        "--force-exclude",
        action="store_true",
        default=None,
        help="leave out what `exclude` in the configuration names also where it is named here",
    )
    where.add_argument("--include-tests", action="store_true", default=None, help="report faults in test code as well")
    where.add_argument("--config", metavar="FILE", help="read the configuration from this file")


def _add_report(command: argparse.ArgumentParser) -> None:
    command.add_argument("--stdin-filename", metavar="PATH", help="what standard input is called in reports")
    shown = command.add_argument_group("what is shown")
    shown.add_argument(
        "--output-format", choices=("text", "concise", *MACHINE), default="text", help="how findings are printed"
    )
    shown.add_argument("--statistics", action="store_true", help="count findings by rule (text and concise)")
    shown.add_argument("--exit-zero", action="store_true", help="exit with 0 even if there are findings")
    shown.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colour; auto: on a terminal, unless NO_COLOR or FORCE_COLOR say otherwise",
    )


def _add_narrowing(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("what is new")
    group.add_argument("--baseline", metavar="FILE", help="report only what is not in this baseline")
    group.add_argument(
        "--update-baseline", action="store_true", help="take what is gone out of the baseline; nothing is ever added"
    )
    group.add_argument(
        "--diff-base", metavar="REV", help="report only findings on a path that changes since this git revision touch"
    )


def _add_check(command: argparse.ArgumentParser) -> None:
    _add_common(command)
    _add_report(command)
    _add_narrowing(command)


def _add_baseline(command: argparse.ArgumentParser) -> None:
    _add_common(command)
    command.add_argument(
        "-o", "--output", metavar="FILE", help="where to write them (default: pause-lint-baseline.json)"
    )


def _add_fix(command: argparse.ArgumentParser) -> None:
    _add_common(command)
    _add_report(command)
    command.add_argument("--diff", action="store_true", help="print a unified diff instead of writing files")
    command.add_argument("--unsafe-fixes", action="store_true", help="apply fixes that may change a path, too")
    command.add_argument(
        "--add-noqa", action="store_true", help="suppress the findings with comments instead of fixing them"
    )
    command.add_argument("--reason", metavar="TEXT", help="with --add-noqa: the reason, written behind the codes")


def _add_rule(command: argparse.ArgumentParser) -> None:
    command.add_argument("code", nargs="?", metavar="CODE", help="a code or a name; without it, the table of all rules")


def _add_run(command: argparse.ArgumentParser) -> None:
    command.add_argument("program", nargs=argparse.REMAINDER, metavar="-- PROGRAM ...", help="what to start")


def _add_lsp(command: argparse.ArgumentParser) -> None:
    _add_choice(command)
    command.add_argument("--stdio", action="store_true", help="over standard input and output; there is no other way")


_COMMANDS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "check": ("report findings", _add_check),
    "baseline": ("write down today's findings, for `check --baseline`", _add_baseline),
    "fix": ("rewrite files so that they have none", _add_fix),
    "rule": ("explain a rule, or list them all", _add_rule),
    "lsp": ("serve an editor, over the Language Server Protocol", _add_lsp),
    "run": ("start a program whose engine is patched as it is imported", _add_run),
}
"""What each command says of itself, and what declares its options."""


def options_of(arguments: argparse.Namespace) -> Options:
    """The options of a run, from its arguments and the configuration. Raises ConfigError."""
    paths: list[str] = arguments.paths
    if STDIN in paths and len(paths) > 1:
        raise ConfigError("pause-lint: error: `-` stands alone; it cannot be checked together with other paths")
    line = settings_of(arguments)
    if STDIN in paths:
        if arguments.command == "baseline":
            raise ConfigError("pause-lint baseline: error: `-` cannot be written down; name files or folders")
        paths = [arguments.stdin_filename] if arguments.stdin_filename else []
    return resolve(load(paths, arguments.config, arguments.project_root), line)


def settings_of(arguments: argparse.Namespace) -> Settings:
    """What the arguments say of options, without the configuration. Raises ConfigError."""
    root: str | None = arguments.project_root
    if root is not None and not os.path.isdir(root):
        raise ConfigError(f"pause-lint: error: argument --project-root: no such folder: {root}")
    return Settings(
        select=_listed(arguments, "select"),
        ignore=_listed(arguments, "ignore"),
        extend_select=_with_reasons(arguments),
        presets=_listed(arguments, "presets", "preset"),
        pairs=_listed(arguments, "pairs", "pair"),
        project_root=os.path.abspath(root) if root is not None else None,
        force_exclude=arguments.force_exclude,
        no_project=arguments.no_project,
        include_tests=arguments.include_tests,
    )


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


def refuse_narrowing(arguments: argparse.Namespace) -> None:
    """Raise ConfigError if what is new cannot be told with these arguments."""
    if arguments.update_baseline and arguments.baseline is None:
        raise ConfigError("pause-lint check: error: --update-baseline: name the baseline with --baseline FILE")
    if arguments.diff_base is not None and STDIN in arguments.paths:
        raise ConfigError("pause-lint check: error: --diff-base compares files on disk; name them instead of `-`")
