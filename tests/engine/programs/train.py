"""Runs the trainer.

    python -m tests.engine.programs.train ADDRESS --model FOLDER --folder CHECKPOINTS

It prints a line of JSON for everything that happens. The processes that it spawns import this module again, so it holds
nothing.
"""

import sys

if __name__ == "__main__":
    from .fsdp import main

    sys.exit(main())
