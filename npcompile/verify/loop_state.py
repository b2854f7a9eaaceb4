"""Copies the values of a loop's names, so that native code works on copies while Python works on the values.

`loop_check.py` takes a `Snapshot` at each trip. Copies share memory, and are one object, where the values do.
"""

from __future__ import annotations

import copy
import operator
import types
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from npcompile.frontend.loops.run.array_iterators import Flat
from npcompile.frontend.loops.run.generators import is_generator
from npcompile.frontend.loops.run.iterators import Counted, Held, Items, Zipped
from npcompile.verify.memory_copy import Copy, Mirror
from npcompile.verify.tolerance import move_floats, units

CONTAINERS = frozenset((list, deque, bytearray, set, dict, defaultdict, Counter))
FIRST = "="  # begins the names of what names held as the loop began, which it may have changed
_FLOATS = (float, complex, np.floating, np.complexfloating)


def may_change(value: Any) -> bool:
    """Tell if native code may change a value in place."""
    return type(value) is np.ndarray or type(value) in CONTAINERS or is_generator(value)


class Copier:
    """Copies values, each object once. array, number: called for arrays, and for floats."""

    def __init__(
        self, array: Callable[[np.ndarray[Any, Any]], Any], number: Callable[[Any], Any] | None = None
    ) -> None:
        self._array, self._number = array, number
        self.made: dict[int, Any] = {}  # by the identity of the original
        self.origins: dict[int, int] = {}  # the identity of the original, by that of the copy

    def copy(self, value: Any) -> Any:
        """Return a copy; objects of other types than native loops change are themselves."""
        kind = type(value)
        if kind is np.ndarray:
            return self._kept(value, self._array(value))
        if self._number is not None and isinstance(value, _FLOATS):
            return self._number(value)
        if kind is tuple:
            return tuple([self.copy(one) for one in value])
        if (known := self.made.get(id(value))) is not None:
            return known
        if is_generator(value):
            return self._kept(value, copy.deepcopy(value))
        if kind in CONTAINERS:
            return self._container(value)
        if kind is types.BuiltinFunctionType and type(value.__self__) in CONTAINERS:
            return getattr(self.copy(value.__self__), value.__name__)
        match value:
            case Items(source, place, step):
                return Items(self.copy(source), place, step)
            case Flat(source, place):
                return Flat(self.copy(source), place)
            case Counted(first, items):
                return Counted(first, self.copy(items))
            case Zipped(parts, strict):
                return Zipped(tuple([self.copy(part) for part in parts]), strict)
            case Held():
                return self._iterator(value)
        return value

    def _kept(self, value: Any, made: Any) -> Any:
        self.made[id(value)] = made
        self.origins[id(made)] = id(value)
        return made

    def _container(self, value: Any) -> Any:
        if isinstance(value, dict):
            made = self._kept(value, value.copy())
            for key, one in value.items():
                made[key] = self.copy(one)
            return made
        if isinstance(value, bytearray | set):
            return self._kept(value, value.copy())
        made = self._kept(value, deque(maxlen=value.maxlen) if isinstance(value, deque) else [])
        made.extend([self.copy(one) for one in value])
        return made

    def _iterator(self, value: Held) -> Held:
        source = self.copy(value.source)
        iterator = iter(source if isinstance(source, set) else getattr(source, value.view)())
        for _ in range(len(source) - operator.length_hint(value.iterator)):
            next(iterator)
        return Held(iterator, source, value.view, self.copy(value.taken))


@dataclass(frozen=True, eq=False)
class Given:
    """Copies of the values of a snapshot.

    origins: the identities of the values' objects, by those of the copies. memory: the arrays' copy.
    """

    names: dict[str, Any]
    origins: dict[int, int]
    memory: Copy


class Snapshot:
    """The values of names at one moment. Raises TypeError for arrays that cannot be copied as bytes."""

    def __init__(self, values: dict[str, Any]) -> None:
        found: dict[int, np.ndarray[Any, Any]] = {}
        copier = Copier(lambda array: found.setdefault(id(array), array))
        self._values = {name: copier.copy(value) for name, value in values.items()}
        self._origins = copier.origins
        self._alive = values
        self.arrays = found
        self.objects = copier.made.keys() | found.keys()
        self.mirror = Mirror((list(found.values()), {}))

    @property
    def firsts(self) -> dict[str, Any]:
        """The very objects that names held as the loop began."""
        return {name: value for name, value in self._alive.items() if name.startswith(FIRST)}

    @property
    def size(self) -> int:
        """The bytes that it keeps, but for those of containers."""
        return sum(high - low for low, high in self.mirror.spans)

    def given(self, trial: int | None = None) -> Given:
        """Return copies of the values as they were. trial: floats are moved within their rounding."""
        memory = self.mirror.copy()
        copies = dict(zip(self.arrays, memory.arrays, strict=True))
        number = None
        if trial is not None:
            by, rng = units(memory.arrays), np.random.default_rng(trial)
            for array in memory.arrays:
                move_floats(array, by, trial, rng)
            part = by * np.finfo(np.float64).eps
            number = lambda value: type(value)(value + value * part)  # noqa: E731
        copier = Copier(lambda array: copies[id(array)], number)
        names = {name: copier.copy(value) for name, value in self._values.items()}
        origins = {made: self._origins.get(old, old) for made, old in copier.origins.items()}
        return Given(names, origins, memory)
