"""Cases of means, variances, averages and differences."""

from __future__ import annotations

import numpy as np

from tests.cases.framework import (
    FLOATS,
    INTS,
    NATIVE,
    REAL,
    arrays,
    binary,
    case,
    filled,
    given,
    moderate,
)
from tests.cases.reductions import AXES, mask, some_nan

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
        lambda np, a, name=name: getattr(np, name)(a, 0, mean=a[:1] + 0.5j),
        arrays(INTS + ("bool", "float64", "complex128"), empty=False),
        "complex mean",
        ulp=8,
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
            f"as {dtype}",
            ulp=4,
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
for edge in (np.zeros(0), np.zeros(4), np.zeros((2, 0))):
    body = lambda np, a, edge=edge: (np.diff(a, prepend=edge), np.diff(a, append=edge))  # noqa: E731
    case("numpy.diff", body, given((np.ones((2, 3)),)), f"ends {edge.shape}")
case("numpy.diff", lambda np, a: np.diff(a, n=0), given((np.arange(3),)), "none", refused=True)
