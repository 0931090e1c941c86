"""What `--help` says beside the options: what a command is for, examples, and exit codes.

Loaded only when help is asked for. Every example is run by a test.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import NamedTuple


class Guide(NamedTuple):
    """description: what a command is for. usage: the arguments that it takes. examples: commands, each with what it
    does. after: paragraphs behind them.
    """

    description: str
    usage: str
    examples: tuple[tuple[str, str], ...] = ()
    after: str = ""


_FAILED = """\
  2  the job could not be done: a bad option or configuration, a path that
     does not exist, a file that cannot be read or parsed"""

WHOLE = Guide(
    """\
Finds, and fixes, the pause of an inference engine that some path out of a
function never undoes. Such a path (an exception, an early return, a
cancelled task) leaves generation paused: every later rollout waits for
ever, and nothing is in the log.""",
    "COMMAND ...",
    (
        ("pause-lint check", "report what is found in this folder"),
        ("pause-lint check --preset all src", "look for the names of other engines too"),
        ("pause-lint rule PR001", "explain a rule"),
        ("pause-lint fix --diff src", "show what would be rewritten"),
        ("pause-lint fix src", "rewrite it"),
    ),
    f"""\
exit codes:
  0  nothing found; after `fix`, nothing left
  1  findings
{_FAILED}

`pause-lint COMMAND --help` explains a command. Options that everybody needs
go into pyproject.toml, under [tool.pause_lint].""",
)

COMMANDS = {
    "check": Guide(
        """\
Reports each pause that some path out of its function does not undo, and
shows such a path. Reads the whole project around the paths named, because a
pause or a resume may stand in another file, and changes nothing.""",
        "[OPTION ...] [PATH ...]",
        (
            ("pause-lint check", "this folder"),
            ("pause-lint check src/trainer.py", "one file"),
            ("pause-lint check --preset vllm src", "sleep and wake_up as well"),
            ("pause-lint check --pair drain:undrain src", "names of your own"),
            ("pause-lint check --output-format concise src", "one line a finding"),
            ("pause-lint check --diff-base HEAD src", "what is new since a commit"),
        ),
        f"""\
exit codes:
  0  nothing found, or nothing new
  1  findings (0 with --exit-zero)
{_FAILED}

A finding that is meant is suppressed at the end of its line, with the
reason:  # noqa: PR001 the supervisor resumes""",
    ),
    "fix": Guide(
        """\
Writes the try/finally that resumes on every way out. Where nothing raises,
the same calls happen in the same order. Where something raises, the engine
goes on, perhaps with weights that were only half loaded: `pause-lint rule
PR001` says how to choose otherwise. A fix that needs a guess is only shown.""",
        "[OPTION ...] [PATH ...]",
        (
            ("pause-lint fix --diff src", "show what would be written"),
            ("pause-lint fix src", "write it"),
            ("pause-lint fix --diff --unsafe-fixes src", "with fixes that need a guess"),
            ('pause-lint fix --add-noqa --reason "later" src', "suppress instead of fixing"),
        ),
        f"""\
exit codes:
  0  nothing is left
  1  findings are left; with --diff, there is something to fix
{_FAILED}""",
    ),
    "baseline": Guide(
        """\
Writes today's findings into a file. `check --baseline FILE` then reports
only what is new; code that was moved, renamed or reformatted stays known.""",
        "[OPTION ...] [PATH ...]",
        (
            ("pause-lint baseline src", "write them down"),
            ("pause-lint check --baseline pause-lint-baseline.json src", "report what is new"),
        ),
        f"""\
exit codes:
  0  the findings are written down
{_FAILED}""",
    ),
    "rule": Guide(
        "Prints the page of a rule: the fault, a repaired form, when not to follow it,\nand what its fix changes.",
        "[CODE]",
        (
            ("pause-lint rule", "all rules in a table"),
            ("pause-lint rule PR001", "one, by its code"),
            ("pause-lint rule partial-pause", "or by its name"),
        ),
    ),
    "lsp": Guide(
        """\
Serves an editor over its standard input and output, by the Language Server
Protocol: findings while one types, fixes as code actions. An editor starts
it: docs/editors.md has the settings. It needs pygls:
python -m pip install 'pygls>=2.0,<3'""",
        "[OPTION ...]",
        after=f"""\
exit codes:
  0  the editor has ended it
{_FAILED}""",
    ),
    "run": Guide(
        """\
Starts a program whose engine is patched as it is imported, so that it
resumes whatever happens. Known versions of AReaL are patched; everything
else runs as it is. The exit code is that of the program.""",
        "-- PROGRAM ...",
        (('pause-lint run -- python -c "print(1)"', "any program"),),
    ),
}


def explain(parser: ArgumentParser, commands: Mapping[str, ArgumentParser]) -> None:
    """Put the guides into a parser and those of its commands."""
    _put(parser, WHOLE)
    for name, command in commands.items():
        if name in COMMANDS:
            _put(command, COMMANDS[name])


def _put(parser: ArgumentParser, guide: Guide) -> None:
    parser.usage, parser.description = f"{parser.prog} {guide.usage}", guide.description
    width = max((len(command) for command, _ in guide.examples), default=0)
    lines = [f"  {command:<{width}}  {meaning}" for command, meaning in guide.examples]
    parts = ["\n".join(["examples:", *lines]) if lines else "", guide.after]
    parser.epilog = "\n\n".join(filter(None, parts)) or None
