"""Gives the loop language its rules for loops over arrays, tuples, texts, `enumerate`, `zip`, `reversed`."""

from __future__ import annotations

import ast

from npcompile.frontend.loops import language
from npcompile.frontend.loops.entry.values import has_one_type
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules import array_iteration
from npcompile.frontend.loops.rules.dicts import over
from npcompile.frontend.loops.rules.ranges import bounds_of
from npcompile.frontend.loops.rules.subscripts import index_of
from npcompile.frontend.loops.rules.views import view
from npcompile.frontend.loops.source import control_flow as cf
from npcompile.lower.loops import ir
from npcompile.lower.loops.array_iterator_ir import FlatState, GridState
from npcompile.lower.loops.dict_ir import ObjectIterator, ObjectState
from npcompile.lower.loops.iterator_ir import (
    CheckLength,
    CountedIterator,
    CountedState,
    ItemsIterator,
    ItemsState,
    PartsState,
    RangeIterator,
    ZippedIterator,
    ZippedState,
)
from npcompile.lower.loops.list_ir import NextOfUnknown
from npcompile.lower.loops.text_ir import TextIterator, TextState
from npcompile.lower.loops.types import Array, Deque, Dict, DictView, Known, List, Set, Text, Tuple


@language.iterables(enumerate, zip, *array_iteration.CALLS)
def _call(inference: Inference, state: str, node: ast.Call) -> None:
    inference.bind(state, iterator(inference, node))


@language.iterables((Array, "flat"))
def _flat(inference: Inference, state: str, node: ast.Attribute) -> None:
    inference.bind(state, iterator(inference, node))


@language.iterables(reversed)
def _reversed(inference: Inference, state: str, node: ast.Call) -> None:
    made = iterator(inference, node)
    if isinstance(made, RangeIterator):
        assert isinstance(made.type, ir.RangeState)
        inference.types[state] = made.type
        inference.remember(state)
        inference.add(ir.BeginRange, made.type, state, made.start, made.stop, made.stride)
    else:
        inference.bind(state, made)


@language.iterations(Array, List, Text, Tuple)
def _items(inference: Inference, state: str, value: ir.Expression) -> None:
    inference.bind(state, _over(value, 1))


@language.nexts(
    ItemsState, PartsState, ObjectState, CountedState, TextState, ZippedState, FlatState, GridState
)
def _next(inference: Inference, state: str, item: str, body: cf.Block, exhausted: cf.Block) -> ir.End:
    without = dict(inference.types)
    kind = without[state]
    assert isinstance(kind, ir.State)
    after = inference.reach(exhausted)
    if not _is_known(kind):
        return NextOfUnknown(inference.place, inference.line, after, kind, state)
    inference.types = without | {item: kind.item}
    inference.remember(item)
    return ir.Next(inference.place, inference.line, kind, state, item, inference.reach(body), after)


@language.unpackings(Array)
def _unpacked(inference: Inference, value: ir.Expression, count: int) -> tuple[ir.Expression, ...]:
    assert isinstance(value.type, Array)
    if not value.type.ndim:
        raise Outside(f"unpacking of {value.type}")
    inference.add(CheckLength, value, count)
    if value.type.ndim == 1:
        return tuple(ir.Item(value.type.item, value, (ir.integer(place),)) for place in range(count))
    return tuple(view(value, [ir.integer(place)]) for place in range(count))


def _is_known(kind: ir.State) -> bool:
    """Tell if it is known which items an iterator has."""
    match kind:
        case ItemsState(source=List(item=None | Known(value=None))):
            return False
        case ObjectState(known_item=None | Known(value=None)):
            return False
        case CountedState(items=items):
            return _is_known(items)
        case ZippedState(parts=parts):
            return all(map(_is_known, parts))
    return True


def iterator(inference: Inference, node: ast.expr) -> ir.Expression:
    """Return the iterator over an expression's items. Raises Outside for other iterables."""
    match _called(inference, node), node:
        case builtin, ast.Call() if builtin is range:
            return RangeIterator(*bounds_of(inference, node))
        case builtin, ast.Call() if builtin is reversed:
            return _backwards(inference, node)
        case builtin, ast.Call() if builtin is enumerate:
            return _counted(inference, node)
        case builtin, ast.Call() if builtin is zip:
            return _zipped(inference, node)
        case builtin, ast.Call() if builtin in array_iteration.CALLS:
            return array_iteration.CALLS[builtin](inference, node)
        case _, ast.Attribute(value=owner, attr="flat") if inference.object_at(owner) is None:
            return array_iteration.flat(inference.value(owner))
    return _over(inference.value(node), 1)


def _called(inference: Inference, node: ast.expr) -> object:
    """Return the object that an expression calls, None where it is no call."""
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Attribute) and not isinstance(inference.value(node.func.value).type, Known):
        return None
    function = inference.value(node.func).type
    return function.value if isinstance(function, Known) else None


def _over(value: ir.Expression, step: int) -> ir.Expression:
    kind = value.type
    if isinstance(kind, Array) and kind.ndim:
        return ItemsIterator(ItemsState(kind, step), value)
    if type(kind) is List:
        return ItemsIterator(ItemsState(kind, step), value)
    if isinstance(kind, Tuple) and has_one_type(kind):
        return ItemsIterator(PartsState(kind, step), value)
    if isinstance(kind, Dict | DictView | Set | Deque) and step == 1:
        return over(value)
    if isinstance(kind, Deque):
        return ObjectIterator(ObjectState(kind, "__reversed__"), value)
    if isinstance(kind, Text) and step == 1:
        return TextIterator(TextState(kind), value)
    raise Outside(f"loops over {kind}")


def _state(node: ir.Expression) -> ir.State:
    assert isinstance(node.type, ir.State)
    return node.type


def _counted(inference: Inference, node: ast.Call) -> ir.Expression:
    given = [*node.args, *(one.value for one in node.keywords if one.arg == "start")]
    if len(given) != len(node.args) + len(node.keywords) or not 1 <= len(given) <= 2 or not node.args:
        raise Outside("an `enumerate` that Python refuses")
    items = iterator(inference, given[0])
    start = index_of(inference, inference.value(given[1])) if len(given) == 2 else ir.integer(0)
    small = isinstance(start, ir.Constant) and 0 <= start.value <= ir.SMALL
    return CountedIterator(CountedState(_state(items), small), items, start)


def _zipped(inference: Inference, node: ast.Call) -> ir.Expression:
    given = [inference.value(one.value) for one in node.keywords if one.arg == "strict"]
    strict = given[0] if given else ir.truth(False)
    if not node.args or len(given) != len(node.keywords) or not isinstance(strict, ir.Constant):
        raise Outside("a `zip` of nothing, or with a `strict` that is not known")
    parts = tuple(iterator(inference, arg) for arg in node.args)
    return ZippedIterator(ZippedState(tuple(map(_state, parts)), bool(strict.value)), parts)


def _backwards(inference: Inference, node: ast.Call) -> ir.Expression:
    if len(node.args) != 1 or node.keywords:
        raise Outside("a `reversed` that Python refuses")
    inner = node.args[0]
    if not isinstance(inner, ast.Call) or _called(inference, inner) is not range:
        return _over(inference.value(inner), -1)
    _, start, stop, stride = bounds_of(inference, inner)
    if not isinstance(stride, ir.Constant) or stride.value not in (1, -1):
        raise Outside("a reversed `range` of a step other than 1 and -1")
    rule = language.operators.find((type(start.type), type(stop.type)), "ranges")
    first, last = (rule(inference, ast.Sub, one, stride, False) for one in (stop, start))
    back = ir.integer(-stride.value)
    return RangeIterator(ir.RangeState(back.value), first, last, back)
