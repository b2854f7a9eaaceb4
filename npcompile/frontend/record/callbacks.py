"""Callbacks stand in for the functions and sort keys that Python's own library calls during a recording.

`sorting`, `stdlib_itertools` and `stdlib_functools` hand them to the library. Each goes through the hooks as
long as something is recorded, and then does what the user's own object would do.
"""

from __future__ import annotations

import functools
import operator
import weakref
from collections.abc import Iterator
from typing import Any

from npcompile.frontend.boundary.faults import handed, performs


class Ordered:
    """A sort key that is compared by the hooks."""

    __slots__ = ("hooks", "key")

    def __init__(self, hooks: Any, key: Any) -> None:
        self.hooks = hooks
        self.key = key

    @handed(lambda self, other: self.key < other.key)
    def __lt__(self, other: Ordered) -> bool:
        found: bool = self.hooks.truth(self.hooks.compare("<", self.key, other.key))
        return found


class Applied:
    """A function that the library calls: through a hook, as long as something is recorded.

    After that, the `functools.partial` object that the library holds calls the function directly.
    """

    __slots__ = ("function", "given", "hook", "hooks")

    def __init__(self, hooks: Any, hook: Any, function: Any) -> None:
        self.hooks = hooks
        self.hook = hook
        self.function = function
        self.given: Any = None

    @handed(lambda self, *args: self.function(*args))  # the library has taken the items already
    @performs
    def __call__(self, *args: Any) -> Any:
        if self.hooks.done is not True:
            return self.hook(*args)
        if (given := self.given()) is not None:
            given.__setstate__((self.function, (), {}, None))
        return self.function(*args)


def applied(hooks: Any, hook: Any, function: Any) -> Any:
    """Return the stand-in for a function that the library is to call; `hook` runs the function."""
    calls = Applied(hooks, hook, function)
    given = functools.partial(calls)
    calls.given = weakref.ref(given)
    return given


def applied_call(recording: Any, function: Any) -> Any:
    """Return the stand-in for a function that the library is to call; the hook of calls runs the function."""
    return applied(recording, functools.partial(recording.call, function), function)


class Remembered:
    """The function of a step that asks a function under `functools.cache`, or the like, again at replay."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.__name__ = str(getattr(function, "__name__", "remembered"))

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)


@performs
def further(fn: Any, items: Iterator[Any], key: Any, best: Any, most: Any) -> Any:
    """Go on with `max` or `min`, by Python alone, from the best item so far and its key."""
    exceeds = operator.gt if fn is max else operator.lt
    for item in items:
        value = item if key is None else key(item)
        if exceeds(value, most):
            best, most = item, value
    return best
