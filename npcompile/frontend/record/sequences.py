"""Methods of lists, tuples and texts that look through a row of items: `index`, `count` and `join`."""

from __future__ import annotations

from typing import Any

import numpy as np

from npcompile.frontend.boundary.faults import performs
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import MANY, decides_by_nan

_PLAIN = (*NUMBERS, bool, str, bytes, type(None))


def call_join(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `text.join(items)` of a lazy object: its items are drawn first."""
    if type(fn.__self__) is not str or fn.__name__ != "join" or len(args) != 1 or kwargs:
        return PASS
    if type(args[0]) in (list, tuple) or not hasattr(type(args[0]), "__iter__"):
        return PASS
    return recording.call(fn, [*recording.iterate(args[0])])


def call_index_or_count(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `row.index(value)` or `row.count(value)`, item by item, where the program gave some of it."""
    own: Any = fn.__self__
    if type(own) not in (list, tuple) or fn.__name__ not in ("index", "count") or len(args) != 1 or kwargs:
        return PASS
    if len(own) > MANY or not recording.builder.traced(own, *args):
        return PASS
    return _find(recording, fn, own, args[0]) if _are_compared(recording, (*own, *args)) else PASS


def _are_compared(recording: Recording, items: Any) -> bool:
    """Return True if a recording sees how items compare.

    Objects from outside that compare by their identity end a recording: no answer for one is another's.
    """
    return all(
        _are_compared(recording, item)
        if type(item) in (list, tuple)
        else type(item) in _PLAIN or isinstance(item, np.generic) or id(item) in recording.builder.objects
        for item in items
    )


@performs
def _find(recording: Recording, fn: Any, own: Any, value: Any) -> int:
    """Return the index of a value in a row, or how often it is there, as `fn` does."""
    places = []
    for place, item in enumerate(recording.iterate(own)):
        if item is value or recording.truth(recording.compare("==", item, value)):
            places.append(place)
            if fn.__name__ == "index":
                break
        elif isinstance(item, float | np.inexact) and decides_by_nan(recording, value):
            meant = recording.builder.tracked.meant
            return int(getattr([*map(meant, own)], fn.__name__)(meant(value)))
    if fn.__name__ == "index" and not places:
        try:
            fn(value)
        except ValueError as error:
            recording.raising(error)
            raise
    result = places[0] if fn.__name__ == "index" else len(places)
    recording.note(recording.builder.constant, result)
    return result
