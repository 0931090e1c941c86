"""Cleanup: `finally`, handlers, `with`, and what stands before the resume in them."""

from __future__ import annotations

from tests.helpers.marked import Section

FINALLY = Section(
    "finally and handlers",
    """\
def a_return_in_the_try(engine):
    engine.pause_generation()
    try:
        return work()
    finally:
        engine.continue_generation()


def cleanup_before_the_resume(engine):
    engine.pause_generation()  # PR003
    try:
        work()
    finally:
        cleanup()
        engine.continue_generation()


def cleanup_behind_the_resume(engine):
    engine.pause_generation()
    try:
        work()
    finally:
        engine.continue_generation()
        cleanup()


def cleanup_in_a_try_of_its_own(engine):
    engine.pause_generation()
    try:
        work()
    finally:
        try:
            cleanup()
        finally:
            engine.continue_generation()


def cleanup_whose_failure_is_swallowed(engine, logger):
    engine.pause_generation()
    try:
        work()
    finally:
        try:
            cleanup()
        except Exception:
            logger.exception("cleanup failed")
        engine.continue_generation()


def cleanup_that_is_suppressed(engine):
    engine.pause_generation()
    try:
        work()
    finally:
        with suppress(Exception):
            cleanup()
        engine.continue_generation()


def cleanup_that_is_suppressed_in_part(engine):
    engine.pause_generation()  # PR003
    try:
        work()
    finally:
        with suppress(OSError):
            cleanup()
        engine.continue_generation()


async def cleanup_that_is_cancelled(engine):
    await engine.pause_generation()  # PR003
    try:
        await work()
    finally:
        with suppress(Exception):
            await cleanup()
        await engine.continue_generation()


def cleanup_before_the_resume_of_a_handler(engine):
    engine.pause_generation()  # PR003
    try:
        work()
    except BaseException:
        cleanup()
        engine.continue_generation()
        raise
    engine.continue_generation()


def cleanup_and_a_gap_as_well(engine):
    engine.pause_generation()  # PR001
    prepare()
    try:
        work()
    finally:
        cleanup()
        engine.continue_generation()


def logging_before_the_resume(engine, logger):
    engine.pause_generation()
    try:
        work()
    finally:
        logger.info("resuming")
        engine.continue_generation()


def a_gap_before_the_try(engine):
    engine.pause_generation()  # PR001
    prepare()
    try:
        work()
    finally:
        engine.continue_generation()


def a_return_in_the_finally(engine, done):
    engine.pause_generation()  # PR001
    try:
        work()
    finally:
        if done:
            return
        engine.continue_generation()


def a_break_in_the_finally(engine, done):
    while True:
        engine.pause_generation()  # PR001
        try:
            work()
        finally:
            if done:
                break
            engine.continue_generation()


def a_finally_that_does_something_else(engine):
    engine.pause_generation()  # PR001
    try:
        work()
    finally:
        cleanup()
    engine.continue_generation()


def the_resume_at_the_end_of_the_try(engine):
    engine.pause_generation()  # PR001
    try:
        work()
        engine.continue_generation()
    finally:
        cleanup()


def paused_inside_the_try(engine):
    try:
        engine.pause_generation()
        work()
    finally:
        engine.continue_generation()


def an_outer_finally(engine):
    engine.pause_generation()
    try:
        try:
            work()
        finally:
            cleanup()
    finally:
        engine.continue_generation()


def two_engines(actor, critic):
    actor.pause_generation()
    try:
        critic.pause_generation()
        try:
            work()
        finally:
            critic.continue_generation()
    finally:
        actor.continue_generation()


def two_engines_in_one_finally(actor, critic):
    actor.pause_generation()
    try:
        critic.pause_generation()  # PR003
        work()
    finally:
        actor.continue_generation()
        critic.continue_generation()


def a_return_behind_the_resume(engine):
    engine.pause_generation()
    try:
        work()
    finally:
        engine.continue_generation()
        return 1


async def a_gathering_inside(engine):
    await engine.pause_generation()
    try:
        await asyncio.gather(work(), other())
    finally:
        await engine.continue_generation()


async def a_time_limit_inside(engine):
    await engine.pause_generation()
    try:
        async with asyncio.timeout(5):
            await work()
    finally:
        await engine.continue_generation()


async def an_async_generator(engine):
    await engine.pause_generation()
    try:
        yield 1
    finally:
        await engine.continue_generation()


async def a_cancellation_in_the_finally(engine):
    await engine.pause_generation()  # PR003
    try:
        await work()
    finally:
        await asyncio.sleep(1)
        await engine.continue_generation()
""",
)

WITH = Section(
    "with",
    """\
def registered_first(engine):
    with ExitStack() as stack:
        stack.callback(engine.continue_generation)
        engine.pause_generation()
        work()


def registered_behind_the_pause(engine):
    with contextlib.ExitStack() as stack:
        engine.pause_generation()
        stack.callback(engine.continue_generation)
        work()


def registered_as_a_lambda(engine):
    with ExitStack() as stack:
        engine.pause_generation()
        stack.callback(lambda: engine.continue_generation())
        work()


def the_stack_lives_on(engine, stack):
    engine.pause_generation()
    stack.callback(engine.continue_generation)
    work()


class RegistrationsTakenOver:
    def prepare(self):
        with ExitStack() as stack:
            self.engine.pause_generation()
            stack.callback(self.engine.continue_generation)
            self.load()
            self.undo = stack.pop_all()


def registered_under_the_same_condition(engine, main):
    with ExitStack() as stack:
        if main:
            engine.pause_generation()
            stack.callback(engine.continue_generation)
        work()


def registered_under_another_condition(engine, main):
    with ExitStack() as stack:
        engine.pause_generation()  # PR001
        if main:
            stack.callback(engine.continue_generation)
        work()


@contextmanager
def a_context_manager(engine):
    engine.pause_generation()
    try:
        yield
    finally:
        engine.continue_generation()


@contextmanager
def a_context_manager_without_a_finally(engine):
    engine.pause_generation()  # PR001
    yield
    engine.continue_generation()


@asynccontextmanager
async def an_async_context_manager(engine):
    await engine.pause_generation()
    try:
        yield engine
    finally:
        await engine.continue_generation()


class APair:
    def __enter__(self):
        self.engine.pause_generation()
        return self

    def __exit__(self, *details):
        self.engine.continue_generation()


class AnEnterThatFailsBehindItsPause:
    def __enter__(self):
        self.engine.pause_generation()  # PR001
        self.load()
        return self

    def __exit__(self, *details):
        self.engine.continue_generation()


class AnAsyncPair:
    async def __aenter__(self):
        await self.engine.pause_generation()
        return self

    async def __aexit__(self, *details):
        await self.engine.continue_generation()
""",
)

STACKS = Section(
    "exit stacks and enters",
    """\
class AnEnterThatUndoesItself:
    def __enter__(self):
        self.engine.pause_generation()
        try:
            self.engine.flush()
        except BaseException:
            self.engine.continue_generation()
            raise
        return self

    def __exit__(self, *details):
        self.engine.continue_generation()


class AnEnterThatCallsItsExit:
    def __enter__(self):
        try:
            self.engine.pause_generation()
            self.engine.flush()
            return self
        except BaseException:
            self.__exit__(None, None, None)
            raise

    def __exit__(self, *details):
        self.engine.continue_generation()


class AnEnterThatEndsWithACall:
    def __enter__(self):
        self.engine.pause_generation()  # PR001
        self.file = self.reopen()

    def __exit__(self, *details):
        self.engine.continue_generation()


class AnAsyncEnterThatFails:
    async def __aenter__(self):
        await self.engine.pause_generation()  # PR001
        await self.engine.flush()
        return self

    async def __aexit__(self, *details):
        await self.engine.continue_generation()


def weights_that_are_pushed(engine, weights):
    engine.pause_generation()  # PR001
    engine.push(weights)
    engine.continue_generation()


def a_queue_that_is_pushed_to(engine, queue, item):
    engine.pause_generation()  # PR001
    queue.push(item)
    engine.continue_generation()


def a_callback_of_something_else(engine, trainer):
    engine.pause_generation()  # PR001
    trainer.callback()
    engine.continue_generation()


def a_stack_of_another_name(engine):
    with ExitStack() as last:
        engine.pause_generation()
        last.callback(engine.continue_generation)
        work()


def callbacks_that_are_dropped(engine):
    with ExitStack() as stack:
        engine.pause_generation()  # PR001
        stack.callback(engine.continue_generation)
        work()
        stack.pop_all()
    commit()
    engine.continue_generation()


def callbacks_that_are_handed_on(engine):
    with ExitStack() as stack:
        engine.pause_generation()
        stack.callback(engine.continue_generation)
        work()
        return stack.pop_all()


def a_stack_closed_at_the_end(engine, idle):
    stack = ExitStack()
    engine.pause_generation()  # PR001
    stack.callback(engine.continue_generation)
    if idle:
        return
    work()
    stack.close()


def a_stack_closed_in_a_finally(engine):
    stack = ExitStack()
    engine.pause_generation()
    stack.callback(engine.continue_generation)
    try:
        work()
    finally:
        stack.close()


def a_stack_nobody_closes(engine):
    stack = ExitStack()
    engine.pause_generation()  # PR001
    stack.callback(engine.continue_generation)
    work()


def a_stack_that_is_kept(engine, owner):
    stack = ExitStack()
    engine.pause_generation()
    stack.callback(engine.continue_generation)
    owner.stack = stack


def a_resume_by_the_loop_variable(client, addresses):
    try:
        for address in addresses:
            client.pause_generation(address)
        work()
    finally:
        for address in addresses:
            client.continue_generation(address)


def a_resume_by_the_address_of_each(session, addresses):
    try:
        for address in addresses:
            session.post(f"http://{address}/pause_generation", timeout=5)
        work()
    finally:
        for address in addresses:
            session.post(f"http://{address}/continue_generation", timeout=5)


def a_resume_whose_failure_is_handled(engine, logger):
    engine.pause_generation()  # PR001
    try:
        work()
        engine.continue_generation()
        return True
    except Exception:
        logger.exception("failed")
        return False
""",
    unfixable={
        "callbacks_that_are_dropped": "what is to be undone once the callbacks are gone is for people to judge",
        "a_stack_closed_at_the_end": "it is the stack that would have to be entered by a `with`",
    },
)

SECTIONS = (FINALLY, WITH, STACKS)
