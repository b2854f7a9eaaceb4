"""The C++ of scalars: halves, the pure variants of functions that leave, and products that stay unfused."""

from __future__ import annotations

import ast
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from npcompile.frontend.loops.scalars import arithmetic
from npcompile.lower.loops.operation import Operation
from npcompile.lower.loops.types import C_TYPES, COMPLEX, FLOAT, INT, Scalar
from tests.lower.loops.compiled_operations import CompiledOperations, conversion

HALF, SINGLE, DOUBLE = Scalar("f2"), Scalar("f4"), Scalar("f8")
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift)


def bits_of(array: Any) -> Any:
    """The bits of floats, all NaNs alike."""
    return np.where(np.isnan(array), 0x7E00, array.view(f"u{array.itemsize}"))


def checked_operations() -> set[Operation]:
    """All operations of two ints, floats or NumPy integers that leave and have a pure variant."""
    types = (INT, FLOAT, COMPLEX, *(Scalar(code) for code in C_TYPES))
    found = (arithmetic.binary(kind, *pair) for kind in OPERATORS for pair in itertools.product(types, types))
    signs = (arithmetic.unary(ast.USub, item) for item in types)
    casts = (arithmetic.cast(source, Scalar(code)) for source in types for code in C_TYPES)
    return {item for item in itertools.chain(found, signs, casts) if item is not None and item.unchecked}


def operands_of(item: Scalar, count: int, random: np.random.Generator) -> Any:
    """Numbers of a type, small and large ones."""
    if item.kind in "iu":
        bits = 8 * int(item.code[1:])
        large = random.integers(0, 1 << 62, count, dtype=np.uint64) * np.uint64(4) + np.uint64(3)
        return (large >> (64 - random.integers(1, bits + 1, count)).astype(np.uint64)).astype(item.code)
    if item.kind == "b":
        return random.integers(0, 2, count).astype(bool)
    parts = random.normal(size=(2, count)) * 10.0 ** random.integers(-3, 4, (2, count))
    return (parts[0] + 1j * parts[1] if item.kind == "c" else parts[0]).astype(item.code)


@pytest.mark.parametrize("flag", ["-mf16c", "-mno-f16c -mno-avx512f -mno-avx512fp16"])
def test_halves_convert_as_in_numpy(tmp_path: Path, flag: str) -> None:
    pairs = [(HALF, SINGLE), (HALF, DOUBLE), (SINGLE, HALF), (DOUBLE, HALF)]
    run = CompiledOperations(itertools.starmap(conversion, pairs), tmp_path, flags=flag.split())
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    random = np.random.default_rng(1)
    with np.errstate(all="ignore"):
        doubles = halves.astype(np.float64)
        middles = (doubles[:-1] + doubles[1:]) / 2  # ties, and the doubles beside them
        doubles = np.concatenate(
            [doubles, middles, np.nextafter(middles, np.inf), np.nextafter(middles, -np.inf)]
        )
        singles = np.concatenate(
            [doubles.astype(np.float32), random.integers(0, 1 << 32, 1 << 18, np.uint32).view("f4")]
        )
        for source, target, values in [
            (HALF, SINGLE, halves),
            (HALF, DOUBLE, halves),
            (SINGLE, HALF, singles),
            (DOUBLE, HALF, np.concatenate([doubles, random.integers(0, 1 << 63, 1 << 16).view("f8")])),
        ]:
            answers, _ = run(conversion(source, target), values)
            assert (bits_of(answers) == bits_of(values.astype(target.code))).all(), (source, target)


def test_pure_variants_answer_as_the_functions_that_leave(tmp_path: Path) -> None:
    operations = sorted(checked_operations(), key=str)
    folders = tmp_path / "checked", tmp_path / "pure"
    for folder in folders:
        folder.mkdir()
    checked = CompiledOperations(operations, folders[0])
    pure = CompiledOperations(operations, folders[1], unchecked=True)
    random = np.random.default_rng(2)
    for operation in operations:
        operands = [operands_of(item, 2000, random) for item in operation.operands]
        with np.errstate(all="ignore"):
            answers, left = checked(operation, *operands)
            kept = [operand[~left] for operand in operands]
            assert len(kept[0]) > 50, operation
            assert (bits_of_any(pure(operation, *kept)[0]) == bits_of_any(answers[~left])).all(), operation


def bits_of_any(array: Any) -> Any:
    return (
        array.view(f"u{array.itemsize}") if array.dtype.kind != "c" else array.view(f"u{array.itemsize // 2}")
    )


def test_products_are_rounded_before_they_are_added(tmp_path: Path) -> None:
    complexes = [
        Operation(f"npl::multiply<{item.c_type}>", (item, item), item) for item in map(Scalar, ("c8", "c16"))
    ]
    run = CompiledOperations(complexes, tmp_path, level="-O3")
    random = np.random.default_rng(3)
    for operation in complexes:
        item = operation.operands[0]
        one, other = (operands_of(item, 1000, random) for _ in range(2))
        real = one.real * other.real - one.imag * other.imag
        imaginary = one.real * other.imag + one.imag * other.real
        answers, _ = run(operation, one, other)
        assert (answers.real == real).all() and (answers.imag == imaginary).all()
