"""Strides of results that NumPy's iterator lays out: the iterator is asked, on the operands' layouts.

Ufuncs, and indexing by arrays, have their results laid out in this way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from npcompile.frontend.eager.dispatch import layout_of, map_arrays
from npcompile.frontend.eager.long_long import named
from npcompile.frontend.eager.strided import Strided

Layout = np.ndarray[Any, Any]


def iterator_strides(layouts: Sequence[Layout], shape: tuple[int, ...], order: str = "K") -> tuple[int, ...]:
    """Return the strides, in elements, of an array made by iterating over these layouts. order: as in
    NumPy."""
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


def strides_of_picked(layout: Layout, index: tuple[Any, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides, in elements, of `layout[index]`, where the index holds arrays and the result has
    this shape.

    The axes of the index arrays come first, in C order where there are others beside them; the others are in
    the order of their strides. Source: NumPy's `mapping.c`, `PyArray_MapIterNew` and the arguments of its
    iterator.
    """
    index = tuple([item if _is_basic(item) else np.asarray(item) for item in index])
    whole = [slice(None)] * (layout.ndim - sum(map(_axes, index)))
    at = next((place for place, item in enumerate(index) if item is Ellipsis), len(index))
    rest: list[Any] = []  # the index with 0 for each axis that an array picks from
    arrays: list[Layout] = []
    before = None  # the number of axes in front of the arrays', where these stay together
    for item in (*index[:at], *whole, *index[at + 1 :]):
        if not _is_basic(item):
            before = len(rest) if before is None else before
            rest.extend([0] * _axes(item))
            arrays.extend([] if item.dtype == np.bool_ else [item])  # a mask is a row of indices
        else:
            rest.append(item)
    places = [place for place, item in enumerate(index) if not _is_basic(item)]
    if before is None or places[-1] - places[0] >= len(places):
        before = 0
    others = layout[(*rest, ...)]
    first = iterator_strides(
        [] if others.size > 1 else arrays, shape[before : before + len(shape) - others.ndim]
    )
    last = iterator_strides([others], others.shape)
    return (*last[:before], *[stride * others.size for stride in first], *last[before:])


def _is_basic(item: Any) -> bool:
    return item is None or item is Ellipsis or isinstance(item, slice)


def _axes(item: Any) -> int:
    """Return the number of axes that an item of an index is for."""
    if item is None or item is Ellipsis:
        return 0
    return item.ndim if isinstance(item, np.ndarray) and item.dtype == np.bool_ else 1


def lay_out(made: Any, array: Any, index: Any) -> Any:
    """Return the elements that an index picked from one of our arrays, laid out as NumPy's result is."""
    items = map_arrays(index if type(index) is tuple else (index,), layout_of)
    if not isinstance(made, Strided) or made._memory.numel() < 2 or any(map(_is_truth, items)):
        return made
    dtype = made._layout.dtype
    made = Strided._of_tensor(
        with_strides(made._memory, strides_of_picked(array._layout, items, tuple(made._memory.shape)))
    )
    return named(made, dtype)


def _is_truth(item: Any) -> bool:
    """Tell if an item of an index is True or False, which takes all or nothing, for one more axis."""
    return isinstance(item, (bool, np.bool_)) or (
        isinstance(item, np.ndarray) and item.ndim == 0 and item.dtype == np.bool_
    )


def with_strides(tensor: torch.Tensor, strides: tuple[int, ...]) -> torch.Tensor:
    """Return a tensor with these strides: the same memory, or a copy if its strides differ."""
    pairs = zip(tensor.shape, strides, tensor.stride(), strict=True)
    if tensor.numel() == 0:
        return tensor
    if all(asked == held for size, asked, held in pairs if size > 1):
        return tensor.as_strided(tensor.shape, strides)
    made = torch.empty_strided(tensor.shape, strides, dtype=tensor.dtype, device=tensor.device)
    return made.copy_(tensor)
