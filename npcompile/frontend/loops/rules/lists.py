"""Gives the loop language its rules for lists of numbers, of tuples of numbers and of such lists."""

from __future__ import annotations

import ast

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.subscripts import index_of
from npcompile.lower.loops import ir
from npcompile.lower.loops.list_ir import (
    Append,
    ChangeList,
    Expected,
    Extend,
    HasItems,
    Insert,
    Joined,
    ListItem,
    ListPart,
    NewList,
    RemoveItem,
    Repeated,
    StoreListItem,
    may_be,
)
from npcompile.lower.loops.types import BOOL, INT, List, Method, Scalar, Tuple, Type, Unsigned

_METHODS = ("append", "clear", "copy", "extend", "insert", "pop", "reverse")
_POPPED = ".popped"  # the name of an item that was taken out


def _item(value: ir.Expression) -> ir.Expression:
    """Return a value that a list may hold. Raises Outside for others."""
    kind = value.type
    parts = kind.items if isinstance(kind, Tuple) and kind.items else (kind,)
    if not isinstance(kind, List) and not all(isinstance(part, Scalar | Unsigned) for part in parts):
        raise Outside(f"a list that holds {kind}")
    return value


def _item_type(owner: ir.Expression) -> Type:
    """Return the type of the items that are read of a list."""
    assert isinstance(owner.type, List)
    if owner.type.item is None:
        raise Outside("")
    return owner.type.item


def _arguments(inference: Inference, node: ast.Call, least: int, most: int) -> list[ir.Expression]:
    """Return the values of a call's positional arguments."""
    starred = any(isinstance(arg, ast.Starred) for arg in node.args)
    if node.keywords or starred or not least <= len(node.args) <= most:
        raise Outside(f"`{ast.unparse(node.func)}` with these arguments")
    return [inference.value(arg) for arg in node.args]


# -- new lists ---------------------------------------------------------------------------------------------


@language.expressions(ast.List)
def _display(inference: Inference, node: ast.List) -> ir.Expression:
    if any(isinstance(part, ast.Starred) for part in node.elts):
        raise Outside("a list of what an iterator has")
    items = tuple(_item(inference.value(part)) for part in node.elts)
    kinds = {item.type for item in items}
    if len(kinds) > 1:
        raise Outside(f"a list of {' and '.join(sorted(map(str, kinds)))}")
    return NewList(List(kinds.pop() if kinds else None), items)


@language.calls(list)
def _list(inference: Inference, node: ast.Call) -> ir.Expression:
    given = _arguments(inference, node, 0, 1)
    if not given:
        return NewList(List(None), ())
    if not isinstance(given[0].type, List):
        raise Outside(f"a list of what {given[0].type} has")
    return ListPart(given[0].type, given[0], None, None)


@language.methods((List, "copy"))
def _copy(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    _arguments(inference, node, 0, 0)
    return ListPart(owner.type, owner, None, None)


@language.operators((List, Scalar))
def _repeated(
    inference: Inference,
    operator: type[ast.operator],
    left: ir.Expression,
    right: ir.Expression,
    inplace: bool,
) -> ir.Expression:
    if operator is not ast.Mult or right.type not in (INT, BOOL):
        raise Outside(f"`{operator.__name__}` of {left.type} and {right.type}")
    return Repeated(left.type, left, right)


@language.operators((Scalar, List))
def _times(
    inference: Inference,
    operator: type[ast.operator],
    left: ir.Expression,
    right: ir.Expression,
    inplace: bool,
) -> ir.Expression:
    return _repeated(inference, operator, right, left, inplace)


@language.operators((List, List))
def _joined(
    inference: Inference,
    operator: type[ast.operator],
    left: ir.Expression,
    right: ir.Expression,
    inplace: bool,
) -> ir.Expression:
    kind = right.type if may_be(left.type, right.type) else left.type
    if operator is not ast.Add:
        raise Outside(f"`{operator.__name__}` of {left.type} and {right.type}")
    return Joined(kind, left, right)


# -- items -------------------------------------------------------------------------------------------------


@language.items(List)
def _read(inference: Inference, container: ir.Expression, index: ast.expr) -> ir.Expression:
    if isinstance(index, ast.Slice):
        if index.step is not None:
            raise Outside("a slice of a list with a step")
        bounds = [
            None if one is None else index_of(inference, inference.value(one))
            for one in (index.lower, index.upper)
        ]
        return ListPart(container.type, container, *bounds)
    place = index_of(inference, inference.value(index))
    return ListItem(_item_type(container), container, place)


@language.stores(List)
def _store(inference: Inference, container: ir.Expression, index: ast.expr, value: ir.Expression) -> None:
    if isinstance(index, ast.Slice):
        raise Outside("a store to a slice of a list")
    place = index_of(inference, inference.value(index))
    inference.add(StoreListItem, container, place, _item(value))
    inference.learn(container, value.type)


@language.truths(List)
def _truth(inference: Inference, value: ir.Expression) -> ir.Expression:
    return HasItems(BOOL, value)


# -- methods -----------------------------------------------------------------------------------------------


@language.attributes(*((List, name) for name in _METHODS))
def _attribute(inference: Inference, node: ast.Attribute, owner: ir.Expression) -> ir.Expression:
    assert isinstance(owner.type, List)
    return Expected(Method(owner.type, node.attr), owner)


@language.methods((List, "pop"))
def _pop(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    given = _arguments(inference, node, 0, 1)
    place = index_of(inference, given[0]) if given else ir.integer(-1)
    inference.bind(_POPPED, ListItem(_item_type(owner), owner, place))
    inference.add(RemoveItem, owner, place)
    return inference.read(_POPPED)


@language.effects((List, "append"))
def _append(inference: Inference, node: ast.Call, owner: ir.Expression) -> None:
    (value,) = _arguments(inference, node, 1, 1)
    inference.add(Append, owner, _item(value))
    inference.learn(owner, value.type)


@language.effects((List, "insert"))
def _insert(inference: Inference, node: ast.Call, owner: ir.Expression) -> None:
    place, value = _arguments(inference, node, 2, 2)
    inference.add(Insert, owner, index_of(inference, place), _item(value))
    inference.learn(owner, value.type)


@language.effects((List, "extend"))
def _extend(inference: Inference, node: ast.Call, owner: ir.Expression) -> None:
    (value,) = _arguments(inference, node, 1, 1)
    _extended(inference, owner, value)


def _extended(inference: Inference, owner: ir.Expression, value: ir.Expression) -> None:
    if not isinstance(value.type, List):
        raise Outside(f"a list that is extended by {value.type}")
    inference.add(Extend, owner, value)
    inference.learn(owner, value.type.item)


@language.updates(List)
def _updated(
    inference: Inference,
    target: ast.expr,
    old: ir.Expression,
    operator: type[ast.operator],
    value: ir.Expression,
) -> None:
    if operator is not ast.Add or not isinstance(target, ast.Name):
        raise Outside(f"`{operator.__name__}` in place of {old.type}")
    _extended(inference, old, value)


@language.effects((List, "clear"), (List, "reverse"))
def _changed(inference: Inference, node: ast.Call, owner: ir.Expression) -> None:
    assert isinstance(node.func, ast.Attribute)
    _arguments(inference, node, 0, 0)
    inference.add(ChangeList, owner, node.func.attr)
