"""Visible objects: where Python, or a library, can look at a value, it is the object that Python would have.

Stand-ins for numbers (`Tracked.stand`) stay inside: local names hold them, and containers and objects that
the function makes and nobody else has. A stand-in gives way to the number that it stands for as such an
object leaves: to an opaque call, in a store, as the answer, and all of them where the recording ends.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, ItemsView, Iterator, KeysView, ValuesView
from typing import Any

import numpy as np

from npcompile.frontend.graph.builder import Builder
from npcompile.frontend.graph.set_items import replace_items
from npcompile.frontend.program.equality import DICTS
from npcompile.frontend.program.object_steps import contents

_ROWS = (list, deque)
HOLDING: tuple[type, ...] = (*_ROWS, set, *DICTS)

# Methods by which a container takes what it is given one by one.
JOINING = frozenset(
    (
        "extend",
        "extendleft",
        "update",
        "intersection_update",
        "difference_update",
        "symmetric_difference_update",
    )
)

_ITERATORS: tuple[type, ...] = (zip, map, filter, enumerate, reversed, type(iter([])), type(iter(())))

Undo = list[Callable[[], None]]


class VisibleObjects(Builder):
    """The visible contents of containers and objects."""

    def holds(self, container: Any, *items: Any) -> None:
        """Note that the function has put these into an object that it has made."""
        if any(map(self.tracked.is_meant, items)):
            self.holding[id(container)] = container

    def show(self, *objs: Any, most: int | None = None) -> Undo:
        """Replace the stand-ins in these, and in what they hold; return the function that puts them back.

        most: longer containers are left alone.
        """
        undo: Undo = []
        if self.tracked.any_meant:
            seen: set[int] = set()
            for obj in objs:
                self._show(obj, undo, seen, most)
        return undo

    def show_all(self) -> None:
        """Replace the stand-ins in all objects that the function has made."""
        self.show(*self.holding.values(), *self.objects.values())
        self.holding.clear()

    def given(self, items: Any) -> Any:
        """Name the items that are put one by one into a container that others see, or may see."""
        if not self.tracked.any_meant:
            return items
        if isinstance(items, Iterator | KeysView | ValuesView | ItemsView):
            return (self.tracked.meant(item) for item in items)
        items = self.tracked.meant(items)
        self.show(items)
        return items

    def show_iterators(self, answer: Any) -> None:
        """Replace iterators that leave, and go through stand-ins, by iterators over the numbers."""
        if not self.tracked.any_meant:
            return
        for obj in answer if type(answer) is tuple else (answer,):
            if type(obj) in _ITERATORS:
                self.tracked.stands(obj, self._shown_iterator(obj))
                if obj is not answer:
                    self.tracked.stands(answer, tuple(map(self.tracked.meant, answer)))

    def _shown_iterator(self, iterator: Any) -> Any:
        make, args, *state = iterator.__reduce__()
        given = [self._shown_iterator(arg) if type(arg) in _ITERATORS else self.given(arg) for arg in args]
        made = make(*given)
        if state:
            made.__setstate__(state[0])
        return made

    def show_held(self, obj: Any) -> None:
        """Replace the stand-ins in an object that the function has made and that leaves it."""
        if self.tracked.any_meant:
            self._show_attributes(obj, [], {id(obj)}, None)

    def _show(self, obj: Any, undo: Undo, seen: set[int], most: int | None) -> None:
        kind = type(obj)
        if kind is tuple:
            for item in () if self.tracked.are_themselves(obj) else obj:
                self._show(item, undo, seen, most)
        elif id(obj) in seen:
            pass
        elif kind in HOLDING:
            seen.add(id(obj))
            if id(obj) in self.holding or (
                self.tracked.get(obj) is None and (most is None or len(obj) <= most)
            ):
                self._show_items(obj, undo, seen, most)
        elif id(obj) in self.objects or isinstance(obj, BaseException):
            seen.add(id(obj))
            self._show_attributes(obj, undo, seen, most)
        elif kind is np.ndarray and obj.dtype == object:
            seen.add(id(obj))
            if most is None or obj.size <= most:
                for place, item in enumerate(obj.flat):
                    if (meant := self.tracked.meant(item)) is not item:
                        obj.flat[place] = meant

    def _show_items(self, obj: Any, undo: Undo, seen: set[int], most: int | None) -> None:
        meant, alone = self.tracked.meant, self.tracked.are_themselves
        if alone(obj) and (type(obj) is set or type(obj) in _ROWS or alone(obj.values())):
            return
        if type(obj) is set:
            others = [(item, meant(item)) for item in obj]
            replace_items(obj, [pair for pair in others if pair[0] is not pair[1]])
            return
        rows = type(obj) in _ROWS
        if not rows and any(meant(key) is not key for key in obj):
            entries = [(meant(key), value) for key, value in obj.items()]
            obj.clear()
            dict.update(obj, entries)
        put: Any = type(obj).__setitem__ if rows else dict.__setitem__
        for place, item in list(enumerate(obj) if rows else obj.items()):
            other = meant(item)
            if other is not item:
                put(obj, place, other)
                undo.append(_putting_back(put, obj, place, other, item))
            self._show(other, undo, seen, most)

    def _show_attributes(self, obj: Any, undo: Undo, seen: set[int], most: int | None) -> None:
        meant = self.tracked.meant
        if isinstance(obj, BaseException) and (args := meant(obj.args)) is not obj.args:
            obj.args = args
        if isinstance(obj, tuple):
            return
        names, items = contents(obj)
        for name, item in zip(names, items, strict=True):
            other = meant(item)
            if other is not item:
                object.__setattr__(obj, name, other)
                undo.append(_setting_back(obj, name, item))
            self._show(other, undo, seen, most)


def _putting_back(put: Any, obj: Any, place: Any, other: Any, item: Any) -> Callable[[], None]:
    """Put an item back where the other still is in its place."""

    def back() -> None:
        try:
            found = dict.__getitem__(obj, place) if isinstance(obj, dict) else obj[place]
        except LookupError:
            return
        if found is other:
            put(obj, place, item)

    return back


def _setting_back(obj: Any, name: str, item: Any) -> Callable[[], None]:
    return lambda: object.__setattr__(obj, name, item)
