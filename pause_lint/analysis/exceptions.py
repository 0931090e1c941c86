"""Abstract exceptions: what may be in flight, and what an `except` clause does with it.

An abstract exception is all exceptions of a class (or exactly that class) but for some subclasses that an earlier
clause would have caught. Classes are names; the built-in hierarchy is the interpreter's, local classes come from the
module under analysis. Nothing here knows of graphs or paths.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping

Hierarchy = Mapping[str, tuple[str, ...]]
"""Classes of the module: name to the names of their bases."""


class Thrown:
    """An exception in flight: an instance of `upper`, of no class in `excluded`, of `upper` itself if `exact`.

    A value, never changed. It stands in terms, which are tuples, and must not be taken for a part of one.
    """

    __slots__ = ("_key", "exact", "excluded", "upper")

    def __init__(self, upper: str, exact: bool = False, excluded: frozenset[str] = frozenset()) -> None:
        self.upper = upper
        self.exact = exact
        self.excluded = excluded
        self._key = hash((upper, exact, excluded))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Thrown):
            return NotImplemented
        return (self.upper, self.exact, self.excluded) == (other.upper, other.exact, other.excluded)

    def __hash__(self) -> int:
        return self._key


SOME = Thrown("Exception")
CANCELLED = Thrown("CancelledError", exact=True)
CLOSED = Thrown("GeneratorExit", exact=True)
EXITING = Thrown("SystemExit", exact=True)

ANYTHING = "*"
"""A clause whose type is computed: it may catch anything."""

_EXTRA = {"CancelledError": ("BaseException",)}


def class_name(node: ast.expr) -> str:
    """The name an exception class goes by: the last part of a built-in or well-known one, of others all parts."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        if node.attr in _EXTRA or _builtin(node.attr) is not None:
            return node.attr
        base = class_name(node.value)
        return node.attr if base == ANYTHING else f"{base}.{node.attr}"
    return ANYTHING


def clause_types(node: ast.expr | None) -> tuple[str, ...]:
    """The classes that a handler names; a bare `except` names BaseException."""
    if node is None:
        return ("BaseException",)
    if isinstance(node, ast.Tuple):
        return tuple(class_name(element) for element in node.elts)
    return (class_name(node),)


def _builtin(name: str) -> type[BaseException] | None:
    found = getattr(builtins, name, None)
    return found if isinstance(found, type) and issubclass(found, BaseException) else None


def is_exception(name: str) -> bool:
    """Whether `name` is a built-in exception class or a well-known one."""
    return name in _EXTRA or _builtin(name) is not None


def is_subclass(sub: str, sup: str, local: Hierarchy, depth: int = 0) -> bool | None:
    """Whether class `sub` derives from `sup`; None if the module does not tell."""
    if sub == sup:
        return True
    if depth > 50:
        return None
    bases = local.get(sub) or _EXTRA.get(sub)
    if bases is not None:
        verdicts = [is_subclass(base, sup, local, depth + 1) for base in bases]
        if True in verdicts:
            return True
        return None if None in verdicts else False
    low = _builtin(sub)
    high = _builtin(sup)
    if low is not None:
        return issubclass(low, high) if high is not None else False
    if sup in ("Exception", "BaseException"):
        return True
    if high is not None and not issubclass(high, Exception):
        return False
    return None


def catch(thrown: Thrown, types: tuple[str, ...], local: Hierarchy) -> tuple[tuple[Thrown, ...], Thrown | None]:
    """What a clause for `types` catches of `thrown`, and what goes past it (None: nothing does)."""
    caught: list[Thrown] = []
    rest = thrown
    for kind in types:
        if kind == ANYTHING:
            caught.append(rest)
            continue
        whole = is_subclass(rest.upper, kind, local)
        if whole is True:
            caught.append(rest)
            return tuple(caught), None
        if rest.exact:
            if whole is None:
                caught.append(rest)
            continue
        below = is_subclass(kind, rest.upper, local)
        if below is False or any(is_subclass(kind, seen, local) is True for seen in rest.excluded):
            continue
        caught.append(
            Thrown(kind, excluded=frozenset(e for e in rest.excluded if is_subclass(e, kind, local) is not False))
        )
        rest = Thrown(rest.upper, rest.exact, rest.excluded | {kind})
    return tuple(caught), rest
