"""Masks: what they pick stays at full length or is compacted; values, counts, and what other densities do."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.programs.jit_lane import judge

N = 3000


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


def arrays(seed: int = 0, dtype: str = "f8", n: int = N) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)

    def made() -> np.ndarray:
        values = rng.integers(-50, 50, n) if np.dtype(dtype).kind in "iu" else rng.normal(size=n)
        return values.astype(dtype)

    return made(), made(), rng.random(n) < 0.4


def at_full_length(fn: Callable[..., Any], *calls: tuple[Any, ...], replays: int | None = None) -> Any:
    """Judge a function by calls with other data; it has one program, and NumPy compacts nothing in it."""
    jitted = npcompile.jit(fn, wait=True)
    for args in calls:
        judge(jitted, fn, args, ulp=64)
    stats = jitted.stats
    assert (stats.programs, stats.recordings, stats.host_calls) == (1, 1, 0), (
        stats,
        *map(str, jitted.programs),
    )
    assert stats.replays == (len(calls) - 1 if replays is None else replays), stats
    return jitted


# -- ends ----------------------------------------------------------------------------------------------------

REDUCED: list[Callable[..., Any]] = [
    lambda x, y, m: x[m].sum(),
    lambda x, y, m: x[m].mean(),
    lambda x, y, m: (x[m].min(), x[m].max()),
    lambda x, y, m: (np.any(x[m] > 1), np.all(x[m] > -9)),
    lambda x, y, m: (x[m].std(), np.var(x[m], ddof=1)),
    lambda x, y, m: (len(x[m]), x[m].size, x[m].shape[0], np.count_nonzero(x[m] > 0)),
    lambda x, y, m: np.sum(x[m] * y[m] + 2),
    lambda x, y, m: np.where(x[m] > y[m], x[m], y[m]).sum(),
    lambda x, y, m: np.mean(np.clip(x[m], -1, 1)),
    lambda x, y, m: x[m].sum() / len(x[m]),
    lambda x, y, m: x[~m].mean() - x[m].mean(),
    lambda x, y, m: (x[x > 0].mean(), y[(x > 0) & (y < 1)].sum()),
    lambda x, y, m: x[np.logical_and(-1 <= x, x < 1)].mean(),
    lambda x, y, m: np.extract(m, x).sum(),
    lambda x, y, m: x[m, ...].sum(),
]


# Not those that NumPy refuses, and complex numbers not where they are ordered (their least is compacted).
UNORDERED, REFUSED = (2, 7, 8, 10, 12, 13), (3, 8, 10, 12)
OF_DTYPES = [
    (at, dtype)
    for dtype in ("f8", "f4", "i8", "i4", "u1", "?", "c16", "f2")
    for at in range(len(REDUCED))
    if not ((dtype == "c16" and at in UNORDERED) or (dtype in "?u1" and at in REFUSED))
]


@pytest.mark.parametrize(("at", "dtype"), OF_DTYPES)
def test_reductions(at: int, dtype: str) -> None:
    function = REDUCED[at]
    calls = [arrays(seed, dtype) for seed in range(3)]
    if dtype == "f2":  # sums of halves go by how they are added up
        calls = [(np.rint(x * 2) / 2, y, m) for x, y, m in calls]
        judge(npcompile.jit(function, wait=True), function, calls[0], ulp=64)
        return
    at_full_length(function, *calls)


def test_float32_sums_are_no_worse_than_pairwise() -> None:
    x = np.random.default_rng(0).random(1_000_000).astype("f4")
    jitted = npcompile.jit(lambda x, m: x[m].sum(), wait=True)
    for m in (x > 0.25, x > 0.25):
        got = jitted(x, m)
    exact = x[m].astype("f8").sum()
    assert jitted.stats.replays == 1 and type(got) is np.float32
    assert abs(got - exact) <= 4 * abs(float(x[m].sum()) - exact) + np.spacing(np.float32(exact))


def square_in_place(x, y, m):
    x[m] = x[m] * x[m] + y[m]


def augmented(x, y, m):
    x[m] += y[m]
    x[m] *= 2
    y[~m] -= x[~m]


def by_a_comparison(x, y, m):
    x[x > 0] = x[x > 0] * 3
    y[abs(y) < 1] = 0
    y[abs(y) < 1] = x[abs(y) < 1]


def temporaries(x, y, m):
    t = x[m] * 2
    t += y[m]
    t -= 1
    x[m] = t
    return t.sum()


def to_another(x, y, m):
    y[m] = x[m]
    return y


STORES = (square_in_place, augmented, by_a_comparison, temporaries, to_another)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "c16"])
@pytest.mark.parametrize("fn", STORES)
def test_stores(fn: Callable[..., Any], dtype: str) -> None:
    at_full_length(fn, *[arrays(seed, dtype) for seed in range(3)])


def test_the_value_is_cast_as_numpy_casts_it() -> None:
    def store(i, x, m):
        i[m] = x[m] * 1.5

    calls = [(np.arange(N), arrays(seed)[0] * 100, arrays(seed)[2]) for seed in range(3)]
    at_full_length(store, *calls)


# -- shapes --------------------------------------------------------------------------------------------------


def rows(X, Y, m):
    greatest = (X[m] - Y[m]).sum(axis=1).max()
    X[m] = X[m] * 2 + Y[m]
    return X[m].mean(axis=0), X[m].sum(), greatest, len(X[m]), X[m].shape[1]


def test_a_mask_of_lower_rank_than_the_array() -> None:
    def make(seed: int) -> tuple[np.ndarray, ...]:
        rng = np.random.default_rng(seed)
        return (*rng.normal(size=(2, N, 3)), rng.random(N) < 0.5)

    at_full_length(rows, make(0), make(1), make(2))


def test_a_mask_of_two_axes() -> None:
    def two(X, Y):
        m = X > Y
        X[m] -= Y[m]
        return X[m].mean(), X[m].size

    def make(seed: int) -> tuple[np.ndarray, ...]:
        return tuple(np.random.default_rng(seed).normal(size=(2, 50, 60)))

    at_full_length(two, make(0), make(1))


def test_other_axes_meet_what_lies_along_them() -> None:
    def scaled(X, w, m):
        return (X[m] * w).sum(), (X[m] - X[m].mean(axis=0)).std()

    def make(seed: int) -> tuple[np.ndarray, ...]:
        rng = np.random.default_rng(seed)
        return rng.normal(size=(N, 3)), rng.normal(size=3), rng.random(N) < 0.5

    at_full_length(scaled, make(0), make(1))


def test_a_mask_of_another_shape_is_an_error() -> None:
    def mean(x, m):
        return x[m].mean()

    jitted = npcompile.jit(mean, wait=True)
    for m in (np.ones(N, bool), np.ones(N + 1, bool), np.ones(N, bool)):
        judge(jitted, mean, (np.arange(float(N)), m))


# -- memory --------------------------------------------------------------------------------------------------


def test_stores_are_seen_through_views() -> None:
    def store(x, m):
        v = x[::-1]
        w = v[1:-1]
        w[m] = w[m] * 2
        return v, x.sum()

    at_full_length(store, *[(arrays(seed)[0], arrays(seed)[2][2:]) for seed in range(3)])


def test_what_is_read_may_overlap_what_is_stored() -> None:
    def store(x, m):
        a, b = x[1:], x[:-1]
        a[m] = b[m] + 1

    at_full_length(store, *[(arrays(seed)[0], arrays(seed)[2][1:]) for seed in range(3)])


def test_the_same_array_twice() -> None:
    def store(x, y, m):
        x[m] = y[m] * 2
        return y[m].sum()

    jitted = npcompile.jit(store, wait=True)
    for seed in range(4):
        x, y, m = arrays(seed)
        judge(jitted, store, (x, x, m) if seed % 2 else (x, y, m), ulp=64)


def test_what_was_picked_before_a_write_is_what_it_was() -> None:
    def store(x, m):
        old = x[m]
        x[m] = 0.0
        return old.sum(), x.sum()

    def mask_written(x, m):
        picked = x[m]
        m[:10] = True
        return picked.sum(), x[m].sum()

    for fn in (store, mask_written):
        jitted = npcompile.jit(fn, wait=True)
        for seed in range(3):
            judge(jitted, fn, (arrays(0)[0] + seed, arrays(0)[2]), ulp=64)


def test_masks_that_are_made_twice_of_what_changed() -> None:
    def store(x):
        x[x > 0] = x[x > 0] - 1
        x[x > 0] = x[x > 0] - 1
        return x[x > 0].sum()

    at_full_length(store, *[(arrays(seed)[0] * 3,) for seed in range(3)])


# -- elements that are not picked ----------------------------------------------------------------------------


def test_they_may_be_anything() -> None:
    def ratio(x, y):
        ok = y != 0
        return (x[ok] / y[ok]).sum(), (x[ok] // y[ok]).max(), np.log(y[y > 0]).mean()

    for dtype in ("f8", "i8"):
        calls = []
        for seed in range(3):
            x, y, m = arrays(seed, dtype)
            y[m] = 0
            if dtype == "f8":
                x[m] = np.nan
                x[::7], y[::7] = np.inf, 0
            calls.append((x, y))
        at_full_length(ratio, *calls)


def test_a_power_that_may_fail_for_them_is_compacted() -> None:
    def powers(i, k):
        return (i[k >= 0] ** k[k >= 0]).sum()

    rng = np.random.default_rng(0)
    args = rng.integers(0, 3, N), rng.integers(-2, 4, N)
    jitted = npcompile.jit(powers, wait=True)
    for _ in range(2):
        judge(jitted, powers, args)
    found = npcompile.explain(powers, *args)
    assert any(step.mask == "compaction" and "may raise" in step.detail for step in found.steps)


# -- other densities and lengths -----------------------------------------------------------------------------


def test_a_list_is_as_long_as_what_is_picked() -> None:
    def added(x: Any, m: Any) -> Any:
        x[m] += [1, 2]
        return x

    def product(x: Any, m: Any) -> Any:
        return (x[m] * [3.0, 4.0]).sum()

    m = np.arange(9).reshape(3, 3) % 4 == 2
    for fn in (added, product):
        jitted = npcompile.jit(fn, wait=True)
        for _ in range(3):
            judge(jitted, fn, (np.arange(9).reshape(3, 3), m))


def test_no_density_is_recorded_anew() -> None:
    def both(x, limit):
        x[x > limit] *= 0.5
        return x[x > limit].sum()

    at_full_length(both, *[(arrays(seed)[0], limit) for seed, limit in enumerate((0.0, 1.0, -5.0, 2.5, 9.0))])


def test_nothing_picked_gives_what_numpy_gives() -> None:
    def mean(x, m):
        return x[m].mean(), x[m].sum(), len(x[m])

    x, _, m = arrays()
    jitted = npcompile.jit(mean, wait=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for mask in (m, ~m, np.zeros(N, bool)):
            judge(jitted, mean, (x, mask), ulp=64)
    assert (jitted.stats.programs, jitted.stats.replays) == (1, 2)


def test_the_least_of_nothing_is_an_error() -> None:
    def least(x, m):
        return x[m].min()

    x, _, m = arrays()
    jitted = npcompile.jit(least, wait=True)
    for mask in (m, np.zeros(N, bool), ~m):
        judge(jitted, least, (x, mask))
    with pytest.raises(ValueError, match="zero-size array"):
        jitted(x, np.zeros(N, bool))
    assert jitted.stats.replays == 1 and jitted.stats.divergences == 2


def test_an_error_leaves_the_arrays_as_numpy_does() -> None:
    def scaled(x, m):
        x[m] += 1
        x /= x[m].max()
        return x

    x, _, m = arrays()
    jitted = npcompile.jit(scaled, wait=True)
    for mask in (m, ~m, np.zeros(N, bool), m):
        judge(jitted, scaled, (x, mask))


def test_other_lengths_cost_no_further_program() -> None:
    def mean(x, y, m):
        y[m] = x[m] * 2
        return x[m].mean(), len(y[m])

    jitted = npcompile.jit(mean, wait=True)
    for n in (1000, 1200, 1300, 1400, 777, 2222, 1000):
        judge(jitted, mean, arrays(n, n=n), ulp=64)
    assert jitted.stats.programs <= 3 and jitted.stats.host_calls == 0


# -- the form ------------------------------------------------------------------------------------------------


def test_what_is_needed_itself_is_compacted() -> None:
    def sorted_(x, m):
        return np.sort(x[m])

    def returned(x, m):
        return x[m] * 2

    def two_masks(x, m):
        return (x[m][:100] + x[~m][:100]).sum()

    x, _, m = arrays()
    for fn, why in ((sorted_, "np.sort"), (returned, "returned"), (two_masks, "one after the other")):
        found = npcompile.explain(fn, x, m)
        steps = [step for step in found.steps if step.mask]
        assert steps and all(step.mask == "compaction" for step in steps)
        assert all(why in step.detail for step in steps), steps


def test_the_form_goes_by_density_and_work() -> None:
    def heavy(x, y, m):
        return (x[m] ** y[m]).sum()

    def light(x, y, m):
        return (x[m] * y[m]).sum()

    x, y, _ = arrays(n=100_000)
    few = np.arange(x.size) % 1000 == 0
    many = np.arange(x.size) % 2 == 0
    for fn, mask, form in ((heavy, few, "compaction"), (heavy, many, "where"), (light, few, "where")):
        found = npcompile.explain(fn, abs(x), y, mask)
        forms = {step.mask for step in found.steps if step.mask}
        assert forms == {form}, (fn, form, found)
        assert all("were picked" in step.detail for step in found.steps if step.mask)


def test_mask_arithmetic_and_mean_are_one_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)

    def between(x, r, low, high):
        return x[np.logical_and(low <= r, r < high)].mean()

    def fused(z, c):
        inside = abs(z) < 2
        z[inside] = z[inside] ** 2 + c[inside]

    for fn, make in (
        (between, lambda: (*arrays()[:2], 0.0, 1.0)),
        (fused, lambda: (arrays()[0] * 3, arrays()[1])),
    ):
        jitted = npcompile.jit(fn, wait=True)
        for _ in range(3):
            judge(jitted, fn, make(), ulp=64)
        stats = jitted.stats
        assert (stats.programs, stats.segments, stats.kernels, stats.host_calls) == (1, 1, 1, 0)
        assert stats.bytes_written <= N * 8 + 64


def test_a_loop_over_masks_is_one_block() -> None:
    def rings(data, radius, n):
        result = np.zeros(n)
        for i in range(n):
            mask = np.logical_and(i / n <= radius, radius < (i + 1) / n)
            values = data[mask]
            result[i] = values.mean()
        return result

    rng = np.random.default_rng(0)
    args = rng.random(20_000), rng.random(20_000), 40
    jitted = npcompile.jit(rings, wait=True)
    for _ in range(4):
        judge(jitted, rings, copy.deepcopy(args), ulp=64)
    assert jitted.stats.host_calls == 0 and not jitted.stats.reasons
