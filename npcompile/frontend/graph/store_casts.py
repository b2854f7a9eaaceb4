"""Stores of traced numbers: guards keep a number where NumPy stores it in an array without complaint."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from torch import fx

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.ops.table import NUMPY, Op, computed
from npcompile.frontend.program.signature import NUMBERS
from npcompile.lower.plan.attributes import value_of
from npcompile.lower.plan.values import Value
from npcompile.nep50 import weak

# The three ways in which NumPy stores a number. As an item each must be in range; where values are cast,
# Python's must be; where they are copied (`np.copyto`), Python's integers.
ITEM, CAST, COPY = "item", "cast", "copy"
# Functions that convert what they are given: at which position, under which name, and how a number.
CONVERTING = {
    np.array: (0, "object", CAST),
    np.asarray: (0, "a", CAST),
    np.put: (2, "v", CAST),
    np.putmask: (2, "values", CAST),
    np.place: (2, "vals", CAST),
    np.put_along_axis: (2, "values", CAST),
    np.pad: (3, "constant_values", ITEM),
}


def ready(value: Any, dtype: np.dtype[Any]) -> Any:
    """Return a value as a program writes it over an array of this dtype: an array, or a native number.

    Raises Unfollowed for anything else.
    """
    if isinstance(value, fx.Node):
        known = value_of(value)
        native = known.kind != "object" and (known.kind != "scalar" or known.dtype is not None)
    elif isinstance(value, np.generic):
        native = computed(value.dtype) is not None
    else:
        native = type(value) in (bool, *NUMBERS)
        if type(value) is int and not -(2**63) <= value < 2**63:
            return weak.convert(value, dtype)  # programs hold Python's integers as int64
    if not native:
        raise Unfollowed(Cause.STORED_NOT_NATIVE())
    return value


def limits(known: Value, dtype: np.dtype[Any], how: str) -> tuple[float, float] | None:
    """Return the bounds between which a number can be stored as this dtype; None if it always can.

    A float need not be whole: NumPy truncates it first, and these bounds are at most too narrow.
    """
    whole = dtype.kind in "iu"
    if known.kind == "int" or (known.kind == "float" and whole and how != COPY):
        info = np.iinfo(dtype if whole else np.int64)
        return int(info.min), min(int(info.max), 2**63 - 1)  # programs hold Python's integers as int64
    if known.kind != "scalar" or known.dtype is None or how != ITEM:
        return None
    source = NUMPY[known.dtype]
    if not weak.refuses_misfits(source, dtype):
        return None
    if source.kind == "c":
        raise Unfollowed(Cause.COMPLEX_AS_INTEGER())
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    if source.kind != "f":  # a comparison that is decided by the dtype alone is not asked
        return max(low, int(np.iinfo(source).min)), min(high, int(np.iinfo(source).max))
    # As the scalar's own dtype: beside a NumPy scalar these bounds are rounded to it.
    below = np.nextafter(np.array(high + 1).astype(source), source.type(0))
    most = np.finfo(source)
    return max(float(low), float(most.min)), min(float(below), float(most.max))


def given(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], array: Any) -> Iterator[tuple[Any, str]]:
    """Yield what a call of a function in `CONVERTING` converts to the dtype of `array`, and how it does."""
    if not isinstance(array, np.ndarray):
        return
    if (
        op.function in (np.array, np.asarray)
        and kwargs.get("dtype", args[1] if len(args) > 1 else None) is None
    ):
        return
    position, name, how = CONVERTING[op.function]
    value = args[position] if len(args) > position else kwargs.get(name)
    if type(value) in (list, tuple):
        for item in leaves(value):
            yield item, ITEM
    else:
        yield value, how


def leaves(value: Any) -> list[Any]:
    """Return the items of a list or tuple, and of those in it; the value itself if it is neither."""
    if type(value) not in (list, tuple):
        return [value]
    found: list[Any] = []
    for item in value:
        found += leaves(item)
    return found
