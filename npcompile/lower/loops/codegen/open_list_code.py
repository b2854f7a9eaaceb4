"""Chooses the lists of a region whose new items native code keeps as values, and writes their C++ types.

`emit.py` asks for them; their operations are in `headers/open_lists.h`. A type of lists is open where a
region, its functions included, appends to one or makes one of many items, and nothing is done with any of
them but what is known of open lists. No list of another type is one of them: lists that are made in the
region keep their type, as `Expected` closes one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.c_types import c_type, item_kind
from npcompile.lower.loops.heap_ir import ChangeHeap, HeapLeast
from npcompile.lower.loops.iterator_ir import CountedIterator, ItemsIterator, ZippedIterator
from npcompile.lower.loops.list_ir import (
    Append,
    CheckListLength,
    HasItems,
    ListItem,
    ListLength,
    ListOfRange,
    NewList,
    RemoveItem,
    Repeated,
    StoreListItem,
)
from npcompile.lower.loops.types import Either, List, Scalar, Tuple, Type

# The expressions and steps that open lists are made, used or given on by.
_KNOWN = (
    *(ir.Read, ir.Unused, ir.Bind, ir.Call, ir.CallFunction, ir.Return, ir.Next),
    *(NewList, Repeated, ListOfRange, ListItem, ListLength, HasItems),
    *(ItemsIterator, CountedIterator, ZippedIterator),
    *(Append, StoreListItem, RemoveItem, CheckListLength, ChangeHeap, HeapLeast),
)
_ADDING = (Append, ChangeHeap, Repeated, ListOfRange)


def open_types(region: ir.Region) -> list[List]:
    """Return the types of a region's lists that are open."""
    wanted: set[List] = set()
    given = set().union(*map(_lists, region.names.values()))
    closed = given if len(given) > 1 else set()  # one object may have several types then
    for body in _bodies(region):
        kinds = [*body.names.values(), *(kind for kinds in body.stored.values() for kind in kinds)]
        closed.update(*map(_within, kinds))
        for node in _nodes(body):
            kinds = [one.type for one in _operands(node)]
            kinds += [node.type] if isinstance(node, ir.Expression) else []
            kinds += [node.kind] if isinstance(node, ir.Next) else []
            closed.update(*map(_within, kinds))
            if not isinstance(node, _KNOWN):
                closed.update(*map(_lists, kinds))
            elif isinstance(node, _ADDING):
                wanted.update(*map(_lists, kinds))
    for function in region.functions:
        kinds = [kind for _, kind in function.parameters]
        kinds += filter(None, (function.result, function.item))
        closed.update(*map(_within, kinds))
    return sorted((kind for kind in wanted - closed if _is_plain(kind)), key=str)


def with_open_types(text: str, kinds: list[List]) -> str:
    """Return a region's C++ with the types of lists that are open."""
    for kind in kinds:
        text = text.replace(c_type(kind), f"npl::open_list<{item_kind(kind.item)}>")
    return text


def _is_plain(kind: List) -> bool:
    """Tell if a type's items are numbers, or tuples of them."""
    items = kind.item.items if isinstance(kind.item, Tuple) else (kind.item,)
    return type(kind) is List and bool(items) and all(isinstance(one, Scalar | Either) for one in items)


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


def _lists(kind: Type) -> set[List]:
    """Return the types of lists that a type is, or has in it."""
    found = {kind} if isinstance(kind, List) else set()
    return found.union(*map(_lists, _types_in(kind)))


def _within(kind: Type) -> set[List]:
    """Return the types of lists that are items of other objects."""
    if isinstance(kind, ir.State):
        return set().union(*map(_within, _types_in(kind)))
    return _lists(kind) - ({kind} if isinstance(kind, List) else set())
