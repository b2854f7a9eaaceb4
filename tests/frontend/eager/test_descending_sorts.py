"""Sorting downwards, which NumPy's sorts do since 2.5: without a host call, NaN at the end."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import npcompile.numpy as np
from npcompile.frontend.eager import counters
from npcompile.frontend.ops.sorting import DESCENDING
from tests.cases.framework import NATIVE
from tests.checker import same, same_exception

pytestmark = pytest.mark.skipif(not DESCENDING, reason="this NumPy sorts upwards only")

ODD: list[dict[str, Any]] = [
    {"kind": "stable", "descending": True},
    {"kind": "stable", "descending": False},
    {"kind": "stable", "descending": None},
    {"descending": "yes"},
    {"descending": 1},
    {"descending": numpy.ones(2)},
    {"ascending": True},
]


def values(dtype: str, count: int) -> Any:
    rng = numpy.random.default_rng(count)
    made = (rng.integers(0, 40, count) - (0 if dtype.startswith(("u", "b")) else 15)).astype(dtype)
    if made.dtype.kind in "fc" and count > 6:
        made[[1, 4]], made[2] = numpy.nan, numpy.inf
    if made.dtype.kind == "c" and count > 6:
        made[[0, 5]], made[3] = complex(1, numpy.nan), complex(numpy.nan, 2)
        made.imag[20:] = rng.integers(0, 3, len(made[20:]))
    return made


@pytest.mark.parametrize("descending", [True, False, None])
@pytest.mark.parametrize("dtype", NATIVE)
def test_every_dtype(dtype: str, descending: Any) -> None:
    for count in (0, 1, 7, 100):
        row = values(dtype, count)
        for stable in (True, None):
            how: dict[str, Any] = {"stable": stable, "descending": descending}
            want = numpy.sort(row, **how)
            same(numpy.asarray(np.sort(np.array(row), **how)), want)
            inplace = np.array(row)
            inplace.sort(**how)
            same(numpy.asarray(inplace), want)
        how = {"stable": True, "descending": descending}
        same(numpy.asarray(np.argsort(np.array(row), **how)), numpy.argsort(row, **how))
        block = row[: count // 7 * 7].reshape(7, -1)
        same(numpy.asarray(np.array(block).argsort(0, **how)), block.argsort(0, **how))
        alone = numpy.unique(row[numpy.isfinite(row)])[::-1]
        want = numpy.argsort(alone, descending=descending)  # type: ignore[call-overload]
        same(numpy.asarray(np.argsort(np.array(alone), descending=descending)), want)
    assert not counters.host_calls


@pytest.mark.parametrize("how", ODD, ids=str)
@pytest.mark.parametrize("name", ["sort", "argsort"])
def test_what_numpy_makes_of_it(name: str, how: dict[str, Any]) -> None:
    row = numpy.array([3, 1, 2])
    for call in (lambda np, a: getattr(np, name)(a, **how), lambda np, a: getattr(a, name)(**how)):
        results, errors = [], []
        for space, array in ((numpy, row.copy()), (np, np.array(row))):
            try:
                results.append(call(space, array))
                errors.append(None)
            except Exception as error:
                results.append(None)
                errors.append(error)
        same_exception(errors[1], errors[0])
        if errors[0] is None and results[0] is not None:
            same(numpy.asarray(results[1]), results[0])
