"""Keeps the trees of functions that are looked at before they are recorded, each found and judged once.

`partition.py` asks for the tree of each function that may be cut, and `rewriter.py` then adds hooks to a
copy. Nobody changes a tree that is kept.
"""

from __future__ import annotations

import weakref
from types import CodeType, FunctionType
from typing import NamedTuple

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.catalog.inlining import looks_at_frames
from npcompile.frontend.rewrite import kept_trees
from npcompile.frontend.rewrite.scopes import Scope, function_scope, plain_reason
from npcompile.frontend.rewrite.source import FunctionNode, NotFound, enclosing_class, find


class FunctionTree(NamedTuple):
    """A function's tree, the imports of its file, and the reason why the function runs as written, if any."""

    node: FunctionNode
    imports: frozenset[str]
    scope: Scope
    reason: Reason | None


# By identity of the code: levels are kept by a statement's identity.
_kept: dict[int, tuple[weakref.ref[CodeType], FunctionTree]] = {}


def function_tree(fn: FunctionType, keep: bool = False) -> FunctionTree:
    """Return a function's tree, the one that was kept if any was. Raises NotFound."""
    code = fn.__code__
    known = _kept.get(id(code))
    if known is not None and known[0]() is code:
        return known[1]
    try:
        node, imports = find(fn)
        scope = function_scope(node, None, enclosing_class(code))
        reason = plain_reason(node, scope, code.co_freevars)
    except RecursionError:
        raise NotFound(Cause.NESTED_TOO_DEEPLY()) from None
    if reason is None and looks_at_frames(fn):
        reason = Cause.OWN_FRAME()
    found = FunctionTree(node, imports, scope, reason)
    if keep:
        key = id(code)
        _kept[key] = weakref.ref(code, lambda _: _kept.pop(key, None)), found
        kept_trees.keep(node, code)
    return found
