"""Gives the loop language its rules for sorting lists, and for finding items in them."""

from __future__ import annotations

import ast
from dataclasses import replace

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.heaps import is_ordered
from npcompile.frontend.loops.rules.lists import arguments, as_item, item_of, item_type, listed
from npcompile.lower.loops import ir
from npcompile.lower.loops.list_function_ir import Remove, Search, Sort, Sorted
from npcompile.lower.loops.list_ir import Expected, common
from npcompile.lower.loops.types import BOOL, INT, List


def _backwards(inference: Inference, node: ast.Call) -> ir.Expression:
    """Return if a call sorts backwards. Raises Outside for other keywords."""
    if not node.keywords:
        return ir.truth(False)
    (keyword, *others) = node.keywords
    value = inference.value(keyword.value)
    if others or keyword.arg != "reverse" or value.type not in (BOOL, INT):
        raise Outside("sorting by a key")
    return inference.truth(value)


def _ordered(value: ir.Expression) -> ir.Expression:
    """Return a list whose items have an order. Raises Outside."""
    assert isinstance(value.type, List)
    if not is_ordered(item_type(value)):
        raise Outside(f"sorting of {value.type}")
    return value


@language.calls(sorted)
def _sorted(inference: Inference, node: ast.Call) -> ir.Expression:
    (given,) = arguments(ast.Call(node.func, node.args, []), 1, 1)
    source = _ordered(listed(inference, given))
    return Sorted(source.type, source, _backwards(inference, node))


@language.effects((List, "sort"))
def _sort(inference: Inference, node: ast.Call, owner: ir.Expression) -> None:
    arguments(ast.Call(node.func, node.args, []), 0, 0)
    inference.add(Sort, _ordered(owner), _backwards(inference, node))


def _searched(
    inference: Inference, node: ast.Call, owner: ir.Expression
) -> tuple[ir.Expression, ir.Expression]:
    """Return a list and the value that is looked for in it, as one of its items. Raises Outside."""
    (given,) = arguments(node, 1, 1)
    value = item_of(inference.either(given))
    kind = common(item_type(owner), value.type)
    if kind is None or not is_ordered(kind):
        raise Outside(f"{value.type} in {owner.type}")
    assert isinstance(owner.type, List)
    wider = owner if owner.type.item == kind else Expected(replace(owner.type, item=kind), owner)
    return wider, as_item(kind, value)


@language.methods((List, "index"), (List, "count"))
def _search(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    assert isinstance(node.func, ast.Attribute)
    source, value = _searched(inference, node, owner)
    return Search(INT, source, node.func.attr, value)


@language.effects((List, "remove"))
def _remove(inference: Inference, node: ast.Call, owner: ir.Expression) -> None:
    inference.add(Remove, *_searched(inference, node, owner))
