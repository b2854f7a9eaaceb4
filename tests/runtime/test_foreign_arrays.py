"""Masked arrays, matrices, records and users' own subclasses of NumPy's array: plain, told once, right."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.frontend.catalog.foreign_arrays import is_foreign
from tests.ecosystem.checking import check

N = 60
NUMBERS = np.random.default_rng(0).normal(size=N)


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class Tagged(np.ndarray):
    """An attribute is handed on to what is made of an array."""

    unit: Any

    def __array_finalize__(self, obj: Any) -> None:
        self.unit = getattr(obj, "unit", None)


class Quantity(Tagged):
    """Its ufuncs work out units, as those of astropy do."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        units = [getattr(one, "unit", "") for one in inputs]
        if ufunc is np.add and len(set(units)) > 1:
            raise TypeError("units differ")
        outs = options.get("out", ())
        options |= {"out": tuple(np.asarray(one) for one in outs)} if outs else {}
        arrays = [np.asarray(one) if isinstance(one, Quantity) else one for one in inputs]
        result = getattr(ufunc, method)(*arrays, **options)
        if outs:
            return outs[0]
        return tagged(Quantity, result, "*".join(filter(None, units))) if np.ndim(result) else result


def tagged(kind: Any, data: Any, unit: str) -> Any:
    made = np.array(data).view(kind)
    made.unit = unit
    return made


def masked() -> Any:
    return np.ma.masked_less(NUMBERS, 0)


def hard() -> Any:
    return np.ma.array(NUMBERS.copy(), mask=NUMBERS > 0.7, hard_mask=True, fill_value=-9.0)


def unmasked() -> Any:
    return np.ma.array(NUMBERS.copy())


def own() -> Any:
    return tagged(Tagged, NUMBERS, "hello")


def quantity() -> Any:
    return tagged(Quantity, NUMBERS, "m")


def matrix() -> Any:
    return np.asmatrix(NUMBERS[:36].reshape(6, 6)).copy()


KINDS = (masked, hard, unmasked, own, quantity, matrix)


def ufuncs(x):
    return np.sin(x) * 2, np.exp(-x), np.maximum(x, 0.25), x * x


def reductions(x):
    return x.mean(), np.sum(x), np.std(x, axis=0), x.max(), np.add.reduce(x)


def indexed(x):
    return x[0], x[:3], x[x > 0], x[None], x.T


def stored(x):
    x[2:4] = 0
    x[x > 1] = 1
    x *= 2
    return x


def left_alone(x):
    return x, {"k": [x, x.shape, len(x)]}


def added(x):
    return x + 1


def taken(x):
    a = np.asarray(x)
    return np.sin(a) * 2 + a, a.sum()


def looped(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] is not np.ma.masked:
            total = total + x[i] * 2
    return total


def branches(x):
    if isinstance(x, np.ma.MaskedArray):
        return x.filled(3.0), x.mask, x.data * 2 + x.data, x.count()
    return x, type(x).__name__


FUNCTIONS = [ufuncs, reductions, indexed, stored, left_alone, added, taken, looped, branches]


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_answers_are_those_of_the_class(function: Any, make: Any) -> None:
    check(function, lambda: (make(),))


def test_records() -> None:
    def fields(r):
        v = r["v"] * 2
        r["v"] = v + 1
        r.k[:] = 3
        return v, r, r[0], r[r.k > 5]

    check(fields, lambda: (np.rec.fromarrays([NUMBERS, np.arange(N)], names="v,k"),))


def beside_an_array(x, y):
    return x * y + 1, np.hypot(x, y), x @ y


def into_an_array(x, y):
    x[:] = y
    z = x * 2 + np.cos(x)
    x += y
    return x, z


@pytest.mark.parametrize("make", KINDS[:-1])
@pytest.mark.parametrize("function", [beside_an_array, into_an_array])
def test_beside_an_array(function: Any, make: Any) -> None:
    check(function, lambda: (NUMBERS.copy(), make()))
    check(function, lambda: (make(), NUMBERS.copy()), lambda: (NUMBERS + 1, NUMBERS.copy()))


def test_kinds_may_change_from_call_to_call() -> None:
    makers = [lambda make=make: (make(),) for make in (*KINDS, NUMBERS.copy, masked, NUMBERS.copy)]
    for function in (ufuncs, reductions, stored):
        check(function, *makers)


def made_inside(x):
    y = np.sin(x) * 2
    m = np.ma.array(y, mask=y < 0)
    m[3] = np.ma.masked
    z = m.filled(0.0)
    y[0] = 100
    return z * 2 + x, m, m * 2


def test_made_inside() -> None:
    assert check(made_inside, lambda: (NUMBERS,), calls=6).stats.segments >= 1


@pytest.mark.parametrize(
    "make, words",
    [
        (masked, "a masked array: work on it is left to its class"),
        (own, "an ndarray subclass (Tagged): work on it is left to its class"),
        (matrix, "an ndarray subclass (matrix): work on it is left to its class"),
    ],
)
def test_it_is_told_once(make: Any, words: str) -> None:
    jitted = check(reductions, lambda: (make(),), calls=8)
    assert jitted.stats.recordings == 0 and jitted.stats.plain_calls == 8
    assert [text.partition(": ")[2] for text in jitted.stats.reasons] == [words]


def test_what_is_taken_out_is_compiled() -> None:
    for make in KINDS:
        jitted = check(taken, lambda make=make: (make(),))
        assert jitted.stats.recordings == jitted.stats.segments == 1 and not jitted.stats.reasons


def test_arrays_and_users_classes_are_not_foreign() -> None:
    class Holder:
        def __array__(self) -> Any:
            return np.ones(3)

    assert not any(
        map(is_foreign, (np.ndarray, np.memmap, np.float64, list, type, Holder, npcompile.ndarray))
    )
    assert all(map(is_foreign, (np.ma.MaskedArray, np.matrix, np.recarray, Tagged)))
