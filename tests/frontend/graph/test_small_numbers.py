"""Small whole numbers, of which Python has one object each: a literal, or what a step gave? And NaNs, which
are asked for by their identity."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest

import npcompile
from tests.checker import same

SEQUENCES = [
    (2, 3, 4, 5, 6),
    (1, 0, 2, 1, 0, 3),
    (3, 1, 0, 2),
    (-1, -2, 0, 1, 2, 2, 1),
    (5, 1, 2),
    (300, 1, 2, 256, 257),
    (1, 1, 2, 2, 0, 0, 1),
]


def both_parts(x, k):
    return x + 1, divmod(k, 2)


def one_part(x, k):
    quotient, rest = divmod(k, 2)
    return quotient + x, rest


def parts_beside_literals(x, k):
    return [*divmod(k, 3), 1, 2], (1, k // 2), k % 2


def picked_literals(x, k):
    return x * (1 if k > 1 else 2), 1 if k == 1 else k


def listed(x, k):
    items = (x * 0 + k).astype(int).tolist()
    return items[0] + 1, items, x + items[-1]


def listed_below(x, k):
    return [int(x[0])] <= x, [k, 1] <= x[:2], [k, 2, 1]


def least(x, k):
    return min(k, 2), max(1, k), min(k, 1, 2) + x, abs(k), round(k), operator.index(k)


def as_key(x, k):
    return {0: x, 1: -x, 2: x * 2}.get(k, x + k), {k: 1, 2: 2}


def counted(x, k):
    return (x > k).sum() + 1, int((x > k).sum()), len(x[x > k]), 1


def placed(x, k):
    at = int(np.argmax(x == k))
    return at, x[at], at + 1, x[: at + 1], 1


def whole(x, k):
    return math.floor(k / 2), int(k / 2), k >> 1, k & 1, -k, +k, ~k, k**2, 1


def kept(x, k):
    held = {"n": k, "one": 1, "all": [1, k, 2]}
    held["n"] += 1
    held["all"].append(held["n"])
    return held, x * held["n"]


def walked(x, k):
    return [i * k for i in range(3)], sum(range(3), k), list(zip([1, 2], [k, 1], strict=True)), x


def called(x, k):
    return _called(1, k), _called(k), _called(n=k, m=2) * x


def _called(m, n=1):
    return m + 10 * n if m == n else m - n


def identical(x, k):
    one = 1
    return k == one, one is one, [k].index(k), k in (1, 2), x, [1, k].count(1)


def shaped(x, k):
    n, m = x.shape[0], len(x)
    return n == 4, n - 3, m // 2, (n, 4, k), x.reshape(2, -1).shape, x[: n - 3]


FUNCTIONS = [
    both_parts, one_part, parts_beside_literals, picked_literals, listed, listed_below, least, as_key,
    counted, placed, whole, kept, walked, called, identical, shaped,
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("numbers", SEQUENCES, ids=str)
@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_is_plain_pythons_answer(fn, numbers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn, wait=True)
    for k in numbers:
        x = np.array([k, 1.0, 2.0, 3.0])
        same(jitted(x, k), fn(x, k), where=f"{k}")


NAN = float("nan")


def is_missing(x, v):
    return x * 2 if v is np.nan else x * 3


def is_among(x, v):
    return x * 2 if v in (np.nan, 1.5) else x * v


def is_the_same(x, v):
    return x * 2 if v is NAN else x * (v if v == v else 5)


def is_used(x, v):
    return x * v, v


@pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")
@pytest.mark.parametrize("fn", [is_missing, is_among, is_the_same, is_used], ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("first", [np.nan, NAN, 1.5])
def test_nans_are_the_ones_that_were_given(fn, first, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted, x = npcompile.jit(fn), np.arange(3.0)
    for v in (first, first, np.nan, NAN, 1.5, 2.0, np.nan, NAN):
        same(jitted(x, v), fn(x, v), where=f"{v}")


def windowed(x, k):
    low = max(k - 3, 0)
    return x[:2] * 0 + low, x[:, None][0, 0] * k


@pytest.mark.parametrize("first", (0, 3))
def test_a_zero_is_told_from_literals(first, monkeypatch: pytest.MonkeyPatch) -> None:
    """CPython has one object for 0: one that a step gave stands for itself, and one program does for all."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(windowed)
    x = np.arange(5.0)
    for k in (first, 0, 1, 2, 3, 4, 5, 0):
        same(jitted(x, k), windowed(x, k))
    assert (jitted.stats.recordings, jitted.stats.programs, jitted.stats.divergences) == (1, 1, 0)


def test_a_zero_that_is_recorded_is_pythons_in_all_but_identity() -> None:
    seen = []

    @npcompile.jit
    def given(x, k):
        seen.append(k)
        return x[k], [k, -k, not k, k + 1, 2 // (k + 1), hash(k), repr(k), bool(k), float(k), x.shape[k]]

    same(given(np.arange(3.0), 0), given.__wrapped__(np.arange(3.0), 0))
    zero = seen[0]
    assert zero == 0 and not zero and type(zero) is int and {zero: 1}[0] == 1 and {0: 1}[zero] == 1
    assert (zero + 3, 3 * zero, 1 << zero, ~zero, zero.bit_length(), [7][zero]) == (3, 0, 1, -1, 0, 7)
    assert (f"{zero:02d}", str(zero), zero.to_bytes(1, "big"), math.gcd(zero, 6)) == ("00", "0", b"\0", 6)
    with pytest.raises(ZeroDivisionError):
        1 // zero
