"""Calls with NumPy arrays under a device: the host answers those that take less time there.

The device is one that copies, and no clock decides: the tests say how long each call takes.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import npcompile
from npcompile.frontend.pipeline import trace
from npcompile.lower.plan.interpreter import eager
from npcompile.partition import partitioned
from npcompile.runtime import device_choice, fast_path, function, linking
from npcompile.runtime.current_device import current, current_device, is_apart, used
from npcompile.tiering import device_contest
from npcompile.tiering.device_contest import FIRST
from tests.programs import copying_device

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")


class Machine:
    """Says how long calls take on the device and on the host, and notes where each was answered."""

    device, host = 1e-3, 1e-4
    now = 0.0
    places: list[str]

    def clock(self) -> float:
        return self.now

    def answer(self, choice: Any, on_device: bool, request: Any) -> Any:
        self.places.append("D" if on_device else "H")
        result = THERE(choice, on_device, request)
        self.now += self.device if on_device else self.host
        return result


THERE = device_choice.DeviceChoice._there


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    copying_device.use(monkeypatch)
    made = Machine()
    made.places = []

    def traced(*args: Any) -> Any:
        apart = current_device() is not None
        return (copying_device.trace if apart else trace)(*args)

    def interpreted(graph: Any, device: Any) -> Any:
        return (copying_device.interpreted if device == "copying" else eager)(graph, device)

    monkeypatch.setattr(function, "trace", traced)
    monkeypatch.setattr(linking, "eager", interpreted)
    monkeypatch.setattr(partitioned, "is_apart", is_apart)
    monkeypatch.setattr(device_choice, "are_held", lambda: True)
    monkeypatch.setattr(device_choice.DeviceChoice, "_there", lambda *args: made.answer(*args))
    # The native runtime would answer some calls in its place (test_fast_path_devices.py).
    monkeypatch.setattr(fast_path, "choose", lambda *_: None)
    monkeypatch.setattr(device_contest, "clock", made.clock)
    monkeypatch.setattr(sys.modules["npcompile.device"], "resolve", lambda name: torch.device("cuda", 0))
    yield made
    used.clear()


def root(x, y):
    return np.sqrt(x * x + y)


def changed(x, y):
    x *= 2
    return x.sum(), y[::2]


def loop(x, y):
    for _ in range(5):
        z = np.zeros_like(x) + y
        x = x * 0.5 + z
    return x, y


def raising(x, y):
    x += 1
    if len(y) > 1:
        raise ValueError(y)


def arrays(size: int = 100) -> tuple[Any, Any]:
    return np.linspace(1.0, 2.0, size), np.linspace(0.0, 1.0, size)


def outcome(called: Callable[..., Any], size: int = 100) -> Any:
    x, y = arrays(size)
    try:
        answer = called(x, y)
    except ValueError as error:
        answer = str(error)
    parts = answer if isinstance(answer, tuple) else (answer,)
    return [type(part) for part in parts], [np.array(part) for part in parts], x, y


@pytest.mark.parametrize("faster", ["host", "device"])
@pytest.mark.parametrize("f", [root, changed, loop, raising])
def test_answers_are_numpys_whoever_wins(machine: Machine, f: Callable[..., Any], faster: str) -> None:
    setattr(machine, faster, 1e-5)
    jitted = npcompile.jit(f, wait=True)
    with npcompile.device("cuda"):
        for _ in range(30):
            np.testing.assert_equal(outcome(jitted), outcome(f))
    assert set(machine.places) == {"D", "H"}
    if f is not raising:
        winner = "D" if faster == "device" else "H"
        assert machine.places[-1] == winner if faster == "host" else len(machine.places) < 20
        assert jitted.stats.calls == 30


@contextlib.contextmanager
def bytes_of(jitted: Any) -> Iterator[list[int]]:
    crossed = [-jitted.stats.bytes_to_device, -jitted.stats.bytes_from_device]
    yield crossed
    crossed[0] += jitted.stats.bytes_to_device
    crossed[1] += jitted.stats.bytes_from_device


@pytest.mark.parametrize("f", [root, loop])
def test_where_the_host_wins_nothing_crosses(machine: Machine, f: Callable[..., Any]) -> None:
    jitted = npcompile.jit(f, wait=True)
    with npcompile.device("cuda"):
        for _ in range(30):
            outcome(jitted)
        before = jitted.stats.replays, jitted.stats.calls_on_host
        with bytes_of(jitted) as crossed:
            outcome(jitted)
    assert crossed == [0, 0]
    assert (jitted.stats.replays, jitted.stats.calls_on_host) == (before[0] + 1, before[1] + 1)
    (told,) = [reason for reason in jitted.stats.reasons if "on the host" in reason]
    assert "on the host (100 us) than on cuda:0 with copies there and back (1 ms)" in told


def test_where_the_device_wins_its_bytes_cross(machine: Machine) -> None:
    machine.device = 1e-5
    jitted = npcompile.jit(root, wait=True)
    with npcompile.device("cuda"):
        for _ in range(30):
            outcome(jitted)
        on_host = jitted.stats.calls_on_host
        with bytes_of(jitted) as crossed:
            outcome(jitted)
    assert crossed == [1600, 800]
    assert jitted.stats.calls_on_host == on_host
    assert not [reason for reason in jitted.stats.reasons if "on the host" in reason]


def test_sizes_have_contests_of_their_own(machine: Machine) -> None:
    jitted = npcompile.jit(root, wait=True)
    with npcompile.device("cuda"):
        for size, device, winner in ((100, 1e-3, "H"), (5_000, 1e-5, "D"), (100, 1e-3, "H")):
            machine.device, machine.places = device, []
            for _ in range(20):
                np.testing.assert_equal(outcome(jitted, size), outcome(root, size))
            on_host = jitted.stats.calls_on_host
            outcome(jitted, size)
            assert jitted.stats.calls_on_host - on_host == (winner == "H")


def test_the_loser_is_measured_again(machine: Machine) -> None:
    jitted = npcompile.jit(root, wait=True)
    with npcompile.device("cuda"):
        for _ in range(FIRST):
            outcome(jitted)
        assert machine.places[-20:] == ["H"] * 20
        machine.device = 1e-5
        for _ in range(40):
            outcome(jitted)
    assert machine.places[-1] != "H" or len(machine.places) < FIRST + 20


@pytest.mark.parametrize("way", ["force", "device arrays", "another device"])
def test_no_contest_is_held(machine: Machine, way: str) -> None:
    jitted = npcompile.jit(root, wait=True)
    options = {"force": True} if way == "force" else {}
    with npcompile.device("cuda", **options):
        given = arrays()
        if way == "device arrays":
            token = current.set(None)  # the copying device's arrays lie in host memory
            given = tuple(npcompile.asarray(one) for one in given)
            current.reset(token)
        if way == "another device":
            with npcompile.device("cuda", force=True):
                jitted(*given)
        else:
            for _ in range(20):
                jitted(*given)
    assert not machine.places
    assert jitted.stats.calls_on_host == 0


@pytest.mark.parametrize("faster", ["host", "device"])
def test_an_explanation_says_who_answers_and_why(machine: Machine, faster: str) -> None:
    setattr(machine, faster, 1e-5)
    jitted = npcompile.jit(root, wait=True)
    with npcompile.device("cuda"):
        assert npcompile.explain(jitted, *arrays()).report.device == ""
        for _ in range(20):
            outcome(jitted)
        explained = npcompile.explain(jitted, *arrays())
    there, here = ("1 ms", "10 us") if faster == "host" else ("10 us", "100 us")
    winner = "the host" if faster == "host" else "cuda:0"
    times = f"calls take {there} on cuda:0 with copies there and back, {here} on the host"
    assert f"device: {winner} answers: {times}" in str(explained)
