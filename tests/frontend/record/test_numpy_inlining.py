"""Functions that NumPy composes, jitted: recorded as what they are made of, or as one call; never wrong.

Each case is called twice on copies of its operands. Those on the list below are noted as ops, with no call of
NumPy left in the program.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.cases.composed import TABLE
from tests.cases.framework import Case, expand, limit, scale
from tests.checker import same, same_exception
from tests.frontend.ops.test_eager import run

MOST = 3  # operands of a case that are tried here: the shim tries them all


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    yield


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", TABLE, ids=lambda case: case.id)
def test_both_answers_are_numpys(case: Case) -> None:
    for _, (label, body, args) in zip(range(MOST), expand(case), strict=False):
        after = copy.deepcopy(args)
        want, raised = run(body, np, *after)
        jitted = npcompile.jit(body)
        for _ in ("recorded", "replayed"):
            operands = copy.deepcopy(args)
            got, error = run(jitted, np, *operands)
            same_exception(error, raised)
            if raised is None:
                same(got, want, limit(case, want), scale(case, args))
            same(list(operands), list(after))
        assert raised is not None or jitted.stats.replays == 1 or case.op in PLAIN, (
            f"{label}: {jitted.stats.reasons}"
        )


# Not replayed at some of their cases, and why.
PLAIN = {
    "numpy.nanmedian": "out=",
    "numpy.broadcast_arrays": "an array that shows one element many times",
    "numpy.fromfunction": "a function made inside is handed on",
}


def nothing_of_numpys(body: Callable[..., Any], *args: Any) -> bool:
    jitted = npcompile.jit(body)
    want = body(*copy.deepcopy(args))
    jitted(*copy.deepcopy(args))
    same(jitted(*copy.deepcopy(args)), want, 8, 64.0)
    return jitted.stats.replays == 1 and jitted.stats.host_calls == 0


A = np.arange(20.0).reshape(4, 5) % 7
_METHODS = ("inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf")
_METHODS += (
    "hazen",
    "weibull",
    "median_unbiased",
    "normal_unbiased",
    "lower",
    "higher",
    "midpoint",
    "nearest",
)


def _quantile(method: str) -> Callable[..., Any]:
    return lambda a: np.quantile(a, [0.3, 0.55], axis=0, method=method)


FOLLOWED = {
    "gradient": lambda a: np.gradient(a * 2)[0] + 1,
    "unwrap": lambda a: np.unwrap(a),
    "median": lambda a: np.median(a, axis=0),
    "fftshift": lambda a: np.fft.fftshift(a),
    "ediff1d": lambda a: np.ediff1d(a, 9),
    "trapezoid": lambda a: np.trapezoid(a, dx=0.5, axis=0),
    "select": lambda a: np.select([a < 3, a > 5], [a, a * 2]),
    "polyval": lambda a: np.polyval([1.0, 2.0, 3.0], a),
    "nancumsum": lambda a: np.nancumsum(a, 0),
    "multi_dot": lambda a: np.linalg.multi_dot([a, a.T, a]),
    "matrix_power": lambda a: np.linalg.matrix_power(a[:4, :4], 3),
    "vander": lambda a: np.vander(a[0], 3),
    "resize": lambda a: np.resize(a, (3, 3)),
    "append": lambda a: np.append(a, a + 1, 0),
    "median of axes": lambda a: np.median(a.reshape(2, 2, 5), axis=(0, 2)),
    "median of all": lambda a: np.median(a),
    "percentile": lambda a: np.percentile(a, 40),
    "percentiles": lambda a: np.percentile(a, [10, 50, 90], axis=1),
    "percentile of axes": lambda a: np.percentile(a, 40, axis=(0, 1)),
    "percentile of gaps": lambda a: np.percentile(np.where(a > 5, np.nan, a), 30, axis=1),
    **{f"quantile {method}": _quantile(method) for method in _METHODS},
    "quantile of float32": lambda a: np.quantile(a.astype("f4"), 0.3),
    "quantile of float16": lambda a: np.quantile(a.astype("f2"), [0.3, 0.9], axis=0, keepdims=True),
    "quantile of integers": lambda a: np.quantile(a.astype("i4"), 0.3),
    "cov": lambda a: np.cov(a),
    "cov of weights": lambda a: np.cov(a, aweights=np.arange(5.0), rowvar=True),
    "corrcoef": lambda a: np.corrcoef(a[0], a[1] * 2)[0, 1],
    "block": lambda a: np.block([[a, np.zeros((4, 1))], [np.ones((1, 6))]]),
    "insert": lambda a: np.insert(a, 1, 0.5, axis=1),
    "inserts": lambda a: np.insert(a[0], [2, 4], [9.0, 1.0]),
    "insert of a slice": lambda a: np.insert(a[0], slice(1, 4), 3.0),
    "delete": lambda a: np.delete(a, [1, 3], axis=0),
    "delete of a slice": lambda a: np.delete(a[0], slice(1, 3)),
    "r_": lambda a: np.r_[a[0], 0.0, a[1], 1:3],
    "r_ along columns": lambda a: np.r_["1", a, a],
    "c_": lambda a: np.c_[a[0], a[1] * 2],
    "mgrid": lambda a: np.mgrid[0:3, 0:4] + a[0, 0],
    "ogrid": lambda a: np.ogrid[0:1:5j] * a[0],
    "tril_indices": lambda a: a[np.tril_indices(4, -1)] * 2,
    "triu_indices": lambda a: a[:, np.triu_indices(4, 1)[1]] - 1,
    "kaiser": lambda a: np.kaiser(5, 14.0) * a,
    "histogram of edges": lambda a: np.histogram(a, bins=[0, 1, 3.0, 7]),
    "isin": lambda a: np.isin(a, [1, 3], invert=True),
    "pad with a ramp": lambda a: np.pad(a, 2, mode="linear_ramp", end_values=3.0),
    "pad with means": lambda a: np.pad(a, ((1, 2), (0, 3)), mode="mean"),
    "pad with odd reflections": lambda a: np.pad(a, 2, mode="reflect", reflect_type="odd"),
    "pad per side": lambda a: np.pad(a, 1, constant_values=(1, 2)),
    "pinv": lambda a: np.linalg.pinv(a),
    "nuclear norm": lambda a: np.linalg.norm(a, "nuc"),
    "axes of a range": lambda a: a.reshape(2, 2, 5).transpose(range(3)[::-1]) * 2,
    "axes of ranges": lambda a: np.moveaxis(a.reshape(2, 2, 5), range(2), range(1, 3)) - 1,
    "products along ranges": lambda a: np.tensordot(a, a + 1, axes=(range(2), [0, 1])),
    "an array of a range": lambda a: np.array(range(5)) * a,
    "rows of a range": lambda a: a[range(2)] * 2,
    "what fits together": lambda a: np.zeros(np.broadcast(a[0], a[:, :1]).shape) + a,
    "geomspace": lambda a: np.geomspace(1, 1000, 5) * a,
    "gradient of places": lambda a: np.gradient(a, np.arange(5.0) ** 2, axis=1),
    "gradient of both": lambda a: np.gradient(a, 0.5, np.arange(5.0) ** 2, edge_order=2)[1],
    "apply_along_axis": lambda a: np.apply_along_axis(np.sort, 0, a),
    "apply_along_axis of its own": lambda a: np.apply_along_axis(lambda row: row[1:] / row.sum(), 1, a),
    "apply_over_axes": lambda a: np.apply_over_axes(np.sum, a, (0, 1)),
    "piecewise": lambda a: np.piecewise(a, [a < 2, a > 4], [-1.0, lambda x: x * 2, np.exp]),
    "histogram2d": lambda a: np.histogram2d(a[0], a[1], bins=[3, 4]),
    "histogram2d of edges": lambda a: np.histogram2d(
        a[0], a[1], [[0, 2, 4.0, 7], 3], weights=a[2], density=True
    ),
    "histogramdd": lambda a: np.histogramdd(a, bins=2, range=[(0, 6)] * 5)[0],
    "array_equal": lambda a: np.array_equal(np.where(a > 3, np.nan, a), a, equal_nan=True),
    "nanmedian": lambda a: np.nanmedian(np.where(a == 3, np.nan, a)),
    "nanmedian of columns": lambda a: np.nanmedian(np.where(a > 3, np.nan, a), axis=0),
    "nanpercentile": lambda a: np.nanpercentile(np.where(a > 3, np.nan, a), [10, 50.5], axis=1),
    "nanquantile": lambda a: np.nanquantile(np.where(a > 3, np.nan, a), 0.3, keepdims=True),
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_what_is_followed_leaves_nothing_to_numpy(name: str) -> None:
    assert nothing_of_numpys(FOLLOWED[name], A)


def lanes(shape: tuple[int, ...], dtype: str, seed: int) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(seed)
    a = (rng.standard_normal(shape) * 3).round(1).astype(dtype)
    a[rng.random(shape) < (0.0, 0.3, 0.9)[seed % 3]] = np.nan
    if seed % 4 == 0:
        a[rng.random(shape) < 0.2] = np.inf
    a[rng.random(shape) < 0.1] = -0.0 if seed % 5 == 0 else 0.0
    return a if seed % 2 else np.asfortranarray(a)


LANES: dict[str, Callable[..., Any]] = {
    "median": lambda a, axis: np.nanmedian(a, axis=axis),
    "kept": lambda a, axis: np.nanmedian(a, axis=axis, keepdims=True),
    "quantile": lambda a, axis: np.nanquantile(a, 0.3, axis=axis),
    "ends": lambda a, axis: np.nanquantile(a, [0.0, 1.0, 0.5], axis=axis, keepdims=True),
    "table": lambda a, axis: np.nanpercentile(a, [[10, 20.5], [30, 90]], axis=axis),
    "strong": lambda a, axis: np.nanquantile(a, np.float64(0.7), axis=axis),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ("f2", "f4", "f8"))
@pytest.mark.parametrize("name", LANES)
def test_lanes_with_gaps(name: str, dtype: str) -> None:
    """To the last bit, signs of zeros too, and laid out as NumPy does."""
    jitted = npcompile.jit(LANES[name])
    for axis in (None, 0, 1, -1, (0, 2)):
        for shape in ((3, 4, 5), (7, 1, 2)) if axis != 0 else ((620, 2, 1), (3, 4, 5)):
            for seed in range(6):
                a = lanes(shape, dtype, seed)
                got, want = jitted(a, axis), LANES[name](a, axis)
                same(got, want)
                assert np.signbit(got).tolist() == np.signbit(want).tolist()
                if min(shape) > 1 and "kept" not in name:
                    assert got.strides == want.strides
    assert jitted.stats.replays > 10


LEVELS = [0.1, 0.9]


def test_a_list_from_outside_is_handed_to_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def levels(a):
        return np.quantile(a, LEVELS, axis=0) + LEVELS[0]

    jitted = npcompile.jit(levels)
    for found in (LEVELS, LEVELS, [0.3, 0.9], [0.5]):
        monkeypatch.setitem(globals(), "LEVELS", found)
        same(jitted(A), levels(A), 8, 64.0)
    assert jitted.stats.replays == 2, jitted.stats.reasons


def test_columns_first() -> None:
    jitted = npcompile.jit(lambda a: np.asfortranarray(a) * 2)
    for a in (A, A, A.T, A.T):
        got = jitted(a)
        same(got, a * 2)
        assert got.flags.f_contiguous
    assert jitted.stats.replays == 2


def test_what_cannot_be_followed_is_one_call() -> None:
    jitted = npcompile.jit(lambda a: np.unique(a * 2) + 1)
    for _ in range(3):
        assert jitted(A).tolist() == (np.unique(A * 2) + 1).tolist()
    assert (jitted.stats.recordings, jitted.stats.replays, jitted.stats.host_calls) == (1, 2, 3)


def test_another_size_of_the_answer_is_another_program() -> None:
    jitted = npcompile.jit(lambda a: np.unique(a) * 2)
    for values in ([1.0, 1, 2], [1.0, 2, 3], [1.0, 1, 2], [4.0, 5, 6]):
        assert jitted(np.array(values)).tolist() == (np.unique(values) * 2).tolist()


def test_it_writes_in_its_place() -> None:
    def fill(a):
        b = a * 2
        before = b.sum()
        np.fill_diagonal(b, 7)
        return before, b.sum(), b

    jitted = npcompile.jit(fill)
    for _ in range(3):
        same(list(jitted(A)), list(fill(A)), 4, 64.0)
