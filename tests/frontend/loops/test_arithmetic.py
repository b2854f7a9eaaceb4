"""Each operator on each pair of scalar types: its operation gives the operator's type and bits.

All operations are compiled into one library. Expected values are the operators' own, on the very scalars.
"""

from __future__ import annotations

import ast
import functools
import itertools
import operator
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from npcompile.frontend.loops import arithmetic
from npcompile.frontend.loops.values import scalar_of
from npcompile.lower.loops.operation import Operation
from npcompile.lower.loops.types import BOOL, C_TYPES, COMPLEX, FLOAT, INT, Scalar
from tests.lower.loops.compiled_operations import CompiledOperations, conversion

PYTHON = (BOOL, INT, FLOAT, COMPLEX)
TYPES = (*PYTHON, *map(Scalar, C_TYPES))
BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
}
RAISED = (ZeroDivisionError, OverflowError, ValueError, TypeError)


def edges(code: str) -> list[Any]:
    """The values of a dtype at which operators change, as Python numbers."""
    if code == "b1":
        return [False, True]
    if code[0] in "iu":
        info = np.iinfo(code)
        # The last two round differently to a float32 at once and by way of a float64.
        some = [0, 1, 2, 3, 7, -1, -2, -7, 63, 100, -101, 2**31 + 5, 2**53 + 1, -(2**62), 2**60 + 2**36 + 1]
        return sorted(
            {v for v in (*some, info.min, info.min + 1, info.max - 1, info.max) if info.min <= v <= info.max}
        )
    info = np.finfo(code)
    if code[0] == "f":
        some = [
            0.5,
            1,
            1.5,
            2,
            3,
            7.3,
            0.1,
            100.25,
            2049,
            info.smallest_subnormal,
            info.tiny,
            info.max,
            np.inf,
        ]
        some = [float(np.array(v).astype(code)) for v in some]
        if code == "f8":
            some += [2.0**53 + 2, 2.0**63, 1e300, 65519.999, 65520.0, 1 + 2**-24 + 2**-50]
        return [0.0, -0.0, np.nan, *some, *(-v for v in some)]
    parts = [
        (0, 0),
        (-0.0, 0),
        (0, -0.0),
        (1, 0),
        (0, 1),
        (2, 0),
        (-3, 0),
        (0.5, -0.0),
        (1.5, -2.25),
        (-7.3, 0.1),
    ]
    parts += [
        (np.inf, 1),
        (1, -np.inf),
        (np.nan, 0),
        (0, np.nan),
        (1, np.nan),
        (1e30, 1e-30),
        (info.max, info.max),
    ]
    return [complex(np.array(complex(*pair)).astype(code)) for pair in parts]


@functools.cache
def values(scalar: Scalar) -> tuple[tuple[Any, ...], Any]:
    """The scalars of a type that are tried, and an array of them."""
    array = np.array(edges(scalar.code), scalar.code)
    return tuple(array.tolist() if scalar.python else list(array)), array


def cases() -> Iterator[tuple[str, Callable[..., Any], tuple[Scalar, ...], Operation | None]]:
    for (kind, function), left, right in itertools.product(BINARY.items(), TYPES, TYPES):
        yield kind.__name__, function, (left, right), arithmetic.binary(kind, left, right)
    for (compared, function), left, right in itertools.product(COMPARE.items(), TYPES, TYPES):
        yield compared.__name__, function, (left, right), arithmetic.compare(compared, left, right)
    for (sign, function), operand in itertools.product(UNARY.items(), TYPES):
        yield sign.__name__, function, (operand,), arithmetic.unary(sign, operand)
    for operand in TYPES:
        yield "truth", bool, (operand,), arithmetic.truth(operand)
    for source, code in itertools.product(TYPES, C_TYPES):
        yield (
            f"store {code}",
            functools.partial(store, code),
            (source,),
            arithmetic.cast(source, Scalar(code)),
        )


def store(code: str, value: Any) -> Any:
    array = np.zeros(1, code)
    array[0] = value
    return array[0]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> CompiledOperations:
    operations = set()
    for _, _, operands, operation in cases():
        if operation is not None:
            operations.add(operation)
            operations.update(itertools.starmap(conversion, zip(operands, operation.operands, strict=True)))
    folder: Path = tmp_path_factory.mktemp("operations")
    return CompiledOperations(sorted(operations, key=str), folder)


def left_to_numpy(name: str, types: tuple[Scalar, ...]) -> bool:
    """Whether an operation that has an answer is known to be none of native code's.

    Where two NumPy scalars promote to a third type, NumPy does the power by its loop over arrays, which on
    processors with AVX-512 is another function than the C library's, inside NumPy.
    """
    if name != "Pow" or all(item.python for item in types):
        return False
    sides = (
        np.dtype(item.code) if item == BOOL or not item.python else type(item_one(item)) for item in types
    )
    loop = np.power.resolve_dtypes((*sides, None))[0]
    operands = {item.code for item in types if not item.python}
    bases = np.arange(1.1, 100)
    return (
        loop.kind == "f"
        and loop.itemsize > 2
        and (f"f{loop.itemsize}" not in operands or types[0] == Scalar("b1"))
        and any(base**1.7 != np.power(base, 1.7) for base in bases)
    )


def item_one(item: Scalar) -> Any:
    return {INT: 1, FLOAT: 1.0, COMPLEX: 1j}[item]


def too_large(name: str, operands: tuple[Any, ...]) -> bool:
    """Whether Python would compute an int of many digits."""
    if name not in ("Pow", "LShift") or not all(type(value) in (bool, int) for value in operands):
        return False
    return operands[1] > 64 and abs(operands[0]) > (name == "Pow")


def expected(name: str, function: Callable[..., Any], result: Scalar, operands: tuple[Any, ...]) -> Any:
    """The operator's answer, None if native code has to leave."""
    if too_large(name, operands):
        return None
    try:
        answer = function(*operands)
    except RAISED:
        return None
    return answer if scalar_of(answer) == result else None


def same(one: Any, other: Any) -> Any:
    """Where two arrays hold the same bits, any NaN being like any other."""
    if one.dtype.kind == "c":
        part = one.real.dtype
        return same(one.view(part), other.view(part)).reshape(-1, 2).all(axis=1)
    bits = f"u{one.dtype.itemsize}"
    equal = one.view(bits) == other.view(bits)
    return equal | (np.isnan(one) & np.isnan(other)) if one.dtype.kind == "f" else equal


def judge(compiled: CompiledOperations, chosen: Callable[[str], bool]) -> tuple[list[str], int]:
    faults: list[str] = []
    count = 0
    for name, function, types, operation in cases():
        if not chosen(name):
            continue
        tried = list(itertools.product(*(values(item)[0] for item in types)))
        words = f"{name} of {', '.join(map(str, types))}"
        if operation is None:
            if left_to_numpy(name, types):
                continue
            for operands in tried:
                try:
                    faults.append(f"{words}: native code has none, {operands} -> {function(*operands)!r}")
                    break
                except TypeError:
                    pass
            continue
        indices = np.indices([len(values(item)[0]) for item in types]).reshape(len(types), -1)
        arrays = []
        for item, wanted, index in zip(types, operation.operands, indices, strict=True):
            array, left = compiled(conversion(item, wanted), values(item)[1][index])
            arrays.append(array)
        answers, left = compiled(operation, *arrays)
        wanted_answers = [expected(name, function, operation.result, operands) for operands in tried]
        absent = np.array([answer is None for answer in wanted_answers])
        right = np.array(
            [0 if answer is None else answer for answer in wanted_answers], operation.result.code
        )
        wrong = np.where(absent | left, absent != left, ~same(answers, right))
        count += len(tried)
        if name == "Pow" and COMPLEX == operation.result:  # an infinite phase raises, and other NaNs do not
            wrong &= ~left
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            got = "leaves" if left[at] else repr(answers[at])
            faults.append(
                f"{words}: {operation.function} {tried[at]} -> {got}, not {wanted_answers[at]!r}"
                f" ({wrong.sum()} of {len(wrong)})"
            )
    return faults, count


@pytest.mark.parametrize("name", [*(kind.__name__ for kind in (*BINARY, *COMPARE, *UNARY)), "truth", "store"])
def test_operations_answer_as_the_operators_do(compiled: CompiledOperations, name: str) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        faults, count = judge(compiled, lambda case: case.split()[0] == name)
    assert not faults, f"{len(faults)} of {count}:\n" + "\n".join(faults)
