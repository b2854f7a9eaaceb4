"""Keeps what is found out about the nodes of trees that nobody changes, so that each is looked at once.

`function_trees.py` keeps the trees of users' functions here. Functions that tell something of a node look
here first; of nodes that are not kept, such as those that cutting makes, they find it out each time.
"""

from __future__ import annotations

import ast
import functools
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, TypeVar

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES = (*_FUNCTIONS, ast.ClassDef)
_SCOPE_KINDS = frozenset(_SCOPES)
_UNKNOWN: Any = object()
_Node = TypeVar("_Node", bound=ast.AST)
_Fact = TypeVar("_Fact")


@dataclass(eq=False, slots=True)
class Tree:
    """The statements of one function.

    own: their nodes but those in the bodies of nested functions and classes. Those in a node stand together:
    it is the first, and `places` tells where they begin and end. facts: by the function that found one, and
    the node.
    """

    own: list[ast.AST] = field(default_factory=list)
    places: dict[ast.AST, tuple[int, int]] = field(default_factory=dict)
    facts: dict[tuple[Any, ast.AST], Any] = field(default_factory=dict)


kept: dict[ast.AST, Tree] = {}  # by their nodes


def keep(function: ast.FunctionDef | ast.Lambda, code: CodeType) -> None:
    """Keep the body of a function, which stays as it is, as long as the function's code lives."""
    body: list[Any] = [function.body] if isinstance(function, ast.Lambda) else function.body
    tree = Tree()
    begun: list[tuple[ast.AST, int]] = []
    # A node is followed by None, where what is in it ends. Statements of a block are kept with its function.
    pending: list[ast.AST | None] = [node for node in body if node not in kept]
    while pending:
        node = pending.pop()
        if node is None:
            done, first = begun.pop()
            tree.places[done] = first, len(tree.own)
            kept[done] = tree
        elif node._fields:
            begun.append((node, len(tree.own)))
            tree.own.append(node)
            pending.append(None)
            pending += ast.iter_child_nodes(node) if not isinstance(node, _SCOPES) else _outside(node)
        else:
            tree.own.append(node)  # `Load()` and the like stand at many places
    weakref.finalize(code, _forget, tree).atexit = False


def _forget(tree: Tree) -> None:
    for node in tree.places:
        kept.pop(node, None)


def own_nodes(parts: Iterable[ast.AST]) -> list[ast.AST]:
    """Return nodes and all nodes in them, without the bodies of nested functions and classes."""
    found: list[ast.AST] = []
    pending = list(parts)
    while pending:
        part = pending.pop()
        if (tree := kept.get(part)) is not None:
            first, end = tree.places[part]
            found += tree.own[first:end]
        else:
            found.append(part)
            pending += ast.iter_child_nodes(part) if not isinstance(part, _SCOPES) else _outside(part)
    return found


def _outside(node: ast.AST) -> list[Any]:
    """Return the nodes of a function or a class that are evaluated where it is made."""
    if not isinstance(node, _FUNCTIONS):
        return []
    defaults = [one for one in (*node.args.defaults, *node.args.kw_defaults) if one is not None]
    return [*defaults, *getattr(node, "decorator_list", [])]


def nodes_of(node: ast.AST) -> Iterable[ast.AST]:
    """Return a node and all nodes in it, those of nested functions and classes included."""
    if (tree := kept.get(node)) is None:
        return ast.walk(node)
    first, end = tree.places[node]
    own = tree.own[first:end]
    return own if _SCOPE_KINDS.isdisjoint(map(type, own)) else ast.walk(node)


def own_nodes_of(kinds: frozenset[type[ast.AST]], parts: Iterable[ast.AST]) -> list[Any]:
    """Return those of `own_nodes` that are of certain kinds."""
    return [node for node in own_nodes(parts) if type(node) in kinds]


def found_once(find: Callable[[_Node], _Fact]) -> Callable[[_Node], _Fact]:
    """Have a fact about a node of a kept tree, which nobody changes either, found out once."""

    @functools.wraps(find)
    def fact(node: _Node) -> _Fact:
        tree = kept.get(node)
        if tree is None:
            return find(node)
        known = tree.facts.get((find, node), _UNKNOWN)
        if known is _UNKNOWN:
            known = tree.facts[find, node] = find(node)
        return known

    return fact
