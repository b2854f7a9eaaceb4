"""Gives the loop language its rules for sorting lists, and for finding items in them."""

from __future__ import annotations

import ast
from dataclasses import replace

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.comprehensions import keys_of, list_of
from npcompile.frontend.loops.rules.heaps import is_ordered
from npcompile.frontend.loops.rules.lists import arguments, as_item, copied, item_of, item_type, listed
from npcompile.frontend.loops.source.key_functions import key_of
from npcompile.lower.loops import ir
from npcompile.lower.loops.list_function_ir import Remove, Search, Sort, SortByKeys, Sorted
from npcompile.lower.loops.list_ir import Expected, ListPart, common
from npcompile.lower.loops.types import BOOL, INT, List

_SORTED = ".sorted"  # the name of the items whose keys are made


def _backwards(inference: Inference, node: ast.Call) -> ir.Expression:
    """Return if a call sorts backwards. Raises Outside for other keywords than that and a key."""
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    if not given.keys() <= {"reverse", "key"}:
        raise Outside("sorting with these keywords")
    if "reverse" not in given:
        return ir.truth(False)
    value = inference.value(given["reverse"])
    if value.type not in (BOOL, INT):
        raise Outside("sorting with these keywords")
    return inference.truth(value)


def _key(inference: Inference, node: ast.Call) -> ast.expr | None:
    """Return the key of a call that sorts; None where the items are their own keys."""
    key = key_of(node)
    is_none = isinstance(key, ast.Constant) and key.value is None
    return None if is_none else key


def _sort_by_keys(
    inference: Inference,
    items: ir.Expression,
    key: ast.expr,
    backwards: ir.Expression,
    known: ir.Expression | None,
) -> None:
    """Add the steps that sort a new list by keys of its items, or in its place a known list that has them."""
    item_type(items)
    inference.bind(_SORTED, items)
    keys = _ordered(list_of(inference, keys_of(inference, key, _SORTED)))
    inference.add(SortByKeys, known or inference.read(_SORTED), keys, backwards, known is not None)


def _ordered(value: ir.Expression) -> ir.Expression:
    """Return a list whose items have an order. Raises Outside."""
    assert isinstance(value.type, List)
    if not is_ordered(item_type(value)):
        raise Outside(f"sorting of {value.type}")
    return value


@language.calls(sorted)
def _sorted(inference: Inference, node: ast.Call) -> ir.Expression:
    (given,) = arguments(ast.Call(node.func, node.args, []), 1, 1)
    if (key := _key(inference, node)) is not None:
        source = copied(listed(inference, given))
        _sort_by_keys(inference, source, key, _backwards(inference, node), None)
        return inference.read(_SORTED)
    source = _ordered(listed(inference, given))
    return Sorted(source.type, source, _backwards(inference, node))


@language.effects((List, "sort"))
def _sort(inference: Inference, node: ast.Call, owner: ir.Expression) -> None:
    arguments(ast.Call(node.func, node.args, []), 0, 0)
    if (key := _key(inference, node)) is not None:
        copy = ListPart(owner.type, owner, None, None)
        return _sort_by_keys(inference, copy, key, _backwards(inference, node), owner)
    return inference.add(Sort, _ordered(owner), _backwards(inference, node))


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
