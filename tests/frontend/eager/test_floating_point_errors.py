"""Where floating-point errors are to be exceptions: what cannot have any is done without a host call, and all
else raises as NumPy does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import npcompile.numpy as np
from npcompile.frontend.eager import counters
from tests.cases.framework import NATIVE
from tests.checker import same, same_exception

ODD = numpy.array([numpy.nan, numpy.inf, -0.0, 1.5, 5e-324, 1e300])
WHOLE = [dtype for dtype in NATIVE if numpy.dtype(dtype).kind in "biu"]

MOVED: list[Callable[[Any, Any], Any]] = [
    lambda np, a: a.copy(),
    lambda np, a: a.any(),
    lambda np, a: np.all(a),
    lambda np, a: 1.5 in a,
    lambda np, a: a[[0, 1]],
    lambda np, a: a[a == a],
    lambda np, a: np.take(a, [1, 0]),
    lambda np, a: np.repeat(a, 2),
    lambda np, a: np.roll(a, 1),
    lambda np, a: a.reshape(2, -1).ravel("F"),
    lambda np, a: np.nonzero(a),
    lambda np, a: np.count_nonzero(a),
    lambda np, a: np.zeros_like(a),
    lambda np, a: np.isnan(a),
    lambda np, a: np.isfinite(a),
    lambda np, a: a == a[::-1],
    lambda np, a: np.logical_not(a),
]
OF_INTEGERS: list[Callable[[Any, Any], Any]] = [
    lambda np, a: a.astype(numpy.uint8),
    lambda np, a: np.arange(-3, 4).astype(a.dtype),
    lambda np, a: a.sum(),
    lambda np, a: np.max(a),
    lambda np, a: np.dot(a, a),
    lambda np, a: np.concatenate([a, a]),
    lambda np, a: np.where(a > 1, a, a),
    lambda np, a: a + 1,
    lambda np, a: a < a[::-1],
    lambda np, a: np.maximum(a, a[::-1]),
    lambda np, a: a // 2,
    lambda np, a: np.add.reduce(a),
]
RAISING: list[Callable[[Any, Any], Any]] = [
    lambda np, a: np.array(ODD) < 1.0,
    lambda np, a: np.array(a) // 0,
    lambda np, a: np.exp(-1000 - np.array(a)),
    lambda np, a: np.sum(np.array([1e308, 1e308])),
    lambda np, a: np.array([1e300]).astype("f4"),
    lambda np, a: np.array([1e300]).astype(numpy.int8),
    lambda np, a: np.array([1e-300]) * 1e-300,
    lambda np, a: np.array([numpy.inf]) - numpy.inf,
    lambda np, a: np.floor_divide.reduce(np.array([1, 0])),
    lambda np, a: np.floor_divide.reduce(np.array([-(2**63), 1, -1])),
    lambda np, a: np.floor_divide.reduce(np.array([-(2**63), 1, -1], "q")),
    lambda np, a: np.take(np.array([1e300]), [0], out=np.zeros(1, "f4")),
    lambda np, a: np.concatenate([np.array([1e300]), np.zeros(1, "f4")], dtype="f4", casting="unsafe"),
]


def done(run: Callable[[], Any]) -> tuple[Any, Exception | None]:
    try:
        with numpy.errstate(all="raise"):
            answer = run()
    except Exception as error:
        return None, error
    if isinstance(answer, tuple):
        return tuple(map(numpy.asarray, answer)), None
    return (numpy.asarray(answer) if isinstance(answer, np.ndarray) else answer), None


def compared(body: Callable[[Any, Any], Any], array: Any) -> None:
    (want, raised), (got, error) = done(lambda: body(numpy, array)), done(lambda: body(np, np.array(array)))
    same_exception(error, raised)
    if raised is None:
        same(got, want)


@pytest.mark.parametrize("at", range(len(MOVED)))
def test_what_only_moves(at: int) -> None:
    for dtype in NATIVE:
        with numpy.errstate(all="ignore"):
            array = ODD.astype(dtype)
        compared(MOVED[at], array)
    assert not counters.host_calls


@pytest.mark.parametrize("at", range(len(OF_INTEGERS)))
def test_integers(at: int) -> None:
    for dtype in WHOLE:
        compared(OF_INTEGERS[at], numpy.array([3, 0, 1, 2, 100]).astype(dtype))
    assert not counters.host_calls


@pytest.mark.parametrize("at", range(len(RAISING)))
def test_what_raises(at: int) -> None:
    compared(RAISING[at], numpy.array([3, 0, 1, 2]))
    counters.reset()
