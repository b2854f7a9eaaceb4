"""Names that a branch, a loop or a `with` may leave without a value: what reads them is still compiled.
Where they have none, Python's own exception comes from its place."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    yield


def after_a_branch(x, record):
    if record["mode"] == "train":
        y = x * 2 - 1
    elif record["mode"] == "test":
        y = x + 3
    while record["calls"] < 2:
        record["calls"] += 1
    z = y * y - x
    return np.sqrt(np.abs(z)) + z


def bound_anew_in_branches(root, x, d, zeros):
    x, d = np.atleast_1d(x), np.atleast_1d(d)
    near = root(x)
    below = root(x - d * 1e-9)
    assert np.all(np.abs(near - below) < 9), below
    if zeros:
        left = (x.real == 0) & (d.real != 0)
        right = (x.imag == 0) & (d.imag != 0)
        if np.any(left):
            part = x[left]
            part.real = -0.0
            below = root(part)
            assert np.all(np.abs(near[left] - below) < 9), below
        if np.any(right):
            part = x[right]
            part.imag = -0.0
            below = root(part)
            assert np.all(np.abs(near[right] - below) < 9), below


def after_errstate(x, record):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = x / (x - x.max())
    while record["calls"] < 2:
        record["calls"] += 1
    y = np.where(np.isfinite(y), y, 0.0)
    return y * 2 + x


def after_a_loop(x, record):
    trips = 0
    while trips < record["calls"]:
        change = x * 0.5
        x = x - change
        trips += 1
    record["calls"] += 1
    x = x + change * change
    return x * np.exp(-x)


def in_place_before(x, record):
    if record["mode"] != "none":
        y = x.copy()
    while record["calls"] < 2:
        record["calls"] += 1
    x += 1
    x *= 2
    x -= y * y
    return x


FUNCTIONS = [after_a_branch, after_errstate, after_a_loop, in_place_before]


def outcome(fn: Callable[..., Any], x: np.ndarray, record: dict[str, Any]) -> tuple[Any, ...]:
    try:
        result: Any = fn(x, record)
    except UnboundLocalError as error:
        lines = []
        trace = error.__traceback__
        while trace is not None:
            if (
                trace.tb_frame.f_code.co_filename == __file__
                and trace.tb_frame.f_code is not outcome.__code__
            ):
                lines.append(trace.tb_lineno)
            trace = trace.tb_next
        result = str(error), lines, error.__context__
    return result, x, record


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_is_right_with_and_without_a_value(fn: Callable[..., Any]) -> None:
    jitted = npcompile.jit(fn)
    for seed, mode in enumerate(("train", "train", "test", "none", "train", "none", "test")):
        x = np.random.default_rng(seed).integers(1, 9, 6) / 4
        record = {"mode": mode, "calls": seed % 3}
        want = outcome(fn, x.copy(), copy.copy(record))
        same(outcome(jitted, x.copy(), record), want, where=f"{fn.__name__} {seed}")


def test_a_name_that_is_bound_anew_before_it_is_read_is_not_asked_for() -> None:
    jitted = npcompile.jit(bound_anew_in_branches)
    for _ in range(5):
        jitted(np.log, -0.5 + 0j, 1j, True)


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_what_reads_it_is_in_a_block(fn: Callable[..., Any]) -> None:
    jitted = npcompile.jit(fn)
    for _ in range(4):
        x = np.arange(1.0, 7.0)
        jitted(x, {"mode": "train", "calls": 2})
    (state,) = jitted.npcompile_root().by_signature.values()
    takes = [set(block.piece.block.takes) for block in state.partitioned.current()]
    assert any({"y", "change"} & names for names in takes), takes
    assert jitted.stats.replays > 0


G = np.arange(3.0)


def test_a_local_of_a_globals_name_stays_local() -> None:
    def halved(x, times):
        y = np.square(G)  # noqa: F823 - a local, for what comes below
        for _ in range(times):
            y /= 2
        if times:
            G /= x  # noqa: F841
        return y

    jitted = npcompile.jit(halved, wait=True)
    for times in (3, 3, 40, 0):
        with pytest.raises(UnboundLocalError):
            jitted(2.0, times)
