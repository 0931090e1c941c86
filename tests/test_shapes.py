"""What a fix makes of a function, word for word: the shapes of DESIGN, section 5, that are easily got nearly right."""

from __future__ import annotations

import pytest

from pause_lint.config import Options
from pause_lint.fixing import fix_source

ENTER = """\
class Paused:
    def __enter__(self):
        self.engine.pause_generation()
        self.file = self.reopen()
        return self

    def __exit__(self, *details):
        self.engine.continue_generation()
"""
ENTER_FIXED = """\
class Paused:
    def __enter__(self):
        self.engine.pause_generation()
        try:
            self.file = self.reopen()
            return self
        except BaseException:
            self.engine.continue_generation()
            raise

    def __exit__(self, *details):
        self.engine.continue_generation()
"""
AT_ONCE = """\
async def update(self, meta):
    await self.llm.collective_rpc("pause_generation")
    await self.load(meta)
    await self.llm.collective_rpc("continue_generation")
"""
AT_ONCE_FIXED = """\
async def update(self, meta):
    try:
        await self.llm.collective_rpc("pause_generation")
        await self.load(meta)
    finally:
        await self.llm.collective_rpc("continue_generation")
"""
ADDRESSED = """\
class Updater:
    def update(self, address, meta):
        self.client.pause_generation(address)
        self.load(meta)

    def other(self, address, meta):
        self.client.pause_generation(address)
        try:
            self.load(meta)
        finally:
            self.client.continue_generation(address)
"""
WORK = "        self.load(meta)\n\n"
PROTECTED = ADDRESSED[ADDRESSED.rindex("        try:") :] + "\n"
ADDRESSED_FIXED = ADDRESSED.replace(WORK, PROTECTED)
HANDLED = """\
def update(self, meta):
    self.engine.pause_generation()
    try:
        self.load(meta)
        self.engine.continue_generation()
        return True
    except Exception:
        logger.exception("update failed")
        return False
"""
HANDLED_FIXED = """\
def update(self, meta):
    self.engine.pause_generation()
    paused = True
    try:
        try:
            self.load(meta)
            paused = False
            self.engine.continue_generation()
            return True
        except Exception:
            logger.exception("update failed")
            return False
    finally:
        if paused:
            self.engine.continue_generation()
"""


@pytest.mark.parametrize(
    "faulty, fixed",
    [(ENTER, ENTER_FIXED), (AT_ONCE, AT_ONCE_FIXED), (ADDRESSED, ADDRESSED_FIXED), (HANDLED, HANDLED_FIXED)],
    ids=["an enter that fails", "many at once", "a resume with an argument", "a resume whose failure is handled"],
)
def test_the_fix_word_for_word(faulty: str, fixed: str) -> None:
    assert fix_source(faulty.encode(), "a.py", Options(), unsafe=False).data.decode() == fixed


def test_other_arguments_than_those_of_the_pause_are_not_guessed() -> None:
    source = ADDRESSED.replace("continue_generation(address)", "continue_generation(self.port)")
    assert fix_source(source.encode(), "a.py", Options(), unsafe=False).data.decode() == source
