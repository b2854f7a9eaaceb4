"""Small programs, one of each kind of step, through the replay interpreter."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.runtime.function import RecordedFunction
from tests.programs.jit_lane import judge, twice

SCALE = 3.0
TABLE = np.arange(5.0)


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    yield


def x_of(rng: np.random.Generator) -> tuple[Any, ...]:
    return (rng.normal(size=(4, 5)),)


def xy_of(rng: np.random.Generator) -> tuple[Any, ...]:
    return rng.normal(size=(4, 5)), rng.normal(size=(4, 5))


def helper(a: Any, b: Any) -> Any:
    return np.sqrt(a * a + b * b) * SCALE


def operators(x, y):
    return -x + y * 2 - 3 / (1 + x * x), x > y, abs(x) ** 0.5


def calls_helper(x, y):
    return helper(x, y) + helper(y, x)


def views(x):
    return x[1:, ::2], x.T, x[0], x[1, 2], x[::-1] * 2, x[:, None].shape


def slice_writes(x):
    x[0] = 1
    x[-1] = x[1] * 2
    x[1:-1, 0] = 5.5
    return x


def stencil(x):
    x[1:-1, 1:-1] = 0.25 * (x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2])
    return x.sum()


def in_place(x, y):
    x += y
    x *= 2
    z = x + 1
    z -= y
    v = z[1:]
    v += 1
    return z


def own_array(x):
    y = np.zeros_like(x)
    y[1:] = x[1:] - x[:-1]
    y[0] = x[0]
    return y


def out_argument(x, y):
    z = np.empty_like(x)
    np.add(x, y, out=z)
    np.multiply(z, 2, z)
    return z


def reads_globals(x):
    return x * SCALE + TABLE


def structure(pair, options):
    a, b = pair
    return {"sum": a + b * options["scale"], "items": [a[0], (b,)]}


def reversed_write(x):
    v = x[::-1]
    v[0] = v[1] + 1
    return v


def scalars(x):
    m = x.mean()
    s = float(x.max())
    return x - m, m, s * 2, x.sum() / len(x), x[0, 0]


def branch_free_numbers(x, h, n):
    c = math.sqrt(h) * (n - 1)
    return x * c + n, c, round(h, 3) + max(h, 0.5)


def unrolled(x):
    total = np.zeros(x.shape[1])
    for row in x:
        total = total + row * 2
    for i in range(3):
        total = total + i
    return total


def aliased(x):
    return x, x[1:], x.reshape(-1), (x * 2).T


def unary(x):
    return ~(x > 0), +x, np.isnan(x).any()


@pytest.mark.parametrize(
    ("fn", "make"),
    [
        (operators, xy_of),
        (calls_helper, xy_of),
        (views, x_of),
        (slice_writes, x_of),
        (stencil, x_of),
        (in_place, xy_of),
        (own_array, x_of),
        (out_argument, xy_of),
        (reads_globals, x_of),
        (structure, lambda rng: ((rng.normal(size=3), rng.normal(size=3)), {"scale": float(rng.normal())})),
        (reversed_write, x_of),
        (scalars, x_of),
        (
            branch_free_numbers,
            lambda rng: (rng.normal(size=4), float(rng.random()), int(rng.integers(300, 900))),
        ),
        (unrolled, x_of),
        (aliased, x_of),
        (unary, x_of),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_replayed_answer_is_numpys(fn: Any, make: Any) -> None:
    twice(fn, make)


def test_signatures_are_recorded_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RecordedFunction, "max_signatures", 2)
    jitted = npcompile.jit(operators)
    for size in (2, 3, 2, 3):
        judge(jitted, operators, (np.ones(size), np.ones(size)))
    with pytest.warns(npcompile.NotCompiledWarning, match="more than 2 signatures"):
        jitted(np.ones(4), np.ones(4))
    judge(jitted, operators, (np.ones(5), np.ones(5)))
    assert (jitted.stats.recordings, jitted.stats.replays, jitted.stats.plain_calls) == (2, 2, 2)


FACTOR = 2.0


def talks(x, n):
    print("before", n)
    y = np.sqrt(x) * FACTOR
    print(y.sum())
    return np.maximum(y, TABLE[0])


def test_what_is_read_after_a_print_is_checked_before_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    jitted = npcompile.jit(talks)
    for number, factor in enumerate((2.0, 2.0, 3.0), 1000):
        monkeypatch.setitem(globals(), "FACTOR", factor)
        x = np.full(4, float(number + 1) ** 2)
        want = talks(x, number)
        printed = capsys.readouterr().out
        assert np.array_equal(jitted(x, number), want)
        assert capsys.readouterr().out == printed
    assert (jitted.stats.recordings, jitted.stats.replays) == (1, 2)


def elements_before_a_write(x, y):
    s = x[0, 0]
    t = x[1]
    x += y
    x[0] = 7
    return s, t * 1, x[0, 1] + s


def test_an_element_read_before_a_write_keeps_its_value() -> None:
    twice(elements_before_a_write, xy_of)


def checks_after_a_write(x, places):
    x //= 2
    return x[places]


def test_a_check_after_a_write_does_not_share_its_segment() -> None:
    jitted = npcompile.jit(checks_after_a_write)
    for last in (4, 4, 4, 5):  # the first call finds out that the function is to be cut
        judge(jitted, checks_after_a_write, (np.arange(5.0), np.array([0, last])))
    assert jitted.stats.replays == 1 and not jitted.stats.reasons
