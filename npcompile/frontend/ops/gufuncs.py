"""Rules of generalised ufuncs (`matmul`, `vecdot`, `solve`), which bind shapes, axes, dtypes and casting.

`products.py` and `solving.py` check their operands by them, with NumPy's exceptions.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.exceptions import AxisError
from numpy.lib.array_utils import normalize_axis_index
from torch import Tensor

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.ops.rules import as_dtype, cast, strength
from npcompile.frontend.ops.symbolic_sizes import broadcast_shapes
from npcompile.frontend.ops.table import TORCH
from npcompile.nep50 import promote

DType = np.dtype[Any]


def _core_names(signature: str, shapes: Sequence[Sequence[int]]) -> list[list[str]]:
    """Return the core dimensions of the operands, then of the result, less those that an operand leaves out.

    A name with a question mark may be missing from an operand of fewer dimensions, and then is from all.
    """
    terms = [term.strip("()").split(",") for term in signature.replace("->", ",").split("),(")]
    missing = {
        name
        for names, shape in zip(terms, shapes, strict=False)
        for name in names
        if name.endswith("?") and len(shape) < len(names)
    }
    return [[name for name in names if name and name not in missing] for names in terms]


def core_dimensions(name: str, signature: str, *shapes: Sequence[int]) -> None:
    """Raise NumPy's ValueError where core dimensions are missing or differ, or stacks do not broadcast.

    signature: as NumPy writes it, "(n?,k),(k,m?)->(n?,m?)". Source of the rule: PyUFunc_GeneralizedFunction.
    """
    sizes: dict[str, int] = {}
    stacks = []
    cores = _core_names(signature, shapes)
    _enough(name, signature, [len(core) for core in cores], [len(shape) for shape in shapes])
    for at, (core, shape) in enumerate(zip(cores, shapes, strict=False)):
        first = len(shape) - len(core)
        stacks.append(tuple(shape[:first]))
        for place, (label, size) in enumerate(zip(core, shape[first:], strict=True)):
            if sizes.setdefault(label, size) != size:
                raise ValueError(
                    f"{name}: Input operand {at} has a mismatch in its core dimension {place}, with gufunc "
                    f"signature {signature} (size {size} is different from {sizes[label]})"
                )
    broadcast_shapes(*stacks)


def loop_dtypes(
    gufunc: np.ufunc, operands: Sequence[Tensor], dtype: Any = None, casting: str = "same_kind"
) -> tuple[list[Tensor], DType]:
    """Return the operands in the dtypes of the loop that NumPy would run, and the dtype of its result.

    Raises what NumPy raises where it has no loop or `casting` forbids the operands.
    """
    fixed = None if dtype is None else np.dtype(dtype)
    kinds = tuple(strength(item) for item in operands)
    *inputs, result = promote.resolve(gufunc, kinds, fixed, None, casting)
    return [as_dtype(item, each) for item, each in zip(operands, inputs, strict=True)], result


def loop_limit(gufunc: np.ufunc, args: Sequence[Any], kwargs: dict[str, Any]) -> Reason | None:
    """Refuse calls, as a `limits`, whose loop has dtypes that bodies do not compute in."""
    kinds = tuple(np.asarray(item).dtype for item in args[: gufunc.nin])
    dtype = kwargs.get("dtype")
    try:
        fixed = None if dtype is None else np.dtype(dtype)
        chosen = promote.resolve(gufunc, kinds, fixed, None, "unsafe")
    except TypeError:
        return None  # NumPy raises for itself
    return next((Cause.DTYPE(str(item)) for item in chosen if item not in TORCH), None)


def product(
    gufunc: np.ufunc, body: Callable[[Tensor, Tensor], Tensor], operands: Sequence[Tensor], **keywords: Any
) -> Tensor:
    """Do one of NumPy's generalised ufuncs of two operands. body: on operands whose core axes are the last
    ones.

    keywords: NumPy's `dtype`, `casting`, `axes`, `axis`, `keepdims`. Raises what NumPy raises.
    """
    name, signature = gufunc.__name__, str(gufunc.signature)
    axes, axis, keepdims = keywords.get("axes"), keywords.get("axis"), bool(keywords.get("keepdims", False))
    ready, dtype = loop_dtypes(gufunc, operands, keywords.get("dtype"), keywords.get("casting", "same_kind"))
    if axes is None and axis is None and not keepdims:
        core_dimensions(name, signature, *(item.shape for item in ready))
        return cast(body(*ready), dtype)
    if axis is not None and axes is not None:
        raise TypeError("cannot specify both 'axis' and 'axes'")
    counts = [len(names) for names in _core_names(signature, [item.shape for item in ready])]
    _enough(name, signature, counts, [item.dim() for item in ready])
    if keepdims:
        counts[-1] = 1
    dims = [item.dim() for item in ready]
    dims.append(max(ndim - count for ndim, count in zip(dims, counts, strict=False)) + counts[-1])
    entries = _core_axes(counts, axes, axis, keepdims)
    places = [
        _axes_of_entry(name, at, count, entry, ndim)
        for at, (count, entry, ndim) in enumerate(zip(counts, entries, dims, strict=True))
    ]
    ready = [item.movedim(own, list(range(-len(own), 0))) for item, own in zip(ready, places, strict=False)]
    core_dimensions(name, signature, *(item.shape for item in ready))
    result = cast(body(*ready), dtype)
    if keepdims:
        result = result[..., None]
    return result.movedim(list(range(-counts[-1], 0)), places[-1]) if counts[-1] else result


def _enough(name: str, signature: str, counts: Sequence[int], dims: Sequence[int]) -> None:
    for at, (count, ndim) in enumerate(zip(counts, dims, strict=False)):
        if ndim < count:
            raise ValueError(
                f"{name}: Input operand {at} does not have enough dimensions (has {ndim}, "
                f"gufunc core with signature {signature} requires {count})"
            )


def _core_axes(counts: Sequence[int], axes: Any, axis: Any, keepdims: bool) -> list[Any]:
    """Return the places of the core axes of each operand and of the result. counts: how many each has."""
    if axis is not None:
        return [(operator.index(axis),) if count else () for count in counts]
    if axes is None:
        return [tuple(range(-count, 0)) for count in counts]
    if not isinstance(axes, list):
        raise TypeError("axes should be a list.")
    entries = list(axes)
    if len(entries) == len(counts) - 1 and (keepdims or counts[-1] == 0):
        entries.append(tuple(range(-counts[-1], 0)))
    if len(entries) != len(counts):
        raise ValueError(
            f"axes should be a list with an entry for all {len(counts)} inputs and outputs; "
            "entries for outputs can only be omitted if none of them has core axes."
        )
    return entries


def _axes_of_entry(name: str, at: int, count: int, entry: Any, ndim: int) -> list[int]:
    """Return the axes that an entry of `axes=` names. Raises what NumPy raises for those that do not fit."""
    own = entry if isinstance(entry, tuple) else (entry,)
    if len(own) != count:
        what = f"a tuple with {len(own)} elements" if isinstance(entry, tuple) else "a single integer"
        raise AxisError(f"{name}: operand {at} has {count} core dimensions, but the axes item is {what}.")
    places = [normalize_axis_index(operator.index(item), ndim) for item in own]
    for place in places:
        if places.count(place) > 1:
            raise ValueError(f"axes item {at} has value {place} repeated")
    return places
