"""How calls of NumPy's methods are noted: called with their array first, or as what they give."""

from __future__ import annotations

from typing import Any

from npcompile.frontend.program.array_facts import after_writing
from npcompile.frontend.program.call_steps import Call


class Method:
    """An array's method, which takes its array first; noted as a call of the method of that name."""

    def __init__(self, bound: Any) -> None:
        self.bound = bound


def as_called(fn: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The function, and the arguments after it, by which Python does what is noted as `fn(*args)`."""
    return (fn.bound, *args[1:]) if isinstance(fn, Method) else (fn, *args)


class After:
    """The first argument after a function of NumPy's has written into it, as an array of its own."""

    def __init__(self, function: Any, name: str | None = None) -> None:
        self.function = function
        self.__name__ = name or function.__name__

    def __call__(self, array: Any, *args: Any) -> Any:
        return after_writing(array, lambda made: self.function(made, *args), *args)


def target_of(fn: Any) -> Any:
    """What a replay calls for this."""
    return Call(fn.bound.__name__) if isinstance(fn, Method) else fn
