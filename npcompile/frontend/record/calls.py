"""Handlers for calls: each does a call and notes it, as an op, a host call, a decided value or opaque.

The registry asks these handlers after those of the other files. Ops come from the op table; the lists in
`catalog/purity.py` say which other functions are host calls, views, numbers or decided values. The user's
functions are rewritten and recorded in their turn. Any other callable is opaque: each replay calls it again.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable
from typing import Any

import numpy as np
import torch

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.catalog import fast_random, inlining, purity
from npcompile.frontend.catalog.python_operators import SETITEM
from npcompile.frontend.eager.dispatch import UPDATING
from npcompile.frontend.eager.errstate import TRAPS
from npcompile.frontend.graph import shape_guards
from npcompile.frontend.graph.graph_builder import part_of_result
from npcompile.frontend.graph.memmaps import of_memmaps
from npcompile.frontend.graph.object_arrays import is_numpys
from npcompile.frontend.graph.options import with_default
from npcompile.frontend.graph.resize_refcount import counting
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.graph.visible_objects import HOLDING, JOINING
from npcompile.frontend.ops import numpy_private
from npcompile.frontend.ops.table import TABLE, TORCH, Op, native
from npcompile.frontend.program.array_facts import facts, from_tensor, is_array, to_tensor
from npcompile.frontend.program.bound_methods import After, Method, target_of
from npcompile.frontend.program.call_steps import Call
from npcompile.frontend.program.equality import DICTS
from npcompile.frontend.program.guards import ArrayMatches
from npcompile.frontend.program.object_steps import is_plain
from npcompile.frontend.program.reads import ReadTensor
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.program.text_steps import fill
from npcompile.frontend.record.appended_lists import append_to_history, grows
from npcompile.frontend.record.attributes_items import note_asked_of
from npcompile.frontend.record.container_keys import decide_keys, note_mutation
from npcompile.frontend.record.containers import note_length
from npcompile.frontend.record.formatting import note_text, shown_as
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.introspection import note_asked
from npcompile.frontend.record.loops import walkable
from npcompile.frontend.record.opaque_calls import call_opaque
from npcompile.frontend.record.operators import note_ufunc, refusal_of, write_back
from npcompile.frontend.record.random import draw_fast
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.stores import identity_of, set_default
from npcompile.frontend.record.user_functions import (
    MAX_OWN_DEPTH,
    note_bound_method,
    note_called,
    note_unwrapped,
    run,
    run_inner,
)
from npcompile.frontend.rewrite.call_sites import as_noted, do, frames, warn, warn_at
from npcompile.frontend.rewrite.rewriter import Rewritten, rewrite
from npcompile.lower.plan.attributes import attributes
from npcompile.lower.plan.values import Value
from npcompile.tiering.overhead import beyond_deepest

# Types whose objects `min` and `max` compare by value.
_COMPARED = (int, float, bool, *(dtype.type for dtype in TORCH))
# Methods that write into their array, each with the function that returns the array's new value.
_IN_PLACE = {np.ndarray.fill: None, np.ndarray.sort: np.sort, np.ndarray.partition: np.partition}
# Types of arguments of a dict's or set's methods that are keys, or hold keys.
_KEYS = (*_COMPARED, complex, tuple, list)

# Ops on longer lists are not recorded: each item would be looked at.
MOST_ITEMS = 4096


def call_plain(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do a call where nothing is recorded."""
    if (resize := counting(fn)) is not None:
        end_for_resize(recording)
        return resize(*args, **kwargs)
    if recording.fast_random and (draw := fast_random.draw_of(fn, args, kwargs)) is not None:
        return draw_fast(recording, draw)
    if id(fn) in recording.inner_functions:
        return run_inner(recording, fn, args, kwargs)
    if recording.inside_numpy and type(fn) is types.BuiltinFunctionType:
        fn = numpy_private.public(fn)
    return do(fn, *args, **kwargs)


def end_for_resize(recording: Recording) -> None:
    """End the recording and follow nothing any more, before NumPy resizes an array."""
    recording.stop(Cause.RESIZE())
    recording.let_go()


def call_inner_function(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function that the recorded function has made."""
    return run_inner(recording, fn, args, kwargs) if id(fn) in recording.inner_functions else PASS


def call_warn(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call `warnings.warn`."""
    return _call_warn(recording, *args, **kwargs)


def call_from_numpy(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call `torch.from_numpy`."""
    if len(args) != 1 or not is_array(args[0]):
        return PASS
    result = to_tensor(args[0])
    return recording.note(recording.builder.call, "host", to_tensor, args, {}, result)


def call_copyto(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call `np.copyto`: a write."""
    if len(args) != 2 or not is_array(args[0]):
        return PASS
    result = do(fn, *args, **kwargs)
    return recording.note(recording.builder.copied, args[0], args[1], kwargs.get("where", True), result)


def call_getattr(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call `getattr` or `setattr`: the attribute's name is decided."""
    if len(args) != (2 if fn is getattr else 3):
        return PASS
    recording.note(recording.builder.ref, args[1], True)  # the name is decided
    return recording.getattr(*args) if fn is getattr else recording.setattr(*args)


def call_bool(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call `bool`."""
    return recording.truth(args[0]) if len(args) == 1 else PASS


def call_builtin(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a built-in function that is bound to an object, and is no op."""
    if fn.__self__ is not None and TABLE.of(fn) is None:
        return _call_bound_method(recording, fn, args, kwargs)
    return PASS


def call_method(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a method of an array that is written in Python, such as those of `npcompile.ndarray`."""
    if is_array(fn.__self__) and not of_memmaps(fn.__self__, fn.__name__):
        return _call_bound_method(recording, fn, args, kwargs)
    return PASS


def call_op(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call an op."""
    if (op := TABLE.of(fn)) is None:
        return PASS
    if any(type(arg) in (list, tuple) and len(arg) > MOST_ITEMS for arg in args):
        recording.stop(Cause.ONE_BY_ONE(op.name, MOST_ITEMS))
        return recording.call(fn, *args, **kwargs)
    return _call_op(recording, op, fn, args, kwargs)


def call_callable(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call an object of the user's with `__call__`, or any other callable."""
    if inlining.is_called_by_users(fn):
        return recording.call(recording.getattr(fn, "__call__"), *args, **kwargs)
    return _call_listed(recording, fn, args, kwargs)


def _call_warn(
    recording: Recording, message: Any, category: Any = None, stacklevel: int = 1, source: Any = None
) -> None:
    """Note `warnings.warn` as an opaque call, so that each replay warns of the user's line.

    The line is one of the recorded function or a helper where `stacklevel` ends there: it is known now. Else
    it is a caller's, found at each replay.
    """
    inside = []
    for frame in frames():
        inside.append(frame)
        if frame.f_code is recording.builder.code:
            break
    if stacklevel <= len(inside):
        frame = inside[max(stacklevel, 1) - 1]
        place = frame.f_code.co_filename, frame.f_lineno, frame.f_globals
        told = functools.partial(warn_at, place)
        call_opaque(recording, Call("warn", told), told, (message, category, source), {})
    else:
        told = functools.partial(warn, stacklevel=stacklevel - len(inside) + 1)
        function = functools.partial(warn, stacklevel=stacklevel)
        call_opaque(recording, Call("warn", told), function, (message, category), {})


def _note_number(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
) -> Any:
    """Note a function that computes a number, such as `abs`, `round` or `min`."""
    if kwargs or (fn in (min, max) and any(type(arg) not in _COMPARED for arg in args)):
        numbers = type(args[0]) in (list, tuple) and len(args) == 1 and not kwargs
        if not (numbers and all(type(item) in _COMPARED for item in args[0])):
            recording.builder.ref(kwargs)
            if fn in (min, max):
                raise Unfollowed(Cause.NOT_NUMBERS(fn.__name__))
    if any(is_array(arg) for arg in args):
        if fn is abs:
            return note_ufunc(recording, np.absolute, args, kwargs, result)
        if is_array(result):
            raise Unfollowed(Cause.BUILTIN_OF_ARRAY(fn.__name__))
    if fn is abs and isinstance(args[0], np.generic):
        return note_ufunc(recording, np.absolute, args, kwargs, result)
    return recording.builder.number(fn, args, kwargs, result)


def note_structural(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
) -> Any:
    """Note a function of types, shapes and the like (`isinstance`, `np.shape`), whose answer is decided."""
    if fn is np.result_type:  # of numbers, only their types decide
        args = tuple([arg for arg in args if type(arg) not in NUMBERS and not isinstance(arg, np.generic)])
    if fn not in (isinstance, type, callable, hasattr, id, issubclass, np.shape, np.ndim, np.size):
        for arg in (*args, *kwargs.values()):  # of arrays, only types and shapes decide
            recording.builder.ref(arg, fn is range or not is_array(arg))
    recording.builder.asked(*args)
    if fn is id:
        return identity_of(recording, args[0], result)
    if fn in (isinstance, issubclass, callable, hasattr):
        note_asked(recording, fn, args, result)
    if fn is np.errstate and any(mode in TRAPS for mode in (*args, *kwargs.values())):
        raise Unfollowed(Cause.ERRSTATE())
    if fn is np.broadcast:  # its shape is decided, its items are not
        return result
    recording.builder.constant(result)
    if type(result) not in (bool, *NUMBERS, tuple, range, slice, type, np.dtype):
        recording.builder.tracked.keep(result, None)
    return result


def _call_builtin_function(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call `len`, or `sum`, `any` and `all` item by item; `print`, and unusual calls of these, are opaque."""
    if fn is len:
        result = do(fn, *args, **kwargs)
        return recording.note(note_length, recording, args[0], result)
    if fn is sum and args and not kwargs:
        total: Any = args[1] if len(args) > 1 else 0
        if len(args) == 1:
            recording.builder.constant(total)
        items = iter(recording.iterate(args[0]))
        for item in items:
            total = recording.binary("+", total, item)
            if recording.done:
                return do(sum, items, total)
        return total
    if (fn is any or fn is all) and len(args) == 1 and not kwargs:
        items = iter(recording.iterate(args[0]))
        for item in items:
            if recording.truth(item) is (fn is any):
                return fn is any
            if recording.done:
                return do(fn, items)
        return fn is all
    return call_opaque(recording, Call(fn.__name__, fn), fn, args, kwargs)


def _as_called(fn: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the function and the arguments with which Python itself makes the call `fn(*args)` of a step."""
    return (fn.bound, *args[1:]) if isinstance(fn, Method) else (fn, *args)


def _call_op(recording: Recording, op: Op, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call an op; it is a host call where the compiled op does not support these arguments."""
    if op.function is SETITEM and not kwargs and len(args) == 3:
        result = do(fn, *args)
        recording.note(lambda *_: recording.builder.store(*args), result)
        return result
    if op.creates and recording.default_float is not None:
        kwargs = with_default(fn, args, kwargs, recording.default_float)
    args, kwargs = as_noted(recording.builder.constant, op.function, args, kwargs)
    if kwargs.get("out") is not None:
        return _call_into(recording, op, fn, args, kwargs)
    try:
        reason = refusal_of(recording, op, args, kwargs)
    except Exception as error:  # the predicate saw a call that NumPy will refuse itself
        reason = Cause.CALL_REFUSED(repr(error))
    result = do(*_as_called(fn, args), **kwargs)
    if args and result is args[0] and (op.view or op.function in shape_guards.HANDS_BACK):  # np.asarray, say
        return recording.note(shape_guards.lies, recording.builder, result)
    if op.function is np.squeeze and args and is_array(args[0]):
        recording.note(shape_guards.form, recording.builder, args[0])
    if op.function in UPDATING:
        return recording.note(_note_updated, recording, op, args, kwargs, reason, result)
    if reason is None and not native(result):
        reason = recording.builder.refusal = Cause.RESULT_DTYPE()
    if reason is not None:
        return recording.note(recording.builder.host, target_of(fn), args, kwargs, result)
    return recording.note(recording.builder.op, op, args, kwargs, result)


def _note_updated(
    recording: Recording, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], reason: Any, _: None
) -> None:
    """Note a write into the first argument: the op, or a host call, gives its whole new value."""
    if reason is None:
        recording.builder.update(op, args, kwargs)
    elif kwargs or not is_array(args[0]):
        raise Unfollowed(reason)
    else:
        recording.builder.instead(After(op.function), args, args[0])


def _call_into(recording: Recording, op: Op, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call an op with `out=`: the value, then a write of it."""
    rest = {key: value for key, value in kwargs.items() if key != "out"}
    dst = kwargs["out"]
    if type(dst) is tuple and len(dst) == 1:
        dst = dst[0]
    result = do(*_as_called(fn, args), **kwargs)
    return recording.note(_into_note, recording, op, args, rest, dst, result)


def _into_note(
    recording: Recording, op: Op, args: tuple[Any, ...], rest: dict[str, Any], dst: Any, result: Any
) -> Any:
    """Note a call of an op with `out=dst`."""
    if dst is ...:  # out=...: the result is an array, never a scalar
        if (reason := refusal_of(recording, op, args, rest)) is not None:
            raise Unfollowed(reason)
        return recording.builder.op(op, args, rest, result)
    if type(dst) is tuple and all(is_array(item) for item in dst):
        return _into_several(recording, op, args, rest, dst, result)
    if not is_array(dst):
        raise Unfollowed(Cause.OUT_NEITHER())
    if "base" in op.accepts and "where" in rest:
        rest = {**rest, "base": dst}
    reason = refusal_of(
        recording, op, args, {**{key: value for key, value in rest.items() if key != "base"}, "out": dst}
    )
    if reason is not None:
        raise Unfollowed(Cause.OUT_NOT_NATIVE_AS(reason))
    write_back(recording, op, args, rest, dst)
    return result


def _into_several(
    recording: Recording,
    op: Op,
    args: tuple[Any, ...],
    rest: dict[str, Any],
    dst: tuple[Any, ...],
    result: Any,
) -> Any:
    """Note `out=(a, b)`: an op with several results, then a write of each."""
    builder = recording.builder
    base = {"base": dst} if "where" in rest else {}
    if (reason := refusal_of(recording, op, args, {**rest, "out": dst})) is not None:
        raise Unfollowed(Cause.OUT_NOT_NATIVE_AS(reason))
    refs, named = builder.operands(op, args, {**rest, **base}, dst[0])
    node = builder.add("op", op, refs, named, Value("object"))
    attributes(node).result_count = len(dst)
    parts = [
        builder.add(
            "part",
            part_of_result,
            (node, at),
            {},
            builder.value(item).renewed(builder.roots.new(), item.shape, None),
        )
        for at, item in enumerate(dst)
    ]
    for item, value in zip(dst, parts, strict=True):
        attributes(value).broadcast = True
        builder.write(item, value)
    return result


def _call_at(recording: Recording, op: Op, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Call `ufunc.at(a, index, ...)`: the op, or a host call, gives the whole new value of `a`."""
    try:
        reason = refusal_of(recording, op, args, kwargs)
    except Exception as error:  # the predicate saw a call that NumPy will refuse itself
        reason = Cause.CALL_REFUSED(repr(error))
    do(fn, *args, **kwargs)
    if reason is None:
        recording.note(lambda _: recording.builder.update(op, args, kwargs), None)
    else:
        after = After(fn, f"{fn.__self__.__name__}.at")
        recording.note(lambda _: recording.builder.instead(after, args, args[0]), None)


def _call_host(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a NumPy function without effects: a host call."""
    args, kwargs = as_noted(recording.builder.constant, fn, args, kwargs)
    if kwargs.get("out") is not None:
        recording.stop(Cause.OUT_NOT_NATIVE())
    result = do(*_as_called(fn, args), **kwargs)
    return (
        recording.note(recording.builder.host, target_of(fn), args, kwargs, result)
        if recording.on
        else result
    )


def _call_view(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a NumPy function that may return a view: a host call."""
    result = do(fn, *args, **kwargs)
    return recording.note(recording.builder.call, "host", fn, args, kwargs, result)


def _call_bound_method(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a bound built-in: a method of an array, ufunc, scalar, text or container, or a function."""
    own, name = fn.__self__, fn.__name__
    if isinstance(own, types.ModuleType):
        return _call_listed(recording, fn, args, kwargs)
    if is_array(own):
        descriptor = np.ndarray.__dict__[name]
        op = TABLE.of(descriptor)
        if op is not None and op.function is np.ndarray.conj and args:
            return recording.call(np.conjugate, own, *args, **kwargs)  # finds `out` by position
        if op is not None:
            return _call_op(recording, op, Method(fn), (own, *args), kwargs)
        if descriptor in purity.HOST_METHODS:
            return _call_host(recording, Method(fn), (own, *args), kwargs)
        if descriptor in _IN_PLACE:
            return _in_place_method(recording, descriptor, own, args, kwargs, fn)
        recording.stop(Cause.ARRAY_MEMBER(name))
        return do(fn, *args, **kwargs)
    if isinstance(own, torch.Tensor) and name == "numpy" and not args:
        return recording.note(_note_from_tensor, recording, own, fn(**kwargs) if kwargs else from_tensor(own))
    if isinstance(own, np.ufunc):
        op = TABLE.of_method(own, name)
        if op is not None:
            return (_call_at if name == "at" else _call_op)(recording, op, fn, args, kwargs)
        if name in ("reduce", "accumulate", "reduceat", "outer") and is_numpys(own):
            return _call_host(recording, fn, args, kwargs)
        recording.stop(Cause.MEMBER(own.__name__, name))
        return do(fn, *args, **kwargs)
    if isinstance(own, np.generic) and not kwargs:
        note = recording.builder.number if name == "item" else recording.builder.host
        result = do(fn, *args)
        return recording.note(note, Call(name), (own, *args), {}, result)
    if type(own) is str and name == "format" and recording.builder.traced(*args, *kwargs.values()):
        result = do(fn, *args, **kwargs)
        return recording.note(note_text, recording, fill, (own, *args), kwargs, result)
    if name == "append" and len(args) == 1 and not kwargs and grows(recording, own):
        return append_to_history(recording, own, *args)
    other = type(own) in DICTS and id(own) in recording.builder.containers
    if (type(own) is dict or other) and not kwargs and (found := set_default(recording, own, name, args)):
        return found[0]
    if other or type(own) in (list, dict, set, tuple, str, bytes):
        outside = type(own) in HOLDING and recording.builder.container_of(own) is not None
        shown = recording.builder.given if name in JOINING else recording.builder.tracked.meant
        result = do(fn, *(map(shown, args) if outside else args), **kwargs)
        if type(own) is list and name != "append":
            recording.note(recording.builder.tight, own)
        if (
            name in purity.READING_METHODS.get(type(own), ())
            and recording.builder.tracked.get(own) is not None
        ):
            return recording.note(note_asked_of, recording, own, name, args, result)
        if other or type(own) in (list, dict, set):
            recording.note(note_mutation, recording, own, result)
        recording.note(_of_container, recording, own, name, args, kwargs, result)
        return result
    if (method := vars(type(own)).get(name)) in purity.NUMBER_FUNCTIONS:
        return _call_listed(recording, method, (own, *args), kwargs)
    if recording.builder.tracked.node(own) is not None:
        return call_opaque(recording, Call(name), fn, (own, *args), kwargs, bound=True)
    return _call_listed(recording, fn, args, kwargs)


def _of_container(
    recording: Recording, own: Any, name: str, args: tuple[Any, ...], kwargs: Any, result: Any
) -> Any:
    """Note a method of a container that Python has called.

    Keys, positions, and numbers that are compared or made into text, are decided. Raises Unfollowed where
    traced numbers are made into text, or the user's classes would do the comparisons.
    """
    kind = type(own)
    if kind in (str, bytes):
        if recording.builder.traced(own, *args, *kwargs.values()):
            raise Unfollowed(Cause.TRACED_TO_TEXT())
        recording.builder.constant(result)
    elif kind in (dict, set):
        decide_keys(
            recording, [arg for arg in args[: None if kind is set else 1] if type(arg) in _KEYS], result
        )
    elif name in ("index", "count", "remove"):
        if _compare_themselves(recording, (*args, *own)):
            raise Unfollowed(Cause.COMPARE_THEMSELVES(kind.__name__, name))
        decide_keys(recording, (args, *([own] if recording.builder.traced(own) else ())), result)
        recording.builder.constant(result)
    elif name in ("insert", "pop", "__getitem__"):
        decide_keys(recording, args[:1], result)
    return result


def _compare_themselves(recording: Recording, items: Iterable[Any]) -> bool:
    """Return True if some item is compared by a method of the user's."""
    for item in items:
        kind = type(item)
        if kind is tuple or kind is list:
            if _compare_themselves(recording, item):
                return True
        elif inlining.is_users_class(kind) and not is_plain(kind, "__eq__"):
            return True
    return False


def _note_from_tensor(recording: Recording, tensor: torch.Tensor, result: Any) -> Any:
    """Note `tensor.numpy()`: an array from outside, on the tensor's memory."""
    base = recording.builder.ref(tensor)
    node = recording.builder.add(
        "read", ReadTensor("numpy"), (base,), {}, recording.builder.value(result, outside=True)
    )
    recording.builder.guard(ArrayMatches(facts(result)), node)
    return recording.builder.result(node, result)


def _call_listed(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call any other callable as the list in `catalog/purity.py` says that has it; opaque if none has."""
    if (fn is str or fn is repr) and (text := shown_as(recording, fn, args)) is not None:
        return text
    if fn is len or fn is sum or fn is print or fn is any or fn is all:
        return _call_builtin_function(recording, fn, args, kwargs)
    try:
        hash(fn)
    except TypeError:  # no list has it
        return call_opaque(recording, Call(getattr(fn, "__name__", type(fn).__name__), fn), fn, args, kwargs)
    if fn in purity.NUMBER_FUNCTIONS:
        result = do(fn, *args, **kwargs)
        return recording.note(_note_number, recording, fn, args, kwargs, result)
    if fn in purity.STRUCTURE:
        given = map(recording.builder.tracked.meant, args) if fn is id else args
        result = do(fn, *given, **kwargs)
        return recording.note(note_structural, recording, fn, args, kwargs, result)
    if fn in purity.WALKS:
        first = 1 if fn is enumerate else len(args)  # its second argument is a number
        return fn(*(walkable(recording, fn, arg) for arg in args[:first]), *args[first:], **kwargs)
    if fn in purity.VIEWS:
        return _call_view(recording, fn, args, kwargs)
    if fn in purity.HOST_FUNCTIONS or (is_numpys(fn) and recording.builder.tracked.node(fn) is None):
        return _call_host(recording, fn, args, kwargs)
    return call_opaque(recording, Call(getattr(fn, "__name__", type(fn).__name__), fn), fn, args, kwargs)


def _in_place_method(recording: Recording, descriptor: Any, own: Any, args: Any, kwargs: Any, fn: Any) -> Any:
    """Call a method of an array that writes into it (`fill`, `sort`, `partition`)."""
    result = do(fn, *args, **kwargs)
    if descriptor is np.ndarray.fill and len(args) == 1:
        recording.note(
            lambda value, _: recording.builder.write(own, recording.builder.ref(value)), args[0], None
        )
    elif (op := TABLE.of(_IN_PLACE[descriptor])) is not None and refusal_of(
        recording, op, (own, *args), kwargs
    ) is None:
        recording.note(lambda _: write_back(recording, op, (own, *args), kwargs, own), None)
    else:
        recording.stop(Cause.ARRAY_MEMBER(descriptor.__name__))
    return result


def call_function(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a Python function or method: rewrite and record it, or note an opaque call.

    NumPy's own functions go by the lists that they are on. A function of the user's is opaque if it cannot be
    rewritten, if it looks at the frames of its callers, or if calls are nested too deep.
    """
    if hasattr(type(fn), "npcompile_function"):
        fn = recording.note(note_unwrapped, recording, fn, fn.npcompile_function())
    if isinstance(fn, types.MethodType):
        recording.note(note_bound_method, recording, fn, None)
        if fn.__self__ is _SHARED:
            recording.builder.tracked.keep(_SHARED, None)
        fn, args = fn.__func__, (fn.__self__, *args)
        if not isinstance(fn, types.FunctionType):
            return recording.call(fn, *args, **kwargs)
    recording.note(note_called, recording, fn, None)
    try:
        if fn in purity.HOST_FUNCTIONS:
            return _call_host(recording, fn, args, kwargs)
        if fn in purity.VIEWS:
            return _call_view(recording, fn, args, kwargs)
        if fn in purity.STRUCTURE:
            result = do(fn, *args, **kwargs)
            return recording.note(note_structural, recording, fn, args, kwargs, result)
    except TypeError:
        pass
    deep = len(recording.closures) >= MAX_OWN_DEPTH
    rewritten = rewrite(fn) if inlining.is_users(fn) and not (deep or inlining.looks_at_callers(fn)) else None
    if not isinstance(rewritten, Rewritten):
        with beyond_deepest(deep):
            return call_opaque(recording, Call(fn.__name__, fn), fn, args, kwargs)
    if recording.builder.tracked.node(fn) is None:
        recording.gone_into[fn] = fn.__code__
    return run(recording, rewritten, fn, args, kwargs)


_SHARED = np.random.mtrand._rand  # the generator behind `np.random.rand` and other functions there
