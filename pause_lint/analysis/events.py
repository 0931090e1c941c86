"""The call shapes: which expression pauses or resumes what.

`Events.deed` looks at one expression from the outside in and answers with the deed it does, or None. A deed takes in
the wrappers that only run it (`await`, `ray.get([...])`, `asyncio.run(...)`). What follows from a deed is the
business of `flow`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import NamedTuple

from pause_lint.analysis.guards import Term, Terms, last_name, names, substitute
from pause_lint.analysis.syntax import blocks, walk
from pause_lint.finding import Step
from pause_lint.pairs import Pair, Vocabulary, fits, plain_name, words

_MOST_TURNS = 16
OPAQUE: Term = ("opaque",)
"""A receiver of which nothing is known: it may be any."""

_VERBS = frozenset(
    {
        "remote",
        "call",
        "call_one",
        "choose",
        "broadcast",
        "delay",
        "apply_async",
        "rpc_sync",
        "rpc_async",
        "submit",
        "options",
    }
)
_LOGGING = frozenset(
    {"debug", "info", "warning", "warn", "error", "exception", "critical", "log", "fatal", "trace", "success"}
)
_LOGGERS = frozenset({"log", "logger", "logging", "_log", "_logger", "LOG", "LOGGER", "_LOGGER"})
_QUIET_NAMES = frozenset(
    {
        "print",
        "len",
        "isinstance",
        "issubclass",
        "bool",
        "str",
        "repr",
        "range",
        "enumerate",
        "zip",
        "getattr",
        "hasattr",
        "callable",
        "id",
        "type",
        "super",
        "suppress",
        "nullcontext",
        "ExitStack",
        "AsyncExitStack",
        "ThreadPoolExecutor",
        "partial",
    }
)
_LOGGER_MAKERS = frozenset({"getLogger", "get_logger"})
_QUIET_METHODS = _LOGGER_MAKERS | {"append", "get_rank", "get_world_size", "is_main_process", "is_initialized"}
_CLOCKS = frozenset(
    {"time", "monotonic", "perf_counter", "process_time", "time_ns", "monotonic_ns", "perf_counter_ns", "thread_time"}
)
REGISTRARS = frozenset(
    {
        "callback",
        "push_async_callback",
        "push",
        "push_async_exit",
        "addCleanup",
        "addAsyncCleanup",
        "addfinalizer",
        "addModuleCleanup",
        "addClassCleanup",
    }
)
"""Methods that take a callable to be called later."""
_OF_STACKS = frozenset({"callback", "push"})
"""Those of them that other objects have as well: they register only on what is a stack by its making or its name."""
_STACK_WORDS = frozenset({"stack", "exitstack", "exit", "cleanup", "cleanups", "finalizers", "resources"})
RPC_WORDS = frozenset(
    [
        "rpc",
        "call",
        "remote",
        "execute",
        "exec",
        "invoke",
        "run",
        "request",
        "send",
        "dispatch",
        "broadcast",
        "submit",
        "apply",
        "post",
        "command",
        "cmd",
        "map",
        "foreach",
        "all",
        "endpoint",
    ]
)
HTTP_WORDS = RPC_WORDS | frozenset(["get", "put", "patch", "delete", "http", "url", "urlopen", "fetch", "api", "req"])
_STORING_WORDS = frozenset(
    [
        "register",
        "add",
        "on",
        "set",
        "connect",
        "subscribe",
        "signal",
        "route",
        "handler",
        "hook",
        "include",
        "mock",
        "patch",
        "monkeypatch",
        "setattr",
        "delattr",
        "hasattr",
        "getattr",
        "dict",
        "list",
    ]
)
_KEEPING = frozenset(
    {"partial", "partialmethod", "signal", "print", "append", "appendleft", "extend", "insert", "setdefault"}
)
"""These keep what they are given, as methods of containers do, or only show it."""
_TAKING_VALUES = _QUIET_NAMES | {"sleep", "int", "float", "min", "max", "sum", "abs", "round", "format"}
_RUNNERS = frozenset({"Thread", "Process", "Timer", "Task", "add_task", "add_callback"})
"""These run what they are given, whatever their names say."""


class Target(NamedTuple):
    """A function of the tree that a call may run.

    receiver: the expression that is its `self`, if it is a method called on one. arguments: what its parameters are
    given, by name. declared: the class or protocol through which it was found. handed: whether it is handed on.
    mapped: the parameters that get each item of what they are given, in `map(f, items)`.
    """

    node: ast.FunctionDef | ast.AsyncFunctionDef
    receiver: ast.expr | None
    arguments: Mapping[str, ast.expr]
    declared: str = ""
    handed: bool = False
    mapped: frozenset[str] = frozenset()


class Deed(NamedTuple):
    """What an expression does: `kind` is "pause" or "resume".

    node: the expression, without its `await`. receiver: an unresolved term. many: several at once, so that it can
    fail half-way.
    awaited: behind an `await` (or run by a runner). over: the iterable of a fan-out. spelling: how the pair's half
    was written.
    bare: a plain call whose coroutine, if it makes one, nobody runs. parts: operands that are no part of the deed.
    portions: what of the receiver is paused or resumed, if the call says so; empty for all of it.
    """

    kind: str
    pair: Pair
    node: ast.expr
    receiver: Term
    spelling: str
    awaited: bool = False
    many: bool = False
    over: Term | None = None
    bare: bool = False
    parts: tuple[ast.expr, ...] = ()
    chain: tuple[Step, ...] = ()
    """For a deed done in a callee or behind a request: the hops from the call to where it is done."""
    portions: frozenset[str] = frozenset()


class Events:
    """Recognises deeds with the pairs in force."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        terms: Terms,
        quiet_calls: frozenset[str] = frozenset(),
        dead: frozenset[int] = frozenset(),
        implied: Mapping[int, Sequence[Deed]] | None = None,
        inlined: Mapping[int, Target] | None = None,
        managers: Mapping[int, Target] | None = None,
        registered: Mapping[int, Deed] | None = None,
        constants: Mapping[int, ast.expr] | None = None,
    ) -> None:
        """`dead`: calls that do nothing; `implied`: deeds done in callees; `inlined`: callees to follow in place;
        `managers`: generator functions that make context managers; `registered`: what functions do that are registered;
        `constants`: what names of modules stand for.

        All by the identity of the calls and names. A call whose callee cannot be followed in place does the implied
        deed.
        """
        self.vocabulary = vocabulary
        self.dead = dead
        self.implied = implied or {}
        self.inlined = inlined or {}
        self.managers = managers or {}
        self.registered = registered or {}
        self.constants = constants or {}
        self.loops: Mapping[str, frozenset[str]] = {}
        self.texts: Mapping[str, ast.expr] = {}
        self.tables: Mapping[str, ast.expr] = {}
        self.turning: frozenset[str] = frozenset()
        self.stacks: frozenset[str] = frozenset()
        self.terms = terms
        self.quiet_calls = quiet_calls

    def within(self, body: Iterable[ast.AST]) -> Events:
        """The same for the statements of one function: with what its variables stand for."""
        loops: dict[str, frozenset[str]] = {}
        values: dict[str, list[ast.expr]] = {}
        stacks: set[str] = set()
        taken: list[tuple[ast.expr, ast.expr]] = []
        choosy = any(pair.receivers or pair.never for pair in self.vocabulary.pairs)
        # Loops and assignments are statements; only where receivers are chosen by their words do comprehensions count.
        for node in (part for top in body for part in walk(top)) if choosy else _statements(body):
            match node:
                case (
                    ast.For(target=target, iter=over)
                    | ast.AsyncFor(target=target, iter=over)
                    | ast.comprehension(target=target, iter=over)
                ):
                    self._note_loop(target, over, loops)
                    taken.append((target, over))
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=value)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                ):
                    values.setdefault(name, []).append(value)
                    if _makes_stack(value):
                        stacks.add(name)
                    if choosy and isinstance(value, ast.Attribute | ast.Name | ast.Subscript):
                        loops[name] = loops.get(name, frozenset()) | words_of(value)
                case ast.With(items=items) | ast.AsyncWith(items=items):
                    for item in items:
                        if isinstance(item.optional_vars, ast.Name) and _makes_stack(item.context_expr):
                            stacks.add(item.optional_vars.id)
        found = copy(self)
        found.loops = loops
        single = {name: bound[0] for name, bound in values.items() if len(bound) == 1}
        found.texts = {name: value for name, value in single.items() if self.tells(value)}
        found.tables = {name: value for name, value in single.items() if isinstance(value, ast.Tuple | ast.List)}
        found.turning = frozenset(name for one in taken for turn in found.turns(*one) for name in turn)
        found.stacks = frozenset(stacks)
        return found

    def tells(self, value: ast.expr) -> bool:
        """Whether an expression says, as a text, what may pause or resume: a name of a pair or a route."""
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            plain = plain_name(value.value)
            if plain in self.vocabulary.pausing or plain in self.vocabulary.resuming:
                return True
        return route_of(value) is not None

    def turns(self, target: ast.expr, iterated: ast.expr) -> list[dict[str, ast.expr]]:
        """What a loop binds at each of its turns, if it goes through texts that are written out and one of them tells
        something; else nothing.
        """
        if isinstance(iterated, ast.Name) and iterated.id in self.tables:
            iterated = self.tables[iterated.id]
        iterated = self.constants.get(id(iterated), iterated)
        if not isinstance(iterated, ast.Tuple | ast.List) or len(iterated.elts) > _MOST_TURNS:
            return []
        turns = [dict(unpacked(target, item)) for item in iterated.elts]
        return turns if any(self.tells(value) for turn in turns for value in turn.values()) else []

    def at_turn(self, turn: Mapping[str, ast.expr]) -> Events:
        """The same at one turn of a loop."""
        found = copy(self)
        found.texts = {**self.texts, **turn}
        return found

    def text(self, node: ast.expr) -> ast.expr:
        """What a name stands for, if it is known; any other expression is itself."""
        if isinstance(node, ast.Name) and node.id in self.texts:
            return self.texts[node.id]
        return self.constants.get(id(node), node)

    def _note_loop(self, target: ast.expr, over: ast.expr, loops: dict[str, frozenset[str]]) -> None:
        for name, term in loop_bindings(target, over, self.terms.iterable(over, {}), self.terms):
            loops[name] = loops.get(name, frozenset()) | loop_words(term)

    # -- what can raise ------------------------------------------------------------------------------------------------

    def is_quiet(self, call: ast.Call) -> bool:
        """Whether the call itself is taken not to raise (DESIGN: "What can raise"); its operands may all the same."""
        func = call.func
        name = last_name(func)
        if name in self.quiet_calls:
            return True
        if self.terms.is_stable_call(call):
            return not (name == "int" and isinstance(func, ast.Name))
        if isinstance(func, ast.Name):
            return (
                name in _QUIET_NAMES
                or name in _LOGGER_MAKERS
                or name in _CLOCKS - {"time"}
                or (name in ("list", "dict", "set", "tuple") and not call.args)
                or (
                    name in ("list", "tuple", "reversed", "iter") and isinstance(call.args[0], ast.Name | ast.Attribute)
                )
            )
        if isinstance(func, ast.Attribute):
            owner = last_name(func.value)
            if name in _LOGGING and (owner in _LOGGERS or owner.lower().endswith("logger")):
                return True
            if owner == "time":
                return name in _CLOCKS
            if owner in ("contextlib", "functools"):
                return name in _QUIET_NAMES
            if name == "format":  # as an f-string, which does not raise either
                return isinstance(func.value, ast.Constant) or owner.isupper()
            return name in _QUIET_METHODS or self.registers(call) or calls_back(call)
        return False

    def registers(self, call: ast.Call) -> bool:
        """Whether a call registers a callable to be called later: on an exit stack, or for the end of a test."""
        func = call.func
        if not isinstance(func, ast.Attribute) or func.attr not in REGISTRARS:
            return False
        if func.attr not in _OF_STACKS:
            return True
        is_stack = isinstance(func.value, ast.Name) and func.value.id in self.stacks
        return is_stack or not words_of(func.value).isdisjoint(_STACK_WORDS)

    # -- deeds ---------------------------------------------------------------------------------------------------------

    def deed(self, node: ast.expr, scope: Mapping[str, str]) -> Deed | None:
        """The deed that the expression does as a whole, or None."""
        if isinstance(node, ast.Await):
            inner = self.deed(node.value, scope)
            return None if inner is None else inner._replace(awaited=True, bare=False)
        if not isinstance(node, ast.Call) or id(node) in self.dead:
            return None
        if id(node) in self.implied and id(node) not in self.inlined:
            return self.scoped(self.implied[id(node)][0], scope)
        return (
            self._method(node, scope)
            or self._mapped(node, scope)
            or self._handed_on(node, scope)
            or self._remote_procedure(node, scope)
            or self._request(node, scope)
            or self._wrapped(node, scope)
        )

    def scoped(self, deed: Deed, scope: Mapping[str, str]) -> Deed:
        """A deed in the names of a function that is put in place of a call, as `scope` has them."""
        if not scope:
            return deed

        def leaf(term: Term) -> Term | None:
            return ("name", scope.get(term[1], term[1])) if term and term[0] == "name" else None

        over = None if deed.over is None else substitute(deed.over, leaf)
        return deed._replace(receiver=substitute(deed.receiver, leaf), over=over)

    def reference(self, node: ast.expr, scope: Mapping[str, str]) -> Deed | None:
        """The deed that calling the value of `node` would do: `x.pause`, `partial(x.pause)`, `lambda: x.pause()`."""
        match node:
            case ast.Attribute(value=value, attr=attr):
                return self._named(node, attr, value, scope)
            case ast.Lambda(body=body, args=ast.arguments(args=[])):
                inner = self.deed(body, scope)
                return None if inner is None else inner._replace(node=node)
            case ast.Call(func=func, args=[first, *_]) if last_name(func) in ("partial", "partialmethod"):
                inner = self.reference(first, scope)
                return None if inner is None else inner._replace(node=node)
        return None

    def _named(self, node: ast.expr, name: str, receiver: ast.expr, scope: Mapping[str, str]) -> Deed | None:
        return self._of_name(node, name, self.terms.of(receiver, scope), words_of(receiver), scope)

    def _of_name(
        self, node: ast.expr, name: str, receiver: Term, words: frozenset[str], scope: Mapping[str, str]
    ) -> Deed | None:
        plain = plain_name(name)
        for kind, table in (("pause", self.vocabulary.pausing), ("resume", self.vocabulary.resuming)):
            for pair in table.get(plain, ()):
                known = words | loop_words(receiver)
                if receiver and receiver[0] == "name":
                    known |= self.loops.get(receiver[1], frozenset())
                if fits(pair, known):
                    meant = _meant(kind, pair, plain, node)
                    return None if meant is None else Deed(meant, pair, node, receiver, name)
        return None

    def _method(self, call: ast.Call, scope: Mapping[str, str]) -> Deed | None:
        """`x.pause()`, `x.pause.remote()`, `getattr(x, "pause")()`, `pause_generation(x)`."""
        func = call.func
        found: Deed | None = None
        direct = False
        match func:
            case ast.Attribute(value=ast.Attribute(value=value, attr=attr), attr=verb) if verb in _VERBS:
                found = self._named(call, attr, value, scope)
            case ast.Attribute(value=ast.Call(func=ast.Name(id="getattr")) as got, attr=verb) if verb in _VERBS:
                found = self._got(call, got, scope)
            case ast.Call(func=ast.Name(id="getattr")):
                found = self._got(call, func, scope)
            case ast.Attribute(
                value=ast.Call(func=ast.Attribute(value=ast.Attribute(value=value, attr=attr), attr="options")),
                attr="remote",
            ):
                found = self._named(call, attr, value, scope)
        if found is None and isinstance(func, ast.Attribute):
            found = self._named(call, func.attr, func.value, scope)
            direct = True
        if found is None and isinstance(func, ast.Name):
            receiver = self.terms.of(call.args[0], scope) if call.args else OPAQUE
            words = words_of(call.args[0]) if call.args else frozenset()
            if "_" in plain_name(func.id):
                found = self._of_name(call, func.id, receiver, words, scope)
                direct = True
        if found is None:
            return None
        return found._replace(
            bare=direct,
            parts=(*call.args, *(keyword.value for keyword in call.keywords)),
            portions=_portions(call, found),
        )

    def _got(self, call: ast.Call, got: ast.Call, scope: Mapping[str, str]) -> Deed | None:
        match got.args:
            case [receiver, text, *_]:
                match self.text(text):
                    case ast.Constant(value=str() as name):
                        return self._named(call, name, receiver, scope)
        return None

    def _handed_on(self, call: ast.Call, scope: Mapping[str, str]) -> Deed | None:
        """`call_maybe_async(x.pause)`, `executor.submit(x.pause)`, `Thread(target=x.pause)`."""
        name = last_name(call.func)
        later = calls_back(call)
        if not name or takes_values(call) or (stores(call.func) and not later) or self.registers(call):
            return None
        handed = self._references(call, scope)
        if len({found.kind for _, found in handed}) != 1:
            return None  # nothing, or both halves: whoever runs these brings them together
        if later and handed[0][1].kind == "pause":
            return None  # not yet
        argument, found = handed[0]
        return found._replace(node=call, parts=tuple(part for part in call.args if part is not argument))

    def _references(self, call: ast.Call, scope: Mapping[str, str]) -> list[tuple[ast.expr, Deed]]:
        """The arguments of a call that pause or resume when they are called."""
        keywords = (keyword.value for keyword in call.keywords if keyword.arg not in ("key", "default"))
        arguments = [one for one in (*call.args, *keywords) if isinstance(one, ast.Attribute | ast.Call | ast.Lambda)]
        found = [(argument, self.reference(argument, scope)) for argument in arguments]
        return [(argument, deed) for argument, deed in found if deed is not None]

    def _mapped(self, call: ast.Call, scope: Mapping[str, str]) -> Deed | None:
        """`executor.map(lambda e: e.pause(), engines)`."""
        match call.args:
            case [ast.Lambda(args=ast.arguments(args=[ast.arg(arg=name)]), body=body), over] if (
                last_name(call.func) == "map"
            ):
                inner = self.deed(body, scope)
                if inner is None:
                    return None
                term = self.terms.iterable(over, scope)
                target = ast.Name(id=name, ctx=ast.Store())
                receiver = bind(inner.receiver, target, over, term, self.terms, scope)
                return inner._replace(node=call, receiver=receiver, many=True, over=term, parts=(over,), bare=False)
        return None

    def _remote_procedure(self, call: ast.Call, scope: Mapping[str, str]) -> Deed | None:
        """`collective_rpc("pause")`, `call_all(engines, "sleep", 1)`."""
        func = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr in _VERBS else call.func
        name = last_name(func)
        if not name or is_logging(call) or stores(func) or not words(name) & RPC_WORDS:
            return None
        for place, argument in enumerate(
            (*call.args, *(keyword.value for keyword in call.keywords if keyword.arg in ("method", "name")))
        ):
            said = self.text(argument)
            if not (isinstance(said, ast.Constant) and isinstance(said.value, str) and said.value.isidentifier()):
                continue
            if (
                place
                and place <= len(call.args)
                and isinstance(call.args[place - 1], ast.expr)
                and isinstance(func, ast.Name)
            ):
                target: ast.expr | None = call.args[place - 1]
            else:
                target = func.value if isinstance(func, ast.Attribute) else None
            receiver = OPAQUE if target is None else self.terms.iterable(target, scope)
            found = self._of_name(
                call, said.value, receiver, frozenset() if target is None else words_of(target), scope
            )
            if found is not None:
                return found._replace(many=True, parts=tuple(a for a in call.args if a is not argument))
        return None

    def _request(self, call: ast.Call, scope: Mapping[str, str]) -> Deed | None:
        """`client.post(f"{addr}/pause_generation")`, `HttpRequest(endpoint="/pause_generation")`."""
        name = last_name(call.func)
        if not name or is_logging(call) or stores(call.func):
            return None
        builder = name[:1].isupper() and "equest" in name
        if not builder and not words(name) & HTTP_WORDS:
            return None
        for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
            route = self._route(argument)
            if route is None:
                continue
            prefix, segment = route
            client = call.func.value if isinstance(call.func, ast.Attribute) else None
            place: Term = (
                "url",
                self.terms.of(prefix, scope) if prefix is not None else (),
                self.terms.of(client, scope) if client is not None else (),
            )
            found = self._of_name(call, segment, place, frozenset(), scope)
            if found is None and client is not None:
                found = self._of_name(call, segment, place, words_of(client), scope)
            if found is not None:
                return found._replace(parts=tuple(a for a in call.args if a is not argument))
        return None

    def _route(self, node: ast.expr) -> tuple[ast.expr | None, str] | None:
        """The route that an argument names (see `route_of`), be it by a name that stands for it."""
        match node:
            case ast.Name() | ast.Attribute():
                return route_of(self.text(node))
            case ast.BinOp(left=left, op=ast.Add(), right=ast.Name() | ast.Attribute() as last):
                inner = route_of(self.text(last))
                return None if inner is None else (left, inner[1])
            case ast.JoinedStr(values=[*first, ast.FormattedValue(value=ast.Name() | ast.Attribute() as last)]) if (
                first
            ):
                inner = route_of(self.text(last))
                prefix = first[0].value if isinstance(first[0], ast.FormattedValue) else None
                return route_of(node) if inner is None else (prefix, inner[1])
        return route_of(node)

    def _wrapped(self, call: ast.Call, scope: Mapping[str, str]) -> Deed | None:
        """A call that is given a deed to run: `asyncio.run(x.pause())`, `ray.get([e.pause.remote() for e in
        engines])`.
        """
        if is_logging(call) or self.registers(call):
            return None
        if (
            isinstance(call.func, ast.Attribute)
            and isinstance(call.func.value, ast.Call)
            and call.func.attr in ("result", "get", "wait", "join")
        ):
            inner = self.deed(call.func.value, scope)
            if inner is not None:
                return inner._replace(node=call, awaited=True, bare=False)
        done: list[Deed] = []
        for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
            if isinstance(argument, ast.Starred):
                argument = argument.value
            found = self._fan_out(argument, scope)
            if found is None and isinstance(argument, ast.Call):
                found = self.deed(argument, scope)
            if found is not None:
                done.append(found)
        return _together(done)._replace(node=call, awaited=True, bare=False) if done else None

    def _fan_out(self, node: ast.expr, scope: Mapping[str, str]) -> Deed | None:
        """`[e.pause.remote() for e in engines]`, also as a generator; a list of exactly one deed."""
        match node:
            case (
                ast.ListComp(elt=elt, generators=[generator])
                | ast.GeneratorExp(elt=elt, generators=[generator])
                | ast.SetComp(elt=elt, generators=[generator])
            ):
                inner = self.deed(elt, scope)
                if inner is None:
                    return None
                over = self.terms.iterable(generator.iter, scope)
                receiver = bind(inner.receiver, generator.target, generator.iter, over, self.terms, scope)
                filtered = ("subset", over, " and ".join(map(ast.unparse, generator.ifs))) if generator.ifs else over
                return inner._replace(receiver=receiver, many=True, over=filtered, parts=(generator.iter, *inner.parts))
            case ast.List(elts=[only]) | ast.Tuple(elts=[only]):
                return self.deed(only, scope)
        return None


def unpacked(target: ast.expr, item: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names that taking `item`, which is written out, binds, with what is bound to them."""
    match target, item:
        case ast.Name(id=name), _:
            yield name, item
        case ((ast.Tuple(elts=targets) | ast.List(elts=targets)), (ast.Tuple(elts=parts) | ast.List(elts=parts))):
            if len(targets) == len(parts):
                for one, part in zip(targets, parts, strict=True):
                    yield from unpacked(one, part)


def _meant(kind: str, pair: Pair, name: str, node: ast.expr) -> str | None:
    """What a call of a name of the pair does, by its argument: `pause(False)` resumes; `set_should_stop(flag)` may do
    either.
    """
    arguments = [*node.args, *(keyword.value for keyword in node.keywords)] if isinstance(node, ast.Call) else []
    told = [one.value for one in arguments if isinstance(one, ast.Constant) and isinstance(one.value, bool)]
    if name in pair.pauses & pair.resumes:
        return None if len(told) != 1 else "pause" if told[0] else "resume"
    first = arguments[0] if len(arguments) == 1 else None
    turned = isinstance(first, ast.Constant) and (first.value is False or (name == "pause" and first.value == 0))
    return "resume" if kind == "pause" and turned and not pair.tested else kind


def _portions(call: ast.Call, deed: Deed) -> frozenset[str]:
    """What a call pauses or resumes of its receiver, by `tags=["weights"]` or by its name."""
    plain = plain_name(deed.spelling)
    named = frozenset(portion for name, portion in deed.pair.portions if name == plain)
    for keyword in call.keywords:
        if keyword.arg == "tags":
            value = keyword.value
            tags = value.elts if isinstance(value, ast.List | ast.Tuple | ast.Set) else [value]
            said = [tag.value if isinstance(tag, ast.Constant) else last_name(tag) for tag in tags]
            if isinstance(value, ast.Name | ast.Attribute) or not all(isinstance(tag, str) and tag for tag in said):
                return named
            return frozenset(map(str, said))
    return named


def _together(deeds: Sequence[Deed]) -> Deed:
    """What is done by a call that runs some deeds at once: the first, to all of those whose like it is."""
    first = deeds[0]
    receivers = dict.fromkeys(deed.receiver for deed in deeds if deed.kind == first.kind and deed.over is None)
    if first.over is not None or len(receivers) < 2:
        return first
    parts = tuple(part for deed in deeds for part in deed.parts)
    return first._replace(receiver=("each", ("op", "tuple", tuple(receivers))), many=True, parts=parts)


def _makes_stack(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and last_name(value.func) in ("ExitStack", "AsyncExitStack")


def _statements(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Every statement of a function, those of nested functions included."""
    stack = list(body)
    while stack:
        node = stack.pop()
        yield node
        if "body" in node._fields and isinstance(node, ast.stmt):
            for block in blocks(node):
                stack += block


def bind(
    receiver: Term, target: ast.expr, iterated: ast.expr, over: Term, terms: Terms, scope: Mapping[str, str]
) -> Term:
    """`receiver` with the loop variables of `target` replaced by "each of" what they go over."""
    bound = {scope.get(name, name): term for name, term in loop_bindings(target, iterated, over, terms)}

    def leaf(term: Term) -> Term | None:
        return bound.get(term[1]) if term and term[0] == "name" else None

    return substitute(receiver, leaf)


def loop_bindings(target: ast.expr, iterated: ast.expr, over: Term, terms: Terms) -> Iterator[tuple[str, Term]]:
    """The names a loop binds and what each of them stands for."""
    if isinstance(target, ast.Name):
        yield target.id, ("each", over)
    elif isinstance(target, ast.Tuple | ast.List):
        zipped = _zipped(iterated)
        for place, element in enumerate(target.elts):
            if zipped is not None and place < len(zipped):
                yield from loop_bindings(element, zipped[place], terms.iterable(zipped[place], {}), terms)
            elif isinstance(element, ast.Name):
                second = len(target.elts) == 2 and place == 1
                yield element.id, ("each", over if second else ("item", over, ("const", "int", place)))


def _zipped(iterated: ast.expr) -> list[ast.expr] | None:
    """What `zip(a, b)` goes over."""
    if isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) and iterated.func.id == "zip":
        return iterated.args
    return None


def never_raises(iterated: ast.expr) -> bool:
    """Whether taking the next item of this cannot fail: a `range`, or items written out."""
    if isinstance(iterated, ast.Tuple | ast.List | ast.Set | ast.Constant):
        return True
    return (
        isinstance(iterated, ast.Call)
        and isinstance(iterated.func, ast.Name)
        and (
            iterated.func.id == "range"
            or (iterated.func.id == "enumerate" and all(never_raises(arg) for arg in iterated.args[:1]))
        )
    )


def stores(func: ast.expr) -> bool:
    """Whether a call of this name keeps what it is given rather than calling it."""
    name = last_name(func)
    if name in _RUNNERS:
        return False
    if name in _KEEPING or (name[:1].isupper() and "equest" not in name):
        return True
    first = words(name)
    lead = name.lstrip("_").split("_")[0].lower()
    return lead in _STORING_WORDS or bool(first & {"register", "hook", "mock", "patch", "route", "subscribe"})


def calls_back(call: ast.Call) -> bool:
    """Whether the call has something called once a future is done."""
    return last_name(call.func) == "add_done_callback"


def takes_values(call: ast.Call) -> bool:
    """Whether what a call is given is a value to it, never something to run: `time.sleep(pause)`."""
    return last_name(call.func) in _TAKING_VALUES


def is_logging(call: ast.Call) -> bool:
    """Whether the call only writes to a log or the terminal."""
    name = last_name(call.func)
    return name == "print" or (name in _LOGGING and isinstance(call.func, ast.Attribute))


def words_of(receiver: ast.expr) -> frozenset[str]:
    """The words of the last name in a receiver expression, the whole name included."""
    node: ast.expr = receiver
    while True:
        match node:
            case ast.Attribute(attr=attr):
                return words(attr) | {attr}
            case ast.Name(id=name):
                return words(name) | {name}
            case ast.Subscript(value=value) | ast.Await(value=value):
                node = value
            case ast.Call(func=func):
                node = func
            case _:
                return frozenset()


def loop_words(receiver: Term) -> frozenset[str]:
    """A loop variable takes its iterable's name."""
    while receiver and receiver[0] in ("each", "subset", "item"):
        receiver = receiver[1]
        if receiver and receiver[0] == "attr":
            return words(receiver[2]) | {receiver[2]}
        if receiver and receiver[0] in ("name", "var"):
            return words(receiver[1]) | {receiver[1]}
    return frozenset()


def route_of(node: ast.expr) -> tuple[ast.expr | None, str] | None:
    """The dynamic prefix and the route's last fixed segment of a URL or path expression, None if it is none."""
    prefix: ast.expr | None = None
    match node:
        case ast.Constant(value=str() as text):
            pass
        case ast.Call(func=func, args=[base, last]) if last_name(func) == "urljoin":
            inner = route_of(last)
            return None if inner is None else ((base if inner[0] is None else inner[0]), inner[1])
        case ast.JoinedStr(values=values):
            text = "".join(str(value.value) if isinstance(value, ast.Constant) else "\0" for value in values)
            first = values[0] if values else None
            prefix = first.value if isinstance(first, ast.FormattedValue) else None
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            inner = route_of(right)
            if inner is None:
                return None
            return (left if inner[0] is None else inner[0]), inner[1]
        case _:
            return None
    path = text.split("?")[0].split("#")[0]
    if "/" not in path or " " in path.strip():
        return None
    segments = [segment for segment in path.split("/") if segment]
    while segments and (segments[-1].startswith(("{", "\0", "<")) and len(segments) > 1):
        segments.pop()
    if not segments or not segments[-1].replace("-", "_").isidentifier():
        return None
    if prefix is None and "://" in path:
        prefix = ast.Constant(value=path.rsplit("/", 1)[0])
    return prefix, segments[-1].replace("-", "_")


def same_receiver(paused: Term, resumed: Term) -> bool:
    """Whether a resume of `resumed` undoes a pause of `paused`: the same thing, its owner or its part, or one of them
    unknown.
    """
    one, two = plain_receiver(paused), plain_receiver(resumed)
    if one == two or OPAQUE in (one, two):
        return True
    if one[0] == "url" or two[0] == "url":
        if one[0] != two[0]:
            return True
        if one[1] and two[1]:
            return bool(one[1] == two[1])
        return not (one[2] and two[2]) or bool(one[2] == two[2])
    return _owns(one, two) or _owns(two, one) or _is_among(one, two)


def is_fan_out(receiver: Term) -> bool:
    """Whether a receiver is each of several."""
    return receiver[:1] == ("each",) or any(isinstance(part, tuple) and is_fan_out(part) for part in receiver[1:])


def plain_receiver(receiver: Term) -> Term:
    """A receiver without filters; each of one is that one."""

    def leaf(term: Term) -> Term | None:
        match term:
            case ("subset", inner, _):
                return substitute(inner, leaf)
            case ("each", ("op", "tuple", (only,))):
                return substitute(only, leaf)
        return None

    return substitute(receiver, leaf)


def _is_among(paused: Term, resumed: Term) -> bool:
    """Whether what is paused, one thing or each of some, is among the things that are written out and resumed."""
    match resumed, paused:
        case ("each", ("op", "tuple", some)), ("each", ("op", "tuple", few)):
            return set(few) <= set(some)
        case ("each", ("op", "tuple", some)), _:
            return paused in some
    return False


def _owns(whole: Term, part: Term) -> bool:
    while part and part[0] in ("attr", "each"):
        part = part[1]
        if part == whole:
            return True
    return False


def receiver_names(deed: Deed) -> frozenset[str]:
    """The variables and paths a deed's receiver depends on."""
    found = set(names(deed.receiver))
    if deed.over is not None:
        found |= set(names(deed.over))
    return frozenset(found)
