"""Sizes of complex numbers compare natively as Python's and NumPy's do, and rests of ints are Python's."""

from __future__ import annotations

import numpy as np
import pytest

from tests.frontend.loops import jitted
from tests.frontend.loops.native import check, run_natively

RANDOM = np.random.default_rng(11)


def numbers_about(sizes: np.ndarray) -> np.ndarray:
    """Return complex numbers whose sizes are these, or a few units in the last place away."""
    angles = RANDOM.random(len(sizes)) * 2 * np.pi
    z = sizes * np.exp(1j * angles)
    for _ in range(3):
        z.real = np.nextafter(z.real, np.where(RANDOM.random(len(z)) < 0.5, np.inf, -np.inf))
    return z


def sizes_of_python(x, y, c, n):
    counts = [0] * 8
    for i in range(n):
        z = complex(x[i], y[i])
        with_ = float(c[i])
        counts[0] += abs(z) < with_
        counts[1] += abs(z) <= with_
        counts[2] += abs(z) > with_
        counts[3] += abs(z) >= with_
        counts[4] += with_ < abs(z)
        counts[5] += with_ <= abs(z)
        counts[6] += with_ > abs(z)
        counts[7] += with_ >= abs(z)


def sizes_of_numpy(z, c, n):
    counts = [0] * 5
    for i in range(n):
        counts[0] += abs(z[i]) < c[i]
        counts[1] += abs(z[i]) <= c[i]
        counts[2] += c[i] > abs(z[i])
        counts[3] += abs(z[i]) > 2
        counts[4] += 2.0 >= abs(z[i])


@pytest.mark.parametrize("size", [2.0, 1e-3, 1e-200, 1e200, 5e-324, 1e307])
def test_sizes_near_a_number(size: float) -> None:
    c = np.full(4000, size)
    z = numbers_about(c)
    check(sizes_of_python, z.real.copy(), z.imag.copy(), c, len(c))
    check(sizes_of_numpy, z, c, len(c))


def test_numbers_that_are_not_finite() -> None:
    special = np.array([0.0, -0.0, 1.0, -2.0, np.inf, -np.inf, np.nan])
    x, y, c = (one.ravel() for one in np.meshgrid(special, special, special))
    check(sizes_of_python, x, y, c, len(c))
    z = np.empty(len(x), complex)
    z.real, z.imag = x, y
    check(sizes_of_numpy, z, c, len(c))


def test_sizes_too_large_leave() -> None:
    x = np.array([1.0, 1.5e308])
    assert not run_natively(sizes_of_python, x, x, np.array([1.0, 2.0]), 2).is_done
    jitted.check(sizes_of_python, np.append(np.ones(30), x), np.append(np.ones(30), x), np.ones(32), 32)


def rests(a, b, n):
    out = [0]
    for i in range(n):
        for j in range(n):
            out.append(int(a[i]) % int(b[j]))


def test_rests_of_ints() -> None:
    ends = [0, 1, 2, 3, 7, 2**31, 2**61, 2**62 - 1, 2**62, 2**62 + 1, 2**63 - 1]
    a = np.array([*ends, *(-one for one in ends), -(2**63), *(one - 1 for one in ends)])
    check(rests, a, np.where(a == 0, 5, a), len(a))
