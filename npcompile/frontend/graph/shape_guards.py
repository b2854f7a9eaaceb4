"""Guards on shapes in shape-generic programs: decisions that shapes make hold elsewhere only where these
hold."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.graph.builder import Builder
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.program.array_facts import is_array
from npcompile.frontend.program.length_origins import origin
from npcompile.lower.plan.attributes import attributes, step_of

if TYPE_CHECKING:
    pass


def rows(builder: Builder, array: Any) -> None:
    """Guard the number of rows: each is gone through by steps of its own."""
    if _may_differ(builder, array, 0):
        builder.ref(builder.length(array, 0), True)


def form(builder: Builder, array: Any) -> None:
    """Guard which axes have more than one element.

    Squeezing depends on it, and so does if the array is in C order.
    """
    for axis in range(array.ndim):
        if _may_differ(builder, array, axis) and (length := builder.length(array, axis)) > 1:
            builder.number(operator.gt, (length, 1), {}, True)


# Functions that return the array itself where there is nothing to do, and no view otherwise.
HANDS_BACK = frozenset((np.ndarray.astype, np.astype))  # with copy=False


def lies(builder: Builder, array: Any) -> Any:
    """Guard if an array is in C order, or in Fortran order; return the array.

    `np.real` hands back a number itself, too.
    """
    if not is_array(array):
        return array
    form(builder, array)
    if (node := builder.tracked.node(array)) is not None:
        attributes(node).layout_decides = True
    return array


def size(builder: Builder, array: Any, name: str) -> Any:
    """Return the number of elements (`size`) or bytes (`nbytes`) of an array: a product of lengths, which are
    traced."""
    axes = [builder.length(array, axis) for axis in range(array.ndim)]
    each = array.itemsize if name == "nbytes" else 1
    builder.constant(each)
    if 0 in array.shape or array.ndim == 0:
        builder.asked(array)
        builder.constant(each * array.size)
        return each * array.size
    found, *rest = (n for axis, n in enumerate([*axes, each]) if n > 1 or axis == 0)
    for factor in rest:
        found = factor if found == 1 else builder.number(operator.mul, (found, factor), {}, found * factor)
    return found


def strides(builder: Builder, array: Any) -> None:
    """Guard the lengths of axes, which strides follow from; arrays of one axis need none."""
    if not builder.general or (array.ndim == 1 and array.flags.c_contiguous):
        return
    if not array.flags.forc:
        raise Unfollowed(Cause.NO_ORDER())
    lies(builder, array)
    lengths(builder, array)


def lengths(builder: Builder, *arrays: Any) -> None:
    """Guard the lengths of all axes, whatever gave them."""
    for array in arrays if builder.general else ():
        for axis in range(array.ndim):
            builder.ref(builder.length(array, axis), True)


def _may_differ(builder: Builder, array: Any, axis: int) -> bool:
    """Tell if an axis is one of a view.

    Of arguments the signature tells the lengths, and a check of a kernel's result would end them.
    """
    node = builder.tracked.node(array)
    return builder.general and node is not None and step_of(origin(node, axis)[0]) == "view"
