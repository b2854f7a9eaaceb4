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

from npcompile.frontend.loops.entry.values import scalar_of
from npcompile.frontend.loops.scalars import arithmetic
from npcompile.lower.loops.operation import Operation, truth_of
from npcompile.lower.loops.types import BOOL, C_TYPES, COMPLEX, FLOAT, INT, Scalar
from tests.frontend.loops.native import check
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
# Functions that leave for some operands that have an answer: Python's complex power where it is NaN or an
# infinity, and the power that NumPy has in vector instructions of its own.
LEAVING_OFTEN = ("npl::complex_power", "npl::uniform_power_of_numpy")
RAISED = (ZeroDivisionError, OverflowError, ValueError, TypeError)


def edges(code: str) -> list[Any]:
    """The values of a dtype at which operators change, as Python numbers."""
    if code == "b1":
        return [False, True]
    if code[0] in "iu":
        info = np.iinfo(code)
        # The last two round differently to a float32 at once and by way of a float64.
        some = [0, 1, 2, 3, 7, -1, -2, -7, 63, 100, -101, 2**31 + 5, 2**32 - 1, 2**32, 2**53 + 1]
        some += [-(2**62), 2**60 + 2**36 + 1]
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
        yield "truth", bool, (operand,), truth_of(operand)
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


def too_large(name: str, operands: tuple[Any, ...]) -> bool:
    """Tell if Python would compute an int of many digits."""
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
        if operation.function.startswith(LEAVING_OFTEN):
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


UFUNCS: dict[type[ast.AST], np.ufunc] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.true_divide,
    ast.FloorDiv: np.floor_divide,
    ast.Mod: np.remainder,
    ast.Pow: np.power,
    ast.LShift: np.left_shift,
    ast.RShift: np.right_shift,
    ast.BitAnd: np.bitwise_and,
    ast.BitOr: np.bitwise_or,
    ast.BitXor: np.bitwise_xor,
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
}


def ufunc_cases() -> Iterator[tuple[type[ast.AST], Scalar, Scalar, Operation | None]]:
    """Operators on pairs of types of which the left one is an array's."""
    for left, right in itertools.product(TYPES[len(PYTHON) :], TYPES):
        for kind in BINARY:
            yield kind, left, right, arithmetic.binary(kind, left, right, by_ufunc=True)
        for compared in COMPARE:
            yield compared, left, right, arithmetic.compare(compared, left, right, by_ufunc=True)


def by_ufunc(ufunc: np.ufunc, result: Scalar, array: Any, other: Any) -> tuple[Any, bool]:
    """The ufunc's answers for an array beside one number, and whether it raises."""
    try:
        answers = ufunc(array, other)
    except RAISED:
        return np.zeros(len(array), result.code), True
    assert answers.dtype == np.dtype(result.code)
    return answers, False


def test_operations_of_ufuncs_answer_as_the_ufuncs_do(tmp_path: Path) -> None:
    operations = set()
    for _, left, right, operation in ufunc_cases():
        if operation is not None:
            operations.add(operation)
            operations.update(
                itertools.starmap(conversion, zip((left, right), operation.operands, strict=True))
            )
    compiled = CompiledOperations(sorted(operations, key=str), tmp_path)
    faults = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for kind, left, right, operation in ufunc_cases():
            ufunc = UFUNCS[kind]
            words = f"{ufunc.__name__} of {left} and {right}"
            if operation is None:
                with pytest.raises(TypeError):
                    ufunc(values(left)[1], values(right)[0][0])
                continue
            numbers, array = values(right)
            one, _ = compiled(conversion(left, operation.operands[0]), values(left)[1])
            others, _ = compiled(conversion(right, operation.operands[1]), array)
            for number, other in zip(numbers, others, strict=True):
                answers, left_at = compiled(operation, one, np.repeat(other, len(one)))
                wanted, raised = by_ufunc(ufunc, operation.result, values(left)[1], number)
                if raised:
                    right_ones = left_at if kind is not ast.Pow else left_at.any()
                elif ufunc is np.power and wanted.dtype.kind == "f":
                    right_ones = same(answers, wanted) | (
                        np.abs(answers - wanted) <= 4 * np.spacing(np.abs(wanted))
                    )
                else:
                    right_ones = same(answers, wanted) & ~left_at
                if not np.all(right_ones):
                    faults.append(
                        f"{words}: {operation.function} {number!r}: {answers}, not {wanted} {raised}"
                    )
    assert not faults, f"{len(faults)}\n" + "\n".join(faults)


def small_powers(x, out, n):
    for i in range(n):
        out[0, i] = x[i] ** 2
        out[1, i] = x[i] ** 3
        out[2, i] = abs(x[i]) ** 0.5
        out[3, i] = float(x[i]) ** 2


def test_small_powers_are_the_librarys() -> None:
    random = np.random.default_rng(8)
    x = random.standard_normal(60000) * 2.0 ** random.integers(-90, 90, 60000)
    x[:9] = [0.0, -0.0, 1.0, -1.0, 2.0, 5e-324, -1e-160, 1e-308, 1e90]
    check(small_powers, x, np.zeros((4, len(x))), len(x))


def reciprocals(items, n):
    total, found = 0.0, []
    for i in range(n):
        v = items[i]
        if v:
            total += v**-1 - (v > 3) ** 2
        found.append((v + 10) ** -2)
        if v > -1:
            found.append((v > -1) ** -3)


def test_negative_constant_powers_of_ints_are_floats() -> None:
    check(reciprocals, [3, -4, 5, 0, 7, 2**40, 1, -(2**62)], 8)
