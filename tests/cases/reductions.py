"""Cases of reductions, running sums, statistics, and methods of ufuncs."""

from __future__ import annotations

import numpy as np

from tests.cases.framework import (
    BOOLS,
    COMPLEX,
    FLOATS,
    INTS,
    NATIVE,
    REAL,
    arrays,
    binary,
    case,
    edges,
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
    kinds = REAL if name in ("min", "max") else NATIVE  # complex numbers have an order, but not here
    for axis in AXES:
        case(
            f"numpy.{name}",
            lambda np, a, name=name, axis=axis: getattr(np, name)(a, axis=axis),
            arrays(kinds),
            f"axis={axis}",
            **exact,
        )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a, axis=0, keepdims=True),
        arrays(kinds),
        "keepdims",
        **exact,
    )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a),
        unary(kinds, some_nan, numbers=(True, 3, 2.5)),
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
            arrays(kinds),
            "initial",
            **exact,
        )
        case(
            f"numpy.{name}",
            lambda np, a, name=name: getattr(np, name)(a, axis=-1, initial=0, where=mask(np, a)),
            arrays(kinds),
            "where and initial",
            **exact,
        )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a, axis=0, where=mask(np, a)),
        arrays(kinds),
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
case("numpy.max", lambda np, a: np.amax(a), arrays(REAL), "amax")
case("numpy.min", lambda np, a: np.amin(a), arrays(REAL), "amin")
for name in ("max", "min"):
    case(f"numpy.{name}", lambda np, a, name=name: getattr(np, name)(a), given((np.empty((0, 3)),)), "empty")
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a, axis=1),
        given((np.empty((0, 3)),), (np.empty((3, 0)),), (np.empty((0, 0)),)),
        "empty axis",
    )
for axis in (None, 0, -1, 3):
    case("numpy.ptp", lambda np, a, axis=axis: np.ptp(a, axis=axis), arrays(REAL), f"axis={axis}")
    case("numpy.count_nonzero", lambda np, a, axis=axis: np.count_nonzero(a, axis), arrays(), f"axis={axis}")
case("numpy.ptp", lambda np, a: np.ptp(a, 0, keepdims=True), arrays(REAL), "keepdims")
case("numpy.count_nonzero", lambda np, a: np.count_nonzero(a, (0, -1), keepdims=True), arrays(), "keepdims")
case("numpy.count_nonzero", lambda np, a: np.count_nonzero(a), unary(), "values")

# -- positions -----------------------------------------------------------------------------------------------

for name in ("argmin", "argmax", "nanargmin", "nanargmax"):
    for axis in (None, 0, -1, 3):
        case(
            f"numpy.{name}",
            lambda np, a, name=name, axis=axis: getattr(np, name)(a, axis),
            arrays(REAL),
            f"axis={axis}",
        )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a, 0, keepdims=True),
        arrays(REAL),
        "keepdims",
    )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a, keepdims=True),
        arrays(REAL),
        "keepdims all",
    )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a),
        unary(REAL, numbers=(True, 3, 2.5)),
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
case("numpy.argmin", lambda np, a: np.ndarray.argmin(a, 0), arrays(REAL), "method")
case("numpy.argmax", lambda np, a: np.ndarray.argmax(a), arrays(REAL), "method")

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

# -- means and variances -------------------------------------------------------------------------------------

for name in ("mean", "nanmean"):
    for axis in AXES:
        case(
            f"numpy.{name}",
            lambda np, a, name=name, axis=axis: getattr(np, name)(a, axis),
            arrays(values=some_nan if name == "nanmean" else moderate, more=("uint16", "longdouble")),
            f"axis={axis}",
            ulp=4,
            half=3,
            size=16.0,
        )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a, 0, keepdims=True, where=mask(np, a)),
        arrays(),
        "where",
        ulp=4,
        half=3,
        size=16.0,
    )
    for dtype in ("float32", "float64", "complex64", "int32"):
        case(
            f"numpy.{name}",
            lambda np, a, name=name, dtype=dtype: getattr(np, name)(a, -1, dtype=dtype),
            arrays(INTS + FLOATS, more=()),
            f"dtype={dtype}",
            ulp=4,
            half=3,
            size=16.0,
        )
case("numpy.mean", lambda np, a: np.ndarray.mean(a, 0), arrays(FLOATS), "method", ulp=4, half=3, size=16.0)

for name in ("var", "std", "nanvar", "nanstd"):
    values = some_nan if name.startswith("nan") else moderate
    for axis in (None, 0, -1, (0, -1), 3):
        case(
            f"numpy.{name}",
            lambda np, a, name=name, axis=axis: getattr(np, name)(a, axis),
            arrays(values=values, more=("uint16", "longdouble")),
            f"axis={axis}",
            ulp=8,
            half=4,
            size=16.0,
        )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a, 0, ddof=1, keepdims=True),
        arrays(values=values),
        "ddof",
        ulp=8,
        half=4,
        size=16.0,
    )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a, -1, where=mask(np, a), correction=1),
        arrays(),
        "where and correction",
        ulp=8,
        half=4,
        size=16.0,
    )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a, 0, mean=np.mean(a, axis=0, keepdims=True)),
        arrays(FLOATS, empty=False),
        "mean",
        ulp=8,
        half=4,
        size=16.0,
    )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a, dtype=np.float64),
        arrays(INTS + FLOATS),
        "dtype",
        ulp=8,
        size=16.0,
    )
case("numpy.std", lambda np, a: np.ndarray.std(a, 0), arrays(FLOATS), "method", ulp=8, half=4, size=16.0)
case("numpy.var", lambda np, a: np.ndarray.var(a, 0), arrays(FLOATS), "method", ulp=8, half=4, size=16.0)

for name in ("nansum", "nanprod", "nanmin", "nanmax"):
    kinds = REAL if name in ("nanmin", "nanmax") else NATIVE
    for axis in AXES:
        case(
            f"numpy.{name}",
            lambda np, a, name=name, axis=axis: getattr(np, name)(a, axis, keepdims=axis == 0),
            arrays(kinds, some_nan),
            f"axis={axis}",
            ulp=8 if name in ("nansum", "nanprod") else 0,
            half=4,
            size=None if name == "nansum" else 0.0,
        )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a, axis=-1, initial=1, where=mask(np, a)),
        arrays(kinds, some_nan),
        "where and initial",
        ulp=8 if name in ("nansum", "nanprod") else 0,
        half=4,
        size=None if name == "nansum" else 0.0,
    )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a, 0),
        given((np.array([[np.nan, 1.0], [np.nan, -0.0]]),)),
        "all NaN",
    )

# -- averages and differences --------------------------------------------------------------------------------

case("numpy.average", lambda np, a: np.average(a), arrays(), ulp=4, half=3, size=16.0)
case(
    "numpy.average",
    lambda np, a: np.average(a, 0, returned=True),
    arrays(),
    "returned",
    ulp=4,
    half=3,
    size=16.0,
)
case(
    "numpy.average",
    lambda np, a, w: np.average(a, weights=w, axis=0, keepdims=True),
    binary(REAL, moderate, numbers=()),
    "weights",
    ulp=8,
    half=8,
    size=64.0,
)
case(
    "numpy.average",
    lambda np, a, w: np.average(a, 1, w, returned=True),
    given(
        (np.arange(6.0).reshape(2, 3), np.array([1, 2, 3])),
        (np.arange(6.0).reshape(2, 3), np.array([1, 2])),
        (np.arange(6, dtype="f4").reshape(2, 3), np.array([1, -1, 0], "f4")),
        (np.arange(6).reshape(2, 3), [0.5, 0.25, 0.25]),
    ),
    "1-d weights",
    ulp=4,
)
case(
    "numpy.average",
    lambda np, a, w: np.average(a, (2, 0), w),
    given((filled((2, 3, 4), "float64"), np.arange(8.0).reshape(4, 2))),
    "axes",
    ulp=8,
)
for n, axis in ((1, -1), (1, 0), (2, -1), (7, 0), (1, 3)):
    case("numpy.diff", lambda np, a, n=n, axis=axis: np.diff(a, n, axis), arrays(), f"{n},{axis}")
case("numpy.diff", lambda np, a: np.diff(a, prepend=0, append=a[..., :1]), arrays(REAL, more=()), "ends")
case("numpy.diff", lambda np, a: np.diff(a, n=0), given((np.arange(3),)), "none", refused=True)

# -- methods of ufuncs ---------------------------------------------------------------------------------------

for name in ("add", "multiply", "maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or"):
    kinds = REAL if name[:4] in ("maxi", "mini", "fmax", "fmin") else NATIVE
    ulp = 8 if name in ("add", "multiply") else 0
    size = None if name == "add" else 0.0
    case(
        f"numpy.{name}.reduce",
        lambda np, a, name=name: getattr(np, name).reduce(a),
        arrays(kinds),
        ulp=ulp,
        half=4,
        size=size,
    )
    case(
        f"numpy.{name}.reduce",
        lambda np, a, name=name: getattr(np, name).reduce(a, axis=None, keepdims=True),
        arrays(kinds, some_nan),
        "all",
        ulp=ulp,
        half=4,
        size=size,
    )
    case(
        f"numpy.{name}.reduce",
        lambda np, a, name=name: getattr(np, name).reduce(a, (0, -1), dtype=np.float32, initial=3),
        arrays(INTS + FLOATS, more=()),
        "dtype",
        ulp=ulp,
        half=4,
        size=size,
    )
for name in ("add", "multiply", "maximum", "minimum"):
    kinds = REAL if name[:4] in ("maxi", "mini") else NATIVE
    for axis in (0, -1, 3):
        case(
            f"numpy.{name}.accumulate",
            lambda np, a, name=name, axis=axis: getattr(np, name).accumulate(a, axis),
            arrays(kinds, some_nan),
            f"axis={axis}",
            ulp=16 if name in ("add", "multiply") else 0,
            half=16,
            size=None if name == "add" else 0.0,
        )
OUTER = (
    "add",
    "subtract",
    "multiply",
    "divide",
    "maximum",
    "minimum",
    "equal",
    "less",
    "less_equal",
    "greater",
)
for name in (*OUTER, "greater_equal", "hypot", "arctan2", "logical_and", "bitwise_and"):
    case(
        f"numpy.{name}.outer",
        lambda np, a, b, name=name: getattr(np, name).outer(a, b),
        given(
            *[
                (moderate(one), moderate(other))
                for one in BOOLS + INTS + FLOATS
                for other in ("int8", "float32")
            ],
            *[(filled((2, 3), dtype), edges(dtype)[:4]) for dtype in (*COMPLEX, "float64")],
            (np.float32(2), filled((3,), "float16")),
            ([1, 2, 3], np.array(4)),
        ),
        ulp=4,
    )
case("numpy.add.outer", lambda np, a, b: np.add.outer(a, b), given((np.arange(3), 2)), "number", refused=True)

# -- what goes to NumPy --------------------------------------------------------------------------------------

for name in ("min", "max", "ptp", "argmin", "argmax", "nanargmin", "nanargmax", "nanmin", "nanmax"):
    case(
        f"numpy.{name}",
        lambda np, a, name=name: getattr(np, name)(a),
        given((np.array([1j, 2]),)),
        "complex",
        refused=True,
    )
for name in ("add", "multiply"):
    case(
        f"numpy.{name}.accumulate",
        lambda np, a, name=name: getattr(np, name).accumulate(a, dtype=bool),
        given((np.array([False, True, False]),), (np.array([[2, 0], [1, 1]]),)),
        "dtype=bool",
    )
for name in ("mean", "var", "std", "nanmean", "nanvar", "nanstd"):
    for dtype in ("complex64", "complex128", "float32"):
        case(
            f"numpy.{name}",
            lambda np, a, name=name, dtype=dtype: getattr(np, name)(a, axis=0, dtype=dtype),
            given(
                (np.arange(6.0).reshape(3, 2),),
                (np.arange(6).reshape(3, 2) * 1j,),
                (np.arange(6).reshape(3, 2),),
            ),
            f"dtype={dtype}",
            ulp=4,
        )
