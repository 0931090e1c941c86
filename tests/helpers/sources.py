"""Files for reports to be about: a plain one, one with every rule that has a level of its own, and hostile ones."""

from __future__ import annotations

import os
from pathlib import Path

FAULTY = """\
def reload(engine, path):
    engine.pause_generation()
    engine.load(path)
    engine.continue_generation()
"""
FIXED = """\
def reload(engine, path):
    engine.pause_generation()
    try:
        engine.load(path)
    finally:
        engine.continue_generation()
"""
GRADED = f"""\
from contextlib import suppress


{FAULTY}

def again(engine):
    with suppress(Exception):
        engine.continue_generation()


x = 1  # noqa: PR001
"""
"""With PR005 selected, a finding of each level, in the order error, warning, note."""

HOSTILE = (
    "</script><img src=x onerror=alert(1)> ]]> &amp; <!-- \N{RIGHT-TO-LEFT OVERRIDE} \N{LEFT-TO-RIGHT ISOLATE} "
    "\N{GRINNING FACE} \x1b]0;title\x07 \x01 %0A::error::x %25 [a](1) {0} {{"
)
"""Code can hold all of it, within a string or a comment."""
HOSTILE_CODE = f'''\
def reload(engines, path):
\t\tx = "日本e\N{COMBINING ACUTE ACCENT}"; {" " * 240}engines["{HOSTILE}"].pause_generation()  # {HOSTILE}
\x0c
\t\tengines["{HOSTILE}"].load(path)
\t\tengines["{HOSTILE}"].continue_generation()
'''
"""Lines indented by tabs, of more than 300 columns, with wide and combining characters; a form feed."""
_NAMES = (
    b"a,b:c;%41[x](1){0}&<\"'>#?.py",
    "\N{RIGHT-TO-LEFT OVERRIDE}\x1b\N{GRINNING FACE}.py".encode(),
    b"n\n::error::x\r\xff.py",
)
_BROKEN = b"b\n::error::\x01[a](1){0}&<.py"


def write_hostile(folder: Path) -> None:
    """Writes three files with a finding each, and two that cannot be parsed, under names that a disk can hold."""
    for name in _NAMES:
        with open(os.path.join(os.fsencode(folder), name), "wb") as file:
            file.write(HOSTILE_CODE.encode())
    with open(os.path.join(os.fsencode(folder), _BROKEN), "wb") as file:
        file.write(f'def f(engine):\n\tengine.pause_generation("{HOSTILE}" (\N{RIGHT-TO-LEFT OVERRIDE}:\n'.encode())
    (folder / "bytes.py").write_bytes(b"x = 1\npause_generation = 1  # \xff\n")
