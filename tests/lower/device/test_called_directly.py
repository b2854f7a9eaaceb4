"""Kernels whose results lie in memory of their own are called without AOTAutograd's wrappers around them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from npcompile.lower import adapter

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch, as it is imported

Tensors = list[torch.Tensor]
ON_HOST = adapter.DeviceInput((3, 4), (4, 1), torch.float64, "cpu")


def apart(x: torch.Tensor, y: torch.Tensor) -> Tensors:
    x += y
    return [x * 2, (x * y).sum()]


def written_argument(x: torch.Tensor, y: torch.Tensor) -> Tensors:
    x += y
    return [x, y * 2]


def view_of_argument(x: torch.Tensor, y: torch.Tensor) -> Tensors:
    return [x.t(), x + y]


def views_of_one(x: torch.Tensor, y: torch.Tensor) -> Tensors:
    z = x + y
    return [z, z[1:]]


@pytest.mark.parametrize("function", [apart, written_argument, view_of_argument, views_of_one])
def test_results_lie_where_they_do_without_compiling(function: Callable[..., Tensors]) -> None:
    kernel = adapter.compile_device(function, [ON_HOST, ON_HOST], 2)
    given = [torch.rand(3, 4, dtype=torch.float64) for _ in range(2)]
    plain = [tensor.clone() for tensor in given]
    assert kernel.is_direct is (function is apart)
    found, expected = kernel.run(*given), function(*plain)
    for mine, theirs in zip([*found, *given], [*expected, *plain], strict=True):
        assert torch.allclose(mine, theirs) and mine.stride() == theirs.stride()

    def shared(tensors: Tensors) -> list[bool]:
        places = [tensor.untyped_storage().data_ptr() for tensor in tensors]
        return [one == other for one in places for other in places]

    assert shared([*found, *given]) == shared([*expected, *plain])
