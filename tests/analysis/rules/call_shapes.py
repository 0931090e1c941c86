"""Call shapes: what pauses, what resumes, and what only speaks of it."""

from __future__ import annotations

from tests.helpers.marked import Section

PAUSES = Section(
    "every shape of a pause",
    """\
def a_plain_call(engine):
    engine.pause_generation()  # PR001
    work()
    engine.continue_generation()


def the_other_resume_name(engine):
    engine.pause_generation()  # PR001
    work()
    engine.resume_generation()


def never_resumed(engine):
    engine.pause_generation()  # PR001
    work()


def decorated_names(engine):
    engine.areal_pause_generation()  # PR001
    work()
    engine.areal_continue_generation()


async def an_await(engine):
    await engine.pause_generation()  # PR001
    await work()
    await engine.continue_generation()


def a_remote_call(actor):
    actor.pause_generation.remote()  # PR001
    work()
    actor.continue_generation.remote()


def a_remote_call_with_options(actor):
    actor.pause_generation.options(num_cpus=1).remote()  # PR001
    work()
    actor.continue_generation.options(num_cpus=1).remote()


def many_remote_calls(engines):
    ray.get([engine.pause_generation.remote() for engine in engines])  # PR001
    work()
    ray.get([engine.continue_generation.remote() for engine in engines])


async def gathered(engines):
    await asyncio.gather(*[engine.pause_generation() for engine in engines])  # PR001
    await work()
    await asyncio.gather(*[engine.continue_generation() for engine in engines])


async def gathered_from_a_generator(engines):
    await asyncio.gather(*(engine.pause_generation() for engine in engines))  # PR001
    await work()
    await asyncio.gather(*(engine.continue_generation() for engine in engines))


def run_by_asyncio(engine):
    asyncio.run(engine.pause_generation())  # PR001
    work()
    asyncio.run(engine.continue_generation())


def run_by_a_loop(loop, engine):
    loop.run_until_complete(engine.pause_generation())  # PR001
    work()
    loop.run_until_complete(engine.continue_generation())


def a_for_over_engines(engines):
    for engine in engines:
        engine.pause_generation()  # PR001
    work()
    for engine in engines:
        engine.continue_generation()


def handed_on(engine):
    call_maybe_async(engine.pause_generation)  # PR001
    work()
    call_maybe_async(engine.continue_generation)


class HandedOnByAMethod:
    def update(self):
        self.run(self.engine.pause_generation)  # PR001
        self.load()
        self.run(self.engine.continue_generation)


def submitted(executor, engine):
    executor.submit(engine.pause_generation).result()  # PR001
    work()
    executor.submit(engine.continue_generation).result()


def called_through_a_partial(engine):
    pause = partial(engine.pause_generation, timeout=1)
    work()
    pause()  # PR001
    work()
    engine.continue_generation()


def called_through_a_local_name(engine):
    pause = engine.pause_generation
    pause()  # PR001
    work()
    engine.continue_generation()


def named_as_a_string(llm):
    llm.collective_rpc("pause_generation")  # PR001
    work()
    llm.collective_rpc("continue_generation")


def got_by_name(engine):
    getattr(engine, "pause_generation")()  # PR001
    work()
    getattr(engine, "continue_generation")()


def posted(client, address):
    client.post(f"{address}/pause_generation")  # PR001
    work()
    client.post(f"{address}/continue_generation")


def posted_with_a_query(client, address):
    client.post(f"{address}/pause_generation?mode=abort")  # PR001
    work()
    client.post(f"{address}/continue_generation")


def posted_to_a_sum(address):
    requests.post(address + "/pause_generation", timeout=5)  # PR001
    work()
    requests.post(address + "/continue_generation", timeout=5)


async def a_request_object(client):
    await client.send(HttpRequest(endpoint="/pause_generation"))  # PR001
    await work()
    await client.send(HttpRequest(endpoint="/continue_generation"))


def a_free_function(engine):
    pause_generation(engine)  # PR001
    work()
    continue_generation(engine)


class AnAttribute:
    def update(self):
        self.rollout_engine.pause_generation()  # PR001
        self.load()
        self.rollout_engine.continue_generation()


def an_assigned_answer(engine):
    answer = engine.pause_generation()  # PR001
    work(answer)
    engine.continue_generation()


def two_of_them(actor, critic):
    actor.pause_generation()  # PR001
    critic.pause_generation()  # PR001
    work()
    critic.continue_generation()
    actor.continue_generation()


def the_wrong_one_is_resumed(actor, critic):
    actor.pause_generation()  # PR001
    try:
        work()
    finally:
        critic.continue_generation()


def the_wrong_address_is_resumed(client, here, there):
    client.post(f"{here}/pause_generation")  # PR001
    try:
        work()
    finally:
        client.post(f"{there}/continue_generation")


def behind_a_semicolon(engine):
    ready = True; engine.pause_generation()  # PR001
    work()
    engine.continue_generation()


def inside_a_nested_function(engine):
    def reload():
        engine.pause_generation()  # PR001
        work()
        engine.continue_generation()

    return reload


def another_element_is_resumed(engines):
    engines[0].pause_generation()  # PR001
    try:
        work()
    finally:
        engines[1].continue_generation()


def what_is_resumed_was_bound_again(engine):
    engine.pause_generation()  # PR001
    engine = make()
    try:
        work()
    finally:
        engine.continue_generation()


def a_list_of_submissions(executor, engines):
    fs = [executor.submit(e.pause_generation) for e in engines]  # PR001
    work()
    fs = [executor.submit(e.continue_generation) for e in engines]


def a_list_of_references(engines):
    refs = [e.pause_generation.remote() for e in engines]  # PR001
    ray.get(refs)
    work()
    refs = [e.continue_generation.remote() for e in engines]
    ray.get(refs)


async def a_list_of_coroutines(engines):
    tasks = [e.pause_generation() for e in engines]  # PR001
    await asyncio.gather(*tasks)
    await work()
    tasks = [e.continue_generation() for e in engines]
    await asyncio.gather(*tasks)


async def posted_in_a_with(session, addr):
    async with session.post(f"{addr}/pause_generation") as resp:  # PR001
        await resp.json()
    await work()
    async with session.post(f"{addr}/continue_generation") as resp:
        await resp.json()


def posted_to_a_local_name(addr):
    url = f"{addr}/pause_generation"
    requests.post(url)  # PR001
    work()
    requests.post(f"{addr}/continue_generation")


def a_route_as_a_keyword(client):
    client.request(method="POST", endpoint="/pause_generation")  # PR001
    work()
    client.request(method="POST", endpoint="/continue_generation")


def with_starred_arguments(engine, args):
    engine.pause_generation(*args)  # PR001
    work()
    engine.continue_generation()


def inside_an_assert(engine):
    assert engine.pause_generation()  # PR001
    try:
        work()
    finally:
        engine.continue_generation()
""",
    unfixable={
        "what_is_resumed_was_bound_again": "what was paused has no name any more",
        "inside_an_assert": "the assertion can fail although the engine is paused",
    },
)

RESUMES = Section(
    "every shape of a resume counts",
    """\
def in_a_finally(engine):
    engine.pause_generation()
    try:
        work()
    finally:
        engine.continue_generation()


def with_the_other_name(engine):
    engine.pause_generation()
    try:
        work()
    finally:
        engine.resume_generation()


async def awaited(engine):
    await engine.pause_generation()
    try:
        await work()
    finally:
        await engine.continue_generation()


def run(engine):
    asyncio.run(engine.pause_generation())
    try:
        work()
    finally:
        asyncio.run(engine.continue_generation())


def remote(actor):
    ray.get(actor.pause_generation.remote())
    try:
        work()
    finally:
        ray.get(actor.continue_generation.remote())


async def gathered(engines):
    try:
        await asyncio.gather(*[engine.pause_generation() for engine in engines])
        await work()
    finally:
        await asyncio.gather(*[engine.continue_generation() for engine in engines])


def handed_on(engine):
    call_maybe_async(engine.pause_generation)
    try:
        work()
    finally:
        call_maybe_async(engine.continue_generation)


def by_name(llm):
    try:
        llm.collective_rpc("pause_generation")
        work()
    finally:
        llm.collective_rpc("continue_generation")


def posted(client, address):
    client.post(f"{address}/pause_generation")
    try:
        work()
    finally:
        client.post(f"{address}/continue_generation")


def through_a_lambda(engine):
    undo = lambda: engine.continue_generation()
    engine.pause_generation()
    try:
        work()
    finally:
        undo()


def the_whole_is_resumed(fleet):
    fleet.engine.pause_generation()
    try:
        work()
    finally:
        fleet.continue_generation()


def on_every_branch(engine, good):
    engine.pause_generation()
    if good:
        engine.continue_generation()
        return 1
    engine.resume_generation()
    return 0


def a_with_item(engine):
    with engine.pause_generation():
        work()


async def an_async_with_item(engine):
    async with engine.pause_generation():
        await work()


def registered(engine):
    with ExitStack() as stack:
        engine.pause_generation()
        stack.callback(engine.continue_generation)
        work()


async def registered_as_a_coroutine(engine):
    async with AsyncExitStack() as stack:
        await engine.pause_generation()
        stack.push_async_callback(engine.continue_generation)
        await work()


def registered_as_a_finaliser(request, engine):
    engine.pause_generation()
    request.addfinalizer(engine.continue_generation)
    work()


class RegisteredAsACleanup:
    def prepare(self):
        self.engine.pause_generation()
        self.addCleanup(self.engine.continue_generation)
        self.load()


def registered_too_late(engine):
    with ExitStack() as stack:
        engine.pause_generation()  # PR001
        work()
        stack.callback(engine.continue_generation)


def the_same_element(engines):
    engines[0].pause_generation()
    try:
        work()
    finally:
        engines[0].continue_generation()


def what_the_same_call_gives(self):
    self.get_engine().pause_generation()
    try:
        work()
    finally:
        self.get_engine().continue_generation()


def under_another_name(self):
    engine = self.rollout_engine
    engine.pause_generation()
    try:
        work()
    finally:
        self.rollout_engine.continue_generation()


def bound_in_a_condition(self):
    if (engine := self.engine) is not None:
        engine.pause_generation()
        try:
            work()
        finally:
            engine.continue_generation()


async def posted_in_a_with(session, addr):
    async with session.post(f"{addr}/pause_generation"):
        pass
    try:
        await work()
    finally:
        async with session.post(f"{addr}/continue_generation"):
            pass


def mapped_over_by_an_executor(executor, engines):
    try:
        list(executor.map(lambda e: e.pause_generation(), engines))
        work()
    finally:
        list(executor.map(lambda e: e.continue_generation(), engines))


def a_with_item_beside_another(engine, a):
    with a, engine.pause_generation():
        work()


def in_a_condition(engine):
    engine.pause_generation()
    try:
        work()
    finally:
        if not engine.continue_generation():
            logging.error("x")
""",
)

SPEECH = Section(
    "what only speaks of a pause",
    """\
def text_in_a_log(logger):
    logger.info("pause_generation")
    work()


def text_in_a_log_that_looks_like_a_route(logger, address):
    logger.warning(f"{address}/pause_generation failed")
    work()


def printed(address):
    print(f"{address}/pause_generation")
    work()


def keys_of_a_dict():
    table = {"pause_generation": 1}
    work()
    return table["pause_generation"]


def a_test_for_the_attribute(engine):
    if hasattr(engine, "pause_generation"):
        work()


def only_looked_up(engine):
    pause = getattr(engine, "pause_generation", None)
    return pause is not None


def compared(endpoint):
    if endpoint == "/pause_generation":
        work()


def an_exception_text():
    raise RuntimeError("pause_generation is not there")


def a_handler_for_a_signal(engine):
    signal.signal(signal.SIGUSR1, engine.pause_generation)
    work()


def a_partial_that_nobody_calls(engine):
    pause = partial(engine.pause_generation)
    work()
    return pause


def a_registered_route(app, handler):
    app.add_api_route("/pause_generation", handler, methods=["POST"])
    work()


def a_stored_callback(trainer, engine):
    trainer.on_update = engine.pause_generation
    work()


def a_lambda_that_nobody_calls(engine):
    return lambda: engine.pause_generation()


def a_mock(monkeypatch, engine):
    monkeypatch.setattr(engine, "pause_generation", None)
    work()


def of_other_names(video):
    video.pause()
    work()


def a_choice_that_nobody_calls(engine, use):
    fn = engine.pause_generation if use else None
    work()
""",
)

COROUTINES = Section(
    "a coroutine that nobody runs",
    """\
async def the_resume(engine):
    await engine.pause_generation()  # PR001
    try:
        await work()
    finally:
        engine.continue_generation()  # PR004


async def the_pause(engine):
    engine.pause_generation()  # PR004
    try:
        await work()
    finally:
        await engine.continue_generation()


async def a_scheduled_resume(engine):
    await engine.pause_generation()
    try:
        await work()
    finally:
        asyncio.create_task(engine.continue_generation())


async def a_gathered_resume(engine):
    await engine.pause_generation()
    try:
        await work()
    finally:
        await asyncio.gather(engine.continue_generation())


async def a_resume_with_a_time_limit(engine):
    await engine.pause_generation()
    try:
        await work()
    finally:
        await asyncio.wait_for(engine.continue_generation(), 5)


async def a_shielded_resume(engine):
    await engine.pause_generation()
    try:
        await work()
    finally:
        await asyncio.shield(engine.continue_generation())


async def a_resume_given_to_a_task_group(engine):
    async with asyncio.TaskGroup() as group:
        await engine.pause_generation()
        try:
            await work()
        finally:
            group.create_task(engine.continue_generation())


async def a_returned_resume(engine):
    await engine.pause_generation()
    return engine.continue_generation()


async def a_resume_awaited_later(engine):
    await engine.pause_generation()
    try:
        await work()
    finally:
        resumed = engine.continue_generation()
        await resumed


def of_a_synchronous_engine(engine):
    engine.pause_generation()
    try:
        work()
    finally:
        engine.continue_generation()


async def of_a_synchronous_engine_in_a_coroutine(engine):
    engine.pause_generation()
    try:
        await work()
    finally:
        engine.continue_generation()
""",
    unfixable={"the_resume": "it is enough to await the resume that is there"},
)

PRESETS = Section(
    "pairs of the presets",
    """\
def asleep(llm):
    llm.sleep(level=1)  # PR001
    work()
    llm.wake_up()


def a_paused_scheduler(scheduler):
    scheduler.pause()  # PR001
    work()
    scheduler.resume()


def memory_released(server):
    server.release_memory_occupation()  # PR001
    work()
    server.resume_memory_occupation()


def offloaded(rollout_worker):
    rollout_worker.offload()  # PR001
    work()
    rollout_worker.onload()


def a_session(engine):
    engine.start_weight_update()  # PR001
    engine.load()
    engine.finish_weight_update()


def a_loop_variable_takes_the_name_of_what_it_goes_over(engines):
    for one in engines:
        one.pause()  # PR001
    work()
    for one in engines:
        one.resume()


def asleep_and_woken(llm):
    llm.sleep(level=1)
    try:
        work()
    finally:
        llm.wake_up()


def two_steps_of_waking(engine):
    engine.release_memory_occupation(tags=["weights"])
    try:
        work()
    finally:
        engine.resume_memory_occupation(tags=["weights"])


def any_resume_of_the_pair_will_do(engine):
    engine.pause()
    try:
        work()
    finally:
        engine.resume()


def the_clock(engine):
    time.sleep(1)
    work()


async def the_event_loop(engine):
    await asyncio.sleep(1)
    await work()


def a_profiler(profiler):
    profiler.pause()
    work()
    profiler.resume()


def a_progress_bar(progress):
    progress.pause()
    work()


def a_monitor(engine_monitor):
    engine_monitor.pause()
    work()


def a_video(player):
    player.pause()
    work()
""",
    presets=("all",),
)

LOCKS = Section(
    "a lock that may not have been got",
    """\
class Held:
    def update(self):
        self.engine_lock.acquire()  # PR001
        self.load()
        self.engine_lock.release()


class HeldInATry:
    def update(self):
        self.engine_lock.acquire()
        try:
            self.load()
        finally:
            self.engine_lock.release()


class Tested:
    def update(self):
        if self.engine_lock.acquire(timeout=1):
            try:
                self.load()
            finally:
                self.engine_lock.release()


class TestedWithAGuardClause:
    def update(self):
        if not self.engine_lock.acquire(blocking=False):
            return
        try:
            self.load()
        finally:
            self.engine_lock.release()


class TestedThroughAName:
    def update(self):
        got = self.engine_lock.acquire(timeout=1)
        if not got:
            raise TimeoutError("busy")
        try:
            self.load()
        finally:
            self.engine_lock.release()


class TestedAndLeaking:
    def update(self):
        if self.engine_lock.acquire(timeout=1):  # PR001
            self.load()
            self.engine_lock.release()
""",
    presets=("all",),
)

SECTIONS = (PAUSES, RESUMES, SPEECH, COROUTINES, PRESETS, LOCKS)
