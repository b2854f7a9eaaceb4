"""Gives the loop language its rules for `heapq` on lists of numbers and of tuples of numbers.

Items have an order that native code knows: numbers of one type, Python's real numbers among one another,
ints and floats beside `np.int64` and `np.float64`, and tuples of them. A heap that is given an item of
another type is from then on expected to have both.
"""

from __future__ import annotations

import ast
import heapq
from dataclasses import replace

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.lists import arguments, as_item, item_of, item_type, taken
from npcompile.lower.loops import ir
from npcompile.lower.loops.heap_ir import ChangeHeap, HeapLeast
from npcompile.lower.loops.list_ir import Expected, ListItem, common
from npcompile.lower.loops.types import Either, Known, List, Scalar, Tuple, Type, Word

_NONE = ir.Constant(Known(None), None)


def is_ordered(kind: Type) -> bool:
    """Tell if items of a type have an order that native code knows."""
    match kind:
        case Scalar(kind=letter):
            return letter != "c"
        case Word():
            return True
        case Either(kinds=(Scalar() as one, Scalar() as other)):
            alike = (one.python and other.python) or one.code == other.code in ("f8", "i8")
            return is_ordered(one) and is_ordered(other) and alike
        case Tuple(items=items):
            return bool(items) and all(map(is_ordered, items))
    return False


def _heap(inference: Inference, node: ast.expr, item: Type | None = None) -> ir.Expression:
    """Return a call's heap, expected to have an item of some type, too. Raises Outside."""
    heap = inference.value(node)
    if type(heap.type) is not List:
        raise Outside(f"a heap that is {heap.type}")
    kind = common(heap.type.item, item)
    if kind is None or not is_ordered(kind):
        raise Outside("" if item is heap.type.item is None else f"a heap of {heap.type.item} and {item}")
    return heap if heap.type.item == kind else Expected(replace(heap.type, item=kind), heap)


def _with_item(inference: Inference, node: ast.Call) -> tuple[ir.Expression, ir.Expression]:
    """Return the heap and the item of a call, as an item of that heap."""
    target, given = arguments(node, 2, 2)
    value = item_of(inference.either(given))
    heap = _heap(inference, target, value.type)
    return heap, as_item(item_type(heap), value)


def _learn(inference: Inference, heap: ir.Expression) -> None:
    """Note that a heap may have items of a type that was not expected of it."""
    if isinstance(heap, Expected):
        inference.learn(heap.source, item_type(heap))


def _first(heap: ir.Expression) -> ir.Expression:
    return ListItem(item_type(heap), heap, ir.integer(0))


@language.calls(heapq.heappush)
def _push(inference: Inference, node: ast.Call) -> ir.Expression:
    heap, value = _with_item(inference, node)
    inference.add(ChangeHeap, "heap_push", heap, value)
    _learn(inference, heap)
    return _NONE


@language.calls(heapq.heappop)
def _pop(inference: Inference, node: ast.Call) -> ir.Expression:
    (target,) = arguments(node, 1, 1)
    heap = _heap(inference, target)
    return taken(inference, _first(heap), ChangeHeap, "heap_pop", heap, None)


@language.calls(heapq.heapreplace)
def _replace(inference: Inference, node: ast.Call) -> ir.Expression:
    heap, value = _with_item(inference, node)
    made = taken(inference, _first(heap), ChangeHeap, "heap_replace", heap, value)
    _learn(inference, heap)
    return made


@language.calls(heapq.heappushpop)
def _push_pop(inference: Inference, node: ast.Call) -> ir.Expression:
    heap, value = _with_item(inference, node)
    least = HeapLeast(item_type(heap), heap, value)
    made = taken(inference, least, ChangeHeap, "heap_push_pop", heap, value)
    _learn(inference, heap)
    return made


@language.calls(heapq.heapify)
def _heapify(inference: Inference, node: ast.Call) -> ir.Expression:
    (target,) = arguments(node, 1, 1)
    inference.add(ChangeHeap, "heapify", _heap(inference, target), None)
    return _NONE
