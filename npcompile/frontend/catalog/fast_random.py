"""`fast_random=True`: common distributions are computed where the arrays are, not by NumPy's own streams.

A draw takes two numbers of the generator's own stream, and therefore depends on its seed, its state and
earlier draws. They are the key of a counter-based generator (SplitMix64, as in Java's SplittableRandom):
element i is a mix of `start + i * step`. This is arithmetic on arrays like the user's own: it is recorded,
fused and compiled with the work on the numbers, and its results are equal on every device but for the last
digits of logarithms and cosines.

Calls that give a size are computed here, for distributions whose parameters are numbers. Any other is
NumPy's.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator, RandomState

# -- the arithmetic, on ordinary arrays ----------------------------------------------------------------------


def words(start: Any, step: Any, first: int, end: int, shape: Any) -> Any:
    """Return 64 random bits for each of the places first, ..., end - 1, in that shape."""
    z = np.arange(first, end).reshape(shape) * step + start
    z = (z ^ ((z >> 30) & 0x3FFFFFFFF)) * -4658895280553007687
    z = (z ^ ((z >> 27) & 0x1FFFFFFFFF)) * -7723592293110705685
    return z ^ ((z >> 31) & 0x1FFFFFFFF)


def uniform(bits: Any, low: Any, high: Any) -> Any:
    """Return `low` plus a multiple of 2**-53 in [0, 1) times the distance to `high`."""
    return low + (high - low) * (((bits >> 11) & 0x1FFFFFFFFFFFFF) * 1.1102230246251565e-16)


def exponential(bits: Any, scale: Any) -> Any:
    return scale * -np.log1p(((bits >> 11) & 0x1FFFFFFFFFFFFF) * -1.1102230246251565e-16)


def normal(bits: Any, more: Any, loc: Any, scale: Any) -> Any:
    """Return normal numbers, each made of two uniform ones (Box and Muller's transform)."""
    size = np.sqrt(-2.0 * np.log1p(((bits >> 11) & 0x1FFFFFFFFFFFFF) * -1.1102230246251565e-16))
    angle = ((more >> 11) & 0x1FFFFFFFFFFFFF) * (6.283185307179586 * 1.1102230246251565e-16)
    return loc + scale * (size * np.cos(angle))


def integers(bits: Any, low: int, high: int) -> Any:
    """Return integers in [low, high).

    high - low is at most 2**32: the remainder of 63 bits favours no number by more than 2**-31.
    """
    return low + ((bits >> 1) & 0x7FFFFFFFFFFFFFFF) % (high - low)


# -- the key -------------------------------------------------------------------------------------------------

# Generators of our own, which check parameters as NumPy does: their draws are discarded.
_SPARE: dict[type, Any] = {
    Generator: np.random.Generator(np.random.PCG64(0)),
    RandomState: np.random.RandomState(0),
}


def first_word(source: Any, check: Any, *parameters: Any) -> np.int64:
    """Return 64 bits of the generator's own stream.

    check: NumPy's method of these parameters. If it raises for bad ones, nothing has been drawn.
    """
    check(_SPARE[type(source)], *parameters, size=1)
    return np.int64(_bits(source))


def second_word(source: Any) -> np.int64:
    """Return 64 bits of the generator's own stream, made odd: with an odd step all of the 2**64 states are
    reached."""
    return np.int64(_bits(source) | 1)


def _bits(source: Any) -> int:
    draw = source.integers if isinstance(source, Generator) else source.randint
    return int(draw(-(2**63), 2**63 - 1, dtype=np.int64))


# -- NumPy's calls -------------------------------------------------------------------------------------------


class Draw(NamedTuple):
    """A call of a generator's method that is computed here."""

    source: Any
    check: Any  # NumPy's method of these parameters
    function: Any  # takes one array of bits, or two, and the parameters
    parameters: tuple[Any, ...]
    size: Any  # as it was given
    shape: tuple[int, ...]
    ends: tuple[int, ...]  # where the places begin and end that each array of bits is draw_of from

    def of(self, start: Any, step: Any, run: Callable[..., Any]) -> Any:
        """Return the numbers for a key. run: calls the functions above."""
        pairs = itertools.pairwise(self.ends)
        bits = [run(words, start, step, first, end, self.shape) for first, end in pairs]
        return run(self.function, *bits, *self.parameters)

    def __call__(self, run: Callable[..., Any] = operator.call) -> Any:
        """Take a key and return the numbers."""
        start = first_word(self.source, self.check, *self.parameters)
        return self.of(start, second_word(self.source), run)


def _random(size: Any = None) -> Any:
    return uniform, (0.0, 1.0), size


def _rand(*shape: Any) -> Any:
    return uniform, (0.0, 1.0), shape or None


def _uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    return uniform, (low, high), size


def _standard_normal(size: Any = None) -> Any:
    return normal, (0.0, 1.0), size


def _randn(*shape: Any) -> Any:
    return normal, (0.0, 1.0), shape or None


def _normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    return normal, (loc, scale), size


def _standard_exponential(size: Any = None) -> Any:
    return exponential, (1.0,), size


def _exponential(scale: Any = 1.0, size: Any = None) -> Any:
    return exponential, (scale,), size


def _integers(low: Any, high: Any = None, size: Any = None) -> Any:
    return integers, (0, low) if high is None else (low, high), size


# NumPy's method -> the method that checks the parameters, and the function that reads a call. A keyword
# that the reading function does not take (`out=`, `dtype=`) leaves the call to NumPy.
_METHODS: dict[Any, tuple[Any, Callable[..., Any]]] = {
    Generator.random: (Generator.uniform, _random),
    Generator.uniform: (Generator.uniform, _uniform),
    Generator.standard_normal: (Generator.normal, _standard_normal),
    Generator.normal: (Generator.normal, _normal),
    Generator.standard_exponential: (Generator.exponential, _standard_exponential),
    Generator.exponential: (Generator.exponential, _exponential),
    Generator.integers: (Generator.integers, _integers),
    RandomState.random: (RandomState.uniform, _random),
    RandomState.random_sample: (RandomState.uniform, _random),
    RandomState.rand: (RandomState.uniform, _rand),
    RandomState.uniform: (RandomState.uniform, _uniform),
    RandomState.standard_normal: (RandomState.normal, _standard_normal),
    RandomState.randn: (RandomState.normal, _randn),
    RandomState.normal: (RandomState.normal, _normal),
    RandomState.standard_exponential: (RandomState.exponential, _standard_exponential),
    RandomState.exponential: (RandomState.exponential, _exponential),
    RandomState.randint: (RandomState.randint, _integers),
}
_NUMBERS = (int, float, np.float64)
MAX_RANGE = 2**32  # of integers


def is_draw(fn: Any) -> bool:
    """Tell if this is a method of one of NumPy's generators, some calls of which are computed here."""
    return _known(fn) is not None


def _known(fn: Any) -> tuple[Any, Callable[..., Any]] | None:
    source = getattr(fn, "__self__", None)
    return _METHODS.get(getattr(type(source), fn.__name__, None)) if type(source) in _SPARE else None


def draw_of(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Draw | None:
    """Return the draw that a call is, None if it is left to NumPy or is no method of a generator."""
    if (known := _known(fn)) is None:
        return None
    check, reading = known
    try:
        function, parameters, size = reading(*args, **kwargs)
        shape = tuple(map(operator.index, size if isinstance(size, (tuple, list)) else (size,)))
    except TypeError:  # no size, keywords that are left to NumPy, or a call that NumPy refuses
        return None
    if not shape or min(shape) < 0 or any(type(item) not in _NUMBERS for item in parameters):
        return None
    if function is integers:
        low, high = parameters
        if type(low) is not int or type(high) is not int or not 0 < high - low <= MAX_RANGE:
            return None
    count = math.prod(shape)
    ends = (0, count, 2 * count) if function is normal else (0, count)
    return Draw(fn.__self__, check, function, parameters, size, shape, ends)
