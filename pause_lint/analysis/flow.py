"""Walks the graph of one function along every path and follows one pause until it is undone or gets away.

The typestate is small: the pause is open on some receiver, or not. What is remembered of conditions grows by need
(counterexample-guided refinement: Clarke et al., CAV 2000): a first walk remembers none; a leak found that way is
replayed remembering everything; if no real path leads to it, the conditions in conflict are remembered from then on.
So irrelevant conditions cost nothing. Over `MAX_STATES` it is no longer refined: a leak counts if a real path to it is
found soon; if there is none, the pause is given up, which is a miss, and said.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

from pause_lint.analysis import graph as g
from pause_lint.analysis.events import Deed, receiver_names, same_receiver
from pause_lint.analysis.exceptions import SOME, Thrown, catch
from pause_lint.analysis.guards import Facts, Term, decide, implied, location, question, substitute, symbols
from pause_lint.analysis.liveness import live, root
from pause_lint.pairs import plain_name

MAX_STATES = 20_000
MAX_REPLAY = 6_000
MAX_QUICK_REPLAY = 1_500
MAX_QUICK_REPLAYS = 12
MAX_ROUNDS = 40
_MAX_SIZE = 200
_LARGE = 400
"""A graph of so many nodes has more states than one cares to walk through twice."""

Env = frozenset[tuple[str, Term]]
"""Variables and paths with their values. A frozen set remembers its hash; a tuple works it out again each time."""
Flying = tuple[Thrown, int]
"""An exception in flight or caught, and the node that raised it (-1: before the pause)."""
_Exit = tuple[int, int, str, bool]
"""Where a path escapes, where it leaves, with what, and whether the pause was partial."""


class Open(NamedTuple):
    """The pause in force: on what, whether only some of several got paused, and what of it is still paused, if that
    can be resumed by portions.
    """

    receiver: Term
    partial: bool = False
    portions: frozenset[str] = frozenset()


class State(NamedTuple):
    """What is known on arrival at a node. There are thousands of these: a tuple is made and hashed much faster."""

    node: int
    facts: Facts = frozenset()
    env: Env = frozenset()
    open: Open | None = None
    stack: tuple[Flying | int, ...] = ()


class Leak(NamedTuple):
    """One way out with the pause in force: where the path escapes, where it leaves, and the nodes it goes through."""

    escape: int
    exit: int
    thrown: Thrown | None
    partial: bool
    path: tuple[int, ...]


class Followed(NamedTuple):
    """What became of one pause."""

    leaks: tuple[Leak, ...]
    closers: frozenset[int]
    """The nodes that undo it on some path, by resuming or by pausing again."""
    given_up: bool = False


class _Walk:
    """The states one walk reached, numbered, with the edges between them."""

    def __init__(self) -> None:
        self.states: list[State] = []
        self.edges: list[list[int]] = []
        self.leaks: dict[_Exit, list[int]] = {}
        self.closers: set[int] = set()
        self.overflow = False

    @cached_property
    def back(self) -> list[list[int]]:
        """The edges backwards, once there are no more to come."""
        found: list[list[int]] = [[] for _ in self.states]
        for number, after in enumerate(self.edges):
            for to in after:
                found[to].append(number)
        return found


def follow(
    graph: g.Graph,
    site: int,
    rank: Callable[[Leak], Any],
    settles: Callable[[Leak], bool],
    may_return: bool = False,
) -> Followed:
    """Follow the pause at node `site` of `graph` through every path. `may_return`: to return paused is no leak.

    Leaks are confirmed in the order of `rank` (their `path` is empty then), up to the first that `settles` the matter.
    """
    return Follower(graph, site).run(rank, settles, may_return)


def undoes(deed: Deed, pause: Deed) -> bool:
    """Whether `deed` resumes what `pause` pauses, receivers apart."""
    name = plain_name(deed.spelling)
    return deed.kind == "resume" and (name in pause.pair.resumes or name in pause.pair.pauses)


class Follower:
    def __init__(self, graph: g.Graph, site: int) -> None:
        self.graph = graph
        self.nodes = graph.nodes
        self.site = site
        self.before = graph.before()
        self.deed: Deed = graph.nodes[site].arg
        self.portions = self._portions()
        self.useful = self.reaching(site)
        self.tracked: frozenset[str] = frozenset()
        self.sites: frozenset[int] = frozenset()
        self.formulas: dict[tuple[int, Env], Term] = {}
        self.pruned: dict[tuple[int, Env], Env] = {}
        # What no later condition reads is forgotten where that pays off.
        self.live = live(graph) if len(graph.nodes) > _LARGE else None

    def run(self, rank: Callable[[Leak], Any], settles: Callable[[Leak], bool], may_return: bool = False) -> Followed:
        """Walk, replay, refine, until the leaks that count are ones that real paths lead to."""
        wanted = self.receivers()
        everything = self.closure(wanted.union(*(node.keys for node in self.nodes)))
        refuted: set[_Exit] = set()
        whole: _Walk | None = None
        for _ in range(MAX_ROUNDS):
            self.track(self.closure(wanted))
            walk = self._walk()
            if walk.overflow and self.live is None:
                self.live = live(self.graph)
                walk = self._walk()
            if walk.overflow:
                return self._any(whole or walk, self._leaks(whole or walk, rank, refuted, may_return), everything)
            whole = walk
            confirmed: list[Leak] = []
            learned = False
            for leak in self._leaks(walk, rank, refuted, may_return):
                key = _key(leak)
                path, blame = self._replay(walk, walk.leaks[key], everything)
                if path is not None:
                    confirmed.append(leak._replace(path=path))
                    if settles(leak):
                        break
                elif blame - wanted:
                    wanted |= blame
                    learned = True
                    break
                else:
                    refuted.add(key)
            if not learned:
                return Followed(tuple(confirmed), frozenset(walk.closers))
        return Followed((), frozenset(), given_up=True)

    def _leaks(self, walk: _Walk, rank: Callable[[Leak], Any], refuted: set[_Exit], may_return: bool) -> list[Leak]:
        """The ways out that a walk has found, in order."""
        every = (self._leak(walk, key, ()) for key in walk.leaks if key not in refuted and not self._is_own(key))
        return sorted((leak for leak in every if leak.thrown is not None or not may_return), key=rank)

    def _any(self, walk: _Walk, leaks: Iterable[Leak], everything: frozenset[str]) -> Followed:
        """Among too many states, the first way out that a real path is quickly found to."""
        for leak in islice(leaks, MAX_QUICK_REPLAYS):
            path, _ = self._replay(walk, walk.leaks[_key(leak)], everything, MAX_QUICK_REPLAY)
            if path is not None:
                return Followed((leak._replace(path=path),), frozenset(walk.closers))
        return Followed((), frozenset(), given_up=True)

    def _portions(self) -> frozenset[str]:
        """What the pause has to have resumed one by one: what its call says, else all that is resumed so here.

        Empty if the resumes speak of other portions, or of none: then any of them resumes all.
        """
        resumed = [node.arg.portions for node in self.nodes if node.op == g.DEED and undoes(node.arg, self.deed)]
        spoken: frozenset[str] = frozenset().union(*resumed)
        return self.deed.portions if self.deed.portions & spoken else frozenset() if self.deed.portions else spoken

    def _is_own(self, way: _Exit) -> bool:
        """Whether an escape stands in the function, put in place of a call, that pauses: a pause that raises has not
        paused.
        """
        site = self.nodes[self.site].site
        return site is not None and self.nodes[way[0]].site is site

    def receivers(self) -> set[str]:
        """What is remembered from the start: what receivers, raised names and registrations depend on."""
        wanted = {name for name in self.graph.defined if name.startswith("#")}
        if self.deed.pair.tested:
            wanted |= {f"@{place}" for place in self.nodes[self.site].fresh}
        for node in self.nodes:
            if node.op == g.DEED and (
                undoes(node.arg, self.deed) or plain_name(node.arg.spelling) in self.deed.pair.pauses
            ):
                wanted |= receiver_names(node.arg)
            elif node.op == g.RAISE and node.arg[0] == "name":
                wanted.add(node.arg[1])
        return wanted

    def _leak(self, walk: _Walk, key: _Exit, path: tuple[int, ...]) -> Leak:
        return Leak(key[0], key[1], self._thrown(walk.states[walk.leaks[key][0]]), key[3], path)

    def _thrown(self, state: State) -> Thrown | None:
        if self.nodes[state.node].op != g.RAISED:
            return None
        top = state.stack[0]
        return top[0] if isinstance(top, tuple) else None

    def reaching(self, target: int) -> frozenset[int]:
        """The nodes from which edges, conditions apart, lead to `target`."""
        found: set[int] = set()
        stack = [target]
        while stack:
            index = stack.pop()
            if index not in found:
                found.add(index)
                stack += self.before[index]
        return frozenset(found)

    def closure(self, wanted: Iterable[str]) -> frozenset[str]:
        """`wanted` and whatever those are computed from."""
        closed: set[str] = set()
        stack = list(wanted)
        while stack:
            name = stack.pop()
            if name not in closed:
                closed.add(name)
                stack += self.graph.defined.get(name, ())
        return frozenset(closed)

    def track(self, names: frozenset[str]) -> None:
        """Remember these variables and paths from now on."""
        self.tracked = names
        sites = {int(name[1:]) for name in names if name[0] == "@"}
        for node in self.nodes:
            if node.op == g.ASSIGN:
                for name, term in node.arg:
                    if name in names:
                        sites.update(part[1] for part in symbols(term))
        self.sites = frozenset(sites)

    # -- the walk ------------------------------------------------------------------------------------------------------

    def _walk(self) -> _Walk:
        walk = _Walk()
        numbers: dict[State, int] = {}
        start = State(self.graph.entry)
        numbers[start] = 0
        walk.states.append(start)
        walk.edges.append([])
        queue = [0]
        for number in queue:
            state = walk.states[number]
            op = self.nodes[state.node].op
            if op in (g.RETURN, g.RAISED):
                self._arrive(walk, number, state)
                continue
            for after in self.step(state, walk.closers):
                if after.open is None and after.node not in self.useful:
                    continue
                known = numbers.get(after)
                if known is None:
                    known = numbers[after] = len(walk.states)
                    walk.states.append(after)
                    walk.edges.append([])
                    queue.append(known)
                walk.edges[number].append(known)
            if len(walk.states) > MAX_STATES:
                walk.overflow = True
                break
        return walk

    def _arrive(self, walk: _Walk, number: int, state: State) -> None:
        if state.open is None:
            return
        escape = state.node
        thrown = self._thrown(state)
        if thrown is not None:
            top = state.stack[0]
            escape = top[1] if isinstance(top, tuple) and top[1] >= 0 else state.node
        walk.leaks.setdefault((escape, state.node, _named(thrown), state.open.partial), []).append(number)

    def step(self, state: State, closers: set[int]) -> Iterator[State]:
        """Every state that one step from `state` can lead to, without what no path from there reads."""
        after = self._step(state, closers)
        return after if self.live is None else map(self._pruned, after)

    def _pruned(self, state: State) -> State:
        place = (state.node, state.env)
        kept = self.pruned.get(place)
        if kept is None:
            assert self.live is not None
            read = self.live[state.node]
            kept = frozenset(item for item in state.env if item[0][0] in "#@" or root(item[0]) in read)
            self.pruned[place] = kept
        return state if len(kept) == len(state.env) else state._replace(env=kept)

    def _step(self, state: State, closers: set[int]) -> Iterator[State]:
        node = self.nodes[state.node]
        op = node.op
        if op == g.SKIP:
            yield self.go(state, node.next)
        elif op == g.CALL:
            after = self._renew(state, node.fresh)
            for thrown in node.raises:
                yield self.throw(state, node, thrown, state.node)
            yield self.go(after, node.next)
        elif op == g.DEED:
            yield from self.on_deed(state, node, closers)
        elif op == g.ASSIGN:
            yield self.go(self._assign(self._renew(state, node.fresh), node.arg), node.next)
        elif op == g.BRANCH:
            yield from self._branch(state, node)
        elif op == g.CHOICE:
            yield self.go(state, node.next)
            yield self.go(state, node.alt)
        elif op == g.RAISE:
            yield self._raise(state, node)
        elif op == g.DISPATCH:
            yield from self._dispatch(state, node)
        elif op == g.REGROUP:
            yield from self._regroup(state, node)
        elif op == g.ENTER:
            yield self._at(state, node.next, (*state.stack[: node.depth], node.arg))
        elif op == g.END:
            top = state.stack[node.depth - 1]
            if isinstance(top, tuple):
                yield self.fly(state, node.handler, top)
            else:
                yield self.go(state, top)
        elif op == g.BIND:
            name, place, star = node.arg
            top = state.stack[place]
            caught = top if isinstance(top, tuple) else (SOME, -1)
            # Among too many states, all that were raised somewhere and are kept under a name count as one.
            value: Term = ("exc", caught if self.live is None else (caught[0], -1))
            if star:
                value = ("exc", (_grouped(value[1][0]), value[1][1]))
            yield self.go(self._assign(state, [(name, value)]), node.next)

    def _at(self, state: State, target: int, stack: tuple[Flying | int, ...]) -> State:
        return State(target, state.facts, state.env, state.open, stack)

    def go(self, state: State, target: int) -> State:
        depth = self.nodes[target].depth
        stack = state.stack
        return State(target, state.facts, state.env, state.open, stack if len(stack) == depth else stack[:depth])

    def fly(self, state: State, handler: int, flying: Flying) -> State:
        return self._at(state, handler, (*state.stack[: self.nodes[handler].depth - 1], flying))

    def throw(self, state: State, node: g.Node, thrown: Thrown, origin: int) -> State:
        return self.fly(state, node.handler, (thrown, origin if state.open is not None else -1))

    def _raise(self, state: State, node: g.Node) -> State:
        kind, value = node.arg
        flying: Flying = (SOME, state.node)
        if kind == "new":
            flying = (value, state.node)
        elif kind in ("again", "group") and value is not None:
            top = state.stack[value]
            if isinstance(top, tuple):
                flying = top if kind == "again" else (_grouped(top[0]), top[1])
        elif kind == "name":
            known = dict(state.env).get(value)
            if known is not None and known[0] == "exc":
                flying = known[1]
        if state.open is None:
            flying = (flying[0], -1)
        elif flying[1] < 0:
            flying = (flying[0], state.node)
        return self.fly(state, node.handler, flying)

    def _dispatch(self, state: State, node: g.Node) -> Iterator[State]:
        top = state.stack[node.depth - 1]
        assert isinstance(top, tuple)
        thrown: Thrown | None = top[0]
        assert thrown is not None
        below = state.stack[: node.depth - 1]
        if any(clause.star for clause in node.arg):
            if _is_group(thrown):
                yield from self._rest_of_group(state, node, node.arg, below, (thrown, top[1]))
                return
            if not thrown.exact:
                yield from self._rest_of_group(state, node, node.arg, below, (_GROUP, top[1]))
        for clause in node.arg:
            assert thrown is not None
            caught, rest = catch(thrown, clause.types, self.graph.hierarchy)
            for part in caught:
                yield self._at(state, clause.target, (*below, (part, top[1])))
            if rest is None:
                return
            thrown = rest
        assert thrown is not None
        yield self.fly(state, node.handler, (thrown, top[1]))

    def _rest_of_group(
        self, state: State, node: g.Node, clauses: Iterable[g.Clause], below: tuple[Flying | int, ...], group: Flying
    ) -> Iterator[State]:
        """A group meets `except*` clauses (PEP 654): any may take a part of it, or none; `Exception` takes all."""
        for clause in clauses:
            yield self._at(state, clause.target, (*below, group))
            if catch(SOME, clause.types, self.graph.hierarchy)[1] is None:
                return
        yield self.fly(state, node.handler, group)

    def _regroup(self, state: State, node: g.Node) -> Iterator[State]:
        """An `except*` body has ended, or failed: then the stack is one higher."""
        failed = node.next < 0
        place = node.depth - 2 if failed else node.depth - 1
        caught = state.stack[place]
        assert isinstance(caught, tuple)
        if not _is_group(caught[0]):
            if failed:
                flying = state.stack[place + 1]
                assert isinstance(flying, tuple)
                yield self.fly(state, node.handler, flying)
            else:
                yield self.go(state, node.next)
            return
        if failed:
            origin = state.stack[place + 1]
            assert isinstance(origin, tuple)
            caught = (_FAILED_GROUP, origin[1])
        elif caught[0] != _FAILED_GROUP:
            yield self.go(state, node.next)
        clauses, taken = node.arg
        if not taken:
            yield from self._rest_of_group(state, node, clauses, state.stack[:place], caught)
        elif caught[0] == _FAILED_GROUP:
            yield self.fly(state, node.handler, caught)

    # -- pauses and resumes --------------------------------------------------------------------------------------------

    def on_deed(self, state: State, node: g.Node, closers: set[int]) -> Iterator[State]:
        deed: Deed = node.arg
        index = state.node
        receiver = self.receiver(deed.receiver, state)
        before = state
        state = self._renew(state, node.fresh)
        if index == self.site or (deed.kind == "pause" and deed.node is self.deed.node):
            yield from self._pause(before, state, node, receiver, closers)
            return
        held = state.open if state.open is not None and same_receiver(state.open.receiver, receiver) else None
        resumes = held is not None and undoes(deed, self.deed)
        repeats = held is not None and deed.kind == "pause" and plain_name(deed.spelling) in self.deed.pair.pauses
        apart = deed.portions and held is not None and held.portions and not deed.portions & held.portions
        if (resumes or repeats) and not apart:
            closers.add(index)
            left = held.portions - deed.portions if held is not None and deed.portions else frozenset()
            still = held._replace(portions=left) if held is not None and left else None
            closed = State(state.node, state.facts, state.env, still, state.stack)
            yield self.go(closed, node.next)
            failed = closed if resumes else state
        else:
            yield self.go(state, node.next)
            failed = state
        for thrown in node.raises:
            yield self.throw(failed, node, thrown, index)

    def _pause(self, before: State, state: State, node: g.Node, receiver: Term, closers: set[int]) -> Iterator[State]:
        deed: Deed = node.arg
        taken = Open(receiver, portions=self.portions)
        there = self._resolve(deed.receiver, state.env)
        known = {(("true", there), True)} if there and there[0] in ("var", "attr", "sym") else set()
        for over in _iterated(there):
            asked = question(over)
            if asked[0] == "lit" and asked[1][0] == "true" and asked[1][1][0] in ("var", "attr", "sym", "got", "item"):
                known.add((asked[1], True))
        if known:
            # What could be paused is there, and what was paused one by one is not empty: `if engine:`, `if engine is
            # not
            # None:` and a loop over the engines agree from here on.
            state = State(state.node, state.facts | known, state.env, state.open, state.stack)
        held = state.open
        # Of several that are paused at once, each is an engine of its own.
        several = receiver[1][2] if receiver[:1] == ("each",) and receiver[1][:2] == ("op", "tuple") else ()
        outcomes: list[Open | None] = [taken._replace(receiver=one) for one in several] or [taken]
        if held is not None:
            if same_receiver(held.receiver, receiver):
                closers.add(state.node)
            else:
                outcomes.append(held)
        for outcome in outcomes:
            after = State(state.node, state.facts, state.env, outcome, state.stack)
            if deed.pair.tested:
                place = ("true", ("sym", node.fresh[0], 0)) if node.fresh else None
                if place is not None:
                    yield self.go(
                        State(state.node, state.facts | {(place, True)}, state.env, outcome, state.stack), node.next
                    )
                    yield self.go(
                        State(state.node, state.facts | {(place, False)}, state.env, held, state.stack), node.next
                    )
                    continue
            yield self.go(after, node.next)
        failed = [before]
        if deed.many and held is None:
            partly = [taken._replace(receiver=one, partial=True) for one in several or (receiver,)]
            failed = [State(before.node, before.facts, before.env, one, before.stack) for one in partly]
        for one in failed:
            for thrown in node.raises:
                yield self.throw(one, node, thrown, state.node)

    def receiver(self, term: Term, state: State) -> Term:
        """A receiver as a value; what a call gave counts by the call's text, so that two calls of one getter agree."""

        def leaf(part: Term) -> Term | None:
            if part and part[0] == "sym" and part[1] in self.graph.places:
                return ("got", ast.unparse(self.graph.places[part[1]]))
            if part and part[0] == "each" and part[1] and part[1][0] == "listof":
                return substitute(part[1][1], leaf)
            return None

        return substitute(self._resolve(term, state.env), leaf)

    # -- values and conditions -----------------------------------------------------------------------------------------

    def _resolve(self, term: Term, env: Env) -> Term:
        known = dict(env)

        def leaf(part: Term) -> Term | None:
            if not part or part[0] not in ("name", "attr", "item"):
                return None
            path = location(part)
            if path is not None and path in known:
                return known[path]
            return ("var", part[1]) if part[0] == "name" else None

        return substitute(term, leaf)

    def _renew(self, state: State, fresh: tuple[int, ...]) -> State:
        """Evaluate expressions again: what was remembered of their last value is of their value before."""
        sites = [site for site in fresh if site in self.sites]
        if not sites or not (state.env or state.facts):
            return state

        def leaf(part: Term) -> Term | None:
            if part and part[0] == "sym" and part[1] in sites:
                return ("sym", part[1], part[2] + 1)
            return None

        facts = set()
        for atom, answer in state.facts:
            aged = substitute(atom, leaf)
            if not any(part[2] > 1 for part in symbols(aged)):
                facts.add((aged, answer))
        env = []
        for name, value in state.env:
            aged = substitute(value, leaf)
            env.append((name, ("sym", f"lost {name}", 0) if any(part[2] > 1 for part in symbols(aged)) else aged))
        return State(state.node, frozenset(facts), frozenset(env), state.open, state.stack)

    def _assign(self, state: State, pairs: list[tuple[str, Term]]) -> State:
        known = dict(state.env)
        values = [(name, self._resolve(term, state.env)) for name, term in pairs if name in self.tracked]
        for name, _ in pairs:
            if name.endswith("["):
                known = {key: value for key, value in known.items() if not key.startswith(name)}
            else:
                known.pop(name, None)
                known = {key: value for key, value in known.items() if not key.startswith((name + ".", name + "["))}
        for name, value in values:
            if not name.endswith("["):
                known[name] = value if _size(value) < _MAX_SIZE else ("sym", f"large {name}", 0)
        if any(name.endswith("[") for name, _ in values):
            return State(state.node, frozenset(), frozenset(known.items()), state.open, state.stack)
        return State(state.node, state.facts, frozenset(known.items()), state.open, state.stack)

    def _branch(self, state: State, node: g.Node) -> Iterator[State]:
        if not (node.keys <= self.tracked):
            yield self.go(state, node.next)
            yield self.go(state, node.alt)
            return
        asked = (state.node, state.env)
        formula = self.formulas.get(asked)
        if formula is None:
            formula = self.formulas[asked] = question(self._resolve(node.arg, state.env))
        pending = [state.facts]
        seen: set[tuple[int, Facts]] = set()
        while pending:
            facts = pending.pop()
            answer = decide(formula, facts)
            if isinstance(answer, bool):
                target = node.next if answer else node.alt
                result = (target, facts)
                if result not in seen:
                    seen.add(result)
                    yield self.go(State(state.node, result[1], state.env, state.open, state.stack), target)
            else:
                pending += [facts | {(answer, False)}, facts | {(answer, True)}]

    # -- replaying a leak ----------------------------------------------------------------------------------------------

    def _replay(
        self, walk: _Walk, ends: list[int], everything: frozenset[str], budget: int = MAX_REPLAY
    ) -> tuple[tuple[int, ...] | None, set[str]]:
        """A real path to a leak at one of the states `ends`, or the conditions that rule out every path found."""
        tracked, sites = self.tracked, self.sites
        self.track(everything)
        try:
            return self._search(walk, self._distances(walk, ends), tracked, budget)
        finally:
            self.tracked, self.sites = tracked, sites

    def _distances(self, walk: _Walk, ends: list[int]) -> dict[int, int]:
        back = walk.back
        distance = dict.fromkeys(ends, 0)
        queue = list(ends)
        for number in queue:
            for earlier in back[number]:
                if earlier not in distance:
                    distance[earlier] = distance[number] + 1
                    queue.append(earlier)
        return distance

    def _search(
        self, walk: _Walk, distance: dict[int, int], known: frozenset[str], budget: int
    ) -> tuple[tuple[int, ...] | None, set[str]]:
        """Depth first, the nearest way to the leak first. Where a condition bars the way, the search goes on from where
        the condition was decided (backjumping: Marques-Silva and Sakallah, GRASP, IEEE Transactions on Computers 48).
        """
        start = State(self.graph.entry)
        seen = {(0, start)}
        blame: dict[int, set[str]] = {}
        trail: list[tuple[State, int]] = []  # states on the way, each with the place of the one before
        work: list[tuple[int, State, int]] = [(0, start, -1)]
        while work and budget:
            budget -= 1
            number, state, parent = work.pop()
            trail.append((state, parent))
            here = len(trail) - 1
            if not distance[number]:
                return tuple(reversed([trail[place][0].node for place in _upwards(trail, here)])), set()
            wanted = [to for to in walk.edges[number] if to in distance]
            concrete = list(self.step(state, set()))
            matched: list[tuple[int, int, State]] = []
            for to in wanted:
                image = walk.states[to]
                matched += [
                    (distance[to], to, after)
                    for after in concrete
                    if after.node == image.node
                    and after.open == image.open
                    and after.stack == image.stack
                    and _agrees(image.facts, after.facts)
                ]
            node = self.nodes[state.node]
            reached = {to for _, to, _ in matched}
            barred: int | bool = False
            if node.op in (g.BRANCH, g.RAISE) and len(reached) < len(set(wanted)):
                keys = set(node.keys) if node.op == g.BRANCH else {node.arg[1]}
                blame.setdefault(distance[number], set()).update(keys)
                barred = node.op == g.BRANCH and min(distance[to] for to in wanted if to not in reached)
            matched.sort(key=lambda item: -item[0])
            for _, to, after in matched:
                if (to, after) not in seen:
                    seen.add((to, after))
                    work.append((to, after, here))
            if barred and barred < min((distance[to] for to in reached), default=1 << 30):
                self._jump_back(work, trail, here)
        # The conflict nearest to the leak is the one that the walk has to learn first.
        for away in sorted(blame):
            if blame[away] - known:
                return None, blame[away]
        return None, set()

    def _jump_back(self, work: list[tuple[int, State, int]], trail: list[tuple[State, int]], here: int) -> None:
        """Bring to the top of `work` the other ways from where the condition at the end of `trail` was decided."""
        state = trail[here][0]
        formula = question(self._resolve(self.nodes[state.node].arg, state.env))
        decided = {atom for atom in _atoms(formula) if implied(atom, state.facts) is not None}
        latest = here
        for place in _upwards(trail, here):
            if any(implied(atom, trail[place][0].facts) is None for atom in decided):
                break
            latest = place
        others = [item for item in work if item[2] == trail[latest][1]]
        if others and others[0] is not work[-len(others)]:
            work[:] = [item for item in work if item[2] != trail[latest][1]] + others


def _upwards(trail: list[tuple[State, int]], place: int) -> Iterator[int]:
    """The places on the way back from one to the first."""
    while place >= 0:
        yield place
        place = trail[place][1]


def _atoms(formula: Term) -> Iterator[Term]:
    """Every atom of a formula."""
    if formula[0] == "lit":
        yield formula[1]
    elif formula[0] == "not":
        yield from _atoms(formula[1])
    elif formula[0] in ("and", "or"):
        for part in formula[1]:
            yield from _atoms(part)


def _key(leak: Leak) -> _Exit:
    return (leak.escape, leak.exit, _named(leak.thrown), leak.partial)


def _named(thrown: Thrown | None) -> str:
    if thrown is None:
        return ""
    return thrown.upper if thrown.exact else "Exception"


def _agrees(facts: Facts, concrete: Facts) -> bool:
    return all(implied(atom, concrete) is not (not answer) for atom, answer in facts)


_GROUP = Thrown("ExceptionGroup", exact=True)
_FAILED_GROUP = Thrown("ExceptionGroup", exact=True, excluded=frozenset({"*"}))
"""A group in whose handling something failed: it is raised at the end, whatever the remaining clauses do."""


def _is_group(thrown: Thrown) -> bool:
    return thrown.upper in ("ExceptionGroup", "BaseExceptionGroup")


def _iterated(receiver: Term) -> Iterator[Term]:
    """What a receiver is "each of", itself or the index by which it is taken; and what that was filtered from."""
    while receiver and receiver[0] in ("each", "attr", "item", "subset"):
        if receiver[0] in ("each", "subset"):
            yield receiver[1]
        elif receiver[0] == "item":
            yield from _iterated(receiver[2])
        receiver = receiver[1]


def _grouped(thrown: Thrown) -> Thrown:
    return Thrown(
        "BaseExceptionGroup"
        if thrown.upper in ("CancelledError", "GeneratorExit", "BaseException")
        else "ExceptionGroup",
        exact=True,
    )


def _size(term: Term) -> int:
    return 1 + sum(_size(part) for part in term if isinstance(part, tuple))
