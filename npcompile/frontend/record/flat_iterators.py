"""`a.flat` in a recording: what is read from it, gone through and stored there; items of NumPy's scalars."""

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

THROUGH = (list, tuple, sum, min, max)  # they go through what they are given, to its end


def flat_array(recording: Recording, obj: Any) -> Any:
    """Return the array of a flat view that the function has made and not begun to go through; else None."""
    if recording.on and type(obj) is np.flatiter and id(obj) in recording.flat_views and obj.index == 0:
        return obj.base
    return None


def flat_attribute(recording: Recording, obj: Any, name: str) -> Any:
    if name != "flat" or type(obj) is not np.ndarray:
        return PASS
    made = obj.flat
    recording.flat_views[id(made)] = made
    return made


def flat_item(recording: Recording, obj: Any, index: Any) -> Any:
    base = flat_array(recording, obj)
    if base is None or not _picks(index):
        return PASS
    result = do(operator.getitem, obj, index)  # it may refuse
    found = read_item(recording, recording.call(np.ravel, base), index)
    if is_array(found) and type(index) is slice:
        found = recording.call(np.copy, found)
    return found if recording.on else result


def scalar_item(recording: Recording, obj: Any, index: Any) -> Any:
    if not _adds_axes(index):
        return PASS
    result = do(operator.getitem, obj, index)
    return recording.note(_note_scalar_item, recording, obj, index, result)


def _note_scalar_item(recording: Recording, obj: Any, index: Any, result: Any) -> Any:
    """`scalar[()]`, which is the scalar again, and `scalar[...]` or `scalar[None]`, arrays."""
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
    if name != "flat" or type(obj) is not np.ndarray:
        return PASS
    _fill(obj, value)
    recording.note(lambda _: recording.builder.instead(After(_fill, "flat"), (obj, value), obj), None)
    return None


def iterate_flat(recording: Recording, obj: Any) -> Any:
    base = flat_array(recording, obj)
    if base is None or not base.flags.c_contiguous:  # of others `ravel` would not see what is written
        return PASS
    return _along(recording, obj, recording.iterate(recording.call(np.ravel, base)))


def _along(recording: Recording, obj: Any, items: Any) -> Iterator[Any]:
    for item in items:
        next(obj)
        yield item


def call_len_of_flat(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if len(args) == 1 and (base := flat_array(recording, args[0])) is not None:
        return recording.dispatch(np.size, (base,), {})
    return PASS


def call_through_flat(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if len(args) == 1 and (base := flat_array(recording, args[0])) is not None:
        deque(args[0], 0)
        return recording.dispatch(fn, (recording.call(np.ravel, base),), kwargs)
    return PASS


def call_extend(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`list.extend` by an array or its flat view."""
    if type(fn.__self__) is list and fn.__name__ == "extend" and len(args) == 1 and not kwargs:
        if flat_array(recording, args[0]) is not None or (is_array(args[0]) and args[0].ndim):
            return recording.dispatch(fn, ([*recording.iterate(args[0])],), kwargs)
    return PASS


def call_iter_of_flat(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return args[0] if len(args) == 1 and flat_array(recording, args[0]) is not None else PASS


def call_with_flats(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`zip` and `enumerate` of flat views."""
    if all(flat_array(recording, arg) is None for arg in args):
        return PASS
    over = tuple([recording.iterate(arg) if flat_array(recording, arg) is not None else arg for arg in args])
    return recording.dispatch(fn, over, kwargs)


def _picks(index: Any) -> bool:
    """Whether a flat view takes this index as a flat array does."""
    if type(index) in (list, np.ndarray):
        kind = np.asarray(index)
        return kind.ndim == 1 and kind.dtype.kind in "biu" and kind.size > 0
    return type(index) in (int, slice) or isinstance(index, np.integer)


def _adds_axes(index: Any) -> bool:
    """Whether an index of a scalar only says how many axes the answer has."""
    return all(item is None or item is Ellipsis for item in (index if type(index) is tuple else (index,)))


def _is_number(value: Any) -> bool:
    return type(value) in NUMBERS or type(value) is bool or isinstance(value, np.generic)


def _stays(value: Any, dtype: np.dtype[Any]) -> bool:
    """Whether an array stores a number without complaint: of others its flat view has answers of its own."""
    try:
        weak.convert(value, dtype)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _put(array: Any, index: Any, value: Any) -> None:
    array.flat[index] = value


def _fill(array: Any, value: Any) -> None:
    array.flat = value
