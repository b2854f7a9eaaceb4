"""Cases of the indexing ops."""

from __future__ import annotations

from typing import Any

import numpy

from npcompile.frontend.ops.sorting import DESCENDING
from npcompile.nep50.asked import takes
from tests.cases.framework import NATIVE, arrays, case, edges, given

A = numpy.arange(60).reshape(3, 4, 5)
ROW = numpy.arange(10) * 1.5
I = numpy.array([2, 0, -1, 1])  # noqa: E741
PAIRS = numpy.array([[0, 1], [-1, 2]])
MASK = A[:, :, 0] % 3 == 0
OUT = numpy.array([0, 3])
LOW = numpy.array([0, -4])
NONE = numpy.empty(0, numpy.intp)

# Every kind of static index, with its label. None gives a 0-d array, which `[()]` takes for a scalar.
STATIC: list[Any] = [
    0,
    -1,
    (1, 2, 3),
    (1, 2),
    slice(None),
    slice(1, None),
    slice(None, None, -1),
    slice(4, 1, -2),
]
STATIC += [
    slice(-2, None),
    slice(9, 20),
    slice(2, 1),
    None,
    (None, 1, None),
    Ellipsis,
    (Ellipsis, 0),
    (0, Ellipsis),
]
STATIC += [(slice(None), slice(None, None, -1), slice(3, None, -2)), (slice(None), None, 2), ()]
STATIC += [3, -4, (0, 0, 0, 0), (Ellipsis, Ellipsis), (0, 9), "x", 1.5, numpy.int8(2), numpy.uint8(1)]

ADVANCED: list[Any] = [I[:3], PAIRS, (I[:3], 1), (1, I[:3]), (slice(None), I), (I[:3], slice(None), I[:3])]
ADVANCED += [
    (0, slice(None), I),
    (I[:3], I[:3]),
    (I[:3], None, 1),
    (None, I[:3]),
    (Ellipsis, I),
    (I[:3], Ellipsis, 0),
]
ADVANCED += [
    (slice(None, None, -1), I),
    (slice(1, 3), I, slice(None, None, 2)),
    (PAIRS, I[:2]),
    [0, 2],
    ([0, 2], [1, 3]),
    ((0, 2), (1, 3)),
    (slice(None), (0, -1)),
    (Ellipsis, (9,)),
    ((0, 2),),
    ([0, 2],),
]
ADVANCED += [
    numpy.array(1),
    (numpy.array(1), slice(None), I),
    I[:3].astype("int8"),
    I[[0, 1]].astype("uint8"),
    NONE,
]
ADVANCED += [
    OUT,
    LOW,
    (slice(None), OUT, 9),
    (I, I[:3]),
    ROW,
    (slice(None), NONE),
    (PAIRS, slice(None), PAIRS),
    (slice(None), 1, Ellipsis, I[:3]),
    (slice(None), I[:3], Ellipsis, I[:3]),
]

case(
    "numpy.ndarray.__getitem__",
    lambda np, a: np.ndarray.__getitem__(a, 1),
    arrays(NATIVE, more=(), empty=False),
    "dtypes",
)
for at, index in enumerate([*STATIC, *ADVANCED]):
    rows = given((A,), (A[::-1, :, ::2],), (A.T,))
    label = f"{at} {index!r}".replace("\n", "")
    case("numpy.ndarray.__getitem__", lambda np, a, i=index: np.ndarray.__getitem__(a, i), rows, label)
case(
    "numpy.ndarray.__getitem__",
    lambda np, a, i: np.ndarray.__getitem__(a, i),
    given((A, MASK)),
    "mask",
    refused=True,
)
case(
    "numpy.ndarray.__getitem__",
    lambda np, a: np.ndarray.__getitem__(a, NONE),
    given((A[:0],)),
    "nothing of nothing",
)
case(
    "numpy.ndarray.__getitem__",
    lambda np, a: np.ndarray.__getitem__(a, OUT),
    given((A[:0],)),
    "out of nothing",
)
case(
    "numpy.ndarray.__getitem__",
    lambda np, a: np.ndarray.__getitem__(a, (NONE, None, slice(4, 1))),
    given((A[:0],)),
    "nothing of nothing, beside a slice",
)
case(
    "numpy.ndarray.__getitem__",
    lambda np, a: np.ndarray.__getitem__(a, (OUT[:, None], NONE)),
    given((A[:0],), (A,)),
    "indices that are broadcast away",
)
case(
    "numpy.ndarray.__getitem__",
    lambda np, a: np.ndarray.__getitem__(a, (numpy.array(1), NONE)),
    given((A[:0],), (A,)),
    "a number beside nothing",
)


def store(np: Any, array: Any, index: Any, value: Any) -> Any:
    """The array after the store: the op answers it, NumPy and the array type answer None and have written."""
    array = array.copy()
    answer = np.ndarray.__setitem__(array, index, value)
    return array if answer is None else answer


for wrong in (A[:0], A[0, :, :1]):
    case(
        "numpy.ndarray.__setitem__",
        lambda np, a, value=wrong: store(np, a, (NONE, slice(None, None, 2)), value),
        given((A[:0],)),
        f"nothing of nothing, {wrong.shape}",
    )

VALUES: list[Any] = [7, 2.7, -1, True, numpy.float32(3.5), numpy.int64(9)]
for at, index in enumerate(ADVANCED):
    label = f"{at} {index!r}".replace("\n", "")
    rows = given((A, 7), (A.astype("float32"), 2.7))
    case("numpy.ndarray.__setitem__", lambda np, a, v, i=index: store(np, a, i, v), rows, label)
for at, value in enumerate(
    [*VALUES, numpy.arange(5), numpy.arange(5.0) + 0.5, numpy.arange(3), numpy.ones((1, 3, 1, 5))]
):
    rows = given((A, value), (A.astype("int8"), value), (A.astype("complex64"), value))
    case("numpy.ndarray.__setitem__", lambda np, a, v: store(np, a, PAIRS, v), rows, f"value {at} array")
    case(
        "numpy.ndarray.__setitem__",
        lambda np, a, v: store(np, a, A % 2 == 0, v),
        rows,
        f"value {at} full mask",
    )
    case("numpy.ndarray.__setitem__", lambda np, a, v: store(np, a, MASK, v), rows, f"value {at} mask")
case(
    "numpy.ndarray.__setitem__",
    lambda np, a: store(np, a, slice(1, None, 2), 3),
    given((A,), (ROW,)),
    "slice",
)
case(
    "numpy.ndarray.__setitem__",
    lambda np, a: store(np, a, (0, slice(None, None, -1)), 3),
    given((A,)),
    "reversed",
)
case(
    "numpy.ndarray.__setitem__", lambda np, a: store(np, a, MASK[:2], 3), given((A,)), "mask of another shape"
)
case(
    "numpy.ndarray.__setitem__",
    lambda np, a: store(np, a, 1, 300),
    given((A.astype("uint8"),)),
    "out of bounds",
)

for axis in (None, 0, 1, -1):
    rows = given(
        (A, I[:3]), (A, PAIRS), (A, 1), (A, [0, 2]), (A, OUT), (A, numpy.array(-2)), (A, NONE), (A, LOW)
    )
    case("numpy.take", lambda np, a, i, axis=axis: np.take(a, i, axis), rows, str(axis))
    for mode in ("wrap", "clip"):
        body = lambda np, a, i, axis=axis, mode=mode: np.take(a, i, axis=axis, mode=mode)  # noqa: E731
        case("numpy.take", body, given((A, I * 5), (A, PAIRS)), f"{axis} {mode}")
for kind in ("float32", "int8"):
    body = lambda np, a, out: np.take(a, [0, 1], out=out, mode="clip")  # noqa: E731
    operands = numpy.arange(5, dtype="i2"), numpy.ones(2, kind)
    case(
        "numpy.take",
        body,
        given(operands),
        f"out {kind}",
        refused=not takes(lambda body=body, operands=operands: body(numpy, *operands)),
    )
case("numpy.take", lambda np, a: np.take(a, 0), given((A[:0],)), "of nothing")
for axis in (0, -1, 1, -2):
    case("numpy.take", lambda np, a, i=axis: np.take(a, 0, i), given((numpy.array(3.0),)), f"0-d {axis}")

ORDER = numpy.argsort(A % 7, axis=1, kind="stable")
for axis in (1, -1, 0):
    rows = given(
        *((A, ORDER), (A, ORDER[:, :1]), (A, ORDER - 9), (A, ORDER[0]), (A, ORDER * 1.0)),
        *((A[:1], ORDER % 1), (A[:, :1], ORDER % 1), (A[:1, :1], ORDER * 0), (A[:0], ORDER[:1])),
    )
    case("numpy.take_along_axis", lambda np, a, i, axis=axis: np.take_along_axis(a, i, axis), rows, str(axis))
case(
    "numpy.take_along_axis",
    lambda np, a, i: np.take_along_axis(a, i, None),
    given((A, I), (A, PAIRS)),
    "None",
)


def put_along(np: Any, array: Any, indices: Any, values: Any, axis: Any) -> Any:
    array = array.copy()
    answer = np.put_along_axis(array, indices, values, axis)
    return array if answer is None else answer


ROWS = given(
    *((A, ORDER, 5), (A * 0.5, ORDER, A), (A, ORDER * 9, 5), (A, ORDER, A[0])),
    *((A, ORDER[:, :1], 5), (A, ORDER[:1] % 3, A[0]), (A[:1], ORDER % 1, A), (A[:0], ORDER[:1], 5)),
)
case("numpy.put_along_axis", lambda np, a, i, v: put_along(np, a, i, v, 1), ROWS)
case(
    "numpy.put_along_axis",
    lambda np, a, i, v: put_along(np, a, i, v, None),
    given((A, I, 5), (A, I, ROW[:4])),
    "None",
)

SORTED = ("bool", "uint8", "int8", "int64", "float16", "float32", "float64")
for axis in (-1, 0, None):
    case("numpy.sort", lambda np, a, axis=axis: np.sort(a, axis), arrays(SORTED, empty=True), str(axis))
    body = lambda np, a, axis=axis: np.argsort(a, axis, kind="stable")  # noqa: E731
    case("numpy.argsort", body, arrays(SORTED), str(axis))
    if DESCENDING:  # since NumPy 2.5
        body = lambda np, a, axis=axis: np.sort(a, axis, descending=True)  # noqa: E731
        case("numpy.sort", body, arrays(SORTED, empty=True), f"{axis} downwards")
        body = lambda np, a, axis=axis: np.argsort(a, axis, stable=True, descending=True)  # noqa: E731
        case("numpy.argsort", body, arrays(SORTED), f"{axis} downwards")
case("numpy.sort", lambda np, a: np.sort(a, kind="stable"), given(*((edges(d),) for d in SORTED)), "edges")
case(
    "numpy.argsort",
    lambda np, a: np.argsort(a, kind="stable"),
    given(*((edges(d),) for d in SORTED)),
    "edges",
)
case("numpy.argsort", lambda np, a: np.argsort(a), given((A,)), "unstable", refused=True)
for letter in ("m", "S", "Merge"):  # NumPy knows the kinds by their first letter
    case("numpy.argsort", lambda np, a, kind=letter: np.argsort(a, kind=kind), given((A,)), f"kind {letter}")
    case("numpy.sort", lambda np, a, kind=letter: np.sort(a, kind=kind), given((A,)), f"kind {letter}")
case("numpy.argsort", lambda np, a: np.argsort(a, stable=1), given((A,)), "stable")

STEPS = numpy.array([0.0, 1.0, 1.0, 2.5, 4.0])
for side in ("left", "right"):
    rows = given(
        (STEPS, 1.0), (STEPS, [0.5, 9]), (STEPS, A), (STEPS, numpy.nan), (I, 2), (STEPS.astype("f2"), 1)
    )
    case("numpy.searchsorted", lambda np, a, v, side=side: np.searchsorted(a, v, side), rows, side)
    rows = given(
        (numpy.array([*STEPS, numpy.nan]), numpy.array([1, numpy.nan, numpy.inf])), (A, 2), (STEPS[:0], 1.5)
    )
    case("numpy.searchsorted", lambda np, a, v, side=side: np.searchsorted(a, v, side), rows, f"{side} edges")

BINS = numpy.array([0, 3, 1, 1, 3, 7])
WEIGHTS = numpy.array([0.5, 1, -2, 4, 0.25, 3])
ROWS = given(
    (BINS,), (BINS.astype("uint8"),), (BINS * 9,), (NONE,), (BINS - 1,), (A,), (BINS > 2,), (BINS * 1.0,)
)
for least in (0, 3, 40, -1):
    case("numpy.bincount", lambda np, x, n=least: np.bincount(x, minlength=n), ROWS, str(least))
    rows = given(
        (BINS, WEIGHTS),
        (BINS * 9, WEIGHTS),
        (BINS, WEIGHTS.astype("f4")),
        (BINS, WEIGHTS[:2]),
        (BINS, BINS),
        (NONE, WEIGHTS[:0]),
    )
    case("numpy.bincount", lambda np, x, w, n=least: np.bincount(x, w, n), rows, f"{least} weights", ulp=2)

# A mask's axis of no elements passes for any length.
for label, shape in (("axis 0", (0, 4)), ("axis 1", (3, 0)), ("vector", (0,))):
    rows = given((A[:3], numpy.zeros(shape, bool)))
    case(
        "numpy.ndarray.__setitem__",
        lambda np, a, m: store(np, a, m, 2),
        rows,
        f"empty mask, {label}",
        refused=True,
    )
