"""What programs make of a length: at fifty lengths it is right, by three programs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.programs.jit_lane import judge

LENGTHS = [int(n) for n in np.random.default_rng(5).integers(60, 400, 50)]


def split(x):
    k = int(0.8 * len(x))
    return x[:k].mean(), x[k:].std()


def rounded(x):
    k = round(len(x) * 0.5)
    return x[:k] * 2


def ceiling(x):
    return x[: math.ceil(len(x) / 4)] + 1


def square_by_math(x):
    k = int(math.sqrt(len(x)))
    return x[: k * k].reshape(k, k).sum(axis=0)


def square_by_numpy(x):
    k = int(np.sqrt(len(x)))
    return x[: k * k].reshape(k, k).sum(axis=0)


def square_by_numpys_floor(x):
    k = int(np.floor(np.sqrt(len(x)) / 2))
    return x[: k * k].reshape(k, k).max(axis=1)


def square_of_integers(x):
    return x[: math.isqrt(len(x))].sum()


def padded_by_logarithm(x):
    n = 2 ** int(np.ceil(np.log2(len(x))))
    return np.abs(np.fft.rfft(x, n))


def padded_by_bits(x):
    n = 1 << (len(x) - 1).bit_length()
    y = np.zeros(n)
    y[: len(x)] = x
    return y * 2


def ones_in_it(x):
    return x * len(x).bit_count(), (len(x) / 2).conjugate()


def at_most(x):
    return x[: min(len(x), 50)] * 3


def pairs(x):
    n = len(x) // 2
    return x[: 2 * n].reshape(n, 2).mean(axis=1)


def moving_mean(x, w=5):
    c = np.cumsum(np.insert(x, 0, 0.0))
    return (c[w:] - c[:-w]) / w


def standard_error(x):
    n = len(x)
    return np.sqrt(((x - x.sum() / n) ** 2).sum() / (n - 1)) / math.sqrt(n)


def autocorrelation(x):
    n = len(x)
    y = x - x.mean()
    return np.correlate(y, y, "full")[n - 1 :] / (y.var() * n)


def quantiles(x):
    s = np.sort(x)
    n = len(x)
    return s[int(0.25 * n)], s[n // 2], s[int(0.975 * n)]


def trimmed(x):
    k = int(len(x) * 0.1)
    return np.sort(x)[k:-k].mean() if k else x.mean()


def fitted(x):
    t = np.arange(len(x))
    return np.polyval(np.polyfit(t, x, 2), t)


def detrended(x):
    t = np.arange(len(x))
    a = np.vstack([t, np.ones(len(x))]).T
    c, *_ = np.linalg.lstsq(a, x, rcond=1e-10 * len(x))
    return x - a @ c


def filtered(x):
    f = np.fft.fftfreq(len(x), d=0.01)
    spectrum = np.fft.fft(x)
    spectrum[np.abs(f) > 10] = 0
    return np.fft.ifft(spectrum).real


def told(x):
    return f"n={len(x)}", {"n": len(x), "enough": len(x) > 3}


FUNCTIONS = [
    split,
    rounded,
    ceiling,
    square_by_math,
    square_by_numpy,
    square_by_numpys_floor,
    square_of_integers,
    padded_by_logarithm,
    padded_by_bits,
    ones_in_it,
    at_most,
    pairs,
    moving_mean,
    standard_error,
    autocorrelation,
    quantiles,
    trimmed,
    fitted,
    detrended,
    filtered,
    told,
]


@pytest.mark.parametrize("fn", FUNCTIONS)
def test_three_programs(fn: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn)
    for n in LENGTHS:
        judge(jitted, fn, (np.random.default_rng(n).standard_normal(n),), ulp=1 << 12)
    assert jitted.stats.programs <= 3
    assert jitted.stats.replays >= len(LENGTHS) - 3
