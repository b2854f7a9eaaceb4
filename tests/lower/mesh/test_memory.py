"""Memory that processes share: tensors in blocks, found again by another mapping, and given back."""

from __future__ import annotations

import gc

import pytest
import torch

from npcompile.lower.mesh.memory import Mapped, SharedMemory


@pytest.mark.parametrize(
    ("shape", "strides"), [((3, 4), (4, 1)), ((3, 4), (1, 3)), ((), ()), ((5,), (2,)), ((2, 0), (1, 1))]
)
def test_another_mapping_sees_the_values(shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
    memory = SharedMemory()
    tensor = memory.empty(shape, strides, torch.float64)
    assert tuple(tensor.shape) == shape and tensor.stride() == strides
    tensor.fill_(2)
    place = memory.place(tensor)
    if not tensor.numel():
        assert place is None
        return
    assert place is not None
    there = Mapped().tensor(place)
    assert there.stride() == strides and torch.equal(there, tensor)
    there.fill_(5)
    assert bool((tensor == 5).all())


def test_a_view_lies_where_it_lies() -> None:
    memory = SharedMemory()
    tensor = memory.copy(torch.arange(12, dtype=torch.int32).reshape(3, 4))
    place = memory.place(tensor[1:, ::2])
    assert place is not None
    assert Mapped().tensor(place).tolist() == [[4, 6], [8, 10]]
    assert memory.place(torch.arange(3)) is None


def test_blocks_are_used_again_once_the_last_view_is_gone() -> None:
    memory = SharedMemory()
    tensor = memory.empty((10,), (1,), torch.float64)
    first = memory.place(tensor)
    view, array = tensor[2:], tensor.numpy()
    del tensor
    gc.collect()
    other = memory.empty((10,), (1,), torch.float64)
    second = memory.place(other)
    assert first is not None and second is not None and second.block != first.block
    del view, array
    gc.collect()
    third = memory.place(memory.empty((10,), (1,), torch.float64))
    assert third is not None and third.block == first.block
