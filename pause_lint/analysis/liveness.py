"""Which variables and paths may still be read from a node on, by the classical backward dataflow (Aho, Lam, Sethi and
Ullman, Compilers, 2nd edition, section 9.2.5).

Says nothing about facts and values: what to forget with them is the business of `flow`.
"""

from __future__ import annotations

from pause_lint.analysis import graph as g
from pause_lint.analysis.events import receiver_names
from pause_lint.analysis.guards import names

Names = frozenset[str]


def live(graph: g.Graph) -> list[Names]:
    """For each node the names that some path from it reads before binding them."""
    before = graph.before()
    reads = [_read(node) for node in graph.nodes]
    binds = [_bound(node) for node in graph.nodes]
    found: list[Names] = list(reads)
    queue = [index for index, names_read in enumerate(reads) if names_read]
    while queue:
        index = queue.pop()
        for earlier in before[index]:
            wider = found[earlier] | (found[index] - binds[earlier])
            if wider != found[earlier]:
                found[earlier] = wider
                queue.append(earlier)
    return found


def root(name: str) -> str:
    """The variable that a path starts at."""
    return name.partition(".")[0].partition("[")[0]


def _read(node: g.Node) -> Names:
    match node.op:
        case g.BRANCH:
            return node.keys
        case g.ASSIGN:
            return frozenset(name for _, term in node.arg for name in names(term))
        case g.DEED:
            return receiver_names(node.arg)
        case g.RAISE if node.arg[0] == "name":
            return frozenset([node.arg[1]])
    return frozenset()


def _bound(node: g.Node) -> Names:
    """The variables that a node binds; a path or an element is one of several things that its root stands for."""
    if node.op == g.ASSIGN:
        return frozenset(name for name, _ in node.arg if name == root(name)) - _read(node)
    if node.op == g.BIND:
        return frozenset([node.arg[0]])
    return frozenset()
