"""Slices as objects (`slice(a, b)`, the index that a `__getitem__` is given): their ends stay what they were,
traced or not."""

from __future__ import annotations

from typing import Any

from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.record.special_methods import COMPARED, compare_in_turn
from npcompile.frontend.rewrite.call_sites import do

_ENDS = "start", "stop", "step"


def call_slice_class(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return PASS if kwargs else do(fn, *args)


def call_method_of_slice(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    own = fn.__self__
    if type(own) is not slice or fn.__name__ != "indices" or kwargs:
        return PASS
    found = do(fn, *args)
    return recording.note(recording.builder.number, _indices, (*_ends(own), *args), {}, found)


def attribute_of_slice(recording: Recording, obj: Any, name: str, result: Any) -> Any:
    return result if name in _ENDS and recording.builder.tracked.get(result) is not None else PASS


def compare_slices(recording: Recording, op: str, a: Any, b: Any) -> Any:
    if op in COMPARED and type(a) is type(b) is slice and recording.builder.traced(a, b):
        return compare_in_turn(recording, op, _ends(a), _ends(b))
    return PASS


def _ends(part: slice) -> tuple[Any, Any, Any]:
    return part.start, part.stop, part.step


def _indices(start: Any, stop: Any, step: Any, length: Any) -> tuple[int, int, int]:
    """`slice(start, stop, step).indices(length)`."""
    return slice(start, stop, step).indices(length)
