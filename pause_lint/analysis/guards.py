"""Conditions and what they say about each other.

A *term* stands for a value as nested tuples: names, attributes, constants, stable calls and operators over them. An
*atom* is a yes-or-no question about terms; *facts* are atoms with their answers. `decide` tells whether facts settle a
condition. Nothing here knows of graphs, paths or pauses; two terms are the same value only if they are equal tuples.

Terms:

- ("name", n) a variable, to be resolved, and ("var", n) its value on entry
- ("sym", site, age) what an expression gave when it was last evaluated (age 0) or before that (1)
- ("const", type, value), ("attr", t, name), ("item", t, index), ("call", f, args, keywords), ("op", name, terms)
- ("each", t) any element of `t`, ("subset", t, conditions) a filtered copy, ("listof", t) a list that `t` was put on
- ("func", key) a local function, ("exc", e) a caught exception, ("display", non-empty) a list, set or dict written out
- the truth forms ("not", t), ("and", ts), ("or", ts), ("cmp", op, a, b), ("ite", c, a, b)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

Term: TypeAlias = tuple[Any, ...]
Atom: TypeAlias = tuple[Any, ...]
Facts: TypeAlias = frozenset[tuple[Atom, bool]]

TRUE: Term = ("const", "bool", True)
FALSE: Term = ("const", "bool", False)
NONE: Term = ("const", "NoneType", None)

_PURE_CALLS = frozenset(
    {"isinstance", "issubclass", "len", "bool", "hasattr", "getattr", "callable", "range", "id", "type", "str", "int"}
)
_STABLE_CALLS = frozenset(
    {
        "get_rank",
        "get_local_rank",
        "get_global_rank",
        "get_node_local_rank",
        "get_world_size",
        "is_main_process",
        "is_local_main_process",
        "is_rank_0",
        "is_rank0",
        "is_master",
        "is_leader",
        "is_pipeline_parallel_head",
        "is_initialized",
        "is_available",
        "current_rank",
    }
)
_ORDER = {ast.Lt: "<", ast.Gt: ">", ast.LtE: "<=", ast.GtE: ">="}
_COPIES = frozenset({"list", "tuple", "sorted", "reversed", "set", "frozenset", "iter"})
_VIEWS = frozenset({"values", "items", "keys", "copy"})


class Terms:
    """Builds terms from syntax. Names go through `scope`; unstable values become symbols of their place."""

    def __init__(self, stable_calls: frozenset[str] = frozenset()) -> None:
        self.stable = _STABLE_CALLS | stable_calls

    def is_stable_call(self, node: ast.Call) -> bool:
        """Whether calling it again gives the same answer as long as its operands are the same."""
        name = last_name(node.func)
        if isinstance(node.func, ast.Name) and name in _PURE_CALLS:
            return True
        return name in self.stable or (isinstance(node.func, ast.Attribute) and name in _VIEWS and not node.args)

    def of(self, node: ast.expr, scope: Mapping[str, str]) -> Term:
        """The term of an expression: the same one however often that is evaluated, for its latest value."""
        match node:
            case ast.Name(id=name):
                return ("name", scope.get(name, name))
            case ast.Attribute(value=value, attr=attr):
                return ("attr", self.of(value, scope), attr)
            case ast.Constant(value=value):
                return constant(value)
            case ast.Subscript(value=value, slice=index):
                return ("item", self.of(value, scope), self.of(index, scope))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return ("not", self.of(operand, scope))
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return constant(-value)
            case ast.BoolOp(op=op, values=values):
                return ("and" if isinstance(op, ast.And) else "or", tuple(self.of(value, scope) for value in values))
            case ast.Compare():
                return self._comparison(node, scope)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return ("ite", self.of(test, scope), self.of(body, scope), self.of(orelse, scope))
            case ast.NamedExpr(target=target):
                return self.of(target, scope)
            case ast.Call(func=ast.Name(id="super"), args=[], keywords=[]):
                return ("name", scope.get("self", "self"))  # the same object
            case ast.Call() if self.is_stable_call(node):
                return self._call(node, scope)
            case ast.Call(func=ast.Name(id=copy), args=[only], keywords=[]) if copy in _COPIES:
                return self.of(only, scope)
            case ast.BinOp(left=left, op=op, right=right):
                return ("op", type(op).__name__, (self.of(left, scope), self.of(right, scope)))
            case ast.UnaryOp(op=op, operand=operand):
                return ("op", type(op).__name__, (self.of(operand, scope),))
            case ast.JoinedStr(values=values):
                return ("op", "str", tuple(self.of(value, scope) for value in values))
            case ast.FormattedValue(value=value):
                return self.of(value, scope)
            case ast.Slice(lower=lower, upper=upper, step=step):
                return (
                    "op",
                    "slice",
                    tuple(NONE if part is None else self.of(part, scope) for part in (lower, upper, step)),
                )
            case ast.Tuple(elts=elts):
                return ("op", "tuple", tuple(self.of(element, scope) for element in elts))
            case ast.List(elts=elts) | ast.Set(elts=elts):
                return ("display", bool(elts)) if not any(isinstance(e, ast.Starred) for e in elts) else symbol(node)
            case ast.Dict(keys=keys):
                return ("display", bool(keys)) if None not in keys else symbol(node)
            case ast.ListComp(
                elt=ast.Name(id=one), generators=[ast.comprehension(target=ast.Name(id=two), iter=over, ifs=ifs)]
            ) if one == two:
                inner = self.iterable(over, scope)
                return ("subset", inner, " and ".join(map(ast.unparse, ifs))) if ifs else inner
            case ast.Lambda():
                return ("func", id(node))
            case ast.Await(value=value) if isinstance(value, ast.Call) and self.is_stable_call(value):
                return self._call(value, scope)
        return symbol(node)

    def iterable(self, node: ast.expr, scope: Mapping[str, str]) -> Term:
        """The term of what a loop goes over, without `list()`, `enumerate()`, `.values()` and the like."""
        match node:
            case ast.Call(func=ast.Name(id="zip"), args=[_, _, *_] as parts):
                return ("and", tuple(self.iterable(part, scope) for part in parts))
            case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name in _COPIES or name == "enumerate":
                return self.iterable(first, scope)
            case ast.Subscript(value=value, slice=ast.Slice(lower=None, upper=None)):
                return self.iterable(value, scope)
            case ast.Call(func=ast.Attribute(value=value, attr=attr), args=[]) if attr in _VIEWS:
                return self.iterable(value, scope)
            case (
                ast.Call(func=ast.Attribute(attr="tqdm"), args=[first, *_])
                | ast.Call(func=ast.Name(id="tqdm"), args=[first, *_])
            ):
                return self.iterable(first, scope)
            case ast.List(elts=elts) | ast.Set(elts=elts) if not any(isinstance(one, ast.Starred) for one in elts):
                return ("op", "tuple", tuple(self.of(element, scope) for element in elts))
        return self.of(node, scope)

    def _call(self, node: ast.Call, scope: Mapping[str, str]) -> Term:
        if isinstance(node.func, ast.Name) and node.func.id == "bool" and len(node.args) == 1:
            inner = self.of(node.args[0], scope)
            return ("not", ("not", inner))
        args = tuple(self.of(arg, scope) for arg in node.args)
        keywords = tuple((keyword.arg, self.of(keyword.value, scope)) for keyword in node.keywords)
        return ("call", self.of(node.func, scope), args, keywords)

    def _comparison(self, node: ast.Compare, scope: Mapping[str, str]) -> Term:
        parts: list[Term] = []
        left = self.of(node.left, scope)
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.of(right_node, scope)
            parts.append(self._compare(op, left, right, right_node, scope))
            left = right
        return parts[0] if len(parts) == 1 else ("and", tuple(parts))

    def _compare(self, op: ast.cmpop, left: Term, right: Term, right_node: ast.expr, scope: Mapping[str, str]) -> Term:
        match op:
            case ast.Eq():
                return ("cmp", "==", left, right)
            case ast.NotEq():
                return ("not", ("cmp", "==", left, right))
            case ast.Is():
                return ("cmp", "is", left, right)
            case ast.IsNot():
                return ("not", ("cmp", "is", left, right))
            case ast.In() | ast.NotIn():
                if isinstance(right_node, ast.Tuple | ast.List | ast.Set):
                    member: Term = (
                        "or",
                        tuple(("cmp", "==", left, self.of(element, scope)) for element in right_node.elts),
                    )
                else:
                    member = ("cmp", "in", left, right)
                return member if isinstance(op, ast.In) else ("not", member)
        return ("cmp", _ORDER[type(op)], left, right)


def last_name(node: ast.expr) -> str:
    """`c` of `a.b.c`, `f` of `f`, the empty string of anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def symbol(node: ast.AST) -> Term:
    """What the expression `node` gave when it was last evaluated."""
    return ("sym", id(node), 0)


def constant(value: object) -> Term:
    """A literal; its type is part of it, for `1 == True`."""
    return ("const", type(value).__name__, value)


def symbols(term: Term) -> Iterator[Term]:
    """Every symbol in `term`."""
    if term and term[0] == "sym":
        yield term
        return
    for part in term:
        if isinstance(part, tuple):
            yield from symbols(part)


def names(term: Term) -> Iterator[str]:
    """Every unresolved name in `term`, every attribute path that can be assigned, and `@` with each symbol's site."""
    if term and term[0] == "sym":
        yield f"@{term[1]}"
        return
    if term and term[0] == "name":
        yield term[1]
        return
    if term and term[0] in ("attr", "item"):
        path = location(term)
        if path is not None:
            yield path
    for part in term[1:] if term and isinstance(term[0], str) else term:
        if isinstance(part, tuple):
            yield from names(part)


def location(term: Term) -> str | None:
    """A variable or attribute path as text (`self.rank`), None for anything else."""
    if term[0] == "name":
        return str(term[1])
    if term[0] == "attr":
        base = location(term[1])
        return None if base is None else f"{base}.{term[2]}"
    if term[0] == "item" and term[2][0] == "const":
        base = location(term[1])
        return None if base is None else f"{base}[{term[2][2]!r}]"
    return None


def substitute(term: Term, leaf: Callable[[Term], Term | None]) -> Term:
    """`term` with every part for which `leaf` has an answer replaced by it, and settled conditional parts chosen."""
    answer = leaf(term)
    if answer is not None:
        return answer
    changed = False
    parts: list[Any] = []
    for part in term:
        if isinstance(part, tuple):
            new = substitute(part, leaf)
            changed = changed or new is not part
            parts.append(new)
        else:
            parts.append(part)
    if not changed:
        return term
    if term[0] == "ite":
        test = question(parts[1])
        if test in (TRUE, FALSE):
            chosen: Term = parts[2 if test == TRUE else 3]
            return chosen
    return tuple(parts)


def question(term: Term) -> Term:
    """The condition `term` as a formula over atoms.

    That is ("lit", atom), ("not", f), ("and", fs), ("or", fs) or a constant.
    """
    kind = term[0]
    if kind == "const":
        return TRUE if term[2] else FALSE
    if kind == "not":
        inner = question(term[1])
        return _negate(inner)
    if kind in ("and", "or"):
        return (kind, tuple(question(part) for part in term[1]))
    if kind == "ite":
        test = question(term[1])
        return ("or", (("and", (test, question(term[2]))), ("and", (_negate(test), question(term[3])))))
    if kind == "cmp":
        return _comparison_question(term[1], term[2], term[3])
    if kind in ("func", "exc", "listof"):
        return TRUE
    if kind == "display":
        return TRUE if term[1] else FALSE
    if kind == "op" and term[1] == "tuple":
        return TRUE if term[2] else FALSE
    if _is_call(term, "len"):
        return question(term[2][0])
    if _is_call(term, "range") and term[2][0][0] == "const":
        return TRUE if term[2][0][2] > 0 else FALSE
    return ("lit", ("true", term))


def _negate(formula: Term) -> Term:
    if formula == TRUE:
        return FALSE
    if formula == FALSE:
        return TRUE
    return formula[1] if formula[0] == "not" else ("not", formula)


def _is_call(term: Term, name: str) -> bool:
    """Whether `term` is a call of the built-in `name` with one argument."""
    return term[0] == "call" and term[1] in (("name", name), ("var", name)) and len(term[2]) == 1


def _comparison_question(op: str, left: Term, right: Term) -> Term:
    if left[0] == "const" and right[0] == "const":
        return TRUE if _compare_constants(op, left[2], right[2]) else FALSE
    if op == ">":
        return _comparison_question("<", right, left)
    if op == "<=":
        return _negate(_comparison_question("<", right, left))
    if op == ">=":
        return _negate(_comparison_question("<", left, right))
    if op in ("==", "is") and left[0] == "const":
        left, right = right, left
    if op == "is" and right[0] == "const" and right[2] is not None:
        op = "=="
    if op in ("==", "is") and left == right:
        return TRUE
    if op in ("==", "is") and right == NONE:
        if left[0] in ("func", "exc", "display") or (left[0] == "op" and left[1] == "tuple"):
            return FALSE
        if left[0] == "ite":
            return question(("ite", left[1], ("cmp", op, left[2], right), ("cmp", op, left[3], right)))
        if left[0] in ("cmp", "not"):
            return FALSE
        return ("lit", ("none", left))
    if op == "==" and right[0] == "const":
        if left[0] == "ite":
            return question(("ite", left[1], ("cmp", op, left[2], right), ("cmp", op, left[3], right)))
        if _is_call(left, "len") and right[2] == 0:
            return _negate(question(left[2][0]))
        if left[0] in ("cmp", "not") and isinstance(right[2], bool):
            return question(left) if right[2] else _negate(question(left))
        if left[0] == "func" and right[0] == "const":
            return FALSE
    if op == "==" and right[0] == "func":
        if left[0] == "ite":
            return question(("ite", left[1], ("cmp", op, left[2], right), ("cmp", op, left[3], right)))
        if left[0] in ("func", "const"):
            return TRUE if left == right else FALSE
    if op == "<" and left == ("const", "int", 0) and _is_call(right, "len"):
        return question(right[2][0])
    if op == "<" and right == ("const", "int", 1) and _is_call(left, "len"):
        return _negate(question(left[2][0]))
    if op in ("==", "is") and repr(right) < repr(left) and right[0] != "const":
        left, right = right, left
    return ("lit", (op, left, right))


def _compare_constants(op: str, left: Any, right: Any) -> bool:
    try:
        if op == "is":
            return left is right or (type(left) is type(right) and bool(left == right))
        if op == "==":
            return bool(left == right)
        if op == "in":
            return bool(left in right)
        return bool({"<": left < right, ">": left > right, "<=": left <= right, ">=": left >= right}[op])
    except TypeError:
        return False


def decide(formula: Term, facts: Facts) -> bool | Atom:
    """True or False where `facts` settle `formula`, else an atom that is still open and worth asking."""
    kind = formula[0]
    if kind == "const":
        return bool(formula[2])
    if kind == "lit":
        answer = implied(formula[1], facts)
        return formula[1] if answer is None else answer
    if kind == "not":
        inner = decide(formula[1], facts)
        return (not inner) if isinstance(inner, bool) else inner
    wanted = kind == "or"
    open_atom: Atom | None = None
    for part in formula[1]:
        answer_part = decide(part, facts)
        if isinstance(answer_part, bool):
            if answer_part is wanted:
                return wanted
        elif open_atom is None:
            open_atom = answer_part
    return (not wanted) if open_atom is None else open_atom


def implied(atom: Atom, facts: Facts) -> bool | None:
    """What `facts` say about `atom`: its own answer, or what the answers to other atoms about the same term entail."""
    if (atom, True) in facts:
        return True
    if (atom, False) in facts:
        return False
    if atom[0] == "in":
        return None
    for known, answer in facts:
        verdict = _entails(known, answer, atom)
        if verdict is not None:
            return verdict
    return None


def _entails(known: Atom, answer: bool, asked: Atom) -> bool | None:
    subject, test = _property(asked)
    if subject is None:
        return None
    known_subject, known_test = _property(known)
    if known_subject != subject:
        return None
    value = _exact_value(known_test, answer)
    if value is not None:
        return _holds(test, value[0])
    return _relate(known_test, answer, test)


def _property(atom: Atom) -> tuple[Term | None, tuple[str, Any]]:
    """An atom as a property of one term: ("true", None), ("none", None), ("==", c), ("<", c) or (">", c)."""
    if atom[0] in ("true", "none"):
        return atom[1], (atom[0], None)
    if atom[0] == "==" and atom[2][0] == "const":
        return atom[1], ("==", atom[2][2])
    if atom[0] == "<":
        if atom[2][0] == "const":
            return atom[1], ("<", atom[2][2])
        if atom[1][0] == "const":
            return atom[2], (">", atom[1][2])
    return None, ("", None)


def _exact_value(test: tuple[str, Any], answer: bool) -> tuple[Any] | None:
    if test[0] == "==" and answer:
        return (test[1],)
    if test[0] == "none" and answer:
        return (None,)
    return None


def _holds(test: tuple[str, Any], value: Any) -> bool | None:
    try:
        match test[0]:
            case "true":
                return bool(value)
            case "none":
                return value is None
            case "==":
                return bool(value == test[1])
            case "<":
                return bool(value < test[1])
        return bool(value > test[1])
    except TypeError:
        return None


def _relate(known: tuple[str, Any], answer: bool, asked: tuple[str, Any]) -> bool | None:
    """What a property that does not fix the value says about another."""
    if known[0] == "true":
        if asked[0] == "none":
            return False if answer else None
        if asked[0] == "==":
            return False if bool(asked[1]) is not answer else None
        return None
    if asked[0] == "true" and known[0] == "none":
        return None
    if known[0] in ("<", ">") and asked[0] in ("<", ">", "=="):
        return _relate_order(known, answer, asked)
    return None


def _relate_order(known: tuple[str, Any], answer: bool, asked: tuple[str, Any]) -> bool | None:
    low, low_open, high, high_open = _interval(known, answer)
    bound = asked[1]
    try:
        if asked[0] == "==":
            outside_low = low is not None and (bound < low or (low_open and bound == low))
            outside_high = high is not None and (bound > high or (high_open and bound == high))
            return False if outside_low or outside_high else None
        if asked[0] == "<":
            if high is not None and (high < bound or (high_open and high == bound)):
                return True
            return False if low is not None and low >= bound else None
        if low is not None and (low > bound or (low_open and low == bound)):
            return True
        return False if high is not None and high <= bound else None
    except TypeError:
        return None


def _interval(test: tuple[str, Any], answer: bool) -> tuple[Any, bool, Any, bool]:
    """The values a comparison leaves: low end, whether it is open, high end, whether it is open."""
    if test[0] == "<":
        return (None, False, test[1], True) if answer else (test[1], False, None, False)
    return (test[1], True, None, False) if answer else (None, False, test[1], False)
