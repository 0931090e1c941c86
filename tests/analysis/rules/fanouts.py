"""Many engines at once: which part of them may stay paused, and who still gets to be resumed."""

from __future__ import annotations

from tests.helpers.marked import Section

PAUSES = Section(
    "many paused before the try",
    """\
def a_list_of_references(engines):
    ray.get([engine.pause_generation.remote() for engine in engines])  # PR002
    try:
        work()
    finally:
        ray.get([engine.continue_generation.remote() for engine in engines])


def a_list_of_references_in_the_try(engines):
    try:
        ray.get([engine.pause_generation.remote() for engine in engines])
        work()
    finally:
        ray.get([engine.continue_generation.remote() for engine in engines])


def references_that_are_bound(engines):
    refs = [engine.pause_generation.remote() for engine in engines]  # PR001
    ray.get(refs)
    try:
        work()
    finally:
        ray.get([engine.continue_generation.remote() for engine in engines])


def references_that_are_bound_in_the_try(engines):
    try:
        refs = [engine.pause_generation.remote() for engine in engines]
        ray.get(refs)
        work()
    finally:
        ray.get([engine.continue_generation.remote() for engine in engines])


def references_that_are_appended(engines):
    refs = []
    for engine in engines:
        refs.append(engine.pause_generation.remote())  # PR001
    ray.get(refs)
    try:
        work()
    finally:
        ray.get([engine.continue_generation.remote() for engine in engines])


def references_that_are_appended_in_the_try(engines):
    refs = []
    try:
        for engine in engines:
            refs.append(engine.pause_generation.remote())
        ray.get(refs)
        work()
    finally:
        ray.get([engine.continue_generation.remote() for engine in engines])


async def gathered(engines):
    await asyncio.gather(*[engine.pause_generation() for engine in engines])  # PR002
    try:
        await work()
    finally:
        await asyncio.gather(*[engine.continue_generation() for engine in engines])


async def gathered_with_exceptions(engines):
    await asyncio.gather(*[engine.pause_generation() for engine in engines], return_exceptions=True)  # PR002
    try:
        await work()
    finally:
        await asyncio.gather(*[engine.continue_generation() for engine in engines], return_exceptions=True)


async def gathered_with_exceptions_in_the_try(engines):
    try:
        await asyncio.gather(*[engine.pause_generation() for engine in engines], return_exceptions=True)
        await work()
    finally:
        await asyncio.gather(*[engine.continue_generation() for engine in engines], return_exceptions=True)


async def gathered_with_exceptions_that_are_looked_at(engines):
    answers = await asyncio.gather(*[one.pause_generation() for one in engines], return_exceptions=True)  # PR001
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    try:
        await work()
    finally:
        await asyncio.gather(*[one.continue_generation() for one in engines])


async def gathered_with_exceptions_that_are_looked_at_in_the_try(engines):
    try:
        answers = await asyncio.gather(*[one.pause_generation() for one in engines], return_exceptions=True)
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer
        await work()
    finally:
        await asyncio.gather(*[one.continue_generation() for one in engines])


async def posts_gathered(client, urls):
    await asyncio.gather(*[client.post(f"{url}/pause_generation") for url in urls])  # PR002
    try:
        await work()
    finally:
        await asyncio.gather(*[client.post(f"{url}/continue_generation") for url in urls])


async def posts_gathered_in_the_try(client, urls):
    try:
        await asyncio.gather(*[client.post(f"{url}/pause_generation") for url in urls])
        await work()
    finally:
        await asyncio.gather(*[client.post(f"{url}/continue_generation") for url in urls])


def a_loop(engines):
    for engine in engines:
        engine.pause_generation()  # PR002
    try:
        work()
    finally:
        for engine in engines:
            engine.continue_generation()


def a_loop_in_the_try(engines):
    try:
        for engine in engines:
            engine.pause_generation()
        work()
    finally:
        for engine in engines:
            engine.continue_generation()


async def a_loop_that_awaits(engines):
    for engine in engines:
        await engine.pause_generation()  # PR002
    try:
        await work()
    finally:
        for engine in engines:
            await engine.continue_generation()


def a_thread_pool(engines):
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda engine: engine.pause_generation(), engines))  # PR002
    try:
        work()
    finally:
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda engine: engine.continue_generation(), engines))


def a_thread_pool_in_the_try(engines):
    try:
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda engine: engine.pause_generation(), engines))
        work()
    finally:
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda engine: engine.continue_generation(), engines))


def a_pool_that_is_given(pool, engines):
    list(pool.map(lambda engine: engine.pause_generation(), engines))  # PR002
    try:
        work()
    finally:
        list(pool.map(lambda engine: engine.continue_generation(), engines))


def submissions(pool, engines):
    futures = [pool.submit(engine.pause_generation) for engine in engines]  # PR001
    for future in futures:
        future.result()
    try:
        work()
    finally:
        for future in [pool.submit(engine.continue_generation) for engine in engines]:
            future.result()


def submissions_in_the_try(pool, engines):
    try:
        futures = [pool.submit(engine.pause_generation) for engine in engines]
        for future in futures:
            future.result()
        work()
    finally:
        for future in [pool.submit(engine.continue_generation) for engine in engines]:
            future.result()


async def a_task_group(engines):
    async with asyncio.TaskGroup() as group:
        for engine in engines:
            group.create_task(engine.pause_generation())  # PR001
    try:
        await work()
    finally:
        await asyncio.gather(*[engine.continue_generation() for engine in engines])


async def a_task_group_in_the_try(engines):
    try:
        async with asyncio.TaskGroup() as group:
            for engine in engines:
                group.create_task(engine.pause_generation())
        await work()
    finally:
        await asyncio.gather(*[engine.continue_generation() for engine in engines])


def one_of_two(actor, critic):
    actor.pause_generation()  # PR001
    critic.pause_generation()
    try:
        work()
    finally:
        try:
            actor.continue_generation()
        finally:
            critic.continue_generation()


def one_in_the_other(actor, critic):
    actor.pause_generation()
    try:
        critic.pause_generation()
        try:
            work()
        finally:
            critic.continue_generation()
    finally:
        actor.continue_generation()


async def two_gathered(actor, critic):
    await asyncio.gather(actor.pause_generation(), critic.pause_generation())  # PR002
    try:
        await work()
    finally:
        await asyncio.gather(actor.continue_generation(), critic.continue_generation())


async def two_gathered_in_the_try(actor, critic):
    try:
        await asyncio.gather(actor.pause_generation(), critic.pause_generation())
        await work()
    finally:
        await asyncio.gather(actor.continue_generation(), critic.continue_generation())


def a_remote_procedure(llm):
    llm.collective_rpc("pause_generation")  # PR002
    try:
        work()
    finally:
        llm.collective_rpc("continue_generation")


def a_remote_procedure_in_the_try(llm):
    try:
        llm.collective_rpc("pause_generation")
        work()
    finally:
        llm.collective_rpc("continue_generation")


def only_one_engine(engine):
    engine.pause_generation()
    try:
        work()
    finally:
        engine.continue_generation()
""",
    unfixed={
        "a_thread_pool": "the pause stands in a `with` of its own",
    },
)

LOCAL = Section(
    "many by a function that is defined on the spot",
    """\
async def a_resume_of_each(engines):
    async def resume(engine):
        await engine.continue_generation()

    try:
        await asyncio.gather(*[engine.pause_generation() for engine in engines])
        await work()
    finally:
        await asyncio.gather(*[resume(engine) for engine in engines])


async def a_pause_and_a_resume_of_each(engines):
    async def pause(engine):
        await engine.pause_generation()
        logger.info("paused")

    async def resume(engine):
        await engine.continue_generation()
        logger.info("resumed")

    try:
        await asyncio.gather(*(pause(engine) for engine in engines))
        await work()
    finally:
        await asyncio.gather(*(resume(engine) for engine in engines))


def a_resume_of_each_in_a_loop(engines):
    def resume(engine):
        engine.continue_generation()

    try:
        for engine in engines:
            engine.pause_generation()
        work()
    finally:
        for engine in engines:
            resume(engine)


def a_resume_of_each_by_a_map(engines):
    def resume(engine):
        engine.continue_generation()

    try:
        for engine in engines:
            engine.pause_generation()
        work()
    finally:
        list(map(resume, engines))


async def a_resume_of_each_in_a_straight_line(engines):
    async def resume(engine):
        await engine.continue_generation()

    await asyncio.gather(*[engine.pause_generation() for engine in engines])  # PR001
    await work()
    await asyncio.gather(*[resume(engine) for engine in engines])


async def a_pause_of_each(engines):
    async def pause(engine):
        await engine.pause_generation()

    try:
        await asyncio.gather(*[pause(engine) for engine in engines])
        await work()
    finally:
        await asyncio.gather(*[engine.continue_generation() for engine in engines])


async def a_pause_of_each_before_the_try(engines):
    async def pause(engine):
        await engine.pause_generation()

    await asyncio.gather(*[pause(engine) for engine in engines])  # PR002
    try:
        await work()
    finally:
        await asyncio.gather(*[engine.continue_generation() for engine in engines])
""",
)

RESUMES = Section(
    "many resumed in a finally",
    """\
def one_at_a_time(engines):
    try:
        for engine in engines:
            engine.pause_generation()
        work()
    finally:
        for engine in engines:
            engine.continue_generation()


def behind_a_barrier(engine):
    engine.pause_generation()  # PR003
    try:
        work()
    finally:
        dist.barrier()
        engine.continue_generation()


def before_a_barrier(engine):
    engine.pause_generation()
    try:
        work()
    finally:
        engine.continue_generation()
        dist.barrier()


def behind_a_message(engine):
    engine.pause_generation()
    try:
        work()
    finally:
        logger.info("resuming")
        engine.continue_generation()


def behind_a_cleanup_that_is_suppressed(engine):
    engine.pause_generation()
    try:
        work()
    finally:
        with suppress(Exception):
            cleanup()
        engine.continue_generation()


def behind_a_cleanup_that_is_protected(engine):
    engine.pause_generation()
    try:
        work()
    finally:
        try:
            cleanup()
        finally:
            engine.continue_generation()


async def behind_an_awaited_flush(engines):
    try:
        await asyncio.gather(*[engine.pause_generation() for engine in engines])  # PR003
        await work()
    finally:
        await flush()
        await asyncio.gather(*[engine.continue_generation() for engine in engines])


def behind_references(engines):
    try:
        ray.get([engine.pause_generation.remote() for engine in engines])  # PR003
        work()
    finally:
        ray.get([engine.flush_cache.remote() for engine in engines])
        ray.get([engine.continue_generation.remote() for engine in engines])


def in_a_handler_behind_a_cleanup(engine):
    engine.pause_generation()  # PR003
    try:
        work()
    except BaseException:
        cleanup()
        engine.continue_generation()
        raise
    engine.continue_generation()


def in_a_handler(engine):
    engine.pause_generation()
    try:
        work()
    except BaseException:
        engine.continue_generation()
        raise
    engine.continue_generation()


def the_first_resume_raises(actor, critic):
    actor.pause_generation()
    try:
        critic.pause_generation()  # PR003
        work()
    finally:
        actor.continue_generation()
        critic.continue_generation()


def by_threads_that_are_not_waited_for(engines):
    try:
        for engine in engines:
            engine.pause_generation()
        work()
    finally:
        for engine in engines:
            threading.Thread(target=engine.continue_generation).start()


async def with_exceptions(engines):
    try:
        await asyncio.gather(*[engine.pause_generation() for engine in engines])
        await work()
    finally:
        await asyncio.gather(*[engine.continue_generation() for engine in engines], return_exceptions=True)


def a_part_of_them(engines):
    try:
        for engine in engines:
            engine.pause_generation()  # PR001
        work()
    finally:
        for engine in engines[1:]:
            engine.continue_generation()


def others(engines, replicas):
    try:
        for engine in engines:
            engine.pause_generation()  # PR001
        work()
    finally:
        for replica in replicas:
            replica.continue_generation()
""",
    unfixable={"a_part_of_them": "whether the first one is meant to stay paused is not known"},
)

DECORATED = Section(
    "decorated coroutines",
    """\
class ARegisteredOne:
    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    async def sleep(self):
        await self.engine.sleep()

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    async def wake_up(self):
        await self.engine.wake_up()

    def train(self):
        self.sleep()
        self.step()


class ARegisteredOneInAStraightLine:
    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    async def pause_generation(self):
        await self.backend.pause_generation()

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    async def continue_generation(self):
        await self.backend.continue_generation()

    def update(self):
        self.pause_generation()  # PR001
        self.load()
        self.continue_generation()


class ARegisteredOneProtected:
    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    async def pause_generation(self):
        await self.backend.pause_generation()

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    async def continue_generation(self):
        await self.backend.continue_generation()

    def update(self):
        self.pause_generation()
        try:
            self.load()
        finally:
            self.continue_generation()


class ASynchronisedOne:
    @auto_await
    async def abort_replicas(self):
        await self.group.abort_all_requests()

    @auto_await
    async def resume_generation_replicas(self):
        await self.group.resume_generation()

    def sync(self):
        self.abort_replicas()
        try:
            self.transfer()
        finally:
            self.resume_generation_replicas()


class APlainOne:
    async def pause_generation(self):
        await self.backend.pause_generation()

    async def continue_generation(self):
        await self.backend.continue_generation()

    async def update(self):
        await self.pause_generation()  # PR001
        try:
            await self.load()
        finally:
            self.continue_generation()  # PR004


class APlainOneRun:
    async def pause_generation(self):
        await self.backend.pause_generation()

    async def continue_generation(self):
        await self.backend.continue_generation()

    def update(self):
        asyncio.run(self.pause_generation())
        try:
            self.load()
        finally:
            asyncio.run(self.continue_generation())


class ARegisteredOneOfAFuture:
    @run_in_background
    async def continue_generation(self):
        await self.backend.continue_generation()

    async def pause_generation(self):
        await self.backend.pause_generation()

    async def update(self):
        await self.pause_generation()
        try:
            await self.load()
        finally:
            self.continue_generation()
""",
    presets=("all",),
    wrong={"ARegisteredOneOfAFuture": "the other half is awaited, but this one need not be a coroutine any more"},
    unfixable={"APlainOne": "it is enough to await the resume that is there"},
)

SECTIONS = (PAUSES, LOCAL, RESUMES, DECORATED)
