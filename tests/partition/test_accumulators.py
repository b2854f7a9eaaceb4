"""What a loop adds up begins as Python's number and is NumPy's from then on: one set of programs does for
both, where that makes no difference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

LENGTHS = [int(n) for n in np.random.default_rng(3).integers(60, 400, 50)]


def added(x):
    s = 0.0
    for i in range(0, len(x), 16):
        s += (x[i : i + 16] ** 2).sum()
    return s


def from_zero(x):
    s = 0
    for i in range(0, len(x), 16):
        s = s + np.abs(x[i : i + 16]).max()
    return s / len(x)


def counted(x):
    n = 0
    for i in range(0, len(x), 16):
        n += np.sum(x[i : i + 16] > 0)
    return n


def counted_in_floats(x):
    n = 0.0
    for i in range(0, len(x), 16):
        n += np.sum(x[i : i + 16] > 0)
    return n


def windows(x):
    k = len(x) // 8
    s, p = 0.0, 1.0
    for i in range(0, len(x) - k, k):
        part = x[i : i + k]
        s, p = s - part.sum(), p * (1 + part.mean())
    return s, p


def of_rows(x):
    s = 0.0
    for i in range(0, len(x), 16):
        part = x[i : i + 16]
        s = part[:4] * 2 + s
    return s


# With the programs that they may have: three for each block, of which the last statement may be one.
COUNTS: dict[Callable[..., Any], int] = {
    added: 3,
    from_zero: 6,
    counted: 3,
    counted_in_floats: 3,
    windows: 3,
}


def mixed(x):
    s = 0
    for i in range(0, len(x), 16):
        s = s + (np.sum(x[i : i + 16] > 0) if i < 48 else x[i : i + 16].sum())
    return s


def in_float32(x):
    s = 0.0
    for i in range(0, len(x), 16):
        s = s + x[i : i + 16].astype(np.float32).sum()
    return s


def handed_back(x):
    s, before = 0.0, []
    for i in range(0, len(x), 16):
        before.append(s)
        y = x[i : i + 16] * 2
        s, t = s + y.sum(), s
        before.append(t)
    return s, before


def by_type(x):
    s, kinds = 0.0, []
    for i in range(0, len(x), 16):
        y = x[i : i + 16] * 2
        kind = type(s)
        s = s + y.sum()
        kinds.append(kind.__name__)
    return s, kinds


def large(x):
    s = 2**62
    for i in range(0, len(x), 16):
        s = s + np.sum(x[i : i + 16] > 0)
    return s


def once(x):
    s = 0.0
    for part in (x[:30], x[30:]):
        s = s * 2 + part.sum()
    return s, [s + part.sum() for s in (1.0, 2)]


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("fn", [*COUNTS, of_rows, mixed, in_float32, handed_back, by_type, large, once])
def test_right_at_each_length(fn: Callable[..., Any]) -> None:
    jitted = npcompile.jit(fn)
    for n in LENGTHS:
        n = 64 if fn is of_rows else n  # all rows are of one length
        x = np.random.default_rng(n).standard_normal(n)
        for given in (x, -x, np.abs(x) + 1):
            same(jitted(given), fn(given), ulp=1 << 10, scale=float(n), where=f"{n}")
    assert jitted.stats.programs <= COUNTS.get(fn, 99), jitted.stats
