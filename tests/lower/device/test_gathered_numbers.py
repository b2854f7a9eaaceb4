"""Numbers that captured work gives cross to the host in one copy, with their own bytes."""

from __future__ import annotations

import gc
import weakref

import pytest
import torch

from npcompile.lower.device import gathered_numbers, graphs, kernel_graphs, transfers
from npcompile.lower.device.gathered_numbers import GatheredNumbers
from npcompile.lower.device.kernel_graphs import MET, KernelGraphs
from tests.programs.taped_graphs import TapedGraphs

HOST = torch.device("cpu")


@pytest.fixture(autouse=True)
def capturer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs.using, "capturer", TapedGraphs())


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the bytes of each copy to pinned memory."""
    found: list[int] = []

    def into_pinned(host: torch.Tensor, tensor: torch.Tensor) -> None:
        found.append(tensor.numel())
        host.copy_(tensor)

    monkeypatch.setattr(gathered_numbers.transfers, "into_pinned", into_pinned)
    return found


def test_numbers_of_all_sizes_cross_in_one_copy(copies: list[int]) -> None:
    numbers = [
        torch.tensor(True),
        torch.tensor(1.5, dtype=torch.float16),
        torch.tensor(2 - 3j),
        torch.tensor(-7, dtype=torch.int8),
        torch.tensor(float("nan"), dtype=torch.float64),
        torch.tensor(1 << 40),
    ]
    room = GatheredNumbers(HOST, 64)
    slots = [room.add(number) for number in numbers]
    assert copies == []
    room.give()
    assert copies == [room.nbytes] and room.nbytes <= 64
    for slot, number in zip(slots, numbers, strict=True):
        assert slot is not None and slot.dtype == number.dtype and slot.shape == ()
        assert torch.equal(slot.reshape(1).view(torch.uint8), number.reshape(1).view(torch.uint8))


def test_there_is_no_slot_where_the_memory_is_used_up() -> None:
    room = GatheredNumbers(HOST, 16)
    assert room.add(torch.tensor(1.0, dtype=torch.float64)) is not None
    assert room.add(torch.tensor(1j, dtype=torch.complex128)) is None
    assert room.add(torch.tensor(2.0, dtype=torch.float64)) is not None
    room.clear()
    assert room.add(torch.tensor(1j, dtype=torch.complex128)) is not None


def test_work_without_numbers_copies_nothing(copies: list[int]) -> None:
    GatheredNumbers(HOST, 16).give()
    assert copies == []


def test_a_number_is_the_one_that_was_given_if_its_memory_is_written_later() -> None:
    room, x = GatheredNumbers(HOST, 16), torch.arange(3.0)
    slot = room.add(x[1])
    x.zero_()
    room.give()
    assert slot is not None and slot.item() == 1.0


def test_the_graph_of_a_segment_copies_its_numbers_at_once(copies: list[int]) -> None:
    kernel = KernelGraphs(lambda x: [x.sum(), x * 2, x.max(), (x > 1).any()], [0, 2, 3])
    x = torch.arange(5.0)
    for _ in range(MET + 1):
        kernel(x)
    assert copies == [9]
    before = transfers.copies.bytes_from_device
    total, doubled, largest, some = kernel(x)
    assert transfers.copies.bytes_from_device - before == 9
    assert (total.item(), largest.item(), some.item()) == (10.0, 4.0, True)
    assert torch.equal(doubled, x * 2)


def test_a_graph_holds_the_memory_that_it_writes_numbers_to(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[weakref.ref[GatheredNumbers]] = []

    def gathered(device: torch.device, most: int) -> GatheredNumbers:
        room = GatheredNumbers(device, most)
        made.append(weakref.ref(room))
        return room

    monkeypatch.setattr(kernel_graphs, "GatheredNumbers", gathered)
    kernel, x = KernelGraphs(lambda x: [x.sum(), x.max()], [0, 1]), torch.arange(5.0)
    for _ in range(MET + 1):
        kernel(x)
    gc.collect()
    assert len(made) == 1 and made[0]() is not None
    del kernel
    gc.collect()
    assert made[0]() is None
