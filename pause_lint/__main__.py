"""`python -m pause_lint`: the command line."""

import gc

gc.disable()  # also while what follows is loaded; see `cli.run`

from pause_lint.cli import run  # noqa: E402

run()
