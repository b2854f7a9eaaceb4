"""Gives the loop language its rule for `next(iter(x))`, the first item of a list, deque, dict or set."""

from __future__ import annotations

import ast

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.dicts import over
from npcompile.frontend.loops.rules.lists import item_type, read_item
from npcompile.frontend.loops.source.pure_calls import iterated_first
from npcompile.frontend.loops.splitting import Split
from npcompile.frontend.rewrite.ast_builder import position
from npcompile.lower.loops import ir
from npcompile.lower.loops.dict_ir import FirstItem, ObjectState
from npcompile.lower.loops.list_ir import ListItem
from npcompile.lower.loops.types import Dict, DictView, Known, List, Set


@language.calls(next)
def _next(inference: Inference, node: ast.Call) -> ir.Expression:
    """Return the first item. Python raises where there is none, unless the call has a default."""
    begun = iterated_first(node)
    if begun is None or inference.value(begun.func).type != Known(iter):
        raise Outside("a `next` of other than a new iterator")
    value = inference.value(begun.args[0])
    if not isinstance(value.type, List | Dict | DictView | Set):
        raise Outside(f"the first item of {value.type}")
    if len(node.args) == 2:
        taken = ast.Call(node.func, [begun], [], **position(node))
        raise Split(node, inference.truth(value), (taken, node.args[1]))
    if isinstance(value.type, List):
        return read_item(inference, ListItem(item_type(value), value, ir.integer(0)))
    iterator = over(value)
    assert isinstance(iterator.type, ObjectState)
    if iterator.type.known_item is None:
        raise Outside("")
    return FirstItem(iterator.type.item, iterator)
