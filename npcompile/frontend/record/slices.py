"""Slices as objects (`slice(a, b)`, the index that a `__getitem__` is given): their ends stay what they were,
traced or not."""

from __future__ import annotations

import types
from typing import Any

from npcompile.frontend.record.special_methods import COMPARED
from npcompile.frontend.record.stdlib import Library
from npcompile.frontend.rewrite.call_sites import do

_ENDS = "start", "stop", "step"


class Slices(Library):
    """What is done with slices, beside indexing."""

    def of_objects(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        if self.on and not kwargs:
            if fn is slice:
                return (do(fn, *args),)
            own = fn.__self__ if type(fn) is types.BuiltinFunctionType else None
            if type(own) is slice and fn.__name__ == "indices":
                found = do(fn, *args)
                return (self.note(self.builder.number, _indices, (*_ends(own), *args), {}, found),)
        return super().of_objects(fn, args, kwargs)

    def _getattr(self, obj: Any, name: str, result: Any) -> Any:
        if type(obj) is slice and name in _ENDS and self.builder.tracked.get(result) is not None:
            return result
        return super()._getattr(obj, name, result)

    def compare(self, op: str, a: Any, b: Any) -> Any:
        if self.on and op in COMPARED and type(a) is type(b) is slice and self.builder.traced(a, b):
            return self._in_turn(op, _ends(a), _ends(b))
        return super().compare(op, a, b)


def _ends(part: slice) -> tuple[Any, Any, Any]:
    return part.start, part.stop, part.step


def _indices(start: Any, stop: Any, step: Any, length: Any) -> tuple[int, int, int]:
    """`slice(start, stop, step).indices(length)`."""
    return slice(start, stop, step).indices(length)
