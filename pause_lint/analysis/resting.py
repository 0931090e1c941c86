"""The reverse order: whether paused is the state in which a function finds an engine and leaves it (DESIGN, section 4).

It is, if on every path that returns and touches the engine the first thing done to it is a resume and the last a
pause; and for pairs that rest, if no resume can follow the pause. The body of a loop counts as a path of its own.
Walks the graph as `flow` does, remembering every condition, and gives up early: then the order is not taken to be
reversed.
"""

from __future__ import annotations

import ast
from functools import cached_property
from typing import NamedTuple

from pause_lint.analysis import graph as g
from pause_lint.analysis.events import Deed, same_receiver
from pause_lint.analysis.flow import Flying, Follower, State, undoes
from pause_lint.analysis.guards import Term, decide, names, question
from pause_lint.analysis.liveness import live, root
from pause_lint.analysis.syntax import walk

MAX_STATES = 8_000

Order = tuple[str, str]
"""The kinds of the first and the last deed of a path, empty before there is one."""
_UNTOUCHED = ("", "")
_REVERSE = ("resume", "pause")


class Resting:
    """The resting states of one function. What its pauses have in common is worked out once."""

    def __init__(self, graph: g.Graph) -> None:
        self._graph = graph
        self._walker: _Walker | None = None

    def is_state_at(self, site: int) -> bool:
        """Whether paused is the resting state here of what the pause at node `site` pauses."""
        graph = self._graph
        pause = graph.nodes[site].arg
        if pause.pair.rests and not self._is_undone_behind(site):
            return True
        if not self._undoing(pause):
            return False
        walker = self._walker = self._walker or _Walker(graph, site)
        walker.turn_to(site)
        if not walker.resumes_first():
            return False
        under, raised = walker.guarding
        every = under | raised
        # Fewer conditions leave more paths, but fewer states: if all of these are in reverse order, so are those that
        # there are.
        for known in (under, set[str]()):
            if walker.holds(known):
                # More conditions can only take paths away: one in reverse order must remain.
                return every <= known or walker.holds(every, one_is_enough=True) or walker.gave_up
            if not walker.gave_up:
                break
        return False

    def _undoing(self, pause: Deed) -> list[int]:
        return [index for index in self._graph.deeds("resume") if undoes(self._graph.nodes[index].arg, pause)]

    def _is_undone_behind(self, site: int) -> bool:
        """Whether a resume can follow the pause at `site` before a loop around them begins again."""
        leaving = {edge: loop for loop in self._loops for edge in loop.back}
        seen: set[int] = set()
        stack = [site]
        while stack:
            index = stack.pop()
            if index in seen:
                continue
            seen.add(index)
            for to in _after(self._graph, index):
                loop = leaving.get((index, to))
                stack += [to] if loop is None else loop.exits
            if self._graph.nodes[index].handler >= 0:
                stack.append(self._graph.nodes[index].handler)
        return not seen.isdisjoint(self._undoing(self._graph.nodes[site].arg))

    @cached_property
    def _loops(self) -> list[_Loop]:
        return _loops(self._graph)


class _Loop(NamedTuple):
    """A natural loop: where it begins, its nodes, the edges back to its start, and where it is left to."""

    start: int
    nodes: set[int]
    back: list[tuple[int, int]]
    exits: list[int]


class _Known:
    """What one walk found that another one over the same conditions, from the same node, can use.

    ahead: for a node the one from which on something can change. moves: where states lead to, deeds apart.
    """

    __slots__ = ("ahead", "moves")

    def __init__(self) -> None:
        self.ahead: dict[int, int] = {}
        self.moves: dict[State, list[tuple[State, str]]] = {}


class _Walker(Follower):
    """Follows the order of deeds instead of one pause: nothing is ever open in its states."""

    def __init__(self, graph: g.Graph, site: int) -> None:
        super().__init__(graph, site)
        self.start = graph.entry
        self.known = _Known()
        self.paused: Term = ()
        self.caught: dict[int, bool] = {}
        self._all_known: dict[tuple[frozenset[str], int], _Known] = {}
        self._returning = frozenset().union(
            *(self.reaching(index) for index, node in enumerate(self.nodes) if node.op == g.RETURN)
        )

    def turn_to(self, site: int) -> None:
        """Look at what the pause at another node pauses."""
        self.site = site
        self.deed = self.nodes[site].arg
        self.useful = self.reaching(site)
        self.returned = False  # whether some path has returned
        self.gave_up = False  # whether there were too many states

    def resumes_first(self) -> bool:
        """Whether any edges, conditions apart, lead from a resume to a pause: without, no path is in reverse order."""
        resumes = {index for index in self.graph.deeds("resume") if undoes(self.nodes[index].arg, self.deed)}
        return any(
            not resumes.isdisjoint(self.reaching(index))
            for index in self.graph.deeds("pause")
            if self.nodes[index].arg.pair.pauses & self.deed.pair.pauses
        )

    def holds(self, names: set[str], one_is_enough: bool = False) -> bool:
        """Whether the order is reversed, as far as conditions on `names` tell.

        one_is_enough: no path is known to have another order.
        """
        self.gave_up = False
        self.live = self.live or live(self.graph)
        self.track(self.closure(self.receivers() | names))
        return all(self._holds_for(paused, one_is_enough) for paused in self._paused())

    def _holds_for(self, paused: Term, one_is_enough: bool) -> bool:
        self.paused = paused
        self.returned = False
        whole = self.verdict(self.graph.entry, one_is_enough)
        if whole is False or (whole is None and self.returned):
            return False
        if whole and one_is_enough:
            return True
        verdicts = [whole, *(self.verdict(start, one_is_enough) for start in self.loop_starts)]
        return False not in verdicts and True in verdicts

    def _paused(self) -> list[Term]:
        """What is paused at the site, as a value: a variable of a function put in place of a call is bound only on the
        way there.
        """
        receiver = self.deed.receiver
        if not any(root(name) in self.graph.defined for name in names(receiver)):
            return [self.receiver(receiver, State(self.site))]
        self.start = self.graph.entry
        self.known = self._all_known.setdefault((self.tracked, self.start), _Known())
        found: dict[Term, None] = {}
        first = State(self.start)
        stack, seen = [first], {first}
        while stack and len(seen) < MAX_STATES:
            state = stack.pop()
            if state.node == self.site:
                found[self.receiver(receiver, state)] = None
                continue
            for after in self.step(state, set()):
                if after not in seen and after.node in self.useful:
                    seen.add(after)
                    stack.append(after)
        return list(found) or [self.receiver(receiver, State(self.site))]

    def verdict(self, start: int, one_is_enough: bool) -> bool | None:
        """Whether every path from `start`, back to it or out, is in reverse order; None if none of them does a deed."""
        self.start = start
        self.known = self._all_known.setdefault((self.tracked, start), _Known())
        useful = self._returning | self.reaching(start)
        first = State(start, stack=(self.graph.stop,) * self.nodes[start].depth)
        stack: list[tuple[State, Order]] = [(first, _UNTOUCHED)]
        seen = set(stack)
        found: bool | None = None
        while stack:
            state, order = stack.pop()
            returns = self.nodes[state.node].op == g.RETURN
            if returns or (state.node == start and state is not first):
                self.returned = self.returned or returns
                if order not in (_UNTOUCHED, _REVERSE):
                    return False
                found = True if order == _REVERSE else found
                if found and one_is_enough:
                    return True
                continue
            for after, kind in self._moves(state):
                item = (after, (order[0] or kind, kind) if kind else order)
                if after.node in useful and item not in seen:
                    seen.add(item)
                    stack.append(item)
            if len(seen) > MAX_STATES:
                self.gave_up = True
                return False
        return found

    def _moves(self, state: State) -> list[tuple[State, str]]:
        """Where a state leads to, each with the kind of the deed done on the way, if one is done to what is paused."""
        node = self.nodes[state.node]
        if node.op == g.DEED:
            return self._done(state, node)
        found = self.known.moves.get(state)
        if found is None:
            found = self.known.moves[state] = [(after, "") for after in self.step(state, set())]
        return found

    def _done(self, state: State, node: g.Node) -> list[tuple[State, str]]:
        deed = node.arg
        kind = ""
        touches = undoes(deed, self.deed) or deed.pair.pauses & self.deed.pair.pauses
        if touches and same_receiver(self.paused, self.receiver(deed.receiver, state)):
            there = self._resolve(deed.receiver, state.env)
            if decide(question(there), state.facts) is False:
                return [(self.go(state, node.next), "")]  # nothing there to do it to
            kind = deed.kind
        return [
            (self.go(state, node.next), kind),
            *((self.throw(state, node, thrown, -1), kind) for thrown in node.raises),
        ]

    def go(self, state: State, target: int) -> State:
        """On to `target`, past what changes nothing."""
        to = self.known.ahead.get(target)
        if to is None:
            to = self.known.ahead[target] = self._ahead(target)
        return super().go(state, to)

    def _ahead(self, index: int) -> int:
        """The next node, from this one on, at which ways part or something is learned."""
        seen: set[int] = set()
        while index not in seen:
            seen.add(index)
            after = self._only_way(index)
            if after is None:
                break
            index = after
        return index

    def _only_way(self, index: int) -> int | None:
        """Where a node goes on to if that is the only way and nothing is learned there."""
        node = self.nodes[index]
        if index == self.start:
            return None
        if node.op == g.SKIP or (node.op == g.CALL and not self.is_caught(node.handler)):
            return node.next if self.sites.isdisjoint(node.fresh) else None
        if node.op == g.ASSIGN and self.sites.isdisjoint(node.fresh):
            return None if any(self._is_noted(name) for name, _ in node.arg) else node.next
        if node.op == g.ENTER:
            end = self._ahead(node.next)
            ends = self.nodes[end].op == g.END and self.nodes[end].depth == node.depth + 1
            return node.arg if ends and end != self.start else None
        return None

    def _is_noted(self, name: str) -> bool:
        """Whether what is remembered of a state may change when a name or path is bound."""
        parts = (name,) if name.endswith("[") else (name + ".", name + "[")
        return any(known == name or known.startswith(parts) for known in self.tracked)

    def is_caught(self, handler: int) -> bool:
        """Whether an exception on its way to a node may be caught there or further out, or be dropped by a jump."""
        if handler not in self.caught:
            self.caught[handler] = False  # reached again from itself, it adds nothing
            node = self.nodes[handler]
            self.caught[handler] = node.op == g.DISPATCH or (node.op != g.RAISED and self._is_dropped(handler))
        return self.caught[handler]

    def _is_dropped(self, entry: int) -> bool:
        """Whether a `finally` that an exception enters may end in another way than by raising it on."""
        depth = self.nodes[entry].depth
        seen: set[int] = set()
        stack = [entry]
        while stack:
            index = stack.pop()
            node = self.nodes[index]
            if node.depth < depth or node.op in (g.DISPATCH, g.REGROUP):
                return True
            if index not in seen:
                seen.add(index)
                ends = node.op == g.END
                if (node.raises or ends or node.op == g.RAISE) and self.is_caught(node.handler):
                    return True
                stack += [to for to in (node.next, node.alt) if to >= 0]
                if ends and node.depth > depth:
                    stack += node.arg
        return False

    def fly(self, state: State, handler: int, flying: Flying) -> State:
        """Where an exception comes from is no matter to the order of deeds."""
        return super().fly(state, handler, (flying[0], -1))

    @cached_property
    def guarding(self) -> tuple[set[str], set[str]]:
        """What the conditions depend on under which deeds stand, and those under which something is raised.

        Others change neither the order of deeds nor which paths return.
        """
        sites = {id(node.site or node.arg.node) for node in self.nodes if node.op == g.DEED}
        under: set[int] = set()
        raised: set[int] = set()
        for outer in walk(self.graph.function):
            if isinstance(outer, ast.If | ast.While | ast.IfExp):
                inside = outer.body if isinstance(outer.body, list) else [outer.body]
                inside = [*inside, *(outer.orelse if isinstance(outer.orelse, list) else [outer.orelse])]
                parts = [part for block in inside for part in walk(block)]
                if any(id(part) in sites for part in parts):
                    under |= {id(part) for part in walk(outer.test)}
                elif any(isinstance(part, ast.Raise) for part in parts):
                    raised |= {id(part) for part in walk(outer.test)}
            elif isinstance(outer, ast.Assert):
                raised |= {id(part) for part in walk(outer.test)}
        branches = [node for node in self.nodes if node.op == g.BRANCH]
        return (
            {key for node in branches if node.site is not None or id(node.syntax) in under for key in node.keys},
            {key for node in branches if id(node.syntax) in raised for key in node.keys},
        )

    @cached_property
    def loop_starts(self) -> list[int]:
        """Where loops with deeds in them begin again."""
        return _loop_starts(self.graph)


def _loop_starts(graph: g.Graph) -> list[int]:
    """The nodes at which loops with deeds in them begin again."""
    return [loop.start for loop in _loops(graph) if any(graph.nodes[node].op == g.DEED for node in loop.nodes)]


def _loops(graph: g.Graph) -> list[_Loop]:
    """The natural loops of the back edges: the edges to a node that a depth-first walk is still in (Aho, Lam, Sethi and
    Ullman, Compilers, 2nd edition, section 9.6).
    """
    before: dict[int, list[int]] = {}
    state: dict[int, bool] = {graph.entry: True}
    trail = [(graph.entry, iter(_after(graph, graph.entry)))]
    back: dict[int, list[tuple[int, int]]] = {}
    while trail:
        index, rest = trail[-1]
        to = next(rest, None)
        if to is None:
            state[index] = False
            trail.pop()
            continue
        before.setdefault(to, []).append(index)
        if state.get(to):
            back.setdefault(to, []).append((index, to))
        elif to not in state:
            state[to] = True
            trail.append((to, iter(_after(graph, to))))
    found = []
    for start, edges in back.items():
        nodes = {start}
        queue = [index for index, _ in edges]
        while queue:
            node = queue.pop()
            if node not in nodes:
                nodes.add(node)
                queue += before.get(node, ())
        exits = [to for node in nodes for to in _after(graph, node) if to not in nodes]
        found.append(_Loop(start, nodes, edges, exits))
    return found


def _after(graph: g.Graph, index: int) -> list[int]:
    node = graph.nodes[index]
    if node.op == g.END:
        return list(node.arg)
    return [to for to in (node.next, node.alt) if to >= 0]
