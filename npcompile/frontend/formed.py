"""What shapes decide in programs for many lengths: slices may be shorter elsewhere than recorded."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from npcompile.frontend.arrays import is_array
from npcompile.frontend.lengths import origin
from npcompile.frontend.program import step_of

if TYPE_CHECKING:
    from npcompile.frontend.steps import Steps
    from npcompile.frontend.table import Op


def rows(notes: Steps, array: Any) -> None:
    """Guard how many rows there are: each is gone through by steps of its own."""
    if _may_differ(notes, array, 0):
        notes.ref(notes.length(array, 0), True)


def sizes(notes: Steps, array: Any) -> None:
    """Guard how long all axes are."""
    for axis in range(array.ndim):
        if _may_differ(notes, array, axis):
            notes.ref(notes.length(array, axis), True)


def form(notes: Steps, array: Any) -> None:
    """Guard which axes have more than one element: whether there is anything to squeeze depends on it, and
    whether the array lies in C's order."""
    for axis in range(array.ndim):
        if _may_differ(notes, array, axis) and (length := notes.length(array, axis)) > 1:
            notes.number(operator.gt, (length, 1), {}, True)


def squeezes(notes: Steps, op: Op, args: tuple[Any, ...]) -> None:
    """Guard what there is to squeeze, if this does."""
    if op.function is np.squeeze and args and is_array(args[0]):
        form(notes, args[0])


def lies(notes: Steps, array: Any) -> Any:
    """Note that it decides whether an array lies in C's order, or in Fortran's; returns the array. (Or the
    number, of which `np.real` hands back itself, too.)"""
    if not is_array(array):
        return array
    form(notes, array)
    if (node := notes.tracked.node(array)) is not None:
        node.meta["lies"] = True
    return array


def _may_differ(notes: Steps, array: Any, axis: int) -> bool:
    """Whether an axis is one of a view. Of what is given the signature tells the lengths, and a check of what
    kernels make would end them."""
    node = notes.tracked.node(array)
    return notes.general and node is not None and step_of(origin(node, axis)[0]) == "view"
