"""Records `np.arange` of numbers that steps give: its length follows from them, and so does each element.

The steps of the recording (`graph_builder.py`) call `ranged`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from torch import fx

from npcompile.frontend.catalog.purity import OPERATORS, UFUNCS
from npcompile.frontend.graph.builder import Builder
from npcompile.frontend.graph.data_sizes import mark
from npcompile.frontend.ops.creation import steps_between
from npcompile.frontend.ops.table import TABLE
from npcompile.lower.plan.attributes import attributes
from npcompile.lower.plan.sizes import SMALLEST

_KINDS = (int, float, np.int64, np.float64)


def arange_length(start: Any, stop: Any, step: Any) -> int:
    """Return how many elements `np.arange` gives. Raises where NumPy does."""
    return steps_between(stop - start, step)


def ranged(builder: Builder, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
    """Note `np.arange(*args)`; return the result to hand on.

    Returns None where all of its numbers are sizes or decided, or of types with rules of their own.
    """
    if kwargs or not 1 <= len(args) <= 3 or any(type(arg) not in _KINDS for arg in args):
        return None
    nodes = [builder.tracked.node(arg) for arg in args]
    sizes = all(type(arg) is int for arg in args) and all(
        node is None or attributes(node).recorded_size is not None for node in nodes
    )
    if sizes or not any(nodes):
        return None
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    size = len(result)
    if arange_length(start, stop, step) != size or result.dtype not in (np.int64, np.float64):
        return None
    given = [Operand(arg, builder.ref(arg)) for arg in args]
    # Python has one object for each small number: a number that is no argument must not be looked up.
    first, last, by = (
        (Operand(0, 0), *given, Operand(1, 1)) if len(args) == 1 else (*given, Operand(1, 1))[:3]
    )
    builder.bound((*args, result), (result,))
    length = builder.number_step(arange_length, (first.ref, last.ref, by.ref), {}, size)
    places = _op(builder, np.arange, Operand(size, _size(builder, length, size)))
    if result.dtype == np.int64:
        made = _op(builder, np.add, _op(builder, np.multiply, places, by), first)
    else:  # the first two are as they were given, the rest follows from their difference
        first, by = _as_float(builder, first), _as_float(builder, by)
        second = _of_numbers(builder, "+", first, by)
        rest = _op(builder, np.multiply, places, _of_numbers(builder, "-", second, first))
        made = _op(builder, np.add, rest, first)
        for place, number in ((1, second), (0, first)):
            here = _op(builder, np.equal, places, Operand(place, place))
            made = _op(builder, np.where, here, number, made)
    attributes(made.ref).value = builder.value(result)
    builder.know(result, made.ref)
    return result


class Operand(NamedTuple):
    """A number or an array, and its node, or the value itself if it is decided."""

    value: Any
    ref: Any


def _op(builder: Builder, function: Any, *operands: Operand) -> Operand:
    op = TABLE.of(function)
    assert op is not None
    with np.errstate(all="ignore"):
        result = function(*(operand.value for operand in operands))
    refs = tuple(operand.ref for operand in operands)
    if not any(isinstance(ref, fx.Node) for ref in refs) and isinstance(result, np.generic):
        return Operand(result, result)
    return Operand(result, builder.add("op", op, refs, {}, builder.value(result)))


def _as_float(builder: Builder, number: Operand) -> Operand:
    return number if isinstance(number.value, float) else _number(builder, float, number)


def _of_numbers(builder: Builder, symbol: str, a: Operand, b: Operand) -> Operand:
    if isinstance(a.value, np.generic) or isinstance(b.value, np.generic):
        return _op(builder, UFUNCS[symbol], a, b)
    return _number(builder, OPERATORS[symbol], a, b)


def _number(builder: Builder, function: Any, *operands: Operand) -> Operand:
    result = function(*(operand.value for operand in operands))
    refs = tuple(operand.ref for operand in operands)
    if not any(isinstance(ref, fx.Node) for ref in refs):
        return Operand(result, result)
    return Operand(result, builder.number_step(function, refs, {}, result))


def _size(builder: Builder, length: fx.Node, size: int) -> Any:
    """Return the length as an argument of an op."""
    if attributes(length).recorded_size is not None:
        if length in builder.counts:
            builder.is_size(length)
    elif builder.general and size >= SMALLEST:
        mark(builder, length, size)
    else:
        builder.decide(length, size)
        return size
    return length
