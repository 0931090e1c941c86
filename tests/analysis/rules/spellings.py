"""Spellings: how frameworks write the pairs of the presets, as methods, texts, routes, lists of names and switches."""

from __future__ import annotations

from tests.helpers.marked import Section

TEXTS = Section(
    "names and routes of the presets as text",
    """\
def handed_to_every_engine_by_name(engines):
    batch_vllm_engine_call(engines, "sleep")  # PR001
    work()
    batch_vllm_engine_call(engines, "wake_up")


class HandedByNameUnderAGuard:
    def broadcast(self):
        if self.partial_rollout:
            batch_vllm_engine_call(self.vllm_engines, "pause_generation")  # PR001
        self.push()
        if self.partial_rollout:
            batch_vllm_engine_call(self.vllm_engines, "resume_generation")


def run_on_all_workers_by_name(worker_group):
    worker_group.run_all_workers_single_data("prepare_for_refit")  # PR001
    work()
    worker_group.run_all_workers_single_data("resume_after_refit")


def a_remote_procedure_of_an_engine(llm):
    llm.collective_rpc("sleep", args=(1,))  # PR001
    work()
    llm.collective_rpc("wake_up")


def posted_to_a_route(address):
    requests.post(f"{address}/release_memory_occupation")  # PR001
    work()
    requests.post(f"{address}/resume_memory_occupation")


async def posted_to_the_engines_sleep(client, server_url):
    await client.post(f"{server_url}/sleep", params={"level": 1})  # PR001
    await work()
    await client.post(f"{server_url}/wake_up")


async def posted_to_every_server(client, server_urls):
    await asyncio.gather(*[client.post(f"{url}/pause") for url in server_urls])  # PR001
    await work()
    await asyncio.gather(*[client.post(f"{url}/resume") for url in server_urls])


class AMethodThatPosts:
    def update(self):
        self._make_request("pause_generation")  # PR001
        self.load()
        self._make_request("continue_generation")


class ACallOfAUtility:
    async def update(self):
        await self.engine_core.call_utility_async("sleep", 1)  # PR001
        await self.load()
        await self.engine_core.call_utility_async("wake_up", None)


class ANameThatIsBoundBefore:
    def update(self):
        name = "pause_generation"
        self.llm.collective_rpc(name)  # PR001
        self.load()
        self.llm.collective_rpc("continue_generation")


class GotByName:
    def update(self):
        getattr(self.rollout_engine, "offload")()  # PR001
        self.load()
        getattr(self.rollout_engine, "onload")()


def handed_by_name_protected(engines):
    try:
        batch_vllm_engine_call(engines, "sleep")
        work()
    finally:
        batch_vllm_engine_call(engines, "wake_up")


class HandedByNameProtectedUnderAGuard:
    def broadcast(self):
        try:
            if self.partial_rollout:
                batch_vllm_engine_call(self.vllm_engines, "pause_generation")
            self.push()
        finally:
            if self.partial_rollout:
                batch_vllm_engine_call(self.vllm_engines, "resume_generation")


def posted_to_a_route_protected(address):
    requests.post(f"{address}/release_memory_occupation")
    try:
        work()
    finally:
        requests.post(f"{address}/resume_memory_occupation")


async def posted_to_the_engines_sleep_protected(client, server_url):
    await client.post(f"{server_url}/sleep", params={"level": 1})
    try:
        await work()
    finally:
        await client.post(f"{server_url}/wake_up")


def a_remote_procedure_protected(llm):
    try:
        llm.collective_rpc("sleep", args=(1,))
        work()
    finally:
        llm.collective_rpc("wake_up")


def a_route_of_a_media_server(client, player_url):
    client.post(f"{player_url}/pause")
    work()


def a_route_of_a_container(session, docker_url, container):
    session.post(f"{docker_url}/containers/{container}/pause")
    copy(container)
    session.post(f"{docker_url}/containers/{container}/unpause")


def a_route_that_only_contains_the_word(client, address):
    client.post(f"{address}/jobs/pause-all")
    work()
    client.post(f"{address}/jobs/resume-all")


def the_state_of_the_engine(client, address):
    client.get(f"{address}/is_sleeping")
    work()
    client.post(f"{address}/wake_up")


def a_key_of_a_table(engine):
    engine.table["sleep"] = 1
    work()
    engine.wake_up()


def a_message_to_the_log(logger, engines):
    logger.info("sleep")
    work(engines)


def a_mode_by_name(engine):
    engine.set_mode("sleep")
    work()


def a_metric(engine):
    engine.send_metric("pause")
    work()
""",
    presets=("all",),
)

NAMES = Section(
    "several names for the resume",
    """\
def by_wake_up(llm):
    llm.sleep()  # PR001
    work()
    llm.wake_up()


def by_wakeup(llm):
    llm.sleep()  # PR001
    work()
    llm.wakeup()


async def by_wake(engine):
    await engine.sleep()  # PR001
    await work()
    await engine.wake()


def by_unpause(scheduler):
    scheduler.pause()  # PR001
    work()
    scheduler.unpause()


def resume_under_one_guard_and_continue_under_the_other(engine, partial):
    engine.pause_generation()  # PR001
    work()
    if partial:
        engine.resume_generation()
    else:
        engine.continue_generation()


def another_name_on_either_branch(llm, fast):
    llm.sleep()
    try:
        work()
    finally:
        if fast:
            llm.wake()
        else:
            llm.wake_up()


async def wake_protected(engine):
    await engine.sleep()
    try:
        await work()
    finally:
        await engine.wake()


def unpause_protected(scheduler):
    scheduler.pause()
    try:
        work()
    finally:
        scheduler.unpause()


def either_name_of_the_lifecycle(engine):
    engine.suspend()
    try:
        work()
    finally:
        engine.resume()


async def with_underscore_and_async(engine):
    await engine._sleep_async()
    try:
        await work()
    finally:
        await engine._wake_up_async()


def a_name_that_undoes_another_pair(engine):
    engine.pause()  # PR001
    try:
        work()
    finally:
        engine.wake_up()


async def the_engine_is_paused_and_unpaused(engine):
    await engine.pause()
    try:
        await work()
    finally:
        await engine.unpause()
""",
    presets=("all",),
    wrong={"a_name_that_undoes_another_pair": "what may rest is taken to be resumed elsewhere"},
)


SWITCHES = Section(
    "one method with a boolean",
    """\
def on_and_off_in_a_straight_line(engine):
    engine.set_should_stop(True)  # PR001
    work()
    engine.set_should_stop(False)


def every_engine(engines):
    for engine in engines:
        engine.set_should_stop.remote(True)  # PR001
    work()
    for engine in engines:
        engine.set_should_stop.remote(False)


def a_keyword(engine):
    engine.set_should_stop(should_stop=True)  # PR001
    work()
    engine.set_should_stop(should_stop=False)


class NeverOff:
    def update(self):
        self.engine.set_should_stop(True)  # PR001
        work()


def off_in_a_finally(engine):
    engine.set_should_stop(True)
    try:
        work()
    finally:
        engine.set_should_stop(False)


def every_engine_off_in_a_finally(engines):
    try:
        for engine in engines:
            engine.set_should_stop.remote(True)
        work()
    finally:
        for engine in engines:
            engine.set_should_stop.remote(False)


def only_off(engine):
    engine.set_should_stop(False)
    work()


def an_answer_that_is_passed_on(engine, answer):
    engine.set_should_stop(answer)
    work()


class ThePrimitive:
    def set_should_stop(self, value):
        self.engine.set_should_stop(value)


def the_flag_of_a_trainer(trainer):
    trainer.set_should_stop(True)
    work()
""",
    presets=("all",),
    unfixed={"NeverOff": "how to call what is never called with `False` is not known"},
)

TUPLES = Section(
    "names in a tuple that is iterated",
    """\
def both_names_in_one_loop(llm):
    for name in ("pause_generation", "flush_cache", "continue_generation"):
        llm.collective_rpc(name)  # PR001


def all_of_the_pause(llm):
    for name in ("flush_cache", "pause_generation"):
        llm.collective_rpc(name)  # PR001
    work()
    llm.collective_rpc("continue_generation")


def all_of_the_pause_and_all_of_the_resume(worker_group):
    for name in ("pause_generation", "release_memory_occupation"):
        ray.get(worker_group.run_all(name))  # PR001
    work()
    for name in ("resume_memory_occupation", "continue_generation"):
        ray.get(worker_group.run_all(name))


async def of_posts(client, address):
    for route in ("/pause_generation", "/flush_cache"):
        await client.post(address + route)  # PR001
    await work()
    await client.post(address + "/continue_generation")


def got_by_name(llm):
    for name in ("pause_generation", "flush_cache"):
        getattr(llm, name)()  # PR001
    work()
    llm.continue_generation()


def all_of_the_pause_protected(llm):
    try:
        for name in ("flush_cache", "pause_generation"):
            llm.collective_rpc(name)
        work()
    finally:
        llm.collective_rpc("continue_generation")


def both_protected(worker_group):
    try:
        for name in ("pause_generation", "flush_cache"):
            ray.get(worker_group.run_all(name))
        work()
    finally:
        for name in ("continue_generation", "reset_cache"):
            ray.get(worker_group.run_all(name))


def the_resume_at_a_later_turn(worker_group):
    try:
        worker_group.run_all("pause_generation")  # PR003
        work()
    finally:
        for name in ("reset_cache", "continue_generation"):
            ray.get(worker_group.run_all(name))


def at_a_turn_that_is_never_reached(llm):
    for name in ("pause_generation", "continue_generation"):
        llm.collective_rpc(name)  # PR001
        if ready():
            break


def at_a_turn_that_leaves_it_out(llm):
    for name in ("flush_cache", "pause_generation", "continue_generation"):
        if name == "pause_generation":
            continue
        llm.collective_rpc(name)
    work()


def a_table_that_is_bound_to_a_name(llm, info):
    steps: tuple[tuple[str, dict], ...] = (
        ("start_weight_update", {"is_checkpoint_format": True}),
        ("update_weights", {"update_info": info}),
        ("finish_weight_update", {}),
    )
    for name, given in steps:
        llm.collective_rpc(name, kwargs=given)  # PR001


def a_list_of_calls(llm):
    ray.get([llm.collective_rpc.remote(name) for name in ["pause_generation", "flush_cache"]])  # PR001
    work()
    llm.collective_rpc("continue_generation")


async def a_route_at_the_end(client, address):
    route = "/pause_generation"
    await client.post(f"{address}{route}")  # PR001
    await work()
    await client.post(f"{address}/continue_generation")


def names_that_are_only_printed(llm):
    for name in ("pause_generation", "continue_generation"):
        print(name)
    work()


def names_that_are_looked_for(llm):
    for name in ("pause_generation", "continue_generation"):
        if not hasattr(llm, name):
            raise TypeError(name)
    work()


def names_that_are_registered(app, handlers):
    for name in ("pause_generation", "continue_generation"):
        app.add_api_route(f"/{name}", handlers[name])
    work()


def other_names(llm):
    for name in ("flush_cache", "reset_cache"):
        llm.collective_rpc(name)
    work()
""",
    presets=("all",),
    unfixable={
        "both_names_in_one_loop": "one loop pauses and resumes",
        "at_a_turn_that_is_never_reached": "one loop pauses and resumes",
        "a_table_that_is_bound_to_a_name": "one loop pauses and resumes",
        "all_of_the_pause_and_all_of_the_resume": "one resume would keep the other from being reached",
        "the_resume_at_a_later_turn": "which of the turns come first is for people to say",
    },
)

SECTIONS = (TEXTS, NAMES, SWITCHES, TUPLES)
