"""Gives the loop language its rules for `collections.deque` of numbers and of tuples of numbers."""

from __future__ import annotations

import ast
from collections import deque
from typing import Any

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.lists import (
    appended,
    arguments,
    item_of,
    item_type,
    listed,
    read_item,
    taken,
)
from npcompile.frontend.loops.rules.subscripts import index_of
from npcompile.lower.loops import ir
from npcompile.lower.loops.deque_ir import AppendLeft, ChangeDeque, NewDeque, PopEnd
from npcompile.lower.loops.list_ir import Expected, HasItems, ListItem, NewList, StoreListItem
from npcompile.lower.loops.types import BOOL, Deque, Known, List, Method

_METHODS = ("append", "appendleft", "clear", "extend", "pop", "popleft", "rotate")


@language.calls(deque)
def _deque(inference: Inference, node: ast.Call) -> ir.Expression:
    given: list[Any] = [*node.args, *(one.value for one in node.keywords if one.arg == "maxlen")]
    starred = any(isinstance(arg, ast.Starred) for arg in node.args)
    if starred or len(given) > 2 or len(given) != len(node.args) + len(node.keywords):
        raise Outside("a `deque` with these arguments")
    source: ir.Expression = listed(inference, node.args[0]) if node.args else NewList(List(None), ())
    most = inference.value(given[-1]) if len(given) > bool(node.args) else None
    if most is not None:
        most = None if most.type == Known(None) else index_of(inference, most)
    assert isinstance(source.type, List)
    return NewDeque(Deque(source.type.item), source, most)


@language.items(Deque)
def _read(inference: Inference, container: ir.Expression, index: ast.expr) -> ir.Expression:
    place = index_of(inference, inference.value(index))
    return read_item(inference, ListItem(item_type(container), container, place))


@language.stores(Deque)
def _store(inference: Inference, container: ir.Expression, index: ast.expr, value: ir.Expression) -> None:
    place, item = index_of(inference, inference.value(index)), item_of(value)
    inference.add(StoreListItem, container, place, item)
    inference.learn(container, item.type)


@language.truths(Deque)
def _truth(inference: Inference, value: ir.Expression) -> ir.Expression:
    return HasItems(BOOL, value)


@language.attributes(*((Deque, name) for name in _METHODS))
def _attribute(inference: Inference, node: ast.Attribute, owner: ir.Expression) -> ir.Expression:
    assert isinstance(owner.type, Deque)
    return Expected(Method(owner.type, node.attr), owner)


@language.methods((Deque, "pop"))
def _pop(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    arguments(node, 0, 0)
    return taken(inference, ListItem(item_type(owner), owner, ir.integer(-1)), PopEnd, owner, "pop_right")


@language.methods((Deque, "popleft"))
def _pop_left(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    arguments(node, 0, 0)
    return taken(inference, ListItem(item_type(owner), owner, ir.integer(0)), PopEnd, owner, "pop_left")


@language.effects((Deque, "append"))
def _append(inference: Inference, node: ast.Call, owner: ir.Expression) -> None:
    (value,) = arguments(node, 1, 1)
    appended(inference, owner, inference.either(value))


@language.effects((Deque, "appendleft"))
def _append_left(inference: Inference, node: ast.Call, owner: ir.Expression) -> None:
    (given,) = arguments(node, 1, 1)
    item = item_of(inference.either(given))
    inference.add(AppendLeft, owner, item)
    inference.learn(owner, item.type)


@language.effects((Deque, "clear"))
def _clear(inference: Inference, node: ast.Call, owner: ir.Expression) -> None:
    arguments(node, 0, 0)
    inference.add(ChangeDeque, owner, "clear", None)


@language.effects((Deque, "extend"))
def _extend(inference: Inference, node: ast.Call, owner: ir.Expression) -> None:
    (given,) = arguments(node, 1, 1)
    value = listed(inference, given)
    assert isinstance(value.type, List)
    inference.add(ChangeDeque, owner, "extend", value)
    inference.learn(owner, value.type.item)


@language.effects((Deque, "rotate"))
def _rotate(inference: Inference, node: ast.Call, owner: ir.Expression) -> None:
    given = arguments(node, 0, 1)
    by = index_of(inference, inference.value(given[0])) if given else ir.integer(1)
    inference.add(ChangeDeque, owner, "rotate", by)
