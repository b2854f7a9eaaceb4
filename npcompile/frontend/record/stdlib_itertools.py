"""Lazy objects are Python's own (`zip`, `map`, `filter`, `itertools`), over functions that the hooks call.

The registry lists the handlers. A recording notes the items of a lazy object as they are drawn.
"""

from __future__ import annotations

import enum
import functools
import itertools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.program.array_facts import is_array
from npcompile.frontend.record.callbacks import applied, applied_call
from npcompile.frontend.record.decided_values import is_decided_or_member
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.loops import LAZY, walkable
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import special_method
from npcompile.frontend.rewrite.call_sites import do

# Lazy objects over all of their arguments; over the first one, with numbers beside it; over none.
OVER_ALL = (itertools.chain, itertools.pairwise, itertools.product, itertools.zip_longest, itertools.cycle)
OVER_FIRST = (
    *(itertools.combinations, itertools.combinations_with_replacement, itertools.permutations),
    *(itertools.islice, itertools.tee),
)
OVER_NONE = (itertools.count, itertools.repeat)
FILTERS = (filter, itertools.filterfalse, itertools.takewhile, itertools.dropwhile)
_DECIDING = (range, itertools.count, enumerate, set, frozenset, enum.EnumType)  # their items are decided
_COUNTING = (enumerate, itertools.count, type(iter(range(0))))


def _over(recording: Recording, obj: Any) -> Any:
    """Return the object that a function of the library iterates in place of another."""
    return recording.iterate(obj) if hasattr(type(obj), "__iter__") else obj


def call_walk(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `list`, `tuple`, `zip` and `enumerate` of sets, and of numbers that are decided."""
    if fn is enumerate and (rest := [*args[1:], *kwargs.values()]):
        recording.note(recording.builder.ref, rest, True)
    if not any(isinstance(arg, _DECIDING) for arg in args) or fn is reversed or fn is iter:
        return PASS
    first = 1 if fn is enumerate else len(args)
    over = [
        _over(recording, arg) if isinstance(arg, _DECIDING) else walkable(recording, fn, arg)
        for arg in args[:first]
    ]
    return fn(*over, *args[first:], **kwargs)


def call_map(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `map`."""
    if len(args) < 2 or kwargs:
        return PASS
    function, *rest = args
    return fn(applied_call(recording, function), *map(functools.partial(_over, recording), rest))


def call_filter(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `filter`, `filterfalse`, `takewhile` and `dropwhile`."""
    if len(args) != 2 or kwargs:
        return PASS
    return fn(_predicate(recording, args[0]), _over(recording, args[1]))


def _predicate(recording: Recording, function: Any) -> Callable[[Any], bool]:
    if function is None or function is bool:
        return applied(recording, recording.truth, bool)
    return applied(recording, lambda value: recording.truth(recording.call(function, value)), function)


def call_over_all(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a lazy object over all arguments: `chain`, `product` and the like."""
    recording.note(recording.builder.ref, kwargs.get("repeat"), True)
    return do(fn, *map(functools.partial(_over, recording), args), **kwargs)


def call_over_first(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a lazy object over the first argument; the others are numbers: `islice`, `combinations`."""
    if not args:
        return PASS
    recording.note(recording.builder.ref, [*args[1:], *kwargs.values()], True)
    return do(fn, _over(recording, args[0]), *args[1:], **kwargs)


def call_over_none(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make an `itertools.count` or `repeat`: how far and how often is decided."""
    decided = [*args, *kwargs.values()] if fn is itertools.count else args[1:]
    recording.note(recording.builder.ref, decided, True)
    return do(fn, *args, **kwargs)


def call_accumulate(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `itertools.accumulate`."""
    if not args or len(args) > 2 or set(kwargs) - {"func", "initial"}:
        return PASS
    function = args[1] if len(args) == 2 else kwargs.get("func")
    plus = functools.partial(recording.binary, "+")
    one = applied(recording, plus, operator.add) if function is None else applied_call(recording, function)
    return do(fn, _over(recording, args[0]), one, initial=kwargs.get("initial"))


def call_starmap(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `itertools.starmap`."""
    if len(args) != 2 or kwargs:
        return PASS
    return fn(applied_call(recording, args[0]), _over(recording, args[1]))


def call_from_iterable(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `itertools.chain.from_iterable`."""
    if fn.__self__ is not itertools.chain or len(args) != 1 or kwargs:
        return PASS
    return fn(map(functools.partial(_over, recording), _over(recording, args[0])))


def call_compress(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `itertools.compress`."""
    if len(args) != 2 or kwargs:
        return PASS
    chosen = map(applied(recording, recording.truth, bool), _over(recording, args[1]))
    return fn(_over(recording, args[0]), chosen)


def call_groupby(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `itertools.groupby` by keys that are decided."""
    if not args or len(args) > 2 or set(kwargs) - {"key"}:
        return PASS
    function = args[1] if len(args) == 2 else kwargs.get("key")

    def key(item: Any) -> Any:
        if recording.done:
            return item if function is None else function(item)
        found = item if function is None else recording.call(function, item)
        if not is_decided_or_member(recording, found):
            recording.stop(Cause.GROUPBY())
        return found

    return fn(_over(recording, args[0]), key)


def call_next(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Draw the next item of a lazy object, or call the `__next__` of an object of the user's."""
    if not args or kwargs:
        return PASS
    obj, *default = args
    if (method := special_method(recording, obj, "__next__")) is not None:
        try:
            return recording.call(method, obj)
        except StopIteration:
            if not default:
                raise
            return default[0]
    if type(obj) not in LAZY or recording.builder.tracked.get(obj) is not None:
        return PASS
    try:
        result = do(next, obj)
    except StopIteration as error:
        if default:
            return default[0]
        recording.raising(error)  # the count of items was decided
        raise
    if type(obj) in _COUNTING:
        recording.note(recording.builder.constant, result[0] if type(obj) is enumerate else result)
    return result


def call_fromiter(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `np.fromiter`: an array of the items that are drawn."""
    dtype = args[1] if len(args) == 2 else kwargs.get("dtype")
    if not args or len(args) > 2 or set(kwargs) - {"dtype"} or is_array(args[0]):
        return PASS
    kind = np.dtype(dtype).kind if isinstance(dtype, type | str | np.dtype) else "O"
    if not hasattr(type(args[0]), "__iter__"):
        return PASS
    items = [*recording.iterate(args[0])]
    if recording.done:
        return do(np.fromiter, items, *args[1:], **kwargs)
    plain = all(type(item) in (float, int, np.float64, np.int64) for item in items)
    if kind == "f" and plain and items:
        return recording.call(np.array, items, dtype=dtype)
    recording.stop(Cause.FROMITER())
    return do(np.fromiter, items, *args[1:], **kwargs)
