"""The oracle itself, and a small part of its campaign.

Each function in `KNOWN` says behind a pause what the truth is: `# leaks` where some run leaves it paused.
"""

from __future__ import annotations

import textwrap
from collections import Counter

import pytest

from tests.oracle.campaign import campaign, look, shortfalls
from tests.oracle.execute import Program, Recorded
from tests.oracle.grammar import HEADER, Sample, generate

KNOWN = {
    "bracketed": """
        def f(engine):
            engine.pause_generation()
            try:
                step_1()
            finally:
                engine.continue_generation()
    """,
    "straight line": """
        def f(engine):
            engine.pause_generation()  # leaks
            step_1()
            engine.continue_generation()
    """,
    "nothing between can raise": """
        def f(engine):
            engine.pause_generation()
            logger.info("quiet")
            total = 1
            engine.continue_generation()
    """,
    "a pause that raises has not paused": """
        def f(engine):
            try:
                engine.pause_generation()
            except Exception:
                return
            engine.continue_generation()
    """,
    "a resume that raises has resumed": """
        def f(engine):
            engine.pause_generation()
            engine.continue_generation()
            step_1()
    """,
    "a resume that raises keeps the next from being reached": """
        def f(engine, other):
            engine.pause_generation()
            try:
                other.pause_generation()  # leaks
                step_1()
            finally:
                engine.continue_generation()
                other.continue_generation()
    """,
    "gap before the try": """
        def f(engine):
            engine.pause_generation()  # leaks
            step_1()
            try:
                step_2()
            finally:
                engine.continue_generation()
    """,
    "handler and else": """
        def f(engine):
            engine.pause_generation()
            try:
                step_1()
            except Exception:
                engine.continue_generation()
                raise
            else:
                engine.continue_generation()
    """,
    "a handler that names one class": """
        def f(engine):
            engine.pause_generation()  # leaks
            try:
                step_1()
            except ValueError:
                engine.continue_generation()
                raise
            engine.continue_generation()
    """,
    "an await is cancelled": """
        async def f(engine):
            await engine.pause_generation()  # leaks
            try:
                await astep_1()
            except Exception:
                await engine.continue_generation()
                raise
            await engine.continue_generation()
    """,
    "a call is not cancelled": """
        async def f(engine):
            await engine.pause_generation()
            try:
                step_1()
            except Exception:
                await engine.continue_generation()
                raise
            await engine.continue_generation()
    """,
    "a resume that is not awaited has not resumed": """
        async def f(engine):
            await engine.pause_generation()  # leaks
            engine.continue_generation()
    """,
    "equal conditions agree": """
        def f(engine, rank):
            if rank == 0:
                engine.pause_generation()
            try:
                step_1()
            finally:
                if not rank != 0:
                    engine.continue_generation()
    """,
    "a name is bound again": """
        def f(engine, c1):
            if c1:
                engine.pause_generation()  # leaks
            try:
                c1 = probe_1()
            finally:
                if c1:
                    engine.continue_generation()
    """,
    "unstable calls do not agree": """
        def f(engine):
            probe_1() and engine.pause_generation()  # leaks
            probe_2() and engine.continue_generation()
    """,
    "stable calls agree": """
        def f(engine):
            engine.pause_generation() if dist.get_rank() == 0 else None
            try:
                step_1()
            finally:
                dist.get_rank() == 0 and engine.continue_generation()
    """,
    "constant flag": """
        def f(engine):
            held = False
            try:
                engine.pause_generation()
                held = True
                step_1()
            finally:
                if held:
                    engine.continue_generation()
    """,
    "flag set too late": """
        def f(engine):
            held = False
            try:
                engine.pause_generation()  # leaks
                step_1()
                held = True
            finally:
                if held:
                    engine.continue_generation()
    """,
    "the later pause owns it": """
        def f(engine, c1):
            engine.pause_generation()  # leaks
            step_1() if c1 else engine.pause_generation()
            engine.continue_generation()
    """,
    "of two pauses in a row either may be left behind": """
        def f(engine):
            engine.pause_generation()  # leaks
            engine.pause_generation()  # leaks
            engine.continue_generation() if probe_1() else None
    """,
    "a loop may not turn at all": """
        def f(engine, items):
            engine.pause_generation()  # leaks
            with suppress(Exception):
                for item in items:
                    engine.continue_generation()
    """,
    "taking the next item can raise": """
        def f(engine, items):
            for item in items:
                engine.pause_generation()  # leaks
            engine.continue_generation()
    """,
    "break leaves the else out": """
        def f(engine, items):
            engine.pause_generation()  # leaks
            try:
                for item in items:
                    break
                else:
                    step_1()
            except BaseException:
                pass
            else:
                engine.continue_generation()
    """,
    "an endless loop is no way out": """
        def f(engine):
            engine.pause_generation()
            while True:
                pass
    """,
    "return in a finally": """
        def f(engine):
            engine.pause_generation()  # leaks
            try:
                step_1()
                engine.continue_generation()
            finally:
                return
    """,
    "cleanup before the resume": """
        def f(engine):
            engine.pause_generation()  # leaks
            try:
                step_1()
            finally:
                step_2()
                engine.continue_generation()
    """,
    "suppressed": """
        def f(engine):
            engine.pause_generation()
            with suppress(Exception):
                step_1()
            engine.continue_generation()
    """,
    "leaving a with of unknown kind can raise": """
        def f(engine):
            with scope_1():
                engine.pause_generation()  # leaks
            engine.continue_generation()
    """,
    "registered resume": """
        async def f(engine):
            async with AsyncExitStack() as stack:
                stack.push_async_callback(engine.continue_generation)
                await engine.pause_generation()
                await astep_1()
    """,
    "every registered callback runs": """
        def f(engine):
            with ExitStack() as stack:
                engine.pause_generation()
                stack.callback(engine.continue_generation)
                stack.callback(step_1)
                step_2()
    """,
    "local undo function": """
        def f(engine, c1):
            undo = None
            try:
                if c1:
                    engine.pause_generation()
                    undo = lambda: engine.continue_generation()
                step_1()
            finally:
                if undo is not None:
                    undo()
    """,
    "local undo function called under a condition": """
        async def f(engine, c1):
            async def undo():
                await engine.continue_generation()
            await engine.pause_generation()  # leaks
            if c1:
                await undo()
    """,
    "match": """
        def f(engine, mode):
            match mode:
                case 1 | 2:
                    engine.pause_generation()  # leaks
                case _:
                    return
            try:
                step_1()
            finally:
                if mode == 1:
                    engine.continue_generation()
    """,
    "match, all cases": """
        def f(engine, mode):
            match mode:
                case 1:
                    engine.pause_generation()
                case _:
                    return
            try:
                step_1()
            finally:
                if mode == 1:
                    engine.continue_generation()
    """,
    "a raise is matched by its class": """
        def f(engine):
            engine.pause_generation()
            try:
                raise KeyError("none")
            except ValueError:
                return
            except LookupError:
                engine.continue_generation()
    """,
    "a local class and its base": """
        def f(engine):
            engine.pause_generation()
            try:
                raise WorseError("none")
            except LocalError:
                engine.continue_generation()
    """,
    "a caught name is what was caught": """
        def f(engine):
            engine.pause_generation()
            try:
                try:
                    raise KeyError("none")
                except KeyError as error:
                    raise error
            except LookupError:
                engine.continue_generation()
    """,
    "a group reaches every handler": """
        def f(engine):
            engine.pause_generation()  # leaks
            try:
                step_1()
            except* ValueError:
                engine.continue_generation()
            except* KeyError:
                engine.pause_generation()  # leaks
            else:
                engine.continue_generation()
    """,
    "assert": """
        def f(engine, c1):
            engine.pause_generation()  # leaks
            assert c1
            engine.continue_generation()
    """,
    "attributes are stable until they are assigned": """
        class Trainer:
            def f(self):
                if self.flag:
                    self.engine.pause_generation()
                try:
                    step_1()
                finally:
                    if self.flag:
                        self.engine.continue_generation()
    """,
}


def module(text: str) -> str:
    return HEADER + textwrap.dedent(text).lstrip()


@pytest.mark.parametrize("name", KNOWN)
def test_executor_tells_the_truth(name: str) -> None:
    source = module(KNOWN[name])
    marked = {number for number, line in enumerate(source.splitlines(), 1) if line.endswith("# leaks")}
    truth = Program(source).explore()
    assert truth.complete
    assert not truth.reverse
    assert truth.leaking == marked


def test_reverse_order_is_told_apart() -> None:
    source = module("""
        def f(engine):
            engine.continue_generation()
            step_1()
            engine.pause_generation()
    """)
    assert Program(source).explore().reverse


def test_replay_repeats_a_run_by_the_names_of_its_choices() -> None:
    source = module("""
        def f(engine, c1, items):
            engine.pause_generation()
            try:
                for item in items:
                    step_1()
                return probe_2() if c1 else 3
            finally:
                engine.continue_generation()
    """)
    program = Program(source)
    runs = program.explore(keep=True).right
    assert len(runs) > 10
    other = Program(source)
    assert [other.replay(run.choices) for run in runs] == list(runs)


def seen(source: str) -> set[tuple[object, ...]]:
    return {run.seen for run in Program(module(source)).explore(keep=True).right}


def test_a_moved_call_shows() -> None:
    before = "def f(engine):\n    step_1()\n    step_2()\n    return step_3()\n"
    after = "def f(engine):\n    step_1()\n    value = step_3()\n    step_2()\n    return value\n"
    assert seen(before) != seen(after)
    assert seen(before) == seen(before.replace("step_1()", "noted = step_1()"))


def test_a_changed_exception_shows() -> None:
    before = "def f(engine):\n    raise ValueError('one')\n"
    assert seen(before) != seen(before.replace("one", "two"))
    assert seen(before) != seen(before.replace("ValueError", "KeyError"))
    assert seen(before) != seen(before.replace("')", "') from KeyError()"))


def test_a_run_is_recorded_with_what_was_left() -> None:
    source = module("def f(engine):\n    engine.pause_generation()\n    step_1()\n")
    (line,) = (number for number, text in enumerate(source.splitlines(), 1) if "pause" in text)
    (run,) = Program(source).explore().witness.values()
    assert run == Recorded(
        choices=(("engine.pause_generation", None), ("step_1", None)),
        trace=("engine.pause_generation", "step_1"),
        result="None",
        error=None,
        leaking=frozenset({line}),
    )


def test_a_seed_names_a_function() -> None:
    assert generate(5, 7) == generate(5, 7)
    assert len({generate(5, index).source for index in range(50)}) == 50


def test_functions_run_and_are_of_both_kinds() -> None:
    """No function of the grammar fails for a reason of its own; most are enumerated, and neither verdict is rare."""
    truths = [Program(generate(2, index).source).explore(bound=1000) for index in range(150)]
    assert sum(truth.complete for truth in truths) > 0.9 * len(truths)
    assert 0.25 < sum(bool(truth.leaking) for truth in truths) / len(truths) < 0.65


def test_grammar_has_every_construct() -> None:
    counts: Counter[str] = Counter()
    for index in range(1500):
        counts.update(generate(3, index).constructs)
    few = {name: count for name, count in counts.items() if count < 15}
    assert not few
    wanted = {
        "alias": 1,
        "assert": 1,
        "async function": 1,
        "AsyncExitStack": 1,
        "bare except": 1,
        "bare raise": 1,
        "break in finally": 1,
        "conditional expression": 1,
        "constant flag": 1,
        "continue in finally": 1,
        "except CancelledError": 1,
        "except with a tuple": 1,
        "except*": 1,
        "ExitStack": 1,
        "for else": 1,
        "match guard": 1,
        "match or-pattern": 1,
        "name bound again": 1,
        "nested to depth 4": 1,
        "or as a statement": 1,
        "raise from": 1,
        "raise in finally": 1,
        "raise of a caught name": 1,
        "return in finally": 1,
        "suppress": 1,
        "try else": 1,
        "try with 3 handlers": 1,
        "two engines": 1,
        "undo function, None-initialised and tested": 1,
        "walrus": 1,
        "while else": 1,
        "with of unknown kind": 1,
    }
    assert wanted.keys() <= counts.keys()


@pytest.mark.parametrize("name", KNOWN)
def test_analysis_and_fix_on_known_functions(name: str) -> None:
    verdict = look(Sample(module(KNOWN[name]), Counter()), fix=True)
    assert not verdict.failures, "\n".join(verdict.failures)


def test_part_of_the_campaign() -> None:
    tally = campaign(functions=300, seeds=3, seed=101, fix=True, jobs=1)
    assert tally.functions == 300
    assert not tally.failing, "\n".join(failure for verdict in tally.failing for failure in verdict.failures)
    assert not [short for short in shortfalls(tally, fix=True, least=0) if "fixed" not in short]
