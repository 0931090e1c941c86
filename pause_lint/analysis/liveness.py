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
    after: list[list[int]] = [[] for _ in graph.nodes]
    for index, earlier in enumerate(graph.before()):
        for one in earlier:
            after[one].append(index)
    numbers: dict[str, int] = {}
    reads = [_mask(_read(node), numbers) for node in graph.nodes]
    kept = [~_mask(_bound(node), numbers) for node in graph.nodes]
    found = list(reads)
    changed = True
    while changed:
        changed = False
        # A graph is laid back to front: what follows a node mostly stands before it.
        for index, following in enumerate(after):
            wider = 0
            for one in following:
                wider |= found[one]
            wider = reads[index] | (wider & kept[index])
            if wider != found[index]:
                found[index] = wider
                changed = True
    sets: dict[int, Names] = {}
    for mask in found:
        if mask not in sets:
            sets[mask] = frozenset(name for name, number in numbers.items() if mask >> number & 1)
    return [sets[mask] for mask in found]


def _mask(several: Names, numbers: dict[str, int]) -> int:
    """A set of names as the bits of a number."""
    mask = 0
    for name in several:
        mask |= 1 << numbers.setdefault(name, len(numbers))
    return mask


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
