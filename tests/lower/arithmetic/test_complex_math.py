"""Functions of pairs against NumPy: those that stand for CUDA's own on a device run on the processor here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
import torch

from npcompile.lower.arithmetic import complex_math
from npcompile.lower.arithmetic.complex_math import Pair

KINDS = ("complex128", "complex64")
power = partial(complex_math.power, fma=complex_math.rounded_twice)


def values(kind: str) -> np.ndarray:
    """Where functions go wrong: zeros, infinities, NaN, poles, the largest and the smallest numbers."""
    real = np.finfo(kind)
    some = [0.0, 0.5, 1.0, 2.5, 100.0, 1e-30, float(real.max), float(real.tiny), np.inf]
    parts = [*some, *(-value for value in some), np.nan]
    return np.array([complex(re, im) for re in parts for im in parts]).astype(kind)


def ordinary(kind: str, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(5000) + 1j * rng.standard_normal(5000)).astype(kind)


def of_pairs(function: Callable[..., Pair], *arrays: np.ndarray) -> np.ndarray:
    pairs = [Pair(*(torch.tensor(part) for part in (array.real, array.imag))) for array in arrays]
    result = function(*pairs)
    made = np.empty(arrays[0].shape, arrays[0].dtype)
    made.real, made.imag = result.re.numpy(), result.im.numpy()
    return made


def assert_close(got: np.ndarray, want: np.ndarray, bounds: tuple[np.ndarray, np.ndarray]) -> None:
    """Compare each part. bounds: by how much ordinary parts may differ."""
    for one, other, bound in zip((got.real, got.imag), (want.real, want.imag), bounds, strict=True):
        with np.errstate(invalid="ignore"):
            near = np.abs(one - other) <= bound
        same = (np.isnan(one) & np.isnan(other)) | (one == other) | near
        assert same.all(), (got[~same][:3], want[~same][:3])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["arctan", "arctanh"])
def test_inverses(name: str, kind: str) -> None:
    for some in (values(kind), ordinary(kind, 0)):
        with np.errstate(all="ignore"):
            want = getattr(np, name)(some)
        few = 4 * np.finfo(kind).eps
        bounds = few * np.abs(want.real), few * np.abs(want.imag)
        got = of_pairs(getattr(complex_math, name), some)
        assert_close(got, want, bounds)
        for one, other in ((got.real, want.real), (got.imag, want.imag)):
            np.testing.assert_array_equal(np.signbit(one[one == 0]), np.signbit(other[one == 0]))


@pytest.mark.parametrize("kind", KINDS)
def test_powers(kind: str) -> None:
    """An error of the logarithm is multiplied by the exponent, in NumPy's answers, too."""
    some = values(kind)[::5]
    for base, exponent in (
        (np.repeat(some, some.size), np.tile(some, some.size)),
        (ordinary(kind, 0), ordinary(kind, 1)),
    ):
        whole = (
            (exponent.imag == 0) & (exponent.real == np.trunc(exponent.real)) & (np.abs(exponent.real) < 100)
        )
        others = (base != 0) & ~whole  # NumPy's own powers are products, or numbers, where either is so
        base, exponent = base[others], exponent[others]
        with np.errstate(all="ignore"):
            want = np.power(base, exponent)
            turns = np.abs(exponent) * np.abs(np.log(base))
            bound = 4 * np.finfo(kind).eps * (1 + np.nan_to_num(turns)) * np.abs(want)
        assert_close(of_pairs(power, base, exponent), want, (bound, bound))
