"""How NumPy's answers lie in memory: its iterator is asked, on the operands' layouts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from npcompile.frontend.eager.dispatch import layout_of, map_arrays
from npcompile.frontend.eager.long_long import named
from npcompile.frontend.eager.strided import Strided

Layout = np.ndarray[Any, Any]


def iterated(layouts: Sequence[Layout], shape: tuple[int, ...], order: str = "K") -> tuple[int, ...]:
    """The strides, in elements, of an array that is made by going through these once. order: as NumPy's."""
    iterate: Any = np.nditer
    made = iterate(
        [*layouts, None],
        flags=["refs_ok", "zerosize_ok"],
        op_flags=[["readonly"]] * len(layouts) + [["writeonly", "allocate"]],
        op_dtypes=[None] * len(layouts) + [np.dtype("b")],
        order=order,
        itershape=shape,
    ).operands[-1]
    strides: tuple[int, ...] = made.strides
    return strides


def picked(layout: Layout, index: tuple[Any, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides, in elements, of `layout[index]`, which has this shape and some of whose items are arrays.

    The axes of the arrays come first, in C's order where there are others beside them; the others are in the
    order of their strides. Source: NumPy's `mapping.c`, `PyArray_MapIterNew` and what it hands its iterator.
    """
    index = tuple([item if _basic(item) else np.asarray(item) for item in index])
    whole = [slice(None)] * (layout.ndim - sum(map(_axes, index)))
    at = next((place for place, item in enumerate(index) if item is Ellipsis), len(index))
    rest: list[Any] = []  # the same index with 0 for each axis that an array picks from
    arrays: list[Layout] = []
    before = None  # axes in front of the arrays', where these stay together
    for item in (*index[:at], *whole, *index[at + 1 :]):
        if not _basic(item):
            before = len(rest) if before is None else before
            rest.extend([0] * _axes(item))
            arrays.extend([] if item.dtype == np.bool_ else [item])  # a mask is a row of indices
        else:
            rest.append(item)
    places = [place for place, item in enumerate(index) if not _basic(item)]
    if before is None or places[-1] - places[0] >= len(places):
        before = 0
    others = layout[(*rest, ...)]
    first = iterated([] if others.size > 1 else arrays, shape[before : before + len(shape) - others.ndim])
    last = iterated([others], others.shape)
    return (*last[:before], *[stride * others.size for stride in first], *last[before:])


def _basic(item: Any) -> bool:
    return item is None or item is Ellipsis or isinstance(item, slice)


def _axes(item: Any) -> int:
    """How many axes an item of an index is for."""
    if item is None or item is Ellipsis:
        return 0
    return item.ndim if isinstance(item, np.ndarray) and item.dtype == np.bool_ else 1


def lying(made: Any, array: Any, index: Any) -> Any:
    """What an index that is not basic picked from one of our arrays, as it lies in NumPy's memory."""
    items = map_arrays(index if type(index) is tuple else (index,), layout_of)
    if not isinstance(made, Strided) or made._memory.numel() < 2 or any(map(_truth, items)):
        return made
    dtype = made._layout.dtype
    made = Strided._of_tensor(placed(made._memory, picked(array._layout, items, tuple(made._memory.shape))))
    return named(made, dtype)


def _truth(item: Any) -> bool:
    """All or nothing, for an axis more."""
    return isinstance(item, (bool, np.bool_)) or (
        isinstance(item, np.ndarray) and item.ndim == 0 and item.dtype == np.bool_
    )


def placed(tensor: torch.Tensor, strides: tuple[int, ...]) -> torch.Tensor:
    """A tensor with these strides: the same memory, or a copy where its elements lie otherwise."""
    pairs = zip(tensor.shape, strides, tensor.stride(), strict=True)
    if tensor.numel() == 0:
        return tensor
    if all(asked == held for size, asked, held in pairs if size > 1):
        return tensor.as_strided(tensor.shape, strides)
    made = torch.empty_strided(tensor.shape, strides, dtype=tensor.dtype, device=tensor.device)
    return made.copy_(tensor)
