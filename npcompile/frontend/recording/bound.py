"""How calls of NumPy's methods are noted: called with their array first, or as what they give."""

from __future__ import annotations

from typing import Any

from npcompile.frontend.arrays import after_writing
from npcompile.frontend.program import Call


class Method:
    """An array's method called with its array first; noted as a call of the method of that name."""

    def __init__(self, bound: Any) -> None:
        self._bound = bound

    def __call__(self, own: Any, *args: Any, **kwargs: Any) -> Any:
        return self._bound(*args, **kwargs)


class After:
    """The first argument after a function of NumPy's has written into it, as an array of its own."""

    def __init__(self, function: Any, name: str | None = None) -> None:
        self.function = function
        self.__name__ = name or function.__name__

    def __call__(self, array: Any, *args: Any) -> Any:
        return after_writing(array, lambda made: self.function(made, *args), *args)


def target_of(fn: Any) -> Any:
    """What a replay calls for this."""
    return Call(fn._bound.__name__) if isinstance(fn, Method) else fn
