"""Coercions that NumPy does on arguments, noted as steps: ranges and lists become arrays, members of enums
numbers.

Arrays of no dimension become whole numbers where NumPy takes one, and arrays of one dimension shapes.
"""

from __future__ import annotations

import operator
from enum import Enum
from typing import Any

import numpy as np

from npcompile.frontend.eager.ndarray import is_basic
from npcompile.frontend.graph.builder import Builder
from npcompile.frontend.ops.table import TABLE, computed
from npcompile.frontend.program.array_facts import is_array


def as_number(value: Any) -> Any:
    """Return a member of an `IntEnum` and the like as the number that NumPy takes it for; any other value
    unchanged."""
    if isinstance(value, Enum) and isinstance(value, int):
        return int.__pos__(value)
    return float.__pos__(value) if isinstance(value, Enum) and isinstance(value, float) else value


# By function, the arguments that are whole numbers, or tuples of them, for which NumPy takes arrays of no
# dimension, too.
TAKING_COUNTS: dict[Any, frozenset[int | str]] = {
    np.roll: frozenset({1, "shift"}),
    np.tile: frozenset({1, "reps"}),
    np.repeat: frozenset({1, "repeats"}),
    np.diff: frozenset({1, "n"}),
    np.rot90: frozenset({1, "k"}),
    np.reshape: frozenset({1, "shape"}),
    np.ndarray.reshape: frozenset(range(1, 33)),
    np.broadcast_to: frozenset({1, "shape"}),
    np.indices: frozenset({0, "dimensions"}),
    np.arange: frozenset({0, 1, 2, "start", "stop", "step"}),
    **{function: frozenset({0, "shape"}) for function in (np.zeros, np.ones, np.empty, np.full)},
    **{function: frozenset({2, "num"}) for function in (np.linspace, np.logspace)},
    **{function: frozenset({1, "k"}) for function in (np.diag, np.diagflat, np.tril, np.triu)},
    **{function: frozenset({0, 1, 2, "N", "M", "k", "n"}) for function in (np.eye, np.tri, np.identity)},
    **{
        function: frozenset({1, "indices_or_sections"})
        for function in (np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit)
    },
}

# Those of these functions that take several numbers, for which NumPy takes an array
# (`x.reshape(np.array([2, -1]))`).
_SEVERAL: tuple[Any, ...] = (
    *(np.roll, np.tile, np.reshape, np.ndarray.reshape, np.broadcast_to, np.indices),
    *(np.zeros, np.ones, np.empty, np.full),
)
_MOST = 64  # numbers of which NumPy makes a shape


def as_index(builder: Builder, index: Any) -> Any:
    """Return an index with ranges as arrays, and arrays at the ends of slices as whole numbers."""
    items = index if type(index) is tuple else (index,)
    if not any(type(item) is range or type(item) is slice for item in items):
        return index
    made = tuple([_item(builder, item) for item in items])
    return made if type(index) is tuple else made[0]


def _item(builder: Builder, item: Any) -> Any:
    if type(item) is range:
        return _counted(builder, item)
    if type(item) is slice and any(is_array(end) for end in (item.start, item.stop, item.step)):
        return slice(*[_end(builder, end) for end in (item.start, item.stop, item.step)])
    return item


def _end(builder: Builder, end: Any) -> Any:
    return builder.number(operator.index, (end,), {}, int(end)) if is_array(end) else end


def is_whole(index: Any) -> bool:
    """Tell if NumPy takes every array of an index for a whole number: one item is stored."""
    arrays = [item for item in (index if type(index) is tuple else (index,)) if not is_basic(item)]
    return all(is_array(item) and not item.ndim and item.dtype.kind in "iu" for item in arrays)


def as_counts(
    builder: Builder, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of a function in `TAKING_COUNTS` with arrays as numbers: of no dimension as
    scalars, of one dimension as tuples.

    Only arguments that NumPy takes whole numbers for are changed, and to tuples those that take several.
    """
    places = TAKING_COUNTS[function]
    several = any(function is one for one in _SEVERAL)
    args = tuple(
        [_count(builder, arg, several) if place in places else arg for place, arg in enumerate(args)]
    )
    return args, {key: _count(builder, arg, several) if key in places else arg for key, arg in kwargs.items()}


def _count(builder: Builder, arg: Any, several: bool = False) -> Any:
    if type(arg) in (tuple, list) and any(is_array(item) for item in arg):
        return type(arg)([_count(builder, item) for item in arg])
    if not is_array(arg) or arg.dtype.kind not in "iu":
        return arg
    op = TABLE.of(np.ndarray.__getitem__)
    assert op is not None
    if several and arg.ndim == 1 and len(arg) <= _MOST:
        builder.constant(tuple(range(len(arg))))
        return tuple([builder.op(op, (arg, (place,)), {}, arg[place]) for place in range(len(arg))])
    return arg if arg.ndim else builder.op(op, (arg, ()), {}, arg[()])


def _counted(builder: Builder, item: range) -> Any:
    ends = (item.stop,) if (item.start, item.step) == (0, 1) else (item.start, item.stop, item.step)
    for end in ends:
        if builder.tracked.get(end) is None:
            builder.constant(end)
    op = TABLE.of(np.arange)
    assert op is not None
    return builder.op(op, ends, {}, np.arange(*ends))


def as_value(builder: Builder, value: Any, array: np.ndarray[Any, Any]) -> Any:
    """Return a list or tuple that is stored into an array as an array.

    Returns None where that may come to another value or exception.
    """
    op = TABLE.of(np.array)
    dtype = array.dtype
    if op is None or not is_array(array) or computed(dtype) is None:
        return None
    if dtype.kind not in "fc" and builder.traced(value):
        return None  # an integer that is too large is an OverflowError, a NaN a ValueError
    try:
        found = np.array(value)
    except ValueError:
        return None
    if not np.can_cast(found.dtype, dtype, "same_kind") or op.refuses((value,), {"dtype": dtype}) is not None:
        return None
    return builder.op(op, (value,), {"dtype": dtype}, found.astype(dtype))
