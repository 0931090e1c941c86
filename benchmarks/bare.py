"""The least any checker has to do: start, walk a folder, read every `.py` file and look for the words in its bytes.

    python benchmarks/bare.py FOLDER [WORD ...]

Prints how many files there are and how many of them hold a word. Nothing is decoded, parsed or decided.
"""

import os
import sys

WORDS = ("pause_generation", "continue_generation", "resume_generation")
"""The vocabulary of the default preset: all its other spellings hold one of these."""


def main() -> None:
    """Reads `sys.argv`; raises OSError for what cannot be read."""
    folder, *words = sys.argv[1:]
    stems = [word.encode() for word in words or WORDS]
    files = hits = 0
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in names:
            if name.endswith(".py"):
                files += 1
                with open(os.path.join(parent, name), "rb") as file:
                    data = file.read()
                if any(stem in data for stem in stems):
                    hits += 1
    print(files, "files,", hits, "with a word")


main()
