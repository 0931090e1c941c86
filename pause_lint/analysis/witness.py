"""What a finding says: its rule, its kind, its message and the steps of its witness.

Turns the leaks that `flow` found into words. Columns are converted to characters here, by the module that the syntax
is from.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from pause_lint.analysis import graph as g
from pause_lint.analysis.events import REGISTRARS, Deed, same_receiver
from pause_lint.analysis.flow import Followed, Leak, follow, undoes
from pause_lint.analysis.functions import Function
from pause_lint.analysis.guards import last_name
from pause_lint.analysis.syntax import blocks, walk
from pause_lint.finding import Finding, Role, Span, Step
from pause_lint.module import Module

_LONGEST = 60
_TELLING = frozenset({ast.For, ast.AsyncFor, ast.Try, ast.TryStar, ast.ExceptHandler})


def span(module: Module, node: ast.expr | ast.stmt) -> Span:
    """Where a node stands, in characters."""
    end_line = node.end_lineno or node.lineno
    return Span(
        node.lineno,
        module.column(node.lineno, node.col_offset),
        end_line,
        module.column(end_line, node.end_col_offset or node.col_offset),
    )


def short(node: ast.AST) -> str:
    """An expression as a message names it: its source on one line, arguments left out where it is a call."""
    if isinstance(node, ast.Await):
        return f"await {short(node.value)}"
    if isinstance(node, ast.Call):
        text = f"{ast.unparse(node.func)}()"
    else:
        text = ast.unparse(node).split("\n")[0]
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def pause_text(deed: Deed) -> str:
    """How a message names the pause: `x.pause_generation()`; the whole call if a string or route in it has the name."""
    node = deed.node
    text = short(node)
    if deed.chain:
        is_wrapper = isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.args[0], ast.Call)
    else:
        is_wrapper = deed.spelling not in text
    if is_wrapper:
        whole = " ".join(ast.unparse(node).split())
        text = whole if len(whole) <= 2 * _LONGEST else whole[: 2 * _LONGEST - 3] + "..."
    return text


def follow_pause(graph: g.Graph, site: int, may_return: bool = False) -> Followed:
    """Follow a pause, confirming the leaks that a finding is told from: up to the first that makes it a plain PR001.

    may_return: to return paused is no leak. Worked out once for each graph.
    """
    known: Followed | None = graph.followed.get((site, may_return))
    if known is None:
        known = graph.followed[site, may_return] = _follow_pause(graph, site, may_return)
    return known


def _follow_pause(graph: g.Graph, site: int, may_return: bool) -> Followed:
    deed: Deed = graph.nodes[site].arg
    cleanups, loops = _structure_of(graph)

    def settles(leak: Leak) -> bool:
        return not (_is_pause_itself(graph, leak, deed, loops) or _in_cleanup(graph, leak, deed, cleanups))

    return follow(graph, site, lambda leak: _rank(graph, leak), settles, may_return)


def _through(deed: Deed) -> str:
    """For a pause done elsewhere: where it is done."""
    if not deed.chain:
        return ""
    last = deed.chain[-1]
    return f" (at {last.path}:{last.line})"


Within = Callable[[ast.AST], tuple[Module, Function] | None]
"""The module and the function, put in place of a call, that a piece of syntax stands in."""


def finding(
    module: Module,
    function: Function,
    graph: g.Graph,
    site: int,
    followed: Followed,
    within: Within,
    may_return: bool = False,
) -> Finding:
    """The one finding for a pause that gets away. `may_return`: another function resumes after this one returns."""
    deed: Deed = graph.nodes[site].arg
    leak = followed.leaks[0]
    resumed = may_return or any(
        _undoing(node, deed) and (index in followed.closers or same_receiver(deed.receiver, node.arg.receiver))
        for index, node in enumerate(graph.nodes)
    )
    code, kind = classify(graph, deed, followed, leak, resumed)
    what = f"{deed.pair.noun} paused by {pause_text(deed)}{_through(deed)}"
    if not resumed:
        halves = " or ".join(f"{name}()" for name in sorted(deed.pair.resumes))
        message = f"{what} is never resumed: no path out of {function.short} reaches {halves}"
    elif code == "PR002":
        message = f"{what} stays so in part if that call fails half-way: it stands outside the try that resumes"
    elif code == "PR003":
        message = f"{what} is not resumed if {_event(graph, leak)}, which stands before the resume in the same cleanup"
    else:
        message = f"{what} is not resumed if {_event(graph, leak)}"
    return Finding(
        code,
        kind,
        message,
        module.path,
        span(module, deed.node),
        function.name,
        _steps(module, function, graph, deed, leak, within),
    )


def classify(graph: g.Graph, deed: Deed, followed: Followed, leak: Leak, resumed: bool) -> tuple[str, str]:
    """The rule and the kind that the leaks of one pause amount to."""
    if not resumed:
        return "PR001", "never"
    cleanups, loops = _structure_of(graph)
    if all(_is_pause_itself(graph, one, deed, loops) for one in followed.leaks):
        return "PR002", "partial"
    if all(_in_cleanup(graph, one, deed, cleanups) for one in followed.leaks):
        return "PR003", "cleanup"
    if leak.thrown is None:
        return "PR001", "normal-path"
    return "PR001", "cancellation" if leak.thrown.upper in ("CancelledError", "GeneratorExit") else "exception"


def _undoing(node: g.Node, deed: Deed) -> bool:
    return node.op == g.DEED and undoes(node.arg, deed)


def _stands(node: g.Node) -> ast.AST | None:
    """Where a step stands in the function: for one in a callee followed in place, at the call."""
    return node.site if node.site is not None else node.syntax


def _rank(graph: g.Graph, leak: Leak) -> tuple[int, int, bool, int]:
    """The order of witnesses: the one that leaves earliest; an error before a cancellation."""
    node = graph.nodes[leak.escape]
    line, column = _place(_stands(node))
    if node.leaves:
        line, column = node.leaves, 1 << 30
    cancelled = leak.thrown is not None and leak.thrown.upper in ("CancelledError", "GeneratorExit")
    return (line, column, cancelled, leak.exit)


def _place(node: ast.AST | None) -> tuple[int, int]:
    return (getattr(node, "lineno", 1 << 30), getattr(node, "col_offset", 0))


def _end(node: g.Node) -> tuple[int, int]:
    """Where a step ends in the function."""
    syntax = _stands(node)
    return (getattr(syntax, "end_lineno", None) or 1 << 30, getattr(syntax, "end_col_offset", None) or 0)


def _inner_place(node: g.Node) -> tuple[int, ...]:
    """Where a step stands in the function, and if it is one in a callee, where it stands there."""
    return (*_place(_stands(node)), *(_place(node.syntax) if node.site is not None else ()))


def _is_pause_itself(graph: g.Graph, leak: Leak, deed: Deed, loops: list[ast.For | ast.AsyncFor]) -> bool:
    node = graph.nodes[leak.escape]
    if leak.thrown is None:
        return False
    if node.op == g.DEED:
        return bool(node.arg.node is deed.node)
    pauses = [one.syntax for one in graph.nodes if one.op == g.DEED and one.arg.node is deed.node]
    return any(_takes_next(loop, node.syntax, pause) for loop in loops for pause in pauses if pause is not None)


def _takes_next(loop: ast.For | ast.AsyncFor, syntax: ast.AST | None, pause: ast.AST) -> bool:
    """Whether `syntax` is what a loop goes over that pauses its items: failing to take the next leaves some paused."""
    if loop.iter is not syntax:
        return False
    bound = {node.id for node in walk(loop.target) if isinstance(node, ast.Name)}
    inside = any(part is pause for statement in loop.body for part in walk(statement))
    return inside and any(isinstance(part, ast.Name) and part.id in bound for part in walk(pause))


_Stretch = tuple[tuple[int, int], tuple[int, int]]
_Structure = tuple[list[_Stretch], list[ast.For | ast.AsyncFor]]


def _in_cleanup(graph: g.Graph, leak: Leak, deed: Deed, cleanups: list[_Stretch]) -> bool:
    """Whether the escape stands in a finally or handler in which the resume stands behind it."""
    if leak.thrown is None:
        return False
    escape = _inner_place(graph.nodes[leak.escape])
    raised = graph.nodes[leak.escape].op != g.DEED
    resumes = [
        (_inner_place(node), _end(node))
        for node in graph.nodes
        if _undoing(node, deed) and same_receiver(deed.receiver, node.arg.receiver)
    ]

    def stands_before(resume: tuple[int, ...], last: tuple[int, int]) -> bool:
        # What is evaluated for a call comes before it; at another turn of a loop the call itself may be no resume.
        return escape < resume or (raised and resume[:2] <= escape[:2] < last)

    return any(
        start <= escape[:2] <= end and any(stands_before(*one) and one[0][:2] <= end for one in resumes)
        for start, end in cleanups
    )


def _structure_of(graph: g.Graph) -> _Structure:
    """The same for a graph, worked out once."""
    if graph.structure is None:
        graph.structure = _structure(graph)
    found: _Structure = graph.structure
    return found


def _structure(graph: g.Graph) -> _Structure:
    """The stretches of source that are bodies of the function's `finally` clauses and handlers; and the loops, those of
    functions followed in place included.
    """
    cleanups: list[_Stretch] = []
    loops: list[ast.For | ast.AsyncFor] = []
    for node in walk(graph.function):
        kind = type(node)
        if kind not in _TELLING:
            continue
        block: list[ast.stmt] = []
        if isinstance(node, ast.For | ast.AsyncFor):
            loops.append(node)
        elif isinstance(node, ast.Try | ast.TryStar):
            block = node.finalbody
        elif isinstance(node, ast.ExceptHandler):
            block = node.body
        if block:
            last = block[-1]
            end = (last.end_lineno or last.lineno, last.end_col_offset or 0)
            cleanups.append(((block[0].lineno, block[0].col_offset), end))
    loops += [
        node for inner in graph.inlined.values() for node in walk(inner) if isinstance(node, ast.For | ast.AsyncFor)
    ]
    return cleanups, loops


def _event(graph: g.Graph, leak: Leak) -> str:
    """The condition under which the path is taken: `dist.barrier() on line 1241 raises`."""
    node = graph.nodes[leak.escape]
    syntax = _stands(node)
    line = getattr(syntax, "lineno", 0)
    if leak.thrown is None:
        if isinstance(syntax, ast.Return):
            return f"the function returns on line {line}"
        return f"the function ends normally after line {getattr(_last(graph, leak), 'end_lineno', line)}"
    if isinstance(syntax, ast.Raise):
        what = "an exception" if leak.thrown.upper == "Exception" else leak.thrown.upper
        return f"{what} is raised on line {line}"
    if isinstance(syntax, ast.Assert):
        return f"the assertion on line {line} fails"
    if isinstance(syntax, ast.Import | ast.ImportFrom):
        return f"the import on line {line} fails"
    text = short(syntax) if syntax is not None else "a call"
    if any(loop.iter is syntax for loop in _structure_of(graph)[1]) and not isinstance(syntax, ast.Call):
        text = f"going through {text}"
    if node.leaves and isinstance(syntax, ast.Call) and last_name(syntax.func) in REGISTRARS:
        return f"what {text} on line {line} registers raises"
    if node.leaves:
        text = f"leaving the block of {text}"
    if leak.thrown.upper == "CancelledError":
        return f"{text} on line {line} is cancelled"
    if leak.thrown.upper == "GeneratorExit":
        return f"the generator is closed at {text} on line {line}"
    return f"{text} on line {line} raises"


def _steps(
    module: Module, function: Function, graph: g.Graph, deed: Deed, leak: Leak, within: Within
) -> tuple[Step, ...]:
    """Paused here, the turns the path takes, escapes here, leaves here."""

    def step(node: ast.expr | ast.stmt, message: str, role: Role) -> Step:
        inlined = within(node)
        return _step(module, node, message, role, (inlined[1] if inlined is not None else function).name)

    steps = list(deed.chain) or [step(deed.node, f"{pause_text(deed)} pauses {deed.pair.noun}", "pause")]
    escape = _stands(graph.nodes[leak.escape])
    exit_node = graph.nodes[leak.exit]
    if leak.thrown is not None and isinstance(escape, ast.expr | ast.stmt):
        text = _event(graph, leak).replace(f" on line {escape.lineno}", "")
        steps.append(step(escape, f"{text}; no resume stands on the way out", "escape"))
    elif isinstance(exit_node.syntax, ast.Return):
        steps.append(step(exit_node.syntax, "the function returns here without a resume", "leave"))
    else:
        steps.append(step(_last(graph, leak), "the function ends after this without a resume", "leave"))
    turn = _turn(graph, leak)
    if turn is not None:
        steps.insert(-1, step(turn[0], turn[1], "turn"))
    inner = graph.nodes[leak.escape].syntax
    where = within(inner) if leak.thrown is not None and inner is not None and inner is not escape else None
    if where is not None and isinstance(inner, ast.expr | ast.stmt):
        text = f"there, in {where[1].short}: {_reason(inner, leak)}"
        steps.append(_step(where[0], inner, text, "cause", where[1].name))
    return tuple(steps)


def _last(graph: g.Graph, leak: Leak) -> ast.expr | ast.stmt:
    """What comes last before the function ends: its last statement, or within that what the path of a leak passed."""
    end = graph.nodes[leak.exit].syntax
    if isinstance(end, ast.stmt) and not any(blocks(end)):
        return end
    passed = (_stands(graph.nodes[index]) for index in reversed(leak.path[:-1]))
    return next(syntax for syntax in passed if isinstance(syntax, ast.expr | ast.stmt))


def _reason(syntax: ast.expr | ast.stmt, leak: Leak) -> str:
    """What goes wrong in a callee."""
    if isinstance(syntax, ast.Raise):
        return "an exception is raised"
    if isinstance(syntax, ast.Assert):
        return "the assertion fails"
    if isinstance(syntax, ast.Import | ast.ImportFrom):
        return "the import fails"
    cancelled = leak.thrown is not None and leak.thrown.upper == "CancelledError"
    return f"{short(syntax)} {'is cancelled' if cancelled else 'raises'}"


def _turn(graph: g.Graph, leak: Leak) -> tuple[ast.expr, str] | None:
    """The last condition after the pause whose outcome keeps a normal path from the resume."""
    if leak.thrown is not None:
        return None
    found = None
    for index, after in zip(leak.path, leak.path[1:], strict=False):
        node = graph.nodes[index]
        if node.op == g.DEED and node.arg.kind == "pause":
            found = None
        if node.op == g.BRANCH and isinstance(node.syntax, ast.expr) and node.next != node.alt:
            outcome = "true" if after == node.next else "false"
            found = (node.syntax, f"{short(node.syntax)} is {outcome}")
    return found


def _step(module: Module, node: ast.expr | ast.stmt, message: str, role: Role, function: str) -> Step:
    return Step(module.path, node.lineno, module.column(node.lineno, node.col_offset), message, role, function)
