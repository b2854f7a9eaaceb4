"""Loops on a device that go on by a number: trips are done at once, and end where NumPy's end.

The device is one that copies, and its graphs are tapes (tests/programs/taped_graphs.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.frontend.replay.trip_numbers import NumberRoom
from npcompile.lower.device import graphs
from tests.runtime.test_loops_at_once import arrays, counted, of_a_global_array, outcome, refusals, warmed
from tests.runtime.test_loops_at_once import device as device

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")

TOLERANCE = 1e-7


def breaks(x, y, tol, most):
    for _ in range(most):
        new = 0.5 * (x + y)
        if np.max(np.abs(new - x)) < tol:
            break
        x = new
    return x


def tells_when(x, y, tol, most):
    err, n = 1.0, 0
    while err > tol:
        new = x.copy()
        new[1:-1] = 0.5 * (x[:-2] + y[2:])
        err = np.abs(new - x).max()
        x = new
        n += 1
    return x, err, n


def in_place(x, y, tol, most):
    n, err = 0, np.inf
    while err > tol and n < most:
        before = x.copy()
        x *= 0.5
        x += y
        err = np.max(np.abs(x - before))
        n += 1
    return x, err, n


def of_a_global(x, y, tol, most):
    err = 1.0
    while err > TOLERANCE:
        new = 0.5 * x + y
        err = np.max(np.abs(new - x))
        x = new
    return x, err


def of_pythons_numbers(x, y, tol, most):
    total, n = 0.0, 0
    for _ in range(most):
        x = 0.5 * x + y
        total += float(np.sum(x))
        n = n + 2
        if total > 1 / tol:
            break
    return x, total, n


def returns(x, y, tol, most):
    for _ in range(most):
        new = 0.5 * (x + y)
        err = np.max(np.abs(new - x))
        if err < tol:
            return new, "settled", err
        x = new
    return x, "never", err


def with_else(x, y, tol, most):
    for _ in range(most):
        new = 0.5 * (x + y)
        err = np.max(np.abs(new - x))
        x = new
        if err < tol:
            break
    else:
        y[:] = 0
    return x, err


def turns_once(x, y, tol, most):
    turned = 0
    for _ in range(most):
        x = 0.9 * x
        size = np.max(x)
        if size < 0.1:
            x = x * 8
            turned += 1
    return x, turned


def decides_within(x, y, tol, most):
    n = 0
    for _ in range(most):
        x = 0.9 * x
        if np.max(x) > tol:
            y = y + 1
            n += 1
    return x, y, n


def divides(x, y, tol, most):
    n, share = 0, 0.0
    for _ in range(most):
        x *= 0.5
        size = np.max(x)
        n += 1
        share = 1 / (5 * len(x) - n)
    return x, size, n, share


PROGRAMS = [
    breaks,
    tells_when,
    in_place,
    of_a_global,
    of_pythons_numbers,
    returns,
    with_else,
    turns_once,
    decides_within,
    divides,
]


@pytest.mark.parametrize("given", [np.asarray, npcompile.asarray], ids=["numpy", "device"])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_answers_are_numpys_to_the_bit(function: Any, given: Any) -> None:
    jitted = warmed(function, *arrays(), 1e-6, 40, given=given)
    done = 0
    for tol, most in ((1e-6, 40), (1e-6, 20), (1e-3, 40), (0.5, 3), (0.0078125, 18), (1e-12, 50), (1e-6, 40)):
        done += counted(jitted, *arrays(), tol, most, given=given)[1]
    assert done, (refusals(jitted), jitted.stats)


def trips_of(function: Any, *args: Any) -> int:
    return int(function(*arrays(), *args)[2])


@pytest.mark.parametrize("function", [tells_when, in_place], ids=lambda f: f.__name__)
def test_all_trips_are_launched_but_the_first_and_one_that_goes_another_way(function: Any) -> None:
    jitted = warmed(function, *arrays(), 1e-6, 90)
    # The condition of a `while` loop is asked again before a trip: what ends is no trip.
    expected = trips_of(function, 1e-6, 90) - 1
    assert counted(jitted, *arrays(), 1e-6, 90) == (0, expected)


def test_a_trip_that_ends_the_loop_is_done_by_its_blocks() -> None:
    jitted = warmed(breaks, *arrays(), 1e-6, 90)
    x, y = arrays()
    trips = 0
    while np.max(np.abs(0.5 * (x + y) - x)) >= 1e-6:
        x = 0.5 * (x + y)
        trips += 1
    assert counted(jitted, *arrays(), 1e-6, 90) == (0, trips - 1)


def ends_at(x, last, most):
    n = 0
    for _ in range(most):
        x = x + 1.0
        n += 1
        if np.max(x) > last:
            break
    return x, n


def test_trips_that_are_done_again_are_launched_several_at_once() -> None:
    jitted = warmed(ends_at, np.zeros(8), 30.5, 100)
    launches = graphs.using.capturer.launches  # type: ignore[attr-defined]
    assert counted(jitted, np.full(8, 13.0), 30.5, 100) == (0, 16)
    # Trips 2 to 5; 16 that are undone, as one of them ends the loop; those before it again, 4 and 4 and 4.
    assert graphs.using.capturer.launches == launches + 5  # type: ignore[attr-defined]


def test_numbers_cross_once_a_trip() -> None:
    jitted = warmed(breaks, *arrays(), 1e-6, 90)
    crossed = []
    for tol in (1e-6, 1e-9):
        before = jitted.stats
        counted(jitted, *arrays(), tol, 90)
        crossed.append(jitted.stats.bytes_from_device - before.bytes_from_device)
        assert jitted.stats.bytes_to_device - before.bytes_to_device == 2 * 72
    assert all(72 <= one < 72 + 90 for one in crossed)


def reads_a_view(a, b, tol, most):
    x, d = np.zeros_like(b), np.diag(a)
    for _ in range(most):
        r = b - a @ x
        if np.sum(r * r) < tol:
            return x
        x = x + r / d
    return x


@pytest.mark.parametrize("given", [np.array, npcompile.asarray])
def test_arrays_of_the_device_may_be_views_that_are_only_read(given: Any) -> None:
    a, b = np.eye(9) * 2 + 0.125, np.linspace(0.5, 1.5, 9)
    jitted = npcompile.jit(reads_a_view, wait=True)
    for _ in range(9):
        np.testing.assert_allclose(jitted(given(a), given(b), 1e-6, 90), reads_a_view(a, b, 1e-6, 90))
    assert jitted.stats.graph_trips > 0


def takes_turns(x, y, tol, most):
    turn = 0
    for _ in range(most):
        x = 0.9 * x
        turn = 1 - turn
        if turn:
            y = y + 1
    return x, y


def test_graphs_that_do_no_trip_are_not_launched_again() -> None:
    jitted = warmed(takes_turns, *arrays(), 0.0, 40)
    launches = graphs.using.capturer.launches  # type: ignore[attr-defined]
    assert counted(jitted, *arrays(), 0.0, 40) == (0, 0)
    assert graphs.using.capturer.launches == launches  # type: ignore[attr-defined]
    assert refusals(jitted) == ["its trips seldom go the same way"]


def test_explain_tells_of_both() -> None:
    args = *arrays(), 1e-6, 90
    told = npcompile.explain(warmed(breaks, *args), *args)
    ((line, what),) = told.graphs
    assert line == breaks.__code__.co_firstlineno + 1 and what.endswith(" trips were done as CUDA graphs")
    assert f"loops on the device:\n  line {line}: {what}" in told.text("program")
    told = npcompile.explain(warmed(of_a_global_array, *arrays(), 37), *arrays(), 37)
    ((_, what),) = told.graphs
    read = of_a_global_array.__code__.co_firstlineno + 2
    assert what == f"not done as CUDA graphs: line {read}: what it reads is no local name of the loop"


def hands_on_numbers(x, y, tol, most):
    before = 0.0
    for _ in range(most):
        x = x * 0.5 + y
        size = np.max(x)
        x = x / size + before * 0.125
        if abs(size - before) < tol:
            break
        before = size
    return x, size


def conjugate_gradient(x, y, tol, most):
    r = y - x
    p, rs, n = r, np.max(r * r), 0
    while rs > tol and n < most:
        step = 1.5 * p
        alpha = rs / np.max(p * step)
        x = x + alpha * p
        r = r - 0.25 * alpha * step
        new = np.max(r * r)
        p = r + (new / rs) * p
        rs = new
        n += 1
    return x, rs, n


def of_floats(x, y, tol, most):
    scale, x, y = 1.0, x.astype(np.float32), y.astype(np.float32)
    for _ in range(most):
        x = x * scale + y
        top = x.max()
        scale = float(top) / 1.5
        if top > 1e9 * tol:
            x = x / top
    return x, scale, top


@pytest.mark.parametrize("function", [hands_on_numbers, conjugate_gradient, of_floats])
def test_numbers_that_kernels_give_and_are_given_stay_on_the_device(function: Any) -> None:
    jitted = warmed(function, *arrays(), 1e-6, 40)
    for tol, most in ((1e-6, 40), (1e-3, 40), (1e-12, 23), (0.5, 40)):
        counted(jitted, *arrays(), tol, most)
    before = jitted.stats.bytes_to_device
    launches = graphs.using.capturer.launches  # type: ignore[attr-defined]
    _, trips = counted(jitted, *arrays(), 1e-6, 40)
    assert trips > 0, refusals(jitted)
    # Before a launch, a kernel is given the number of the trip before it.
    launches = graphs.using.capturer.launches - launches  # type: ignore[attr-defined]
    assert jitted.stats.bytes_to_device - before == 2 * 72 + 16 * launches


@pytest.mark.parametrize(("function", "passes"), [(in_place, 1), (conjugate_gradient, 2)])
def test_trips_are_evaluated_before_a_launch_only_where_kernels_are_given_numbers(
    function: Any, passes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    jitted = warmed(function, *arrays(), 1e-6, 90)
    seen: set[bool] = set()
    evaluated = NumberRoom.evaluated

    def noted(room: Any, *args: Any, is_ahead: bool) -> Any:
        seen.add(is_ahead)
        return evaluated(room, *args, is_ahead=is_ahead)

    monkeypatch.setattr(NumberRoom, "evaluated", noted)
    assert counted(jitted, *arrays(), 1e-6, 90)[1] > 0
    assert len(seen) == passes


def counts_into(x, y, tol, most):
    n = 1
    for _ in range(most):
        x = x * 0.5 + y / n
        n += 1
        if np.max(x) < tol:
            break
    return x, n


def test_a_number_of_pythons_is_given_to_kernels() -> None:
    jitted = warmed(counts_into, *arrays(), 1e-6, 90)
    assert counted(jitted, *arrays(), 1e-6, 90) == (0, 89)


def asks_within(x, y, tol, most):
    for _ in range(most):
        x = x * 0.5 + y if np.sum(x) > 0 else x * 0.25
        if np.max(x) < tol:
            break
    return x


def swaps(x, y, tol, most):
    n = 0
    for _ in range(most):
        y[1:] = 0.5 * x[:-1] + 0.125
        if np.max(np.abs(y - x)) < tol:
            break
        x, y = y, x
        n += 1
    return x, y, n


def shows(x, y, tol, most):
    seen = []
    for _ in range(most):
        x = x * 0.5 + y
        err = np.max(x)
        seen.append(err)
        if err < tol:
            break
    return x, seen[-1], len(seen)


def test_names_that_change_places_do_two_trips_at_once() -> None:
    jitted = warmed(swaps, *arrays(), 1e-6, 40)
    for most in (40, 21, 8, 7, 6):
        trips = counted(jitted, *arrays(), 1e-6, most)[1]
        assert most - 4 < trips < most and trips % 2 == 0
    for tol in (0.3, 0.2, 0.1, 0.05):  # ends after some trips
        counted(jitted, *arrays(), tol, 40)


@pytest.mark.parametrize("function", [asks_within, swaps, shows], ids=lambda f: f.__name__)
def test_other_loops_have_numpys_answers(function: Any) -> None:
    jitted = warmed(function, *arrays(), 1e-6, 40)
    for tol in (1e-6, 1e-3, 0.5):
        counted(jitted, *arrays(), tol, 40)


def test_an_interrupted_launch_leaves_the_loop_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    jitted = warmed(in_place, *arrays(), 1e-9, 40)
    x, y = arrays()

    def interrupted(_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(graphs.using.capturer, "wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            jitted(x, y, 1e-9, 40)
    expected = arrays()
    in_place(*expected, 0.0, 1)
    np.testing.assert_array_equal((x, y), expected)
    assert outcome(jitted, *arrays(), 1e-9, 40) == outcome(in_place, *arrays(), 1e-9, 40)
