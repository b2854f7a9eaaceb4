"""`npcompile.device(name, fast_random=True)`: draws are computed there, and are those of jitted functions."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import npcompile
import npcompile.numpy as np
from npcompile.frontend.eager import counters
from tests.checker import same


def drawn(np: Any, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    np.random.seed(seed)
    return [
        *(rng.random((2, 3)), rng.normal(size=4), rng.normal(1.5, 2.0, 3), rng.exponential(2.0, size=3)),
        *(rng.integers(0, 10, 4), rng.uniform(-1, 1, 0), rng.standard_normal((2, 1))),
        *(
            np.random.rand(2),
            np.random.randn(3),
            np.random.normal(1, 2, (2, 2)),
            np.random.randint(5, size=3),
        ),
        np.random.RandomState(seed).uniform(0, 2, 3),
    ]


def left(np: Any, seed: int) -> list[Any]:
    """Draws without a size, and of other distributions."""
    rng = np.random.default_rng(seed)
    return [
        rng.normal(),
        rng.poisson(3, 2),
        rng.permutation(4),
        rng.random(out=np.zeros(2)),
        rng.normal([0, 1]),
    ]


def plain(values: list[Any]) -> list[Any]:
    return [value if isinstance(value, (float, numpy.generic)) else numpy.asarray(value) for value in values]


def test_numbers_are_those_of_jitted_functions() -> None:
    counters.reset()
    with npcompile.device("cpu", fast_random=True):
        ours = drawn(np, 7)
    assert not counters.host_calls
    assert all(type(value) is npcompile.ndarray for value in ours)
    same(plain(ours), npcompile.jit(drawn, fast_random=True)(numpy, 7), ulp=4)


def test_what_is_left_to_numpy() -> None:
    with npcompile.device("cpu", fast_random=True):
        same(plain(left(np, 7)), left(numpy, 7))
        with npcompile.device("cpu"):
            same(plain(drawn(np, 7)), drawn(numpy, 7))
    same(plain(drawn(np, 7)), drawn(numpy, 7))
    counters.reset()


@npcompile.device("cpu", fast_random=True)
def test_numpys_exceptions() -> None:
    for wrong in (
        lambda np: np.random.default_rng(1).normal(0, -1, 3),
        lambda np: np.random.randint(3, 2, 5),
        lambda np: np.random.default_rng(1).random(-1),
    ):
        with pytest.raises(ValueError) as expected:
            wrong(numpy)
        with pytest.raises(ValueError) as raised:
            wrong(np)
        assert str(raised.value) == str(expected.value)


def test_how_it_prints() -> None:
    assert repr(npcompile.device("cpu", fast_random=True)) == "npcompile.device('cpu', fast_random=True)"
