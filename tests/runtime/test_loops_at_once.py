"""Loops on a device whose trips are captured as graphs: answers are NumPy's, captures and trips are counted.

The device is one that copies, and its graphs are tapes (tests/programs/taped_graphs.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.frontend.replay import resident_loop
from npcompile.lower.device import graphs, memory
from npcompile.partition import call
from npcompile.partition.partitioned import PartitionedFunction
from tests.programs import copying_device
from tests.runtime.test_resident_arrays import in_place, made_inside, new_arrays, parts_read

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")

FIRST = 9  # calls after which graphs are there
SCALE = 0.5
TABLE = np.ones(9)


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> None:
    copying_device.use(monkeypatch)
    monkeypatch.setattr(
        call, "are_held", lambda: False
    )  # no contest with NumPy: counts are the same each time


def swapped(x, y, n):
    for _ in range(n):
        y[1:] = x[:-1] * 0.5 + 1
        x, y = y, x
    return x, y


def held_elsewhere(x, y, n):
    first = x
    for _ in range(n):
        x *= 0.5
        x = x + y
    return first, x


def two_loops(x, y, n):
    for _ in range(n):
        x = x * 0.5 + y
    k = -1
    print(end="")
    for k in range(n):  # noqa: B007
        y *= 0.5
        y += x
    return x, y, k


def nested(x, y, n):
    for k in range(4):
        for _ in range(n):
            x = x * 0.5 + y
        y[0] = k
    return x


def by_rows(x, y, n):
    a = np.outer(x, y).T
    for _ in range(n):
        a = a * 0.5 + a.T
        y = a[0] + a[1]
    return a, y


def raises_afterwards(x, y, n):
    for _ in range(n):
        x *= 0.5
        y[:] = y + x
    raise ValueError(n)


def caught(x, y, n):
    try:
        for _ in range(n):
            x *= 0.5
            y[:] = y + x
        y[n] = 0
    except IndexError:
        y[0] = 1
    return x


ALL_AT_ONCE = [new_arrays, in_place, made_inside, swapped, nested, caught, parts_read]
OTHERS = [held_elsewhere, two_loops, by_rows, raises_afterwards]


def outcome(function: Callable[..., Any], *args: Any, given: Any = np.asarray) -> Any:
    """Return the bytes of all that a call leaves: its answer, and its arguments. given: makes the arrays."""
    own = [given(arg.copy()) if isinstance(arg, np.ndarray) else arg for arg in args]
    try:
        answer = function(*own)
    except (ValueError, ZeroDivisionError) as error:
        answer = repr(error)
    values = [*(answer if isinstance(answer, tuple) else (answer,)), *own]
    values = [np.asarray(v) if isinstance(v, npcompile.ndarray) else v for v in values]
    return [
        (type(v), v.dtype, v.shape, v.strides, v.tobytes()) if isinstance(v, np.ndarray) else v
        for v in values
    ]


def arrays(size: int = 9, dtype: Any = np.float64) -> tuple[Any, Any]:
    return np.linspace(0.5, 1.5, size).astype(dtype), np.linspace(1.0, 0.25, size).astype(dtype)


def warmed(function: Callable[..., Any], *args: Any, given: Any = np.asarray) -> Any:
    """Return the jitted function, after calls by which graphs were captured. given: makes the arrays."""
    jitted = npcompile.jit(function, wait=True)
    for _ in range(FIRST):
        assert outcome(jitted, *args, given=given) == outcome(function, *args)
    return jitted


def counted(jitted: Any, *args: Any, given: Any = np.asarray) -> tuple[int, int]:
    """Return the captures and the trips done by graphs of one call, whose answer is NumPy's."""
    before = jitted.stats
    captures, trips = before.graph_captures, before.graph_trips
    assert outcome(jitted, *args, given=given) == outcome(jitted.__wrapped__, *args)
    return jitted.stats.graph_captures - captures, jitted.stats.graph_trips - trips


def refusals(jitted: Any) -> list[str]:
    cuts = [state.partitioned for state in jitted.npcompile_root().by_signature.values()]
    made = [cut.loop_graphs for cut in cuts if isinstance(cut, PartitionedFunction)]
    return [why for one in made if one is not None for why in one.refusals.values()]


@pytest.mark.parametrize("given", [np.asarray, npcompile.asarray], ids=["numpy", "device"])
@pytest.mark.parametrize("function", [*ALL_AT_ONCE, *OTHERS], ids=lambda f: f.__name__)
def test_answers_are_numpys_to_the_bit(function: Callable[..., Any], given: Any) -> None:
    jitted = warmed(function, *arrays(), 37, given=given)
    for n in (0, 1, 2, 5, 6, 22, 37):
        counted(jitted, *arrays(), n, given=given)
    if function in ALL_AT_ONCE:
        assert jitted.stats.graph_trips > 0, refusals(jitted)


@pytest.mark.parametrize("function", ALL_AT_ONCE, ids=lambda f: f.__name__)
def test_all_trips_but_the_first_are_launched(function: Callable[..., Any]) -> None:
    jitted = warmed(function, *arrays(), 37)
    assert 2 <= jitted.stats.graph_captures <= 3
    loops = 4 if function is nested else 1
    assert counted(jitted, *arrays(), 37) == (0, 36 * loops)


def test_captures_do_not_depend_on_the_number_of_trips() -> None:
    jitted = warmed(new_arrays, *arrays(), 38)
    assert counted(jitted, *arrays(), 38) == (0, 37)
    assert counted(jitted, *arrays(), 300) == (0, 299)
    launches = graphs.using.capturer.launches  # type: ignore[attr-defined]
    counted(jitted, *arrays(), 17)
    assert graphs.using.capturer.launches == launches + 1  # type: ignore[attr-defined]


def test_calls_and_replays_are_counted_as_without_graphs() -> None:
    jitted = warmed(new_arrays, *arrays(), 37)
    before = jitted.stats.calls, jitted.stats.replays
    counted(jitted, *arrays(), 37)
    assert (jitted.stats.calls, jitted.stats.replays) == (before[0] + 1, before[1] + 1)


def test_arrays_cross_once() -> None:
    jitted = warmed(new_arrays, *arrays(), 37)
    before = jitted.stats
    there, back = before.bytes_to_device, before.bytes_from_device
    counted(jitted, *arrays(), 37)
    after = jitted.stats
    assert (after.bytes_to_device - there, after.bytes_from_device - back) == (2 * 72, 2 * 72)


def test_other_shapes_and_types_have_graphs_of_their_own() -> None:
    jitted = warmed(new_arrays, *arrays(), 37)
    for args in (arrays(12), arrays(9, np.float32)):
        for _ in range(FIRST):
            counted(jitted, *args, 37)
        assert counted(jitted, *args, 37) == (0, 36)
    assert counted(jitted, *arrays(), 37) == (0, 36)


def of_a_number(x, y, n, step):
    for _ in range(n):
        x = x + step * y
    return x


def test_a_number_of_another_value_is_not_the_captured_one() -> None:
    jitted = warmed(of_a_number, *arrays(), 37, 0.25)
    for step in (0.25, 0.5, 0.0, -0.0, 0.25, float("nan")):
        counted(jitted, *arrays(), 37, step)
    assert counted(jitted, *arrays(), 37, 0.25) == (0, 36)


def test_numbers_that_are_others_each_time_end_capturing() -> None:
    jitted = warmed(of_a_number, *arrays(), 37, 0.25)
    for step in range(60):
        counted(jitted, *arrays(), 37, 1.0 + step // 2)
    assert jitted.stats.graph_captures <= 3 * resident_loop.MOST_CAPTURED
    assert refusals(jitted) == ["its shapes or numbers are others each time"]


def of_globals(x, y, n):
    for _ in range(n):
        x = x * SCALE + y
    return x


def test_a_global_number_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    jitted = warmed(of_globals, *arrays(), 37)
    assert counted(jitted, *arrays(), 37) == (0, 36)
    for scale in (0.25, 0.75, 0.25):
        monkeypatch.setitem(globals(), "SCALE", scale)
        counted(jitted, *arrays(), 37)


def of_a_global_array(x, y, n):
    for _ in range(n):
        x = x * 0.5 + TABLE
    return x


def test_a_global_array_is_read_at_each_trip() -> None:
    jitted = warmed(of_a_global_array, *arrays(), 37)
    assert jitted.stats.graph_trips == 0
    assert "what it reads is no local name of the loop" in refusals(jitted)[0]


def tells_numbers(x, y, n):
    for _ in range(n):
        x = x * 0.5 + y
        total = np.sum(x)
    return x, total


def test_numbers_that_blocks_give_are_those_of_the_last_trip() -> None:
    jitted = warmed(tells_numbers, *arrays(), 37)
    for n in (37, 22, 6, 5):
        assert counted(jitted, *arrays(), n) == (0, n - 1)


def test_an_array_that_is_written_and_let_go_of_is_not_captured() -> None:
    jitted = warmed(held_elsewhere, *arrays(), 37)
    assert refusals(jitted) == ["an array is written that later trips do not have"]


def sums_into(x, y, n):
    for _ in range(n):
        y += x
    return y


def test_arrays_that_come_to_share_memory_have_no_graph_of_others() -> None:
    jitted = warmed(sums_into, *arrays(), 37)
    assert counted(jitted, *arrays(), 37) == (0, 36)
    whole = np.linspace(0.5, 1.5, 10)
    for given in (whole.copy(), whole.copy()):
        expected = given.copy()
        sums_into(expected[:-1], expected[1:], 37)
        jitted(given[:-1], given[1:], 37)
        np.testing.assert_array_equal(given, expected)


def test_large_arrays_are_not_copied_for_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs.using.capturer, "room", lambda _: 4 * 140)
    jitted = warmed(new_arrays, *arrays(), 37)
    assert jitted.stats.graph_trips == 0
    assert refusals(jitted) == ["its arrays take 144 bytes, a large part of the device's memory"]


def test_graphs_are_given_up_where_memory_is_short_and_made_again() -> None:
    jitted = warmed(new_arrays, *arrays(), 37)
    memory.release()
    assert counted(jitted, *arrays(), 37) == (2, 36)
    assert counted(jitted, *arrays(), 37) == (0, 36)


def test_two_functions_take_turns() -> None:
    jitted = [warmed(function, *arrays(), 37) for function in (new_arrays, in_place)]
    for _ in range(3):
        assert [counted(one, *arrays(), 37) for one in jitted] == [(0, 36), (0, 36)]


def test_a_failing_launch_leaves_the_loop_as_after_one_trip(monkeypatch: pytest.MonkeyPatch) -> None:
    jitted = warmed(in_place, *arrays(), 37)

    def stopped(*_: Any) -> Any:
        raise KeyboardInterrupt

    x, y = arrays()
    with monkeypatch.context() as patch:
        patch.setattr(resident_loop.TripGraphs, "run", stopped)
        with pytest.raises(KeyboardInterrupt):
            jitted(x, y, 37)
    expected = arrays()
    in_place(*expected, 1)
    np.testing.assert_array_equal((x, y), expected)
    assert counted(jitted, *arrays(), 37) == (0, 36)
