"""Innermost loops whose bounds are checked before the first trip."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.lower.loops import ir
from tests.frontend.loops.native import check, copies, run_natively


def first_above(x: Any, limits: Any, found: Any) -> Any:
    for k in range(len(limits)):
        for i in range(len(x)):
            if x[i] > limits[k]:
                found[k] = i
                break
    return found


def first_of_two(x: Any, limits: Any, found: Any) -> Any:
    for k in range(len(limits)):
        for i in range(len(x) - 1):
            if x[i] > limits[k] and x[i + 1] > limits[k]:
                found[k] = x[i + 1]
                break
            found[k] += 1
    return found


def test_a_loop_that_a_trip_ends_within_another_loop() -> None:
    x = np.array([0.5, 2.0, 1.0, 3.0, 3.5])
    for function in (first_above, first_of_two):
        run = check(function, x, np.array([0.0, 1.5, 9.0]), np.zeros(3))
        headers = [header for header in run.loop.region.fast_loops if header.end is not None]
        assert [header.is_header for header in headers] == [True], run.loop.region
        assert {run.loop.region.blocks[0]}.isdisjoint(headers)  # that is the outer loop's


def rests(x: Any, s: Any, flags: Any) -> Any:
    t = s
    for i in range(len(x)):
        s += i * i % 100
        if flags[i]:
            s += 1
            t -= 7
    return s, t


def test_sums_of_small_ints() -> None:
    x = np.zeros(300)
    flags = np.arange(300) % 3 == 1
    run = check(rests, x, 5, flags)
    (loop,) = run.loop.region.fast_loops.values()
    assert set(loop.sums.values()) == {"s"}  # `t` is a counter
    jitted = npcompile.jit(rests)
    for start in (0, 0, 3, (1 << 62) - 1, 1 << 62, (1 << 63) - 2000, -(1 << 63) + 100, 1 << 70, -(1 << 62)):
        assert jitted(x, start, flags) == rests(x, start, flags)
        jitted.wait()
    assert jitted.stats.loop_entries, npcompile.explain(jitted)


def products_of_parts(a: Any, x: Any) -> Any:
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            x[i] += x[:j] @ a[i, :j]
    return x


def test_a_loop_that_works_on_parts_of_arrays_has_few_versions() -> None:
    run = check(products_of_parts, np.arange(36.0).reshape(6, 6) % 5, np.arange(6.0))
    assert not run.loop.region.fast_loops and run.loop.region.nests
    assert run.loop.source.text.count("npl::dot_of_arrays<double, false>(") == 4


def numbered(a: Any, b: Any, k: int, s: int) -> Any:
    for i, x in enumerate(a, k):
        b[i] = b[i - 1] + x
        s += int(x)
    return s


def beside(a: Any, b: Any, s: int, t: int) -> Any:
    for x, y in zip(a, b, strict=False):
        if x == 200:
            break
        s += abs(int(x) - int(y))
        t -= int(y) * 1000
    return s, t


def of_items(a: Any, s: int) -> Any:
    for x in a:
        s += int(x)
    return s


def test_loops_over_items_have_a_version_without_checks() -> None:
    small, wide = np.arange(40, dtype=np.uint8), np.arange(40, dtype=np.int32) - 5
    for run, sums, unchecked in (
        (check(numbered, small, np.zeros(50), 3, 1), {"s"}, 2),
        (check(beside, small, wide.astype(np.int16), 1, 2), {"s", "t"}, 0),
        (check(of_items, wide, 7), {"s"}, 0),
    ):
        (loop,) = run.loop.region.fast_loops.values()
        assert set(loop.sums.values()) == sums
        assert len(loop.unchecked) == unchecked


def test_sums_over_items_of_any_size() -> None:
    items = np.array([3, 255, 0, 17] * 700, np.uint8)
    edges = (0, 0, 5, (1 << 62) - 1, 1 << 62, (1 << 63) - 300, -(1 << 63), 1 << 70, -(1 << 62))
    jitted = [npcompile.jit(one) for one in (of_items, beside)]
    for start in edges:
        assert jitted[0](items, start) == of_items(items, start)
        assert jitted[1](items, items[5:], start, start) == beside(items, items[5:], start, start)
        for one in jitted:
            one.wait()


def test_numbers_of_items_beyond_the_end_leave_where_python_raises() -> None:
    a = np.arange(6, dtype=np.uint8)
    for size, k in ((12, 2), (5, 0), (6, 1), (9, -3), (4, -6), (0, 0)):
        want, got = np.zeros(size), np.zeros(size)
        texts = []
        for function, out in ((numbered, want), (npcompile.jit(numbered), got)):
            for _ in range(3):
                try:
                    texts.append(str(function(a, out, k, 1)))
                except IndexError as error:
                    texts.append(str(error))
                getattr(function, "wait", int)()
        assert texts[:3] == texts[3:]
        assert (want == got).all()


def test_a_loop_over_items_within_a_nest_polls() -> None:
    def nested(x: Any, out: Any) -> None:
        for i in range(len(out)):
            for j in range(i):
                out[j] += 1
            for y in x:
                out[i] += int(y)

    region = check(nested, np.arange(9, dtype=np.uint8), np.zeros(7)).loop.region
    assert all(isinstance(header.end, ir.NextOfRange) for header in region.fast_loops)


def moved_forward(x: Any, out: Any, k: int) -> Any:
    for v in x:
        out[k] = v
        k += 1
    return k


def moved_backward(x: Any, out: Any, k: int) -> Any:
    for i in range(len(x)):
        k -= 2
        out[k] = x[i] + out[k + 1]
    return k


def moved_between(x: Any, out: Any, k: int) -> Any:
    for i in range(len(x)):
        if x[i] > 2:
            out[k] = 7
        k += 3
        out[k - 1] = x[i]
    return k


def moved_beside_a_kept_item(x: Any, out: Any, k: int) -> Any:
    for i in range(len(x)):
        out[0] += x[i]
        out[k] = out[0]
        k += 1
    return k


def moved_at_times(x: Any, out: Any, k: int) -> Any:
    for v in x:
        if v > 2:
            out[k] = v
            k += 1
    return k


def moved_in_rows(x: Any, out: Any, k: int) -> Any:
    for r in range(3):
        for i in range(len(x)):
            out[k] = x[i] + r
            k += 1
    return k


@pytest.mark.parametrize(
    "function", [moved_forward, moved_backward, moved_between, moved_beside_a_kept_item, moved_in_rows]
)
@pytest.mark.parametrize("length", [0, 1, 5])
def test_places_that_each_trip_moves(function: Any, length: int) -> None:
    x = np.arange(length) * 1.5
    for size in (3 * length, 3 * length + 1, 5 * length + 3):
        for start in (0, 1, -1, 2 * length, -size, size, -length - 1, (1 << 62) - 1, -(1 << 63) + 1):
            given = (x, np.arange(float(size)), start)
            mine, plain = copies(given), copies(given)
            run = run_natively(function, *mine)
            assert any(loop.moved for loop in run.loop.region.fast_loops.values())
            try:
                want = function(*plain)
            except IndexError:
                assert not run.is_done
            else:
                assert (run.is_done, run.names["k"]) == (True, want)
            np.testing.assert_array_equal(mine[1], plain[1])


def test_places_that_some_trips_move() -> None:
    run = check(moved_at_times, np.arange(5.0), np.zeros(2), 0)
    assert not any(loop.moved for loop in run.loop.region.fast_loops.values())
