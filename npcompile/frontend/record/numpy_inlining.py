"""Inlining of NumPy: a function that NumPy composes in Python is recorded as the operations in it.

The functions are listed in `catalog/inlinable.py` and `catalog/inlining.py`. The registry lists the handlers
of their calls, and handlers of the calls that they make (`inside=True`). A function that cannot be recorded
as operations alone is taken back to a checkpoint; it then becomes one host call, or an opaque call if it
calls functions of the user's.
"""

from __future__ import annotations

import operator
import types
from typing import Any

import numpy as np

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.catalog import inlining, purity
from npcompile.frontend.catalog.inlinable import (
    CALLBACKS,
    ITERATED_ARGUMENT,
    USES_MASKS_IN_PLACE,
    WRITES_FIRST_ARGUMENT,
)
from npcompile.frontend.catalog.python_operators import BINARY
from npcompile.frontend.catalog.vectorized_rewrites import (
    LANE_REWRITES,
    REWRITES,
    has_negative_zeros,
    operand,
)
from npcompile.frontend.graph.constant_folding import are_constant, constants, folded
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.ops import numpy_private
from npcompile.frontend.ops.table import TABLE, TORCH
from npcompile.frontend.program.array_facts import is_array, is_numpy
from npcompile.frontend.program.bound_methods import After
from npcompile.frontend.program.call_steps import Call
from npcompile.frontend.record.array_converter import Converter
from npcompile.frontend.record.calls import note_structural
from npcompile.frontend.record.checkpoint import Checkpoint
from npcompile.frontend.record.container_keys import decide_keys
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.loops import MAX_TRIPS
from npcompile.frontend.record.operators import refusal_of
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.user_functions import MAX_DEPTH, note_bound_method, run
from npcompile.frontend.rewrite.call_sites import as_noted
from npcompile.frontend.rewrite.rewriter import Rewritten, rewrite

_ARRAY = vars(np.ndarray)
_WRAP = _ARRAY["__array_wrap__"]
_DTYPES = {type(dtype): dtype for dtype in TORCH}  # dtypes by class: each class has only one
TURNING = (np.flip, np.fliplr, np.flipud, np.rot90)
INDEX = type(np.s_)
JOINING = (type(np.r_), type(np.c_), type(np.mgrid), type(np.ogrid))  # `np.r_[a, 0, b]`


def call_asfortranarray(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `np.asfortranarray` as a call of `np.array`."""
    if "like" in kwargs:
        return PASS
    recording.builder.constant(1)
    return recording.dispatch(np.array, args, {**kwargs, "order": "F", "copy": None, "ndmin": 1})


def call_with_dtype_class(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Replace a class of dtypes in `dtype=` by the one dtype of that class."""
    asked = kwargs.get("dtype")
    if isinstance(asked, type(np.dtype)) and asked in _DTYPES and TABLE.of(fn) is not None:
        kwargs["dtype"] = _DTYPES[asked]
    return PASS


def call_public(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Replace a C function of NumPy's by the public function that it implements."""
    found = numpy_private.public(fn)
    return PASS if found is fn else recording.dispatch(found, args, kwargs)


def call_with_polynomials(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Replace polynomials by their coefficients, as `__array__` does."""
    if any(type(arg) is np.poly1d for arg in args) and TABLE.of(fn) is not None:
        args = tuple([recording.getattr(arg, "coeffs") if type(arg) is np.poly1d else arg for arg in args])
        return recording.dispatch(fn, args, kwargs)
    return PASS


def call_turning(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Give `np.flip` and the like an array in place of a list: the answer is a view of that array."""
    if args and type(args[0]) in (tuple, list):
        return recording.dispatch(fn, (recording.call(np.asanyarray, args[0]), *args[1:]), kwargs)
    return PASS


def call_along_axis(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `np.apply_along_axis` by a rewrite that does all lanes at once."""
    found = _restated(recording, LANE_REWRITES.get(id(args[0])), fn, args, kwargs, 1)
    return PASS if found is None else found[0]


def call_followed(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Record a listed function as the operations in it, unless an op does the call."""
    source = inlining.FOLLOWED.get(id(fn))
    if source is None:
        return PASS
    iterated = ITERATED_ARGUMENT.get(id(fn))
    if iterated is not None and not np.iterable(args[0] if args else kwargs.get(iterated)):
        return PASS  # NumPy refuses the call before the function itself runs
    noted, named = as_noted(recording.builder.constant, fn, args, kwargs)
    if _by_parts(recording, fn, noted, named):
        return _composed(recording, fn, source, noted, named)
    if _are_same(args, noted) and _are_same(tuple(kwargs.values()), tuple(named.values())):
        return PASS
    return recording.dispatch(fn, noted, named)


def call_shape(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `np.shape` and `np.size` of an array as its attributes."""
    if len(args) == 1 and not kwargs and is_array(args[0]):
        return recording.getattr(args[0], fn.__name__)
    return PASS


def call_helper(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do the helpers that NumPy's functions call, which compute nothing."""
    made = _helper(recording, fn, args, kwargs)
    return PASS if made is None else made


def call_nonzero(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `np.nonzero` of a polynomial's coefficients while zeros are trimmed."""
    if recording.inside_trimming and len(args) == 1 and is_few(args[0]):
        return _places(recording, args[0])
    return PASS


def call_builtin_inside(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `any`, `all`, `set`, `tuple` and `list` in a function of NumPy's."""
    if len(args) != 1 or kwargs:
        return PASS
    if fn is any or fn is all:
        return _every(recording, fn, args[0])
    if fn is set and type(args[0]) in (tuple, list, range):
        return recording.note(decide_keys, recording, args[0], set(args[0]))
    if (fn is tuple or fn is list) and type(args[0]) is range:
        result = fn(args[0])
        recording.builder.constant(tuple(result))
        return result
    return PASS


def _by_parts(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Return True if no op does this call of a listed function."""
    op = TABLE.of(fn)
    if op is None:
        return True
    try:
        return refusal_of(recording, op, args, kwargs) is not None
    except Exception:  # the call is one that NumPy itself refuses
        return False


def _helper(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the answer of a helper that computes nothing; None for any other call."""
    own = getattr(fn, "__self__", None)
    if type(own) is np.ndarray and _ARRAY.get(fn.__name__) is _WRAP and type(args[0]) is np.ndarray:
        return args[0]
    if fn is getattr and len(args) == 3 and is_numpy(args[0]) and type(args[1]) is str:
        return recording.getattr(*args[:2]) if hasattr(*args[:2]) else args[2]
    if isinstance(own, np.generic) and (found := _of_constants(recording, fn, (own, *args), kwargs, True)):
        return found[0]
    if fn is numpy_private.ARRAY_CONVERTER:
        return Converter.of(recording, args)
    if type(getattr(fn, "__self__", None)) is Converter:
        return fn(*args, **kwargs)
    if type(getattr(fn, "__self__", None)) is slice and fn.__name__ == "indices" and not kwargs:
        return recording.note(note_structural, recording, fn, (fn.__self__, *args), kwargs, fn(*args))
    if fn is np.ndindex and not recording.builder.traced(*args):
        places = list(np.ndindex(*args))
        for place in places[: MAX_TRIPS + 1]:
            recording.builder.constant(place)
        return places
    if fn is np.ravel_multi_index and len(args) == 2 and not kwargs:
        lengths = args[1]
        if type(lengths) is np.ndarray and are_constant(recording.builder, [lengths]):
            recording.builder.constant(shape := tuple(lengths.tolist()))
            return recording.call(fn, args[0], shape)
    if any(fn is item for item in numpy_private.OF_NO_ARRAY):
        return recording.note(note_structural, recording, fn, args, kwargs, fn(*args, **kwargs))
    return None


def _places(recording: Recording, array: Any) -> Any:
    """Return `np.nonzero` of the few coefficients of a polynomial, as a constant behind guards.

    One guard does if no coefficient is zero, as in nearly all polynomials; else there is one for each.
    """
    if not recording.truth(recording.call(np.all, array)):
        for place in range(len(array)):
            recording.builder.constant(place)
            recording.truth(recording.getitem(array, place))
    places = np.nonzero(array)
    return recording.note(constants, recording.builder, places)


def joining_item(recording: Recording, obj: Any, index: Any) -> Any:
    """Do `np.r_[...]` and the like: the `__getitem__` of their class is recorded as the operations in it."""
    recording.builder.tracked.keep(obj, None)
    function = type(obj).__getitem__
    found = _composed(recording, function, function, (obj, index), {})
    return recording.dispatch(function, (obj, index), {}) if found is PASS else found


def converter_item(recording: Recording, obj: Any, index: Any) -> Any:
    """Do `converter[index]`, and `np.s_[index]` in a function of NumPy's, without a note."""
    return obj[index] if type(obj) is Converter or recording.inside_numpy else PASS


def _every(recording: Recording, fn: Any, items: Any) -> bool:
    """Do `any` or `all`, with a guard on each truth."""
    for item in recording.iterate(items):
        if recording.truth(item) is (fn is any):
            return fn is any
    return fn is all


def binary_of_sets(recording: Recording, op: str, a: Any, b: Any) -> Any:
    """Do an operator on sets of axes, which are decided, in a function of NumPy's."""
    if recording.inside_numpy and type(a) is set and type(b) is set:
        return BINARY[op](a, b)
    return PASS


def attribute_of_converter(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """Give an attribute of a converter of operands, without a note."""
    return result


def flags_inside(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """Do `array.flags` in a function of NumPy's."""
    if not recording.inside_numpy or name != "flags":
        return PASS
    recording.builder.asked(obj)
    recording.builder.tracked.keep(result, None)
    return result


def _composed(
    recording: Recording, fn: Any, source: types.FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Record a function of NumPy's as the operations in its source, or else as one call.

    Where something in it is no operation, the outermost such function is taken back to its checkpoint. It
    becomes a host call, or an opaque call if it calls functions of the user's. The recording ends where the
    function has written to an array and no host call can stand for that.
    """
    if recording.inside_numpy and (found := _of_constants(recording, fn, args, kwargs)) is not None:
        return found[0]
    rewritten = rewrite(source)
    if not isinstance(rewritten, Rewritten) or len(recording.closures) >= MAX_DEPTH:
        return PASS
    before = Checkpoint(recording)
    trims = fn is np.roots or (fn is np.trim_zeros and recording.inside_numpy > 0)
    masks = fn in USES_MASKS_IN_PLACE
    recording.inside_numpy += 1
    recording.inside_trimming += trims
    recording.inside_masking += masks
    recording.builder.folding = True
    try:
        result = run(recording, rewritten, source, args, kwargs)
    finally:
        recording.inside_numpy -= 1
        recording.inside_trimming -= trims
        recording.inside_masking -= masks
        recording.builder.folding = recording.inside_numpy > 0
    left = before.calls(recording, masks or recording.inside_masking > 0)
    if recording.active and not left:
        return result
    if recording.inside_numpy:  # the outermost function is taken back as a whole
        recording.stop(left or Cause.NOT_WHOLE(source.__name__))
        return result
    reason, at, top = recording.reason or left, recording.at, recording.top
    before.restore(recording)
    if kwargs.get("out") is not None or (fn in WRITES_FIRST_ARGUMENT and kwargs):
        recording.active, recording.reason, recording.at, recording.top = False, reason, at, top
        return result
    if fn in WRITES_FIRST_ARGUMENT:
        return recording.note(lambda *_: recording.builder.instead(After(fn), args, args[0]), result)
    if fn in CALLBACKS and fn not in purity.HOST_FUNCTIONS:
        recording.reads_seen.clear()
        return recording.note(recording.builder.opaque, Call(source.__name__, fn), args, kwargs, result)
    recording.builder.refusal = reason
    return recording.note(recording.builder.host, fn, args, kwargs, result)


def _of_constants(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], bound: bool = False
) -> tuple[Any] | None:
    """Return a call's answer, in a tuple, as a constant if all its inputs are constants; else None.

    bound: `fn` is a method of the first argument.
    """
    if fn in WRITES_FIRST_ARGUMENT or fn in CALLBACKS or kwargs.get("out") is not None:
        return None
    try:
        if not are_constant(recording.builder, [*args, *kwargs.values()]):
            return None
    except Unfollowed:
        return None
    return folded(recording.builder, args, kwargs, fn(*args[bound:], **kwargs))


def call_listed_method(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Record a listed method of an object of NumPy's as the operations in it."""
    plain = fn.__func__ if isinstance(fn, types.MethodType) else fn
    if isinstance(plain, types.FunctionType) and inlining.is_listed_method(plain):
        return _listed_method(recording, plain, fn, args, kwargs)
    return PASS


def call_function_inside(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Record a function that a function of NumPy's calls: by its rewrite, or as the operations in it."""
    if (found := _restated(recording, REWRITES.get(fn), fn, args, kwargs)) is not None:
        return found[0]
    if isinstance(fn, types.FunctionType) and inlining.is_numpys(fn.__globals__):
        rewritten = rewrite(fn) if len(recording.closures) < MAX_DEPTH else None
        if isinstance(rewritten, Rewritten):
            return run(recording, rewritten, fn, args, kwargs)
    return PASS


def _restated(
    recording: Recording, other: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], skip: int = 0
) -> tuple[Any] | None:
    """Record a rewrite of a function of NumPy's; return its answer in a tuple, None if no rewrite does it.

    skip: the number of first arguments that the rewrite does not take. A guard excludes arrays with negative
    zeros. If NumPy's answer is another, the recording ends.
    """
    array = None if other is None or not recording.on else operand(other, args[skip:], kwargs)
    if array is None or len(recording.closures) >= MAX_DEPTH:
        return None
    rewritten, zeros = rewrite(other), rewrite(has_negative_zeros)
    if not isinstance(rewritten, Rewritten) or not isinstance(zeros, Rewritten):
        return None
    if recording.truth(run(recording, zeros, has_negative_zeros, (array,), {})):
        return None
    want = fn(*args, **kwargs)
    found = run(recording, rewritten, other, args[skip:], kwargs)
    if type(found) is type(want) and found.dtype == want.dtype and found.shape == want.shape:
        if np.array_equal(found, want, equal_nan=True):
            return (found,)
    recording.stop(Cause.ANSWERS_OTHERWISE(other.__name__))
    return (want,)


def _listed_method(
    recording: Recording, plain: types.FunctionType, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Record a method of an object of NumPy's. Anything in it that cannot be recorded ends the recording."""
    rewritten = rewrite(plain)
    if not isinstance(rewritten, Rewritten) or len(recording.closures) >= MAX_DEPTH:
        return PASS
    if plain is not fn:
        recording.note(note_bound_method, recording, fn, None)
        args = (fn.__self__, *args)
    recording.inside_numpy += 1
    recording.builder.folding = True
    try:
        return run(recording, rewritten, plain, args, kwargs)
    finally:
        recording.inside_numpy -= 1
        recording.builder.folding = recording.inside_numpy > 0


def _are_same(some: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    """Return True if two tuples hold the very same objects."""
    return len(some) == len(others) and all(map(operator.is_, some, others))


_FEW = 32


def is_few(array: Any) -> bool:
    """Return True for a vector of as few numbers as polynomials have."""
    return is_array(array) and array.ndim == 1 and len(array) <= _FEW
