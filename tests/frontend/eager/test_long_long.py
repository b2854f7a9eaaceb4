"""NumPy's second types of the same bits (`long long`): computed without a host call, named as by NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import npcompile.numpy as np
from npcompile.frontend.eager import counters
from npcompile.frontend.ops.table import TWINS
from npcompile.frontend.ops.ufunc_methods import BINARY
from tests.checker import same, same_exception

OTHERS = "?bhilqBHILQefdFD"
Q = [
    pytest.param(char, marks=pytest.mark.skipif(char not in TWINS, reason="no second type here"))
    for char in "qQ"
]

FUNCTIONS: list[Callable[[Any, Any], Any]] = [
    lambda np, a: a.copy(),
    lambda np, a: np.sort(a),
    lambda np, a: np.argsort(a, kind="stable"),
    lambda np, a: a[[0, 2]],
    lambda np, a: a[a > 2],
    lambda np, a: a[numpy.array([[0, 1], [2, 0]])],
    lambda np, a: a[1:],
    lambda np, a: a[1],
    lambda np, a: a.astype("d"),
    lambda np, a: a.astype(a.dtype),
    lambda np, a: np.asarray(a, "l"),
    lambda np, a: np.array(a, a.dtype),
    lambda np, a: np.arange(4).astype(a.dtype),
    lambda np, a: np.asarray(np.arange(4), a.dtype),
    lambda np, a: np.array(np.arange(4), a.dtype),
    lambda np, a: np.zeros(3, a.dtype),
    lambda np, a: np.ones(3, a.dtype.char),
    lambda np, a: np.full(3, 2, a.dtype.type),
    lambda np, a: np.full(3, a.dtype.type(2)),
    lambda np, a: np.full_like(a, 3),
    lambda np, a: np.zeros_like(a),
    lambda np, a: np.zeros_like(numpy.arange(3.0), dtype=a.dtype),
    lambda np, a: np.arange(3, dtype=a.dtype),
    lambda np, a: np.arange(a[0], a[1]),
    lambda np, a: np.linspace(0, 4, 5, dtype=a.dtype),
    lambda np, a: np.eye(2, dtype=a.dtype),
    lambda np, a: a.sum(),
    lambda np, a: np.sum(numpy.arange(3), dtype=a.dtype),
    lambda np, a: np.prod(a.reshape(2, 2), axis=0),
    lambda np, a: np.cumsum(a),
    lambda np, a: a.max(),
    lambda np, a: a.mean(),
    lambda np, a: a.any(),
    lambda np, a: np.argmax(a),
    lambda np, a: np.nonzero(a),
    lambda np, a: np.concatenate([a, a]),
    lambda np, a: np.concatenate([numpy.arange(3), a]),
    lambda np, a: np.stack([a, a]),
    lambda np, a: np.where(a > 2, a, 0),
    lambda np, a: np.dot(a, a),
    lambda np, a: a.reshape(2, 2) @ a.reshape(2, 2),
    lambda np, a: np.matmul(a, numpy.arange(4)),
    lambda np, a: np.einsum("i,i->i", a, a),
    lambda np, a: np.outer(a, a),
    lambda np, a: np.clip(a, 1, 3),
    lambda np, a: np.repeat(a, 2),
    lambda np, a: np.take(a, [0, 1]),
    lambda np, a: np.round(a),
    lambda np, a: np.trace(a.reshape(2, 2)),
    lambda np, a: np.bincount(a),
    lambda np, a: np.searchsorted(np.sort(a), a),
    lambda np, a: np.diff(a),
    lambda np, a: np.unique(a),
    lambda np, a: np.median(a),
    lambda np, a: np.quantile(a, 0.4, method="inverted_cdf"),
    lambda np, a: np.percentile(a, [20, 40]),
    lambda np, a: np.pad(a, 1),
    lambda np, a: np.add(a, 1, out=np.zeros(4, "d")),
    lambda np, a: np.add(a, 1, dtype=a.dtype),
    lambda np, a: np.add(numpy.arange(3), 1, dtype=a.dtype),
    lambda np, a: np.divmod(a, 2),
    lambda np, a: np.add.outer(a, numpy.arange(2)),
    lambda np, a: np.add.reduceat(a, [0, 2]),
    lambda np, a: a[0] + np.arange(3),
    lambda np, a: a * 2,
    lambda np, a: a * 2.5,
    lambda np, a: a**2,
    lambda np, a: -a,
    lambda np, a: a < 300,
    lambda np, a: a == -1,
    lambda np, a: a + 2**70,
]


def chars(answer: Any) -> Any:
    if isinstance(answer, (tuple, list)):
        return [chars(item) for item in answer]
    return answer.dtype.char


def done(run: Callable[[], Any]) -> tuple[Any, Exception | None]:
    try:
        with numpy.errstate(all="ignore"):
            return run(), None
    except Exception as error:
        return None, error


def compared(theirs: Callable[[], Any], ours: Callable[[], Any], what: str) -> None:
    (want, raised), (got, error) = done(theirs), done(ours)
    same_exception(error, raised)
    if raised is None:
        assert chars(got) == chars(want), what
        pairs = zip(got, want, strict=True) if isinstance(want, (tuple, list)) else [(got, want)]
        for mine, their in pairs:
            same(numpy.asarray(mine) if isinstance(mine, np.ndarray) else mine, their, where=what)
        assert not counters.host_calls, what


@pytest.mark.parametrize("char", Q)
@pytest.mark.parametrize("at", range(len(FUNCTIONS)))
def test_functions(at: int, char: str) -> None:
    values = numpy.array([3, 5, 2, 7], char)
    compared(lambda: FUNCTIONS[at](numpy, values), lambda: FUNCTIONS[at](np, np.array(values)), str(at))


@pytest.mark.parametrize("char", Q)
@pytest.mark.parametrize("ufunc", BINARY, ids=lambda ufunc: ufunc.__name__)
def test_ufuncs_of_two(ufunc: numpy.ufunc, char: str) -> None:
    ours = getattr(np, ufunc.__name__)
    row = numpy.array([3, 5, 2, 7], char)
    for other in OTHERS:
        more = numpy.array([1, 2, 1, 1]).astype(other)
        for one, two in ((row, more), (more, row), (row[0], more), (more, row[0])):
            counters.reset()
            compared(
                lambda one=one, two=two: ufunc(one, two),
                lambda one=one, two=two: ours(np.asarray(one), two),
                f"{one!r} {two!r}",
            )
    for number in (2, 2.5, 1j, True):
        compared(
            lambda number=number: ufunc(row, number),
            lambda number=number: ours(np.array(row), number),
            str(number),
        )
    for method in ("reduce", "accumulate"):
        if ufunc is numpy.arctan2 and method == "reduce":
            continue  # of float64: NumPy's vector loop (ops/ufunc_methods.py)
        compared(
            lambda method=method: getattr(ufunc, method)(row),
            lambda method=method: getattr(ours, method)(np.array(row)),
            method,
        )
