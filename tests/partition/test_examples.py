"""Examples have the types of the values that they stand for, and keep none of the user's arrays alive."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest

from npcompile.frontend.loops.entry.values import key_of
from npcompile.partition.examples import example_of


def read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array.flags.writeable = False
    return array


ARRAYS = [
    np.arange(7.0),
    np.arange(7.0)[::2],
    np.arange(7)[::-1],
    np.array(3.0),
    np.zeros((3, 4), np.float32),
    np.zeros((3, 4), np.uint8, "F"),
    np.zeros((30, 40))[::2, ::3],
    np.zeros((3, 4, 5)).transpose(2, 0, 1),
    np.zeros((0, 5), np.complex64),
    np.zeros(3, ">i4"),
    read_only(np.arange(3)),
]


@pytest.mark.parametrize("array", ARRAYS)
def test_an_array(array: np.ndarray[Any, Any]) -> None:
    example = example_of(array)
    assert example.size <= 1 << example.ndim and not np.shares_memory(example, array)
    assert key_of(example) == key_of(array)


def test_an_example_keeps_nothing_alive() -> None:
    array = np.arange(3.0)
    alive, example = weakref.ref(array), example_of((array, 2))
    del array
    assert alive() is None
    assert example[1] == 2


@pytest.mark.parametrize(
    "value", [3, 2.5, np.float32(2), np.uint64(1 << 63), True, "text", b"bytes", (1, (2.0,))]
)
def test_what_holds_no_array_stands_for_itself(value: Any) -> None:
    assert example_of(value) == value and key_of(example_of(value)) == key_of(value)


@pytest.mark.parametrize("value", [[1, 2], {1: 2}, {1}, object(), ([1],), np.zeros(2, object)])
def test_what_is_typed_by_its_items_has_none(value: Any) -> None:
    assert example_of(value) is None


def test_an_array_that_is_not_aligned_has_none() -> None:
    buffer = np.zeros(17, np.uint8)
    assert example_of(buffer[1:].view(np.float64)) is None
