"""xarray objects as arguments: work on them is xarray's own, array work on what they give is compiled."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.ecosystem.checking import EQUAL, check, same

xr: Any = pytest.importorskip("xarray")

NUMBERS = np.random.default_rng(0).normal(size=(20, 30))


def _equal(got: Any, want: Any) -> None:
    xr.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-12)
    assert got.attrs == want.attrs and list(got.coords) == list(want.coords)
    if isinstance(want, xr.DataArray):
        assert got.name == want.name and got.dims == want.dims
        same(got.values, want.values)


EQUAL += [(xr.DataArray, _equal), (xr.Dataset, _equal)]


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def temperature() -> Any:
    coords = {"x": np.arange(20) * 2.0, "level": ("y", np.arange(30))}
    return xr.DataArray(NUMBERS.copy(), dims=("x", "y"), coords=coords, name="T", attrs={"units": "K"})


def integers() -> Any:
    return temperature().astype(int)


def dataset() -> Any:
    return xr.Dataset({"a": temperature(), "b": temperature() * 2})


def ufuncs(d):
    return np.sin(d) * 2 + np.exp(-d * d), np.where(d > 0, d, -d), xr.where(d > 0, d, 0)


def reductions(d):
    return np.mean(d), d.mean("x"), np.std(d), d.std(), (d - d.mean()) / d.std()


def chosen(d):
    return d.sel(x=4.0), d.isel(y=3) * 2, d[1:3, 2], d.T @ d, d.where(d > 0)


def in_place(d):
    v = d.values
    v[0, :] = 0
    d[1, 2] = 5
    d += 1
    return d, v * 2


def values(d):
    v = d.values
    return np.sin(v) + v * v


def memory(d):
    a = np.asarray(d)
    b = a * 2
    a[0] = 5
    return d, b + a


def wrapped(d):
    v = d.to_numpy()
    w = np.exp(-v * v) + v
    return xr.DataArray(w, dims=d.dims, coords=d.coords, attrs=d.attrs), d.copy(data=w)


def handed_on(d):
    return d, [d, d.shape], len(d)


FUNCTIONS = [ufuncs, reductions, chosen, in_place, values, memory, wrapped, handed_on]


@pytest.mark.parametrize("make", [temperature, integers])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_answers_are_those_of_xarray(function: Any, make: Any) -> None:
    check(function, lambda: (make(),))


def of_dataset(ds):
    return ds["a"] + ds["b"], ds.mean(), ds["a"].values * 2 + ds["b"].values


def aligned(a, b):
    return a + b, np.hypot(a, b)


def beside_an_array(d, x):
    return d * x, x * d, np.multiply(x, d), d.values * x + x


def writes_to_shared(d, x):
    a = d.data
    x *= 2
    b = a + x
    a[1] = 3
    return b * x


@pytest.mark.parametrize(
    "function, make",
    [
        (of_dataset, lambda: (dataset(),)),
        (aligned, lambda: (temperature(), temperature().isel(x=slice(0, 10)))),
        (beside_an_array, lambda: (temperature(), NUMBERS.copy())),
        (writes_to_shared, lambda: (temperature(), NUMBERS.copy())),
        (writes_to_shared, lambda: (d := temperature(), d.values)),
    ],
)
def test_programs_on_several(function: Any, make: Any) -> None:
    check(function, make, calls=5)


def test_array_work_on_what_is_handed_over_is_compiled() -> None:
    for function in (values, wrapped):
        jitted = check(function, lambda: (temperature(),))
        assert jitted.stats.segments == jitted.stats.recordings == 1


def test_one_reason_says_what_to_pass() -> None:
    jitted = check(reductions, lambda: (temperature(),))
    line = reductions.__code__.co_firstlineno + 1
    assert [text.rpartition("/")[2] for text in jitted.stats.reasons] == [
        f"test_xarray.py:{line}: a DataArray: work on it is left to xarray"
    ]
    assert "to_numpy()" in str(npcompile.explain(reductions, temperature()))
    [text] = check(of_dataset, lambda: (dataset(),)).stats.reasons
    assert text.endswith("a Dataset: work on it is left to xarray")
