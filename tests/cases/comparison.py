"""Cases of comparisons, extremes, logic and bits."""

from __future__ import annotations

import numpy as np

from tests.cases.framework import COMPLEX, arrays, binary, case, edges, given, unary


def with_nan(dtype: str) -> np.ndarray:
    """Complex numbers with NaN and infinities in either part."""
    some = [0.0, 1.0, -1.0, float("nan"), float("inf")]
    return np.array([complex(re, im) for re in some for im in some], dtype)


BITS = ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "gcd", "lcm")

for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
    case(f"numpy.{name}", lambda np, a, b, name=name: getattr(np, name)(a, b), binary())
    case(
        f"numpy.{name}", lambda np, a, b, name=name: getattr(np, name)(a, b), binary(COMPLEX, with_nan), "NaN"
    )
for name in ("maximum", "minimum", "fmax", "fmin"):
    # of zeros of both signs NumPy takes either, as its vector loop happens to
    case(f"numpy.{name}", lambda np, a, b, name=name: getattr(np, name)(a, b), binary(), ulp=1e-9)
    case(
        f"numpy.{name}",
        lambda np, a, b, name=name: getattr(np, name)(a, b),
        binary(COMPLEX, with_nan),
        "NaN",
        ulp=1e-9,
    )
for name in ("maximum", "minimum", "fmax", "fmin"):
    # of float16 always the first
    case(
        f"numpy.{name}", lambda np, a, b, name=name: getattr(np, name)(a, b), binary(("float16",)), "float16"
    )
for name in ("logical_and", "logical_or", "logical_xor", *BITS):
    case(f"numpy.{name}", lambda np, a, b, name=name: getattr(np, name)(a, b), binary())
for name in ("logical_not", "invert", "isnan", "isinf", "isfinite", "signbit", "bitwise_count"):
    case(f"numpy.{name}", lambda np, a, name=name: getattr(np, name)(a), unary())
case("numpy.ndarray.byteswap", lambda np, a: np.ndarray.byteswap(a), arrays(values=edges))
for number in ("uint16", "uint32", "uint64"):
    case("numpy.ndarray.byteswap", lambda np, a: np.ndarray.byteswap(a), given((edges(number),)), number)
for name in ("isnan", "isinf", "isfinite", "logical_not"):
    case(f"numpy.{name}", lambda np, a, name=name: getattr(np, name)(a), unary(COMPLEX, with_nan), "NaN")
