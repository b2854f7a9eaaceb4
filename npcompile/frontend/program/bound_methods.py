"""Calls of NumPy's methods in programs: a step has the array as its first argument, or gives a copy of it."""

from __future__ import annotations

from typing import Any

from npcompile.frontend.program.array_facts import after_writing
from npcompile.frontend.program.call_steps import Call


class Method:
    """An array's method, which takes its array first; a step calls the method of that name."""

    def __init__(self, bound: Any) -> None:
        self.bound = bound


class After:
    """A copy of the first argument as it is after a function of NumPy's has written into it."""

    def __init__(self, function: Any, name: str | None = None) -> None:
        self.function = function
        self.__name__ = name or function.__name__

    def __call__(self, array: Any, *args: Any) -> Any:
        return after_writing(array, lambda made: self.function(made, *args), *args)


def target_of(fn: Any) -> Any:
    """Return the target of the step that calls this function."""
    return Call(fn.bound.__name__) if isinstance(fn, Method) else fn
