"""What can raise, what cannot, and which clause catches it."""

from __future__ import annotations

from tests.helpers.marked import Section

RAISES = Section(
    "what can raise between a pause and its resume",
    """\
def a_call(engine):
    engine.pause_generation()  # PR001
    work()
    engine.continue_generation()


async def an_await(engine, future):
    await engine.pause_generation()  # PR001
    await future
    await engine.continue_generation()


def a_yield(engine):
    engine.pause_generation()  # PR001
    yield
    engine.continue_generation()


def a_raise(engine, broken):
    engine.pause_generation()  # PR001
    if broken:
        raise RuntimeError("broken")
    engine.continue_generation()


def an_assert(engine, size):
    engine.pause_generation()  # PR001
    assert size > 0
    engine.continue_generation()


def entering_a_with(engine, lock):
    engine.pause_generation()  # PR001
    with lock:
        pass
    engine.continue_generation()


def the_next_item_of_a_loop(engine, chunks):
    engine.pause_generation()  # PR001
    total = 0
    for chunk in chunks:
        total += chunk
    engine.continue_generation()


def an_import(engine):
    engine.pause_generation()  # PR001
    import torch
    engine.continue_generation()


def leaving_the_process(engine, broken):
    engine.pause_generation()  # PR001
    if broken:
        sys.exit(1)
    engine.continue_generation()


def a_call_in_a_condition(engine):
    engine.pause_generation()  # PR001
    if probe():
        pass
    engine.continue_generation()


def a_call_in_an_argument_of_a_quiet_call(engine, logger):
    engine.pause_generation()  # PR001
    logger.info("loaded %s", probe())
    engine.continue_generation()


def a_call_in_an_f_string(engine):
    engine.pause_generation()  # PR001
    text = f"{probe()}"
    engine.continue_generation()
    return text


def a_call_in_the_operands_of_the_resume(engine):
    engine.pause_generation()  # PR001
    engine.continue_generation(probe())


def converting_text_to_a_number(engine, text):
    engine.pause_generation()  # PR001
    number = int(text)
    engine.continue_generation()
    return number


def a_comprehension(engine, xs):
    engine.pause_generation()  # PR001
    ys = [x + 1 for x in xs]
    engine.continue_generation()
    return ys


def the_default_of_a_nested_function(engine):
    engine.pause_generation()  # PR001
    def f(x=probe()):
        return x
    engine.continue_generation()
    return f


def the_decorator_of_a_nested_function(engine):
    engine.pause_generation()  # PR001
    @wrap(1)
    def f():
        pass
    engine.continue_generation()
    return f


def the_bases_of_a_nested_class(engine):
    engine.pause_generation()  # PR001
    class C(make()):
        pass
    engine.continue_generation()
    return C


async def a_time_limit(engine):
    await engine.pause_generation()  # PR001
    async with asyncio.timeout(5):
        await work()
    await engine.continue_generation()


async def an_awaited_pause_in_a_loop(engine, n):
    await engine.pause_generation()  # PR001
    while n:
        await asyncio.sleep(1)
        n -= 1
    await engine.continue_generation()


def a_blocking_pause(engine):
    engine.pause_generation()  # PR001
    time.sleep(1)
    engine.continue_generation()
""",
    unfixable={"a_call_in_the_operands_of_the_resume": "it would still be evaluated before the resume"},
)

QUIET = Section(
    "what cannot raise",
    """\
def nothing_at_all(engine):
    engine.pause_generation()
    engine.continue_generation()


def assignments(engine):
    engine.pause_generation()
    one = two = 3
    engine.continue_generation()
    return one, two


def attributes_and_subscripts(engine, config):
    engine.pause_generation()
    version = config.versions[0].number
    engine.continue_generation()
    return version


def arithmetic(engine, step):
    engine.pause_generation()
    step = (step + 1) * 2 - 3
    engine.continue_generation()
    return step


def logging_calls(engine, logger):
    engine.pause_generation()
    logger.info("paused")
    logging.warning("really")
    print("paused")
    engine.continue_generation()


def clocks(engine):
    engine.pause_generation()
    start = time.perf_counter()
    now = time.time()
    engine.continue_generation()
    return start, now


def small_built_ins(engine, items):
    engine.pause_generation()
    facts = (len(items), isinstance(items, list), bool(items), str(items), getattr(items, "name", None))
    engine.continue_generation()
    return facts


def counting(engine):
    engine.pause_generation()
    total = 0
    for number in range(3):
        total += number
    engine.continue_generation()
    return total


def appending(engine, log):
    engine.pause_generation()
    log.append("paused")
    engine.continue_generation()


def asking_for_the_rank(engine):
    engine.pause_generation()
    rank = dist.get_rank()
    engine.continue_generation()
    return rank


def registering_a_callback(engine, stack):
    engine.pause_generation()
    stack.callback(done)
    engine.continue_generation()


def suppressing(engine):
    engine.pause_generation()
    with suppress(OSError):
        pass
    engine.continue_generation()


def a_null_context(engine):
    engine.pause_generation()
    with contextlib.nullcontext():
        pass
    engine.continue_generation()


def an_exit_stack(engine):
    engine.pause_generation()
    with ExitStack():
        pass
    engine.continue_generation()


def resuming_each_in_a_comprehension(engines):
    try:
        for engine in engines:
            engine.pause_generation()
    finally:
        [engine.continue_generation() for engine in engines]


def a_nested_function(engine):
    engine.pause_generation()

    def later():
        work()

    engine.continue_generation()
    return later


def a_lambda(engine):
    engine.pause_generation()
    later = lambda: work()
    engine.continue_generation()
    return later


def a_match_on_constants(engine, mode):
    engine.pause_generation()
    match mode:
        case "fast":
            steps = 1
        case _:
            steps = 2
    engine.continue_generation()
    return steps


def augmented_assignments(engine, n):
    engine.pause_generation()
    n += 1
    engine.continue_generation()
    return n


def a_while_over_numbers(engine, n):
    engine.pause_generation()
    while n > 0:
        n -= 1
    engine.continue_generation()


def displays(engine, x):
    engine.pause_generation()
    ys = {"a": x, "b": [x, x]}
    engine.continue_generation()
    return ys


def a_log_of_an_f_string(engine, logger, x):
    engine.pause_generation()
    logger.info(f"paused {x.name}")
    engine.continue_generation()


def several_quiet_items_of_a_with(engine):
    engine.pause_generation()
    with contextlib.suppress(KeyError), contextlib.nullcontext():
        pass
    engine.continue_generation()


def the_end_of_the_process(engine, bad):
    engine.pause_generation()
    if bad:
        os._exit(1)
    engine.continue_generation()
""",
)

CAUGHT = Section(
    "which clause catches what",
    """\
def all_exceptions_of_a_call(engine):
    engine.pause_generation()
    try:
        work()
    except Exception:
        engine.continue_generation()
        raise
    engine.continue_generation()


def some_exceptions_of_a_call(engine):
    engine.pause_generation()  # PR001
    try:
        work()
    except OSError:
        engine.continue_generation()
        raise
    engine.continue_generation()


def a_swallowed_exception(engine):
    engine.pause_generation()
    try:
        work()
    except Exception:
        pass
    engine.continue_generation()


async def a_cancellation_is_no_exception(engine):
    await engine.pause_generation()  # PR001
    try:
        await work()
    except Exception:
        await engine.continue_generation()
        raise
    await engine.continue_generation()


async def a_cancellation_is_a_base_exception(engine):
    await engine.pause_generation()
    try:
        await work()
    except BaseException:
        await engine.continue_generation()
        raise
    await engine.continue_generation()


async def a_cancellation_named(engine):
    await engine.pause_generation()
    try:
        await work()
    except (asyncio.CancelledError, Exception):
        await engine.continue_generation()
        raise
    await engine.continue_generation()


def a_closed_generator(engine):
    engine.pause_generation()  # PR001
    try:
        yield
    except Exception:
        engine.continue_generation()
        raise
    engine.continue_generation()


def a_generator_with_a_finally(engine):
    engine.pause_generation()
    try:
        yield
    finally:
        engine.continue_generation()


def an_explicit_raise_of_that_class(engine, broken):
    engine.pause_generation()
    try:
        if broken:
            raise ValueError("broken")
    except ValueError:
        pass
    engine.continue_generation()


def an_explicit_raise_of_a_subclass(engine, broken):
    engine.pause_generation()
    try:
        if broken:
            raise KeyError("broken")
    except LookupError:
        pass
    engine.continue_generation()


def an_explicit_raise_of_another_class(engine, broken):
    engine.pause_generation()  # PR001
    try:
        if broken:
            raise ValueError("broken")
    except KeyError:
        pass
    engine.continue_generation()


def a_raise_in_a_handler(engine):
    engine.pause_generation()  # PR001
    try:
        work()
    except Exception as error:
        raise RuntimeError("broken") from error
    engine.continue_generation()


def the_exit_of_the_process_is_no_exception(engine):
    engine.pause_generation()  # PR001
    try:
        sys.exit(1)
    except Exception:
        engine.continue_generation()
        raise


def an_unknown_context_manager_swallows_nothing(engine, tracer):
    engine.pause_generation()  # PR001
    with tracer.span("update"):
        work()
    engine.continue_generation()


def suppressed_altogether(engine):
    engine.pause_generation()
    with suppress(Exception):
        work()
    engine.continue_generation()


def suppressed_in_part(engine):
    engine.pause_generation()  # PR001
    with suppress(OSError):
        work()
    engine.continue_generation()


def only_in_the_handler(engine):
    engine.pause_generation()  # PR001
    try:
        work()
    except Exception:
        engine.continue_generation()
        raise


def only_in_the_else(engine):
    engine.pause_generation()  # PR001
    try:
        work()
    except OSError:
        pass
    else:
        engine.continue_generation()


def in_the_handler_and_the_else(engine):
    engine.pause_generation()
    try:
        work()
    except BaseException:
        engine.continue_generation()
        raise
    else:
        engine.continue_generation()


def a_group_in_part(engine):
    engine.pause_generation()  # PR001
    try:
        work()
    except* OSError:
        pass
    engine.continue_generation()


def an_exception_kept_for_later(engine):
    engine.pause_generation()
    error = None
    try:
        work()
    except Exception as caught:
        error = caught
    engine.continue_generation()
    if error is not None:
        raise error


def an_exception_translated_behind_the_resume(engine):
    engine.pause_generation()
    try:
        work()
    except Exception as e:
        engine.continue_generation()
        raise RuntimeError("x") from e
    else:
        engine.continue_generation()


def a_bare_except(engine):
    engine.pause_generation()
    try:
        work()
    except:
        engine.continue_generation()
        raise
    engine.continue_generation()


def a_group_altogether(engine):
    engine.pause_generation()
    try:
        work()
    except* Exception:
        pass
    engine.continue_generation()


def a_log_in_the_else(engine):
    engine.pause_generation()
    try:
        work()
    except BaseException:
        engine.continue_generation()
        raise
    else:
        logging.info("x")
        engine.continue_generation()
""",
)

THEMSELVES = Section(
    "pauses and resumes that raise, come twice or come later",
    """\
def a_pause_that_raises_has_not_paused(engine):
    engine.pause_generation()
    try:
        work()
    finally:
        engine.continue_generation()


def many_of_which_one_raises(engines):
    for engine in engines:
        engine.pause_generation()  # PR002
    try:
        work()
    finally:
        for engine in engines:
            engine.continue_generation()


async def many_at_once_of_which_one_raises(engines):
    await asyncio.gather(*[engine.pause_generation() for engine in engines])  # PR002
    try:
        await work()
    finally:
        await asyncio.gather(*[engine.continue_generation() for engine in engines])


def many_paused_inside_the_try(engines):
    try:
        for engine in engines:
            engine.pause_generation()
        work()
    finally:
        for engine in engines:
            engine.continue_generation()


def a_resume_that_raises_has_resumed(engine):
    engine.pause_generation()
    try:
        work()
    finally:
        engine.continue_generation()
        work()


def a_resume_that_raises_keeps_the_next_from_being_reached(actor, critic):
    actor.pause_generation()
    try:
        critic.pause_generation()  # PR003
        try:
            work()
        finally:
            actor.continue_generation()
            critic.continue_generation()
    finally:
        actor.continue_generation()


def paused_twice(engine):
    engine.pause_generation()  # PR001
    engine.pause_generation()
    try:
        work()
    finally:
        engine.continue_generation()


def paused_twice_inside_the_try(engine):
    try:
        engine.pause_generation()
        engine.pause_generation()
        work()
    finally:
        engine.continue_generation()


def paused_twice_with_work_between(engine):
    engine.pause_generation()  # PR001
    work()
    engine.pause_generation()
    try:
        work()
    finally:
        engine.continue_generation()


def resumed_twice(engine):
    engine.pause_generation()
    try:
        work()
        engine.continue_generation()
    finally:
        engine.continue_generation()


def resumed_by_a_thread(engine):
    engine.pause_generation()
    threading.Thread(target=engine.continue_generation).start()
    work()


async def resumed_by_a_task_on_every_way_out(engine):
    async def resume_later():
        try:
            await drained()
        finally:
            await engine.continue_generation()

    await engine.pause_generation()
    asyncio.create_task(resume_later())


async def resumed_by_a_task_that_may_fail_before(engine):
    async def resume_later():
        await drained()
        await engine.continue_generation()

    await engine.pause_generation()  # PR001
    asyncio.create_task(resume_later())


def resumed_on_success_only(engine, future):
    engine.pause_generation()  # PR001
    work()
    future.add_done_callback(lambda done: engine.continue_generation())


def a_local_function_undoes_it(engine):
    def undo():
        engine.continue_generation()

    engine.pause_generation()
    try:
        work()
    finally:
        undo()
""",
    wrong={
        "a_resume_that_raises_keeps_the_next_from_being_reached": (
            "where a second cleanup raises as well, the path counts as escaping there"
        ),
    },
)

SECTIONS = (RAISES, QUIET, CAUGHT, THEMSELVES)
