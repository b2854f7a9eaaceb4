"""Cases of what is put in place by index or mask."""

from __future__ import annotations

from typing import Any

import numpy

from tests.cases.framework import NATIVE, case, edges, filled, given, moderate

A = filled((3, 4), "float64")
ROW = numpy.arange(6)


def after(function: Any, array: Any, *args: Any) -> Any:
    """The array after the call: the op answers it, NumPy and the array type answer None and have written."""
    array = array.copy()
    answer = function(array, *args)
    return array if answer is None else answer


for dtype in NATIVE:
    rows = given((moderate(dtype), edges(dtype)[:4]), (filled((3, 4), dtype).T, 1))
    case("numpy.put", lambda np, a, v: after(np.put, a, [1, -1, 1], v), rows, dtype)
    case("numpy.putmask", lambda np, a, v: after(np.putmask, a, a == 0, v), rows, dtype)
    case("numpy.place", lambda np, a, v: after(np.place, a, a == 0, v), rows, dtype)

for mode in ("raise", "wrap", "clip"):
    case(
        "numpy.put",
        lambda np, a, i, v, mode=mode: after(np.put, a, i, v, mode),
        given(
            (A, numpy.array([0, 5, -1]), numpy.array([7.0, 8.0])),
            (A, numpy.array([0, 99]), 3),
            (A, numpy.array([0, -99]), 3),
            (A, numpy.array([[0, 1], [1, 0]]), numpy.arange(4)),
            (A, 3, 2.5),
            (A, numpy.empty(0, int), 1),
            (A, numpy.array([1, 2]), numpy.empty(0)),
            (numpy.empty(0), numpy.array([0]), 1),
            (ROW, numpy.array([1, 2], "int8"), 2.7),
        ),
        mode,
    )
for values in ([], [1.0]):
    case(
        "numpy.put", lambda np, a, v=values: after(np.put, a, [0, -1], v), given((A[:0],), (A,)), f"{values}"
    )
case("numpy.put", lambda np, a: after(np.put, a, a > 1, 5), given((A,)), "bool indices")
case("numpy.put", lambda np, a: after(np.put, a, a > 1, []), given((A,)), "bool indices, no values")
case("numpy.put", lambda np, a: after(np.put, a, [0.0], 1), given((A,)), "float indices", refused=True)
case("numpy.put", lambda np, a: after(np.put, a, [0], 1j), given((A,)), "complex", refused=True)
for name in ("putmask", "place"):
    case(
        f"numpy.{name}",
        lambda np, a, m, v, name=name: after(getattr(np, name), a, m, v),
        given(
            (A, A > 0, -1.5),
            (A, A > 0, numpy.arange(5)),
            (A, A > 0, [7, 8]),
            (A, (A > 0).reshape(-1), numpy.arange(20.0)),
            (A, A > 9, numpy.empty(0)),
            (A, A > 0, numpy.empty(0)),
            (A, A, 3),
            (A, numpy.array([True]), 3),
            (ROW, ROW % 2 == 0, 2.7),
            (ROW.astype("uint8"), ROW % 2 == 0, -1),
            (numpy.array(3.0), numpy.array(True), 2),
        ),
    )
    case(
        f"numpy.{name}",
        lambda np, a, name=name: after(getattr(np, name), a, a > 0, 1j),
        given((A,)),
        "complex",
        refused=True,
    )
