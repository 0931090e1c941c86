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
NESTED = """\
def update(self, meta):
    if self.is_main and self.engine:
        self.engine.pause_generation()
    self.load(meta)
    if self.is_main:
        if self.engine:
            self.engine.continue_generation()
        self.version += 1
        self.tell(self.version)
    dist.barrier()
"""
NESTED_FIXED = """\
def update(self, meta):
    if self.is_main and self.engine:
        self.engine.pause_generation()
    try:
        self.load(meta)
    finally:
        if self.is_main:
            if self.engine:
                self.engine.continue_generation()
    if self.is_main:
        self.version += 1
        self.tell(self.version)
    dist.barrier()
"""
SPLIT_TWICE = """\
def update(self, meta):
    if dist.get_rank() == 0:
        self.prepare(meta)
        if self.engine:
            self.engine.pause_generation()
            self.load(meta)
        self.tell(meta)
    dist.barrier()
    if dist.get_rank() == 0:
        if self.engine:
            self.engine.continue_generation()
"""
SPLIT_TWICE_FIXED = """\
def update(self, meta):
    if dist.get_rank() == 0:
        self.prepare(meta)
        if self.engine:
            self.engine.pause_generation()
    try:
        if dist.get_rank() == 0:
            if self.engine:
                self.load(meta)
            self.tell(meta)
        dist.barrier()
    finally:
        if dist.get_rank() == 0:
            if self.engine:
                self.engine.continue_generation()
"""
MANY_GUARDED = """\
def update(self, meta):
    if dist.get_rank() == 0:
        # all at once
        ray.get([engine.pause_generation.remote() for engine in self.engines])
        ray.get([engine.flush_cache.remote() for engine in self.engines])
    dist.barrier()
    if dist.get_rank() == 0:
        self.finish(meta)
        ray.get([engine.continue_generation.remote() for engine in self.engines])
    dist.barrier()
"""
MANY_GUARDED_FIXED = """\
def update(self, meta):
    try:
        if dist.get_rank() == 0:
            # all at once
            ray.get([engine.pause_generation.remote() for engine in self.engines])
            ray.get([engine.flush_cache.remote() for engine in self.engines])
        dist.barrier()
        if dist.get_rank() == 0:
            self.finish(meta)
    finally:
        if dist.get_rank() == 0:
            ray.get([engine.continue_generation.remote() for engine in self.engines])
    dist.barrier()
"""
MANY_BEHIND_WORK = """\
def update(self, meta):
    if dist.get_rank() == 0:
        self.pull(meta)
        ray.get([engine.pause_generation.remote() for engine in self.engines])
    dist.barrier()
    if dist.get_rank() == 0:
        ray.get([engine.continue_generation.remote() for engine in self.engines])
"""
MANY_BEHIND_WORK_FIXED = """\
def update(self, meta):
    if dist.get_rank() == 0:
        self.pull(meta)
    try:
        if dist.get_rank() == 0:
            ray.get([engine.pause_generation.remote() for engine in self.engines])
        dist.barrier()
    finally:
        if dist.get_rank() == 0:
            ray.get([engine.continue_generation.remote() for engine in self.engines])
"""
LISTS = """\
def update(engines):
    refs = [engine.pause_generation.remote() for engine in engines]
    ray.get(refs)
    load()
    refs = [engine.continue_generation.remote() for engine in engines]
    ray.get(refs)
    tell()
"""
LISTS_FIXED = """\
def update(engines):
    try:
        refs = [engine.pause_generation.remote() for engine in engines]
        ray.get(refs)
        load()
    finally:
        refs = [engine.continue_generation.remote() for engine in engines]
        ray.get(refs)
    tell()
"""
RESUME_THAT_IS_HANDLED = """\
async def update(engines):
    await asyncio.gather(*[engine.pause_generation() for engine in engines])
    try:
        await load()
    finally:
        try:
            await asyncio.gather(*[engine.continue_generation() for engine in engines])
        except Exception:
            logger.warning("not resumed")
"""
RESUME_THAT_IS_HANDLED_FIXED = """\
async def update(engines):
    try:
        await asyncio.gather(*[engine.pause_generation() for engine in engines])
        await load()
    finally:
        try:
            await asyncio.gather(*[engine.continue_generation() for engine in engines])
        except Exception:
            logger.warning("not resumed")
"""
FINALLY_THAT_STANDS = """\
def update(self, meta):
    self.engine.pause_generation()
    self.prepare(meta)
    try:
        self.load(meta)
    finally:
        self.clean(meta)
        self.engine.continue_generation()
"""
FINALLY_THAT_STANDS_FIXED = """\
def update(self, meta):
    self.engine.pause_generation()
    try:
        self.prepare(meta)
        self.load(meta)
    finally:
        try:
            self.clean(meta)
        finally:
            self.engine.continue_generation()
"""
FLAG_IN_A_TURN = """\
def train(self, steps):
    self.start()
    for step in steps:
        if step.syncs:
            with self.timer("pause"):
                self.engine.pause_generation()
            with self.timer("sync"):
                self.load(step)
                self.engine.continue_generation()
        self.log(step)
"""
FLAG_IN_A_TURN_FIXED = """\
def train(self, steps):
    self.start()
    for step in steps:
        if step.syncs:
            paused = False
            try:
                with self.timer("pause"):
                    self.engine.pause_generation()
                    paused = True
                with self.timer("sync"):
                    self.load(step)
                    paused = False
                    self.engine.continue_generation()
            finally:
                if paused:
                    self.engine.continue_generation()
        self.log(step)
"""


@pytest.mark.parametrize(
    "faulty, fixed",
    [
        pytest.param(ENTER, ENTER_FIXED, id="an enter that fails"),
        pytest.param(AT_ONCE, AT_ONCE_FIXED, id="many at once"),
        pytest.param(ADDRESSED, ADDRESSED_FIXED, id="a resume with an argument"),
        pytest.param(HANDLED, HANDLED_FIXED, id="a resume whose failure is handled"),
        pytest.param(NESTED, NESTED_FIXED, id="guards that are nested otherwise, work behind the resume"),
        pytest.param(SPLIT_TWICE, SPLIT_TWICE_FIXED, id="work behind a pause under two guards"),
        pytest.param(MANY_GUARDED, MANY_GUARDED_FIXED, id="many under a guard"),
        pytest.param(MANY_BEHIND_WORK, MANY_BEHIND_WORK_FIXED, id="many behind other work under a guard"),
        pytest.param(LISTS, LISTS_FIXED, id="lists that are bound before they are waited for"),
        pytest.param(RESUME_THAT_IS_HANDLED, RESUME_THAT_IS_HANDLED_FIXED, id="a resume in a try within the finally"),
        pytest.param(FINALLY_THAT_STANDS, FINALLY_THAT_STANDS_FIXED, id="a gap before a finally that cleans up first"),
        pytest.param(FLAG_IN_A_TURN, FLAG_IN_A_TURN_FIXED, id="a flag in one turn of a loop"),
    ],
)
def test_the_fix_word_for_word(faulty: str, fixed: str) -> None:
    assert fix_source(faulty.encode(), "a.py", Options(), unsafe=False).data.decode() == fixed


def test_a_pause_that_a_later_turn_resumes_is_held_by_a_flag_around_the_loop() -> None:
    source = """\
def train(self, steps):
    for step in steps:
        if step.resumes:
            self.engine.continue_generation()
        self.load(step)
        if step.pauses:
            self.engine.pause_generation()
        self.log(step)
"""
    fixed = fix_source(source.encode(), "a.py", Options(), unsafe=True).data.decode()
    assert fixed.index("try:") < fixed.index("for step")


def test_a_guard_that_is_bound_again_in_between_is_not_asked_twice() -> None:
    source = NESTED.replace("self.load(meta)", "self.engine = self.load(meta)")
    fixed = fix_source(source.encode(), "a.py", Options(), unsafe=True).data.decode()
    assert "finally:\n        if self.is_main" not in fixed


def test_other_arguments_than_those_of_the_pause_are_not_guessed() -> None:
    source = ADDRESSED.replace("continue_generation(address)", "continue_generation(self.port)")
    assert fix_source(source.encode(), "a.py", Options(), unsafe=False).data.decode() == source
