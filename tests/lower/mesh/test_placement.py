"""The choice of inputs that are split among the devices of a mesh."""

from __future__ import annotations

import pytest
import torch

from npcompile.lower.mesh.mesh import Mesh, mesh_of
from npcompile.lower.mesh.placement import is_split, rows_to_split
from npcompile.lower.plan.values import Value, c_strides


def array(*shape: int) -> Value:
    return Value("array", torch.float64, shape, c_strides(shape))


@pytest.mark.parametrize(
    ("inputs", "size", "rows", "split"),
    [
        ([array(8, 2), array(3, 2)], 2, 8, [True, False]),
        ([array(8, 2), array(8), Value("float")], 2, 8, [True, True, False]),
        ([array(7, 2), array(4, 2)], 2, None, [False, False]),
        ([array(4, 100), array(8)], 2, 4, [True, False]),
        ([array(2, 2)], 4, None, [False]),
        ([array(0, 2)], 2, None, [False]),
        ([Value("scalar", torch.float64), array()], 2, None, [False, False]),
    ],
)
def test_the_rows_of_the_largest_array_are_split(
    inputs: list[Value], size: int, rows: int | None, split: list[bool]
) -> None:
    assert rows_to_split(inputs, size) == rows
    assert [is_split(value, rows) for value in inputs] == split


def test_a_mesh_has_a_name_of_its_own() -> None:
    assert mesh_of(str(Mesh("cuda", 2))) == Mesh("cuda", 2)
    assert mesh_of("cuda:0") is mesh_of("cpu") is mesh_of(None) is None
    assert str(Mesh("cuda", 2).home) == "cuda:0" and str(Mesh("cuda", 2).device_of(1)) == "cuda:1"
