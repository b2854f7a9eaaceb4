"""Handlers for calls of NumPy's functions that an object takes over by `__array_function__` or
`__array_ufunc__`.

NumPy itself decides which object is asked first: its function is called once with probes in place of the
objects, and a probe that is asked tells which one it is. The method of the user's is then recorded as any
other function. The file also records the operators that `NDArrayOperatorsMixin` gives a class: they become
the calls of ufuncs that they are made of. The registry lists the handlers.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from npcompile.frontend.boundary.faults import performs
from npcompile.frontend.catalog import inlining, purity
from npcompile.frontend.eager.ndarray import ndarray
from npcompile.frontend.ops.numpy_private import DISPATCHER
from npcompile.frontend.program.array_facts import is_array
from npcompile.frontend.program.call_steps import Call
from npcompile.frontend.program.object_steps import class_attribute
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.opaque_calls import call_opaque
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import (
    COMPARED,
    NAMES,
    UNARY,
    note_held_by_class,
    special_method,
)

_BINARY, _REFLECTED, _IN_PLACE, _ALONE = range(4)  # the forms in which a method calls its ufunc


def _mixed() -> dict[Any, tuple[np.ufunc, int]]:
    """Return for each method of `NDArrayOperatorsMixin` its ufunc, and the form of the call."""
    own = vars(inlining.OPERATORS)
    found: dict[Any, tuple[np.ufunc, int]] = {}
    for symbol, name in NAMES.items():
        found[own[f"__{name}__"]] = purity.UFUNCS[symbol], _BINARY
        found[own[f"__r{name}__"]] = purity.UFUNCS[symbol], _REFLECTED
        found[own[f"__i{name}__"]] = purity.UFUNCS[symbol], _IN_PLACE
    for symbol, name in COMPARED.items():
        found[own[name]] = purity.UFUNCS[symbol], _BINARY
    for symbol, name in UNARY.items():
        found[own[name]] = purity.UNARY_UFUNCS[symbol], _ALONE
    found[own["__abs__"]] = np.absolute, _ALONE
    found[own["__divmod__"]], found[own["__rdivmod__"]] = (np.divmod, _BINARY), (np.divmod, _REFLECTED)
    return found


_MIXED = _mixed()


class _Taken(Exception):
    """Raised by a probe that NumPy asks, with the arguments that NumPy gives it."""


def _takes_over(obj: Any, name: str) -> bool:
    """Return True if the class of an object defines this method, and not as NumPy's arrays have it."""
    if is_array(obj):
        return False
    found = class_attribute(type(obj), name)
    return found is not None and found is not vars(np.ndarray)[name]


def _leaves(arg: Any) -> Iterator[Any]:
    """Yield an argument, or the items of nested lists and tuples."""
    if type(arg) in (list, tuple):
        for item in arg:
            yield from _leaves(item)
    else:
        yield arg


def _changed(arg: Any, change: Callable[[Any], Any]) -> Any:
    """Return an argument with `change` done to each of its leaves."""
    if type(arg) in (list, tuple):
        return type(arg)(_changed(item, change) for item in arg)
    return change(arg)


def _named(kwargs: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the arguments by name with `change` done to each of their leaves."""
    return {name: _changed(arg, change) for name, arg in kwargs.items()}


def _function_of(own: Any, _: Any, kinds: Any, args: Any, kwargs: Any) -> Any:
    """Tell that a probe's `__array_function__` was asked first, and with which types."""
    if type(own).of_arrays:  # arrays leave the answer to the other classes
        return NotImplemented
    raise _Taken(own, kinds)


def _ufunc_of(own: Any, _: Any, method: Any, *inputs: Any, **kwargs: Any) -> Any:
    """Tell that a probe's `__array_ufunc__` was asked first, and with which inputs."""
    raise _Taken(own, inputs, kwargs)


_STANDS = {"__array_function__": _function_of, "__array_ufunc__": _ufunc_of}


def _classes(kinds: set[type], name: str) -> dict[type, type]:
    """Return a class of probes for each of these classes, with the same subclass relations among them."""
    found: dict[type, type] = {}
    for kind in sorted(kinds, key=lambda kind: len(kind.__mro__)):
        bases = [found[other] for other in reversed(found) if issubclass(kind, other)]
        of_arrays = class_attribute(kind, name) is vars(np.ndarray)[name]
        found[kind] = type(kind.__name__, tuple(bases), {**_STANDS, "of_arrays": of_arrays})
    return found


# Types whose objects take no function over, and hold no other objects.
_NEVER = frozenset([np.ndarray, ndarray, np.memmap, int, float, complex, bool, str, type(None)])


def _asked(name: str, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Return the object whose method of this name NumPy calls first, and the arguments that NumPy gives it.

    Returns an empty tuple if NumPy calls no such method. NumPy's function is called with probes in place of
    the objects that have the method; and in place of arrays, too, where its own code would otherwise work on
    them.
    """
    if _NEVER.issuperset(map(type, args)) and _NEVER.issuperset(map(type, kwargs.values())):
        return ()
    arrays = name == "__array_function__"
    every = {id(obj): obj for obj in _leaves((*args, *kwargs.values()))}
    stood = [obj for obj in every.values() if (arrays and _is_array(obj)) or _takes_over(obj, name)]
    if not any(_takes_over(obj, name) for obj in stood):
        return ()
    try:
        classes = _classes(set(map(type, stood)), name)
        stands = {id(obj): classes[type(obj)]() for obj in stood}
        fn(
            *_changed(args, lambda obj: stands.get(id(obj), obj)),
            **_named(kwargs, lambda obj: stands.get(id(obj), obj)),
        )
    except _Taken as found:
        meant = {id(stand): every[place] for place, stand in stands.items()}
        own, told, *named = found.args
        if arrays:
            kinds = {standing: kind for kind, standing in classes.items()}
            return meant[id(own)], tuple(kinds[kind] for kind in told)
        return (
            meant[id(own)],
            _changed(told, lambda obj: meant.get(id(obj), obj)),
            _named(named[0], lambda obj: meant.get(id(obj), obj)),
        )
    except Exception:  # the call itself will raise this, too
        return ()
    return ()


def _is_array(obj: Any) -> bool:
    return isinstance(obj, np.ndarray) or is_array(obj)


def call_wrapper(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a NumPy function through its `__call__`, as in `np.add.__call__(...)`."""
    if fn.__name__ == "__call__" and isinstance(fn.__self__, np.ufunc | DISPATCHER):
        return recording.dispatch(fn.__self__, args, kwargs)
    return PASS


def call_numpy_function(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a NumPy function that an argument takes over by `__array_function__`."""
    if asked := _asked("__array_function__", fn, args, kwargs):
        owner, kinds = asked
        return _taken_over(recording, fn, owner, kinds, args, kwargs)
    return PASS


def call_ufunc(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a ufunc that an argument takes over by `__array_ufunc__`."""
    if asked := _asked("__array_ufunc__", fn, args, kwargs):
        own, inputs, named = asked
        if (method := special_method(recording, own, "__array_ufunc__")) is not None:
            result = recording.call(method, own, fn, "__call__", *inputs, **named)
            if result is not NotImplemented:
                return result
    return PASS


@performs
def _taken_over(
    recording: Recording, fn: Any, owner: Any, kinds: tuple[type, ...], args: tuple[Any, ...], kwargs: Any
) -> Any:
    """Call the `__array_function__` of the user's class.

    The whole call is opaque if several classes may answer, or the method cannot be recorded.
    """
    takers = [kind for kind in kinds if kind is not np.ndarray]
    method = special_method(recording, owner, "__array_function__") if len(takers) == 1 else None
    if method is None:
        return call_opaque(recording, Call(fn.__name__, fn), fn, args, kwargs)
    result = recording.call(method, owner, fn, kinds, args, kwargs)
    if result is not NotImplemented:
        return result
    raise TypeError(
        f"no implementation found for '{fn.__module__}.{fn.__name__}' on types that implement"
        f" __array_function__: {list(kinds)}"
    )


def call_mixed_in(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a method of `NDArrayOperatorsMixin`."""
    plain = fn.__func__ if isinstance(fn, types.MethodType) else fn
    if plain in _MIXED and not kwargs:
        own = (fn.__self__, *args) if isinstance(fn, types.MethodType) else args
        ufunc, how = _MIXED[plain]
        if len(own) == (1 if how == _ALONE else 2):
            return _mixed_in(recording, ufunc, how, *own)
    return PASS


def _mixed_in(recording: Recording, ufunc: np.ufunc, how: int, own: Any, *other: Any) -> Any:
    """Call the ufunc of a method of the mixin as the method calls it."""
    if how == _IN_PLACE:
        return recording.call(ufunc, own, *other, out=(own,))
    if other:
        note_held_by_class(recording, type(other[0]), "__array_ufunc__")
        if getattr(other[0], "__array_ufunc__", ...) is None:
            return NotImplemented
    return recording.call(ufunc, *((*other, own) if how == _REFLECTED else (own, *other)))
