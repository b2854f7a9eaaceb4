"""Cases of ordering, searching, choosing, and of positions in flat arrays."""

from __future__ import annotations

import numpy

from tests.cases.framework import (
    NATIVE,
    REAL,
    arrays,
    case,
    edges,
    filled,
    given,
    moderate,
)

A = filled((3, 4), "float64")
ROW = numpy.array([0.5, 2.0, -1.0, 0.5, numpy.nan, 3.0, -numpy.inf])
POINTS = numpy.array([0.0, 1.0, 2.5, 4.0])
X = numpy.array([-1.0, 0.0, 0.25, 2.5, 3.9, 4.0, 9.0, numpy.nan])
UP, DOWN = numpy.array([-1.0, 0.0, 0.0, 2.0]), numpy.array([2.0, 0.0, 0.0, -1.0])

# -- orders --------------------------------------------------------------------------------------------------

for dtype in NATIVE:
    values = edges(dtype)
    case(
        "numpy.sort", lambda np, a: np.sort(a), given((values,), (values[::-1],)), f"edges {dtype}", ulp=1
    )  # which zero comes first is open
    case(
        "numpy.partition",
        lambda np, a: np.partition(a, 1)[1],
        given((values,), (values[::-1],)),
        f"edges {dtype}",
    )
    case("numpy.lexsort", lambda np, a: np.lexsort((a[::-1], a)), given((values,)), f"edges {dtype}")
case(
    "numpy.sort",
    lambda np, a: np.sort(a),
    given((numpy.array([complex(re, im) for re in (1, numpy.nan, 0) for im in (2, numpy.nan, -1)]),)),
    "complex NaN",
)
for axis in (None, 0, -1, 7):
    # Where the others lie is open: NumPy's order is its own, ours is sorted.
    case(
        "numpy.partition",
        lambda np, a, axis=axis: np.take(np.partition(a, 1, axis), 1, axis),
        arrays(REAL, moderate, more=(), empty=False),
        f"axis={axis}",
    )
case(
    "numpy.argpartition",
    lambda np, a: np.sort(np.take(a, np.argpartition(a, 1)[:2])),
    given((ROW,), (A[0],), (ROW.astype("float32"),)),
)
case("numpy.argpartition", lambda np, a: np.argpartition(a, 99), given((ROW,)), "out of bounds")
case("numpy.partition", lambda np, a: np.sort(np.partition(a, [1, -2])), given((ROW,), (A,)), "several")
case("numpy.partition", lambda np, a: np.partition(a, 99), given((ROW,)), "out of bounds")
for axis in (0, -1, 5):
    case(
        "numpy.lexsort",
        lambda np, a, b, axis=axis: np.lexsort((a, b), axis),
        given((A, A // 2), (A, A[:2]), (ROW, ROW[::-1])),
        f"axis={axis}",
    )
case("numpy.lexsort", lambda np, a: np.lexsort(a), given((A,), (A[:0],)), "array of keys")
case("numpy.lexsort", lambda np: np.lexsort(([3, 1, 2], [1, 1, 0])), given(()), "lists")

# -- bins and functions given by points ----------------------------------------------------------------------

for right in (False, True):
    case(
        "numpy.digitize",
        lambda np, x, bins, right=right: np.digitize(x, bins, right),
        given(
            (X, UP),
            (X, DOWN),
            (X, numpy.array([1.0])),
            (X, numpy.array([])),
            (X, numpy.array([1.0, 1.0])),
            (X, numpy.array([0.0, 2.0, 1.0])),
            (X.reshape(2, 4), UP),
            (numpy.float64(0.0), UP),
            (numpy.arange(5), numpy.array([1, 3])),
            (numpy.arange(5, dtype="uint8"), [3, 1]),
            (0.5, UP),
        ),
        f"right={right}",
    )
case("numpy.digitize", lambda np, x, b: np.digitize(x, b), given((X, A)), "bins in rows")
case("numpy.digitize", lambda np, x, b: np.digitize(x, b), given((X * 1j, UP)), "complex", refused=True)

FEW = numpy.array([3, 1, 3, 0, 1])
for invert in (False, True):
    case(
        "numpy.isin",
        lambda np, a, b, invert=invert: np.isin(a, b, invert=invert),
        given(
            (FEW, [1, 7]),
            (FEW, 3),
            (FEW, []),
            (FEW[0], [0.5, 3]),
            (FEW.astype("uint8"), [-1, 3, 300]),
            (FEW > 1, [True, 7]),
            (FEW * 0.5, numpy.array([[0.5, numpy.nan], [-0.0, 9.0]])),
            (FEW.astype("float32") / 10, [0.1, 0.3]),
            (FEW * 1j, [1j, 3]),
            (FEW.reshape(5, 1), FEW[:3]),
        ),
        f"invert={invert}",
    )
case("numpy.isin", lambda np, a, b: np.isin(a, b, kind="table"), given((FEW, [1])), "table", refused=True)
case("numpy.isin", lambda np, a, b: np.isin(a, b), given((FEW, numpy.arange(40))), "many", refused=True)
for dtype in ("float64", "float32", "int64", "complex128"):
    case(
        "numpy.interp",
        lambda np, x, xp, fp: np.interp(x, xp, fp),
        given(
            (X, POINTS, numpy.array([1.0, -2.0, 0.5, 3.0]).astype(dtype)),
            (X[:1], POINTS[:1], POINTS[1:2].astype(dtype)),
            (numpy.array([numpy.nan, 9.0]), POINTS[:1], POINTS[1:2].astype(dtype)),
            (2.0, POINTS, POINTS.astype(dtype)),
            (numpy.float32(1.5), POINTS, POINTS.astype(dtype)),
            (X.reshape(2, 4), POINTS, POINTS.astype(dtype)),
        ),
        dtype,
    )
case(
    "numpy.interp",
    lambda np, x, xp, fp: np.interp(x, xp, fp, -7, 8.5),
    given((X, POINTS, POINTS**2), (X, POINTS, POINTS * 1j)),
    "ends",
)
case(
    "numpy.interp",
    lambda np, x, xp, fp: np.interp(x, xp, fp, left=-7, period=3),
    given((X, POINTS, POINTS**2), (X, POINTS[::-1], POINTS)),
    "period",
)
case(
    "numpy.interp",
    lambda np, x, xp, fp: np.interp(x, xp, fp, period=0),
    given((X, POINTS, POINTS)),
    "no period",
)
case(
    "numpy.interp",
    lambda np, x, xp, fp: np.interp(x, xp, fp),
    given(
        (X, numpy.array([0.0, 0.0, 1.0]), numpy.array([1.0, 2.0, 3.0])),
        (X, POINTS, numpy.array([numpy.inf, numpy.inf, 1.0, numpy.nan])),
        (X, POINTS, numpy.array([numpy.inf, complex(1, numpy.inf), 1.0, complex(numpy.nan, 2)])),
        (X, POINTS, POINTS[:2]),
        (X, POINTS[:0], POINTS[:0]),
        (X, A, A),
        ([0.5, 1.5], [0, 1, 2], [3, 2, 0]),
    ),
    "odd points",
)

# -- choosing ------------------------------------------------------------------------------------------------

for mode in ("raise", "wrap", "clip"):
    case(
        "numpy.choose",
        lambda np, a, one, other, mode=mode: np.choose(a, (one, other), mode=mode),
        given(
            (numpy.array([0, 1, 1]), ROW[:3], numpy.array([7, 8, 9])),
            (numpy.array([0, 2, -1]), ROW[:3], 5),
            (numpy.array([[0], [1]]), ROW[:3], ROW[3:6]),
            (numpy.array([True, False]), 1, 2.5),
            (numpy.array([0, 1]), 1000, numpy.array([1, 2], "uint8")),
            (numpy.array([1, 0]), numpy.uint8(3), -1),
            (numpy.array(1), 1, 2),
            (numpy.array([0.0]), 1, 2),
            (numpy.array([0, 1], "uint64"), 1, 2),
        ),
        mode,
    )
case(
    "numpy.choose",
    lambda np, a, c: np.choose(a, c),
    given((numpy.array([0, 2]), numpy.arange(6).reshape(3, 2))),
)
case(
    "numpy.choose",
    lambda np, a, c: np.ndarray.choose(a, c),
    given((numpy.array([0, 1]), [[1, 2], [3, 4]])),
    "method",
)

# -- positions in flat arrays --------------------------------------------------------------------------------

for order in ("C", "F"):
    case(
        "numpy.ravel_multi_index",
        lambda np, i, j, order=order: np.ravel_multi_index((i, j), (3, 4), order=order),
        given(
            (numpy.array([0, 2]), numpy.array([3, 1])),
            (numpy.array([[0], [2]]), numpy.array([3, 1], "uint8")),
            (2, 3),
            (numpy.array([0, 3]), numpy.array([3, 1])),
            (numpy.array([0, -1]), numpy.array([3, 1])),
            (numpy.array([0.0]), numpy.array([3])),
        ),
        order,
    )
    case(
        "numpy.unravel_index",
        lambda np, i, order=order: np.unravel_index(i, (3, 4), order),
        given(
            (numpy.array([0, 11, 5]),),
            (numpy.array([[1], [2]], "int16"),),
            (7,),
            (numpy.array([12]),),
            (numpy.array([-1]),),
        ),
        order,
    )
case(
    "numpy.ravel_multi_index",
    lambda np, i, j: np.ravel_multi_index((i, j), (3, 4), mode=("wrap", "clip")),
    given((numpy.array([0, 4, -1]), numpy.array([9, -9, 2]))),
    "modes",
)
case(
    "numpy.ravel_multi_index",
    lambda np, a: np.ravel_multi_index(a, (3, 4)),
    given((numpy.array([[0, 1], [2, 3]]),)),
)
case("numpy.unravel_index", lambda np, a: np.unravel_index(a, 5), given((numpy.array([0, 4]),)), "one axis")

# -- bits ----------------------------------------------------------------------------------------------------

for order in ("big", "little"):
    for axis in (None, 0, -1, 4):
        case(
            "numpy.packbits",
            lambda np, a, axis=axis, order=order: np.packbits(a, axis, order),
            given((A > 0,), ((A * 3).astype("uint8"),), ((A * 3).astype("int32"),), (A[:0] > 0,)),
            f"{order} {axis}",
        )
        case(
            "numpy.unpackbits",
            lambda np, a, axis=axis, order=order: np.unpackbits(a, axis, bitorder=order),
            given((numpy.arange(12, dtype="uint8").reshape(3, 4),), (numpy.arange(3, dtype="uint8") + 250,)),
            f"{order} {axis}",
        )
for count in (0, 5, 11, 99, -3, -99):
    case(
        "numpy.unpackbits",
        lambda np, a, count=count: np.unpackbits(a, axis=0, count=count),
        given((numpy.arange(250, 253, dtype="uint8"),)),
        f"count={count}",
    )
case("numpy.packbits", lambda np, a: np.packbits(a), given((A,)), "floats", refused=True)
case("numpy.unpackbits", lambda np, a: np.unpackbits(a), given((A,)), "floats", refused=True)

# -- rows slid along rows ------------------------------------------------------------------------------------

for name in ("convolve", "correlate"):
    for mode in ("full", "same", "valid"):
        for dtype in NATIVE:
            case(
                f"numpy.{name}",
                lambda np, a, v, name=name, mode=mode: getattr(np, name)(a, v, mode),
                given(
                    (filled((7,), dtype), filled((3,), dtype)),
                    (filled((4,), dtype)[::-1], filled((6,), "int16")),
                    (filled((1,), dtype), filled((5,), "float32")),
                ),
                f"{mode} {dtype}",
                ulp=8,
                half=4,
                size=64.0,
            )
    case(
        f"numpy.{name}",
        lambda np, a, v, name=name: getattr(np, name)(a, v),
        given((ROW[:0], ROW), (A, ROW), ([1, 2, 3], [0, 1, 0.5])),
        "others",
    )
case("numpy.convolve", lambda np, a: np.convolve(a, 2.5), given((ROW[:3],)), "a number")

# -- histograms ----------------------------------------------------------------------------------------------

SPREAD = numpy.concatenate([numpy.linspace(-3, 3, 61), [0.1 + 0.2, 0.3, -0.7, 1e-9, 2.9999999]])
HEAVY = numpy.arange(SPREAD.size) % 5 * 0.5
for bins in (1, 3, 10, 60):
    case(
        "numpy.histogram",
        lambda np, a, b=bins: np.histogram(a, b),
        given(
            *[(numpy.resize(SPREAD * 9, (6, 11)).astype(dtype),) for dtype in ("f8", "f4", "i8", "i4", "u1")]
        ),
        f"{bins}",
        ulp=1,
    )
    case(
        "numpy.histogram",
        lambda np, a, w, b=bins: np.histogram(a, b, (-1, 2.5), weights=w, density=True),
        given((SPREAD, HEAVY), (SPREAD.astype("f4"), HEAVY), (SPREAD.astype("i4"), HEAVY * 2)),
        f"{bins} in a range",
        ulp=8,
    )
case(
    "numpy.histogram",
    lambda np, a: np.histogram(a, 4),
    given((numpy.ones(3),), (numpy.array([numpy.nan, 1.0]),), (numpy.array([numpy.inf, 1.0]),)),
    "ends",
)
case(
    "numpy.histogram",
    lambda np, a: np.histogram(a, 2, (0.5, 0.5)),
    given(
        (SPREAD,),
    ),
    "one place",
)
case(
    "numpy.histogram",
    lambda np, a: np.histogram(a, 3, (2, 1)),
    given((SPREAD,), (SPREAD * numpy.nan,)),
    "a range that is none",
)
case(
    "numpy.histogram",
    lambda np, a: np.histogram(a, [0, 1, 2.0]),
    given((SPREAD,), (SPREAD.astype("f2"),)),
    "edges",
    refused=True,
)
