"""The outcome of a call: its result or exception, what it left in its arguments, and the memory they share.

The tests of loops and `benchmarks/loops.py` compare the outcome of a compiled call with plain Python's.
Arguments are made anew for each call, so every effect on them is the call's own.
"""

from __future__ import annotations

import traceback
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from npcompile.verify.tolerance import ULP, differs_by_more, move_floats, not_explained, units
from tests.checker import same

CORPUS = Path(__file__).parent / "programs"
# Types whose objects are compared by what is in them.
CONTAINERS = (list, tuple, dict)


@dataclass
class Outcome:
    """One call, over.

    Attributes
    ----------
    result : object
        What the call returned, or None.
    arguments : tuple
        The arguments as the call left them.
    raised : tuple or None
        The type, the text and the line of the exception that the call raised.
    shared : set
        Which arrays of the result are which arrays of the arguments, or share their memory.
    """

    result: Any
    arguments: tuple[Any, ...]
    raised: tuple[type[BaseException], str, int | None] | None
    shared: set[tuple[int, int, bool]]


def outcome(function: Callable[..., Any], make: Callable[[], tuple[Any, ...]]) -> Outcome:
    """Call a function with arguments that are made for it."""
    arguments = make()
    return called(function, arguments)


def called(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Outcome:
    before = list(arrays_in(arguments))
    result = raised = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = function(*arguments)
        except Exception as error:
            raised = type(error), str(error), line_of(error)
    shared = {
        (at, other, one is array)
        for at, one in enumerate(arrays_in(result))
        for other, array in enumerate(before)
        if np.shares_memory(one, array)
    }
    return Outcome(result, arguments, raised, shared)


def line_of(error: BaseException) -> int | None:
    """Return the innermost line of the corpus that an exception passed."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).parent == CORPUS
    ]
    return lines[-1] if lines else None


def contents(value: Any) -> Any:
    """Return a value with objects of the corpus replaced by their attributes, functions by their names."""
    if isinstance(value, CONTAINERS):
        if isinstance(value, dict):
            return {key: contents(one) for key, one in value.items()}
        return type(value)(contents(one) for one in value)
    if isinstance(value, types.FunctionType):
        return value.__qualname__
    if type(value).__module__.startswith(__package__):
        return (
            contents({"class": type(value).__qualname__, **vars(value)})
            if hasattr(value, "__dict__")
            else value
        )
    return value


def leaves(value: Any) -> Iterator[Any]:
    """Yield the values in containers and objects, in order."""
    value = contents(value)
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, CONTAINERS):
        for one in value:
            yield from leaves(one)
    else:
        yield value


def arrays_in(value: Any) -> Iterator[np.ndarray[Any, Any]]:
    for leaf in leaves(value):
        if isinstance(leaf, np.ndarray):
            yield leaf


def compare(got: Outcome, want: Outcome, rounded: Callable[[int], Outcome] | None = None) -> None:
    """Raise AssertionError where an outcome is not plain Python's.

    rounded: for programs that are not exact, the outcome of plain Python on arguments whose floats are moved
    by some units in the last place, by the number of the trial.
    """
    assert got.raised == want.raised, f"raised {got.raised}, not {want.raised}"
    assert got.shared == want.shared, f"the result shares memory as {got.shared}, not {want.shared}"
    for what in ("result", "arguments"):
        one, other = contents(getattr(got, what)), contents(getattr(want, what))
        if rounded is None:
            same(one, other, where=what)
        else:
            near(one, other, what, rounded)


def near(got: Any, want: Any, what: str, rounded: Callable[[int], Outcome]) -> None:
    """Compare the leaves of two values: types and shapes exactly, floats within what rounding explains."""
    ours, theirs = list(leaves(got)), list(leaves(want))
    assert len(ours) == len(theirs), f"{what}: {len(ours)} values instead of {len(theirs)}"
    for at, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        if not isinstance(other, np.ndarray | np.generic | float | complex):
            same(one, other, where=f"{what}, value {at}")
            continue
        assert type(one) is type(other), f"{what}, value {at}: {type(one)} instead of {type(other)}"
        left, right = np.asarray(one), np.asarray(other)
        assert (left.dtype, left.shape) == (right.dtype, right.shape), (
            f"{what}, value {at}: {left.dtype}{left.shape}"
        )
        wrong = differs_by_more(left, right, ULP) & ~(cancelled(left, right) & cancelled(right, right))
        if wrong.any():
            wrong = not_explained(
                left, right, wrong, lambda trial, at=at: list(leaves(getattr(rounded(trial), what)))[at]
            )
        assert not wrong.any(), f"{what}, value {at}: {one!r} instead of {other!r}"


def cancelled(array: np.ndarray[Any, Any], want: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return where elements are zero but for the rounding of numbers as large as the largest of `want`.

    Operands that are moved do not tell how such an element moves: it is what roundings on the way have left,
    and the way is that of the processor's BLAS.
    """
    if want.dtype.kind not in "fc" or not want.size:
        return np.zeros(array.shape, bool)
    with np.errstate(all="ignore"):
        return np.asarray(np.abs(array) <= ULP * np.finfo(want.dtype).eps * np.max(np.abs(want)))


def moved(function: Callable[..., Any], make: Callable[[], tuple[Any, ...]], trial: int) -> Outcome:
    """Return the outcome of a call whose float arrays are moved by what a sum's rounding amounts to."""
    arguments = make()
    arrays = list(arrays_in(arguments))
    rng = np.random.default_rng(trial)
    for array in arrays:
        move_floats(array, units(arrays), trial, rng)
    return called(function, arguments)
