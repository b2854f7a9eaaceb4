"""Compares functions of native loops with Python's and NumPy's own, called with the very scalars.

All operations are compiled in one C++ file. A value is compared bit for bit, NaN with any NaN; those of
NumPy's transcendental functions may be as far apart as `verify` lets them be. An operation has to leave
exactly where Python raises or answers with another type, as with an int of more than 64 bits; `LEAVES_MORE`
lists the operations that leave for other values, too.
"""

from __future__ import annotations

import cmath
import functools
import itertools
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from npcompile.frontend.loops.entry.values import scalar_of
from npcompile.frontend.loops.scalars import functions
from npcompile.frontend.loops.scalars.samples import sample
from npcompile.lower.loops.operation import Operation
from npcompile.lower.loops.types import BOOL, C_TYPES, COMPLEX, FLOAT, INT, Scalar
from npcompile.verify.tolerance import ULP, differs_by_more
from tests.lower.loops.compiled_operations import CompiledOperations, conversion

PYTHON = (BOOL, INT, FLOAT, COMPLEX)
ALL = (*PYTHON, *map(Scalar, C_TYPES))
# For functions of two operands: each kind, the smallest and the largest of its sizes.
SOME = (*PYTHON, *map(Scalar, ("b1", "i1", "i8", "u1", "u8", "f2", "f4", "f8", "c8", "c16")))
FEW = (BOOL, INT, FLOAT, Scalar("u1"), Scalar("i4"), Scalar("f4"), Scalar("f8"), Scalar("c8"))

# Functions whose operations also leave for values that Python has an answer for.
LEAVES_MORE = {
    "cmath.exp": "infinities, NaNs and powers near the largest float",
    "cmath.phase": "answers below the normal numbers",
    "cmath.sqrt": "infinities, NaNs and subnormal numbers",
    "math.hypot of 2": "subnormal numbers, and roots in the middle of two floats",
    "math.hypot of 3": "subnormal numbers, and roots in the middle of two floats",
    "pow": "complex numbers that are not finite, and ints of negative exponents",
    "pow of 3": "negative exponents, of which some have an inverse",
    "np.reciprocal": "the integer 0, whose reciprocal is the processor's",
    "round to digits": "a negative number of digits of a Python float",
}

# Functions that have no operation for some types, though Python has an answer: for complex numbers (`math`
# warns then, and takes their real part), for np.uint64 in place of an int, for float16.
WITHOUT_COMPLEX = frozenset(
    """
    np.exp2 np.expm1 np.log2 np.log10 np.log1p np.float_power np.clip .clip() complex_of_2
    """.split()
)
WITHOUT_UINT64 = frozenset("math.isqrt math.factorial math.gcd math.lcm math.comb math.perm".split())
WITHOUT_HALF = frozenset(["np.nextafter"])

# -- values --------------------------------------------------------------------------------------------------

INTS = [0, 1, -1, 2, 3, -3, 7, 10, -10, 20, 21, 35, 63, 64, 100, 127, 128, -128, -129, 255, 256, 1000, 32767]
INTS += [-32768, 65535, 70000, 2**31 - 1, -(2**31), 2**32 - 1, 2**53 + 1, 2**60 + 2**36 + 1, 2**62 + 1]
INTS += [2**63 - 1, -(2**63), -(2**63) + 1, 2**63, 2**64 - 1]
FLOATS = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 2.675, 0.1, 0.3, -0.7, 3.7, 10.0, 25.0, 100.25]
FLOATS += [
    1e-3,
    -1e-10,
    1e-40,
    5e-324,
    2.2250738585072014e-308,
    1e-310,
    709.5,
    710.5,
    -745.5,
    88.8,
    171.5,
    65504.0,
]
FLOATS += [
    127.9,
    -128.9,
    255.5,
    1e5,
    2.0**31,
    -(2.0**31) - 1,
    2.0**53,
    1e16,
    2.0**63,
    1e19,
    2.0**64,
    1e22,
    3e38,
]
FLOATS += [
    1e300,
    -1.7e308,
    math.pi,
    -math.pi / 4,
    0.9999999999999999,
    1e15 + 0.5,
    math.inf,
    -math.inf,
    math.nan,
]
PARTS = [0.0, -0.0, 1.0, -2.5, 0.3, 3.0, 1e-310, 710.0, 1e200, -1e308, math.inf, math.nan]


@functools.cache
def values(scalar: Scalar, short: bool = False) -> list[Any]:
    """Return values of a type; `short`: every third, and the extremes."""
    dtype = np.dtype(scalar.code)
    numbers: list[Any]
    if scalar.kind == "b":
        numbers = [False, True]
    elif scalar.kind in "iu":
        bounds = np.iinfo(dtype)
        numbers = [value for value in INTS if bounds.min <= value <= bounds.max]
        numbers += [int(bounds.min), int(bounds.max)]
        numbers = numbers[:4] + numbers[4:-2:3] + numbers[-2:] if short else numbers
    elif scalar.kind == "f":
        numbers = FLOATS[:2] + FLOATS[2:-3:4] + FLOATS[-3:] if short else FLOATS
    else:
        parts = PARTS[::2] + PARTS[-1:] if short else PARTS
        numbers = [complex(real, imag) for real in parts for imag in parts]
    with np.errstate(all="ignore"):
        array = np.array(numbers, "O" if scalar.kind in "iu" else None).astype(dtype)
    return array.tolist() if scalar.python else list(array)


# -- functions -----------------------------------------------------------------------------------------------

UNARY_MATH = """
exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt sqrt erf
erfc fabs degrees radians ulp isnan isinf isfinite floor ceil trunc isqrt factorial
""".split()
BINARY_MATH = "log hypot fmod pow remainder atan2 copysign nextafter isclose ldexp gcd lcm comb perm".split()
UNARY_UFUNCS = """
exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh
cbrt deg2rad rad2deg degrees radians
""".split()
EXACT_UNARY_UFUNCS = """
sqrt abs absolute fabs sign floor ceil trunc rint isnan isinf isfinite signbit square reciprocal negative
positive conj conjugate invert logical_not bitwise_count
""".split()
BINARY_UFUNCS = "arctan2 hypot float_power logaddexp logaddexp2 power".split()
EXACT_BINARY_UFUNCS = """
maximum minimum fmax fmin add subtract multiply divide true_divide floor_divide mod remainder fmod logical_and
logical_or logical_xor bitwise_and bitwise_or bitwise_xor left_shift right_shift copysign nextafter heaviside
gcd lcm equal not_equal less less_equal greater greater_equal
""".split()
CONSTRUCTORS = [np.dtype(code).type for code in C_TYPES]


class Case(NamedTuple):
    """A function called with operands of these types, and the operation that stands for it."""

    name: str
    function: Callable[..., Any]
    operands: tuple[Scalar, ...]
    operation: Operation | None
    exact: bool = True

    @property
    def result(self) -> Scalar | None:
        """The type of the function's answers; None if it takes no operands of these types."""
        for number in (1, 2, 0):
            try:
                return scalar_of(self.function(*(type(sample(operand))(number) for operand in self.operands)))
            except (TypeError, AttributeError):
                return None
            except (ValueError, ZeroDivisionError):
                continue
        return None


def of(function: Any, name: str, operands: tuple[Scalar, ...], exact: bool = True) -> Case:
    return Case(name, function, operands, functions.call(function, operands), exact)


def all_cases() -> Iterator[Case]:
    for operand in ALL:
        one = (operand,)
        for builtin in (abs, round, int, float, bool, complex):
            yield of(builtin, builtin.__name__, one)
        for name in UNARY_MATH:
            yield of(getattr(math, name), f"math.{name}", one)
        for name in ("exp", "sqrt", "phase", "isnan", "isinf", "isfinite"):
            yield of(getattr(cmath, name), f"cmath.{name}", one)
        for name in UNARY_UFUNCS:
            yield of(getattr(np, name), f"np.{name}", one, exact=False)
        for name in EXACT_UNARY_UFUNCS:
            # A complex root is the library's.
            exact = operand.kind != "c" or name not in ("sqrt", "sign", "reciprocal")
            yield of(getattr(np, name), f"np.{name}", one, exact)
        for name in ("round", "around", "fix", "real", "imag"):
            yield of(getattr(np, name), f"np.{name}", one)
        yield of(np.angle, "np.angle", one, exact=False)
        for constructor in CONSTRUCTORS:
            yield of(constructor, f"np.{constructor.__name__}", one)
        for name in functions.ATTRIBUTES:
            get = functools.partial(lambda value, name: getattr(value, name), name=name)
            yield Case(f".{name}", get, one, functions.attribute(name, operand))
        for name in functions.METHODS[:-1]:
            do = functools.partial(lambda value, name: getattr(value, name)(), name=name)
            yield Case(f".{name}()", do, one, functions.method(name, one))
        for function in (min, max):
            yield of(function, function.__name__, (operand, operand))
        for bound in (INT, FLOAT):
            operands = (operand, bound, bound)
            operation = None if operand.python else functions.method("clip", operands)
            yield Case(".clip()", lambda value, *bounds: value.clip(*bounds), operands, operation)
        yield of(round, "round to digits", (operand, INT))
        yield of(np.round, "np.round to digits", (operand, INT))
    for pair in itertools.product(SOME, SOME):
        for name in BINARY_MATH:
            yield of(getattr(math, name), f"math.{name} of 2", pair)
        for name in BINARY_UFUNCS:
            yield of(getattr(np, name), f"np.{name}", pair, exact=False)
        for name in EXACT_BINARY_UFUNCS:
            exact = "c" not in (pair[0].kind, pair[1].kind) or name not in ("divide", "true_divide")
            yield of(getattr(np, name), f"np.{name}", pair, exact)
    for pair in itertools.product(PYTHON, PYTHON):
        yield of(complex, "complex_of_2", pair)
        yield of(pow, "pow", pair, exact=False)
    for three in itertools.product(FEW, FEW, FEW):
        yield of(np.clip, "np.clip", three)
    for three in itertools.product((BOOL, INT, FLOAT), repeat=3):
        yield of(pow, "pow of 3", three)
        yield of(math.hypot, "math.hypot of 3", three)
    for function in (min, max):
        for operand in (INT, FLOAT, Scalar("f4")):
            yield of(function, function.__name__, (operand,) * 3)


@functools.cache
def cases() -> dict[str, list[Case]]:
    """Return the cases by the name of their function."""
    found: dict[str, list[Case]] = {}
    for case in all_cases():
        found.setdefault(case.name, []).append(case)
    return found


# -- the compiled file ---------------------------------------------------------------------------------------


def cast(source: Scalar, to: Scalar) -> Operation:
    return conversion(Scalar(source.code), Scalar(to.code))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> CompiledOperations:
    """All operations of the cases, and the casts of their operands."""
    operations = {case.operation: None for some in cases().values() for case in some if case.operation}
    operations.update(dict.fromkeys(itertools.starmap(cast, itertools.product(ALL, ALL))))
    folder = tmp_path_factory.mktemp("functions")
    return CompiledOperations(operations, folder, header="functions.h")


def run(case: Case, columns: list[Any], library: CompiledOperations) -> tuple[Any, Any]:
    """Return the answers of an operation for each row of operands, and where it leaves."""
    assert case.operation is not None
    given = [
        library(cast(source, to), column)[0]
        for source, to, column in zip(case.operands, case.operation.operands, columns, strict=True)
    ]
    return library(case.operation, *given)


# -- comparisons ---------------------------------------------------------------------------------------------


def rows(case: Case) -> list[tuple[Any, ...]]:
    """Return rows of operands, without those of which Python would make integers of millions of digits."""
    operands = case.operands
    columns = [values(operand, len(operands) > 1) for operand in operands]
    if len(operands) == 3:
        columns = [column[:: max(1, len(column) // 5)] for column in columns]
    return [row for row in itertools.product(*columns) if not is_enormous(case.name, *row)]


def is_enormous(name: str, first: Any, *more: Any) -> bool:
    if not all(isinstance(value, (int, np.integer)) for value in (first, *more)):
        return False
    if name == "math.factorial":
        return bool(first > 1000)
    if name == "pow":
        return bool(abs(first) > 1 and more[0] > 1000)
    if name in ("math.comb of 2", "math.perm of 2"):
        return bool(first > 1000 and more[0] > 1000)
    return name == "round to digits" and bool(more[0] < -1000)


RAISES = (ValueError, OverflowError, ZeroDivisionError)


def expected(case: Case, row: tuple[Any, ...]) -> Any:
    """Return the answer of Python or NumPy, None where it raises or has another type than the operation's."""
    assert case.operation is not None
    try:
        value = case.function(*row)
    except RAISES:
        return None
    return value if scalar_of(value) == case.operation.result else None


def differing(case: Case, library: CompiledOperations) -> list[str]:
    """Return descriptions of the rows for which an operation does not do as its function does."""
    operation, table = case.operation, rows(case)
    assert operation is not None
    columns = [np.array([row[i] for row in table], operand.code) for i, operand in enumerate(case.operands)]
    got, left = run(case, columns, library)
    wanted = [expected(case, row) for row in table]
    faults = []
    for row, value, leaves in zip(table, wanted, left.tolist(), strict=True):
        if value is None and not leaves:
            faults.append(f"{row}: does not leave")
        elif value is not None and leaves and case.name not in LEAVES_MORE:
            faults.append(f"{row}: leaves, Python has {value!r}")
    kept = [i for i, value in enumerate(wanted) if value is not None and not left[i]]
    want = np.array([wanted[i] for i in kept], operation.result.code)
    got = got[kept]
    wrong = differs_by_more(got, want, 0 if case.exact else ULP)
    if case.exact and want.dtype.kind in "fc":
        parts = ("real", "imag") if want.dtype.kind == "c" else ("real",)
        for part in parts:
            wrong |= np.signbit(getattr(got, part)) != np.signbit(getattr(want, part))
        wrong &= ~(np.isnan(got) & np.isnan(want))
    faults += [f"{table[kept[i]]}: {got[i]!r} for {want[i]!r}" for i in np.flatnonzero(wrong)]
    return faults


@pytest.mark.parametrize("name", list(cases()))
def test_operations_are_there_for_all_types(name: str) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        missing = [case for case in cases()[name] if case.operation is None and case.result is not None]
    function = name.removesuffix(" of 2")
    for case in missing:
        kinds = {operand.kind for operand in case.operands}
        codes = {operand.code for operand in case.operands}
        allowed = "c" in kinds and (name.startswith("math.") or name in WITHOUT_COMPLEX)
        allowed |= "u8" in codes and function in WITHOUT_UINT64
        allowed |= name in WITHOUT_HALF and case.result == Scalar("f2")
        assert allowed, f"{case.name}{tuple(map(str, case.operands))}"


@pytest.mark.parametrize("name", list(cases()))
def test_answers_are_those_of_python_and_numpy(name: str, library: CompiledOperations) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        faults = [
            f"{case.name}{tuple(map(str, case.operands))} {case.operation.function} {fault}"
            for case in cases()[name]
            if case.operation is not None
            for fault in differing(case, library)
        ]
    assert not faults, f"{len(faults)}\n" + "\n".join(faults[:40])
