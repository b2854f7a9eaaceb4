"""Gives the loop language its rules for lists of numbers, of tuples of numbers and of such lists."""

from __future__ import annotations

import ast
from typing import Any

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.comprehensions import list_of
from npcompile.frontend.loops.rules.ranges import bounds_of
from npcompile.frontend.loops.rules.subscripts import index_of
from npcompile.frontend.rewrite.ast_builder import position
from npcompile.lower.loops import ir
from npcompile.lower.loops.comprehension_ir import ContainerOfItems
from npcompile.lower.loops.dict_ir import ListOf
from npcompile.lower.loops.list_ir import (
    Append,
    ChangeList,
    CheckListLength,
    Expected,
    Extend,
    HasItems,
    Insert,
    Joined,
    ListItem,
    ListOfRange,
    ListPart,
    ListSlice,
    NewList,
    RemoveItem,
    Repeated,
    StoreListItem,
    StoreSlice,
    common,
    may_be,
    number_as_item,
)
from npcompile.lower.loops.text_ir import as_character, as_word
from npcompile.lower.loops.types import (
    BOOL,
    CHARACTER,
    INT,
    NONE,
    WORD,
    Array,
    Character,
    Deque,
    Dict,
    Either,
    Known,
    List,
    Method,
    Scalar,
    Set,
    Text,
    Tuple,
    Type,
    Unsigned,
    Word,
)

_METHODS = (
    "append",
    "clear",
    "copy",
    "count",
    "extend",
    "index",
    "insert",
    "pop",
    "remove",
    "reverse",
    "sort",
)
_POPPED = ".popped"  # the name of an item that was taken out


def item_of(value: ir.Expression) -> ir.Expression:
    """Return a value that a list may hold. Raises Outside for others."""
    value = as_character(value)
    if isinstance(value.type, Known | Text):
        value = as_word(value) or value
    elif isinstance(value.type, Tuple):
        places = range(len(value.type.items))
        value = ir.tuple_of(tuple(_part_of_item(ir.part_of(value, place)) for place in places))
    kind = value.type
    parts = kind.items if isinstance(kind, Tuple) and kind.items else (kind,)
    is_number = all(isinstance(part, Scalar | Either | Unsigned | Word) for part in parts)
    if type(kind) is not List and not is_number and kind not in (CHARACTER, NONE, WORD):
        raise Outside(f"a list that holds {kind}")
    return value


def _part_of_item(part: ir.Expression) -> ir.Expression:
    return (as_word(part) or part) if isinstance(part.type, Known | Text | Character) else part


def as_item(kind: Type, value: ir.Expression) -> ir.Expression:
    """Return a value as an item of a list that may have other items, too. Raises Outside."""
    if (item := number_as_item(kind, value)) is not None:
        return item
    if isinstance(kind, Tuple) and isinstance(value.type, Tuple):
        return ir.tuple_of(
            tuple(as_item(part, ir.part_of(value, place)) for place, part in enumerate(kind.items))
        )
    if may_be(value.type, kind):
        return Expected(kind, value)
    raise Outside(f"{value.type} in a list of {kind}")


def item_type(owner: ir.Expression) -> Type:
    """Return the type of the items that are read of a list."""
    assert isinstance(owner.type, List)
    if owner.type.item is None:
        raise Outside("")
    return owner.type.item


def read_item(inference: Inference, item: ir.Expression) -> ir.Expression:
    """Return an item of a container. One that is None by what is expected of it is looked at all the same."""
    if item.type != NONE:
        return item
    inference.bind(".unused", item)
    return ir.Constant(NONE, None)


def as_one_of_two(kind: Type | None, value: ir.Expression) -> ir.Expression:
    """Return a value as an item of a container of which items of one of two types are expected."""
    return (number_as_item(kind, value) or value) if isinstance(kind, Either) else value


def arguments(node: ast.Call, least: int, most: int) -> list[ast.expr]:
    """Return a call's arguments. Raises Outside unless it has `count` positional ones alone."""
    starred = any(isinstance(arg, ast.Starred) for arg in node.args)
    if node.keywords or starred or not least <= len(node.args) <= most:
        raise Outside(f"`{ast.unparse(node.func)}` with these arguments")
    return node.args


# -- new lists ---------------------------------------------------------------------------------------------


@language.expressions(ast.List)
def _display(inference: Inference, node: ast.List) -> ir.Expression:
    if any(isinstance(part, ast.Starred) for part in node.elts):
        raise Outside("a list of an iterator's items")
    return new_list(tuple(item_of(inference.either(part)) for part in node.elts))


def new_list(items: tuple[ir.Expression, ...]) -> ir.Expression:
    """Return a new list of these items. Raises Outside where they have more types than two."""
    kind: Type | None = None
    for item in items:
        if (kind := common(kind, item.type)) is None:
            raise Outside(f"a list of {' and '.join(sorted({str(item.type) for item in items}))}")
    return NewList(List(kind), tuple(as_item(kind, item) for item in items) if kind else ())


@language.calls(list)
def _list(inference: Inference, node: ast.Call) -> ir.Expression:
    given = arguments(node, 0, 1)
    return copied(listed(inference, given[0])) if given else NewList(List(None), ())


def copied(made: ir.Expression) -> ir.Expression:
    """Return a list with the items of another one, which may be a new one."""
    is_new = isinstance(made, NewList | ListOf | ListOfRange | ContainerOfItems)
    return made if is_new else ListPart(made.type, made, None, None)


def listed(inference: Inference, node: ast.expr) -> ir.Expression:
    """Return a list of what an expression's value has, itself if it is a list. Raises Outside."""
    if isinstance(node, ast.Call):
        function = inference.value(node.func).type
        if function == Known(range):
            return ListOfRange(List(INT), *bounds_of(inference, node)[1:])
    if isinstance(node, ast.GeneratorExp):
        return list_of(inference, node)
    value = inference.value(node)
    if isinstance(value.type, Dict | Set):
        return ListOf(List(value.type.key if isinstance(value.type, Dict) else value.type.item), value)
    if type(value.type) is List:
        return value
    if isinstance(value.type, Tuple):
        return new_list(tuple(item_of(ir.part_of(value, place)) for place in range(len(value.type.items))))
    if isinstance(value.type, Deque) or (isinstance(value.type, Array) and value.type.ndim == 1):
        at = position(node)
        each = ast.comprehension(ast.Name(".each", ast.Store(), **at), node, [], 0)
        return list_of(inference, ast.ListComp(ast.Name(".each", ast.Load(), **at), [each], **at))
    raise Outside(f"a list of the items of {value.type}")


@language.methods((List, "copy"))
def _copy(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    arguments(node, 0, 0)
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
    kind = common(left.type, right.type) or left.type
    if operator is not ast.Add:
        raise Outside(f"`{operator.__name__}` of {left.type} and {right.type}")
    return Joined(kind, left, right)


# -- items -------------------------------------------------------------------------------------------------


@language.items(List)
def _read(inference: Inference, container: ir.Expression, index: ast.expr) -> ir.Expression:
    if isinstance(index, ast.Slice):
        start, stop, step = bounds_of_slice(inference, index)
        if step is not None:
            return ListSlice(container.type, container, start, stop, step)
        return ListPart(container.type, container, start, stop)
    place = index_of(inference, inference.value(index))
    return read_item(inference, ListItem(item_type(container), container, place))


def bounds_of_slice(inference: Inference, index: ast.Slice) -> list[ir.Expression | None]:
    """Return the start, stop and step of a slice; None stands for Python's default."""
    values = (None if one is None else inference.value(one) for one in (index.lower, index.upper, index.step))
    return [None if one is None or one.type == Known(None) else index_of(inference, one) for one in values]


@language.stores(List)
def _store(inference: Inference, container: ir.Expression, index: ast.expr, value: ir.Expression) -> None:
    if isinstance(index, ast.Slice):
        if type(value.type) is not List:
            raise Outside(f"{value.type} stored to a slice of a list")
        inference.add(StoreSlice, container, *bounds_of_slice(inference, index), value)
        inference.learn(container, value.type.item)
        return
    place, item = index_of(inference, inference.value(index)), item_of(value)
    assert isinstance(container.type, List)
    inference.add(StoreListItem, container, place, as_one_of_two(container.type.item, item))
    inference.learn(container, item.type)


@language.deletions(List)
def _delete(inference: Inference, container: ir.Expression, index: ast.expr) -> None:
    if isinstance(index, ast.Slice):
        inference.add(StoreSlice, container, *bounds_of_slice(inference, index), None)
    else:
        inference.add(RemoveItem, container, index_of(inference, inference.value(index)))


@language.truths(List)
def _truth(inference: Inference, value: ir.Expression) -> ir.Expression:
    return HasItems(BOOL, value)


@language.unpackings(List)
def _unpacked(inference: Inference, value: ir.Expression, count: int) -> tuple[ir.Expression, ...]:
    kind = item_type(value)
    inference.add(CheckListLength, value, count)
    return tuple(read_item(inference, ListItem(kind, value, ir.integer(place))) for place in range(count))


# -- methods -----------------------------------------------------------------------------------------------


@language.attributes(*((List, name) for name in _METHODS))
def _attribute(inference: Inference, node: ast.Attribute, owner: ir.Expression) -> ir.Expression:
    assert isinstance(owner.type, List)
    return Expected(Method(owner.type, node.attr), owner)


@language.methods((List, "pop"))
def _pop(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    given = arguments(node, 0, 1)
    place = index_of(inference, inference.value(given[0])) if given else ir.integer(-1)
    return taken(inference, ListItem(item_type(owner), owner, place), RemoveItem, owner, place)


def taken(inference: Inference, item: ir.Expression, step: type[ir.Step], *operands: Any) -> ir.Expression:
    """Add a step that takes an item out, after that has been read; return the item."""
    inference.bind(_POPPED, item)
    inference.add(step, *operands)
    return inference.read(_POPPED)


@language.effects((List, "append"))
def _append(inference: Inference, node: ast.Call, owner: ir.Expression) -> None:
    (value,) = arguments(node, 1, 1)
    appended(inference, owner, inference.either(value))


def appended(inference: Inference, owner: ir.Expression, value: ir.Expression) -> None:
    """Append a value to a list."""
    assert isinstance(owner.type, List)
    item = item_of(value)
    inference.add(Append, owner, as_one_of_two(owner.type.item, item))
    inference.learn(owner, item.type)


@language.effects((List, "insert"))
def _insert(inference: Inference, node: ast.Call, owner: ir.Expression) -> None:
    place, value = arguments(node, 2, 2)
    index, item = index_of(inference, inference.value(place)), item_of(inference.either(value))
    inference.add(Insert, owner, index, item)
    inference.learn(owner, item.type)


@language.effects((List, "extend"))
def _extend(inference: Inference, node: ast.Call, owner: ir.Expression) -> None:
    (value,) = arguments(node, 1, 1)
    _extended(inference, owner, listed(inference, value))


def _extended(inference: Inference, owner: ir.Expression, value: ir.Expression) -> None:
    if type(value.type) is not List:
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
        raise Outside(f"an augmented assignment by `{operator.__name__}` to {old.type}")
    _extended(inference, old, value)


@language.effects((List, "clear"), (List, "reverse"))
def _changed(inference: Inference, node: ast.Call, owner: ir.Expression) -> None:
    assert isinstance(node.func, ast.Attribute)
    arguments(node, 0, 0)
    inference.add(ChangeList, owner, node.func.attr)
