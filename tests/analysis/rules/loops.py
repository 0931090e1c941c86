"""Loops: zero or more times, the same engines twice, and the ways out of them."""

from __future__ import annotations

from tests.helpers.marked import Section

LOOPS = Section(
    "loops",
    """\
def the_same_engines(engines):
    try:
        for engine in engines:
            engine.pause_generation()
        work()
    finally:
        for engine in engines:
            engine.continue_generation()


def the_same_engines_under_another_name(engines):
    try:
        for engine in engines:
            engine.pause_generation()
        work()
    finally:
        for one in engines:
            one.continue_generation()


def the_same_engines_numbered(engines):
    try:
        for number, engine in enumerate(list(engines)):
            engine.pause_generation()
        work()
    finally:
        for engine in engines:
            engine.continue_generation()


def the_values_of_a_table(table):
    try:
        for engine in table.values():
            engine.pause_generation()
        work()
    finally:
        for name, engine in table.items():
            engine.continue_generation()


def a_comprehension_and_a_loop(engines):
    try:
        ray.get([engine.pause_generation.remote() for engine in engines])
        work()
    finally:
        for engine in engines:
            ray.get(engine.continue_generation.remote())


def some_of_the_engines_only(engines):
    try:
        for engine in engines:
            engine.pause_generation()  # PR001
        work()
    finally:
        for engine in engines[1:]:
            engine.continue_generation()


def other_engines(actors, critics):
    try:
        for engine in actors:
            engine.pause_generation()  # PR001
        work()
    finally:
        for engine in critics:
            engine.continue_generation()


def one_at_a_time(engines):
    for engine in engines:
        engine.pause_generation()
        try:
            engine.load()
        finally:
            engine.continue_generation()


def one_at_a_time_in_a_straight_line(engines):
    for engine in engines:
        engine.pause_generation()  # PR001
        engine.load()
        engine.continue_generation()


def every_round(engine):
    while True:
        engine.pause_generation()
        try:
            work()
        finally:
            engine.continue_generation()


def a_resume_in_a_loop_that_may_not_run(engine, chunks):
    engine.pause_generation()  # PR001
    for chunk in range(len(chunks)):
        engine.continue_generation()


def a_break_past_the_resume(engine):
    for step in range(3):
        engine.pause_generation()  # PR001
        if step == 2:
            break
        engine.continue_generation()


def a_continue_past_the_resume(engine, steps):
    for step in range(steps):
        engine.pause_generation()  # PR001
        if step == 2:
            continue
        engine.continue_generation()


def a_break_out_of_a_try(engine):
    for step in range(3):
        engine.pause_generation()
        try:
            if step == 2:
                break
        finally:
            engine.continue_generation()


def a_continue_out_of_a_try(engine):
    for step in range(3):
        engine.pause_generation()
        try:
            if step == 2:
                continue
            work()
        finally:
            engine.continue_generation()


def an_else_that_a_break_jumps_over(engine):
    engine.pause_generation()  # PR001
    for step in range(3):
        if step == 2:
            break
    else:
        engine.continue_generation()


def retries_that_run_out(engine):
    engine.pause_generation()  # PR001
    for attempt in range(3):
        try:
            work()
        except Exception:
            continue
        engine.continue_generation()
        return
    raise RuntimeError("no luck")


def retries_inside_a_try(engine):
    engine.pause_generation()
    try:
        for attempt in range(3):
            try:
                return work()
            except OSError:
                continue
        raise RuntimeError("no luck")
    finally:
        engine.continue_generation()


def a_loop_that_only_ends_by_resuming(engine):
    engine.pause_generation()
    while True:
        try:
            work()
        except Exception:
            continue
        engine.continue_generation()
        return


async def an_async_loop(engine, stream):
    await engine.pause_generation()  # PR001
    async for chunk in stream:
        pass
    await engine.continue_generation()


async def an_async_loop_inside_a_try(engine, stream):
    await engine.pause_generation()
    try:
        async for chunk in stream:
            pass
    finally:
        await engine.continue_generation()


def those_that_were_paused(engines):
    paused = []
    try:
        for engine in engines:
            engine.pause_generation()
            paused.append(engine)
        work()
    finally:
        for engine in paused:
            engine.continue_generation()


def paired_with_something_else(engines, hosts):
    try:
        for engine, host in zip(engines, hosts):
            engine.pause_generation()
        work()
    finally:
        for engine in engines:
            engine.continue_generation()
""",
    unfixable={
        "some_of_the_engines_only": "which engines are meant is for people to say",
        "other_engines": "which engines are meant is for people to say",
    },
)

SECTIONS = (LOOPS,)
