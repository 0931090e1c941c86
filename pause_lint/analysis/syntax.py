"""Walks over syntax trees: like `ast.walk` and `ast.iter_child_nodes`, without the nodes that say `Load` or `Store`.

Those are a third of a tree, and nothing is asked of them here but through the `ctx` of what they belong to.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly below `node`, in the order of its fields."""
    found: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found += [part for part in value if isinstance(part, ast.AST)]
        elif isinstance(value, ast.AST) and name != "ctx":
            found.append(value)
    return found


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """`node` and every node below it, level by level."""
    queue = [node]
    for one in queue:
        yield one
        queue += children(one)


def own_nodes(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Every node below `body` that belongs to this function: bodies of nested functions and lambdas are left out."""
    stack = list(body)
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            stack += [*node.decorator_list, *node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
        elif isinstance(node, ast.Lambda):
            stack += [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
        else:
            stack += children(node)
