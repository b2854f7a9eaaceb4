"""`f.compile(*examples)`: calls a jitted function on copies, or on made-up arrays, until replays answer it.

A recording is a call that NumPy answers, and so a function is compiled ahead of time by calling it.
"""

from __future__ import annotations

import contextlib
import copy
import itertools
import math
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from npcompile.diagnostics.not_compiled import NotCompiledError, warn
from npcompile.diagnostics.stats import Stats
from npcompile.frontend.eager.dispatch import map_arrays
from npcompile.tiering.overhead import compiling_ahead
from npcompile.verify.memory_copy import Mirror

# Calls of one signature until a replay answers: a function that is cut is recorded part by part.
ROUNDS = 6
# Lengths of named dimensions begin at about these: two recordings that differ in lengths alone make a program
# for any, and the third call finds it.
FIRST_LENGTHS = (101, 211, 307)
# Then they double, up to arrays of MOST_BYTES, while a call takes less than LONGEST seconds of its thread's
# processor time: kernels for large work are others, and must be there though the machine is busy. What a call
# computes may grow by a power of the lengths.
MOST_BYTES, LONGEST = 1 << 26, 0.01
_KINDS = "biufc"


@dataclass(frozen=True, init=False)
class spec:
    """An array that `f.compile` makes up: `spec("float64", ("n", 3))`.

    Parameters
    ----------
    dtype : dtype
        Bool, an integer, a float or a complex type.
    shape : tuple of int, str or None
        A length that is an int is fixed. One with a name may vary, and is equal to all others of that name
        in one `f.compile`; None varies by itself.

    Raises
    ------
    TypeError
        Of such a dtype, or of such a shape, no array is made up: pass an array.
    ValueError
        A length is negative.

    Notes
    -----
    The array is C-contiguous. Floats lie between 0 and 1, integers are 0 and 1 by turns. Where values matter
    (the function decides by them), or the layout does, pass an array instead.

    Examples
    --------
    >>> import npcompile
    >>> npcompile.spec("float64", ("n", 3))
    spec('float64', ('n', 3))
    """

    dtype: np.dtype[Any]
    shape: tuple[int | str | None, ...]

    def __init__(self, dtype: DTypeLike, shape: tuple[int | str | None, ...]) -> None:
        made = np.dtype(dtype)
        if made.kind not in _KINDS:
            raise TypeError(
                f"npcompile.spec makes up bools and numbers, not {made}: pass an array of that dtype instead"
            )
        if not isinstance(shape, tuple | list):
            raise TypeError(
                f"the shape of npcompile.spec is a tuple such as ('n', 3), not {shape!r}; "
                f"of one dimension: ({shape!r},)"
            )
        for length in shape:
            if isinstance(length, bool) or not isinstance(length, int | np.integer | str | None):
                raise TypeError(
                    f"a length in npcompile.spec is an int, a name or None, not {length!r} (in {shape!r})"
                )
            if isinstance(length, int | np.integer) and length < 0:
                raise ValueError(
                    f"a length in npcompile.spec is negative: {length} (in {shape!r}); "
                    "a name or None stands for any length"
                )
        object.__setattr__(self, "dtype", made)
        lengths = (int(length) if isinstance(length, np.integer) else length for length in shape)
        object.__setattr__(self, "shape", tuple(lengths))

    def __repr__(self) -> str:
        return f"spec({str(self.dtype)!r}, {self.shape!r})"

    def made(self, lengths: dict[Any, int], place: int) -> np.ndarray[Any, Any]:
        """Return an array for these lengths. place: which of the specs it is."""
        shape = self.sizes(lengths, place)
        if self.dtype.kind in "biu":
            return (np.arange(math.prod(shape)) % 2).astype(self.dtype).reshape(shape)
        numbers = np.random.default_rng(place).random(shape)
        return np.asarray(numbers, self.dtype)

    def sizes(self, lengths: dict[Any, int], place: int) -> tuple[int, ...]:
        """Return the array's shape for these lengths."""
        return tuple(length if isinstance(length, int) else lengths[key] for key, length in self.keys(place))

    def keys(self, place: int) -> list[tuple[Any, int | str | None]]:
        """Return each length with the key of what varies alike."""
        return [
            (length if isinstance(length, str) else (place, axis), length)
            for axis, length in enumerate(self.shape)
        ]


class _Examples:
    """The examples of one `f.compile`, from which the arguments of each call are made."""

    def __init__(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.given = args, kwargs
        self.name = name
        self.specs: list[spec] = []
        arrays: list[np.ndarray[Any, Any]] = []
        map_arrays(self.given, self.specs.append, spec)
        map_arrays(self.given, arrays.append, np.ndarray)
        self._arrays = [a for a in arrays if type(a) is np.ndarray and not a.dtype.hasobject]
        self._mirror = Mirror(self._arrays)
        keys = (key for place, one in enumerate(self.specs) for key, length in one.keys(place))
        fixed = {
            key for place, one in enumerate(self.specs) for key, n in one.keys(place) if isinstance(n, int)
        }
        self.varying = [key for key in dict.fromkeys(keys) if key not in fixed]

    def lengths(self, least: int) -> dict[Any, int]:
        """Return lengths for all that varies: different primes, so that none follows from another."""
        return dict(zip(self.varying, _primes(least), strict=False))

    def size(self, lengths: dict[Any, int]) -> int:
        """Return the bytes of the largest array."""
        return max(
            one.dtype.itemsize
            * math.prod(n if isinstance(n, int) else lengths[key] for key, n in one.keys(p))
            for p, one in enumerate(self.specs)
        )

    def arguments(self, lengths: dict[Any, int]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return arguments for a call: copies, which lie in memory as the examples do, and made-up arrays."""
        copies = self._mirror.copy().arrays
        memo = {id(array): made for array, made in zip(self._arrays, copies, strict=True)}
        try:
            args, kwargs = copy.deepcopy(self.given, memo)
        except Exception as error:
            raise TypeError(
                f"{self.name}.compile calls the function on copies of its examples, and one cannot be copied "
                f"({type(error).__name__}: {error}): call {self.name} itself, and then {self.name}.wait()"
            ) from error
        place = itertools.count()
        made: Any = map_arrays((args, kwargs), lambda one: one.made(lengths, next(place)), spec)
        return made


def _primes(least: int) -> Iterator[int]:
    for number in itertools.count(least):
        if all(number % factor for factor in range(2, math.isqrt(number) + 1)):
            yield number


@contextlib.contextmanager
def _same_random_numbers() -> Iterator[None]:
    """Leave Python's and NumPy's global generators as they are."""
    numpys, pythons = np.random.get_state(), random.getstate()
    try:
        yield
    finally:
        np.random.set_state(numpys)
        random.setstate(pythons)


def compile_ahead(jitted: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Have a jitted function's calls with arguments as these compiled; tell where none is replayed."""
    examples = _Examples(jitted.name, args, kwargs)
    told = len(jitted.stats.reasons)
    try:
        with _same_random_numbers(), compiling_ahead():
            jitted.look_again()
            answered = _by_lengths(jitted, examples) if examples.varying else _called(jitted, examples, {})[0]
    except Exception as error:
        if examples.specs and not isinstance(error, NotCompiledError):
            error.add_note(
                f"{jitted.name}.compile called the function on arrays that it made up for {examples.specs}. "
                "Where values or lengths matter, pass arrays."
            )
        raise
    if not answered:
        because = "; ".join(jitted.stats.reasons) or "nothing of it is compiled"
        text = f"{jitted.name}.compile: calls with these arguments are not replayed: {because}"
        if jitted.is_strict:
            raise NotCompiledError(text)
        if len(jitted.stats.reasons) == told:  # else the calls have told it
            warn(text)


def _by_lengths(jitted: Any, examples: _Examples) -> bool:
    """Compile for any lengths, with kernels for small work and for large."""
    for least in FIRST_LENGTHS:
        answered, seconds = _called(jitted, examples, examples.lengths(least))
    least = 2 * FIRST_LENGTHS[-1]
    while seconds < LONGEST and examples.size(lengths := examples.lengths(least)) <= MOST_BYTES:
        answered, seconds = _called(jitted, examples, lengths)
        least *= 2
    return answered


def _called(jitted: Any, examples: _Examples, lengths: dict[Any, int]) -> tuple[bool, float]:
    """Call the function until a replay answers. Tells if one did, and the last call's processor time."""
    for _ in range(ROUNDS):
        args, kwargs = examples.arguments(lengths)
        before = _counts(jitted.stats)
        start = time.thread_time()
        jitted(*args, **kwargs)
        seconds = time.thread_time() - start
        jitted.wait()
        after = _counts(jitted.stats)
        if after[0] > before[0] and after[1:] == before[1:]:
            return True, seconds
    return False, seconds


def _counts(stats: Stats) -> tuple[int, ...]:
    return stats.replays, stats.recordings, stats.compilations, stats.native_loops
