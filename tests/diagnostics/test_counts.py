"""Counts with real compilation: programs, segments, kernels, compilations, bytes written, host calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.programs.jit_lane import judge


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    yield


def stats(fn: Callable[..., Any], make: Callable[[], tuple[Any, ...]], **options: Any) -> Any:
    """Record, compile, replay, both judged; what was counted."""
    jitted = npcompile.jit(fn, wait=True, **options)
    for _ in range(2):
        judge(jitted, fn, make())
    found = jitted.stats
    assert (found.calls, found.recordings, found.programs, found.replays) == (2, 1, 1, 1), found
    assert not found.reasons
    return found


def kmeans(X, means):
    return np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)


POINTS = 1013  # no other program has as many: its kernel is compiled here


def points(dtype: str = "f8") -> Callable[[], tuple[Any, ...]]:
    def make() -> tuple[Any, ...]:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(POINTS, 2)).astype(dtype)
        return X, X[:2].copy()

    return make


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_kmeans_assignment_is_one_kernel(dtype: str) -> None:
    found = stats(kmeans, points(dtype))
    assert (found.segments, found.kernels, found.compilations) == (1, 1, 1)
    assert found.bytes_written == POINTS * 8  # the labels, and nothing between
    assert found.host_calls == 0


def test_a_chain_of_elementwise_work_is_one_kernel() -> None:
    def chain(x, y):
        z = np.sqrt(x * x + y * y)
        z += np.where(x > y, x, -y)
        return np.exp(-z) * 0.5 + np.abs(x)

    found = stats(chain, lambda: (np.arange(3000.0), np.arange(3000.0)[::-1].copy()))
    assert (found.segments, found.kernels, found.bytes_written) == (1, 1, 3000 * 8)


def test_a_histogram_is_one_kernel() -> None:
    def binned(x, w):
        return np.histogram(x, 50)[0], np.histogram(x, 50, weights=w)[0]

    def make() -> tuple[Any, ...]:
        return np.sin(np.arange(3000.0)), np.arange(3000.0) % 7

    found = stats(binned, make)
    assert (found.segments, found.kernels, found.host_calls) == (1, 1, 0)


def test_where_numbers_are_missing_is_asked_of_vectors() -> None:
    """And not of the C library, element by element."""

    def known(x):
        return x[~np.isnan(x)].sum(), np.isinf(x)

    x = np.where(np.arange(3000) % 3, np.arange(3000.0), np.nan)
    found = npcompile.explain(known, x)
    assert "std::isnan" not in found.source and "std::isinf" not in found.source
    assert found.programs[0].host_calls == 0


# -- writes ------------------------------------------------------------------------------------------


def ends(u):
    u[0] = 1
    u[-1] = 0


def boundary(u):
    u[0] = u[1]
    u[-1] = u[-2]
    u[:, 0] = u[:, 1]
    u[:, -1] = u[:, -2]


def first_row(u):
    u[0] += 1


def column(u):
    u[:, 0] = u[:, 1] * 2 + 1


def interior(u):
    u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])


def through_a_view(u):
    v = u[::-1].T
    v[1] *= 3


def into_own_array(u):
    out = np.zeros(u.shape)
    out[1:] = u[1:] - u[:-1]
    return out


N = 60


def grid() -> tuple[Any, ...]:
    return (np.arange(float(N * N)).reshape(N, N),)


@pytest.mark.parametrize(
    ("fn", "elements"),
    [
        (ends, 2 * N),
        (first_row, N),
        (column, N),
        (through_a_view, N),
        (into_own_array, N * N + N * (N - 1)),  # as NumPy: the zeros, then the slice
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_bytes_written_are_those_of_the_slices(fn: Callable[..., Any], elements: int) -> None:
    assert stats(fn, grid).bytes_written == elements * 8


def test_boundary_copies_write_no_more_than_the_boundary() -> None:
    """Copies from slice to slice are copies and no kernels, or kernels that write the slices alone."""
    found = stats(boundary, grid)
    assert found.bytes_written <= 4 * N * 8


def test_a_stencil_in_place_writes_its_interior_twice_at_most() -> None:
    """What is read overlaps what is written: the values first, then a copy into place."""
    found = stats(interior, grid)
    assert found.bytes_written <= 2 * (N - 2) ** 2 * 8


# -- sharing -----------------------------------------------------------------------------------------


def test_equal_structures_share_one_compilation() -> None:
    """Other names, other functions, other values: one kernel."""

    def one(x, y):
        return np.cos(x) * y - 0.125

    def other(left, right):
        scaled = np.cos(left) * right
        return scaled - 0.125

    def make() -> tuple[Any, ...]:
        return np.arange(50.0), np.ones(50)

    assert stats(one, make).compilations == 1
    found = stats(other, make)
    assert (found.compilations, found.kernels) == (0, 1)


def test_a_new_shape_is_a_new_compilation_and_an_old_one_is_not() -> None:
    jitted = npcompile.jit(lambda x: np.sinh(x) + 0.5, wait=True)
    for size in (10, 20, 10, 20, 10):
        jitted(np.arange(float(size)))
    found = jitted.stats
    assert (found.programs, found.compilations, found.replays) == (2, 2, 3)


def test_numbers_cost_no_compilation() -> None:
    jitted = npcompile.jit(lambda x, a: np.cosh(x) * a + a, wait=True)
    for a in np.linspace(0, 1, 20):
        jitted(np.arange(5.0), float(a))
    assert (jitted.stats.programs, jitted.stats.compilations, jitted.stats.replays) == (1, 1, 19)


# -- host calls --------------------------------------------------------------------------------------


def test_what_is_no_op_is_counted() -> None:
    def with_host_calls(x):
        return np.unique(x * 2) + 1, np.argwhere(x > 3)

    found = stats(with_host_calls, lambda: (np.arange(20.0),))
    assert found.host_calls == 2 * 2  # in the recording, and in the replay


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
def test_an_uncompiled_function_counts_as_plain() -> None:
    jitted = npcompile.jit(eval("lambda x: x * 2"), wait=True)  # its source is nowhere to be read
    for _ in range(4):
        jitted(np.ones(3))
    found = jitted.stats
    assert (found.calls, found.plain_calls, found.programs, found.compilations) == (4, 4, 0, 0)
    assert len(found.reasons) == 1


def test_divergences_are_counted() -> None:
    jitted = npcompile.jit(lambda x: x + 1 if x.sum() > 0 else x - 1, wait=True)
    for sign in (1, 1, -1, -1, 1):
        x = sign * np.ones(4)
        assert np.array_equal(jitted(x), x + sign)
    found = jitted.stats
    assert (found.programs, found.recordings, found.replays) == (2, 2, 3)
    assert found.divergences >= 1


STREAM = np.random.default_rng(0)


@pytest.mark.parametrize(
    "drawn",
    [
        lambda x: x * 2 + np.random.rand(5),
        lambda x: np.sin(x + STREAM.normal(0.0, 1.5, size=x.shape)) * STREAM.random(),
        lambda x: x + np.random.default_rng(3).integers(0, 9, 5),
    ],
    ids=["shared", "generator", "own"],
)
def test_random_numbers_are_steps_of_a_program(monkeypatch: pytest.MonkeyPatch, drawn: Any) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(drawn)
    for _ in range(5):
        jitted(np.ones(5))
    assert (jitted.stats.recordings, jitted.stats.programs, jitted.stats.replays) == (1, 1, 4)


def test_what_is_asked_of_a_dict_is_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")

    def scaled(x, options):
        return x * options.get("scale", 1.0) + options.get("shift", 0.0) + sum(options["more"].values())

    jitted = npcompile.jit(scaled)
    for scale in (2.0, 3.0, 4.0):
        judge(jitted, scaled, (np.ones(3), {"scale": scale, "more": {"a": np.ones(3), "b": scale + 1}}))
    assert (jitted.stats.programs, jitted.stats.replays) == (1, 2)


class Quantity:
    def __init__(self, values: Any, unit: dict[str, int]) -> None:
        self.values, self.unit = values, unit

    def __mul__(self, other: Any) -> Any:
        unit = dict(self.unit)
        for name, power in other.unit.items():
            unit[name] = unit.get(name, 0) + power
        return Quantity(self.values * other.values, unit)

    def __add__(self, other: Any) -> Any:
        if self.unit != other.unit:
            raise TypeError(self.unit)
        return Quantity(self.values + other.values, self.unit)


def test_small_numbers_that_stay_do_not_hold_up_what_else_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exponents are one object with literals, so that they decide; which arrays are one array does, too."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")

    def energy(m, v, h):
        total = m * v * v + m * h
        return total.values, total.unit["kg"]

    def given(m, v, h):
        return Quantity(m, {"kg": 1}), Quantity(v, {"m": 1}), Quantity(h, {"m": 2})

    jitted = npcompile.jit(energy)
    a, b = np.arange(1.0, 6.0), np.linspace(1.0, 2.0, 50)
    ways = [(a, a, a), (a, a * 2, a), (a, a, a * 3), (a, a * 2, a * 3), (b, b, b)]
    for way in ways:
        for _ in range(3):
            got, want = jitted(*given(*way)), energy(*given(*way))
            assert np.array_equal(got[0], want[0]) and got[1] == want[1]
    assert jitted.stats.plain_calls == 0
    assert jitted.stats.recordings == len(ways)
    assert jitted.stats.replays == 2 * len(ways)
