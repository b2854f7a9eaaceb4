"""What Python's own library calls back while something is recorded: keys, functions, and what is left to go
over once nothing is noted any more."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

from npcompile.frontend.faults import handed, performs


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
    """A function that the library calls: by the hooks, as long as there is something to note."""

    __slots__ = ("function", "hook", "hooks")

    def __init__(self, hooks: Any, hook: Any, function: Any) -> None:
        self.hooks = hooks
        self.hook = hook
        self.function = function

    @performs
    def __call__(self, *args: Any) -> Any:
        return self.function(*args) if self.hooks.done is True else self.hook(*args)


class Remembered:
    """A function under `functools.cache`, asked again."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.__name__ = str(getattr(function, "__name__", "remembered"))

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)


@performs
def further(fn: Any, items: Iterator[Any], key: Any, best: Any, most: Any) -> Any:
    """What `max` or `min` gives for the best item so far, by its key, and others, by Python alone."""
    exceeds = operator.gt if fn is max else operator.lt
    for item in items:
        value = item if key is None else key(item)
        if exceeds(value, most):
            best, most = item, value
    return best
