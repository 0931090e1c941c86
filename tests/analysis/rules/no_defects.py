"""What is meant to leave generation paused."""

from __future__ import annotations

from tests.helpers.marked import Section

PRIMITIVES = Section(
    "primitives and endings",
    """\
class Engine:
    def pause_generation(self):
        self.backend.pause_generation()

    def continue_generation(self):
        self.backend.continue_generation()


class Forwarder:
    async def pause_generation(self):
        for server in self.servers:
            await server.pause_generation()
        self.paused = True

    async def continue_generation(self):
        for server in self.servers:
            await server.continue_generation()
        self.paused = False


@app.post("/pause_generation")
async def an_endpoint_for_it(request):
    await llm.pause_generation()
    return {"status": "ok"}


def pause_generation_async(engine):
    engine.pause_generation()


class Closed:
    def close(self):
        self.engine.pause_generation()
        self.release()


class ShutDown:
    def shutdown(self):
        self.engine.pause_generation()
        self.release()


class ClosedAsynchronously:
    async def aclose(self):
        await self.engine.pause_generation()
        await self.release()


class Deleted:
    def __del__(self):
        self.engine.pause_generation()


def awake_only_for_a_while(engine):
    engine.continue_generation()
    work()
    engine.pause_generation()


def awake_only_for_a_while_whatever_happens(engine):
    engine.continue_generation()
    try:
        work()
    finally:
        engine.pause_generation()


def awake_in_every_round(engine, rounds):
    for _ in range(rounds):
        engine.continue_generation()
        work()
        engine.pause_generation()


class Offloading:
    def offload(self):
        self.engine.pause_generation()

    def onload(self):
        self.engine.continue_generation()


class Quiescing:
    def _quiesce(self):
        self.engine.pause_generation()

    def _unquiesce(self):
        self.engine.continue_generation()


class BeforeAndAfter:
    def before_update(self):
        self.engine.pause_generation()

    def after_update(self):
        self.engine.continue_generation()


def test_of_the_engine(engine):
    engine.pause_generation()
    assert engine.is_paused()


class TestEngine(unittest.TestCase):
    def check_pause(self):
        self.engine.pause_generation()
        self.assertTrue(self.engine.is_paused())
""",
)

DEFECTS = Section(
    "what looks alike and is none of these",
    """\
def prepare_update(engine):
    engine.pause_generation()  # PR001
    work()


class ClosedForATime:
    def close_gate(self):
        self.engine.pause_generation()  # PR001
        self.load()
        self.engine.continue_generation()


def awake_then_paused_for_work(engine):
    engine.continue_generation()
    engine.pause_generation()  # PR001
    work()
    engine.continue_generation()


class HalfAPair:
    def before_update(self):
        self.engine.pause_generation()  # PR001
        self.load()

    def close_books(self):
        self.books.close()


def tested(engine):
    engine.pause_generation()  # PR001
    assert engine.is_paused()
    engine.continue_generation()
""",
)

_PAUSES = "to resume there is not to have paused"

PAUSING = Section(
    "functions that exist to pause",
    """\
class Helper:
    def hold_it(self):
        self.engine.pause_generation()  # PR001


class Holder:
    def go_on(self, flag):
        if flag:
            self.engine.pause_generation()  # PR001
            logger.info("held")
        self.held = flag


def make_paused():
    engine.pause_generation()  # PR001
    return engine


def both_of_them(actor, critic):
    actor.pause_generation()  # PR001
    critic.pause_generation()  # PR001


def all_of_them(engines):
    for engine in engines:
        engine.pause_generation()  # PR001
    print("held")


class Switch:
    def turn(self, off):
        if off:
            self.engine.pause_generation()  # PR001
        else:
            self.engine.continue_generation()


def one_that_goes_on():
    engine.pause_generation()  # PR001
    engine.load()
    return engine
""",
    unfixable={
        "Helper": _PAUSES,
        "Holder": _PAUSES,
        "make_paused": _PAUSES,
        "both_of_them": _PAUSES,
        "all_of_them": _PAUSES,
        "Switch": _PAUSES,
    },
)

SECTIONS = (PRIMITIVES, DEFECTS, PAUSING)
