"""Functions of `functools` go call by call: `reduce`, and functions under `cache` or `singledispatch`.

The registry lists their handlers. `functools.partial` is an object like those of the user's: see
`local_objects.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.record.callbacks import Remembered
from npcompile.frontend.record.decided_values import is_decided_or_member
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.rewrite.call_sites import do

CACHED: Any = type(functools.cache(abs))
_DISPATCHER: Any = functools.singledispatch(abs)
_DISPATCHING = _DISPATCHER.__code__
_SMALL_CACHE = 16  # a cache of fewer results may have forgotten one that it gave before
_NOTHING: Any = object()


def call_cached(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function under `functools.cache` with arguments that are decided.

    It gives one object at each call, so that its result is read as an item of a dict is.
    """
    if kwargs or not all(map(functools.partial(is_decided_or_member, recording), args)):
        return PASS
    recording.note(recording.builder.ref, fn, True)  # an argument is known by its type alone
    most = fn.cache_parameters()["maxsize"]
    if most is not None and most < _SMALL_CACHE:
        return PASS
    result = do(fn, *args)
    return recording.note(_note_cached, recording, fn, args, result)


def _note_cached(recording: Recording, fn: Any, args: tuple[Any, ...], result: Any) -> Any:
    value = recording.builder.tracked.stand(result) if type(result) in NUMBERS else result
    node = recording.builder.add(
        "read", Remembered(fn), args, {}, recording.builder.value(value, outside=True)
    )
    return recording.builder.read_as(node, value)


def call_dispatcher(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the function that one under `functools.singledispatch` chooses: others may be registered."""
    if fn.__code__ is not _DISPATCHING or not args or recording.builder.tracked.node(fn) is not None:
        return PASS  # an argument is known by its code, which all of them have
    kind = recording.call(type, args[0])
    found = fn.dispatch(kind)
    asked = Remembered(functools.partial(fn.dispatch, kind))
    found = recording.note(_note_dispatched, recording, asked, found) if recording.on else found
    return recording.call(found, *args, **kwargs)


def _note_dispatched(recording: Recording, asked: Remembered, found: Any) -> Any:
    node = recording.builder.add("read", asked, (), {}, recording.builder.value(found, outside=True))
    return recording.builder.read_as(node, found)


def call_reduce(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `functools.reduce` call by call."""
    if len(args) not in (2, 3) or kwargs or not hasattr(type(args[1]), "__iter__"):
        return PASS
    items: Iterator[Any] = iter(recording.iterate(args[1]))
    if len(args) == 3:
        total = args[2]
    else:
        total = next(items, _NOTHING)
        if total is _NOTHING:
            return do(fn, args[0], ())
    for item in items:
        total = recording.call(args[0], total, item)
        if recording.done:
            return do(fn, args[0], items, total)
    return total
