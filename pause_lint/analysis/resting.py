"""The reverse order: whether paused is the state in which a function finds an engine and leaves it (DESIGN, section 4).

It is, if on every path that returns and touches the engine the first thing done to it is a resume and the last a
pause. The body of a loop counts as a path of its own. Walks the graph as `flow` does, remembering every condition,
and gives up early: then the order is not taken to be reversed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pause_lint.analysis import graph as g
from pause_lint.analysis.events import same_receiver
from pause_lint.analysis.flow import Flying, Follower, Open, State, undoes
from pause_lint.analysis.guards import decide, question
from pause_lint.analysis.syntax import walk

MAX_STATES = 8_000
_UNTOUCHED = ("order", "", "")


def is_resting_state(graph: g.Graph, site: int) -> bool:
    """Whether paused is the resting state here of what the pause at node `site` pauses."""
    pause = graph.nodes[site].arg
    if not any(undoes(graph.nodes[index].arg, pause) for index in graph.deeds("resume")):
        return False
    walker = _Walker(graph, site)
    walker.caught = {}
    if not walker.resumes_first():
        return False
    under, raised = walker.guarding()
    if not walker.holds(under):
        return False
    # More conditions can only take paths away: one in reverse order must remain.
    return raised <= under or walker.holds(under | raised, one_is_enough=True) or walker.gave_up


class _Walker(Follower):
    """Follows the order of deeds instead of one pause: the open pause of a state stands for the first and the last
    deed.
    """

    returned = False
    """Whether some path has returned."""
    gave_up = False
    """Whether there were too many states."""
    start = -1
    """Where the paths begin that are walked now, and end."""
    useful: frozenset[int]
    """The nodes from which a path can still get there, or return."""
    caught: dict[int, bool]
    """For a node to which exceptions go whether one that comes there may be caught."""
    ahead: dict[int, int]
    """For a node the one from which on something can change, as far as asked for."""

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
        self.track(self.closure(self.receivers() | names))
        self.returned = False
        whole = self.verdict(self.graph.entry, one_is_enough)
        if whole is False or (whole is None and self.returned):
            return False
        if whole and one_is_enough:
            return True
        verdicts = [whole, *(self.verdict(start, one_is_enough) for start in _loop_starts(self.graph))]
        return False not in verdicts and True in verdicts

    def verdict(self, start: int, one_is_enough: bool) -> bool | None:
        """Whether every path from `start`, back to it or out, is in reverse order; None if none of them does a deed."""
        depth = self.nodes[start].depth
        first = State(start, open=Open(_UNTOUCHED), stack=(self.graph.stop,) * depth)
        seen = {first}
        stack = [first]
        found: bool | None = None
        returns = [index for index, node in enumerate(self.nodes) if node.op == g.RETURN]
        self.useful = self.reaching(start).union(*(self.reaching(index) for index in returns))
        self.start, self.ahead = start, {}
        while stack:
            state = stack.pop()
            ends = self.nodes[state.node].op == g.RETURN or (state.node == start and state is not first)
            if ends:
                self.returned = self.returned or self.nodes[state.node].op == g.RETURN
                order = self._order(state)
                if order[0] and order != ("resume", "pause"):
                    return False
                found = True if order[0] else found
                if found and one_is_enough:
                    return True
                continue
            for after in self.step(state, set()):
                if after.node in self.useful and after not in seen:
                    seen.add(after)
                    stack.append(after)
            if len(seen) > MAX_STATES:
                self.gave_up = True
                return False
        return found

    def go(self, state: State, target: int) -> State:
        """On to `target`, past what changes nothing."""
        to = self.ahead.get(target)
        if to is None:
            to = self.ahead[target] = self._ahead(target)
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

    def _order(self, state: State) -> tuple[str, str]:
        assert state.open is not None
        return state.open.receiver[1], state.open.receiver[2]

    def on_deed(self, state: State, node: g.Node, closers: set[int]) -> Iterator[State]:
        """A deed is noted where it is done; nothing is opened or closed."""
        deed = node.arg
        done = state
        touches = undoes(deed, self.deed) or deed.pair.pauses & self.deed.pair.pauses
        if touches and same_receiver(self.receiver(self.deed.receiver, state), self.receiver(deed.receiver, state)):
            there = self._resolve(deed.receiver, state.env)
            if decide(question(there), state.facts) is False:
                yield self.go(state, node.next)  # nothing there to do it to
                return
            first = self._order(state)[0] or deed.kind
            done = State(state.node, state.facts, state.env, Open(("order", first, deed.kind)), state.stack)
        yield self.go(done, node.next)
        for thrown in node.raises:
            yield self.throw(done, node, thrown, -1)


def _loop_starts(graph: g.Graph) -> list[int]:
    """The nodes at which loops with deeds in them begin again: the targets of back edges (the edges to a node that a
    depth-first walk is still in) in whose natural loop a deed is done.
    """
    found: list[int] = []
    before: dict[int, list[int]] = {}
    state: dict[int, bool] = {graph.entry: True}
    trail = [(graph.entry, iter(_after(graph, graph.entry)))]
    back: list[tuple[int, int]] = []
    while trail:
        index, rest = trail[-1]
        to = next(rest, None)
        if to is None:
            state[index] = False
            trail.pop()
            continue
        before.setdefault(to, []).append(index)
        if state.get(to):
            back.append((index, to))
        elif to not in state:
            state[to] = True
            trail.append((to, iter(_after(graph, to))))
    for index, start in back:
        loop = {start}
        queue = [index]
        while queue:
            node = queue.pop()
            if node not in loop:
                loop.add(node)
                queue += before.get(node, ())
        if start not in found and any(graph.nodes[node].op == g.DEED for node in loop):
            found.append(start)
    return found


def _after(graph: g.Graph, index: int) -> list[int]:
    node = graph.nodes[index]
    if node.op == g.END:
        return list(node.arg)
    return [to for to in (node.next, node.alt) if to >= 0]
