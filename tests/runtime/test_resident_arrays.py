"""Arrays that stay on the device between the blocks of a call: answers are NumPy's, bytes cross once.

The device is one that copies (tests/programs/copying_device.py). It spoils the NumPy arrays whose values lie
on the device, so that whoever looks at one too early shows in the answer.
"""

from __future__ import annotations

import contextlib
import copy
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.diagnostics.stats import Stats
from npcompile.frontend.boundary.faults import Fault, InternalError
from npcompile.frontend.program.guards import Diverged
from npcompile.frontend.replay.residency import Residency, Use
from tests.programs import copying_device

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")

CALLS = 12  # the first ones record, and some measure what stays Python


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> None:
    copying_device.use(monkeypatch)


SEEN: list[Any] = []
STATE = np.zeros(8)


def new_arrays(x, y, n):
    for _ in range(n):
        x = x * 0.5 + y
        y = y - x * 0.25
    return x, y


def in_place(x, y, n):
    for _ in range(n):
        x[1:-1] = 0.5 * (y[:-2] + y[2:])
        y[1:-1] = 0.5 * (x[:-2] + x[2:])


def made_inside(x, y, n):
    z, count = np.zeros_like(x), np.zeros(x.shape, dtype=np.int64)
    for _ in range(n):
        z = np.where(z < 2, z * z + x, z)
        count += z < 2
    return count


def until_small(x, y, n):
    error, trips = 1.0, 0
    while error > 1e-3 and trips < n:
        new = 0.5 * (x + np.roll(x, 1))
        error = np.max(np.abs(new - x))
        x = new
        trips += 1
    return x, trips


def block_as_test(x, y, n):
    trips = 0
    while np.sum(x) > 1.0:
        x = x * 0.5
        trips += 1
        if trips > n:
            break
    return x, trips


def told_now_and_then(x, y, n):
    history = []
    for k in range(n):
        x = x * 0.5 + y
        if k % 3 == 0:
            history.append(x.copy())
            SEEN.append(float(x[0]))
    return history, x


def handles_kept(x, y, n):
    history = []
    for _ in range(n):
        x = x * 0.5 + y
        history.append(x)
    return history


def written_by_python(x, y, n):
    for k in range(n):
        x = x * 0.5 + y
        x[k % len(x)] = k
        y[0] += x[-1]
    return x


def swapped(x, y, n):
    for _ in range(n):
        y[1:] = x[:-1] * 0.5 + 1
        x, y = y, x
    return x


def through_a_view(x, y, n):
    inner = x[2:-2]
    for _ in range(n):
        inner *= 0.5
        x[0] += 1
        y = y + x
    return y, inner


def by_a_view_alone(x, y, n):
    inner = np.zeros(40)[4:12]
    kept = inner.base
    for _ in range(n):
        inner += x[0] + 1
    del inner
    return kept


def items_of_the_written(x, y, n):
    total = 0.0
    for value in x:
        x[1:] = x[1:] * 0.5 + y[1:]
        total += value
    return total, x


def items_of_another(x, y, n):
    for k, step in enumerate(y):
        x = x * 0.5 + step
        x[0] = k
    return x


def rows(x, y, n):
    table = np.arange(4.0 * len(x)).reshape(4, len(x))
    for row, other in zip(table, reversed(table), strict=True):
        x = x + row * 0.5
        other += x
    return x, table


def drawn_by_python(x, y, n):
    def steps():
        for k in range(n):
            yield k * float(x[1])

    for step in steps():
        x[1:] = x[1:] * 0.5 + step
        y = y + x
    return y


def opaque_calls(x, y, n):
    for _ in range(n):
        x = x * 0.5 + y
        SEEN.append(looked_at(x))
    return x


def looked_at(x):
    STATE[0] += x[0]
    return [float(value) for value in x]


def of_a_global(x, y, n):
    for _ in range(n):
        STATE[:] = STATE * 0.5 + x[: len(STATE)]
        y = y + STATE[1]
    return y


class Box:
    def __init__(self, u):
        self.u = u

    def step(self, y):
        self.u = self.u * 0.5 + y
        self.u[0] = 1.0


def of_an_object(x, y, n):
    box = Box(x)
    for _ in range(n):
        box.step(y)
        y = y + box.u
    return box.u, y


def raised(x, y, n):
    for k in range(n):
        x *= 0.5
        y[:] = y + x
        if k == 3:
            raise ValueError(k)
    return x


def caught(x, y, n):
    for k in range(n):
        x *= 0.5
        try:
            y[:] = y + x
            if k % 2:
                raise ValueError(k)
        except ValueError:
            SEEN.append(y.copy())
            y[0] = -k
        finally:
            x[0] += y[0]
    return x


def under_errstate(x, y, n):
    with np.errstate(all="ignore"):
        for _ in range(n):
            x = x / (y - 1)
            y = np.sqrt(y + x)
    return x, y


def returned_within(x, y, n):
    for k in range(n):
        x = x * 0.5 + y
        if k == 4:
            return x, k
    return y, n


def nested(x, y, n):
    for k in range(n):
        for _ in range(3):
            x = x * 0.5 + y
        if k % 2 == 0:
            y = y - x * 0.1
        else:
            y = y + x * 0.1
    return x, y


def unpacked(x, y, n):
    for _ in range(n):
        x = x * 0.5 + y
        first, *_rest = x
        y = y + first
    return y


def in_a_closure(x, y, n):
    def told():
        return x.sum()

    for _ in range(n):
        y = y * 0.5 + 1
        x[:] = y
    return told, y


def overlapping(x, y, n):
    left, right = x[:-1], x[1:]
    for _ in range(n):
        left *= 0.5
        right += left[0]
    return x


def by_a_buffer(x, y, n):
    other = np.frombuffer(x.data)
    for _ in range(n):
        x *= 0.5
        y = y + other
    return y


def of_a_subclass(x, y, n):
    other = x.view(Other)
    for _ in range(n):
        x *= 0.5
        y = y + np.asarray(other)
    return y


class Other(np.ndarray):
    pass


def parts_read(x, y, n):
    left, right = x[:-1], x[1:]
    for _ in range(n):
        y[1:] = y[1:] * 0.5 + left * x[1:] + right
    return y


def parts_in_turn(x, y, n):
    left, right = x[:-1], x[1:]
    for k in range(n):
        y[1:] = y[1:] * 0.5 + left + right
        if k % 2:
            right *= 0.5
        if k % 3:
            x[0] = y[1] = k
    return y


def printed(x, y, n):
    for k in range(n):
        x = x * 0.5 + y
        print(k, x)
    return x


def of_python_text(x, y, n):
    lines = []
    for k in range(n):
        x = x * 0.5 + y
        lines.append(f"{k}: {x[0]:.3f} {x.sum():.2f}")
    return lines


PROGRAMS: list[Callable[..., Any]] = [
    value for value in list(globals().values()) if getattr(value, "__code__", None) is not None
]
PROGRAMS = [f for f in PROGRAMS if f.__code__.co_varnames[: f.__code__.co_argcount] == ("x", "y", "n")]
# In these Python looks at no array, and makes none, at a trip: arrays cross once a call.
ONCE = [
    new_arrays,
    in_place,
    made_inside,
    until_small,
    block_as_test,
    swapped,
    nested,
    returned_within,
    parts_read,
]


def outcome(function: Callable[..., Any], n: int, size: int = 11) -> Any:
    """Return all that a call leaves: its answer, its arguments, and what it has shown to others."""
    SEEN.clear()
    STATE[:] = np.arange(8.0)
    x, y = np.linspace(0.5, 1.5, size), np.linspace(1.0, 0.25, size)
    shown = io.StringIO()
    try:
        with contextlib.redirect_stdout(shown):
            answer = function(x, y, n)
        if isinstance(answer, tuple) and callable(answer[0]):
            answer = answer[0](), *answer[1:]
    except ValueError as error:
        answer = repr(error)
    return copy.deepcopy((answer, x, y, SEEN, STATE, shown.getvalue()))


def are_same(got: Any, want: Any) -> None:
    assert type(got) is type(want)
    if isinstance(want, tuple | list):
        assert len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            are_same(one, other)
    elif isinstance(want, np.ndarray | float):
        np.testing.assert_allclose(got, want, rtol=1e-12)
    else:
        assert got == want


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_answers_are_numpys(function: Callable[..., Any]) -> None:
    jitted = npcompile.jit(function, wait=True)
    for _ in range(CALLS):
        are_same(outcome(jitted, 7), outcome(function, 7))


@pytest.mark.parametrize("function", ONCE, ids=lambda f: f.__name__)
def test_bytes_do_not_depend_on_the_number_of_trips(function: Callable[..., Any]) -> None:
    jitted = npcompile.jit(function, wait=True)
    for _ in range(CALLS):
        outcome(jitted, 9)
    crossed = []
    for n in (9, 18):
        before = jitted.stats
        outcome(jitted, n)
        after = jitted.stats
        assert after.replays == before.replays + 1
        there = after.bytes_to_device - before.bytes_to_device
        crossed.append((there, after.bytes_from_device - before.bytes_from_device))
    assert crossed[0] == crossed[1]


def test_arguments_cross_once_and_results_once() -> None:
    jitted = npcompile.jit(new_arrays, wait=True)
    for _ in range(CALLS):
        outcome(jitted, 9, size=100)
    before = jitted.stats
    outcome(jitted, 9, size=100)
    after = jitted.stats
    assert after.bytes_to_device - before.bytes_to_device == 2 * 800
    assert after.bytes_from_device - before.bytes_from_device == 2 * 800


def test_arrays_that_only_local_names_hold_do_not_come_back() -> None:
    jitted = npcompile.jit(made_inside, wait=True)
    for _ in range(CALLS):
        outcome(jitted, 9, size=100)
    before = jitted.stats.bytes_from_device
    outcome(jitted, 9, size=100)
    assert jitted.stats.bytes_from_device - before == 800


def test_values_that_a_failing_kernel_has_lost_are_told() -> None:
    lane = copying_device.Lane("cuda")
    host = np.arange(4.0)

    def half(*_: Any) -> None:
        array = lane.enter(host, Use.WRITTEN)
        array += 1
        lane.give_back(host, array)

    def failing(*_: Any) -> None:
        array = lane.enter(host, Use.WRITTEN)
        lane.begin_writing()
        array[:2] = 0.0
        raise Diverged from MemoryError("no memory is left")

    faults: list[Fault] = []
    with pytest.raises(InternalError, match=r"no memory is left.*stays"):
        with Residency(Stats(), faults.append) as table:
            table.replay(half, [])
            table.replay(failing, [])
    assert len(faults) == 1


def indexed(x, y, n):
    x *= 0.5
    print(end="")
    try:
        x[n] = 1.0
    except IndexError:
        y[0] = 5.0
    return x + y


def test_a_step_that_fails_before_it_writes_loses_nothing() -> None:
    jitted = npcompile.jit(indexed, wait=True)
    for n in (3, 4, 3, 4, 3, 5, 22, 3, 22):
        are_same(outcome(jitted, n), outcome(indexed, n))


def test_a_failing_kernel_leaves_values_that_the_host_has() -> None:
    lane = copying_device.Lane("cuda")
    host = np.arange(4.0)

    def failing(*_: Any) -> None:
        array = lane.enter(host, Use.WRITTEN)
        lane.begin_writing()
        array[:2] = 9.0
        raise Diverged from MemoryError("no memory is left")

    def read(*_: Any) -> Any:
        return np.asarray(lane.enter(host))

    faults: list[Fault] = []
    with Residency(Stats(), faults.append) as table:
        with pytest.raises(Diverged):
            table.replay(failing, [])
        np.testing.assert_array_equal(table.replay(read, []), np.arange(4.0))
    assert not faults


def test_the_host_gets_the_values_of_arrays_that_can_be_copied_where_npcompile_fails() -> None:
    """Two arrays are written; one cannot be copied back. The fault is told, the other has its values."""
    lane = copying_device.Lane("cuda")
    lost, kept = np.arange(4.0), np.arange(4.0)

    def add(*_: Any) -> None:
        for host in (lost, kept):
            array = lane.enter(host, Use.WRITTEN)
            array += 1
            lane.give_back(host, array)

    copy_back = type(lane).copy_back

    def failing(self: Any, host: Any, array: Any) -> None:
        if host is lost:
            raise KeyError("by_data")
        copy_back(self, host, array)

    faults: list[Fault] = []
    with pytest.MonkeyPatch.context() as patch, pytest.raises(InternalError, match=r"KeyError.*stays"):
        with Residency(Stats(), faults.append) as table:
            table.replay(add, [])
            patch.setattr(type(lane), "copy_back", failing)
            table.look(kept)
    assert len(faults) == 1
    np.testing.assert_array_equal(kept, np.arange(4.0) + 1)


def test_what_fails_beside_the_arrays_changes_no_answer() -> None:
    faults: list[Fault] = []
    with pytest.MonkeyPatch.context() as patch, Residency(Stats(), faults.append) as table:
        patch.setattr(Residency, "forget", lambda self: 1 / 0)
        host, lane = np.arange(4.0), copying_device.Lane("cuda")
        table.replay(lambda: lane.enter(host), [])
        assert table.taken(host) is host
        assert not table._entries and len(faults) == 1
