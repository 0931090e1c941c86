"""`python -m pause_lint`: the command line."""

import sys

from pause_lint.cli import main

sys.exit(main())
