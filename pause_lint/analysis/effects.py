"""What each function of the tree does to receivers, seen from outside, to a fixpoint over the call graph.

A function that pauses and nowhere resumes leaves an effect to its callers; so does the handler of an endpoint to
whoever names it in a request. Effects are expressed in the names of the function and mapped through receivers and
arguments at each call. Which function has to answer for an effect is decided in `duty`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pause_lint.analysis.anatomy import Anatomies, Anatomy, CallSite
from pause_lint.analysis.callables import Local
from pause_lint.analysis.calls import CallGraph
from pause_lint.analysis.clients import Requests
from pause_lint.analysis.endpoints import Endpoint, Request, endpoints
from pause_lint.analysis.events import OPAQUE, Deed, Events, Target, plain_receiver, same_receiver, words_of
from pause_lint.analysis.functions import defaults, is_nested_in, parameters
from pause_lint.analysis.guards import Term, Terms, last_name, substitute
from pause_lint.analysis.index import Index, Routine
from pause_lint.analysis.ownership import Conduct, Surroundings, is_final, is_test
from pause_lint.analysis.paths import Paths
from pause_lint.analysis.syntax import walk
from pause_lint.analysis.texts import Speech
from pause_lint.analysis.types import Types
from pause_lint.finding import Role, Step
from pause_lint.pairs import Pair, Vocabulary, fits, plain_name

MAX_HOPS = 12
_ROLES: dict[str, Role] = {"pause": "pause", "resume": "resume"}
_DEFINING = ("from ", "import ", "def ", "async def ", "class ", "#", '"', "'", ")")
"""How lines begin that bring a name in, or only tell of it."""
_COMMENT = re.compile(r"#\s*pause-lint:\s*(pauses|resumes|neutral)\b")


class Effect(NamedTuple):
    """What a call of a function leaves behind: `kind` is "pause" or "resume", of `receiver` in the function's own
    names.

    steps: from the function's own line to where it is done. spelling: of the pause or resume at the end.
    guarded: whether the function does it only under a condition. remote: whether it is done behind a request.
    """

    kind: str
    pair: Pair
    receiver: Term
    spelling: str
    steps: tuple[Step, ...]
    guarded: bool = False
    remote: bool = False


class Link(NamedTuple):
    """A call that has an effect: where it stands, the function it runs, and the effect in the caller's names.

    covered: the caller pauses the same receiver itself, and the pause belongs to that pair.
    """

    caller: Routine
    call: ast.Call
    callee: Routine
    effect: Effect
    target: Target | None
    covered: bool = False


class Summary(NamedTuple):
    """A function from inside and outside."""

    routine: Routine
    conduct: Conduct
    links: list[Link]
    effects: tuple[Effect, ...]
    yields: bool
    marked: str


class _Own(NamedTuple):
    """The effects of a function's own deeds, and the identities of the expressions that do them."""

    effects: tuple[Effect, ...]
    parts: frozenset[int]


class Effects:
    """The summaries of the functions of some modules, and the links between them."""

    def __init__(
        self,
        index: Index,
        events: Events,
        conducts: Mapping[int, Conduct],
        around: Mapping[str, Surroundings],
        outside: Mapping[str, str],
        anatomies: Anatomies,
    ) -> None:
        """`conducts`: by identity of functions; `around`: by path; `outside`: names of code elsewhere, and their
        effect.
        """
        self.around = around
        self.anatomies = anatomies
        self.index = index
        self.events = events
        self.terms: Terms = events.terms
        self.paths = Paths(index, events.terms)
        self.vocabulary: Vocabulary = events.vocabulary
        self.outside = outside
        self.summaries: dict[int, Summary] = {}
        self.conducts = conducts
        self.names: dict[str, set[int]] = {}
        self._mentions: dict[str, list[Routine]] = {}
        self._owns: dict[int, _Own] = {}
        types = Types(index)
        self.graph = CallGraph(index, types, self.has_effect, _by_receiver(self.vocabulary))
        speech = Speech(index, types, anatomies.bindings)
        self.endpoints: list[Endpoint] = endpoints(index, speech)
        self._declaring = frozenset(id(endpoint.declaration) for endpoint in self.endpoints)
        self.requests = Requests(index, speech, self.endpoints, anatomies)
        self._commented = {module.path for module in index.modules if "pause-lint:" in module.text}
        self.callers: dict[int, list[Link]] = {}
        self._run()

    def anatomy(self, routine: Routine) -> Anatomy:
        """What a function's body shows."""
        return self.anatomies.of(routine)

    def managers(self) -> dict[int, Target]:
        """The calls of generator functions that make context managers and resume, by identity."""
        makers = {
            key: self.index.routines[key]
            for key, conduct in self.conducts.items()
            if key in self.index.routines and conduct.resumes and _makes_manager(self.index.routines[key])
        }
        names = {routine.name for routine in makers.values()}
        found: dict[int, Target] = {}
        for name in sorted(names):
            for user in self._mentioning(name):
                for site in self.anatomy(user).calls:
                    if name in site.words:
                        targets = self.graph.targets(site.call, user, names)
                        if len(targets) == 1 and id(targets[0].node) in makers and not targets[0].handed:
                            found[id(site.call)] = targets[0]
        return found

    def surroundings(self, routine: Routine) -> Surroundings | None:
        """What the module of a function shows around it."""
        return self.around.get(routine.module.path)

    # -- the fixpoint --------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        queue = [
            routine
            for routine in self._ordered()
            if id(routine.function.node) in self.conducts or self._marked(routine)
        ]
        if self.outside:
            queue += [routine for name in self.outside for routine in self._mentioning(name)]
        rounds: dict[int, int] = {}
        while queue:
            routine = queue.pop(0)
            key = id(routine.function.node)
            rounds[key] = rounds.get(key, 0) + 1
            if rounds[key] > MAX_HOPS:
                continue
            before = self.summaries.get(key)
            summary = self._summary(routine)
            self.summaries[key] = summary
            if before is not None and _outline(before.effects) == _outline(summary.effects):
                continue
            if before is None and not summary.effects:
                continue
            for name in self._handles(routine):
                self.names.setdefault(name, set()).add(key)
                queue += [other for other in self._mentioning(name) if other not in queue and other is not routine]
        for key in sorted(self.summaries, key=lambda key: self.summaries[key].routine.order):
            for link in self.summaries[key].links:
                self.callers.setdefault(id(link.callee.function.node), []).append(link)

    def _ordered(self) -> list[Routine]:
        return sorted(self.index.routines.values(), key=lambda routine: routine.order)

    def has_effect(self, routine: Routine) -> bool:
        """Whether a function leaves anything paused or resumed."""
        summary = self.summaries.get(id(routine.function.node))
        return summary is not None and bool(summary.effects)

    def _handles(self, routine: Routine) -> Iterator[str]:
        """The words by which others reach the function: its name, of a special method that of its class (what
        constructing does is not followed), those under which modules import it, and those of each of its routes.
        """
        yield routine.name
        owner = self.index.owner(routine.function)
        if owner is not None and routine.name.startswith("__") and routine.name != "__init__":
            yield owner.name
        yield from self.index.names_of(routine)
        if routine.function.parent is not None:
            # What a function returns runs when what it gave is called, and what a decorator wraps around another one
            # when that is called.
            yield routine.function.parent.short
            yield from (other.name for other in self.index.decorated.get(routine.function.parent.short, ()))
        yield from self.index.aliases_of(routine.name)
        for endpoint in self.endpoints:
            if endpoint.handler is routine:
                yield from self.requests.names(endpoint)

    def _mentioning(self, name: str) -> list[Routine]:
        """The innermost functions whose lines mention a name."""
        known = self._mentions.get(name)
        if known is not None:
            return known
        found: dict[int, Routine] = {}
        aliases = self.index.aliases_of(name)
        for module in self.index.modules:
            meant = [name, *(alias for alias in aliases if module.aliases.get(alias) == name)]
            for line in sorted(line for word in meant for line in module.lines_with(word, alone=True)):
                routine = self.index.innermost(module, line)
                if routine is not None:
                    found[id(routine.function.node)] = routine
        self._mentions[name] = sorted(found.values(), key=lambda routine: routine.order)
        return self._mentions[name]

    def has_unknown_users(self, routine: Routine) -> bool:
        """Whether something in the tree names a function that is not understood to call it: it may, all the same."""
        key = id(routine.function.node)
        known = {key, *(id(link.caller.function.node) for link in self.callers.get(key, ()))}
        for name in self._handles(routine):
            for user in self._mentioning(name):
                if id(user.function.node) not in known and any(name in site.words for site in self.anatomy(user).calls):
                    return True
            for module in self.index.modules:
                for line in module.lines_with(name, alone=True):
                    text = module.lines[line - 1].strip()
                    if self.index.innermost(module, line) is None and not text.startswith(_DEFINING):
                        return True
        return False

    # -- one function --------------------------------------------------------------------------------------------------

    def _summary(self, routine: Routine) -> Summary:
        conduct = self._conduct(routine)
        marked = self._marked(routine)
        yields = self.anatomy(routine).yields
        links = [] if marked == "neutral" else self._links(routine)
        effects: tuple[Effect, ...] = ()
        if marked in ("pauses", "resumes"):
            effects = tuple(self._declared(routine, marked))
        elif not (marked or yields or is_test(routine.function)):
            last = is_final(routine.name)
            left = self._left(routine, conduct, links)
            effects = tuple(effect for effect in left if not last or effect.kind == "resume")
        return Summary(routine, conduct, links, effects, yields, marked)

    def _declared(self, routine: Routine, marked: str) -> Iterator[Effect]:
        """What a comment on the `def` line says."""
        node = routine.function.node
        assert not isinstance(node, ast.Module)
        first = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)][:1]
        receiver: Term = ("name", first[0]) if first else OPAQUE
        pair = self.vocabulary.pairs[0]
        kind = marked.removesuffix("s")
        spelling = min(pair.pauses if kind == "pause" else pair.resumes)
        text = f"{routine.name} is marked as one that {marked}"
        step = Step(routine.module.path, node.lineno, 1, text, _ROLES[kind], routine.function.name)
        yield Effect(kind, pair, receiver, spelling, (step,))

    def _left(self, routine: Routine, conduct: Conduct, links: Sequence[Link]) -> Iterator[Effect]:
        """The effects of a function: pauses that it nowhere resumes, or resumes if it pauses nothing."""
        own = self._own(routine, conduct).effects
        conditional = self.anatomy(routine).conditional
        every = [*own] + [
            link.effect._replace(guarded=True) if id(link.call) in conditional else link.effect
            for link in links
            if not link.covered
        ]
        pauses = [effect for effect in every if effect.kind == "pause"]
        resumes = [effect for effect in every if effect.kind == "resume"]
        seen: set[tuple[str, Term, frozenset[str]]] = set()
        left = [pause for pause in pauses if not any(answers_for(resume, pause) for resume in resumes)]
        if not pauses:
            left = resumes
        for effect in sorted(left, key=lambda one: (len(one.steps), one.steps[:1] and one.steps[0].line)):
            receiver = self.outward(effect.receiver, routine)
            key = (effect.kind, receiver, effect.pair.pauses)
            if key not in seen and len(effect.steps) <= MAX_HOPS:
                seen.add(key)
                yield effect if receiver == effect.receiver else effect._replace(receiver=receiver)

    def _own(self, routine: Routine, conduct: Conduct) -> _Own:
        """What a function's own body does, worked out once."""
        key = id(routine.function.node)
        found = self._owns.get(key)
        if found is None:
            done = (*conduct.pauses, *conduct.resumes)
            parts = frozenset(id(part) for deed in (*done, *conduct.dropped) for part in walk(deed.node))
            effects = tuple(self._explicit(routine, deed) for deed in done)
            found = self._owns[key] = _Own(effects, parts)
        return found

    def _explicit(self, routine: Routine, deed: Deed) -> Effect:
        verb = "pauses" if deed.kind == "pause" else "resumes"
        column = routine.module.column(deed.node.lineno, deed.node.col_offset)
        text = self.anatomies.source(deed.node)
        step = Step(
            routine.module.path,
            deed.node.lineno,
            column,
            f"{text[:80]} {verb} {deed.pair.noun}, in {routine.function.name}",
            _ROLES[deed.kind],
            routine.function.name,
        )
        guarded = id(deed.node) in self.anatomy(routine).conditional
        return Effect(deed.kind, deed.pair, self.outward(deed.receiver, routine), deed.spelling, (step,), guarded)

    def outward(self, receiver: Term, routine: Routine) -> Term:
        """A receiver without the function's own variables: those bound to one value are replaced by it."""
        node = routine.function.node
        if isinstance(node, ast.Module):
            return receiver
        names = parameters(node)
        anatomy = self.anatomy(routine)
        local = anatomy.variables
        resolving: set[str] = set()

        def leaf(term: Term) -> Term | None:
            if term and term[0] == "sym":
                # What a getter gives counts by the getter's text, as it does within one function.
                got = next((site.call for site in anatomy.calls if id(site.call) == term[1]), None)
                return ("local",) if got is None else ("got", self.anatomies.source(got))
            if not term or term[0] != "name" or term[1] in names or term[1] not in local:
                return None
            if term[1] in resolving:
                return ("local",)  # bound, in a circle, to itself
            resolving.add(term[1])
            found = {plain_receiver(substitute(value, leaf)) for value in local[term[1]]}
            resolving.discard(term[1])
            return found.pop() if len(found) == 1 else ("local",)

        made = anatomy.made
        constructed = {id(call) for call in made.values()}

        def kept(term: Term) -> Term | None:
            is_made = term and term[0] == "name" and term[1] in made
            return term if is_made else leaf(term)

        return substitute(self.paths.plain(substitute(receiver, kept if constructed else leaf), routine, made), leaf)

    def _marked(self, routine: Routine) -> str:
        node = routine.function.node
        if isinstance(node, ast.Module) or routine.module.path not in self._commented:
            return ""
        for line in routine.module.lines[node.lineno - 1 : node.body[0].lineno]:
            found = _COMMENT.search(line)
            if found:
                return found[1]
        return ""

    # -- links ---------------------------------------------------------------------------------------------------------

    def _links(self, routine: Routine) -> list[Link]:
        """The calls of a function that have an effect, each with the effect in the function's own names."""
        links: list[Link] = []
        own = self._own(routine, self._conduct(routine))
        names = self.names.keys() | self.outside.keys()
        requests = self.requests.of(routine) if self.endpoints else {}
        # What the function does itself, though by another name, is not looked for in functions of that name.
        callables = {
            name: values
            for name, values in self.anatomy(routine).callables.items()
            if not own.parts or not any(id(part) in own.parts for value in values for part in walk(value))
        }
        for site in self.anatomy(routine).calls:
            asked = requests.get(id(site.call), ())
            if id(site.call) in own.parts or id(site.call) in self._declaring:
                continue
            if asked or not site.words.isdisjoint(names):
                links += self._links_of(site, routine, asked, callables)
        paused = [effect for effect in own.effects if effect.kind == "pause"]
        return [
            link._replace(covered=True) if self._is_covered(link.effect, paused, routine) else link for link in links
        ]

    def _is_covered(self, effect: Effect, paused: Sequence[Effect], routine: Routine) -> bool:
        """Whether a pause that a call has done belongs to one of those that the caller does itself: of the same
        receiver, or of what some call gives, which may be the same.
        """
        receiver = self.outward(effect.receiver, routine)
        return effect.kind == "pause" and any(
            same_receiver(one.receiver, receiver) or (_is_given(receiver) and one.pair.pauses & effect.pair.pauses)
            for one in paused
        )

    def _conduct(self, routine: Routine) -> Conduct:
        return self.conducts.get(id(routine.function.node)) or Conduct(routine.function, (), ())

    def _links_of(
        self, site: CallSite, routine: Routine, requests: Sequence[Request], callables: Local
    ) -> Iterator[Link]:
        call = site.call
        anatomy = self.anatomy(routine)
        for target in self.graph.targets(call, routine, self.names, callables):
            callee = self.index.routines[id(target.node)]
            # A coroutine that is kept under a name has not run yet, and where it will is not followed.
            waits = isinstance(target.node, ast.AsyncFunctionDef) and not target.handed and id(call) in anatomy.kept
            for effect in self._effects(callee):
                if (waits and effect.kind == "pause") or not _is_of(effect, target):
                    continue
                mapped = self._mapped(effect, call, target, routine, callee)
                if mapped is not None:
                    yield Link(routine, call, callee, mapped, target)
        for request in requests:
            yield from self._served(request, call, routine)
        kind = self.outside.get(last_name(call.func))
        if kind is not None:
            yield self._configured(call, routine, kind)

    def _effects(self, routine: Routine) -> tuple[Effect, ...]:
        summary = self.summaries.get(id(routine.function.node))
        return summary.effects if summary is not None else ()

    def _configured(self, call: ast.Call, routine: Routine, kind: str) -> Link:
        """A call of a function outside the tree whose effect the configuration states."""
        pair = self.vocabulary.pairs[0]
        receiver = self.terms.of(call.func.value, {}) if isinstance(call.func, ast.Attribute) else OPAQUE
        spelling = min(pair.pauses if kind == "pause" else pair.resumes)
        text = f"the configuration says that {last_name(call.func)}() {kind}s {pair.noun}"
        step = self._step(call, routine, text, _ROLES[kind])
        return Link(routine, call, routine, Effect(kind, pair, receiver, spelling, (step,)), None)

    def _served(self, request: Request, call: ast.Call, routine: Routine) -> Iterator[Link]:
        """What a request that the call makes, or builds, has done in the process that serves it."""
        for endpoint in self.requests.reached(request):
            if endpoint.handler is routine:
                continue
            for effect in self._effects(endpoint.handler):
                path = "/" + "/".join(endpoint.route)
                hop = self._step(call, routine, f"{routine.function.name} makes a request to {path}", "request", path)
                node = endpoint.handler.function.node
                served = Step(
                    endpoint.handler.module.path,
                    getattr(node, "lineno", 1),
                    1,
                    f"in the process that serves {path}, {endpoint.handler.name}() runs",
                    "serve",
                    endpoint.handler.function.name,
                    path,
                )
                receiver: Term = ("name", "self") if self.index.owner(routine.function) is not None else OPAQUE
                mapped = effect._replace(receiver=receiver, steps=(hop, served, *effect.steps), remote=True)
                yield Link(routine, call, endpoint.handler, mapped, None)

    def _mapped(
        self, effect: Effect, call: ast.Call, target: Target, routine: Routine, callee: Routine
    ) -> Effect | None:
        """An effect of a callee in the names of its caller.

        None if the caller has nothing to do with it: an engine that the callee has made and put to rest.
        """
        own = callee.function.node
        assert not isinstance(own, ast.Module)
        enclosed = is_nested_in(callee.function, routine.function.node)
        names = parameters(own)
        first = [argument.arg for argument in (*own.args.posonlyargs, *own.args.args)][:1]
        static = any(last_name(decorator) == "staticmethod" for decorator in own.decorator_list)
        spread = any(isinstance(part, ast.Starred) for part in call.args) or any(not k.arg for k in call.keywords)
        default = {} if spread or target.handed else defaults(own.args)
        lost = False

        def leaf(term: Term) -> Term | None:
            nonlocal lost
            if term == ("local",):
                lost = True
            if not term or term[0] != "name":
                return None
            name = term[1]
            if callee.function.owner is not None and [name] == first and target.receiver is not None and not static:
                return self.terms.of(target.receiver, {})
            if name in target.mapped:
                return ("each", self.terms.iterable(target.arguments[name], {}))
            if name in target.arguments:
                return self.terms.of(target.arguments[name], {})
            if isinstance(default.get(name), ast.Constant):
                return self.terms.of(default[name], {})
            if name in names or (not enclosed and name == "self"):
                lost = True
            return None

        receiver = substitute(effect.receiver, leaf)
        if lost and effect.kind == "pause" and effect.pair.rests:
            return None
        if lost or effect.receiver == OPAQUE:
            receiver = self._object(target, routine)
        how = f" (declared as {target.declared})" if target.declared else ""
        verb = "hands on" if target.handed else "calls"
        hop = self._step(call, routine, f"{routine.function.name} {verb} {callee.function.name}{how}", "call")
        return effect._replace(receiver=receiver, steps=(hop, *effect.steps))

    def _object(self, target: Target, routine: Routine) -> Term:
        """The object whose method led to an effect of which the receiver is not known."""
        if target.receiver is not None:
            return self.terms.of(target.receiver, {})
        return ("name", "self") if self.index.owner(routine.function) is not None else OPAQUE

    def _step(self, call: ast.Call, routine: Routine, message: str, role: Role, endpoint: str = "") -> Step:
        column = routine.module.column(call.lineno, call.col_offset)
        return Step(routine.module.path, call.lineno, column, message, role, routine.function.name, endpoint)


def answers_for(resume: Effect, pause: Effect) -> bool:
    """Whether a resume undoes a pause: of one pair, and of one receiver as far as both are known."""
    if plain_name(resume.spelling) not in pause.pair.resumes:
        return False
    if ("local",) in (resume.receiver, pause.receiver):
        return resume.receiver == pause.receiver
    return same_receiver(pause.receiver, resume.receiver)


def _is_given(receiver: Term) -> bool:
    """Whether a receiver is, or belongs to, what a call gives."""
    while receiver and receiver[0] in ("attr", "each", "item"):
        receiver = receiver[1]
    return receiver[:1] == ("got",)


def _is_of(effect: Effect, target: Target) -> bool:
    """Whether what a parameter is given can be what the pair pauses: `self.actor` is no engine, though handed on as
    one.
    """
    given = target.arguments.get(str(effect.receiver[1])) if effect.receiver[:1] == ("name",) else None
    return not isinstance(given, ast.Attribute) or fits(effect.pair, words_of(given))


def _by_receiver(vocabulary: Vocabulary) -> frozenset[str]:
    """The names that pause or resume on certain receivers only."""
    pairs = [pair for pair in vocabulary.pairs if pair.receivers or pair.never]
    return frozenset().union(*(pair.pauses | pair.resumes for pair in pairs))


def _makes_manager(routine: Routine) -> bool:
    node = routine.function.node
    return not isinstance(node, ast.Module) and any(
        last_name(decorator) in ("contextmanager", "asynccontextmanager") for decorator in node.decorator_list
    )


def _outline(effects: tuple[Effect, ...]) -> set[tuple[str, Term, frozenset[str]]]:
    return {(effect.kind, effect.receiver, effect.pair.pauses) for effect in effects}
