"""Arguments that are known by their type alone: containers that grow from call to call, or that hold too much
to be looked through at each call, and texts and containers that are others at each call.

Each length, and each text, would be another signature, recorded by itself. What a program needs of such an
argument is read as from an attribute. Texts, and what differs in other ways than by growing, are known so
where the function is cut: its blocks have signatures of their own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from npcompile.frontend.program.signature import NUMBERS, key_of
from npcompile.frontend.rewrite.partition import histories

_KINDS = frozenset((list, dict, set, deque, tuple))
_TEXTS = frozenset((str, bytes))
_VARYING = frozenset((list, dict)) | _TEXTS  # the types of which signatures tell more than the type
VARIED = 3  # new signatures in which an argument differs from the one before, after which it varies
TIMES = 2  # calls with a longer container than the one before, after which it counts as growing
# A container of MANY things, of MANY_NUMBERS numbers, or of MOST things in all counts as growing from the
# first call on: no recording goes through as many things, and as many numbers are no inputs for a kernel.
MANY, MANY_NUMBERS, MOST = 256, 64, 1024


def size(container: Any) -> int:
    """Return the number of things in a container, and in those that lie in it."""
    items = container.values() if type(container) is dict else container
    return len(container) + sum(size(item) for item in items if type(item) in _KINDS)


def is_long(container: Any) -> bool:
    """Tell if there is too much in a container, with those that lie in it, to be known one by one."""
    return _room(container, MOST) < 0


def _room(container: Any, room: int) -> int:
    """Return what is left of room for so many things; less than none where a container is too long by itself.
    No more things are looked at than there is room for."""
    if len(container) > MANY:
        return -1
    room -= len(container)
    kind, numbers = type(container), 0
    for item in list(container.values() if kind is dict else container):
        if type(item) in _KINDS:
            room = _room(item, room)
        elif kind is not tuple:
            numbers += type(item) in NUMBERS or isinstance(item, np.generic)
        if room < 0 or numbers > MANY_NUMBERS:
            return -1
    return room


def _ends(container: Any) -> tuple[int, ...]:
    """Return the identities of the first thing in a container and of the last, where they have an order."""
    if not container or type(container) is set:
        return ()
    return id(next(iter(container))), id(next(reversed(container)))


def _have_met(last: tuple[int, ...], now: tuple[int, ...]) -> bool:
    """Tell if a container is the one of the call before: another may lie where that has died."""
    return not (last and now) or last[0] == now[0] or last[1] == now[1]


class GrowingArguments:
    """Finds the arguments of one function that grow, by their position."""

    def __init__(self, fn: Any = None) -> None:
        self.places: frozenset[int] = frozenset()  # of those that grow
        self._fn = fn  # until it is known which ones it appends to, which is read where there are any
        self.unread = False  # there were, at calls that had not paid for that
        self._last: dict[int, tuple[int, int, tuple[int, ...]]] = {}  # identity, size and `_ends`
        self._times: dict[int, int] = {}
        self._keys: dict[int, Any] = {}  # of those that may vary, at the last new signature
        self._varied: dict[int, int] = {}

    def look(self, args: tuple[Any, ...], affords: Callable[[], bool], is_cut: bool) -> bool:
        """Note the arguments of a call with a new signature; True where another is found to grow or to vary.
        affords: tells if the function's source may be read. is_cut: the function is cut into blocks."""
        found = self._varying(args) if is_cut else set()
        self.places |= found
        if _KINDS.isdisjoint(map(type, args)):
            return bool(found)
        if self._fn is not None:
            self.unread = not affords()
            if not self.unread:
                found = set(histories(self._fn))
                self._fn = None
        for place, arg in enumerate(args):
            if type(arg) not in _KINDS or place in self.places:
                continue
            last = self._last.get(place)
            self._last[place] = now = id(arg), size(arg), _ends(arg)
            if last is not None and last[0] == now[0] and last[1] != now[1] and _have_met(last[2], now[2]):
                self._times[place] = self._times.get(place, 0) + 1
                if self._times[place] >= TIMES:
                    found.add(place)
        self.places |= found
        return bool(found)

    def _varying(self, args: tuple[Any, ...]) -> set[int]:
        """Return the places of arguments that were others at each new signature."""
        found = set()
        for place, arg in enumerate(args):
            if type(arg) not in _VARYING or place in self.places:
                continue
            key = key_of(arg, [])
            if self._keys.setdefault(place, key) != key:
                self._varied[place] = self._varied.get(place, 0) + 1
                if self._varied[place] >= VARIED:
                    found.add(place)
            self._keys[place] = key
        return found

    def has_long(self, args: tuple[Any, ...]) -> bool:
        """Tell if a container is found to be too long to be known one by one; from now on it is not."""
        if _KINDS.isdisjoint(map(type, args)):
            return False
        kept = frozenset(
            place
            for place, arg in enumerate(args)
            if type(arg) in _KINDS and place not in self.places and is_long(arg)
        )
        self.places |= kept
        return bool(kept)

    def parts(self, args: tuple[Any, ...], leaves: list[Any]) -> list[Any]:
        """Return the keys of a call's arguments."""
        return [self._part(place, arg, leaves) for place, arg in enumerate(args)]

    def _part(self, place: int, arg: Any, leaves: list[Any]) -> Any:
        if not self._is_one(place, arg):
            return key_of(arg, leaves)
        leaves.append(arg)
        return GrowingArguments, type(arg)

    def among(self, args: tuple[Any, ...]) -> frozenset[int]:
        """Return the places of the arguments that are known by their type alone."""
        return frozenset(place for place, arg in enumerate(args) if self._is_one(place, arg))

    def _is_one(self, place: int, arg: Any) -> bool:
        if place not in self.places or not (type(arg) in _KINDS or type(arg) in _TEXTS):
            return False
        return type(arg) is not tuple or is_long(arg)  # a short tuple is known by its items
