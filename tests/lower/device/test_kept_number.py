"""Numbers that kernels are given again and again stay on the device, and no result lies in their memory."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

import npcompile
from npcompile.frontend.replay.device_lane import Lane
from npcompile.lower.device import graphs, kept_number, transfers
from npcompile.lower.device.kept_number import MOST, KeptNumber
from npcompile.lower.plan.values import Value
from tests.programs import copying_device
from tests.programs.taped_graphs import TapedGraphs

HOST = torch.device("cpu")


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return the numbers that are filled in."""
    monkeypatch.setattr(graphs.using, "capturer", TapedGraphs())
    found: list[object] = []
    full = torch.full

    def fill(shape: tuple[int, ...], number: object, **options: object) -> torch.Tensor:
        found.append(number)
        return full(shape, number, **options)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(kept_number.torch, "full", fill)
    return found


def test_a_number_that_is_given_again_is_filled_in_twice(filled: list[object]) -> None:
    number = KeptNumber(torch.float64, HOST)
    found = [number.tensor(0.5) for _ in range(5)]
    assert filled == [0.5, 0.5]
    assert all(one is found[1] for one in found[2:])


def test_numbers_that_compare_equal_are_others(filled: list[object]) -> None:
    number = KeptNumber(torch.float64, HOST)
    for given in (0.0, 0.0, -0.0, 1.0, 1.0, 1, math.nan, math.nan):
        found = number.tensor(given).item()
        assert math.isnan(found) if math.isnan(given) else found == given
        assert math.copysign(1, found) == math.copysign(1, given)
    assert len(filled) == 8


def test_a_number_stays_when_another_one_is_given(filled: list[object]) -> None:
    number = KeptNumber(torch.float64, HOST)
    first = [number.tensor(1.0) for _ in range(3)][-1]
    for _ in range(3):
        number.tensor(2.0)
    assert first.item() == 1.0 and number.tensor(1.0).item() == 1.0


def test_only_so_many_numbers_are_kept(filled: list[object]) -> None:
    number = KeptNumber(torch.int64, HOST)
    for given in range(MOST + 3):
        for _ in range(4):
            assert number.tensor(given).item() == given
    assert len(filled) == 2 * MOST + 3 * 4


def test_captured_work_makes_numbers_that_are_not_kept(filled: list[object]) -> None:
    number = KeptNumber(torch.float64, HOST)
    with transfers.forbidden():
        assert [number.tensor(1.0).item() for _ in range(3)] == [1.0] * 3
    assert filled == [1.0] * 3
    for _ in range(2):
        number.tensor(1.0)
    with transfers.forbidden():
        number.tensor(1.0)
    assert len(filled) == 5


def test_nothing_is_kept_or_waited_for_while_the_user_captures(
    filled: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: True)
    monkeypatch.setattr(graphs.using, "capturer", None)
    number = KeptNumber(torch.float64, HOST)
    assert [number.tensor(1.0).item() for _ in range(4)] == [1.0] * 4
    assert len(filled) == 4


def test_a_result_that_is_the_number_has_memory_of_its_own(filled: list[object]) -> None:
    number = Value("float", torch.float64, (), (), "cpu:0")
    array = Value("array", torch.float64, (3,), (0,), "cpu:0")
    run = Lane("cpu")._on_tensors(lambda tensor: [tensor.expand(3)], [number], [array])
    for _ in range(4):
        found = run(2.5)
        assert np.asarray(found).tolist() == [2.5] * 3
        found._memory.fill_(7.0)


def scaled(x, rate, shift):
    return x * rate + shift


def test_programs_get_the_number_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    copying_device.use(monkeypatch)
    jitted, x = npcompile.jit(scaled, wait=True), np.linspace(0, 1, 7)
    for rate, shift in [(2.0, 1)] * 6 + [(3.0, 1), (2.0, 1), (2.0, 4), (-0.0, 0), (0.0, 0)] * 3:
        found = jitted(npcompile.asarray(x), rate, shift)
        assert np.asarray(found).tobytes() == scaled(x, rate, shift).tobytes()
