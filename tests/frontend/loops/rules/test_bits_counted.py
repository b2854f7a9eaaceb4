"""Tests `bin(x).count("1")` in native loops: the bits that are set in an int of any type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.frontend.loops.jitted import Programs

program = Programs()
INTS = [0, 1, -1, 255, -256, 2**62, -(2**63), 2**63 - 1] * 8


@program(INTS)
@program(np.array(INTS))
@program(np.array(INTS).astype(np.int8))
@program(np.array(INTS).astype(np.uint64))
@program([True, False] * 30)
@program([2**70, -(2**64), 3] * 9, native=None)
@program(np.array([True, False] * 30), native=None)
@program(np.array([1.0, 2.0] * 30), native=None)
def counted(x):
    total, low = 0, 1
    for v in x:
        total = total * 3 + bin(v).count("1") & 0xFFFFFF
        low = low * 6364136223846793005 + 1 & 0xFFFFFFFFFFFFFFFF
        total ^= bin(low).count("1") + bin(-total).count("1")
    return total, low


@program(7)
def subsets_of_half_the_size(n):
    total = 0
    for chosen in range(1 << n):
        if bin(chosen).count("1") == n // 2:
            total += chosen
    return total


def bin_of_two(x):
    return "11" if x else "0"


def with_another_bin(x, bin):
    total = 0
    for v in x:
        total += bin(v).count("1")
    return total


program(INTS, bin_of_two, native=None)(with_another_bin)


@program(INTS, native=None)
def other_digits(x):
    total = 0
    for v in x:
        total += bin(v).count("0") + 3 * bin(v).count("b")
    return total


@pytest.fixture(scope="module")
def called() -> dict[str, Any]:
    return program.called()


@pytest.mark.parametrize("name", program.cases)
def test_bits_are_those_that_python_counts(name: str, called: dict[str, Any]) -> None:
    program.check(name, *called[name])
