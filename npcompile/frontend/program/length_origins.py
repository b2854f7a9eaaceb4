"""Origins of lengths: finds the array near the arguments that is as long as another, along an axis.

The graph builder traces the length of an axis as that of its origin: equal lengths become one traced number.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import fx

from npcompile.frontend.ops.table import Op
from npcompile.frontend.program.draw_shapes import length_drawn
from npcompile.lower.plan.attributes import step_of, value_of

# Functions that give an array whose axes are as long as the first argument's.
_ALIKE = frozenset(
    [np.ndarray.copy, np.ndarray.astype, np.copy, np.zeros_like, np.ones_like, np.empty_like, np.full_like]
)


def origin(node: fx.Node, axis: int) -> tuple[fx.Node, int]:
    """Return an array and its axis that is as long as this one at every length but 1.

    The array is as close to the arguments as is easily seen.
    """
    size = value_of(node).shape[axis]
    target = node.target
    base: Any = node.args[0] if node.args else None
    if step_of(node) == "view" and isinstance(target, Op) and target.function is np.ndarray.__getitem__:
        below = _whole_axis(node.args[1], axis, len(value_of(base).shape))
        return (node, axis) if below is None else origin(base, below)
    if step_of(node) == "opaque" and (drawn := length_drawn(node, axis)) is not None:
        array, of = drawn
        return origin(array, of)
    if step_of(node) == "op" and isinstance(target, Op) and target.function is np.ndarray.__getitem__:
        places: Any = node.args[1]
        if isinstance(places, fx.Node) and value_of(places).dtype is not torch.bool:
            picked = len(value_of(places).shape)
            return origin(places, axis) if axis < picked else origin(base, axis - picked + 1)
    if step_of(node) in ("op", "library") and isinstance(target, Op):
        back = axis - len(value_of(node).shape)
        arrays = [arg for arg in node.args if isinstance(arg, fx.Node) and value_of(arg).kind == "array"]
        if target.function in _ALIKE:
            arrays = arrays[:1]
        elif not isinstance(target.function, np.ufunc):
            return node, axis
        found = set()
        for array in arrays:
            shape = value_of(array).shape
            if len(shape) >= -back and shape[back] == size:
                found.add(origin(array, back + len(shape)))
        # Equal lengths of arguments stay equal; others may become 1.
        if len(found) == 1 or (found and all(step_of(first) == "input" for first, _ in found)):
            return min(found, key=lambda place: place[0].name)
    return node, axis


def keeps_length(node: fx.Node, axis: int) -> bool:
    """Tell whether an axis of length 0 or 1 has that length wherever a shape-generic program is used.

    That holds for arguments and reads, by the signature, and for an axis that an index makes.
    """
    if step_of(node) in ("input", "read"):
        return True
    if step_of(node) != "view" or not isinstance(node.target, Op):
        return False
    if node.target.function is not np.ndarray.__getitem__:
        return False
    index: Any = node.args[1] if isinstance(node.args[1], tuple) else (node.args[1],)
    kept = [item for item in index if item is None or isinstance(item, slice)]
    return Ellipsis not in index and axis < len(kept) and kept[axis] is None


def _whole_axis(index: Any, axis: int, ndim: int) -> int | None:
    """Return the axis of an array that is this axis of `array[index]`, whole; None where there is none."""
    items = list(index) if isinstance(index, tuple) else [index]
    taken = sum(item is not None and item is not Ellipsis for item in items)
    place = next((place for place, item in enumerate(items) if item is Ellipsis), len(items))
    items[place : place + 1] = [slice(None)] * (ndim - taken)
    own = below = 0
    for item in items:
        if item is None or isinstance(item, slice):
            if own == axis:
                return below if item == slice(None) else None
            own += 1
        below += item is not None
    return None
