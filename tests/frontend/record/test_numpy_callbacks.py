"""Callbacks that NumPy calls (`apply_along_axis`, `piecewise`, `vectorize`, `fromfunction`, `frompyfunc`):
their effects, and the order and number of their calls, are NumPy's at every call of the function."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile

CALLS = 8


def rows_and_columns(x, log):
    def noted(row):
        log.append(row.tolist())
        return row.sum() + len(log)

    return np.apply_along_axis(noted, 0, x), np.apply_along_axis(noted, 1, x * 2)


def rows_with_arguments(x, log):
    def noted(row, k, b=1):
        log.append((row.sum(), k, b))
        return row[:2] * k + b

    return np.apply_along_axis(noted, 1, x, 3, b=len(log))


def rows_written(x, log):
    def written(row):
        row[0] = len(log)
        log.append(row[1])
        return row * 2

    return np.apply_along_axis(written, 1, x), x


def rows_that_raise(x, log):
    def raising(row):
        log.append(row.sum())
        if len(log) % 5 == 4:
            raise ValueError(len(log))
        return row * 2

    try:
        return np.apply_along_axis(raising, 1, x)
    except ValueError as error:
        return error.args


def rows_amid_array_work(x, log):
    y = x * 2 + 1
    z = np.apply_along_axis(lambda row: (log.append(row[0]), row.mean())[1], 1, y)
    return (z * 2).sum(), y + z[:, None]


def over_axes(x, log):
    def noted(a, axis):
        log.append(axis)
        return a.sum(axis)

    return np.apply_over_axes(noted, x, [0, 1])


def pieces(x, log):
    def doubled(v):
        log.append(v.shape)
        return v * 2

    def negated(v):
        log.append(v.tolist())
        return -v

    return np.piecewise(x, [x < 0, x > 2], [doubled, negated, lambda v: (log.append("else"), v + 1)[1]])


def pieces_with_arguments(x, log):
    def scaled(v, k, b=0):
        log.append(k)
        return v * k + b

    return np.piecewise(x, [x < 0, x >= 0], [scaled, 7.0], 3, b=2)


def pieces_of_rows(x, log):
    def piece(row):
        log.append("row")
        ways = [lambda v: (log.append("above"), v * 2)[1], lambda v: (log.append("below"), v)[1]]
        return np.piecewise(row, [row > 1], ways).sum()

    return np.apply_along_axis(piece, 1, x)


def vectorized(x, log):
    return np.vectorize(lambda v: (log.append(v), v * 2 + len(log))[1])(x)


def vectorized_with_types(x, log):
    def noted(v, k):
        log.append((v, k))
        return int(v) + k

    return np.vectorize(noted, otypes=[float], excluded={"k"})(x, k=2)


def vectorized_with_cache(x, log):
    def noted(v):
        log.append(v)
        return v + 1

    return np.vectorize(noted, cache=True)(x)


def vectorized_with_signature(x, log):
    def product(a, b):
        log.append((a.tolist(), b.tolist()))
        return a @ b

    return np.vectorize(product, signature="(n),(n)->()")(x, x + 1)


def vectorized_of_all_types(x, log):
    def above(v):
        log.append(type(v).__name__)
        return v > 1

    made = np.vectorize(above)
    return made(x), np.frompyfunc(above, 1, 1)(x), made(x.astype(np.float32)), made(x.astype(int))


def vectorized_of_nothing(x, log):
    try:
        return np.vectorize(lambda v: (log.append(v), v)[1])(x[:0])
    except ValueError as error:
        return str(error)


def counted(x, log):
    count = 0

    def scaled(v):
        nonlocal count
        count += 1
        return v * count

    return np.vectorize(scaled)(x), count


def drawn(x, log):
    numbers = random.Random(3)
    drawing = np.vectorize(lambda v: v + numbers.random())
    return drawing(x), np.apply_along_axis(lambda row: row + numbers.random(), 0, x)


def from_function(x, log):
    def place(i, j, k=0):
        log.append((i.shape, j.sum(), k))
        return i * 10 + j + k

    return np.fromfunction(place, (2, 3), k=len(log)), np.fromfunction(place, x.shape, dtype=int)


def from_iterator(x, log):
    def doubled():
        for v in x.flat:
            log.append(v)
            yield v * 2

    return np.fromiter(doubled(), float, x.size)


def ufuncs(x, log):
    def joined(a, b):
        log.append((a, b))
        return a + b * len(log)

    made = np.frompyfunc(joined, 2, 1)
    return made(x, 2), made.reduce(x[0]), made.outer(x[0], x[1])


def ufuncs_of_two_answers(x, log):
    return np.frompyfunc(lambda a: (log.append(a), (a, -a))[1], 1, 2)(x)


def ufuncs_under_a_mask(x, log):
    out = np.full(x.shape, None, object)
    return np.frompyfunc(lambda a: (log.append(a), a * 2)[1], 1, 1)(x, out=out, where=x > 1), out


PROGRAMS = [
    *(rows_and_columns, rows_with_arguments, rows_written, rows_that_raise, rows_amid_array_work, over_axes),
    *(pieces, pieces_with_arguments, pieces_of_rows, vectorized, vectorized_with_types, counted, drawn),
    *(vectorized_with_cache, vectorized_with_signature, vectorized_of_all_types, vectorized_of_nothing),
    *(from_function, from_iterator, ufuncs, ufuncs_of_two_answers, ufuncs_under_a_mask),
]
WITH_KERNELS = [rows_amid_array_work, rows_written, pieces, vectorized, counted, ufuncs_under_a_mask]


def shown(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value), [shown(item) for item in value]
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tolist()
    return type(value), value


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("waits", (True, False), ids=("replayed", "recorded"))
@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_callbacks_are_called_as_numpy_calls_them(
    fn: Callable[..., Any], waits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    agree(fn, npcompile.jit(fn, wait=waits))


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("fn", WITH_KERNELS, ids=lambda fn: fn.__name__)
def test_beside_kernels_they_are_called_the_same(fn: Callable[..., Any]) -> None:
    agree(fn, npcompile.jit(fn, wait=True))


def agree(fn: Callable[..., Any], jitted: Callable[..., Any]) -> None:
    theirs: list[Any] = []
    ours: list[Any] = []
    for at in range(CALLS):
        x = np.arange(12.0).reshape(3, 4) - 3 + at % 3
        y = x.copy()
        assert shown(jitted(y, ours)) == shown(fn(x, theirs))
        assert shown(ours) == shown(theirs)
        assert shown(y) == shown(x)
