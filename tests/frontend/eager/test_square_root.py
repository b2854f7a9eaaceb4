"""Square roots of the eager array are NumPy's to the last bit: both are rounded correctly."""

from __future__ import annotations

import numpy as np
import pytest

import npcompile.numpy as ours


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_every_bit_is_numpys(dtype: str) -> None:
    rng = np.random.default_rng(0)
    limits = np.finfo(dtype)
    exponents = rng.uniform(np.log2(float(limits.smallest_subnormal)), np.log2(float(limits.max)), 100_000)
    whole = rng.integers(1, 1 << min(limits.nmant // 2, 26), 100_000).astype(dtype) ** 2
    special = np.array([0.0, -0.0, np.inf, np.nan, limits.tiny, limits.smallest_subnormal, limits.max], dtype)
    numbers = np.concatenate(
        [
            *((2.0**exponents).astype(dtype), special, whole),
            *(np.nextafter(whole, dtype_bound) for dtype_bound in np.array([0, np.inf], dtype)),
        ]
    )
    want = np.sqrt(numbers)
    for given in (numbers, numbers[::3]):
        got = np.asarray(ours.sqrt(ours.asarray(given)))
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, np.sqrt(given))
        assert (np.signbit(got) == np.signbit(np.sqrt(given))).all()


def test_norms_and_halved_powers_are_of_such_roots() -> None:
    x = np.random.default_rng(1).integers(1, 1 << 20, (20_000, 1)).astype(np.float64)
    np.testing.assert_array_equal(np.asarray(ours.linalg.norm(ours.asarray(x), axis=1)), x[:, 0])
    halves = np.asarray(ours.asarray(x[:, 0] * 2 + 1) ** 0.5)
    np.testing.assert_array_equal(halves, (x[:, 0] * 2 + 1) ** 0.5)
