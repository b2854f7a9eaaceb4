# ruff: noqa: B007, F841 - the names that loops bind are compared
"""Python ints of unsigned 64 bits in native loops: operators, comparisons, and which names hold them."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.frontend.loops.scalars import unsigned
from npcompile.lower.loops import ir
from npcompile.lower.loops.operation import Operation
from npcompile.lower.loops.types import COMPLEX, FLOAT, INT, UNSIGNED, Type
from tests.frontend.loops.jitted import check as check_jitted
from tests.frontend.loops.native import check, run_natively
from tests.frontend.loops.scalars.test_arithmetic import BINARY, COMPARE
from tests.lower.loops.compiled_operations import CompiledOperations

SIGNED = [0, 1, 2, 3, 7, 63, 64, -1, -2, -7, 2**31, 2**53 + 1, -(2**62), 2**63 - 1, -(2**63), -(2**63) + 1]
WIDE = [0, 1, 2, 3, 7, 63, 64, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 2, 2**64 - 1]
FLOATS = [0.0, -0.0, 0.5, -1.5, 2.0**53, 2.0**63, 2.0**64, 2.0**63 + 2048, 1e300, np.inf, -np.inf, np.nan]
VALUES: dict[Type, list[Any]] = {
    UNSIGNED: WIDE,
    INT: SIGNED,
    FLOAT: FLOATS,
    COMPLEX: [complex(one, part) for one in FLOATS for part in (0, 1)],
}
RANGES = {"i8": range(-(2**63), 2**63), "u8": range(2**64)}


def held(kind: Type) -> str:
    return "u8" if kind == UNSIGNED else kind.code  # type: ignore[attr-defined,no-any-return]


def pairs() -> Iterator[tuple[Type, Type]]:
    for left, right in itertools.product(VALUES, VALUES):
        if UNSIGNED in (left, right):
            yield left, right


def operations() -> Iterator[tuple[str, Any, Type, Type, Operation]]:
    """The operators of two ints of which one is unsigned, and the comparisons of one with any number."""
    for left, right in pairs():
        first, second = ir.Read(left, "x"), ir.Read(right, "y")
        for compared, function in COMPARE.items():
            operation = unsigned.compare(compared, first, second)
            if operation is not None:
                yield compared.__name__, function, left, right, operation
        for kind, function in BINARY.items():
            if left in (INT, UNSIGNED) and right in (INT, UNSIGNED):
                made = unsigned.binary(kind, first, second)
                parts = made.items if isinstance(made, ir.MakeTuple) else () if made is None else (made,)
                for part in parts:
                    assert isinstance(part, ir.Apply)
                    yield kind.__name__, function, left, right, part.operation


def test_operators_give_the_exact_answer_or_leave(tmp_path: Path) -> None:
    cases = list(operations())
    library = CompiledOperations([case[-1] for case in cases], tmp_path, header="unsigned_ints.h")
    assert len(cases) > 60
    for name, function, left, right, operation in cases:
        both = list(itertools.product(VALUES[left], VALUES[right]))
        operands = [
            np.array([pair[side] for pair in both], held(kind)).astype(operation.operands[side].code)
            for side, kind in enumerate((left, right))
        ]
        answers, left_at = library(operation, *operands)
        for (x, y), got, leaves in zip(both, answers.tolist(), left_at, strict=True):
            want = exact(function, x, y)
            compare(operation, want, got, leaves, f"{name} of {x} and {y}: {operation.function}")


def exact(function: Any, x: Any, y: Any) -> Any:
    """The answer; None where Python raises. An int that is shifted by very many bits is a large one."""
    if function is operator.lshift and y > 1000:
        return 0 if x == 0 else 1 << 1000
    try:
        return function(x, y)
    except (ZeroDivisionError, ValueError, OverflowError, MemoryError):
        return None


def compare(operation: Operation, want: Any, got: Any, leaves: bool, text: str) -> None:
    result = operation.result
    if operation.function.endswith(">") and "_is_above" in operation.function:
        assert leaves == (want not in RANGES["i8"] and want not in RANGES["u8"]), text
        assert leaves or got == (want not in RANGES["i8"]), text
    elif "_unchecked" in operation.function:
        assert got == (want + 2**63) % 2**64 - 2**63 if result == INT else got == want % 2**64, text
    elif result.code in RANGES:
        assert leaves == (want is None or want not in RANGES[result.code]), text
        assert leaves or got == want, text
    else:
        assert leaves == (want is None), text
        assert leaves or (got == want and np.signbit(got) == np.signbit(want)), text


# -- types -------------------------------------------------------------------------------------------------


def fnv(data, n):
    h = 0xCBF29CE484222325
    for i in range(n):
        h = (h ^ int(data[i])) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
        low, high, short = h & 255, h >> 33, h % 1000
        f, t = h / 3, h > 1 << 63
        both = -h if h < 10 else ~(h >> 1)


def test_the_types_of_parts_are_known() -> None:
    run = check(fnv, np.arange(9, dtype=np.uint8), 9)
    kinds = {name: list(map(str, kinds)) for name, kinds in run.loop.region.stored.items()}
    assert kinds["h"] == ["unsigned int"]
    assert kinds["low"] == kinds["high"] == kinds["short"] == ["int"]
    text = run.loop.source.text
    assert "npl::exact_multiply_unchecked" in text and "npl::exact_multiply<" not in text
    assert "unsigned int" in str(run.loop.region)


def masked_next(n):
    x = y = 1
    for i in range(n):
        x ^= x << 13
        x &= 0xFFFFFFFFFFFFFFFF
        y *= 6364136223846793005
        y %= 2**64


def test_a_mask_in_the_next_statement_keeps_low_bits() -> None:
    check(masked_next, 40)


WORD = 0xFFFFFFFFFFFFFFFF


def masked_by_names(data, n, generator):
    h = 14695981039346656037
    for i in range(n):
        h ^= int(data[i]) << 56
        h *= generator
        h &= WORD
        a, b = h & 0xFFFFFFFF, h >> 32
        product = (h & 0xFFFFFFFF) * (h >> 33 | 1 << 31)
        power = pow(i - 2, h, WORD), pow(h, 5, h | 1)


def test_masks_that_are_names_and_ints_above_the_signed_ones() -> None:
    check(masked_by_names, np.arange(250, 259).astype(np.uint8), 9, 0x100000001B3)


def mask_that_is_read_between(n):
    x = z = 1
    for i in range(n):
        x = x * 6364136223846793005
        z = x
        x &= 0xFFFFFFFFFFFFFFFF


def test_a_name_that_is_read_before_it_is_masked_is_exact() -> None:
    run = run_natively(mask_that_is_read_between, 40)
    assert not run.is_done and run.names["x"] == run_in_steps(mask_that_is_read_between, run.names["i"])


def run_in_steps(function: Any, n: int) -> int:
    x = 1
    for _ in range(n):
        x = x * 6364136223846793005 & 0xFFFFFFFFFFFFFFFF
    return x


def rotations(x, n, k):
    h = 1
    for i in range(n):
        a = ((int(x[i]) << k) | (int(x[i]) >> (64 - k))) & 0xFFFFFFFFFFFFFFFF
        h = (h << (a & 63) ^ h) & 0xFFFFFFFFFFFFFFFF


@pytest.mark.parametrize("k", [0, 1, 17, 64])
def test_shifts_by_names(k: int) -> None:
    check(rotations, np.array([0, 1, 2**63, 2**64 - 1], np.uint64), 4, k)


def test_negative_shifts_leave() -> None:
    run = run_natively(rotations, np.array([3, 5], np.uint64), 2, -1)
    assert not run.is_done and run.names["i"] == 0


def differences(x, n):
    least, d, e = 0xFFFFFFFFFFFFFFFF, 0, 0
    for i in range(1, n):
        d = int(x[i]) - int(x[i - 1])
        e -= int(x[i]) // 9
        f = d * 2 if -100 < d < 100 else d
        least = min(least, abs(d))


def test_differences_of_either_sign() -> None:
    check(differences, np.array([5, 3, 9, 2**63 + 5, 2**63 + 4, 2**62, 7], np.uint64), 7)


def stored(x, u, s, f, n):
    for i in range(n):
        h = int(x[i])
        u[i] = h
        f[i] = h
        s[i] = h >> 1
        np_u = np.uint64(h) ^ u[i]
        mixed = h ^ u[i], h + np.uint64(1), h * 0.5, np.float64(h), h < np.int32(5), h == u[i]
        item = x[h % n]
        b = bool(h), float(h), h.bit_length(), divmod(h, 10), pow(h, 3, 97)


def test_conversions_and_stores() -> None:
    x = np.array([0, 1, 2**63 - 1, 2**63, 2**64 - 2], np.uint64)
    check(stored, x, np.zeros(5, np.uint64), np.zeros(5, np.int64), np.zeros(5), 5)


def stored_as(x, out):
    for i in range(len(x)):
        out[i] = int(x[i]) ^ 1 << 63
    return out


@pytest.mark.parametrize("code", ["u8", "i8", "u4", "f8", "f4", "f2", "c16", "b1"])
def test_stores_that_numpy_refuses_raise(code: str) -> None:
    x = np.array([2**63 + 5, 2**63 + 9, 1], np.uint64)
    check_jitted(stored_as, x, np.zeros(3, code))


def stepped(state, n):
    for _ in range(n):
        state = (state * 6364136223846793005 + 1) & 0xFFFFFFFFFFFFFFFF
    return state


def test_seeds_of_all_sizes_share_native_code() -> None:
    jitted = npcompile.jit(stepped)
    for state in (1, 1 << 45, 1 << 63, (1 << 64) - 1, 7):
        for _ in range(2):
            assert jitted(state, 9) == stepped(state, 9)
            jitted.wait()
    assert jitted.stats.native_loops == 1


def appended(x):
    table, total = [], 0
    for i in range(len(x)):
        table.append(int(x[i]))
    for one in table:
        total ^= one
    return table, total


def tabled(table, n):
    key = 0
    for i in range(n):
        key ^= table[i % len(table)]
        table[i % len(table)] = key
    return key, table


def test_lists_of_wide_ints() -> None:
    x = np.array([1, 2**63 + 1, 2**64 - 1, 3], np.uint64)
    check_jitted(appended, x)
    check_jitted(tabled, x.tolist(), 9)


def scaled(x, seeds, n):
    for i in range(n):
        s = int(seeds[i])
        k = i - 2
        unit = s / 2**64, s * 2**-64, s / (2**64 - 1), (s >> 11) / 2**53, k / 2**64, (s > 5) / 2**64
        floats = x[i] * 2**64, 2**64 / x[i], x[i] % 2**64, np.float32(i) * 2**64, 0.1 * i - 2**64
        known = 1 / 2**64, 2**64 / 3, 3**-2, (-2) ** -3, 7 / 2, True / 2


def test_ints_are_scaled_by_powers_of_two() -> None:
    seeds = np.array([0, 1, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64 - 1025, 2**63 + 1025], np.uint64)
    check(scaled, np.linspace(-3.5, 2.0, len(seeds)), seeds, len(seeds))
