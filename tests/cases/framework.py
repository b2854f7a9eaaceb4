"""What a case is: one body run by every lane, and the operands that it is run on.

A case names the op it is for, has a body `lambda np, a, b: np.add(a, b)` that runs unchanged under NumPy,
under `npcompile.numpy` (the shim) and jitted, and says from which operands it is run: dtypes x shapes x
layouts x scalars, with the edge values of each dtype. The expected answer is always what NumPy gives for the
same body and operands.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

BOOLS = ("bool",)
INTS = ("uint8", "int8", "int16", "int32", "int64")
FLOATS = ("float16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
REAL = BOOLS + INTS + FLOATS
NATIVE = REAL + COMPLEX
LAID_OUT = ("int32", "float64", "complex128")  # the dtypes whose memory is laid out in every way
WIDER = ("uint16", "uint32", "uint64", "longdouble", ">f8", ">i4")  # the arguments handed to NumPy

Operands = Callable[[], Iterable[tuple[str, tuple[Any, ...]]]]
CASES: list[Case] = []


@dataclass(frozen=True)
class Case:
    op: str  # the registered name of the op that is tested: "numpy.add"
    body: Callable[..., Any]  # body(np, *operands)
    operands: Operands  # makes fresh operands with a label, each time it is called
    label: str  # tells the cases of one op apart
    ulp: float  # the most that floats and complexes may be off; 0: exact, zeros signed
    half: float  # the same for float16 answers
    size: float | None  # the size of what is added up (see checker.same); None: the sum of all magnitudes
    refused: bool  # this call goes to NumPy by design, though its dtypes are native

    @property
    def id(self) -> str:
        return (
            f"{self.op.removeprefix('numpy.')}-{self.label}" if self.label else self.op.removeprefix("numpy.")
        )


def offered(op: str) -> bool:
    """Whether the NumPy that is installed has what a case is for: names come with its versions."""
    try:
        functools.reduce(getattr, op.split(".")[1:], np)
    except AttributeError:
        return not op.startswith("numpy.")
    return True


def case(
    op: str,
    body: Callable[..., Any],
    operands: Operands,
    label: str = "",
    *,
    ulp: float = 0,
    half: float | None = None,
    size: float | None = 0.0,
    refused: bool = False,
) -> None:
    """Add a case to the table, where NumPy has the name. half: the ulp of float16 answers, by default 0 or 1
    as `ulp` is 0 or not.
    """
    if not offered(op):
        return
    CASES.append(Case(op, body, operands, label, ulp, min(ulp, 1.0) if half is None else half, size, refused))


def expand(case: Case) -> Iterator[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
    """(id, body, operands) for each way the case is run; the operands are the receiver's own."""
    for label, operands in case.operands():
        yield f"{case.id}[{label}]", case.body, operands


def limit(case: Case, want: Any) -> float:
    """The ulp that an answer of this dtype may be off."""
    return case.half if isinstance(want, (np.ndarray, np.generic)) and want.dtype == np.float16 else case.ulp


def scale(case: Case, operands: Sequence[Any]) -> float:
    """The size of what a case adds up (0 where it adds nothing)."""
    if case.size is not None:
        return case.size
    with np.errstate(all="ignore"):
        sizes = [
            np.abs(np.asarray(item)[np.isfinite(item)], dtype=np.float64)
            for item in operands
            if _summed(item)
        ]
    return float(sum(size.sum() for size in sizes))


def _summed(item: Any) -> bool:
    return isinstance(item, (np.ndarray, np.generic)) and item.dtype.kind == "f"


# -- values --------------------------------------------------------------------------------------------------


def edges(dtype: str) -> np.ndarray:
    """The values at which operations of that dtype go wrong."""
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return np.array([False, True])
    if kind.kind in "iu":
        info = np.iinfo(kind)
        some = [
            info.min,
            info.min + 1,
            -128,
            -7,
            -3,
            -2,
            -1,
            0,
            1,
            2,
            3,
            7,
            8,
            31,
            64,
            100,
            info.max - 1,
            info.max,
        ]
        return np.array(sorted({value for value in some if info.min <= value <= info.max}), kind)
    if kind.kind == "f":
        real = np.finfo(kind)
        some = [0.0, 0.5, 1.0, 1.5, 2.5, 3.7, 7.0, 0.1, 1e-3, 40.25, float("inf")]
        some += [float(real.smallest_subnormal), float(real.tiny), float(real.max), float(real.eps)]
        return np.array([*some, *(-value for value in some), float("nan")], kind)
    some = [0.0, 1.0, -1.5, 0.25, -3.0]
    return np.array([complex(re, im) for re in some for im in some], kind)


def moderate(dtype: str) -> np.ndarray:
    """Ordinary finite values of that dtype, small enough to be added and multiplied without overflow."""
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return np.array([True, False, True, True, False])
    if kind.kind == "u":
        return np.array([3, 0, 1, 7, 2, 5], kind)
    if kind.kind == "i":
        return np.array([3, -2, 0, 1, -7, 5], kind)
    values = [0.5, -1.25, 3.0, 2.7, -0.1, 0.0]
    return np.array(values if kind.kind == "f" else [value + 0.5j * value**2 for value in values], kind)


def infinite_complex(dtype: str) -> np.ndarray:
    """All pairs of parts at which the arithmetic of complex numbers has zeros with signs, or NaN."""
    some = [0.0, -0.0, 1.0, -1.5, 0.25, float("inf"), float("-inf"), float("nan")]
    return np.array([complex(re, im) for re in some for im in some], dtype)


Values = Callable[[str], np.ndarray]


def filled(shape: tuple[int, ...], dtype: str, values: Values = moderate) -> np.ndarray:
    """An array of that shape with the values in turn."""
    return np.resize(values(dtype), shape) if 0 not in shape else np.empty(shape, dtype)


# -- operands ------------------------------------------------------------------------------------------------


def layouts(dtype: str, values: Values = moderate) -> Iterator[tuple[str, np.ndarray]]:
    """One array per memory layout, all (3, 4) but for the 0-d and the empty ones."""
    plain = filled((3, 4), dtype, values)
    yield "C", plain
    yield "F", np.asfortranarray(plain)
    yield "strided", filled((6, 8), dtype, values)[::2, 1::2]
    yield "reversed", plain[::-1, ::-1]
    yield "transposed", filled((4, 3), dtype, values).T
    yield "broadcast", np.broadcast_to(filled((4,), dtype, values), (3, 4))
    yield "0-d", np.array(values(dtype)[0])
    yield "empty", np.empty((0, 4), dtype)


def unary(
    dtypes: Sequence[str] = NATIVE,
    values: Values = edges,
    more: Sequence[str] = WIDER,
    numbers: Sequence[complex] = (True, 3, 2.5, 1j),
) -> Operands:
    """One operand: each dtype's edge values, the layouts, NumPy and Python scalars, and dtypes handed to
    NumPy."""

    def operands() -> Iterator[tuple[str, tuple[Any, ...]]]:
        for dtype in dtypes:
            yield dtype, (values(dtype),)
            yield f"{dtype} scalar", (values(dtype)[-2],)
        for dtype in [name for name in LAID_OUT if name in dtypes]:
            for label, array in layouts(dtype):
                yield f"{dtype} {label}", (array,)
        for dtype in more:
            yield dtype, (np.array([1, 2, 3], dtype),)
        for number in numbers:
            yield f"Python {type(number).__name__}", (number,)
        yield "list", ([1, 2, 3],)

    return operands


NUMBERS = (True, 3, -2, 300, 2.5, 1j)


def binary(
    dtypes: Sequence[str] = NATIVE,
    values: Values = edges,
    more: Sequence[str] = WIDER,
    numbers: Sequence[complex] = NUMBERS,
) -> Operands:
    """Two operands: all dtype pairs, every edge value against every other, layouts, broadcasting, scalars."""

    def operands() -> Iterator[tuple[str, tuple[Any, ...]]]:
        for one in dtypes:
            for other in dtypes:
                left, right = values(one), values(other)
                yield f"{one},{other}", (np.repeat(left, right.size), np.tile(right, left.size))
        for dtype in dtypes:
            some = values(dtype)
            for number in numbers:
                yield f"{dtype},{number}", (some, number)
                yield f"{number},{dtype}", (number, some)
            for strong in (np.int8(3), np.float32(2.5), np.float64(0.5)):
                yield f"{dtype},{type(strong).__name__}()", (some, strong)
                yield f"{type(strong).__name__}(),{dtype}", (strong, some)
            yield f"{dtype} scalars", (some[0], some[-2])
        for dtype in [name for name in LAID_OUT if name in dtypes]:
            fixed = filled((3, 4), dtype)
            for label, array in layouts(dtype):
                if label != "empty":
                    yield f"{dtype} {label}", (array, fixed)
                    yield f"{dtype} {label} reflected", (fixed, array)
            yield f"{dtype} empty", (np.empty((0, 4), dtype), fixed[0])
            yield f"{dtype} outer", (fixed[:, :1], fixed[0])
            yield f"{dtype} 0-d both", (np.array(fixed[0, 0]), np.array(fixed[0, 1]))
            yield f"{dtype} mismatch", (fixed, fixed[:2])
            yield f"{dtype} list", (fixed[0], [1, 2, 3, 4])
        for dtype in more:
            yield f"{dtype},int32", (np.array([1, 2, 3], dtype), np.array([1, 2, 3], "int32"))
        yield "Python numbers", (3, 2.5)

    return operands


def arrays(
    dtypes: Sequence[str] = NATIVE, values: Values = moderate, more: Sequence[str] = WIDER, empty: bool = True
) -> Operands:
    """One operand for what works along axes: 1-d, 2-d and 3-d arrays of each dtype, and every layout."""

    def operands() -> Iterator[tuple[str, tuple[Any, ...]]]:
        for dtype in dtypes:
            yield f"{dtype} 1-d", (filled((5,), dtype, values),)
            yield f"{dtype} 3-d", (filled((2, 3, 4), dtype, values),)
        for dtype in [name for name in LAID_OUT if name in dtypes]:
            for label, array in layouts(dtype, values):
                if empty or label != "empty":
                    yield f"{dtype} {label}", (array,)
        for dtype in more:
            yield dtype, (np.array([[1, 2, 3], [4, 5, 6]], dtype),)

    return operands


def given(*operands: tuple[Any, ...]) -> Operands:
    """Operands written out. Bodies that write into them get their own copies."""

    def make() -> Iterator[tuple[str, tuple[Any, ...]]]:
        for at, row in enumerate(operands):
            yield str(at), tuple(item.copy("K") if isinstance(item, np.ndarray) else item for item in row)

    return make


def judged(
    case: Case,
    problem: Callable[[Case, Callable[..., Any], tuple[Any, ...], tuple[Any, ...]], str | None],
) -> list[str]:
    """What `problem(case, body, operands, operands again)` finds in a case's calls, each with its label."""
    found = []
    for (label, body, args), (_, _, own) in zip(expand(case), expand(case), strict=True):
        if (wrong := problem(case, body, args, own)) is not None:
            found.append(f"{label}: {wrong}")
    return found
