"""Innermost loops whose bounds are checked before the first trip."""

from __future__ import annotations

from typing import Any

import numpy as np

import npcompile
from tests.frontend.loops.native import check


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
