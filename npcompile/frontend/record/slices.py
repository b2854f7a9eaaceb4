"""Slices as objects (`slice(a, b)`, the index that `__getitem__` is given) keep the ends they were made of.

The registry lists these handlers. An end that a step gave is still that step's when it is read again.
"""

from __future__ import annotations

from typing import Any

from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import COMPARED, compare_in_turn
from npcompile.frontend.rewrite.call_sites import do

_ENDS = "start", "stop", "step"


def call_slice_class(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a slice of its ends."""
    return PASS if kwargs else do(fn, *args)


def call_method_of_slice(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do `part.indices(length)`: a step that takes the ends and the length."""
    own = fn.__self__
    if type(own) is not slice or fn.__name__ != "indices" or kwargs:
        return PASS
    found = do(fn, *args)
    return recording.note(recording.builder.number, _indices, (*_ends(own), *args), {}, found)


def attribute_of_slice(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    """Give the `start`, `stop` or `step` of a slice if it is followed."""
    return result if name in _ENDS and recording.builder.tracked.get(result) is not None else PASS


def compare_slices(recording: Recording, op: str, a: Any, b: Any) -> Any:
    """Compare slices with traced ends, end by end."""
    if op in COMPARED and type(a) is type(b) is slice and recording.builder.traced(a, b):
        return compare_in_turn(recording, op, _ends(a), _ends(b))
    return PASS


def _ends(part: slice) -> tuple[Any, Any, Any]:
    """Return the start, the stop and the step of a slice."""
    return part.start, part.stop, part.step


def _indices(start: Any, stop: Any, step: Any, length: Any) -> tuple[int, int, int]:
    """Do `slice(start, stop, step).indices(length)`."""
    return slice(start, stop, step).indices(length)
