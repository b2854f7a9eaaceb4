"""`np.roll` by how far data say: elements are taken from where they lie, so that it decides nothing."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from npcompile.frontend.graph.builder import Builder
from npcompile.frontend.ops.table import TABLE
from npcompile.frontend.program.array_facts import is_array
from npcompile.lower.plan.attributes import step_of


def rolled(builder: Builder, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
    """The steps of a roll by a number that an earlier step gave; None where it is another call."""
    names = dict(zip(("a", "shift", "axis"), args, strict=False), **kwargs)
    array: Any = names.get("a")
    shift, axis = names.get("shift"), names.get("axis")
    if not is_array(array) or array.ndim == 0 or type(shift) not in (int, np.int64):
        return None
    if axis is None and array.ndim == 1:
        axis = 0
    node = builder.tracked.node(shift)
    if type(axis) is not int or builder.traced(axis) or node is None or step_of(node) in ("input", "read"):
        return None
    if node in builder.decided | builder.sizes | builder.counts or array.shape[axis] == 0:
        return None
    length = builder.length(array, axis % array.ndim)
    if type(shift) is int:
        far: Any = builder.number(operator.mod, (shift, length), {}, shift % length)
    else:
        far = _op(builder, np.remainder, (shift, length))
    apart = _op(builder, np.subtract, (_op(builder, np.arange, (length,)), far))
    places = _op(builder, np.remainder, (apart, length))
    take = TABLE.of(np.take)
    assert take is not None
    builder.constant(axis)
    return builder.op(take, (array, places, axis), {}, result)


def _op(builder: Builder, function: Any, args: tuple[Any, ...]) -> Any:
    op = TABLE.of(function)
    assert op is not None
    return builder.op(op, args, {}, function(*args))
