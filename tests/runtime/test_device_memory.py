"""A device without memory: what is not needed is released, the call is tried once more, then an error says
which arrays there were. Arguments stay as they were.

The device is one that copies; the tests have it run out of memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import npcompile
import npcompile.numpy
from npcompile.diagnostics.stats import Stats
from npcompile.frontend.boundary.faults import Fault
from npcompile.frontend.eager.ndarray import ndarray
from npcompile.frontend.replay.residency import Residency, Use
from npcompile.lower.device import memory, transfers
from tests.programs import copying_device

pytestmark = pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning")

WORDS = "CUDA out of memory. Tried to allocate 2.98 GiB"


class Full:
    """Raises at so many of the next calls of the device."""

    times = 0

    def check(self) -> None:
        if self.times > 0:
            self.times -= 1
            raise torch.OutOfMemoryError(WORDS)


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Full:
    copying_device.use(monkeypatch)
    made = Full()

    class Lane(copying_device.Lane):
        def moved(self, array: Any) -> Any:
            made.check()
            return super().moved(array)

        def kernel(self, kernel: Callable[..., Any], inputs: Any, outputs: Any) -> Callable[..., Any]:
            def run(*tensors: Any) -> Any:
                made.check()
                return kernel(*tensors)

            return super().kernel(run, inputs, outputs)

    monkeypatch.setattr("npcompile.frontend.replay.replay.Lane", Lane)
    return made


def root(x, y):
    return np.sqrt(x * x + y)


def in_place(x, y):
    x *= 2
    x += y


def loop(x, y):
    for _ in range(5):
        z = np.zeros_like(x) + y
        x = x * 0.5 + z
    return x


def arrays(on_device: bool) -> Any:
    given = np.linspace(1.0, 2.0, 100), np.linspace(0.0, 1.0, 100)
    return tuple(map(npcompile.asarray, given)) if on_device else given


@pytest.mark.parametrize(
    ("f", "on_device"), [(root, False), (root, True), (in_place, False), (loop, False), (loop, True)]
)
def test_a_call_is_tried_once_more(full: Full, f: Callable[..., Any], on_device: bool) -> None:
    jitted = npcompile.jit(f, wait=True)
    for _ in range(12):
        jitted(*arrays(on_device))
    replays = jitted.stats.replays
    given, plain = arrays(on_device), arrays(False)
    full.times = 1
    answer, want = jitted(*given), f(*plain)
    assert full.times == 0
    assert jitted.stats.replays == replays + 1
    if want is not None:
        np.testing.assert_array_equal(np.asarray(answer), want)
    for got, one in zip(given, plain, strict=True):
        np.testing.assert_array_equal(np.asarray(got), one)


@pytest.mark.parametrize("f", [root, in_place, loop])
def test_numpy_answers_for_arrays_in_the_hosts_memory(full: Full, f: Callable[..., Any]) -> None:
    jitted = npcompile.jit(f, wait=True)
    for _ in range(12):
        jitted(*arrays(False))
    given, plain = arrays(False), arrays(False)
    full.times = 1000
    answer, want = jitted(*given), f(*plain)
    assert type(answer) is type(want)
    np.testing.assert_equal((answer, given), (want, plain))
    told = [reason for reason in jitted.stats.reasons if WORDS in reason]
    assert told and "x float64[100] (800 bytes, host)" in told[0]
    full.times = 0
    replays = jitted.stats.replays
    np.testing.assert_equal(jitted(*arrays(False)), f(*arrays(False)))
    assert jitted.stats.replays == replays + 1  # nothing was given up


def test_a_kernel_that_may_have_written_is_not_tried_again(full: Full) -> None:
    jitted = npcompile.jit(in_place, wait=True)
    for _ in range(4):
        jitted(*arrays(True))
    full.times = 1
    with pytest.raises(MemoryError, match=WORDS):
        jitted(*arrays(True))


@pytest.mark.parametrize("f", [root, loop])
def test_an_error_names_arrays_on_the_device(full: Full, f: Callable[..., Any]) -> None:
    jitted = npcompile.jit(f, wait=True)
    for _ in range(12):
        jitted(*arrays(True))
    given = arrays(True)
    full.times = 1000
    with pytest.raises(MemoryError, match=f"{WORDS}.*float64\\[100\\] \\(800 bytes, ") as raised:
        jitted(*given)
    assert memory.is_exhausted(raised.value)
    for got, one in zip(given, arrays(False), strict=True):
        np.testing.assert_array_equal(np.asarray(got), one)


def test_ops_on_device_arrays_do_not_go_to_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(*_: Any, **__: Any) -> Any:
        raise torch.OutOfMemoryError(WORDS)

    monkeypatch.setattr("npcompile.frontend.eager.dispatch.native", no_memory)
    with pytest.raises(MemoryError, match=f"cumsum: {WORDS}"):
        npcompile.numpy.cumsum(npcompile.asarray(np.ones(3)))


def test_copies_to_a_device_are_tried_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    full, released = Full(), []
    monkeypatch.setattr(memory, "holders", [lambda: released.append(1)])
    full.times = 1

    class Tensor:
        device = torch.device("cpu")

        def to(self, device: torch.device) -> str:
            full.check()
            return f"on {device}"

        def numel(self) -> int:
            return 10

        def element_size(self) -> int:
            return 8

    cuda: Any = torch.device("cuda", 0)
    before = transfers.copies.bytes_to_device
    assert transfers.to_device(Tensor(), cuda) == "on cuda:0"  # type: ignore[arg-type,comparison-overlap]
    assert released == [1] and transfers.copies.bytes_to_device == before + 80


def test_copies_that_the_host_has_the_values_of_are_released() -> None:
    lane = copying_device.Lane("cuda")
    read, written = np.arange(4.0), np.arange(4.0)

    def use(*_: Any) -> None:
        lane.enter(read)
        array = lane.enter(written, Use.WRITTEN)
        array += 1
        lane.give_back(written, array)

    faults: list[Fault] = []
    with Residency(Stats(), faults.append) as table:
        table.replay(use, [])
        assert len(table._entries) == 2
        memory.release()
        (kept,) = table._entries.values()
        assert isinstance(kept.array, ndarray) and kept.stale
    np.testing.assert_array_equal(written, np.arange(4.0) + 1)
