"""Quantiles that NumPy computes row by row are composed for few rows, and NumPy's own for many."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import npcompile.numpy as np
from npcompile.frontend.eager import counters
from npcompile.numpy.rows import MOST_ROWS
from tests.checker import same

WEIGHTED = {"method": "inverted_cdf", "weights": True}


@pytest.mark.parametrize("name", ["quantile", "nanquantile", "percentile", "nanpercentile"])
@pytest.mark.parametrize("options", [{}, WEIGHTED], ids=["plain", "weighted"])
@pytest.mark.parametrize("rows", [1, MOST_ROWS, MOST_ROWS + 1])
@pytest.mark.parametrize("axis", [0, -1, (0, 1), None])
def test_the_answer_is_numpys(name: str, options: dict[str, Any], rows: int, axis: Any) -> None:
    a = numpy.random.default_rng(0).random((rows, 3, 1) if axis == (0, 1) else (rows, 3))
    weights = {"weights": a + 1} if "weights" in options else {}
    want = getattr(numpy, name)(a, [0.25, 0.5], axis, **{**options, **weights})
    counters.reset()
    ours = {key: np.asarray(item) for key, item in weights.items()}
    got = getattr(np, name)(np.asarray(a), [0.25, 0.5], axis, **{**options, **ours})
    calls = dict(counters.host_calls)
    same(numpy.asarray(got), want)
    by_rows = name.startswith("nan") or bool(weights)
    many = axis == -1 and rows > MOST_ROWS
    assert bool(calls) is (by_rows and many), calls


def test_an_axis_that_there_is_not_raises_as_numpy_does() -> None:
    with pytest.raises(numpy.exceptions.AxisError):
        np.nanquantile(np.ones((100, 3)), 0.5, axis=2)
