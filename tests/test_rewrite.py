"""The rewriter: what a plan says is done, and everything else in the file stays as it was written.

Each example is also put before `check_plan`, which must agree that nothing but the plan was done.
"""

from __future__ import annotations

import ast
import random
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pause_lint.fixing.edits import At, Edit, Header, Keep, New, Piece, Plan, Rebuilt, Try
from pause_lint.fixing.rewrite import CannotRewrite, rewrite
from pause_lint.fixing.verify import check_plan
from tests.helpers.plans import RandomPlans, at, plan

RESUME = New("engine.resume()")


def done(source: str, *edits: Edit, encoding: str = "utf-8") -> str:
    data = source.encode(encoding)
    new = rewrite(data, plan(*edits))
    assert check_plan(data, new, plan(*edits)) is None
    return new.decode(encoding)


def wrap(source: str, first: str, last: str, *kept: str, final: Piece = RESUME) -> Edit:
    """One `try` around the statements that start with these texts."""
    body = tuple(Keep(at(source, text)) for text in (kept or dict.fromkeys((first, last))))
    return Edit(at(source, first), at(source, last), (Try(body, (final,)),))


def refused(source: str | bytes, *edits: Edit) -> str:
    data = source.encode() if isinstance(source, str) else source
    with pytest.raises(CannotRewrite) as caught:
        rewrite(data, plan(*edits))
    return caught.value.reason


# -- the shapes of a fix

FSDP = '''\
class Trainer:
    def push_weights(self, meta):
        """Hand the new weights to the engine."""
        # only one rank talks to the engine
        if dist.get_rank() == 0:  # main
            self.rollout.pause()

            # started here, awaited below
            future = self.rollout.load(meta)  # a future

        # every rank saves its share
        self.save(meta.path,
                  # with the step
                  meta.step)

        if dist.get_rank() == 0:
            announce(meta)
            future.result()
            # generation may go on
            self.rollout.resume()
            # end of the main rank's part

        synchronize()
        dist.barrier()
'''


def test_a_pause_and_a_resume_under_equal_guards() -> None:
    first, second = at(FSDP, "if dist"), at(FSDP, "if dist", 1)
    edit = Edit(
        first,
        second,
        (
            Header(first, (Keep(at(FSDP, "self.rollout.pause")),), owner=True),
            Try(
                (
                    Header(first, (Keep(at(FSDP, "future =")),)),
                    Keep(at(FSDP, "self.save")),
                    Header(second, (Keep(at(FSDP, "announce")), Keep(at(FSDP, "future.result"))), owner=True),
                ),
                (Header(second, (Keep(at(FSDP, "self.rollout.resume")),)),),
            ),
        ),
    )
    assert (
        done(FSDP, edit)
        == '''\
class Trainer:
    def push_weights(self, meta):
        """Hand the new weights to the engine."""
        # only one rank talks to the engine
        if dist.get_rank() == 0:  # main
            self.rollout.pause()

        try:
            if dist.get_rank() == 0:
                # started here, awaited below
                future = self.rollout.load(meta)  # a future

            # every rank saves its share
            self.save(meta.path,
                      # with the step
                      meta.step)

            if dist.get_rank() == 0:
                announce(meta)
                future.result()
        finally:
            if dist.get_rank() == 0:
                # generation may go on
                self.rollout.resume()
                # end of the main rank's part

        synchronize()
        dist.barrier()
'''
    )


STRAIGHT = """\
async def reload(engine, path):
    await engine.pause()

    # the weights
    await engine.load(path)
    count = 1  # how many

    # and on
    await engine.resume()  # at last

    return count
"""


def test_a_resume_in_a_straight_line_moves_into_the_finally() -> None:
    edit = Edit(
        at(STRAIGHT, "await engine.load"),
        at(STRAIGHT, "await engine.resume"),
        (
            Try(
                (Keep(at(STRAIGHT, "await engine.load")), Keep(at(STRAIGHT, "count"))),
                (Keep(at(STRAIGHT, "await engine.resume")),),
            ),
        ),
    )
    assert (
        done(STRAIGHT, edit)
        == """\
async def reload(engine, path):
    await engine.pause()

    try:
        # the weights
        await engine.load(path)
        count = 1  # how many
    finally:
        # and on
        await engine.resume()  # at last

    return count
"""
    )


def test_a_gap_before_a_try_moves_into_it() -> None:
    source = dedent("""\
        def f(engine):
            engine.pause()

            gap()  # may fail
            # now
            try:  # guarded
                work()
            finally:
                engine.resume()
    """)
    body = (Keep(at(source, "gap")), Keep(at(source, "work")))
    edit = Edit(at(source, "gap"), at(source, "try"), (Rebuilt(at(source, "try"), body),))
    assert done(source, edit) == dedent("""\
        def f(engine):
            engine.pause()

            # now
            try:  # guarded
                gap()  # may fail
                work()
            finally:
                engine.resume()
    """)


CLEANUP = """\
def f(engine):
    try:
        work()
    except OSError:
        log()  # handled
    # whatever happens
    finally:  # clean
        close()
        # then on
        engine.resume()
        # done

    return 1
"""


def test_cleanup_before_a_resume_gets_a_try_of_its_own() -> None:
    place = at(CLEANUP, "try")
    final = (Try((Keep(at(CLEANUP, "close")),), (Keep(at(CLEANUP, "engine.resume")),)),)
    assert (
        done(CLEANUP, Edit(place, place, (Rebuilt(place, final=final),)))
        == """\
def f(engine):
    try:
        work()
    except OSError:
        log()  # handled
    # whatever happens
    finally:  # clean
        try:
            close()
        finally:
            # then on
            engine.resume()
        # done

    return 1
"""
    )


def test_a_finally_can_go_and_its_comments_stay() -> None:
    place = at(CLEANUP, "try")
    pieces = (
        Try(
            (Rebuilt(place, final=()), Keep(at(CLEANUP, "close"))),
            (Keep(at(CLEANUP, "engine.resume")),),
        ),
    )
    assert (
        done(CLEANUP, Edit(place, place, pieces))
        == """\
def f(engine):
    try:
        try:
            work()
        except OSError:
            log()  # handled
        close()
    finally:
        # then on
        engine.resume()
    # whatever happens
    # clean
    # done

    return 1
"""
    )


def test_a_finally_can_be_added_to_a_try_that_has_none() -> None:
    source = "try:\n    work()\nexcept OSError:  # no disk\n    pass\nelse:\n    more()\n"
    place = at(source, "try")
    assert done(source, Edit(place, place, (Rebuilt(place, final=(RESUME,)),))) == (
        source + "finally:\n    engine.resume()\n"
    )


def test_the_pause_moves_into_the_try_with_what_follows() -> None:
    source = "def f(engines):\n    log()\n\n    for e in engines:\n        e.pause()\n    work()\n"
    edit = wrap(source, "for", "work", final=New("for e in engines:\n    e.resume()"))
    assert done(source, edit) == (
        "def f(engines):\n    log()\n\n    try:\n        for e in engines:\n            e.pause()\n        work()\n"
        "    finally:\n        for e in engines:\n            e.resume()\n"
    )


def test_a_new_statement_before_the_try_takes_the_blank_line_above_it() -> None:
    source = "def f():\n    log()\n\n    work()\n"
    place = at(source, "work")
    edit = Edit(place, place, (New("held = False"), Try((Keep(place),), (RESUME,))))
    assert done(source, edit) == (
        "def f():\n    log()\n\n    held = False\n    try:\n        work()\n    finally:\n        engine.resume()\n"
    )


# -- dropped statements


def test_the_comments_of_a_dropped_statement_stay_before_the_next() -> None:
    source = dedent("""\
        def f(engine):
            work()

            # let it go on
            engine.resume(  # in full
                all=True,
            )  # noqa: PR005

            # the end
            return 1
    """)
    place = at(source, "engine.resume")
    assert done(source, Edit(place, place, (), (place,))) == dedent("""\
        def f(engine):
            work()

            # let it go on
            # in full
            # noqa: PR005

            # the end
            return 1
    """)


def test_the_comments_of_the_last_statement_stay_at_the_end_of_the_block() -> None:
    source = "def f(engine):\n    if bad:\n        log()\n\n        engine.resume()  # on\n        # left\n    work()\n"
    place = at(source, "engine.resume")
    assert done(source, Edit(place, place, (), (place,))) == (
        "def f(engine):\n    if bad:\n        log()\n\n        # on\n        # left\n    work()\n"
    )


@pytest.mark.parametrize("last", ["", "\n"])
def test_an_emptied_block_reads_pass(last: str) -> None:
    source = "try:\n    work()\nexcept OSError:\n    # on\n    engine.resume()" + last
    place = at(source, "engine.resume")
    assert done(source, Edit(place, place, (), (place,))) == (
        "try:\n    work()\nexcept OSError:\n    pass\n    # on" + last
    )


def test_a_type_comment_that_would_lose_its_place_is_refused() -> None:
    source = "x = []  # type: list\ny = 1\n"
    assert refused(source, Edit(At(1, 1), At(1, 1), (), (At(1, 1),))) == (
        "line 1: the type comment of this statement counts nowhere else"
    )


def test_an_emptied_module_stays_empty() -> None:
    assert done("engine.resume()  # on\n", Edit(At(1, 1), At(1, 1), (), (At(1, 1),))) == "# on\n"


def test_a_dropped_block_leaves_all_its_comments() -> None:
    source = "# 1\nif a:  # 2\n    # 3\n    b()  # 4\n    # 5\n# 6\nelse:\n    c(\n      # 7\n    )\nd()\n"
    place = at(source, "if a")
    assert done(source, Edit(place, place, (), (place,))) == ("# 1\n# 2\n# 3\n# 4\n# 5\n# 6\n# 7\nd()\n")


# -- statements that share a line


def test_statements_on_one_line_part_where_the_plan_parts_them() -> None:
    source = "def f(e):\n    # go\n    e.pause(); a(); b(); e.resume()\n    c()\n"
    edit = Edit(
        at(source, "a()"),
        at(source, "e.resume"),
        (Try((Keep(at(source, "a()")), Keep(at(source, "b()"))), (Keep(at(source, "e.resume")),)),),
    )
    assert done(source, edit) == (
        "def f(e):\n    # go\n    e.pause()\n    try:\n        a(); b()\n    finally:\n        e.resume()\n    c()\n"
    )


def test_a_line_that_stays_together_stays_as_it_is() -> None:
    source = "def f(e):\n    a(); b();  # both\n    c()\n"
    assert done(source, wrap(source, "a()", "b()")) == (
        "def f(e):\n    try:\n        a(); b();  # both\n    finally:\n        engine.resume()\n    c()\n"
    )


def test_a_comment_behind_several_statements_that_part_is_refused() -> None:
    source = "def f(e):\n    a(); b()  # both\n"
    assert refused(source, wrap(source, "b()", "b()")) == (
        "line 2: its comment belongs to several statements that would part"
    )


@pytest.mark.parametrize("unit", ["    ", "\t", "  "])
def test_a_suite_on_the_line_of_its_header_becomes_a_block(unit: str) -> None:
    source = f"def f(e):\n{unit}if x: a(); b()  \n{unit}c()\n"
    assert done(source, wrap(source, "b()", "b()")) == (
        f"def f(e):\n{unit}if x:\n{unit * 2}a()\n{unit * 2}try:\n{unit * 3}b()  \n"
        f"{unit * 2}finally:\n{unit * 3}engine.resume()\n{unit}c()\n"
    )


def test_the_comment_of_a_one_line_suite_stays_with_its_statement() -> None:
    source = "class A: pass; x = a()  # why\n"
    assert done(source, wrap(source, "pass", "x =")) == (
        "class A:\n    try:\n        pass; x = a()  # why\n    finally:\n        engine.resume()\n"
    )


def test_a_header_over_one_line_is_split() -> None:
    source = "if main: pause(); work()\nelse: other()\n"
    place = at(source, "if")
    pieces = (
        Header(place, (Keep(at(source, "pause")),), owner=True),
        Try((Header(place, (Keep(at(source, "work")),)),), (RESUME,)),
    )
    assert done(source, Edit(place, place, pieces)) == (
        "if main:\n    pause()\nelse: other()\ntry:\n    if main:\n        work()\nfinally:\n    engine.resume()\n"
    )


# -- places in a file


@pytest.mark.parametrize(
    "before, after",
    [
        ("if a:\n    pass\nelif b:\n", ""),
        ("if a:\n    pass\nelse:\n", ""),
        ("for a in b:\n    pass\nelse:\n", ""),
        ("async def f():\n  async for a in b:\n", ""),
        ("async def f():\n  async with b as c:\n", "  return 1\n"),
        ("while a:\n", "else:\n    pass\n"),
        ("with a, b:\n", ""),
        ("try:\n", "except* OSError:\n    pass\n"),
        ("try:\n    pass\nexcept* OSError as e:\n", ""),
        ("try:\n    pass\nexcept OSError:\n    pass\nelse:\n", "finally:\n    pass\n"),
        ("try:\n    pass\nfinally:\n", "# end\n"),
        ("match a:\n  case 1: pass\n  case [b, *_] if b:\n", "  case _: pass\n"),
        ("class A(B):\n", "\n    x: int = 1\n"),
        ("@deco  # why\n# and\n@deco(1)\n\ndef f(a, /, *, b=1):\n", "\n\nx = 1\n"),
        ("def f():\n  def g():\n", "  return g\n"),
    ],
)
@pytest.mark.parametrize("unit", ["    ", "\t"])
def test_every_kind_of_block(before: str, after: str, unit: str) -> None:
    depth = (len(before.splitlines()[-1]) - len(before.splitlines()[-1].lstrip())) // 2 + 1
    before, after = (text.replace("    ", "  ").replace("  ", unit) for text in (before, after))
    inside = unit * depth
    source = f"{before}{inside}# above\n{inside}engine.load()  # behind\n{inside}# below\n{after}"
    assert done(source, wrap(source, "engine.load", "engine.load")) == (
        f"{before}{inside}try:\n{inside}{unit}# above\n{inside}{unit}engine.load()  # behind\n"
        f"{inside}finally:\n{inside}{unit}engine.resume()\n{inside}# below\n{after}"
    )


def test_a_decorated_function_is_wrapped_with_its_decorators() -> None:
    source = "x = 1\n\n# for all\n@deco\n# really\nasync def f(): ...\n"
    assert done(source, wrap(source, "async def", "async def")) == (
        "x = 1\n\ntry:\n    # for all\n    @deco\n    # really\n    async def f(): ...\nfinally:\n    engine.resume()\n"
    )


def test_an_inner_edit_changes_what_an_outer_one_keeps() -> None:
    source = "def f():\n    if a:\n        b()\n    c()\n"
    assert done(source, wrap(source, "b()", "b()"), wrap(source, "if a", "c()", final=New("other.resume()"))) == (
        "def f():\n    try:\n        if a:\n            try:\n                b()\n            finally:\n"
        "                engine.resume()\n        c()\n    finally:\n        other.resume()\n"
    )


def test_columns_count_characters() -> None:
    source = "x = '€ü'; engine.load()\n"
    assert at(source, "engine.load") == At(1, 11)
    assert done(source, wrap(source, "engine.load", "engine.load")).startswith("x = '€ü'\ntry:\n    engine.load()\n")


# -- text that must not change


def test_strings_over_several_lines_are_not_indented() -> None:
    source = 'def f():\n    x = """one\n  two\n    three"""\n    g(f"""{x\n}""")\n'
    assert done(source, wrap(source, "x =", "g(")) == (
        'def f():\n    try:\n        x = """one\n  two\n    three"""\n        g(f"""{x\n}""")\n'
        "    finally:\n        engine.resume()\n"
    )


def test_continued_lines_move_with_their_statement() -> None:
    source = dedent("""\
        def f():
            x = a + \\
                b
            if x and \\
               y: g()
            call(one,
                 # between
                 two,
          three)
    """)
    assert done(source, wrap(source, "x =", "call", "x =", "if x", "call")) == dedent("""\
        def f():
            try:
                x = a + \\
                    b
                if x and \\
                   y: g()
                call(one,
                     # between
                     two,
          three)
            finally:
                engine.resume()
    """)


def test_a_copied_header_has_no_comments() -> None:
    source = dedent("""\
        # why
        if (
            main  # the rank

            # and
            and ready
        ):  # here
            pause()
            work()
        else:
            wait()
    """)
    place = at(source, "if")
    pieces = (Header(place, (Keep(at(source, "pause")),), owner=True), Header(place, (Keep(at(source, "work")),)))
    assert done(source, Edit(place, place, pieces)) == source.replace("    work()\n", "") + dedent("""\
        if (
            main
            and ready
        ):
            work()
    """)


def test_type_comments_stay_where_they_count() -> None:
    source = dedent("""\
        def f(a, b):
            # type: (int, int) -> None
            # first
            for x in a:  # type: int
                g(x)
                y = []  # type: list[int]
            with b as c:  # type: int
                pass
    """)
    new = done(source, wrap(source, "for x", "with b"))
    assert new.startswith(
        "def f(a, b):\n    # type: (int, int) -> None\n    try:\n        # first\n        for x in a:  # type: int\n"
    )
    function = ast.parse(new, type_comments=True).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert function.type_comment == "(int, int) -> None"


def test_a_split_loop_keeps_its_type_comment_once() -> None:
    source = "for x in a:  # type: int\n    g(x)\n    h(x)\n"
    pieces = (Header(At(1, 1), (Keep(At(2, 5)),)), Header(At(1, 1), (Keep(At(3, 5)),), owner=True))
    assert done(source, Edit(At(1, 1), At(1, 1), pieces)) == (
        "for x in a:\n    g(x)\nfor x in a:  # type: int\n    h(x)\n"
    )


BASE = "def f(e):\n    e.pause()\n    # load\n    e.load('ü')  # slow\n    e.done()\n"
WRAPPED = (
    "def f(e):\n    e.pause()\n    try:\n        # load\n        e.load('ü')  # slow\n        e.done()\n"
    "    finally:\n        if x:\n            y()\n"
)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize(
    "encoding, head", [("utf-8", ""), ("utf-8-sig", ""), ("latin-1", "# -*- coding: latin-1 -*-\n")]
)
@pytest.mark.parametrize("unit", ["    ", "\t", "  "])
def test_the_bytes_around_the_edit_stay(newline: str, last: bool, encoding: str, head: str, unit: str) -> None:
    def written(text: str) -> bytes:
        text = (head + text).replace("    ", unit)
        return (text if last else text.rstrip("\n")).replace("\n", newline).encode(encoding)

    source = head + BASE.replace("    ", unit)
    wrapping = plan(wrap(source, "e.load", "e.done", final=New("if x:\n    y()")))
    new = rewrite(written(BASE), wrapping)
    assert new == written(WRAPPED)
    assert check_plan(written(BASE), new, wrapping) is None


def test_mixed_line_endings_stay_with_their_lines() -> None:
    data = b"def f():\r\n    a()\n    b('''x\n\r\n''')\r\n    c()\n"
    wrapping = plan(Edit(At(2, 5), At(3, 5), (Try((Keep(At(2, 5)), Keep(At(3, 5))), (RESUME,)),)))
    new = rewrite(data, wrapping)
    assert new == (
        b"def f():\r\n    try:\r\n        a()\n        b('''x\n\r\n''')\r\n    finally:\r\n"
        b"        engine.resume()\r\n    c()\n"
    )
    assert check_plan(data, new, wrapping) is None


def test_form_feeds_on_lines_of_their_own_stay() -> None:
    source = "a()\n\x0c\ndef f():\n    b()\n\x0c\n    c()\n"
    assert done(source, wrap(source, "b()", "c()")) == (
        "a()\n\x0c\ndef f():\n    try:\n        b()\n\x0c\n        c()\n    finally:\n        engine.resume()\n"
    )


# -- refused

# The interpreter from 3.13 on parses these; LibCST's parser ends the process.
DEEP = (b" + a", b".a", b"()", b"[0]")


@pytest.mark.parametrize(
    "data, reason",
    [
        (b"a()\n\x0cb()\n", "line 2: LibCST would not write it back as it is (form feed, line ending or blanks)"),
        (b"a()\rb()\r", "line 1: LibCST would not write it back as it is (form feed, line ending or blanks)"),
        (b"a()\nb(\n", "line 2: not valid Python: '(' was never closed"),
        (b"a = 1 + \xff\n", None),
        (b"a = \x00\n", None),
        (b"if a:\n\tif b:\n        \tc()\n", None),
        *((b"x = a" + text * 9000 + b"\n", "its expressions are nested too deeply to be rewritten") for text in DEEP),
    ],
)
def test_a_file_that_cannot_be_kept_is_refused(data: bytes, reason: str | None) -> None:
    said = refused(data, Edit(At(1, 1), At(1, 1), (Try((Keep(At(1, 1)),), (RESUME,)),)))
    assert said
    assert reason is None or said == reason


TWO = "if a:\n    b()\n    c()\nelif d:\n    e()\nf()\n"
IF, B, C, ELIF, E_, F = At(1, 1), At(2, 5), At(3, 5), At(4, 1), At(5, 5), At(6, 1)


@pytest.mark.parametrize(
    "edit, reason",
    [
        (Edit(At(9, 1), At(9, 1), ()), "no statement starts at line 9, column 1"),
        (Edit(B, F, (Keep(B), Keep(F))), "lines 2 and 6 are not a part of one block"),
        (Edit(C, B, (Keep(B), Keep(C))), "lines 3 and 2 are not a part of one block"),
        (Edit(B, B, ()), "line 2: the plan loses this statement"),
        (Edit(B, B, (Keep(B), Keep(B))), "line 2: the plan uses this statement twice"),
        (Edit(B, B, (Keep(B),), (B,)), "line 2: the plan uses this statement twice"),
        (Edit(B, B, (Keep(B), Keep(F))), "line 6, column 1: the edit does not replace this statement"),
        (Edit(B, B, (Header(B, (), owner=True),)), None),
        (Edit(B, B, (Rebuilt(B, ()),)), "line 2: this statement is no `try`"),
        (Edit(IF, IF, (Header(IF, (Keep(B),), owner=True),)), "line 3: the plan loses this statement"),
        (Edit(IF, IF, (Header(IF, (Keep(B),)), Header(IF, (Keep(C),)))), None),
        (Edit(ELIF, ELIF, (Header(ELIF, (Keep(E_),), owner=True),)), None),
        (Edit(ELIF, ELIF, (Try((Keep(ELIF),), (RESUME,)),)), "line 4: an `elif` cannot be rewritten on its own"),
        (Edit(B, B, (Try((), (Keep(B),)),)), "a `try` would have an empty body"),
        (Edit(B, B, (Try((Keep(B),), ()),)), "a `finally` would be empty"),
        (Edit(B, B, (Keep(B), New("x ="))), None),
        (Edit(B, B, (Keep(B), New("x\ny"))), "`x\ny` is not one statement"),
        (Edit(B, B, (Keep(B), New(""))), "`` is not one statement"),
    ],
)
def test_a_plan_that_does_not_fit_is_refused(edit: Edit, reason: str | None) -> None:
    said = refused(TWO, edit)
    assert reason is None or said == reason
    if edit.first != ELIF:
        assert check_plan(TWO.encode(), TWO.encode(), plan(edit)) is not None


@pytest.mark.parametrize(
    "edits",
    [
        (Edit(B, B, (Keep(B),)), Edit(B, C, (Keep(B), Keep(C)))),
        (Edit(C, C, (Keep(C),)), Edit(B, C, (Keep(B), Keep(C)))),
        (Edit(B, B, (Keep(B),)), Edit(IF, IF, (Header(IF, (Keep(B), Keep(C)), owner=True),))),
        (Edit(B, B, (Keep(B),)), Edit(IF, IF, (), (IF,))),
    ],
)
def test_edits_that_overlap_are_refused(edits: tuple[Edit, ...]) -> None:
    assert refused(TWO, *edits)


def test_text_that_the_encoding_lacks_is_refused() -> None:
    data = b"# coding: ascii\na()\n"
    assert refused(data, Edit(At(2, 1), At(2, 1), (Keep(At(2, 1)), New("b('\u20ac')"))))


def test_no_edits_change_nothing() -> None:
    assert done(FSDP) == FSDP


# -- any plan on any file

SNIPPETS = (
    FSDP,
    STRAIGHT,
    CLEANUP,
    '''\
import os; import sys  # both


@decorate(
    # why
    1,
)
class Pool(Base):  # pool
    """Engines."""

    size: int = 0; limit = 3
    # the state
    state = None  # type: str

    @property
    def busy(self): return self.state; self.never()

    async def update(self, engines, path):
        # type: (list, str) -> int
        async with self.lock as held, other(  # two
            held
        ):
            for e in engines: await e.pause()
            else: log()
            # many
            while not ready() and \\
                    waiting:
                try:
                    await self.load(f"""{path}
  unindented""")
                except* (OSError, ValueError) as error:
                    # tell
                    log(error)
                    raise
                else:
                    done = True
                finally:  # always
                    a(); b()
                    # tidy

            match held:
                # none
                case None: pass
                case [x, *rest] if x:
                    await x.resume()  # one
                case _:
                    pass
        # over
        return len(engines)
        # end


# main
if __name__ == "__main__":
    if a: b()
    elif c:
        # c
        d()

        e()
    # else
    else: f(); g()
    # end
''',
    "def f(e):\n\te.pause();e.load()\n\n\tif x:\n\t\t# x\n\t\ty(\n\t\t\t1, # one\n\t\t)\n\telse:\n\t\tz()\n\treturn",
)


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(SNIPPETS), st.randoms(use_true_random=False), st.booleans())
def test_any_plan_is_carried_out_exactly_or_refused(source: str, rng: random.Random, crlf: bool) -> None:
    data = (source.replace("\n", "\r\n") if crlf else source).encode()
    drawn: Plan = RandomPlans(data, rng).draw()
    try:
        new = rewrite(data, drawn)
    except CannotRewrite as refusal:
        assert any(word in refusal.reason for word in ("would part", "type comment"))  # noqa: PT017
        return
    assert check_plan(data, new, drawn) is None
