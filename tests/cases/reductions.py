"""Cases of reductions, running sums, and methods of ufuncs."""

from __future__ import annotations

import numpy as np

from tests.cases.framework import (
    FLOATS,
    INTS,
    NATIVE,
    arrays,
    case,
    filled,
    given,
    moderate,
    unary,
)

AXES = (None, 0, -1, (0, -1), (), 3)


def some_nan(dtype: str) -> np.ndarray:
    """Moderate values with NaN among them, where the dtype has it."""
    values = moderate(dtype)
    if values.dtype.kind not in "fc":
        return values
    missing = np.nan if values.dtype.kind == "f" else complex(np.nan, np.nan)
    return np.concatenate([values, np.array([missing, 2], dtype)])


def mask(np, a):
    return np.not_equal(a, 1)


# -- sums and extremes ---------------------------------------------------------------------------------------

for name, ulp in (("sum", 4), ("prod", 8), ("min", 0), ("max", 0), ("any", 0), ("all", 0)):
    exact = {} if ulp == 0 else {"ulp": ulp, "half": 4, "size": None if name == "sum" else 0.0}
    for axis in AXES:
        case(
            f"numpy.{name}",
            lambda np, a, name=name, axis=axis: getattr(np, name)(a, axis=axis),
            arrays(),
            f"axis={axis}",
            **exact,
        )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a, axis=0, keepdims=True),
        arrays(),
        "keepdims",
        **exact,
    )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a),
        unary(NATIVE, some_nan, numbers=(True, 3, 2.5)),
        "NaN",
        **exact,
    )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np.ndarray, name)(a, -1, keepdims=True),
        arrays(FLOATS, more=()),
        "method",
        **exact,
    )
    if name in ("sum", "prod"):
        for dtype in ("float32", "int8", "complex128", "bool", "uint16"):
            case(
                f"numpy.{name}",
                lambda np, a, name=name, dtype=dtype: getattr(np, name)(a, 0, dtype),
                arrays(INTS + FLOATS, more=()),
                f"dtype={dtype}",
                **exact,
            )
    if name not in ("any", "all"):
        case(
            f"numpy.{name}",
            lambda np, a, name=name: getattr(np, name)(a, axis=0, initial=2),
            arrays(),
            "initial",
            **exact,
        )
        case(
            f"numpy.{name}",
            lambda np, a, name=name: getattr(np, name)(a, axis=-1, initial=0, where=mask(np, a)),
            arrays(),
            "where and initial",
            **exact,
        )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a, axis=0, where=mask(np, a)),
        arrays(),
        "where",
        **exact,
    )
ZEROS = (
    -np.zeros((2, 3)),
    -np.zeros((2, 3), "c8"),
    -np.zeros((0, 3)),
    np.array([[0.0, -0.0], [-0.0, -0.0]]),
    np.eye(2),
)
for start in (-0.0, 0.0, 1, None):
    ROWS = given(*((item,) for item in ZEROS))
    name = f"negative zeros from {start}"
    case("numpy.sum", lambda np, a, start=start: np.sum(a, 0, initial=start), ROWS, name)
    case("numpy.add.reduce", lambda np, a, start=start: np.add.reduce(a, initial=start), ROWS, name)
WHERE = given((-np.zeros((2, 3)),))
case("numpy.sum", lambda np, a: np.sum(a, 0, initial=-0.0, where=a > 0), WHERE, "negative zeros where")
case("numpy.max", lambda np, a: np.amax(a), arrays(), "amax")
case("numpy.min", lambda np, a: np.amin(a), arrays(), "amin")
for name in ("max", "min"):
    case(f"numpy.{name}", lambda np, a, name=name: getattr(np, name)(a), given((np.empty((0, 3)),)), "empty")
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a, axis=1),
        given((np.empty((0, 3)),), (np.empty((3, 0)),), (np.empty((0, 0)),)),
        "empty axis",
    )
for axis in (None, 0, -1, 3):
    case("numpy.ptp", lambda np, a, axis=axis: np.ptp(a, axis=axis), arrays(), f"axis={axis}")
    case("numpy.count_nonzero", lambda np, a, axis=axis: np.count_nonzero(a, axis), arrays(), f"axis={axis}")
case("numpy.ptp", lambda np, a: np.ptp(a, 0, keepdims=True), arrays(), "keepdims")
case("numpy.count_nonzero", lambda np, a: np.count_nonzero(a, (0, -1), keepdims=True), arrays(), "keepdims")
case("numpy.count_nonzero", lambda np, a: np.count_nonzero(a), unary(), "values")

# -- positions -----------------------------------------------------------------------------------------------

for name in ("argmin", "argmax", "nanargmin", "nanargmax"):
    for axis in (None, 0, -1, 3):
        case(
            f"numpy.{name}",
            lambda np, a, name=name, axis=axis: getattr(np, name)(a, axis),
            arrays(),
            f"axis={axis}",
        )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a, 0, keepdims=True),
        arrays(),
        "keepdims",
    )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a, keepdims=True),
        arrays(),
        "keepdims all",
    )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a),
        unary(NATIVE, numbers=(True, 3, 2.5)),
        "edges",
    )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a, axis=1),
        given(
            (np.array([[1.0, np.nan, np.nan], [2, 0, 0], [0.0, -0.0, 0.0]]),),
            (np.array([[np.nan, np.nan], [1, 2]]),),
            (np.empty((0, 3)),),
            (np.empty((3, 0)),),
        ),
        "NaN and ties",
    )
case("numpy.argmin", lambda np, a: np.ndarray.argmin(a, 0), arrays(), "method")
case("numpy.argmax", lambda np, a: np.ndarray.argmax(a), arrays(), "method")

LONG = [
    (filled((37, 129), dtype, lambda name: np.arange(1, 98).astype(name)[::-1]),) for dtype in INTS + FLOATS
]
for name in ("min", "max", "argmin", "argmax", "ptp", "any", "count_nonzero"):
    for axis in (None, 0, 1):  # compiled code has whole vectors here, and a remainder
        case(
            f"numpy.{name}",
            lambda np, a, name=name, axis=axis: getattr(np, name)(a, axis),
            given(*LONG),
            f"long {axis}",
        )

# -- running reductions --------------------------------------------------------------------------------------

for name in ("cumsum", "cumprod"):
    for axis in (None, 0, -1, 3):
        case(
            f"numpy.{name}",
            lambda np, a, name=name, axis=axis: getattr(np, name)(a, axis),
            arrays(),
            f"axis={axis}",
            ulp=16,
            half=16,
            size=None if name == "cumsum" else 0.0,
        )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np.ndarray, name)(a, 0, np.float32),
        arrays(INTS + FLOATS),
        "dtype",
        ulp=16,
    )

# where the sum of nothing and 1 would show: negative zeros, and complex numbers that are none in one part
ZEROS = np.array([[-0.0, -0.0, 0.0, -0.0], [-0.0, 1.0, -1.0, -0.0]])
PARTS = np.array([complex(np.nan, 1.0), complex(-0.0, -0.0), complex(2.0, np.inf)])
for name in ("cumsum", "cumprod"):
    rows = given((ZEROS,), (ZEROS.astype("f2"),), (ZEROS + 0j,), (-ZEROS * (1 + 0j),), (PARTS,), (PARTS[1:],))
    case(f"numpy.{name}", lambda np, a, name=name: getattr(np, name)(a, -1), rows, "the first")

# -- the order of complex numbers ----------------------------------------------------------------------------

SOME = (0.0, -0.0, 1.0, -2.0, np.inf, -np.inf, np.nan)
ORDER = np.array([complex(re, im) for re in SOME for im in SOME])
NUMBERS = ORDER[~np.isnan(ORDER)]
for name in ("min", "max", "argmin", "argmax", "nanargmin", "nanargmax", "nanmin", "nanmax"):
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a),
        given((np.array([1j, 2]),), (ORDER,), (NUMBERS,), (NUMBERS[::-1].copy(),), (ORDER[-1:],)),
        "complex",
    )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a, axis=-1),
        given((ORDER.reshape(7, 7),), (ORDER.reshape(7, 7).T,), (NUMBERS.reshape(6, 6),)),
        "complex rows",
    )

# Sums of one element begin with zero all the same.
ONE = given(
    *((filled((1, 3), dtype) * 0 - 0.0,) for dtype in ("f2", "f4", "f8", "c16")), (-np.zeros((1, 3), "f8"),)
)
case("numpy.sum", lambda np, a: np.sum(a, 0), ONE, "one negative zero")
case("numpy.sum", lambda np, a: np.sum(a, ()), ONE, "no axes")

# Partial results that overflow or underflow stay so: narrow floats are rounded at each step.
FAR = [
    np.array([6e4, 6e4, -6e4, 0, 1], "f2"),
    np.array([3e38, 3e38, -3e38, -3e38, 0, 1], "f4"),
    np.array([[1e30, 1e30, 1e-30, 0, 1], [1e-30, 1e-30, 1e30, 1, 1]], "f4"),
    np.array([[300, 300, 0], [1e-3, 1e-5, 1e4]], "f2"),
    np.array([1e-3, 0.11, 1e-2, 3e3], "f2"),
    np.array([np.inf, 1, 0], "f4"),
    np.array([1, np.nan, 3e38], "f4"),
]
for name in ("cumsum", "cumprod"):
    body = lambda np, a, name=name: getattr(np, name)(a, axis=-1)  # noqa: E731
    case(f"numpy.{name}", body, given(*[(item,) for item in FAR]), "far", ulp=1)
for name in ("add", "multiply"):
    body = lambda np, a, name=name: getattr(np, name).accumulate(a, -1)  # noqa: E731
    case(f"numpy.{name}.accumulate", body, given(*[(item,) for item in FAR]), "far", ulp=1)
