"""The LibCST codemod: `fix`, for those who run their rewrites with `python -m libcst.tool codemod`.

    python -m libcst.tool codemod -x --no-format pause_lint.codemod.FixPauses PATH

`-x` takes the command from any module; without `--no-format`, LibCST formats the changed files afterwards. In a project
with a `.libcst.codemod.yaml` that has `modules: [pause_lint]`, the command is `codemod.FixPauses`. A thin adapter: what
is fixed, and how, is what `pause-lint fix` does with the same configuration.

Follows "Working with Codemods" (https://libcst.readthedocs.io/en/latest/codemods_tutorial.html).
"""

from __future__ import annotations

import argparse

import libcst
from libcst.codemod import CodemodCommand, CodemodContext

from pause_lint.config import ConfigError, Settings, checked, load, resolve
from pause_lint.fixing.run import fix_bytes
from pause_lint.report.text import headline, problem_line
from pause_lint.tree import STDIN_NAME, shown_path


class FixPauses(CodemodCommand):
    """Resumes what a function paused, on every way out of it."""

    DESCRIPTION = "Resume what a function paused on every way out of it, as `pause-lint fix` does."

    def __init__(
        self,
        context: CodemodContext,
        pair: list[str] | None = None,
        preset: list[str] | None = None,
        config: str | None = None,
        unsafe_fixes: bool = False,
    ) -> None:
        """Take the options of `add_args`."""
        super().__init__(context)
        self._pairs = pair or []
        self._presets = preset or []
        self._config = config
        self._unsafe = unsafe_fixes

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        """Declare our options, named as those of `pause-lint fix`."""
        arg_parser.add_argument(
            "--pair", action="append", metavar="PAUSE:RESUME[,RESUME]", help="one more pair of names"
        )
        arg_parser.add_argument("--preset", action="append", metavar="NAME", help="pairs besides the preset `default`")
        arg_parser.add_argument("--config", metavar="FILE", help="read the configuration from this file")
        arg_parser.add_argument("--unsafe-fixes", action="store_true", help="apply unsafe fixes, too")

    def transform_module_impl(self, tree: libcst.Module) -> libcst.Module:
        """The module with its findings fixed; what cannot be fixed is warned of. Raises ConfigError."""
        filename = self.context.filename
        asked = Settings(
            presets=checked("presets", self._presets) or None,
            pairs=checked("pairs", self._pairs) or None,
        )
        try:
            configured = load([filename] if filename else [], self._config)
        except ConfigError as error:
            raise ConfigError(f"pause-lint: {error}") from None
        options = resolve(configured, asked)
        data = tree.bytes
        outcome = fix_bytes(data, shown_path(filename) if filename else STDIN_NAME, options, unsafe=self._unsafe)
        for problem in outcome.report.problems:
            self.warn(problem_line(problem))
        for finding, reason in outcome.unfixed:
            self.warn(f"{headline(finding)}; not fixed: {reason}")
        return libcst.parse_module(outcome.changes[0].new) if outcome.changes else tree
