"""Cases of the elementwise functions that are not ufuncs."""

from __future__ import annotations

import numpy as np

from tests.cases.comparison import with_nan
from tests.cases.framework import (
    COMPLEX,
    FLOATS,
    INTS,
    NATIVE,
    REAL,
    binary,
    case,
    edges,
    given,
    infinite_complex,
    moderate,
    unary,
)

for decimals in (0, 1, 2, 7, 12, -1, -2):
    case(
        "numpy.round",
        lambda np, a, d=decimals: np.round(a, d),
        unary(values=moderate),
        f"moderate {decimals}",
    )
    case("numpy.round", lambda np, a, d=decimals: np.round(a, d), unary(), str(decimals))
for decimals in (-300, -30, 25, 300, 400, -400):
    far = given((np.array([1.5e300, -2.5, 0.0, 1e-30]),), (np.array([7, 2**62]),))
    case("numpy.round", lambda np, a, d=decimals: np.round(a, d), far, f"far {decimals}")
case("numpy.round", lambda np, a: np.around(a, decimals=3), unary(FLOATS), "around")
case("numpy.round", lambda np, a: np.ndarray.round(a, 1), given((np.array([0.25, 2.5, -1.35]),)), "method")
case("numpy.fix", lambda np, a: np.fix(a), unary())
case("numpy.isposinf", lambda np, a: np.isposinf(a), unary())
case("numpy.isneginf", lambda np, a: np.isneginf(a), unary())

PAIRS = (
    *((-1, 2), (0, 3), (0.5, 2.5), (None, 3), (-2, None), (None, None), (3, -1), (-300, 300)),
    (float("nan"), 1.0),
)
for low, high in PAIRS:
    case(
        "numpy.clip",
        lambda np, a, low=low, high=high: np.clip(a, low, high),
        unary(),
        f"{low},{high}",
        ulp=1e-9 if low is None or high is None else 0,
    )
case("numpy.clip", lambda np, a, b: np.clip(a, b, 3), binary(REAL), "array", ulp=1e-9)
case("numpy.clip", lambda np, a, b: np.clip(a, min=b, max=b), binary(REAL, moderate), "keywords", ulp=1e-9)
case(
    "numpy.ndarray.clip",
    lambda np, a: np.ndarray.clip(a, np.float32(0.5), None),
    given((np.arange(5.0),)),
    "method",
)

case("numpy.where", lambda np, a, b: np.where(a > 0, a, b), binary(INTS + FLOATS))
case("numpy.where", lambda np, a, b: np.where(np.isnan(a), a, b), binary(), "complex")
case("numpy.where", lambda np, a: np.where(a, 1, 2.5), unary(), "weak")
case(
    "numpy.where",
    lambda np, a, b: np.where([[True], [False]], a, b),
    given((np.arange(3), np.float32(2))),
    "list",
)

case("numpy.nan_to_num", lambda np, a: np.nan_to_num(a), unary(REAL))
case("numpy.nan_to_num", lambda np, a: np.nan_to_num(a), unary(COMPLEX, with_nan), "complex")
case(
    "numpy.nan_to_num",
    lambda np, a: np.nan_to_num(a, nan=np.inf, posinf=-np.inf, neginf=7),
    unary(FLOATS),
    "infinite",
)
case("numpy.nan_to_num", lambda np, a: np.nan_to_num(a, nan=1.5, posinf=7, neginf=-2.25), unary(), "values")
case("numpy.isclose", lambda np, a, b: np.isclose(a, b), binary())
case("numpy.isclose", lambda np, a, b: np.isclose(a, b, 0.5, 1, equal_nan=True), binary(FLOATS), "tolerances")
case("numpy.sinc", lambda np, a: np.sinc(a), unary(REAL, moderate), ulp=8, size=0.5)
case("numpy.i0", lambda np, a: np.i0(a), unary(REAL, moderate), ulp=8, size=0.5)
case(
    "numpy.i0",
    lambda np, a: np.i0(a),
    given((1j,), ([9.0, -12, 0],), (3,), (np.float32(9),)),
    "others",
    ulp=8,
)
case("numpy.angle", lambda np, a: np.angle(a), unary(), ulp=4)
case("numpy.angle", lambda np, a: np.angle(a, deg=True), unary(NATIVE, moderate), "degrees", ulp=4)
case(
    "numpy.ndarray.conj",
    lambda np, a: np.ndarray.conj(a),
    given(*[(edges(dtype),) for dtype in NATIVE], (np.array(1 + 2j),)),
)
BELOW = float(1 - np.finfo("f8").eps)
case(
    "numpy.isclose",
    lambda np, a, b, r: np.isclose(a, b, atol=0, rtol=r),
    given(
        (np.float32(1), 2, BELOW / 2),
        (np.ones(2, "f4"), 2.0, BELOW / 2),
        (np.ones(2, "f4"), np.float32(2), BELOW),
    ),
    "weak tolerances",
)
case("numpy.clip", lambda np, a: np.clip(a, 1, 2, min=0), given((np.arange(5.0),)), "bounds twice")
case("numpy.clip", lambda np, a: np.clip(a, 1), given((np.arange(5.0),)), "one bound")
case("numpy.ndarray.clip", lambda np, a: np.ndarray.clip(a, 1, max=3), given((np.arange(5.0),)), "by name")
case("numpy.ndarray.clip", lambda np, a: np.ndarray.clip(a, 2), given((np.arange(5),)), "one bound")
for dtype in COMPLEX:
    numbers = infinite_complex(dtype)
    one, other = np.repeat(numbers, numbers.size), np.tile(numbers, numbers.size)
    case(
        "numpy.clip",
        lambda np, *a: np.clip(*a),
        given((one, other, other[::-1].copy())),
        f"{dtype} signs and NaN",
    )
    case("numpy.clip", lambda np, a: np.clip(a, 0, 1), given((numbers,)), f"{dtype} bounds that are zero")
    both = np.stack([one, other])
    case("numpy.prod", lambda np, a: np.prod(a, axis=0), given((both,)), f"{dtype} signs and NaN")
    case("numpy.prod", lambda np, a: np.prod(a, axis=1), given((both[:, :40],)), f"{dtype} of many", ulp=64)
    for exponent in (-3, -2, -1, 2, 3, 5):
        case(
            "numpy.power",
            lambda np, a, n=exponent: np.power(a, n),
            given((numbers,)),
            f"{dtype} signs and NaN to the {exponent}",
            ulp=4,
        )
    some = np.array([-99, -3, -1, 0, 1, 2, 3, 7, 98])
    case(
        "numpy.power",
        lambda np, a, n: np.power(a, n),
        given((np.repeat(numbers, some.size), np.tile(some, numbers.size))),
        f"{dtype} to whole numbers",
        ulp=4,
    )
