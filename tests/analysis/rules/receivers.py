"""Receivers: names that everybody uses (`pause`, `sleep`, `acquire`) count only on what is an engine by its name."""

from __future__ import annotations

from tests.helpers.marked import Section

ENGINES = Section(
    "a receiver that is an engine",
    """\
class AnAttributeOfAnEngine:
    def update(self):
        self.rollout_engine.pause()  # PR001
        self.load()
        self.rollout_engine.resume()


class ALeadingUnderscore:
    def update(self):
        self._llm.sleep()  # PR001
        self.load()
        self._llm.wake_up()


class ARouter:
    async def update(self, weights):
        await self.router.suspend()  # PR001
        await self.push(weights)
        await self.router.resume()


class ATrajectoryCollector:
    def validate(self):
        ray.get(self.trajectory_collector.pause.remote())  # PR001
        self.score()
        ray.get(self.trajectory_collector.resume.remote())


class WordsRunTogether:
    def update(self):
        self.inferenceEngine.pause()  # PR001
        self.load()
        self.inferenceEngine.resume()


def a_loop_variable_takes_the_name_of_its_iterable(servers):
    for one in servers:
        one.pause()  # PR001
    work()
    for one in servers:
        one.resume()


def a_loop_variable_over_the_values_of_a_dictionary(engines):
    for one in engines.values():
        one.pause()  # PR001
    work()
    for one in engines.values():
        one.resume()


def a_loop_variable_over_items(workers):
    for rank, one in workers.items():
        one.offload()  # PR001
    work()
    for rank, one in workers.items():
        one.onload()


def a_loop_variable_that_is_counted(replicas):
    for number, one in enumerate(replicas):
        one.pause()  # PR001
    work()
    for number, one in enumerate(replicas):
        one.resume()


def a_variable_of_a_comprehension(replicas):
    ray.get([one.sleep.remote() for one in replicas])  # PR001
    work()
    ray.get([one.wake_up.remote() for one in replicas])


def a_slice_of_engines(engines, active):
    for one in engines[:active]:
        one.pause()  # PR001
    work()
    for one in engines[:active]:
        one.resume()


def an_element_of_engines(engines):
    engines[0].pause()  # PR001
    work()
    engines[0].resume()


class WhatAMethodGives:
    def update(self):
        self.get_engine().pause()  # PR001
        self.load()
        self.get_engine().resume()


def an_alias(trainer):
    handle = trainer.rollout_engine
    handle.pause()  # PR001
    work()
    handle.resume()


class AnEngineProtected:
    def update(self):
        self.rollout_engine.pause()
        try:
            self.load()
        finally:
            self.rollout_engine.resume()


class ATrajectoryCollectorProtected:
    def validate(self):
        ray.get(self.trajectory_collector.pause.remote())
        try:
            self.score()
        finally:
            ray.get(self.trajectory_collector.resume.remote())


def every_loop_variable_protected(servers):
    try:
        for one in servers:
            one.pause()
        work()
    finally:
        for one in servers:
            one.resume()


def an_element_protected(engines):
    engines[0].pause()
    try:
        work()
    finally:
        engines[0].resume()


def an_alias_of_a_parameter(engine):
    handle = engine
    handle.sleep()  # PR001
    work()
    handle.wake_up()


def an_alias_protected(trainer):
    handle = trainer.rollout_engine
    handle.pause()
    try:
        work()
    finally:
        trainer.rollout_engine.resume()
""",
    presets=("all",),
)

OTHERS = Section(
    "a receiver that is none",
    """\
def the_clock():
    time.sleep(5)
    work()


async def the_loop():
    await asyncio.sleep(5)
    await work()


async def another_loop():
    await anyio.sleep(5)
    await trio.sleep(5)
    await work()


def a_clock_beside_an_engine(engine):
    time.sleep(5)
    engine.load()
    engine.wake_up()


def sleep_by_its_own_name(engine):
    sleep(5)
    engine.load()
    engine.wake_up()


def a_profiler(profiler):
    profiler.pause()
    work()
    profiler.resume()


class TheProfilerOfAnEngine:
    def step(self):
        self.engine_profiler.pause()
        self.engine.step()
        self.engine_profiler.resume()


class AProfilerThatTheEngineHas:
    def step(self):
        self.engine.profiler.pause()
        self.engine.step()
        self.engine.profiler.resume()


def a_progress_bar(progress_bar):
    progress_bar.pause()
    work()
    progress_bar.resume()


class TheProgressOfRollouts:
    def collect(self):
        self.rollout_progress.pause()
        self.gather()
        self.rollout_progress.resume()


def a_signal():
    signal.pause()
    work()


class AMetricsScraper:
    def evaluate(self):
        self.vllm_metrics_scraper.resume()
        self.generate()
        self.vllm_metrics_scraper.pause()


class AMetricsScraperTheOtherWayRound:
    def evaluate(self):
        if self.vllm_metrics_scraper is not None:
            self.vllm_metrics_scraper.pause()
        self.generate()
        if self.vllm_metrics_scraper is not None:
            self.vllm_metrics_scraper.resume()


class ScrapersInALoop:
    def evaluate(self):
        for one in self.vllm_metrics_scrapers:
            one.pause()
        self.generate()
        for one in self.vllm_metrics_scrapers:
            one.resume()


class AHealthMonitor:
    def update(self):
        self.health_monitor.pause()
        self.load()
        self.health_monitor.resume()


class MonitorsInALoop:
    def update(self):
        for one in self.engine_monitors.values():
            one.pause()
        self.load()
        for one in self.engine_monitors.values():
            one.resume()


class TheWatchdogOfAServer:
    def update(self):
        self.server_watchdog.suspend()
        self.load()
        self.server_watchdog.resume()


class AStatsLogger:
    def update(self):
        self.engine_stats.pause()
        self.load()
        self.engine_stats.resume()


def a_player(player):
    player.pause()
    work()
    player.resume()


def a_download(download):
    download.pause()
    work()
    download.resume()


def a_tensor_that_is_offloaded(tensor):
    tensor.offload()
    work()
    tensor.onload()


class AnOptimizer:
    def step(self):
        self.optimizer.offload()
        self.load()
        self.optimizer.onload()


class ACoroutineOfAScheduledJob:
    def update(self):
        self.job.suspend()
        self.load()
        self.job.resume()


def loop_variables_of_something_else(videos, engines):
    for one in videos:
        one.pause()
    work(engines)
    for one in videos:
        one.resume()


def a_heartbeat(worker_heartbeat):
    worker_heartbeat.pause()
    work()
    worker_heartbeat.resume()


def a_timer(engine_timer):
    engine_timer.pause()
    work()
    engine_timer.resume()


class TheProfilerThatAMethodGives:
    def step(self):
        self.engine.get_profiler().pause()
        self.engine.step()
        self.engine.get_profiler().resume()


def a_tracer_in_a_comprehension(tracers):
    [one.pause() for one in tracers]
    work()
    [one.resume() for one in tracers]


def a_thermal_sleep_of_a_driver(driver):
    driver.sleep(1)
    work()
    driver.wake_up()


class ASleepingThread:
    def run(self):
        self.thread.sleep(1)
        self.engine.step()
        self.engine.wake_up()
""",
    presets=("all",),
)

SECTIONS = (ENGINES, OTHERS)
