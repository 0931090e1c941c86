"""The check before anything is written: every slip of the rewriter and every lie of a plan is caught."""

from __future__ import annotations

import io
import random
import tokenize

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pause_lint.fixing.edits import At, Edit, Header, Keep, New, Plan, Rebuilt, Try
from pause_lint.fixing.rewrite import CannotRewrite, rewrite
from pause_lint.fixing.verify import check_plan
from tests.helpers.plans import RandomPlans, at, plan

OLD = '''\
# -*- coding: utf-8 -*-
import dist


@register("push")
class Trainer:
    def push(self, meta):
        """Hand the weights over."""
        # only one rank
        if dist.get_rank() == 0:  # main
            self.engine.pause()
            future = self.engine.load(meta)  # sent

        for shard in meta.shards:  # type: Shard
            shard.save("a", 'b')
            if shard.last: a(); b()
        try:
            self.sync()
        except OSError as error:
            log(error)
        finally:
            # tidy
            self.clean()
            self.count += 1
        if dist.get_rank() == 0:
            future.result(timeout=(
                # seconds
                30))
            # go on
            self.engine.resume()  # noqa: X
        old()  # left over
        return """one
two"""
'''

GUARD, GUARD_2, TRY = at(OLD, "if dist"), at(OLD, "if dist", 1), at(OLD, "try:")

PLAN = plan(
    Edit(at(OLD, "b()"), at(OLD, "b()"), (Keep(at(OLD, "b()")), New("renew()"))),
    Edit(
        GUARD,
        at(OLD, "old()"),
        (
            Header(GUARD, (Keep(at(OLD, "self.engine.pause")),), owner=True),
            Try(
                (
                    Header(GUARD, (Keep(at(OLD, "future =")),)),
                    Keep(at(OLD, "for shard")),
                    Rebuilt(
                        TRY,
                        final=(Try((Keep(at(OLD, "self.clean")),), (Keep(at(OLD, "self.count")),)),),
                    ),
                    Header(GUARD_2, (Keep(at(OLD, "future.result")),), owner=True),
                ),
                (Header(GUARD_2, (Keep(at(OLD, "self.engine.resume")),)),),
            ),
        ),
        (at(OLD, "old()"),),
    ),
)

NEW = '''\
# -*- coding: utf-8 -*-
import dist


@register("push")
class Trainer:
    def push(self, meta):
        """Hand the weights over."""
        # only one rank
        if dist.get_rank() == 0:  # main
            self.engine.pause()
        try:
            if dist.get_rank() == 0:
                future = self.engine.load(meta)  # sent

            for shard in meta.shards:  # type: Shard
                shard.save("a", 'b')
                if shard.last:
                    a(); b()
                    renew()
            try:
                self.sync()
            except OSError as error:
                log(error)
            finally:
                try:
                    # tidy
                    self.clean()
                finally:
                    self.count += 1
            if dist.get_rank() == 0:
                future.result(timeout=(
                    # seconds
                    30))
        finally:
            if dist.get_rank() == 0:
                # go on
                self.engine.resume()  # noqa: X
        # left over
        return """one
two"""
'''


def test_the_rewriter_makes_what_is_tampered_with_below() -> None:
    assert rewrite(OLD.encode(), PLAN).decode() == NEW
    assert check_plan(OLD.encode(), NEW.encode(), PLAN) is None


TAMPERED = {
    "a kept statement is lost": ("        self.sync()\n", "        pass\n"),
    "a kept statement is another": ("self.engine.pause()", "self.engine.resume()"),
    "a kept statement occurs twice": ("                log(error)\n", "                log(error)\n" * 2),
    "two kept statements changed places": ("a(); b()", "b(); a()"),
    "an argument is another": ("load(meta)", "load(data)"),
    "an operator is another": ("count += 1", "count -= 1"),
    "a copied guard is another": ("try:\n            if dist.get_rank()", "try:\n            if dist.get_world()"),
    "the owner's guard is another": ("get_rank() == 0:  # main", "get_rank() != 0:  # main"),
    "a copied guard has an else": ("(meta)  # sent\n\n", "(meta)  # sent\n            else: x()\n\n"),
    "a copied guard is a loop": ("finally:\n            if dist", "finally:\n            while dist"),
    "the new statement is another": ("renew()", "other()"),
    "the new statement is missing": ("                    renew()\n", ""),
    "the new statement is deeper": ("                    renew()\n", "                    if 1: renew()\n"),
    "the finally has one more statement": ("                # go on", "                x()\n                # go on"),
    "the try has a handler": ("30))\n        finally", "30))\n        except A: pass\n        finally"),
    "the try has an else": (
        "30))\n        finally",
        "30))\n        except A: pass\n        else: pass\n        finally",
    ),
    "the handler is another": ("except OSError", "except ValueError"),
    "the handler's name is another": ("OSError as error", "OSError as other"),
    "the dropped statement is still there": ("        # left over\n", "        old()  # left over\n"),
    "another statement is lost": ("import dist\n", ""),
    "another statement is added": ("import dist\n", "import dist\nimport os\n"),
    "another statement is another": ('register("push")', 'register("pull")'),
    "a decorator is lost": ('@register("push")\n', ""),
    "the docstring is another": ('"""Hand the weights over."""', '"""Hand  the weights over."""'),
    "a string's second line is indented": ("\ntwo", "\n    two"),
    "a quote is another": ("'b'", '"b"'),
    "a bracket is new": ("load(meta)", "load((meta))"),
    "a comment is lost": ("  # sent", ""),
    "a comment occurs twice": ("  # sent", "  # sent\n            # sent"),
    "a comment is another": ("# tidy", "# tidy!"),
    "a comment behind a statement moved to the next": (
        "resume()  # noqa: X\n        # left over\n        return",
        "resume()\n        # noqa: X\n        # left over\n        return",
    ),
    "a comment behind a statement moved above it": (
        "future = self.engine.load(meta)  # sent",
        "# sent\n                future = self.engine.load(meta)",
    ),
    "a comment within brackets is lost": ("timeout=(\n                    # seconds\n", "timeout=(\n"),
    "a comment above a statement moved below it": (
        "# tidy\n                    self.clean()",
        "self.clean()\n                    # tidy",
    ),
    "a comment above the guard moved into it": (
        "# only one rank\n        if dist.get_rank() == 0:  # main\n",
        "if dist.get_rank() == 0:  # main\n            # only one rank\n",
    ),
    "the guard's comment moved to the copy": (
        "0:  # main\n            self.engine.pause()\n        try:\n            if dist.get_rank() == 0:\n",
        "0:\n            self.engine.pause()\n        try:\n            if dist.get_rank() == 0:  # main\n",
    ),
    "a type comment moved to the next line": (":  # type: Shard\n", ":\n                # type: Shard\n"),
    "a type comment is another": ("# type: Shard", "# type: Other"),
    "the coding line is gone": ("# -*- coding: utf-8 -*-\n", ""),
    "the coding line is another": ("coding: utf-8", "coding: ascii"),
    "the last newline is gone": ('two"""\n', 'two"""'),
    "a line ends in another way": ("import dist\n", "import dist\r\n"),
    "it does not parse": ("renew()", "renew("),
    "it has a zero byte": ("renew()", "renew()\0"),
    "the function is async": ("def push", "async def push"),
    "a statement of the try is in the finally as well": ("self.count += 1", "self.clean(); self.count += 1"),
    "the try and the finally changed places": (
        "# tidy\n                    self.clean()\n                finally:\n                    self.count += 1",
        "self.count += 1\n                finally:\n                    # tidy\n                    self.clean()",
    ),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_slip_of_the_rewriter_is_caught(name: str) -> None:
    text, other = TAMPERED[name]
    assert NEW.count(text) == 1
    assert check_plan(OLD.encode(), NEW.replace(text, other).encode(), PLAN) is not None


@pytest.mark.parametrize(
    "old, new",
    [
        (b"\xef\xbb\xbfa()\n", b"a()\n"),
        (b"a()\n", b"\xef\xbb\xbfa()\n"),
        (b"a()\r\nb()\r\n", b"a()\nb()\n"),
        (b"a()\r\nb()\n'''\r\n'''\n", b"a()\nb()\n'''\r\n'''\r\n"),
        (b"a()\r\nb()\nc()\n", b"a()\nb()\r\nc()\n"),
        (b"'''\r\n'''\r\n", b"'''\n'''\r\n"),
        (b"a()\n", b"a()"),
        (b"a()", b"a()\n"),
        (b"# coding: latin-1\nx = '\xe9'\n", "# coding: utf-8\nx = 'é'\n".encode()),
        (b"# coding: latin-1\nx = '\xe9'\n", "# coding: latin-1\nx = 'é'\n".encode()),
        (b"def f(a):\n    # type: (int) -> int\n    b()\n", b"def f(a):\n    b()\n    # type: (int) -> int\n"),
        (b"a()\n", b"a(\n"),
        (b"a(\n", b"a()\n"),
        (b"# coding: nothing\na()\n", b"# coding: nothing\na()\n"),
    ],
)
def test_a_change_of_bytes_without_a_plan_is_caught(old: bytes, new: bytes) -> None:
    assert check_plan(old, new, plan()) is not None


@pytest.mark.parametrize(
    "source",
    [OLD, "", "# only\n", "a()\r\nb()", "\ufeffa()\n", "x = 1 # type: ignore\n# type: int\n", "a()\x0c\n\x0c\nb()"],
)
def test_the_same_file_without_a_plan_is_good(source: str) -> None:
    assert check_plan(source.encode(), source.encode(), plan()) is None


A, B, C = At(1, 1), At(2, 1), At(3, 1)
THREE = b"a()\nb()\nc()\n"


@pytest.mark.parametrize(
    "new, edit",
    [
        # the text is what the plan says, but the plan is wrong
        (b"a()\nc()\n", Edit(B, B, ())),
        (b"a()\nb()\nb()\nc()\n", Edit(B, B, (Keep(B), Keep(B)))),
        (b"a()\nb()\nc()\n", Edit(B, B, (Keep(B),), (B,))),
        (b"a()\nb()\na()\nc()\n", Edit(B, B, (Keep(B), Keep(A)))),
        (b"a()\nc()\n", Edit(B, B, (), (B, A))),
        (b"a()\nc()\n", Edit(B, B, (), (B, B))),
        (b"a()\nb()\nx\ny\nc()\n", Edit(B, B, (Keep(B), New("x\ny")))),
        (b"a()\nb()\nc()\n", Edit(B, B, (Header(B, (), owner=True),))),
        (b"a()\nb()\nc()\n", Edit(B, B, (Rebuilt(B),))),
        (THREE, Edit(C, B, (Keep(B), Keep(C)))),
        (THREE, Edit(At(9, 1), At(9, 1), ())),
        # the plan is good, but the text is not what it says
        (b"a()\nc()\nb()\n", Edit(B, C, (Keep(B), Keep(C)))),
        (b"a()\npass\nc()\n", Edit(B, B, (), (B,))),
        (b"a()\nc()\n", Edit(B, B, (Keep(B),))),
        (THREE, Edit(B, B, (Try((Keep(B),), (New("x"),)),))),
    ],
)
def test_a_lie_of_the_plan_is_caught(new: bytes, edit: Edit) -> None:
    assert check_plan(THREE, new, plan(edit)) is not None


def test_two_edits_of_one_statement_are_caught() -> None:
    edit = Edit(B, B, (Keep(B),))
    assert check_plan(THREE, THREE, plan(edit, edit)) is not None
    assert check_plan(THREE, THREE, plan(edit, Edit(A, C, (Keep(A), Keep(B), Keep(C))))) is not None


@pytest.mark.parametrize("owners", [0, 2])
def test_a_header_has_one_owner(owners: int) -> None:
    old = b"if a:\n    b()\n    c()\n"
    new = b"if a:\n    b()\nif a:\n    c()\n"
    first, second = (Keep(At(2, 5)),), (Keep(At(3, 5)),)
    split = Edit(A, A, (Header(A, first, owner=owners > 0), Header(A, second, owner=owners > 1)))
    assert check_plan(old, new, plan(split)) is not None


def test_statements_put_back_in_another_order_are_caught() -> None:
    # Each is kept once, in an order that the plan itself gives: only the place in the text is what counts.
    edit = Edit(A, C, (Try((Keep(C), Keep(A)), (Keep(B),)),))
    good = b"try:\n    c()\n    a()\nfinally:\n    b()\n"
    assert check_plan(THREE, good, plan(edit)) is None
    assert check_plan(THREE, good.replace(b"c()\n    a()", b"a()\n    c()"), plan(edit)) is not None


def test_each_part_of_the_plan_is_needed() -> None:
    for edit in PLAN.edits:
        without = Plan(tuple(other for other in PLAN.edits if other is not edit), safe=True)
        assert check_plan(OLD.encode(), NEW.encode(), without) is not None
        assert check_plan(OLD.encode(), NEW.encode(), plan(*without.edits, edit._replace(dropped=(A,)))) is not None


@settings(deadline=None, max_examples=60)
@given(st.randoms(use_true_random=False))
def test_any_change_of_a_token_is_caught(rng: random.Random) -> None:
    old = OLD.encode()
    drawn = RandomPlans(old, rng).draw()
    try:
        new = rewrite(old, drawn)
    except CannotRewrite:
        assume(False)
    assert check_plan(old, new, drawn) is None
    text = new.decode()
    tokens = [t for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.string.strip() and t.string != ";"]
    token = rng.choice(tokens)
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[: token.start[0] - 1])) + token.start[1]
    # `00` is `0` to Python: the one number that is the same when it is written twice.
    for other in ("", token.string + "x", token.string * 2 if token.string != "0" else "01"):
        changed = text[:start] + other + text[start + len(token.string) :]
        assert check_plan(old, changed.encode(), drawn) is not None, (token, other)
