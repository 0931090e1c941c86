"""Resuming by portions: tags and methods that bring back the weights first and the KV cache later, or never."""

from __future__ import annotations

from tests.helpers.marked import Section

TAGS = Section(
    "portions by tags",
    """\
def woken_in_two_steps(llm):
    llm.sleep(level=1)
    try:
        work()
    finally:
        try:
            llm.wake_up(tags=["weights"])
        finally:
            llm.wake_up(tags=["kv_cache"])


def weights_then_the_update_then_the_cache(llm, weights):
    llm.sleep(level=2)  # PR001
    work()
    llm.wake_up(tags=["weights"])
    llm.load(weights)
    llm.wake_up(tags=["kv_cache"])


def the_cache_is_never_resumed(llm, weights):
    llm.sleep(level=2)  # PR001
    llm.wake_up(tags=["weights"])
    llm.load(weights)


def the_cache_is_never_resumed_in_the_finally(engine):
    engine.release_memory_occupation()  # PR001
    try:
        work()
    finally:
        engine.resume_memory_occupation(tags=["weights"])


def the_cache_only_if_all_goes_well(engine, weights):
    engine.release_memory_occupation()  # PR001
    try:
        engine.resume_memory_occupation(tags=["weights"])
        engine.load(weights)
        engine.resume_memory_occupation(tags=["kv_cache"])
    except ValueError:
        engine.report()


def by_tags_and_not_all_of_them(engine):
    engine.release_memory_occupation(tags=["weights", "kv_cache"])  # PR001
    try:
        work()
    finally:
        engine.resume_memory_occupation(tags=["weights"])


def by_tags_and_another_one(engine):
    engine.release_memory_occupation(tags=["weights"])  # PR001
    try:
        work()
    finally:
        engine.resume_memory_occupation(tags=["kv_cache"])


def by_constants(engine):
    engine.release_memory_occupation(tags=[GPU_MEMORY_TYPE_KV_CACHE])  # PR001
    work()
    engine.resume_memory_occupation(tags=[GPU_MEMORY_TYPE_KV_CACHE])


def released_one_by_one(engine):
    engine.release_memory_occupation(tags=["weights"])  # PR001
    engine.release_memory_occupation(tags=["kv_cache"])  # PR001
    work()
    engine.resume_memory_occupation(tags=["weights"])
    engine.resume_memory_occupation(tags=["kv_cache"])


def by_a_remote_call(engines):
    ray.get([one.release_memory_occupation.remote(tags=["kv_cache"]) for one in engines])  # PR001
    work()
    ray.get([one.resume_memory_occupation.remote(tags=["kv_cache"]) for one in engines])


def by_tags_and_by_tags(engine):
    engine.release_memory_occupation(tags=["weights", "kv_cache"])
    try:
        work()
    finally:
        engine.resume_memory_occupation(tags=["weights", "kv_cache"])


def by_tags_and_all(engine):
    engine.release_memory_occupation(tags=["weights"])
    try:
        work()
    finally:
        engine.resume_memory_occupation()


def all_and_every_one_by_tags(engine):
    engine.release_memory_occupation()
    try:
        work()
    finally:
        try:
            engine.resume_memory_occupation(tags=["weights"])
        finally:
            engine.resume_memory_occupation(tags=["kv_cache"])


def all_and_the_rest_by_constants(engine):
    engine.release_memory_occupation()
    try:
        work()
    finally:
        try:
            engine.resume_memory_occupation(tags=[GPU_MEMORY_TYPE_WEIGHTS])
        finally:
            engine.resume_memory_occupation(tags=[GPU_MEMORY_TYPE_KV_CACHE, GPU_MEMORY_TYPE_CUDA_GRAPH])


def by_tags_that_a_variable_holds(engine, tags):
    engine.release_memory_occupation(tags=tags)
    try:
        work()
    finally:
        engine.resume_memory_occupation(tags=tags)


def by_tags_that_are_bound_before(engine):
    tags = ["weights"]
    engine.release_memory_occupation(tags=tags)
    try:
        work()
    finally:
        engine.resume_memory_occupation(tags=["weights"])


def by_constants_protected(engine):
    engine.release_memory_occupation(tags=[GPU_MEMORY_TYPE_KV_CACHE])
    try:
        work()
    finally:
        engine.resume_memory_occupation(tags=[GPU_MEMORY_TYPE_KV_CACHE])


def a_tag_at_a_time_in_a_loop(engine):
    engine.release_memory_occupation(tags=["weights", "kv_cache"])
    try:
        work()
    finally:
        for tag in ("weights", "kv_cache"):
            engine.resume_memory_occupation(tags=[tag])


def woken_by_the_cache_whatever_happens(llm, weights):
    llm.wake_up(tags=["weights"])
    try:
        llm.load(weights)
    finally:
        llm.wake_up(tags=["kv_cache"])


def woken_in_two_steps_and_asleep_before(llm, weights):
    llm.wake_up(tags=["weights"])
    llm.load(weights)
    llm.wake_up(tags=["kv_cache"])
    llm.generate()
    llm.sleep(level=1)


class OnceAsleep:
    def __init__(self, engine):
        self.engine = engine
        self.engine.release_memory_occupation()

    def update(self, weights):
        self.engine.resume_memory_occupation(tags=["weights"])
        self.engine.load(weights)
        self.engine.resume_memory_occupation(tags=["kv_cache"])


async def awaited_by_tags(engine):
    await engine.release_memory_occupation(tags=["kv_cache"])
    try:
        await work()
    finally:
        await engine.resume_memory_occupation(tags=["kv_cache"])
""",
    presets=("all",),
    wrong={
        "the_cache_is_never_resumed": "a whole of which a part is resumed is taken to be completed elsewhere",
        "the_cache_is_never_resumed_in_the_finally": "the same",
        "by_tags_and_another_one": "the resume of another part is none of this one",
    },
    unforetold={"released_one_by_one": "`check` says that there is a fix"},
    unfixed={
        "the_cache_only_if_all_goes_well": "no rewrite for a part that is resumed under a condition",
        "by_tags_and_not_all_of_them": "no rewrite for a part that is resumed nowhere",
        "released_one_by_one": "no rewrite for two pauses of one thing",
        "by_a_remote_call": "of many that are released, those that were not may not be resumed",
    },
)

METHODS = Section(
    "portions by methods of their own",
    """\
def both_methods(rollout):
    rollout.offload()
    try:
        work()
    finally:
        try:
            rollout.onload_weights()
        finally:
            rollout.onload_kv()


def both_methods_in_a_straight_line(rollout, weights):
    rollout.offload()  # PR001
    work()
    rollout.onload_weights()
    rollout.load(weights)
    rollout.onload_kv()


def the_weights_alone(rollout):
    rollout.offload()  # PR001
    try:
        work()
    finally:
        rollout.onload_weights()


class ByRemoteCalls:
    def step(self):
        ray.get(self.rollout_manager.offload.remote())  # PR001
        self.train()
        ray.get(self.rollout_manager.onload_weights.remote())
        self.update()
        ray.get(self.rollout_manager.onload_kv.remote())


class UnderAGuard:
    def step(self):
        if self.args.offload_rollout:
            ray.get(self.rollout_manager.offload.remote())  # PR001
        self.train()
        if self.args.offload_rollout:
            ray.get(self.rollout_manager.onload_weights.remote())
        self.update()
        if self.args.offload_rollout:
            ray.get(self.rollout_manager.onload_kv.remote())


def all_at_once(rollout):
    rollout.offload()
    try:
        work()
    finally:
        rollout.onload()


class LoadedAtTheBeginningOfARound:
    def rounds(self, count):
        for _ in range(count):
            ray.get(self.rollout_manager.onload_weights.remote())
            self.update()
            ray.get(self.rollout_manager.onload_kv.remote())
            self.generate()
            ray.get(self.rollout_manager.offload.remote())


def only_loaded(rollout, weights):
    rollout.onload_weights()
    rollout.load(weights)
    rollout.onload_kv()


class OffloadedInOneMethod:
    def begin(self):
        self.rollout.offload()
        self.collect()

    def end(self):
        self.rollout.onload_weights()
        self.rollout.onload_kv()
        self.report()


def what_is_no_engine(optimizer):
    optimizer.offload()
    work()
    optimizer.onload_weights()
""",
    presets=("all",),
    wrong={"the_weights_alone": "a whole of which a part is resumed is taken to be completed elsewhere"},
    unfixed={"UnderAGuard": "no rewrite for a resume in several steps under a guard"},
)

SECTIONS = (TAGS, METHODS)
