"""Arguments of many lengths: one program answers, and never for a length that it is not right for."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same
from tests.programs.array_program_generator import PRELUDE, Grower
from tests.programs.jit_lane import judge
from tests.programs.random_array_programs import OTHER_LENGTHS, check

LENGTHS = [10, 13, 300, 40, 41, 301, 1000, 302, 77, 640, 12, 500, 2000, 90, 91, 92]


def arrays(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    return rng.integers(-8, 8, n) / 4.0, rng.integers(1, 8, n) / 2.0


def polynomial(x, y):
    return 3 * x**2 - y * x + 1


def step_width(x, y):
    h = 1.0 / (len(x) - 1)
    return (x[1:] - x[:-1]) / h + y[1:]


def stencil(x, y):
    u = x.copy()
    u[1:-1] += y[:-2] - 2 * y[1:-1] + y[2:]
    u[0] = u[-1] = 0.0
    return u


def in_place(x, y):
    x += y
    x *= 2
    return x


def halves(x, y):
    half = x.size // 2
    return x[:half].sum() + y[half:].max(), np.zeros(half)


def outer(x, y):
    table = x[:, None] - y
    return np.abs(table).min(axis=1), table.shape


def made(x, y):
    n = x.shape[0]
    return np.arange(n) * x + np.linspace(0, 1, n) * y, np.ones((n, 2)) * y[:, None]


def centred(x, y):
    return (x - x.max()) / 2, y.sum() / 4, np.concatenate([x, y])[::2], np.roll(x, 3)


def helper(v):
    return v.sum() / len(v)


def called(x, y):
    return helper(x) - helper(y[1:]), len(x) + 1


FUNCTIONS = [polynomial, step_width, stencil, in_place, halves, outer, made, centred, called]


def run(fn: Callable[..., Any], lengths: list[int], **options: Any) -> Any:
    jitted = npcompile.jit(fn, wait=True, **options)
    for n in lengths:
        mine, theirs = arrays(n), arrays(n)
        same(jitted(*mine), fn(*theirs), where=f"n = {n}")
        same(mine, theirs, where=f"arguments at n = {n}")
    return jitted


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_three_recordings_answer_for_all_lengths(fn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = run(fn, LENGTHS)
    assert jitted.stats.recordings == jitted.stats.programs == 3
    assert jitted.stats.replays == len(LENGTHS) - 3
    assert jitted.stats.plain_calls == jitted.stats.divergences == 0


@pytest.mark.parametrize("fn", [step_width, outer, made], ids=lambda fn: fn.__name__)
def test_compiled_they_share_their_kernels(fn) -> None:
    jitted = run(fn, [n for n in LENGTHS if n < 200])  # more is shared among threads, by kernels of their own
    assert jitted.stats.programs == 3 and jitted.stats.compilations <= 3


def test_more_lengths_than_signatures_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = run(polynomial, list(range(10, 110)))
    assert jitted.stats.programs == 3 and jitted.stats.replays == 97 and jitted.stats.plain_calls == 0


def decided_by_length(x, y):
    return x + y if len(x) < 50 else x - y


def counted(x, y):
    total = 0.0
    for i in range(len(x) // 10):
        total += x[i] * y[i]
    return total


def capped(x, y):
    return x[: min(len(x), 64)] * 2


def parity(x, y):
    return x.reshape(2, -1) if x.size % 2 == 0 else y


def rows(x, y):
    return [float(v) for v in x[:5]], f"{len(x)} values", x.nbytes


def read_only_there(x, y):
    return x[9] + y[-10]


@pytest.mark.parametrize(
    "fn", [decided_by_length, counted, capped, parity, rows, read_only_there], ids=lambda fn: fn.__name__
)
def test_what_a_length_decides_is_decided_anew(fn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    run(fn, LENGTHS + LENGTHS[::-1])


def test_an_index_that_is_out_of_bounds_at_another_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = run(read_only_there, [20, 30, 40, 50])
    with pytest.raises(IndexError, match="index 9 is out of bounds"):
        jitted(*arrays(5))
    with pytest.raises(ValueError, match="broadcast"):
        run(polynomial, [20, 30, 40])(arrays(7)[0], arrays(8)[0])


def test_lengths_that_were_equal_and_are_not_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")

    def table(x, y):
        return x[:, None] * y, len(x) * 10 + len(y)

    jitted = run(table, [20, 30, 40, 50])
    for m, n in [(6, 7), (7, 6), (60, 7), (9, 9)]:
        x, y = arrays(m)[0], arrays(n)[1]
        same(jitted(x, y), table(x, y), where=f"{m} and {n}")


def test_arguments_that_share_memory_at_another_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")

    def shift(x, y):
        x[1:] = y[:-1]
        return x

    jitted = run(shift, [20, 30, 40, 50])
    mine, theirs = np.arange(61.0), np.arange(61.0)
    same(jitted(mine[:-1], mine[1:]), shift(theirs[:-1], theirs[1:]))
    same(mine, theirs)


def test_random_programs_at_many_lengths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    monkeypatch.setattr("warnings.warn", lambda *_, **__: None)  # uncompiled functions say so
    replayed = 0
    for seed in range(150):
        program = Grower(random.Random(seed)).grow()
        try:
            replayed += check(program, tmp_path, seed, OTHER_LENGTHS).stats.replays > 0
        except Exception as wrong:
            text = program.source.removeprefix(PRELUDE)
            raise AssertionError(f"{type(wrong).__name__}: {wrong}\n{text}{program.arguments}") from wrong
    assert replayed > 50, "hardly a program is replayed: nothing has been tested"


def turned(x, y):
    z = (x[1:] - x[:-1]) * y[1:]
    y[:, 0] = x.max(axis=1)
    return z, x.T.copy(), x.ravel() * len(x), np.zeros_like(x), x[::-1, 1:], np.concatenate([x, y])


@pytest.mark.parametrize("orders", ["FF", "FC", "CF"])
def test_arrays_in_fortran_order_share_a_program(orders: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(turned, wait=True)
    for n in LENGTHS[:5] + LENGTHS[9:12]:
        values = np.random.default_rng(n).random((2, n, 3))
        mine = [np.array(value, order=order) for value, order in zip(values, orders, strict=True)]  # type: ignore[call-overload]
        theirs = [array.copy(order="K") for array in mine]
        got, expected = jitted(*mine), turned(*theirs)
        same(got, expected, where=f"n = {n}")
        same(mine, theirs, where=f"arguments at n = {n}")
        assert [array.strides for array in got] == [array.strides for array in expected]
    assert jitted.stats.programs == 3 and jitted.stats.plain_calls == 0


@pytest.mark.parametrize("order", ["C", "F"])
def test_orders_that_go_by_the_layout_after_a_write(order: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")

    def flat(x, y):
        y[:, 0] = x.sum(axis=1)
        return x.ravel(order="K") * 2, x.flatten("A"), np.reshape(x, -1, "A"), x.reshape(-1, order="A") + 1

    jitted = npcompile.jit(flat)
    for n in (4, 4, 5, 6, 7):
        x, mine, theirs = np.arange(3.0 * n).reshape((n, 3), order=order), np.zeros((n, 3)), np.zeros((n, 3))
        same(jitted(x, mine), flat(x, theirs), where=f"n = {n}")
        same(mine, theirs, where=f"what is written at n = {n}")
    assert jitted.stats.programs <= 6  # two blocks, three lengths: the second one goes by the layout


def relaxed(x, y):
    change, trips = 1.0, 0
    while change > 1e-2 and trips < 20:
        new = x.copy()
        new[1:-1] = (x[:-2] + x[1:-1] + x[2:]) / 3
        change = np.abs(new - x).max()
        x, trips = new, trips + 1
    return x * y, trips


def test_a_cut_function_at_more_lengths_than_signatures_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = run(relaxed, list(range(10, 90)))
    assert jitted.stats.plain_calls == 0 and jitted.stats.programs <= 6 and not jitted.stats.reasons


# -- lengths that depend on data -----------------------------------------------------------------------------


def mean_under_mask(x, y):
    part = x[x > 0.5]
    return part.max() - part.min(), np.where(x > 0.5, x, 0).sum()


def chained(x, y):
    part = np.abs(x[x < 1]) * 2
    return (part[part > 0.25] + 1).sum(), len(part)


def places(x, y):
    return x[np.nonzero(x > 0)[0]] * 2, np.flatnonzero(y > 1) + 1, np.where(x > 1)[0] * 3


def packed(x, y):
    return np.compress(x > 0, y) + 1, np.extract(y > 2, x) * x.sum(), np.unique(x * y) * 2


def updated(x, y):
    x[x > 0.5] *= 2
    mask = y > 1
    y[mask] = y[mask] + 1
    return x, y


BY_DATA = [mean_under_mask, chained, places, packed, updated]


@pytest.mark.parametrize("fn", BY_DATA, ids=lambda fn: fn.__name__)
def test_three_recordings_answer_whatever_the_data(fn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn, wait=True)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        mine = rng.integers(-8, 8, 100) / 4.0, rng.integers(1, 8, 100) / 2.0
        theirs = tuple(array.copy() for array in mine)
        same(jitted(*mine), fn(*theirs), where=f"seed {seed}")
        same(mine, theirs, where=f"arguments, seed {seed}")
    assert jitted.stats.programs <= 4 and jitted.stats.replays >= 15
    assert jitted.stats.plain_calls == 0


@pytest.mark.parametrize("fn", [mean_under_mask, updated], ids=lambda fn: fn.__name__)
def test_nothing_and_everything_under_the_mask(fn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn, wait=True)
    for value in [None, None, None, None, 0.75, 2.0, None]:
        x, y = arrays(50)
        if value is not None:
            x[:] = value
            y[3:] = 0.5
        same(jitted(x.copy(), y.copy()), fn(x, y))
    if fn is mean_under_mask:
        with pytest.raises(ValueError, match="zero-size array"):
            jitted(np.zeros(50), np.zeros(50))
    else:
        same(jitted(np.zeros(50), np.zeros(50)), fn(np.zeros(50), np.zeros(50)))


def test_compiled_masks_are_not_compiled_for_each_count() -> None:
    jitted = npcompile.jit(chained, wait=True)
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x, y = rng.integers(-8, 8, 100) / 4.0, np.zeros(1)
        same(jitted(x, y), chained(x, y), where=f"seed {seed}")
    assert jitted.stats.programs <= 4 and jitted.stats.compilations <= 6


def filled(x):
    near = np.abs(x[:, None] - x)
    np.fill_diagonal(near, np.inf)
    return near.min(axis=1)


def placed(x):
    made = np.zeros(len(x))
    np.place(made, x > 3, x[x > 3] * 2)
    return made + x


def counted(x):
    sums = np.zeros(len(x))
    np.add.at(sums, np.arange(len(x)) // 2, x)
    return sums - x


@pytest.mark.parametrize("fn", [filled, placed, counted])
def test_what_numpy_writes_into_an_array(fn: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(fn)
    for n in (10, 13, 30, 41, 17, 64):
        x = np.arange(float(n)) ** 1.5 % 7
        same(jitted(x), fn(x), where=f"n = {n}")
    assert jitted.stats.recordings <= 4, jitted.stats
    assert jitted.stats.replays >= 2, jitted.stats


def columns_written(p, q):
    table = np.zeros((4, len(p)))
    part = table[:, : len(q)].reshape(-1)  # a view where q is as long as p, or longer
    part += 1.0
    return table, part


def columns_of_an_argument_written(x, q):
    part = np.ravel(x[:, : len(q)])
    part *= 2.0
    return part


@pytest.mark.parametrize("function", [columns_written, columns_of_an_argument_written])
def test_what_is_a_view_at_some_lengths_and_a_copy_at_others(function):
    jitted = npcompile.jit(function)
    for p, q in ((3, 5), (4, 7), (5, 8), (6, 6), (6, 4), (7, 3), (5, 5), (9, 4), (8, 12), (8, 4)):
        first = np.zeros(p) if function is columns_written else np.arange(4.0 * p).reshape(4, p)
        given, expected = first.copy(), first.copy()
        same(jitted(given, np.ones(q)), function(expected, np.ones(q)))
        same(given, expected)


def test_parts_of_the_first_axis_lie_together_at_every_length():
    function = npcompile.jit(lambda x, q: x[: len(q)].ravel() * 2.0)
    for n in range(4, 24):
        same(function(np.ones((n, 3)), np.ones(n - 2)), np.full(3 * (n - 2), 2.0))
    assert function.stats.recordings <= 3


def apart_later(x: np.ndarray, y: np.ndarray) -> Any:
    return np.add.outer(x, y).sum() / len(x) + np.zeros(len(y)) + y


def test_lengths_that_were_the_same_may_differ_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(apart_later)
    alike = [(n, n) for n in (*range(305, 310), *range(330, 340))]
    for n, m in [*alike[:5], *[(n, n + 3) for n in range(310, 330)], *alike[5:], (5, 320)]:
        x, y = np.arange(float(n)), np.arange(float(m))
        same(jitted(x, y), apart_later(x, y), scale=1.0, ulp=8)
    assert jitted.stats.recordings == 5 and jitted.stats.plain_calls == 0


def test_even_and_odd_lengths_have_a_program_each(monkeypatch: pytest.MonkeyPatch) -> None:
    def folded(x):
        half = len(x) // 2
        return x[:half] + x[half:][:half], np.fft.fftfreq(len(x))

    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    jitted = npcompile.jit(folded)
    for length in range(20, 60):
        judge(jitted, folded, (np.arange(float(length)),))
    assert jitted.stats.recordings <= 5 and jitted.stats.replays >= 35, jitted.stats
