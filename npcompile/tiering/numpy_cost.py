"""Estimates how long NumPy takes for the work of a plan's kernels.

The budget of compilations, contests and blocks ask before anything is measured. Estimates are in nanoseconds.
"""

from __future__ import annotations

import math

import numpy as np
from torch import fx

from npcompile.frontend.ops.table import Op
from npcompile.lower.plan.attributes import value_of
from npcompile.lower.plan.plan import Plan
from npcompile.lower.plan.values import Value

# NumPy's time for an operation, in nanoseconds, by itself, per byte of its largest array, and
# on single elements: as a rule, and at the very least.
COST = (600.0, 0.1, 180.0)
LEAST = (300.0, 0.015, 30.0)
# Reductions take this many times as long: they set loops up, by methods that are written in Python.
REDUCED = 2.5
# Nanoseconds of calling a kernel, and of each array or number that it is given.
CALL_COST = 1200
INPUT_COST = 80


def numpy_cost(plan: Plan, each: tuple[float, float, float]) -> float:
    """Return the nanoseconds of NumPy's work for a plan's kernels, where an operation takes `each`."""
    cost = 0.0
    for segment in plan.segments:
        for node in segment.ops:
            values = [value_of(node), *map(value_of, node.all_input_nodes)]
            cost += (
                each[2]
                if _is_element(node)
                else _cost(values, *each) * (REDUCED if _reduces(node, values) else 1)
            )
        cost += sum(_cost([value_of(node)], *each) for node in segment.writes)
    return cost


def _reduces(node: fx.Node, values: list[Value]) -> bool:
    """Tell if arrays become one of fewer axes, or a number: by a loop and a call of NumPy's around it.

    values: the step's, then those of its arguments.
    """
    is_item = isinstance(node.target, Op) and node.target.function is np.ndarray.__getitem__
    result, *given = values
    return not is_item and len(result.shape) < max([len(value.shape) for value in given], default=0)


def _is_element(node: fx.Node) -> bool:
    """Tell if a step is one element of an array, at a place that is not an array."""
    is_item = isinstance(node.target, Op) and node.target.function is np.ndarray.__getitem__
    return is_item and value_of(node).shape == () and len(node.all_input_nodes) == 1


def _cost(values: list[Value], operation: float, byte: float, single: float) -> float:
    """Return the nanoseconds of one operation."""
    shapes = [value.shape for value in values]
    if not any(shapes):  # all are single elements
        return single
    return operation + byte * max(map(_nbytes, values))


def is_small(plan: Plan) -> bool:
    """Tell if NumPy carries out the work of a plan's kernels in less time than calling them takes, for sure;
    also where there are none."""
    calls = sum(CALL_COST + INPUT_COST * len(segment.inputs) for segment in plan.segments)
    return numpy_cost(plan, COST) < max(calls, 1)


def _nbytes(value: Value) -> int:
    return math.prod(value.shape) * (8 if value.dtype is None else value.dtype.itemsize)
