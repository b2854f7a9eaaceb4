"""Copies steps, ends and expressions, for passes that write a block several times.

Passes note facts of nodes, so two blocks have none in common.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from npcompile.lower.loops import ir
from npcompile.lower.loops.iterator_ir import (
    CountedIterator,
    ItemsIterator,
    RangeIterator,
    ZippedIterator,
)
from npcompile.lower.loops.list_ir import Append, ListItem, ListLength
from npcompile.lower.loops.types import INT

_STEPS = (
    ir.Bind,
    ir.StoreItem,
    ir.CallFunction,
    ir.BeginRange,
    ir.Jump,
    ir.Branch,
    ir.Next,
    ir.Leave,
    Append,
)
_EXPRESSIONS = (
    *(ir.Constant, ir.Unused, ir.Read, ir.Apply, ir.Item),
    *(ir.Length, ir.Choose, ir.MakeTuple, ir.Part, ir.Call),
    *(RangeIterator, ItemsIterator, CountedIterator, ZippedIterator),
    *(ListItem, ListLength),
)


def is_plain(step: ir.Step | ir.End) -> bool:
    """Tell if a step can be copied."""
    pending = list(ir.expressions_of(step))
    while pending:
        node = pending.pop()
        if not isinstance(node, _EXPRESSIONS):
            return False
        pending += ir.parts_of(node)
    return isinstance(step, _STEPS)


def led(end: ir.End | None, to: Callable[[ir.Block], ir.Block]) -> ir.End | None:
    """Return an end that leads to other blocks. to: returns the block in place of one."""
    match end:
        case ir.Jump(target=target):
            return replace(end, target=to(target))
        case ir.Branch(then=then, otherwise=otherwise):
            return replace(end, then=to(then), otherwise=to(otherwise))
        case ir.Next(body=body, exhausted=exhausted):
            return replace(end, body=to(body), exhausted=to(exhausted))
    return end


def copied(node: Any, names: dict[str, ir.Constant], known: dict[Any, Any]) -> Any:
    """Return a copy of a step, an end or an expression, with constants for names. known: copies of parts."""
    if isinstance(node, ir.Read) and node.type == INT and node.name in names:
        return names[node.name]
    if isinstance(node, tuple) and not isinstance(node, ir.Place):
        return tuple([copied(one, names, known) for one in node])
    if not isinstance(node, ir.Expression | ir.Step | ir.End):
        return node
    if node not in known:
        parts: dict[str, Any] = {
            one.name: copied(getattr(node, one.name), names, known)
            for one in fields(node)
            if isinstance(getattr(node, one.name), ir.Expression | tuple)
        }
        known[node] = replace(node, **parts)
    return known[node]
