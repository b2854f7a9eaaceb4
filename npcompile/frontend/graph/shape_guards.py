"""What shapes decide in programs for many lengths: slices may be shorter elsewhere than recorded."""

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
    from npcompile.frontend.ops.table import Op


def rows(builder: Builder, array: Any) -> None:
    """Guard how many rows there are: each is gone through by steps of its own."""
    if _may_differ(builder, array, 0):
        builder.ref(builder.length(array, 0), True)


def form(builder: Builder, array: Any) -> None:
    """Guard which axes have more than one element: whether there is anything to squeeze depends on it, and
    whether the array lies in C's order."""
    for axis in range(array.ndim):
        if _may_differ(builder, array, axis) and (length := builder.length(array, axis)) > 1:
            builder.number(operator.gt, (length, 1), {}, True)


def squeezes(builder: Builder, op: Op, args: tuple[Any, ...]) -> None:
    """Guard what there is to squeeze, if this does."""
    if op.function is np.squeeze and args and is_array(args[0]):
        form(builder, args[0])


# What answers with the array itself where there is nothing to do, and is no view otherwise.
HANDS_BACK = frozenset((np.ndarray.astype, np.astype))  # with copy=False


def lies(builder: Builder, array: Any) -> Any:
    """Note that it decides whether an array lies in C's order, or in Fortran's; returns the array. (Or the
    number, of which `np.real` hands back itself, too.)"""
    if not is_array(array):
        return array
    form(builder, array)
    if (node := builder.tracked.node(array)) is not None:
        attributes(node).layout_decides = True
    return array


def size(builder: Builder, array: Any, name: str) -> Any:
    """How many elements (`size`) or bytes (`nbytes`) an array has: a product of lengths, which are traced."""
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
    """Guard how long axes are, from which strides follow; but for those of one axis."""
    if not builder.general or (array.ndim == 1 and array.flags.c_contiguous):
        return
    if not array.flags.forc:
        raise Unfollowed(Cause.NO_ORDER())
    lies(builder, array)
    lengths(builder, array)


def lengths(builder: Builder, *arrays: Any) -> None:
    """Guard how long all axes are, whatever gave them."""
    for array in arrays if builder.general else ():
        for axis in range(array.ndim):
            builder.ref(builder.length(array, axis), True)


def _may_differ(builder: Builder, array: Any, axis: int) -> bool:
    """Whether an axis is one of a view. Of what is given the signature tells the lengths, and a check of what
    kernels make would end them."""
    node = builder.tracked.node(array)
    return builder.general and node is not None and step_of(origin(node, axis)[0]) == "view"
