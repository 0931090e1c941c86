"""Patches an installed AReaL so that its weight updates never leave generation paused.

    python patches/apply.py AREAL_DIR            patch the package in place
    python patches/apply.py AREAL_DIR --check    say which version it is, and change nothing
    python patches/apply.py AREAL_DIR --diff     write the change as a patch to standard output, and change nothing
    python patches/apply.py AREAL_DIR --revert   put every file back as it was

AREAL_DIR is the package's folder, or one that holds it (a checkout, `site-packages`). `--unknown` has `pause-lint fix`
work out the change for a version that is not known.

Exit code: 0 if the package is patched (or put back, or the diff was written), 1 if something is left to do, 2 if it
could not be done, 130 after Ctrl-C.

What it does is in `overlay/pause_lint_overlay/command.py`. Any Python can read this file, for an old one has to say so
in plain words.
"""

import os
import sys

if sys.version_info < (3, 11):
    sys.stderr.write(
        "apply.py: error: Python 3.11 or later is needed, and this is %d.%d (%s); any Python on this machine will do\n"
        % (sys.version_info[0], sys.version_info[1], sys.executable)
    )
    sys.exit(2)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "overlay"))

from pause_lint_overlay.command import main

if __name__ == "__main__":
    sys.exit(main())
