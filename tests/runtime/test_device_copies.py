"""Replays on a device with memory of its own: what has to be copied there and back is, at the right time."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.partition import call as calls_of_blocks
from tests.programs import copying_device, random_history_programs
from tests.programs.array_program_generator import Grower
from tests.programs.history_program_generator import HistoryGrower
from tests.programs.random_array_programs import check
from tests.test_examples import TABLE, Row, beside_each_other, call_by_call, name_of

__all__ = ["beside_each_other"]  # a fixture

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> None:
    copying_device.use(monkeypatch)


@pytest.mark.usefixtures("beside_each_other")
@pytest.mark.parametrize("row", TABLE, ids=name_of)
def test_an_example_gives_numpys_answers(row: Row) -> None:
    call_by_call(row)


# Makers of results of opaque calls, and readers that show them: lists to extend.

STATE = np.zeros(4)
SEEN: list[Any] = []


def look(*arrays):
    SEEN.append([np.array(array) for array in (STATE, *arrays)])


def change(array):
    array += 1
    STATE[1] += 5


def same(array):
    return array


def written_global(x):
    STATE[:2] = x[:2] * 2
    return STATE.sum() + x


def looked_at_after_writes(x):
    x *= 2
    y = x + 1
    y[0] = 7
    STATE[2:] = y[2:]
    look(x, y)
    y[1] = 8
    return y


def changed_by_a_call(x):
    y = x * 2
    change(y)
    change(x)
    return x + y, STATE + 1


def handed_out_and_written(x):
    y = x + 1
    SEEN.append(y)
    y *= 3
    return y[::-1], y, y


def given_back_by_a_call(x):
    y = same(x)
    y[0] = 5
    return x + y


def backwards(x):
    z = x[::-1]
    z[1:] *= 2
    return np.concatenate([z, x])[[0, 5]], z


def draws(rng, x):
    noise = rng.normal(size=len(x))
    x += noise
    return noise, x


def in_an_object(x, box):
    box.value = x * 2
    box.value += 1
    return box.value


class Box:
    pass


COPIED = [
    written_global,
    looked_at_after_writes,
    changed_by_a_call,
    handed_out_and_written,
    given_back_by_a_call,
    backwards,
]


@pytest.mark.parametrize("function", COPIED)
def test_copies_are_made_in_time(function: Any) -> None:
    jitted = npcompile.jit(function)
    for call in range(4):
        outcomes = []
        for each in (function, jitted):
            STATE[:] = call
            SEEN.clear()
            x = (np.arange(4.0) + call)[::-1]
            result = each(x)
            outcomes.append([result, x, STATE.copy(), list(SEEN)])
            assert type(result) in (tuple, np.ndarray)
        np.testing.assert_equal(outcomes[1], outcomes[0])
        for kept, given in zip(flat(outcomes[1]), flat(outcomes[0]), strict=True):
            assert type(kept) is type(given) and getattr(kept, "strides", 0) == getattr(given, "strides", 0)


def constant_places(x):
    return x[np.tril_indices(2)[0]], x[np.nonzero(np.ones(3))[0]]


def constant_given_back(x):
    ones = np.ones(4)[np.arange(4) > 1]
    return ones, x[1] * 2


def written_constant(x):
    ones = np.ones(4)[np.ones(4) > 0]
    ones[1] = 7
    ones[2:] += x[:2]
    return ones[::-1], ones


@pytest.mark.parametrize("function", [constant_places, constant_given_back, written_constant])
def test_constant_arrays_enter(function: Any) -> None:
    jitted = npcompile.jit(function)
    for call in range(4):
        x = np.arange(4.0) + call
        np.testing.assert_equal(jitted(x), function(x))
    assert jitted.stats.replays == 3 and not jitted.stats.reasons, jitted.stats


def raises_midway(x, i):
    x *= 2
    STATE[0] = x[1]
    look(x)
    x[1:] = x[i]


def test_what_an_exception_leaves() -> None:
    jitted = npcompile.jit(raises_midway)
    for i in (2, 3, 2, 9, 3, 2):
        outcomes = []
        for each in (raises_midway, jitted):
            STATE[:] = 0
            x = np.arange(4.0)
            with pytest.raises(IndexError) if i == 9 else contextlib.nullcontext():
                each(x, i)
            outcomes.append((x, STATE.copy()))
        np.testing.assert_equal(outcomes[1], outcomes[0])
    assert jitted.stats.replays >= 3, jitted.stats


def flat(value: Any) -> list[Any]:
    return [item for part in value for item in flat(part)] if isinstance(value, list | tuple) else [value]


def test_draws_and_stores() -> None:
    drawing, storing = npcompile.jit(draws), npcompile.jit(in_an_object)
    for call in range(4):
        x, y = np.arange(5.0), np.arange(5.0)
        got = drawing(np.random.default_rng(call), x)
        np.testing.assert_equal((got, x), (draws(np.random.default_rng(call), y), y))
        assert got[1] is x
        box = Box()
        assert storing(x, box) is box.value and type(box.value) is np.ndarray
        np.testing.assert_array_equal(box.value, x * 2 + 1)
    assert drawing.stats.replays == storing.stats.replays == 3


def test_random_programs(tmp_path: Path) -> None:
    for seed in range(60):
        check(Grower(random.Random(seed)).grow(), tmp_path, seed)


def test_random_programs_on_what_an_object_holds(tmp_path: Path) -> None:
    for seed in range(30):
        random_history_programs.check(HistoryGrower(random.Random(seed)).source, tmp_path, seed)


def adds_into(x, y):
    x += y * 2
    return x + y


def adds_in_a_loop(x, y):
    for _ in range(12):
        x += y * 0.5
    return x + y


@pytest.mark.parametrize("shared_first", [True, False])
@pytest.mark.parametrize("function", [adds_into, adds_in_a_loop])
def test_calls_whose_arguments_share_memory_leave_the_others_on_the_device(
    function: Any, shared_first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls_of_blocks, "are_held", lambda: False)  # no contest with NumPy
    jitted = npcompile.jit(function, wait=True)

    def compared(given: tuple[Any, Any], other: tuple[Any, Any]) -> int:
        """Compare a call with NumPy's; return the bytes that it copied to the device."""
        before = jitted.stats.bytes_to_device
        got, expected = jitted(*given), function(*other)
        assert got.tobytes() == expected.tobytes()
        assert [array.tobytes() for array in given] == [array.tobytes() for array in other]
        return jitted.stats.bytes_to_device - before

    def shared() -> tuple[Any, Any]:
        whole = np.linspace(0.0, 1.0, 10)
        return whole[:-1], whole[1:]

    def apart() -> tuple[Any, Any]:
        return np.linspace(0.0, 1.0, 9), np.ones(9)

    for _ in range(0 if shared_first else 9):
        compared(apart(), apart())
    for _ in range(40):  # more than may diverge before a signature is closed
        compared(shared(), shared())
    for _ in range(9):
        compared(apart(), apart())
    assert compared(apart(), apart()) == 2 * 72
    assert any("arguments that share memory are written to" in str(one) for one in jitted.stats.reasons)
