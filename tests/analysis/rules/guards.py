"""Guards: conditions that agree on one path, and conditions that do not."""

from __future__ import annotations

from tests.helpers.marked import Section

AGREE = Section(
    "conditions that agree",
    """\
def the_same_name(engine, main):
    if main:
        engine.pause_generation()
    try:
        work()
    finally:
        if main:
            engine.continue_generation()


class TheSameAttribute:
    def update(self):
        if self.rank == 0:
            self.engine.pause_generation()
        try:
            self.load()
        finally:
            if self.rank == 0:
                self.engine.continue_generation()


def the_same_stable_call(engine):
    if dist.get_rank() == 0:
        engine.pause_generation()
    try:
        work()
    finally:
        if dist.get_rank() == 0:
            engine.continue_generation()


def an_alias(engine):
    main = dist.get_rank() == 0
    if main:
        engine.pause_generation()
    try:
        work()
    finally:
        if dist.get_rank() == 0:
            engine.continue_generation()


def the_other_way_round(engine, rank):
    if rank == 0:
        engine.pause_generation()
    try:
        work()
    finally:
        if 0 == rank:
            engine.continue_generation()


def its_negation_in_an_else(engine, rank):
    if rank != 0:
        pass
    else:
        engine.pause_generation()
    try:
        work()
    finally:
        if not rank != 0:
            engine.continue_generation()


def a_conjunction_taken_apart(engine, main, ready):
    if main and ready:
        engine.pause_generation()
    try:
        work()
    finally:
        if main:
            if ready:
                engine.continue_generation()


def nested_differently(engine, main, ready):
    if ready:
        if main:
            engine.pause_generation()
    try:
        work()
    finally:
        if main and ready:
            engine.continue_generation()


def a_weaker_condition(engine, main, ready):
    if main and ready:
        engine.pause_generation()
    try:
        work()
    finally:
        if main:
            engine.continue_generation()


def a_disjunction(engine, main, ready):
    if main:
        engine.pause_generation()
    try:
        work()
    finally:
        if main or ready:
            engine.continue_generation()


def de_morgan(engine, main, ready):
    if main and ready:
        engine.pause_generation()
    try:
        work()
    finally:
        if not (not main or not ready):
            engine.continue_generation()


def none_and_truth(engine):
    if engine is not None:
        engine.pause_generation()
    try:
        work()
    finally:
        if engine is not None:
            engine.continue_generation()


def an_early_return(engine, main):
    if not main:
        return
    engine.pause_generation()
    try:
        work()
    finally:
        if main:
            engine.continue_generation()


def an_elif_chain(engine, mode):
    if mode == "disk":
        engine.pause_generation()
    elif mode == "xccl":
        work()
    else:
        raise ValueError(mode)
    try:
        work()
    finally:
        if mode == "disk":
            engine.continue_generation()


def a_conditional_expression(engine, main):
    engine.pause_generation() if main else None
    try:
        work()
    finally:
        engine.continue_generation() if main else None


def an_and_as_a_statement(engine, main):
    main and engine.pause_generation()
    try:
        work()
    finally:
        main and engine.continue_generation()


def a_flag(engine, main):
    held = False
    try:
        if main:
            engine.pause_generation()
            held = True
        work()
    finally:
        if held:
            engine.continue_generation()


def a_flag_that_is_none(engine, main):
    paused = None
    try:
        if main:
            engine.pause_generation()
            paused = engine
        work()
    finally:
        if paused is not None:
            engine.continue_generation()


def a_walrus(engine):
    if main := dist.get_rank() == 0:
        engine.pause_generation()
    try:
        work()
    finally:
        if main:
            engine.continue_generation()


def an_order(engine, step):
    if step > 10:
        engine.pause_generation()
    try:
        work()
    finally:
        if step > 5:
            engine.continue_generation()


def a_member_of_a_tuple(engine, mode):
    if mode == "disk":
        engine.pause_generation()
    try:
        work()
    finally:
        if mode in ("disk", "xccl"):
            engine.continue_generation()


def an_unstable_call_asked_once(engine):
    busy = probe()
    if busy:
        engine.pause_generation()
    try:
        work()
    finally:
        if busy:
            engine.continue_generation()


def the_same_match(engine, mode):
    if mode == "disk":
        engine.pause_generation()
    try:
        work()
    finally:
        match mode:
            case "disk":
                engine.continue_generation()


def isinstance_is_stable(engine):
    if isinstance(engine, Remote):
        engine.pause_generation()
    try:
        work()
    finally:
        if isinstance(engine, Remote):
            engine.continue_generation()


def an_impossible_combination(engine, rank):
    if rank == 0:
        engine.pause_generation()
    if rank == 1:
        work()
    if rank == 0:
        engine.continue_generation()


class AnAttributeAcrossCalls:
    def update(self):
        if self.enabled:
            self.engine.pause_generation()
        try:
            self.load()
        finally:
            if self.enabled:
                self.engine.continue_generation()


def an_annotated_flag(engine: Engine) -> None:
    flag: bool = True
    engine.pause_generation()
    try:
        work()
    finally:
        if flag:
            engine.continue_generation()


def flags_of_a_tuple(engine):
    a, b = False, True
    engine.pause_generation()
    try:
        work()
    finally:
        if b:
            engine.continue_generation()


def a_receiver_that_may_be_none(engine, main):
    target = engine if main else None
    if target is not None:
        target.pause_generation()
    try:
        work()
    finally:
        if target is not None:
            target.continue_generation()


def membership(engine, ranks, rank):
    if rank in ranks:
        engine.pause_generation()
    try:
        work()
    finally:
        if rank in ranks:
            engine.continue_generation()


def a_condition_of_each_round(engine, n):
    for i in range(n):
        if i % 2 == 0:
            engine.pause_generation()
        try:
            work()
        finally:
            if i % 2 == 0:
                engine.continue_generation()


def inside_one_case(engine, mode):
    match mode:
        case "a":
            engine.pause_generation()
            try:
                work()
            finally:
                engine.continue_generation()
        case _:
            work()


def a_guard_clause_that_raises(engine, x):
    if x is None:
        raise ValueError("x")
    engine.pause_generation()
    try:
        work()
    finally:
        engine.continue_generation()
""",
)

DISAGREE = Section(
    "conditions that do not agree",
    """\
def two_blocks_and_work_between(engine, rank):
    if rank == 0:
        engine.pause_generation()  # PR001
    dist.barrier()
    if rank == 0:
        engine.continue_generation()


def another_name(engine, main, ready):
    if main:
        engine.pause_generation()  # PR001
    try:
        work()
    finally:
        if ready:
            engine.continue_generation()


def another_rank(engine, rank):
    if rank == 0:
        engine.pause_generation()  # PR001
    try:
        work()
    finally:
        if rank == 1:
            engine.continue_generation()


def a_stronger_condition(engine, main, ready):
    if main:
        engine.pause_generation()  # PR001
    try:
        work()
    finally:
        if main and ready:
            engine.continue_generation()


def bound_again(engine, main):
    if main:
        engine.pause_generation()  # PR001
    main = probe()
    try:
        work()
    finally:
        if main:
            engine.continue_generation()


class AnAttributeBoundAgain:
    def update(self):
        if self.enabled:
            self.engine.pause_generation()  # PR001
        try:
            self.enabled = self.load()
        finally:
            if self.enabled:
                self.engine.continue_generation()


def an_unstable_call_asked_twice(engine):
    if probe():
        engine.pause_generation()  # PR001
    try:
        work()
    finally:
        if probe():
            engine.continue_generation()


def a_flag_set_too_late(engine):
    held = False
    try:
        engine.pause_generation()  # PR001
        work()
        held = True
    finally:
        if held:
            engine.continue_generation()


def a_flag_put_down(engine):
    held = True
    engine.pause_generation()  # PR001
    try:
        held = False
        work()
    finally:
        if held:
            engine.continue_generation()


def the_resume_of_an_elif(engine, mode):
    engine.pause_generation()  # PR001
    if mode == "disk":
        engine.continue_generation()
    elif mode == "xccl":
        engine.continue_generation()


def a_match_without_a_default(engine, mode):
    engine.pause_generation()  # PR001
    match mode:
        case "disk":
            engine.continue_generation()
        case "xccl":
            engine.continue_generation()


def an_early_return_after_the_pause(engine, nothing):
    engine.pause_generation()  # PR001
    if nothing:
        return
    engine.continue_generation()


def a_stronger_order(engine, step):
    if step > 5:
        engine.pause_generation()  # PR001
    try:
        work()
    finally:
        if step > 10:
            engine.continue_generation()


def an_and_before_the_resume(engine, ready):
    engine.pause_generation()  # PR001
    try:
        work()
    finally:
        ready and engine.continue_generation()


def a_walrus_bound_again(engine):
    if main := probe():
        engine.pause_generation()  # PR001
    try:
        main = probe()
    finally:
        if main:
            engine.continue_generation()


def deleted_and_bound_again(engine, n):
    if n:
        engine.pause_generation()  # PR001
    del n
    try:
        work()
    finally:
        n = probe()
        if n:
            engine.continue_generation()


def a_global_bound_again(engine):
    global held
    if held:
        engine.pause_generation()  # PR001
    held = False
    try:
        work()
    finally:
        if held:
            engine.continue_generation()
""",
)

SECTIONS = (AGREE, DISAGREE)
