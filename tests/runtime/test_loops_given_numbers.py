"""Loops on a device whose kernels are given other numbers at each trip: counters, items, rates that decay.

The device is one that copies, and its graphs are tapes (tests/programs/taped_graphs.py).
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.frontend.replay import resident_loop
from npcompile.lower.device import graphs
from tests.runtime.test_loops_at_once import arrays, counted, refusals, warmed
from tests.runtime.test_loops_at_once import device as device

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")


def averages(x, y, n):
    mean = np.zeros_like(x)
    for k in range(1, n + 1):
        x = x * 0.5 + y
        mean = mean + (x - mean) / k
    return mean


def averages_in_place(x, y, n):
    mean = np.zeros_like(x)
    for k in range(n):
        x *= 0.5
        x += y
        mean += (x - mean) / (k + 1)
    return mean, k


def counts_down(x, y, n):
    for k in range(n, 0, -2):
        x = x + y * k
    return x, k


def rate_decays(x, y, n):
    rate = 0.5
    for k in range(n):
        step = rate / (1 + k)
        x = x - step * (x - y)
    return x, step


def time_goes_on(x, y, n):
    t, dt = 0.0, 0.1
    for _ in range(n):
        x = x + dt * np.sin(t * y)
        t += dt
    return x, t


def powers(x, y, n):
    beta, k = 0.9, 0
    m = np.zeros_like(x)
    while k < n:
        k += 1
        m = beta * m + (1 - beta) * x
        x = x - 0.1 * m / (1 - beta**k)
    return x, m, k


def of_numpys_numbers(x, y, n):
    k, f = np.int32(1), np.float32(1.5)
    for _ in range(n):
        x = x * f + y / k
        k = k + np.int32(2)
        f = f * np.float32(0.75)
    return x, k, f


def rebinds_the_item(x, y, n):
    for k in range(n):
        k = k * 2 + 1
        x = x * 0.5 + y * k
    return x, k


def mixes_both(x, y, n):
    for k in range(1, n):
        x = x * 0.5 + y
        top = np.max(x)
        x = x / (top + k)
        y = y + top / k
    return x, y, top


def of_complex_size(x, y, n):
    z = x + 1j * y
    for k in range(n):
        total = np.sum(z)
        z = z * 0.5 / (1 + abs(total)) + k
    return z, total


def of_bytes(x, y, n):
    seen = (x * 10).astype(np.uint8)
    for k in range(n):
        seen = seen // np.uint8(2) + k
    return seen


def large_ints(x, y, n):
    k, x = 1, x.astype(np.float32)
    for _ in range(n):
        x = x * 0.5 + k
        k = k * 3
    return x, k


def large_ints_and_a_number(x, y, n):
    k, x = 2**59 + 1, x.astype(np.float32)
    for _ in range(n):
        x = x * np.float32(0.5)
        k = k + 2**36
        x = x * (np.max(x) / k)
    return x, k


def functions_of_numbers(x, y, n):
    for k in range(1, n):
        x = x * 0.5 + y / math.sqrt(k) + math.cos(0.25 * k)
        y = y * min(k, 3) / max(k, 3)
    return x, y


def numpys_functions_of_numbers(x, y, n):
    for k in range(1, n):
        x = x * np.exp(-0.1 * k) + y / np.sqrt(k)
    return x


def conditions_on_the_item(x, y, n):
    for k in range(n):
        x = x * 0.5 + y
        if k > 30:
            break
    return x, k


PROGRAMS = [
    averages,
    averages_in_place,
    counts_down,
    rate_decays,
    time_goes_on,
    powers,
    of_numpys_numbers,
    rebinds_the_item,
    mixes_both,
    functions_of_numbers,
    numpys_functions_of_numbers,
    conditions_on_the_item,
]
ODD = [of_bytes, large_ints, large_ints_and_a_number]


@pytest.mark.parametrize("given", [np.asarray, npcompile.asarray], ids=["numpy", "device"])
@pytest.mark.parametrize("function", [*PROGRAMS, *ODD], ids=lambda f: f.__name__)
def test_answers_are_numpys_to_the_bit(function: Any, given: Any) -> None:
    jitted = warmed(function, *arrays(), 37, given=given)
    done = 0
    for n in (37, 6, 22, 3, 53, 41):
        done += counted(jitted, *arrays(), n, given=given)[1]
    assert done or function in ODD, refusals(jitted)


@pytest.mark.parametrize("given", [np.asarray, npcompile.asarray], ids=["numpy", "device"])
def test_sizes_of_complex_numbers_are_numpys(given: Any) -> None:
    jitted = npcompile.jit(of_complex_size, wait=True)
    for _ in range(9):
        expected = of_complex_size(*arrays(), 37)
        for got, one in zip(jitted(*map(given, arrays()), 37), expected, strict=True):
            np.testing.assert_allclose(np.asarray(got), one, rtol=1e-12)


@pytest.mark.parametrize("function", [averages, counts_down, rate_decays, powers, functions_of_numbers])
def test_numbers_that_no_kernel_gives_make_no_launch_wait(
    function: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    jitted = warmed(function, *arrays(), 37)
    waits = []
    monkeypatch.setattr(graphs.using.capturer, "wait", waits.append)
    trips = counted(jitted, *arrays(), 37)[1]
    assert trips == (18 if function is counts_down else 35 if function is functions_of_numbers else 36)
    assert not waits


def test_launches_are_given_numbers_of_their_own_and_the_bytes_count() -> None:
    jitted = warmed(averages, *arrays(), 37)
    launches = graphs.using.capturer.launches  # type: ignore[attr-defined]
    before = jitted.stats.bytes_to_device
    counted(jitted, *arrays(), 37)
    # x and y enter; each of 36 trips is given its item, in memory of 16 bytes.
    assert jitted.stats.bytes_to_device - before == 2 * 72 + 36 * 16
    assert graphs.using.capturer.launches - launches == 2 + 1  # type: ignore[attr-defined]


def warns(x, y, n):
    limit, k = np.float64(20.0), 0
    while k < n and limit / (limit - k) != 0.5:
        x = x * 0.5 + y
        k += 1
    return x, k


def test_a_trip_in_which_numpy_warns_is_done_as_written() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        jitted = warmed(warns, *arrays(), 37)
    for _ in range(3):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            _, trips = counted(jitted, *arrays(), 37)
        assert [str(one.message) for one in told] == ["divide by zero encountered in scalar divide"] * 2
        assert trips > 20


def overflows(x, y, n):
    k = 1
    for _ in range(n):
        y = y * 0.5 + k
        k = k * 3
    return y, k


def test_an_int_that_no_kernel_can_take_ends_the_launches() -> None:
    jitted = warmed(overflows, *arrays(), 37)
    for n in (37, 39, 40, 41, 42, 60):
        counted(jitted, *arrays(), n)
    assert jitted.stats.graph_trips > 0


def becomes_a_float(x, y, n):
    k = 1
    for _ in range(n):
        x = x * 0.5 + y * 2 ** (30 - k)
        k = k + 1
    return x, k


def test_a_number_that_comes_to_be_of_another_type_ends_the_launches() -> None:
    jitted = warmed(becomes_a_float, *arrays(), 25)
    for n in (25, 29, 30, 31, 32, 50):
        counted(jitted, *arrays(), n)
    assert jitted.stats.graph_trips > 0


def test_an_interrupted_launch_leaves_item_and_iterator(monkeypatch: pytest.MonkeyPatch) -> None:
    jitted = warmed(averages_in_place, *arrays(), 37)

    def stopped(*_: Any) -> Any:
        raise KeyboardInterrupt

    x, y = arrays()
    with monkeypatch.context() as patch:
        patch.setattr(resident_loop.TripGraphs, "run", stopped)
        with pytest.raises(KeyboardInterrupt):
            jitted(x, y, 37)
    expected = arrays()
    averages_in_place(*expected, 1)
    np.testing.assert_array_equal((x, y), expected)
    assert counted(jitted, *arrays(), 37) == (0, 36)
