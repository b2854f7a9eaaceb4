"""Generators of the user's functions: what one does each time that it goes on goes through the hooks.

`user_functions.py` drives the generators that it gets here; the registry lists the handlers of their methods.
"""

from __future__ import annotations

import types
from collections.abc import Generator
from typing import Any

from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.state import Cells
from npcompile.frontend.rewrite.call_sites import do


def driven(recording: Recording, made: Any, cells: Cells | None) -> Any:
    """Return a generator that does what another one does, of a function that runs on the hooks.

    Each time that it goes on, its closure is at hand, and so are the `try` statements that it is in.
    """
    driver: Any = _drive(recording, made, cells)
    driver.__name__, driver.__qualname__ = made.__name__, made.__qualname__
    return driver


def _drive(
    recording: Recording, made: types.GeneratorType[Any, Any, Any], cells: Cells | None
) -> Generator[Any, Any, Any]:
    builder = recording.builder
    step: Any = made.send
    given: Any = None
    own = 0  # `try` statements that it is in
    while True:
        if cells is not None:
            recording.closures.append(cells)
        outer = builder.tries
        builder.tries = outer + own
        sent = given is not None
        try:
            item = step(given)
        except StopIteration as end:
            return end.value
        finally:
            given = None  # an exception whose traceback holds this would not go before it is collected
            own, builder.tries = builder.tries - outer, outer
            if cells is not None:
                recording.closures.pop()
        if recording.done and sent:  # nothing is noted any more: it goes on by itself
            return (yield from _Further(made, item))
        try:
            given = yield item
            step = made.send
        except BaseException as error:
            given, step = error, made.throw
        if recording.done and given is None:
            return (yield from made)


class _Further:
    """Give a generator's items from one on that it has given already."""

    __slots__ = ("_first", "_made", "close", "send", "throw")

    def __init__(self, made: types.GeneratorType[Any, Any, Any], first: Any) -> None:
        self._made = made
        self._first: tuple[Any, ...] = (first,)
        self.send, self.throw, self.close = made.send, made.throw, made.close

    def __iter__(self) -> _Further:
        return self

    def __next__(self) -> Any:
        if not self._first:
            return next(self._made)
        (item,), self._first = self._first, ()
        return item


def call_method(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call `send`, `throw` or `close` of a generator that was made inside."""
    own: Any = fn.__self__
    if kwargs or type(own) is not types.GeneratorType or recording.builder.tracked.get(own) is not None:
        return PASS
    try:
        return do(fn, *args)
    except StopIteration as error:
        recording.raising(error)
        raise


def attribute_of_generator(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """Give the methods of a generator that was made inside."""
    bound = type(result) is types.BuiltinFunctionType
    return result if bound and recording.builder.tracked.get(obj) is None else PASS
