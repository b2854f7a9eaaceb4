"""Cases of the unsigned dtypes that torch only stores: the ops that compute with them, at edge values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tests.cases.framework import Operands, arrays, case, edges

UNSIGNED = ("uint16", "uint32", "uint64")
MORE = ("bool", "uint8", "int32", "int64", "float32", "float64", "complex128")  # beside an unsigned one


def every(dtype: str) -> np.ndarray:
    """Edge values, and some of every size between."""
    bits = 8 * np.dtype(dtype).itemsize
    sizes = [2**n + k for n in range(2, bits) for k in (-1, 0, 1)]
    return np.concatenate([edges(dtype), np.array(sizes[:: max(1, bits // 8)], dtype)])


def one(dtypes: Sequence[str] = UNSIGNED) -> Operands:
    def operands() -> Iterator[tuple[str, tuple[Any, ...]]]:
        for dtype in dtypes:
            yield dtype, (every(dtype),)
            yield f"{dtype} scalar", (every(dtype)[-1],)
            yield f"{dtype} 2-d strided", (np.resize(every(dtype), (6, 8))[::-2, 1::2],)

    return operands


def two(more: Sequence[str] = MORE, numbers: Sequence[Any] = (3, 0, 2.5, True)) -> Operands:
    """Pairs of unsigned dtypes, with others on either side, with Python numbers and with NumPy's."""

    def operands() -> Iterator[tuple[str, tuple[Any, ...]]]:
        for dtype in UNSIGNED:
            for other in (*UNSIGNED, *more):
                left = every(dtype)
                right = every(other) if other in UNSIGNED else edges(other)[:12]
                pair = np.repeat(left, right.size), np.tile(right, left.size)
                yield f"{dtype},{other}", pair
                if other not in UNSIGNED:
                    yield f"{other},{dtype}", pair[::-1]
            for number in numbers:
                yield f"{dtype},{number}", (every(dtype), number)
                yield f"{number},{dtype}", (number, every(dtype))
            yield f"{dtype} scalars", (every(dtype)[-1], every(dtype)[2])
            yield f"{dtype},scalar", (every(dtype), every(dtype)[-1])

    return operands


# -- ufuncs --------------------------------------------------------------------------------------------------

for name in (
    "add",
    "subtract",
    "multiply",
    "floor_divide",
    "remainder",
    "divmod",
    "fmod",
    "maximum",
    "minimum",
):
    case(f"numpy.{name}", lambda np, a, b, name=name: getattr(np, name)(a, b), two(MORE[:-1]), "unsigned")
for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_xor"):
    case(
        f"numpy.{name}",
        lambda np, a, b, name=name: getattr(np, name)(a, b),
        two(numbers=(3, -1, 2**16, 2**40, 2.5)),
        "unsigned",
    )
for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "gcd", "lcm"):
    case(f"numpy.{name}", lambda np, a, b, name=name: getattr(np, name)(a, b), two(MORE[:4]), "unsigned")
for name in ("divide", "power", "arctan2"):
    case(
        f"numpy.{name}",
        lambda np, a, b, name=name: getattr(np, name)(a, b),
        two(MORE[:-1]),
        "unsigned",
        ulp=4,
    )
for number in (1, 7, 64, 200):
    case("numpy.divmod", lambda np, a, b=number: np.divmod(a, b), one(), f"unsigned by {number}")
for exponent in (0, 1, 2, 3, 5, 64):
    case("numpy.power", lambda np, a, b=exponent: np.power(a, b), one(), f"unsigned to the {exponent}")
for name in (
    "absolute",
    "negative",
    "positive",
    "invert",
    "sign",
    "square",
    "reciprocal",
    "logical_not",
    "rint",
):
    case(f"numpy.{name}", lambda np, a, name=name: getattr(np, name)(a), one(), "unsigned")
for name in ("floor", "ceil", "trunc", "isnan", "isinf", "isfinite", "signbit", "conjugate", "sqrt"):
    case(f"numpy.{name}", lambda np, a, name=name: getattr(np, name)(a), one(), "unsigned", ulp=1)
for name in ("exp", "log", "sin", "tanh"):
    case(f"numpy.{name}", lambda np, a, name=name: getattr(np, name)(a), one(), "unsigned", ulp=4)
for dtype in UNSIGNED:
    case("numpy.add", lambda np, a, b, d=dtype: np.add(a, b, dtype=d), two((), ()), f"unsigned dtype={dtype}")

# -- casts ---------------------------------------------------------------------------------------------------

ALL = ("bool", "uint8", "int8", "int16", "int32", "int64", *UNSIGNED)


def castable(dtype: str) -> np.ndarray:
    """Floats of every size that int32 holds, and infinity."""
    sizes = [0.0, 0.5, 0.99, 1.0, 1.5, 127.5, 128, 255.5, 256, 32767, 32768, 65504, 65535, 65536, 70000.7]
    with np.errstate(over="ignore"):
        return np.array([*sizes, *[-size for size in sizes], np.inf]).astype(dtype)


def huge(dtype: str) -> np.ndarray:
    """Floats about the ends of the integers of 32 and 64 bits."""
    near = [2.0**31, 2.0**32, 2.0**53, 2.0**62, 2.0**63, 2.0**64, 1e20, 3.3e9, 1e12, 1.5 * 2.0**63]
    near += [value * (1 - 2.0**-20) for value in near] + [value * (1 + 2.0**-20) for value in near]
    return np.array([*near, *[-value for value in near], np.inf, -np.inf, np.nan]).astype(dtype)


def listed(make: Any, dtypes: Sequence[str]) -> Operands:
    return lambda: ((dtype, (make(dtype),)) for dtype in dtypes)


FLOATS = ("float16", "float32", "float64")
for dtype in (*ALL, *FLOATS, "complex64", "complex128"):
    case(
        "numpy.ndarray.astype", lambda np, a, d=dtype: np.ndarray.astype(a, d), one(), f"unsigned to {dtype}"
    )
for dtype in ALL:
    case(
        "numpy.ndarray.astype",
        lambda np, a, d=dtype: np.ndarray.astype(a, d),
        listed(castable, FLOATS),
        f"floats to {dtype}",
    )
    case(
        "numpy.ndarray.astype",
        lambda np, a, d=dtype: np.ndarray.astype(a, d),
        listed(edges, ("bool", "uint8", "int8", "int16", "int32", "int64")),
        f"integers to {dtype}",
    )
    if dtype != "uint32":  # of which NumPy has several answers there, depending on where an element lies
        case(
            "numpy.ndarray.astype",
            lambda np, a, d=dtype: np.ndarray.astype(a, d),
            listed(huge, FLOATS[1:]),
            f"huge floats to {dtype}",
        )

# -- reductions, orders, moves -------------------------------------------------------------------------------

for name in (
    "sum",
    "prod",
    "min",
    "max",
    "any",
    "all",
    "ptp",
    "argmin",
    "argmax",
    "cumsum",
    "cumprod",
    "sort",
):
    for axis in (None, -1):
        case(
            f"numpy.{name}",
            lambda np, a, name=name, axis=axis: getattr(np, name)(a, axis=axis),
            one(("uint8", *UNSIGNED)),
            f"unsigned axis={axis}",
        )
for name in ("mean", "std", "var"):
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a),
        arrays(UNSIGNED, more=()),
        "unsigned",
        ulp=4,
    )
case(
    "numpy.argsort", lambda np, a: np.argsort(a, kind="stable"), arrays(UNSIGNED, every, more=()), "unsigned"
)
case("numpy.where", lambda np, a, b: np.where(a > b, a, b), two(MORE[:-1]), "unsigned")
case("numpy.clip", lambda np, a: np.clip(a, 2, 100), one(), "unsigned")
case("numpy.concatenate", lambda np, a, b: np.concatenate([a, b]), two(numbers=()), "unsigned")
case("numpy.take", lambda np, a: np.take(a, [0, 2, -1, 1]), one(), "unsigned")
case("numpy.roll", lambda np, a: np.roll(a, 2), one(), "unsigned")
case("numpy.flip", lambda np, a: np.flip(a), one(), "unsigned")
case("numpy.diff", lambda np, a: np.diff(a), arrays(UNSIGNED, every, more=()), "unsigned")
case("numpy.tile", lambda np, a: np.tile(a, 2), one(), "unsigned")
case(
    "numpy.ndarray.__getitem__",
    lambda np, a: np.ndarray.__getitem__(a, [0, -1, 1]),
    arrays(UNSIGNED, more=()),
    "unsigned refused",
)
