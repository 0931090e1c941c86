"""Which expressions name an endpoint of the tree: posts, request objects, and what helpers of the tree make of a name.

Only functions are looked at that mention a segment of a route whose handler has an effect, or a name for a text with
one in it (`RELOAD = "/reload"`, `self._url = f"{address}/reload"`).
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from operator import attrgetter

from pause_lint.analysis.anatomy import Anatomies, CallSite
from pause_lint.analysis.endpoints import METHODS, Endpoint, Request, method_given, segments, serves
from pause_lint.analysis.events import HTTP_WORDS, is_logging, stores
from pause_lint.analysis.guards import last_name
from pause_lint.analysis.index import Index, Routine
from pause_lint.analysis.syntax import blocks, walk
from pause_lint.analysis.texts import OPEN, Scope, Speech, stands_on
from pause_lint.module import Module
from pause_lint.pairs import words

_NAMES = 16
"""A segment that goes by more names than this is followed under the first of them only."""

_BINDING = re.compile(r"\s*(?:return\b|[\w.]+\s*(?::[^=]*)?=(?!=)|[rfRF]{0,2}[\"'])")
"""How a line begins that binds a text, returns it, or goes on with one."""
_HANDED = re.compile(r"(\w+)\((?:[\w.]+,\s*)*[\"'](\w+)[\"']")
_BETWEEN = re.compile(r"[/?#]")


class Requests:
    """The requests that functions make."""

    def __init__(self, index: Index, speech: Speech, endpoints: Sequence[Endpoint], anatomies: Anatomies) -> None:
        self.index = index
        self.speech = speech
        self.endpoints = endpoints
        self.anatomies = anatomies
        self._sought: dict[str, None] = {}
        self._lines: dict[str, Sequence[int]] = {}
        self._made: dict[ast.AST, dict[int, tuple[Request, ...]]] = {}

    def names(self, endpoint: Endpoint) -> Sequence[str]:
        """The words by which functions reach an endpoint: its last segment, what texts with it are bound to, and the
        functions that are given it.

        From now on functions that mention one of these are looked at.
        """
        found = dict.fromkeys([endpoint.last] if endpoint.last else [])
        todo = list(found)
        for word in todo:
            new = [name for module in self.index.modules for name in self._bound(word, module) if name not in found]
            if len(found) + len(new) <= _NAMES:
                found.update(dict.fromkeys(new))
                todo += dict.fromkeys(new)
        found.update(dict.fromkeys(self._given(endpoint.last)))
        if not self._sought.keys() >= found.keys():
            self._sought.update(found)
            self._lines.clear()
        return list(found)

    def of(self, routine: Routine) -> Mapping[int, tuple[Request, ...]]:
        """The requests of a function's calls, by the identity of the call."""
        node = routine.function.node
        found = self._made.get(node)
        if found is None:
            if not self._speaks(routine):
                return {}
            scope = Scope(routine.module, routine.function)
            found = self._made[node] = {}
            for site in self.anatomies.of(routine).calls:
                requests = tuple(dict.fromkeys(self._requested(site, scope)))
                if requests:
                    found[id(site.call)] = requests
        return found

    def _bound(self, word: str, module: Module) -> Sequence[str]:
        known = self.anatomies.named.get((module, word))
        if known is None:
            known = self.anatomies.named[module, word] = tuple(_bound_to(word, module, self.index))
        return known

    def _given(self, segment: str) -> Iterator[str]:
        """The functions of the tree that are given a segment as it is, as far as the line tells."""
        for module in self.index.modules if segment else ():
            if not module.holds_any((f'"{segment}"', f"'{segment}'")):
                continue
            for line in module.lines_with(segment, alone=True):
                for name, text in _HANDED.findall(module.lines[line - 1]):
                    if text == segment and (name in self.index.functions or name in self.index.methods):
                        yield name

    def reached(self, request: Request) -> Iterator[Endpoint]:
        """The endpoints that a request can reach."""
        for part in dict.fromkeys(request.route):
            yield from (endpoint for endpoint in self._by_last.get(part, ()) if serves(endpoint, request))

    @cached_property
    def _by_last(self) -> Mapping[str, Sequence[Endpoint]]:
        found: dict[str, list[Endpoint]] = {}
        for endpoint in self.endpoints:
            if endpoint.last:
                found.setdefault(endpoint.last, []).append(endpoint)
        return found

    def _speaks(self, routine: Routine) -> bool:
        module = routine.module
        lines = self._lines.get(module.path)
        if lines is None:
            meant = [*self._sought, *(alias for alias, word in module.aliases.items() if word in self._sought)]
            lines = sorted({line for word in meant for line in module.lines_with(word, alone=True)})
            self._lines[module.path] = lines
        return stands_on(lines, routine)

    def _requested(self, site: CallSite, scope: Scope) -> Iterator[Request]:
        """What a call asks for: it posts to it, builds a request for it, or hands its name to a helper that does."""
        call = site.call
        if _asks(call):
            direct = list(self._direct(call, scope))
            if direct:
                yield from direct
                return
        if site.words.isdisjoint(self._by_last):
            return
        if any(isinstance(part, ast.Constant) and part.value in self._by_last for part in _arguments(call)):
            yield from self._through(call, scope)

    def _direct(self, call: ast.Call, scope: Scope) -> Iterator[Request]:
        method = _method(call)
        for argument in _arguments(call):
            yield from self._spelt(argument, scope, method)

    def _spelt(self, node: ast.expr, scope: Scope, method: str) -> Iterator[Request]:
        for text in self.speech.of(node, scope):
            path = text.lstrip(OPEN)
            if "/" in path and " " not in path:
                route = segments(path)
                if any(part != "*" for part in route):
                    yield Request(route, method)

    def _through(self, call: ast.Call, scope: Scope) -> Iterator[Request]:
        """What a function of the tree asks for on account of what it is given."""
        helper = self.speech.helper(call.func, scope)
        if helper is None:
            return
        plain = Scope(helper.module, helper.function)
        given = plain._replace(given=self.speech.given(helper, call, scope))
        if _asks(call):  # `self.url("reload")` builds what is asked for.
            yield from self._spelt(call, scope, "")
        for site in self.anatomies.of(helper).calls:
            if _asks(site.call):
                anyway = set(self._direct(site.call, plain))
                yield from (request for request in self._direct(site.call, given) if request not in anyway)


def _arguments(call: ast.Call) -> Iterator[ast.expr]:
    yield from call.args
    yield from (keyword.value for keyword in call.keywords)


def _asks(call: ast.Call) -> bool:
    """Whether a call of this name may make a request, or build one."""
    name = last_name(call.func)
    if name[:1].isupper() and "equest" in name:
        return not is_logging(call)
    return not (words(name).isdisjoint(HTTP_WORDS) or stores(call.func) or is_logging(call))


def _method(call: ast.Call) -> str:
    """The method of HTTP that a call says it uses."""
    name = last_name(call.func).strip("_")
    return method_given(call) or (name if name in METHODS else "")


def _bound_to(word: str, module: Module, index: Index) -> Iterator[str]:
    """The names that a module gives to texts with a segment, or with something of such a name, in them: those of
    constants and attributes, and of functions that return one.
    """
    for line in module.lines_with(word, alone=True):
        if not _BINDING.match(module.lines[line - 1]):
            continue
        routine = index.innermost(module, line)
        function = "" if routine is None else routine.name
        match _simple(module.tree.body if routine is None else routine.function.body, line):
            case ast.Return(value=ast.expr() as value) if function and _says(value, word):
                yield function
            case ast.Assign(targets=targets, value=value) if _says(value, word):
                yield from (last_name(target) for target in targets if _lasts(target, function))
            case ast.AnnAssign(target=target, value=ast.expr() as value) if _says(value, word):
                yield from [last_name(target)] if _lasts(target, function) else []


def _simple(body: Sequence[ast.stmt], line: int) -> ast.stmt | None:
    """The innermost statement on a line."""
    place = bisect_right(body, line, key=attrgetter("lineno")) - 1
    if place < 0 or line > (body[place].end_lineno or 0):
        return None
    inner = (_simple(block, line) for block in blocks(body[place]))
    return next((one for one in inner if one is not None), body[place])


def _lasts(target: ast.expr, function: str) -> bool:
    """Whether what is bound can be used elsewhere."""
    return isinstance(target, ast.Attribute) or (isinstance(target, ast.Name) and not function)


def _says(value: ast.expr, word: str) -> bool:
    """Whether an expression is a text put together from a segment, or from what goes by this name."""
    if isinstance(value, ast.Call) and last_name(value.func) not in ("format", "urljoin"):
        return False
    for part in walk(value):
        match part:
            case ast.Constant(value=str() as text) if word in _BETWEEN.split(text):
                return True
            case ast.Name(id=name) | ast.Attribute(attr=name) if name == word:
                return True
    return False
