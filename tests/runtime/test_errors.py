"""Bad input, at the first call and at every replay: NumPy's exception, the arrays as NumPy leaves them."""

from __future__ import annotations

import copy
import itertools
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same
from tests.programs.jit_lane import judge


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    yield


def array(*shape: int, dtype: str = "f8") -> np.ndarray:
    return np.arange(1.0, 1 + np.prod(shape)).reshape(shape).astype(dtype)


def ints(*values: int, dtype: str = "i8") -> np.ndarray:
    return np.array(values, dtype)


def add(x, y):
    x[0] = -1
    return x + y


def write_then_index(x, i):
    x[0] = -1
    return x[i]


def index_then_write(x, i):
    y = x[i]
    x[0] = -1
    return y


def store_at(x, i, v):
    x[0] = -1
    x[i] = v
    return x


def store_number(x, n):
    x[0] = n
    return x


def divide(x, a):
    x *= 2
    return x, 1 / a


def modulo(x, n):
    return x, 7 % n, 7 // n


def reshape(x, n):
    x += 1
    return x.reshape(n, -1)


def axis(x, n):
    x += 1
    return x.sum(axis=n)


def root(x, a):
    x += 1
    return x * np.sqrt(a) * (a**0.5).real + float(a).hex().count("p")


def logarithm(x, a):
    import math

    return x * math.log(a)


def to_int(x, a):
    x += 1
    return x * int(a)


def dead_code(x, a):
    1 / a
    return x + 1


def power(x, n):
    return x**n


def bincount(x):
    return np.bincount(x)


def concatenate(x, y):
    x[0] = -1
    return np.concatenate([x, y])


def matmul(x, y):
    return x @ y


def inverse(x):
    x[0, 0] += 1
    return np.linalg.inv(x)


def raises(x, limit):
    x[0] = 100
    if x.sum() > limit:
        raise RuntimeError("too much")
    return x


def deep(x, i):
    return helper(helper(x, 0), i)


def helper(x, i):
    return x[i] + x


def item(x, options):
    return x * options["scale"]


def attribute(x, o):
    return x.nothing + o


def unpack(x, _):
    a, b, c = x
    return a + b + c


def broadcast_write(x, y):
    x += 1
    x[1:] = y
    return x


def in_place_shape(x, y):
    x += 1
    x += y
    return x


def cast(x, y):
    x += 1
    x += y
    return x


def out(x, y):
    x += 1
    np.add(x, 1, out=y)
    return y


def text(x, y):
    return x + y


def bool_of(x, y):
    return 1 if x > y else 2


def mask(x, m):
    x += 1
    return x[m]


def fancy_shapes(x, i, j):
    return x[i, j]


# A function, arguments that it takes, and arguments that it does not. Where the two have one signature, the
# second meet the program of the first.
CASES: dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]], Callable[[], tuple[Any, ...]]]] = {
    "shapes that do not fit": (add, lambda: (array(4), array(4)), lambda: (array(4), array(3))),
    "a string": (text, lambda: (array(4), 1.0), lambda: (array(4), "a")),
    "None": (text, lambda: (array(4), 1.0), lambda: (array(4), None)),
    "a dict": (text, lambda: (array(4), 1.0), lambda: (array(4), {})),
    "index too large": (index_then_write, lambda: (array(4), ints(0, 3)), lambda: (array(4), ints(0, 4))),
    "index too small": (index_then_write, lambda: (array(4), ints(0, -4)), lambda: (array(4), ints(0, -5))),
    "index after a write": (write_then_index, lambda: (array(4), ints(0, 3)), lambda: (array(4), ints(0, 4))),
    "a number as index": (write_then_index, lambda: (array(4), 1), lambda: (array(4), 4)),
    "a list as index": (write_then_index, lambda: (array(4), [0, 1]), lambda: (array(4), [0, 4])),
    "a float as index": (write_then_index, lambda: (array(4), 1), lambda: (array(4), 1.0)),
    "an index two functions deep": (deep, lambda: (array(4), 1), lambda: (array(4), 7)),
    "store too far": (store_at, lambda: (array(4), ints(1), 5.0), lambda: (array(4), ints(9), 5.0)),
    "store too far by a number": (store_at, lambda: (array(4), 1, 5.0), lambda: (array(4), 9, 5.0)),
    "store too much": (
        store_at,
        lambda: (array(4), ints(1, 2), array(2)),
        lambda: (array(4), ints(1, 2), array(3)),
    ),
    "uint8 and 300": (text, lambda: (ints(1, 2, dtype="u1"), 3), lambda: (ints(1, 2, dtype="u1"), 300)),
    "uint8 and -1": (text, lambda: (ints(1, 2, dtype="u1"), 3), lambda: (ints(1, 2, dtype="u1"), -1)),
    "int64 and 2**63": (text, lambda: (ints(1, 2), 3), lambda: (ints(1, 2), 2**63)),
    "300 stored into uint8": (
        store_number,
        lambda: (ints(1, 2, dtype="u1"), 3),
        lambda: (ints(1, 2, dtype="u1"), 300),
    ),
    "NaN stored into int64": (store_number, lambda: (ints(1, 2), 3.0), lambda: (ints(1, 2), float("nan"))),
    "inf stored into int64": (store_number, lambda: (ints(1, 2), 3.0), lambda: (ints(1, 2), float("inf"))),
    "10**400 stored into float64": (store_number, lambda: (array(2), 3), lambda: (array(2), 10**400)),
    "10**400 added to float64": (text, lambda: (array(2), 3), lambda: (array(2), 10**400)),
    "complex stored into float64": (store_number, lambda: (array(2), 3.0), lambda: (array(2), 3j)),
    "division by zero": (divide, lambda: (array(4), 2.0), lambda: (array(4), 0.0)),
    "modulo zero": (modulo, lambda: (array(4), 2), lambda: (array(4), 0)),
    "division by zero that nothing uses": (dead_code, lambda: (array(4), 2.0), lambda: (array(4), 0.0)),
    "reshape": (reshape, lambda: (array(4), 2), lambda: (array(4), 3)),
    "axis": (axis, lambda: (array(2, 2), 1), lambda: (array(2, 2), 2)),
    "logarithm of 0": (logarithm, lambda: (array(2), 1.0), lambda: (array(2), 0.0)),
    "int of NaN": (to_int, lambda: (array(2), 1.0), lambda: (array(2), float("nan"))),
    "int of inf": (to_int, lambda: (array(2), 1.0), lambda: (array(2), float("inf"))),
    "negative power of ints": (power, lambda: (ints(1, 2), 2), lambda: (ints(1, 2), -1)),
    "negative powers of ints": (power, lambda: (ints(1, 2), ints(1, 2)), lambda: (ints(1, 2), ints(1, -2))),
    "bincount of negatives": (bincount, lambda: (ints(1, 2),), lambda: (ints(1, -2),)),
    "concatenate": (concatenate, lambda: (array(2, 2), array(2, 2)), lambda: (array(2, 2), array(2, 3))),
    "matmul": (matmul, lambda: (array(2, 2), array(2, 2)), lambda: (array(2, 2), array(3, 2))),
    "a singular matrix": (inverse, lambda: (array(2, 2),), lambda: (np.array([[0.0, 1], [1, 1]]),)),
    "an exception of its own": (raises, lambda: (array(4), 200.0), lambda: (array(4), 20.0)),
    "a missing key": (item, lambda: (array(4), {"scale": 2.0}), lambda: (array(4), {"size": 2.0})),
    "a missing attribute": (attribute, lambda: (np.float64(1).reshape(()), 1), lambda: (array(4), 1)),
    "too few to unpack": (unpack, lambda: (array(3, 2), 0), lambda: (array(2, 2), 0)),
    "a value of the wrong shape": (
        broadcast_write,
        lambda: (array(4), array(3)),
        lambda: (array(4), array(2)),
    ),
    "in place, wrong shape": (in_place_shape, lambda: (array(4), array(1)), lambda: (array(4), array(2, 4))),
    "in place, wrong dtype": (cast, lambda: (ints(1, 2), ints(1, 2)), lambda: (ints(1, 2), array(2))),
    "out of the wrong shape": (out, lambda: (array(4), array(4)), lambda: (array(4), array(3))),
    "out of the wrong dtype": (out, lambda: (array(4), array(4)), lambda: (array(4), ints(1, 2, 3, 4))),
    "truth of an array": (bool_of, lambda: (array(1), 2.0), lambda: (array(2), 2.0)),
    "a mask of the wrong length": (
        mask,
        lambda: (array(4), np.array([True, False, True, False])),
        lambda: (array(4), np.array([True, False])),
    ),
    "indices that do not fit": (
        fancy_shapes,
        lambda: (array(4, 4), ints(0, 1), ints(0, 1)),
        lambda: (array(4, 4), ints(0, 1), ints(0, 1, 2)),
    ),
}


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
@pytest.mark.parametrize("kind", CASES)
def test_numpys_exception_first_and_again(kind: str) -> None:
    fn, good, bad = CASES[kind]
    if kind != "a missing attribute":
        judge(fn, fn, good())  # the good arguments are good
    with np.errstate(all="ignore"):
        for order in ("bad first", "good first"):
            jitted = npcompile.jit(fn)
            calls = [bad, bad, bad] if order == "bad first" else [good, good, bad, bad, good, bad]
            for call in calls:
                judge(jitted, fn, call())


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
def test_the_exception_says_what_numpys_says_and_where(kind: str) -> None:
    fn, good, bad = CASES[kind]

    def failure(function: Callable[..., Any]) -> tuple[str, list[int]]:
        with np.errstate(all="ignore"), pytest.raises(Exception) as caught:
            function(*bad())
        frames = traceback.extract_tb(caught.value.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == __file__ and frame.name != "failure"]
        return str(caught.value), [line for line, _ in itertools.groupby(lines) if line is not None]

    jitted = npcompile.jit(fn)
    wanted = failure(fn)
    assert failure(jitted) == wanted
    if kind != "a missing attribute":
        with np.errstate(all="ignore"):
            for _ in range(2):
                jitted(*good())
    assert failure(jitted) == wanted


def test_arguments_after_an_exception() -> None:
    """Exactly as NumPy leaves them: what was written before is written, what comes after is not."""
    jitted = npcompile.jit(store_at)
    for _ in range(3):
        x = array(4)
        with pytest.raises(IndexError):
            jitted(x, ints(9), 5.0)
        same(x, np.array([-1.0, 2, 3, 4]))


def until_it_ends(x):
    at = 0
    try:
        while True:
            x[at] += at
            at += 1
    except IndexError:
        return x, at


def checks(x, low):
    if x[0] < low:
        raise ValueError("too low")
    return x * 2


def test_calls_that_raise_are_not_recorded_each_time() -> None:
    jitted = npcompile.jit(checks)
    for call in range(30):
        if call % 3:
            with pytest.raises(ValueError, match="too low"):
                jitted(array(4), 10.0)
        else:
            judge(jitted, checks, (array(4), 0.0))
    assert jitted.stats.recordings <= 4, jitted.stats
    assert jitted.stats.replays >= 8, jitted.stats


def test_one_that_raises_no_more_is_recorded_again() -> None:
    jitted = npcompile.jit(checks)
    for _ in range(20):
        with pytest.raises(ValueError, match="too low"):
            jitted(array(4), 10.0)
    assert (jitted.stats.recordings, jitted.stats.plain_calls) == (2, 18)
    for _ in range(4):
        judge(jitted, checks, (array(4), 0.0))
    assert (jitted.stats.recordings, jitted.stats.replays) == (3, 2)


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
def test_loops_that_end_by_an_exception_are_not_recorded_at_each_call() -> None:
    jitted = npcompile.jit(until_it_ends)
    for _ in range(6):
        judge(jitted, until_it_ends, (array(4),))
    recorded = jitted.stats.recordings
    for _ in range(20):
        judge(jitted, until_it_ends, (array(4),))
    assert jitted.stats.recordings == recorded


def test_wrong_calls_of_the_function_itself() -> None:
    jitted = npcompile.jit(add)
    for args in ((), (array(2),), (array(2), array(2), array(2))):
        with pytest.raises(TypeError) as ours:
            jitted(*args)
        with pytest.raises(TypeError) as plain:
            add(*args)
        assert str(ours.value) == str(plain.value)
    with pytest.raises(TypeError, match="unexpected keyword"):
        jitted(array(2), z=1)


def test_the_arguments_are_not_kept() -> None:
    """A recording holds no argument alive."""
    import gc
    import weakref

    jitted = npcompile.jit(text)
    x = array(3)
    reference = weakref.ref(x)
    jitted(x, copy.copy(1.5))
    del x
    gc.collect()
    assert reference() is None


def test_traceback_of_a_plain_call() -> None:
    """Where NumPy is to raise, it does, and no frame of the traceback is ours."""

    def divided(x):
        return 1 / x

    jitted = npcompile.jit(divided)
    with np.errstate(all="raise"), pytest.raises(FloatingPointError) as caught:
        jitted(np.zeros(2))
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names == ["test_traceback_of_a_plain_call", "divided"]
