"""`python -m pause_lint`: the command line."""

from pause_lint.cli import run

run()
