"""Leaving out of a large file what cannot matter: every position stays, and nothing that matters goes."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from pause_lint.analysis.program import check_modules
from pause_lint.config import Options
from pause_lint.outline import SMALL, Outline
from pause_lint.pairs import Vocabulary
from pause_lint.tree import decode, discover, parse, read

WORDS = ("pause_generation",)
LONG = "    filler = 'x'\n" * (SMALL // 16)


def kept(text: str, words: tuple[str, ...] = WORDS) -> set[str]:
    """The functions, by name, whose bodies are still there."""
    shorter = Outline(text).without(words)
    assert shorter.count("\n") == text.count("\n")
    before, after = ast.parse(text), ast.parse(shorter)
    places = {(node.name, node.lineno, node.col_offset) for node in ast.walk(after) if isinstance(node, FUNCTIONS)}
    bodies = {
        (node.name, node.lineno, node.col_offset): ast.dump(ast.Module(node.body, []), include_attributes=True)
        for node in ast.walk(before)
        if isinstance(node, FUNCTIONS)
    }
    same = {
        node.name
        for node in ast.walk(after)
        if isinstance(node, FUNCTIONS)
        and bodies[node.name, node.lineno, node.col_offset]
        == ast.dump(ast.Module(node.body, []), include_attributes=True)
    }
    assert places <= set(bodies)
    return same


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def test_a_function_without_the_words_goes() -> None:
    text = f"def idle():\n{LONG}\n\ndef active(engine):\n    engine.pause_generation()\n{LONG}"
    assert kept(text) == {"active"}


def test_small_files_are_left_whole() -> None:
    text = "def idle():\n    x = 1\n"
    assert Outline(text).without(WORDS) is text


@pytest.mark.parametrize(
    "caller",
    [
        "    quiesce()\n",
        "    run(quiesce)\n",
        "    self.quiesce()\n",
        "    getattr(self, 'quiesce')()\n",
    ],
)
def test_who_calls_a_function_that_stays_stays_too(caller: str) -> None:
    text = (
        f"def quiesce(engine):\n    engine.pause_generation()\n\n\ndef caller(self):\n{caller}{LONG}\n\n"
        f"def too_far(self):\n    caller(self)\n\n\ndef idle():\n    quiesced = 1\n{LONG}"
    )
    assert kept(text) == {"quiesce", "caller"}


def test_special_methods_are_used_by_the_name_of_their_class() -> None:
    text = (
        "class Paused:\n    def __enter__(self):\n        self.engine.pause_generation()\n\n"
        f"    def idle(self):\n{LONG.replace('    f', '        f')}\n\n"
        f"def user():\n    with Paused():\n        pass\n\n\ndef enter():\n    __enter__ = 1\n{LONG}"
    )
    assert kept(text) == {"__enter__", "user"}


def test_decorators_headers_and_class_bodies_stay() -> None:
    text = (
        "class Engine:\n    rank: int = 0\n\n    @pause_generation\n    def decorated(self):\n        pass\n\n"
        "    @property\n    async def idle(\n        self,\n        mode: str = 'x',  # one\n    ) -> int:  # noqa\n"
        f"{LONG.replace('    f', '        f')}    size = 3\n"
    )
    assert kept(text) == {"decorated"}
    (cls,) = ast.parse(Outline(text).without(WORDS)).body
    assert isinstance(cls, ast.ClassDef)
    assert [type(node).__name__ for node in cls.body] == ["AnnAssign", "FunctionDef", "AsyncFunctionDef", "Assign"]


@pytest.mark.parametrize(
    "body",
    [
        '    x = """\nno indentation\n"""\n',
        "    x = '''\ndef in_a_string():\n    pass\n'''\n",
        "    x = (\n1\n)\n",
        "    x = 1 + \\\n2\n",
        "    if x:\n        pass\n# comment\n    y = 2\n",
        "    def nested():\n        pass\n    return nested\n",
        "    y = 1\n\ndef quoted(mode=')'):\n    pass\n",
        '    """Doc: def f(x):\n    text"""\n',
        "    x = '''a''' '''\n'''\n",
        "    lambda: (yield)\n",
    ],
)
def test_odd_bodies_do_no_harm(body: str) -> None:
    """Either the result is what it should be, or it does not parse and the file is parsed as a whole."""
    tail = "def active(engine):\n    engine.pause_generation()\n"
    text = f"def odd(x):\n{body}{LONG}\n\n{tail}"
    module = parse("a.py", text.encode(), Outline(text).without(WORDS))
    last = module.tree.body[-1]
    assert ast.dump(last, include_attributes=True) == ast.dump(ast.parse(text).body[-1], include_attributes=True)


def test_code_in_a_docstring_is_text() -> None:
    docstring = '"""\nExample::\n\n    def f(x):\n        pass\n\n"""\n\n\n'
    text = f"{docstring}def idle():\n{LONG}\n\ndef active(engine):\n    engine.pause_generation()\n"
    assert kept(text) == {"active"}


def test_tabs_and_old_line_ends_are_left_whole() -> None:
    for text in (f"def idle():\n\tx = 1\n{LONG.replace('    ', chr(9))}", f"def idle():\n{LONG}".replace("\n", "\r")):
        assert Outline(text).without(WORDS) is text


def test_line_ends_of_windows_keep_their_lines() -> None:
    text = f"def idle():\n{LONG}\n\ndef active(engine):\n    engine.pause_generation()\n".replace("\n", "\r\n")
    assert kept(text) == {"active"}


def test_a_file_that_is_wrong_as_a_whole_is_refused_with_its_own_line() -> None:
    from pause_lint.tree import Unparsable

    text = f"def idle():\n{LONG}\n\ndef active(engine:\n    engine.pause_generation()\n"
    with pytest.raises(Unparsable) as caught:
        parse("a.py", text.encode(), Outline(text).without(WORDS))
    with pytest.raises(SyntaxError) as expected:
        ast.parse(text)
    assert caught.value.line == expected.value.lineno


def test_on_a_released_trainer_the_findings_are_the_same(areal: Path) -> None:
    vocabulary = Vocabulary.of(Options().pairs)
    words = (*vocabulary.pausing, *vocabulary.resuming)
    sources, _ = discover([str(areal)], Options())
    data = {source.path: read(source.location) for source in sources}
    matter = {path: text for path, text in data.items() if b"pause_generation" in text}
    whole = [parse(path, text) for path, text in matter.items()]
    shorter = [parse(path, text, Outline(decode(text)).without(words)) for path, text in matter.items()]
    assert check_modules(shorter, Options()) == check_modules(whole, Options()) != []
    size = [sum(1 for module in modules for _ in ast.walk(module.tree)) for modules in (whole, shorter)]
    assert size[1] < size[0] * 2 / 3


@pytest.mark.parametrize(
    "text, names, routes",
    [
        ("def park(e):\n    e.pause_generation()\n", {"park"}, set()),
        ("def both(e):\n    e.pause_generation()\n    e.continue_generation()\n", set(), set()),
        ("class A:\n    def _park(self):\n        self.e.pause_generation()\n", {"_park"}, set()),
        ("class A:\n    def __enter__(self):\n        self.e.pause_generation()\n", set(), set()),
        ("def park(e):\n e.pause_generation()\ndef up(e):\n park(e)\n", {"park", "up"}, set()),
        ("def park(e):\n e.pause_generation()\ndef cured(e):\n park(e)\n e.continue_generation()\n", {"park"}, set()),
        ('@app.post("/v1/swap/{name}")\nasync def swap(e):\n    await e.pause_generation()\n', {"swap"}, {"swap"}),
        ("def idle(e):\n    e.run()\n", set(), set()),
    ],
)
def test_functions_of_one_side_are_told_by_their_text(text: str, names: set[str], routes: set[str]) -> None:
    sides = (frozenset({"pause_generation"}), frozenset({"continue_generation"}))
    found, is_served = Outline(text).one_sided(sides)
    assert (set().union(*found), is_served) == (names | routes, bool(routes))


HANDLERS = """\
def create_app(engine):
    app = App()

    @app.post("/pause_generation")
    async def pause():
        await engine.pause_generation()

    @app.post("/idle")
    async def idle(request):
        return await engine.work(request)

    return app


"""


def test_of_a_factory_only_the_functions_that_matter_are_kept() -> None:
    text = f"{HANDLERS}def filler():\n{LONG}"
    assert kept(text) == {"pause"}


def test_what_a_function_names_for_those_within_it_keeps_them() -> None:
    own = "    again = engine.pause_generation\n    return app\n"
    text = f"{HANDLERS.replace('    return app', own)}def filler():\n{LONG}"
    assert kept(text) == {"create_app", "pause", "idle"}


def test_a_function_that_binds_names_of_the_one_around_it_is_kept() -> None:
    rebinding = HANDLERS.replace("        return", "        nonlocal app\n        return")
    text = f"{rebinding}def filler():\n{LONG}"
    assert kept(text) == {"create_app", "pause", "idle"}


@pytest.mark.parametrize(
    "statement", ["app.include(engine.pause_generation)", "app.include(\n        engine.pause_generation)"]
)
def test_what_a_factory_only_uses_is_named_for_nobody(statement: str) -> None:
    text = f"{HANDLERS.replace('    return app', f'    {statement}{chr(10)}    return app')}def filler():\n{LONG}"
    assert "idle" not in kept(text)


@pytest.mark.parametrize(
    "statement",
    [
        "again = engine.pause_generation",
        "again = wrap(\n        engine.pause_generation)",
        "again = (\n        other if app else\n        engine.pause_generation)",
        "for again in (engine.pause_generation,): pass",
        "use(again := engine.pause_generation)",
    ],
)
def test_what_a_factory_names_may_be_used_within_it(statement: str) -> None:
    text = f"{HANDLERS.replace('    return app', f'    {statement}{chr(10)}    return app')}def filler():\n{LONG}"
    assert "idle" in kept(text)


@pytest.mark.parametrize(
    "line",
    [
        "# then pause_generation() is called",
        '"""Calls :meth:`pause_generation` in the end."""',
        "x = 1  # pause_generation",
    ],
)
def test_what_is_only_said_does_not_count(line: str) -> None:
    assert kept(f"def idle():\n    {line}\n{LONG}") == set()


@pytest.mark.parametrize(
    "line",
    [
        'post("http://x#y/pause_generation")',
        "f('#', e.pause_generation)",
        "e.pause_generation()  # here",
        "# pause-lint: pauses",
    ],
)
def test_what_is_done_counts_whatever_stands_before_it(line: str) -> None:
    assert kept(f"def active(e):\n    {line}\n{LONG}", (*WORDS, "pause-lint:")) == {"active"}
