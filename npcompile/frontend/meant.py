"""What stands for something else: ranges and lists for arrays, which are steps of their own, members of enums
for the numbers that they are."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from npcompile.frontend.table import TABLE, computed

if TYPE_CHECKING:
    from npcompile.frontend.steps import Steps


def as_number(value: Any) -> Any:
    """A member of an `IntEnum` and the like as the number that NumPy takes it for; anything else as it is."""
    if isinstance(value, Enum) and isinstance(value, int):
        return int.__pos__(value)
    return float.__pos__(value) if isinstance(value, Enum) and isinstance(value, float) else value


def as_index(notes: Steps, index: Any) -> Any:
    """An index in which ranges are arrays."""
    items = index if type(index) is tuple else (index,)
    if not any(type(item) is range for item in items):
        return index
    made = tuple([_counted(notes, item) if type(item) is range else item for item in items])
    return made if type(index) is tuple else made[0]


def _counted(notes: Steps, item: range) -> Any:
    ends = (item.stop,) if (item.start, item.step) == (0, 1) else (item.start, item.stop, item.step)
    for end in ends:
        if notes.tracked.get(end) is None:
            notes.constant(end)
    op = TABLE.of(np.arange)
    assert op is not None
    return notes.op(op, ends, {}, np.arange(*ends))


def as_value(notes: Steps, value: Any, array: np.ndarray[Any, Any]) -> Any:
    """A list or tuple that is stored into an array, as an array; None where that may come to another value or
    exception."""
    op = TABLE.of(np.array)
    dtype = array.dtype
    if op is None or type(array) is not np.ndarray or computed(dtype) is None:
        return None
    if dtype.kind not in "fc" and notes.traced(value):
        return None  # an integer that is too large is an OverflowError, a NaN a ValueError
    try:
        found = np.array(value)
    except ValueError:
        return None
    if not np.can_cast(found.dtype, dtype, "same_kind") or op.refuses((value,), {"dtype": dtype}) is not None:
        return None
    return notes.op(op, (value,), {"dtype": dtype}, found.astype(dtype))
