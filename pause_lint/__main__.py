"""`python -m pause_lint`: the command line.

`python -m` puts the current folder in front of what is imported, and that may be a tree that is only to be looked at:
a file `ast.py` in it would run. It is taken away before anything else is imported, as pip does it. What Python itself
imports before it comes here, `python -P` protects, and so does the command `pause-lint`.
"""

import gc
import sys

gc.disable()  # also while what follows is loaded; see `cli.run`
if not sys.flags.safe_path:
    del sys.path[0]

from pause_lint.cli import run  # noqa: E402

run()
