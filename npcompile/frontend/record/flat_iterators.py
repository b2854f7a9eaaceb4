"""Flat iterators: an operation on `a.flat` is recorded as an operation on `np.ravel(a)`.

The registry lists these handlers of attributes, items, stores, iteration and calls. They follow a flat
iterator only if the function itself made it and it has not given an item yet (`flat_array`). Items of NumPy
scalars (`scalar[()]`) are here as well.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from npcompile.frontend.ops.table import TABLE
from npcompile.frontend.program.array_facts import is_array
from npcompile.frontend.program.bound_methods import After
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.record.attributes_items import store_item
from npcompile.frontend.record.containers import read_item
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.rewrite.call_sites import do
from npcompile.nep50 import weak

THROUGH = (list, tuple, sum, min, max)  # they iterate over their argument to its end


def flat_array(recording: Recording, obj: Any) -> Any:
    """Return the array of a flat iterator that was made inside and not advanced; None for anything else."""
    if recording.on and type(obj) is np.flatiter and id(obj) in recording.flat_views and obj.index == 0:
        return obj.base
    return None


def flat_attribute(recording: Recording, obj: Any, name: str) -> Any:
    """Do `array.flat`, and remember that the iterator was made inside."""
    if name != "flat" or type(obj) is not np.ndarray:
        return PASS
    made = obj.flat
    recording.flat_views[id(made)] = made
    return made


def flat_item(recording: Recording, obj: Any, index: Any) -> Any:
    """Do `array.flat[index]` as `np.ravel(array)[index]`. A slice is copied: it is no view."""
    base = flat_array(recording, obj)
    if base is None or not _picks(index):
        return PASS
    result = do(operator.getitem, obj, index)  # where NumPy raises, nothing has been noted yet
    found = read_item(recording, recording.call(np.ravel, base), index)
    if is_array(found) and type(index) is slice:
        found = recording.call(np.copy, found)
    return found if recording.on else result


def scalar_item(recording: Recording, obj: Any, index: Any) -> Any:
    """Do `scalar[()]`, `scalar[...]` or `scalar[None]`."""
    if not _adds_axes(index):
        return PASS
    result = do(operator.getitem, obj, index)
    return recording.note(_note_scalar_item, recording, obj, index, result)


def _note_scalar_item(recording: Recording, obj: Any, index: Any, result: Any) -> Any:
    """Note an item of a scalar.

    `scalar[()]` is the scalar again; `scalar[...]` and `scalar[None]` are arrays.
    """
    op = TABLE.of(np.reshape)
    if is_array(result) and op is not None and op.refuses((obj, result.shape), {}) is None:
        recording.builder.constant(result.shape)
        return recording.builder.op(op, (obj, result.shape), {}, result)
    if index != ():
        return recording.builder.host(operator.getitem, (obj, index), {}, result)
    node, result = recording.builder.tracked.node(obj), recording.builder.tracked.result(result)
    recording.builder.tracked.number(result, node)
    return result


def store_flat_item(recording: Recording, obj: Any, index: Any, value: Any) -> Any:
    """Do `array.flat[index] = value`.

    It is a store to `np.ravel(array)` if that is a view and the value fits; else it is a host call.
    """
    base = flat_array(recording, obj)
    if base is None:
        return PASS
    if (
        base.flags.c_contiguous
        and base.flags.writeable
        and type(index) in (int, slice)
        and _is_number(value)
        and _stays(value, base.dtype)
    ):
        store_item(recording, recording.call(np.ravel, base), index, value)
    else:
        do(operator.setitem, obj, index, value)
        recording.note(
            lambda _: recording.builder.instead(After(_put, "flat"), (base, index, value), base), None
        )
    return None


def store_flat(recording: Recording, obj: Any, name: str, value: Any) -> Any:
    """Do `array.flat = value`, as a host call."""
    if name != "flat" or type(obj) is not np.ndarray:
        return PASS
    _fill(obj, value)
    recording.note(lambda _: recording.builder.instead(After(_fill, "flat"), (obj, value), obj), None)
    return None


def iterate_flat(recording: Recording, obj: Any) -> Any:
    """Iterate over `np.ravel(array)` in place of its flat iterator."""
    base = flat_array(recording, obj)
    if base is None or not base.flags.c_contiguous:  # else `ravel` copies: it misses later stores
        return PASS
    return _along(recording, obj, recording.iterate(recording.call(np.ravel, base)))


def _along(recording: Recording, obj: Any, items: Any) -> Iterator[Any]:
    """Yield the items, and advance the flat iterator by one with each."""
    for item in items:
        next(obj)
        yield item


def call_len_of_flat(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `len(array.flat)` as `np.size(array)`."""
    if len(args) == 1 and (base := flat_array(recording, args[0])) is not None:
        return recording.dispatch(np.size, (base,), {})
    return PASS


def call_through_flat(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `list`, `tuple`, `sum`, `min` or `max` of a flat iterator, which is at its end then."""
    if len(args) == 1 and (base := flat_array(recording, args[0])) is not None:
        deque(args[0], 0)
        return recording.dispatch(fn, (recording.call(np.ravel, base),), kwargs)
    return PASS


def call_extend(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `list.extend` with an array or a flat iterator, item by item."""
    if type(fn.__self__) is list and fn.__name__ == "extend" and len(args) == 1 and not kwargs:
        if flat_array(recording, args[0]) is not None or (is_array(args[0]) and args[0].ndim):
            return recording.dispatch(fn, ([*recording.iterate(args[0])],), kwargs)
    return PASS


def call_iter_of_flat(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `iter(array.flat)`, which is the flat iterator itself."""
    return args[0] if len(args) == 1 and flat_array(recording, args[0]) is not None else PASS


def call_with_flats(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `zip` and `enumerate` with flat iterators among their arguments."""
    if all(flat_array(recording, arg) is None for arg in args):
        return PASS
    over = tuple([recording.iterate(arg) if flat_array(recording, arg) is not None else arg for arg in args])
    return recording.dispatch(fn, over, kwargs)


def _picks(index: Any) -> bool:
    """Return True if a flat iterator takes an index as `np.ravel` of the array does."""
    if type(index) in (list, np.ndarray):
        kind = np.asarray(index)
        return kind.ndim == 1 and kind.dtype.kind in "biu" and kind.size > 0
    return type(index) in (int, slice) or isinstance(index, np.integer)


def _adds_axes(index: Any) -> bool:
    """Return True for an index of a scalar that picks nothing: it is made of `None` and `...` alone."""
    return all(item is None or item is Ellipsis for item in (index if type(index) is tuple else (index,)))


def _is_number(value: Any) -> bool:
    """Return True for a number of Python's or NumPy's."""
    return type(value) in NUMBERS or type(value) is bool or isinstance(value, np.generic)


def _stays(value: Any, dtype: np.dtype[Any]) -> bool:
    """Return True if a number can be stored in an array of this dtype.

    For a number that cannot, a flat iterator does not do what the array does.
    """
    try:
        weak.convert(value, dtype)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _put(array: Any, index: Any, value: Any) -> None:
    """Do `array.flat[index] = value`, in a step."""
    array.flat[index] = value


def _fill(array: Any, value: Any) -> None:
    """Do `array.flat = value`, now or in a step."""
    array.flat = value
