"""Who resumes: flags of ownership, callbacks of futures, closures, and methods that override others."""

from __future__ import annotations

from tests.helpers.marked import Section

FLAGS = Section(
    "flags of ownership",
    """\
class WasPaused:
    def update(self):
        was_paused = self.engine.is_paused
        if not was_paused:
            self.engine.pause()
        try:
            self.load()
        finally:
            if not was_paused:
                self.engine.resume()


class WasPausedInAStraightLine:
    def update(self):
        was_paused = self.engine.is_paused
        if not was_paused:
            self.engine.pause()  # PR001
        self.load()
        if not was_paused:
            self.engine.resume()


class OwnsPause:
    def update(self):
        owns_pause = False
        if not self.paused:
            self.rollout.pause()
            owns_pause = True
        try:
            self.load()
        finally:
            if owns_pause:
                self.rollout.resume()


class OwnsPauseInsideTheTry:
    async def update(self):
        owns_pause = False
        try:
            if not self.paused:
                await self.rollout.pause()
                owns_pause = True
            await self.load()
        finally:
            if owns_pause:
                await self.rollout.resume()


class OwnsPauseAndForgetsIt:
    def update(self):
        owns_pause = False
        self.rollout.pause()  # PR001
        try:
            self.load()
            owns_pause = True
        finally:
            if owns_pause:
                self.rollout.resume()


class OwnsPauseSetTooLate:
    async def update(self):
        owns_pause = False
        try:
            await self.rollout.pause()  # PR001
            await self.flush()
            owns_pause = True
            await self.load()
        finally:
            if owns_pause:
                await self.rollout.resume()


def a_flag_given_by_the_caller(engine, pause_first):
    if pause_first:
        engine.pause()
    try:
        work()
    finally:
        if pause_first:
            engine.resume()


def a_flag_given_by_the_caller_and_another_one(engine, pause_first, resume_last):
    if pause_first:
        engine.pause()  # PR001
    try:
        work()
    finally:
        if resume_last:
            engine.resume()


class AnAttributeAsAFlag:
    def update(self):
        self.holding = False
        try:
            self.engine.pause()
            self.holding = True
            self.load()
        finally:
            if self.holding:
                self.engine.resume()
                self.holding = False


def a_list_of_what_was_paused(engines):
    paused = []
    try:
        for engine in engines:
            engine.pause()
            paused.append(engine)
        work()
    finally:
        for engine in paused:
            engine.resume()


def a_list_of_what_was_paused_in_a_straight_line(engines):
    paused = []
    for engine in engines:
        engine.pause()  # PR001
        paused.append(engine)
    work()
    for engine in paused:
        engine.resume()


def only_those_that_run_are_paused(engines):
    running = [engine for engine in engines if not engine.is_paused]
    try:
        for engine in running:
            engine.pause()
        work()
    finally:
        for engine in running:
            engine.resume()


class WasAsleep:
    def update(self):
        was_asleep = self.llm.is_sleeping()
        if was_asleep:
            self.llm.wake_up()
        try:
            self.load()
        finally:
            if was_asleep:
                self.llm.sleep()


class ACounterOfDepth:
    def hold(self):
        if self.depth == 0:
            self.engine.pause()
        self.depth += 1

    def let_go(self):
        self.depth -= 1
        if self.depth == 0:
            self.engine.resume()
""",
    presets=("all",),
    unfixed={"a_list_of_what_was_paused_in_a_straight_line": "what is resumed is a list that the pausing loop fills"},
)

CALLBACKS = Section(
    "a resume attached to a future",
    """\
class WhenItIsDone:
    def update(self):
        future = self.pool.submit(self.load)
        self.engine.pause_generation()
        future.add_done_callback(lambda _: self.engine.continue_generation())


class WhenItIsDoneButSubmittingFails:
    def update(self):
        self.engine.pause_generation()  # PR001
        self.prepare()
        future = self.pool.submit(self.load)
        future.add_done_callback(lambda _: self.engine.continue_generation())


class OnlyOnSuccess:
    def update(self):
        def release(future):
            if future.exception() is None:
                self.engine.continue_generation()

        self.engine.pause_generation()  # PR001
        future = self.pool.submit(self.load)
        future.add_done_callback(release)


class OnSuccessAndOnFailure:
    def update(self):
        def release(future):
            try:
                future.result()
            except Exception:
                logger.exception("loading failed")
            finally:
                self.engine.continue_generation()

        future = self.pool.submit(self.load)
        self.engine.pause_generation()
        future.add_done_callback(release)


class ByAMethod:
    def update(self):
        future = self.pool.submit(self.load)
        self.engine.pause_generation()
        future.add_done_callback(self.loaded)

    def loaded(self, future):
        self.engine.continue_generation()


class ByAMethodOnlyOnSuccess:
    def update(self):
        future = self.pool.submit(self.load)
        self.engine.pause_generation()  # PR001
        future.add_done_callback(self.loaded)

    def loaded(self, future):
        if future.exception() is None:
            self.engine.continue_generation()


def by_the_resume_itself(engine, pool):
    future = pool.submit(load)
    engine.pause_generation()
    future.add_done_callback(engine.continue_generation)


def by_a_lambda_that_does_something_else(engine, pool):
    future = pool.submit(load)
    engine.pause_generation()  # PR001
    future.add_done_callback(lambda done: report(done))


class AfterTheResultOfTheFuture:
    def update(self):
        def release(future):
            future.result()
            self.engine.continue_generation()

        self.engine.pause_generation()  # PR001
        future = self.pool.submit(self.load)
        future.add_done_callback(release)


class ATaskThatIsAwaitedLater:
    async def update(self):
        await self.engine.pause_generation()  # PR001
        task = asyncio.create_task(self.load())
        task.add_done_callback(self.loaded)
        await task
        await self.engine.continue_generation()


class ATaskThatResumes:
    async def update(self):
        await self.engine.pause_generation()
        self.task = asyncio.create_task(self.finish())

    async def finish(self):
        try:
            await self.load()
        finally:
            await self.engine.continue_generation()


class ATaskThatResumesUnlessItFails:
    async def update(self):
        await self.engine.pause_generation()  # PR001
        self.task = asyncio.create_task(self.finish())

    async def finish(self):
        await self.load()
        await self.engine.continue_generation()
""",
)

CLOSURES = Section(
    "closures assigned by unpacking",
    """\
def of_a_maker(engine):
    def make(target):
        def stop():
            target.pause_generation()

        def go():
            target.continue_generation()

        return stop, go

    pause, resume = make(engine)
    pause()  # PR001
    work()
    resume()


def of_a_maker_protected(engine):
    def make(target):
        def stop():
            target.pause_generation()

        def go():
            target.continue_generation()

        return stop, go

    pause, resume = make(engine)
    pause()
    try:
        work()
    finally:
        resume()


def of_two_references(engine):
    pause, resume = engine.pause_generation, engine.continue_generation
    pause()  # PR001
    work()
    resume()


def of_two_references_protected(engine):
    pause, resume = engine.pause_generation, engine.continue_generation
    pause()
    try:
        work()
    finally:
        resume()


def of_two_lambdas(engine):
    pause, resume = (lambda: engine.pause_generation()), (lambda: engine.continue_generation())
    pause()  # PR001
    work()
    resume()


def of_two_lambdas_protected(engine):
    pause, resume = (lambda: engine.pause_generation()), (lambda: engine.continue_generation())
    pause()
    try:
        work()
    finally:
        resume()


def of_partials(engine):
    pause, resume = partial(engine.pause_generation, 1), partial(engine.continue_generation)
    pause()  # PR001
    work()
    resume()


def that_nobody_calls(engine):
    pause, resume = engine.pause_generation, engine.continue_generation
    work(pause, resume)


def that_are_given_back(engine):
    def pause():
        engine.pause_generation()

    def resume():
        engine.continue_generation()

    return pause, resume
""",
)

OVERRIDES = Section(
    "methods that override pausing ones",
    """\
class SaysSoBefore:
    def pause_generation(self):
        logger.info("pausing")
        super().pause_generation()
        self.paused = True


class WorksAfter:
    async def pause_generation(self):
        await super().pause_generation()
        await self.drain()


class HelpersOfItsOwn:
    def _pause_engines(self):
        super()._pause_engines()
        self.engine.pause_generation()

    def _resume_engines(self):
        self.engine.continue_generation()
        super()._resume_engines()


class CallsTheOneAboveAndWorks:
    def update(self):
        super().pause_generation()  # PR001
        self.load()
        super().continue_generation()


class CallsTheOneAboveAndProtects:
    def update(self):
        super().pause_generation()
        try:
            self.load()
        finally:
            super().continue_generation()


class PausesByTheOneAboveAndResumesByItsOwn:
    def update(self):
        super().pause_generation()
        try:
            self.load()
        finally:
            self.continue_generation()


class OffloadsWhatTheOneAboveDoes:
    def offload(self):
        super().offload()
        self.engine.pause_generation()

    def onload(self):
        self.engine.continue_generation()
        super().onload()
""",
)

SECTIONS = (FLAGS, CALLBACKS, CLOSURES, OVERRIDES)
