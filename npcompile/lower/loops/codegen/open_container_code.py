"""Chooses the containers of a region whose new items native code keeps as values, and writes their C++ types.

`emit.py` asks for them; their operations are in `headers/open_lists.h` and `headers/open_dicts.h`. A type of
lists, dicts or sets is open where a region, its functions included, fills one, and nothing is done with any
of them but what is known of open ones. No container of another type is one of them: those that are made in
the region keep their type, as `Expected` closes one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.c_types import c_type
from npcompile.lower.loops.codegen.list_code import is_same_object
from npcompile.lower.loops.comprehension_ir import ContainerOfItems
from npcompile.lower.loops.dict_ir import (
    AddItem,
    CheckMissing,
    ClearObject,
    DictFind,
    DictGet,
    DictItem,
    EnsureKey,
    HasKey,
    ItemCount,
    NewDict,
    NewSet,
    ObjectIterator,
    ObjectState,
    RemoveKey,
    StoreKey,
)
from npcompile.lower.loops.heap_ir import ChangeHeap, HeapLeast
from npcompile.lower.loops.iterator_ir import CountedIterator, ItemsIterator, ZippedIterator
from npcompile.lower.loops.list_array_ir import ArrayOfList, HoldsOnly
from npcompile.lower.loops.list_ir import (
    Append,
    CheckListLength,
    Expected,
    HasItems,
    ListItem,
    ListLength,
    ListOfRange,
    NewList,
    RemoveItem,
    Repeated,
    StoreListItem,
)
from npcompile.lower.loops.types import (
    INT,
    NONE,
    Dict,
    DictView,
    Either,
    List,
    Method,
    Scalar,
    Set,
    Tuple,
    Type,
)

# The expressions and steps that open lists are made, used or given on by; those of dicts and sets.
_GIVEN_ON = (ir.Read, ir.Unused, ir.Bind, ir.Call, ir.CallFunction, ir.Return, ir.Next)
_OF_LISTS = (
    *_GIVEN_ON,
    *(
        ContainerOfItems,
        NewList,
        Repeated,
        ListOfRange,
        ListItem,
        ListLength,
        HasItems,
        ArrayOfList,
        HoldsOnly,
    ),
    *(ItemsIterator, CountedIterator, ZippedIterator),
    *(Append, StoreListItem, RemoveItem, CheckListLength, ChangeHeap, HeapLeast),
)
_OF_KEYS = (
    *_GIVEN_ON,
    *(ContainerOfItems, NewDict, NewSet, DictItem, DictGet, DictFind, HasKey, ItemCount, ObjectIterator),
    *(StoreKey, EnsureKey, CheckMissing, AddItem, RemoveKey, ClearObject),
)
_FILLING = (Append, ChangeHeap, Repeated, ListOfRange, StoreKey, EnsureKey, AddItem)

_Container = List | Dict | Set


def open_types(region: ir.Region) -> list[_Container]:
    """Return the types of a region's lists, dicts and sets that are open."""
    nodes = {body: [*_nodes(body)] for body in _bodies(region)}
    if not any(isinstance(node, _FILLING) for of_body in nodes.values() for node in of_body):
        return []  # as in most regions
    wanted: set[_Container] = set()
    closed: set[_Container] = set()
    for known in (List, (Dict, Set)):
        # Where several types are given one object may have several.
        given = {kind for kind in _all_containers(region.names.values()) if isinstance(kind, known)}
        closed |= given if len(given) > 1 else set()
    for kind in region.names.values():
        if isinstance(kind, ObjectState):
            closed |= _containers(kind)
    for body, of_body in nodes.items():
        kinds = [*body.names.values(), *(kind for kinds in body.stored.values() for kind in kinds)]
        closed.update(*map(_within, kinds))
        for node in of_body:
            kinds = [one.type for one in _operands(node)]
            kinds += [node.type] if isinstance(node, ir.Expression) else []
            kinds += [node.kind] if isinstance(node, ir.Next) else []
            kinds = [kind for kind in kinds if not isinstance(kind, Scalar)]
            if not kinds:  # as of most nodes
                continue
            closed.update(*map(_within, kinds))
            used = _all_containers(kinds)
            closed |= {one for one in used if not _is_plain(one)}  # in C++ a defaultdict has a dict's type
            if isinstance(node, Expected) and is_same_object(node):
                continue
            closed |= {
                one for one in used if not isinstance(node, _OF_LISTS if isinstance(one, List) else _OF_KEYS)
            }
            if isinstance(node, _FILLING):
                wanted |= used
    for function in region.functions:
        kinds = [kind for _, kind in function.parameters]
        kinds += filter(None, (function.result, function.item))
        closed.update(*map(_within, kinds))
    names = {c_type(kind) for kind in closed}
    return sorted((kind for kind in wanted if _is_plain(kind) and c_type(kind) not in names), key=str)


def with_open_types(text: str, kinds: list[_Container]) -> str:
    """Return a region's C++ with the types of containers that are open."""
    for kind in kinds:
        text = text.replace(c_type(kind), c_type(kind).replace("npl::py_", "npl::open_", 1))
    return text


def _is_plain(kind: _Container) -> bool:
    """Tell if items and values are numbers, or tuples of them, and keys ints, or tuples of these."""
    match kind:
        case Dict(key=key, value=value):
            return kind.kind is dict and kind.factory is None and _are_ints(key) and _are_numbers(value)
        case Set(item=item):
            return _are_ints(item)
    return type(kind) is List and _are_numbers(kind.item)


def _are_numbers(kind: Type | None) -> bool:
    items = kind.items if isinstance(kind, Tuple) else (kind,)
    return bool(items) and all(_is_number(one) for one in items)


def _is_number(kind: Type | None) -> bool:
    """Tell if an item is a number, or may be: an item that is no tuple."""
    if isinstance(kind, Either):
        return all(one == NONE or _is_number(one) for one in kind.kinds)
    return isinstance(kind, Scalar)


def _are_ints(kind: Type | None) -> bool:
    items = kind.items if isinstance(kind, Tuple) else (kind,)
    return bool(items) and all(one == INT for one in items)


def _bodies(region: ir.Region) -> list[ir.Region]:
    return [region, *(function.body for function in region.functions if function.body is not None)]


def _nodes(body: ir.Region) -> Iterator[Any]:
    """Yield the steps and ends of a body, and all expressions in them."""
    for block in body.blocks:
        for step in (*block.steps, block.end):
            if step is not None:
                yield step
                pending = [*ir.expressions_of(step)]
                while pending:
                    node = pending.pop()
                    yield node
                    pending += ir.parts_of(node)


def _operands(node: Any) -> tuple[ir.Expression, ...]:
    return ir.parts_of(node) if isinstance(node, ir.Expression) else ir.expressions_of(node)


def _types_in(kind: Any) -> Iterator[Any]:
    """Yield the types that a type is made of."""
    for one in dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ():
        value = getattr(kind, one.name)
        parts = value if isinstance(value, tuple) else (value,)
        yield from (part for part in parts if isinstance(part, Type))


def _containers(kind: Type) -> set[_Container]:
    """Return the types of lists, dicts and sets that a type is, or has in it."""
    found: set[_Container] = {kind} if isinstance(kind, List | Dict | Set) else set()
    return found.union(*map(_containers, _types_in(kind)))


def _all_containers(kinds: Iterable[Type]) -> set[_Container]:
    found: set[_Container] = set()
    return found.union(*map(_containers, kinds))


def _within(kind: Type) -> set[_Container]:
    """Return the types of containers that are items of other objects."""
    if isinstance(kind, ir.State | DictView | Method):
        found: set[_Container] = set()
        return found.union(*map(_within, _types_in(kind)))
    return _containers(kind) - ({kind} if isinstance(kind, List | Dict | Set) else set())
