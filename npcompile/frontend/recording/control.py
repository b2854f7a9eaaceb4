"""Loops, unpacking, exceptions, `with`: what is unrolled, and what ends a recording."""

from __future__ import annotations

import itertools
import types
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from npcompile.frontend import pure
from npcompile.frontend.arrays import is_array
from npcompile.frontend.made import is_named_tuple
from npcompile.frontend.notes import Unfollowed
from npcompile.frontend.recording.base import SIMPLE
from npcompile.frontend.recording.texts import Texts

# A loop is unrolled into the program up to this many trips, a nest of loops up to so many of the inner ones.
MAX_TRIPS = 32
MAX_INNER = 128

_WALKERS: tuple[type, ...] = (
    enumerate,
    zip,
    reversed,
    type(iter(range(0))),
    type(iter([])),
    type(reversed([])),
    type(iter(())),
    map,
    filter,
)


class Control(Texts):
    """What a function goes over, and how."""

    _nest = 0  # how many are gone through
    _trips_inside = 0  # of those inside the outermost

    def iterate(self, obj: Any) -> Any:
        return self._trips(obj) if self.on else obj

    def _trips(self, obj: Any) -> Iterator[Any]:
        obj = self._walked(obj)
        if type(obj) in (list, dict, deque):
            self._note(self._gone_through, obj)
        if is_array(obj):
            self.notes.asked(obj)
            items: Any = (self._row(obj, position) for position in range(len(obj)))
        else:
            items = iter(obj)
        if (
            type(obj) not in (list, tuple, dict, range, str)
            and not (type(obj) is deque and self.notes.tracked.node(obj) is not None)
            and not is_array(obj)
            and type(obj) not in _WALKERS
        ):
            views: tuple[type, ...] = (
                type({}.items()),
                type({}.keys()),
                type({}.values()),
                types.GeneratorType,
            )
            if type(obj) not in views:
                self.stop(f"a loop over a {type(obj).__name__}")
        if (
            self.on
            and not is_array(obj)
            and type(obj) not in (*SIMPLE, deque)
            and self.notes.tracked.node(obj) is not None
        ):
            self.stop(f"a loop over a {type(obj).__name__} that a call gave")
        outermost = not self._nest
        if outermost:
            self._trips_inside = 0
        self._nest += 1
        try:
            for trip, item in enumerate(items):
                if self.on:
                    self._trips_inside += not outermost
                    if trip >= MAX_TRIPS or self._trips_inside > MAX_INNER:
                        self.stop(f"a loop of more than {MAX_TRIPS} trips, or {MAX_INNER} in a nest of loops")
                    elif type(obj) is range or type(obj) is type(iter(range(0))):
                        self.notes.constant(item)
                    elif type(obj) is enumerate:
                        self.notes.constant(item[0])
                yield item
        finally:
            self._nest -= 1

    def _gone_through(self, obj: Any) -> None:
        """What lies in a list, dict or deque is asked for as a whole."""
        self.notes.tight(obj)
        node = self.notes.tracked.node(obj)
        if node is not None and node.meta.get("calls", self.notes.calls) != self.notes.calls:
            raise Unfollowed("a container from outside is gone through after a call that may have changed it")
        if type(obj) is dict:
            self.notes.constant(tuple(obj))

    def _length(self, obj: Any, result: int) -> int:
        if type(obj) in (list, deque) and (length := self.length_of_history(obj, result)):
            return length[0]
        self.notes.tight(obj)
        if (not is_array(obj) and type(obj) not in SIMPLE) or (type(obj) is str and self.notes.traced(obj)):
            raise Unfollowed(f"len() of a {type(obj).__name__}")
        if is_array(obj):
            return self.notes.length(obj, 0)
        self.notes.asked(obj)
        self._of_set(obj)
        self.notes.constant(result)
        return result

    def _walked(self, obj: Any) -> Any:
        """What a loop goes over, where that is an object's own to say."""
        if (method := self.protocol(obj, "__iter__")) is not None:
            return self.call(method, obj)
        if self.on and is_named_tuple(type(obj)) and self.is_followed(obj):
            return [self.getitem(obj, place) for place in range(len(obj))]
        return obj

    def _row(self, array: Any, position: int) -> Any:
        self.notes.constant(position)
        return self.getitem(array, position)

    def unpack(self, value: Any, count: int) -> Any:
        if self.on and is_array(value):
            return list(self.iterate(value))
        if self.on and type(value) in (list, dict, deque):
            self._note(self._gone_through, value)
        if self.on and self.is_followed(value):
            return list(itertools.islice(self.iterate(value), count + 1))
        return value

    def unpack_star(self, value: Any, before: int, after: int) -> Any:
        return self.unpack(value, before + after)

    def trying(self, begins: bool) -> None:
        self.notes.tries += 1 if begins else -1

    def caught(self, exc: Any) -> None:
        if self.on:
            self.stop(f"an exception was caught ({type(exc).__name__})")

    def define(self, function: Any) -> Any:
        self._inner[id(function)] = self.notes.made[id(function)] = function
        return function

    def discard(self, value: Any) -> None:
        if self.on:
            self._note(self.notes.unused, None)

    def build(self, value: Any) -> Any:
        if self.on and type(value) in (dict, set):
            self._note(self._keys, value, value)
        return value

    def manager(self, obj: Any) -> Any:
        if self.on and not isinstance(obj, np.errstate):
            self.stop(f"a with statement on a {type(obj).__name__}")
        return obj

    def unsupported(self, what: str, line: int) -> None:
        if self.on:
            self.stop(what)

    def imported(self, name: str, value: Any) -> None:
        if self.on and isinstance(value, types.ModuleType) and id(value) not in pure.FIXED_MODULES:
            self.stop(f"an import of {name}")
