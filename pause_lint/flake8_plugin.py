"""The flake8 plugin: what `check` finds, one file at a time, in flake8's own report.

A thin adapter. flake8 reads the files, honours suppression comments and chooses among the codes; PR900 is the command
line tool's alone. Rules that are opt-in are reported when flake8 is asked for them by their full code, or when the
project's own configuration has them on: `extend-select = PR` means the rules that `check` has on.

Follows "Writing Plugins for flake8" (https://flake8.pycqa.org/en/latest/plugin-development/).
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol

from pause_lint import __version__
from pause_lint.config import ConfigError, Options, Settings, checked, load, resolve
from pause_lint.pairs import Vocabulary
from pause_lint.rules import BY_CODE

if TYPE_CHECKING:
    import argparse


class OptionManager(Protocol):
    """What we use of flake8's option manager. flake8 comes without types, and need not be there for `check`."""

    parser: argparse.ArgumentParser

    def add_option(self, *names: str, **settings: object) -> None:
        """Declare an option, as `argparse` does, with flake8's own settings beside."""


COMMAND_LINE_ONLY = frozenset(rule.code for rule in BY_CODE.values() if rule.default == "cli")


def _stems(options: Options) -> tuple[str, ...]:
    return Vocabulary.of(options.pairs).words


class Checker:
    """One file, as flake8 asks for it."""

    name = "pause-lint"
    version = __version__
    # flake8 hands options to the class and then makes an instance for each file.
    options: ClassVar[Options] = Options()._replace(select=Options().select - COMMAND_LINE_ONLY)
    stems: ClassVar[tuple[str, ...]] = _stems(Options())

    def __init__(self, tree: ast.Module, filename: str, lines: Sequence[str]) -> None:
        """Take the file as flake8 has read it: lines with `\\n` endings, without a byte order mark."""
        self._tree = tree
        self._filename = filename
        self._lines = lines

    @staticmethod
    def add_options(option_manager: OptionManager) -> None:
        """Declare our options; all of them may stand in flake8's configuration."""
        add = option_manager.add_option
        add(
            "--pause-lint-pairs",
            metavar="PAUSE:RESUME[,RESUME]",
            default="",
            comma_separated_list=True,
            parse_from_config=True,
            help="Pairs of names besides the presets, separated by commas or blanks.",
        )
        add(
            "--pause-lint-presets",
            metavar="NAMES",
            default="",
            comma_separated_list=True,
            parse_from_config=True,
            help="Presets besides `default`.",
        )
        add(
            "--pause-lint-project-root",
            metavar="FOLDER",
            default="",
            normalize_paths=True,
            parse_from_config=True,
            help="The root of the project (default: it is looked for).",
        )
        add(
            "--pause-lint-no-project",
            action="store_true",
            default=False,
            parse_from_config=True,
            help="Look at nothing but the file itself.",
        )

    @classmethod
    def parse_options(cls, option_manager: OptionManager, options: argparse.Namespace, args: Sequence[str]) -> None:
        """Take in the options, laid over the project's own configuration. A wrong one ends flake8 with exit code 2."""
        try:
            cls.options = _resolved(options, args)
        except ConfigError as error:
            option_manager.parser.error(str(error))
        cls.stems = _stems(cls.options)

    def run(self) -> Iterator[tuple[int, int, str, type[Checker]]]:
        """The findings: line from 1, column in characters from 0, `CODE message`, and this class. Never raises."""
        # What a file does through functions elsewhere shows in no word of its own: only alone can it be passed over.
        if self.options.no_project and not any(stem in line for line in self._lines for stem in self.stems):
            return
        try:
            found = self._found()
        except Exception as error:
            self._complain(f"internal error: {type(error).__name__}: {error}; please report it")
            return
        for line, column, message in found:
            yield line, column, message, type(self)

    def _found(self) -> list[tuple[int, int, str]]:
        from pause_lint.check import belongs_to_tests, check_module
        from pause_lint.tree import forced_out, from_lines, shown_path

        is_file = self._filename not in ("stdin", "-")
        if is_file and not self.options.include_tests and belongs_to_tests(self._filename):
            return []
        if is_file and forced_out(self._filename, self.options):
            return []
        path = shown_path(self._filename) if is_file else self._filename
        findings, problems = check_module(from_lines(path, self._lines, self._tree), self.options)
        for problem in problems:
            self._complain(problem.message)
        return [
            (finding.span.line, finding.span.column - 1, f"{finding.code} {finding.message}") for finding in findings
        ]

    def _complain(self, message: str) -> None:
        # flake8 shows its log to nobody who has not asked for it, and its report has no place for what is no finding.
        print(f"pause-lint: {self._filename}: {message}", file=sys.stderr)


def _resolved(options: argparse.Namespace, args: Sequence[str]) -> Options:
    presets = tuple(options.pause_lint_presets or ())
    pairs = tuple(options.pause_lint_pairs or ())
    root: str | None = options.pause_lint_project_root or None
    if root is not None and not os.path.isdir(root):
        raise ConfigError(f"pause-lint: argument --pause-lint-project-root: no such folder: {root}")
    try:
        asked = Settings(
            presets=checked("presets", presets) or None,
            pairs=checked("pairs", pairs) or None,
            project_root=root,
            no_project=options.pause_lint_no_project or None,
        )
    except ConfigError as error:
        raise ConfigError(f"pause-lint: {error}") from None
    # The project is that of the files; standard input belongs to the one that its name, or the current folder, is in.
    paths = [path for path in args if path != "-"]
    if "-" in args and options.stdin_display_name != "stdin":
        paths.append(options.stdin_display_name)
    resolved = resolve(load(paths, root=root), asked)
    by_name = {code for code in (*(options.select or ()), *(options.extend_select or ())) if code in BY_CODE}
    return resolved._replace(select=(resolved.select | by_name) - COMMAND_LINE_ONLY)
