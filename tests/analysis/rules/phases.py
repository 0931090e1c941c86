"""Phases: engines that rest asleep and are woken for their work, within one function or from one to the other."""

from __future__ import annotations

from tests.helpers.marked import Section

REVERSED = Section(
    "wake, work, sleep",
    """\
def woken_for_its_work(llm, prompts):
    llm.wake_up()
    answers = llm.generate(prompts)
    llm.sleep()
    return answers


def asleep_again_whatever_happens(llm, prompts):
    llm.wake_up()
    try:
        return llm.generate(prompts)
    finally:
        llm.sleep()


class UnderAGuard:
    def generate(self, prompts):
        if self.config.free_cache_engine:
            self.llm.wake_up()
        answers = self.collect(prompts)
        if self.config.free_cache_engine:
            self.llm.sleep()
        return answers


def by_name(engines, prompts):
    batch_vllm_engine_call(engines, "wake_up")
    answers = collect(prompts)
    batch_vllm_engine_call(engines, "sleep")
    return answers


class InEveryRound:
    def fit(self, rounds):
        for number in range(rounds):
            self.rollout_engine.onload()
            self.collect(number)
            self.rollout_engine.offload()
            self.train(number)


class ByAContextManager:
    @contextmanager
    def awake(self):
        self.rollout.onload()
        try:
            yield
        finally:
            self.rollout.offload()


class OnceMadeAsleep:
    def __init__(self, config):
        self.llm = LLM(config, enable_sleep_mode=True)
        self.llm.sleep(level=1)

    def generate(self, prompts):
        self.llm.wake_up()
        answers = self.llm.generate(prompts)
        self.llm.sleep(level=1)
        return answers


class OnceMadeAsleepAndWokenByOthers:
    def __init__(self, config):
        self.engine = make_engine(config)
        self.engine.sleep()
        self.ready = self.probe()

    def begin(self):
        self.engine.wake_up()
        self.report()


def made_asleep(config):
    llm = LLM(config, enable_sleep_mode=True)
    llm.sleep(level=1)
    warm_up(llm.tokenizer)
    return llm


def with_a_list_of_engines(config, count):
    engines = []
    for number in range(count):
        engines.append(make_engine(config, number))
    batch_vllm_engine_call(engines, "sleep")
    report(engines)
    return engines


def awake_and_asleep_after_an_answer(engine, ready):
    engine.resume_memory_occupation()
    if not ready:
        engine.release_memory_occupation()
        return None
    answer = engine.generate()
    engine.release_memory_occupation()
    return answer


def asleep_for_a_work_in_between(llm, prompts):
    llm.generate(prompts)
    llm.sleep()  # PR001
    train()
    llm.wake_up()


def asleep_after_having_been_woken_and_woken_again(llm):
    llm.wake_up()
    llm.generate()
    llm.sleep()  # PR001
    train()
    llm.wake_up()


class AsleepForARound:
    def fit(self, rounds):
        for number in range(rounds):
            self.collect(number)
            self.llm.sleep()  # PR001
            self.train(number)
            self.llm.wake_up()


class AsleepUnderAGuard:
    def train(self):
        if self.config.sleep:
            self.llm.sleep()  # PR001
        self.step()
        if self.config.sleep:
            self.llm.wake_up()
""",
    presets=("all",),
)

SPLIT = Section(
    "asleep at the end of one phase",
    """\
class TwoPhases:
    def generate(self, prompts):
        answers = self.llm.generate(prompts)
        self.llm.sleep(level=1)
        self.report(answers)
        return answers

    def update(self, weights):
        self.load(weights)
        self.llm.wake_up()
        self.report(weights)


class MemoryOfTwoPhases:
    def leave_rollout(self):
        self.engine.release_memory_occupation()
        self.collect()

    def enter_rollout(self):
        self.collect()
        self.engine.resume_memory_occupation()


class HooksOfAStep:
    def on_train_begin(self):
        self.rollout.offload()
        self.collect()

    def on_train_end(self):
        self.collect()
        self.rollout.onload()


class AlwaysHooksOfAPause:
    def on_step_begin(self):
        self.engine.pause()

    def on_step_end(self):
        self.engine.resume()


class EnterAndExit:
    def __enter__(self):
        self.engine.pause()
        return self

    def __exit__(self, *details):
        self.engine.resume()


class ReplicasOfTwoPhases:
    async def before_training(self):
        await self.manager.sleep_replicas()
        await self.collect()

    async def after_training(self):
        await self.update()
        await self.manager.wake_up_replicas()


class OneMethodDoesBoth:
    def train(self):
        self.llm.sleep()  # PR001
        self.step()
        self.llm.wake_up()

    def generate(self, prompts):
        self.llm.wake_up()
        return self.llm.generate(prompts)


class OneMethodDoesBothAndAnotherSleeps:
    def train(self):
        self.engine.release_memory_occupation()  # PR001
        self.step()
        self.engine.resume_memory_occupation()

    def finish(self):
        self.report()
        self.engine.release_memory_occupation()


class OneMethodDoesBothProtected:
    def train(self):
        self.llm.sleep()
        try:
            self.step()
        finally:
            self.llm.wake_up()


class MemoryByAGuard:
    def train(self):
        if self.offload:
            self.engine.release_memory_occupation()
        try:
            self.step()
        finally:
            if self.offload:
                self.engine.resume_memory_occupation()


class WokenOnlyOnUpdate:
    def train(self, step):
        self.llm.sleep()  # PR001
        if step % self.interval == 0:
            self.load()
            self.llm.wake_up()
""",
    presets=("all",),
)

ITERATIONS = Section(
    "split over the rounds of a loop",
    """\
class AsleepInOneRoundAndWokenInTheNext:
    def fit(self, rounds):
        for number in range(rounds):
            self.llm.wake_up()
            self.collect(number)
            self.llm.sleep()
            self.train(number)


class PausedAtTheEndOfARoundAndResumedInTheNext:
    def fit(self, rounds):  # a failing round leaves it paused, and so does the last one
        for number in range(rounds):
            self.engine.resume()
            self.collect(number)
            self.engine.pause()
            self.train(number)


class ResumedAfterTheLoop:
    def fit(self, rounds):
        self.rollout.pause()  # PR001
        for number in range(rounds):
            self.train(number)
        self.rollout.resume()


class ResumedAfterTheLoopProtected:
    def fit(self, rounds):
        self.rollout.pause()
        try:
            for number in range(rounds):
                self.train(number)
        finally:
            self.rollout.resume()


class PausedForARestOfARound:
    def fit(self, rounds):
        for number in range(rounds):
            self.train(number)
            self.rollout.pause()  # PR001
            self.update(number)
            self.save(number)
            self.rollout.resume()


class PausedForARestOfARoundProtected:
    def fit(self, rounds):
        for number in range(rounds):
            self.train(number)
            self.rollout.pause()
            try:
                self.update(number)
                self.save(number)
            finally:
                self.rollout.resume()


class ContinuedBeforeTheResume:
    def fit(self, rounds):
        for number in range(rounds):
            self.rollout.pause()  # PR001
            if not self.ready:
                continue
            self.rollout.resume()


class LeftBeforeTheResume:
    def fit(self, rounds):
        for number in range(rounds):
            self.rollout.pause()  # PR001
            if self.stop:
                break
            self.rollout.resume()


class ResumedWhenTheLoopIsLeft:
    def fit(self, rounds):
        for number in range(rounds):
            self.rollout.pause()
            if self.stop:
                self.rollout.resume()
                break
            self.rollout.resume()


class PausedInOneRoundAndResumedInALaterOne:
    def fit(self, rounds):
        for number in range(rounds):
            if number % 2 == 0:
                self.rollout.pause()  # PR001
            else:
                self.rollout.resume()
            self.train(number)


class RetriedUntilItWorks:
    def update(self, tries):
        self.rollout.pause()
        try:
            for _ in range(tries):
                if self.load():
                    break
        finally:
            self.rollout.resume()
""",
    presets=("all",),
    wrong={"PausedInOneRoundAndResumedInALaterOne": "what may rest is taken to be resumed in a later round"},
)

SECTIONS = (REVERSED, SPLIT, ITERATIONS)
