"""Objects that stand in for functions and keys which Python's own library calls back while something is
recorded, and shed the hooks once nothing is noted any more."""

from __future__ import annotations

import functools
import operator
import weakref
from collections.abc import Iterator
from typing import Any

from npcompile.frontend.boundary.faults import handed, performs


class Ordered:
    """A key to sort by, compared by the hooks."""

    __slots__ = ("hooks", "key")

    def __init__(self, hooks: Any, key: Any) -> None:
        self.hooks = hooks
        self.key = key

    @handed(lambda self, other: self.key < other.key)
    def __lt__(self, other: Ordered) -> bool:
        found: bool = self.hooks.truth(self.hooks.compare("<", self.key, other.key))
        return found


class Applied:
    """A function that the library calls: by the hooks, as long as there is something to note. Then what was
    given to the library calls the function itself."""

    __slots__ = ("function", "given", "hook", "hooks")

    def __init__(self, hooks: Any, hook: Any, function: Any) -> None:
        self.hooks = hooks
        self.hook = hook
        self.function = function
        self.given: Any = None

    @handed(lambda self, *args: self.function(*args))  # the library has drawn what it gives
    @performs
    def __call__(self, *args: Any) -> Any:
        if self.hooks.done is not True:
            return self.hook(*args)
        if (given := self.given()) is not None:
            given.__setstate__((self.function, (), {}, None))
        return self.function(*args)


def applied(hooks: Any, hook: Any, function: Any) -> Any:
    """Give what the library is to get in place of a function, which `hook` calls."""
    calls = Applied(hooks, hook, function)
    given = functools.partial(calls)
    calls.given = weakref.ref(given)
    return given


def applied_call(recording: Any, function: Any) -> Any:
    """Give what the library is to get in place of a function, whose calls go through the hooks."""
    return applied(recording, functools.partial(recording.call, function), function)


class Remembered:
    """A function under `functools.cache`, asked again."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.__name__ = str(getattr(function, "__name__", "remembered"))

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)


@performs
def further(fn: Any, items: Iterator[Any], key: Any, best: Any, most: Any) -> Any:
    """Give what `max` or `min` gives for the best item so far, by its key, and others, by Python alone."""
    exceeds = operator.gt if fn is max else operator.lt
    for item in items:
        value = item if key is None else key(item)
        if exceeds(value, most):
            best, most = item, value
    return best
