"""The guard on where arrays lie in memory asks device arrays for no layouts that it can do without."""

from __future__ import annotations

import torch

import npcompile
from npcompile.frontend.eager.ndarray import ndarray
from npcompile.frontend.program.aliasing import Overlap


def test_device_arrays_on_memory_of_their_own_are_compared_without_layouts() -> None:
    x, y = (ndarray._of_result(torch.zeros(6)) for _ in range(2))
    apart = Overlap(((0, 1, None),))
    assert apart(x, y) and apart(x, y)
    assert x._layout_known is None and y._layout_known is None


def test_parts_of_one_memory_are_compared_by_their_elements() -> None:
    x = ndarray._of_result(torch.zeros(6))
    half, apart = x[3:], Overlap(((0, 1, None),))
    assert not apart(x, x[1:]) and not apart(half, x)
    assert apart(half, x[:3])
    assert Overlap(((0, 1, 12),))(x, half) and not Overlap(((0, 1, 8),))(x, half)


def test_an_array_on_a_device_is_its_own_and_needs_no_layout() -> None:
    x = ndarray._of_result(torch.zeros(6))
    assert npcompile.asarray(x) is x and x._layout_known is None
