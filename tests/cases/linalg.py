"""Cases of the norms."""

from __future__ import annotations

from typing import Any

import numpy

from tests.cases.framework import NATIVE, case, filled, given

INF = numpy.inf
KINDS = ("int32", "float32", "float64", "complex128")
VECTORS = given(
    *((filled((6,), kind),) for kind in NATIVE), (numpy.array([1, numpy.nan, -3]),), (numpy.empty(0),)
)
MATRICES = given(*((filled((3, 4), kind),) for kind in NATIVE), (numpy.array([[1, numpy.nan], [2, INF]]),))
STACKS = given(*((filled((2, 3, 4), kind),) for kind in KINDS), (filled((4, 3, 2), "f8").T[:, ::-1],))


def norm(*args: Any, **kwargs: Any) -> Any:
    return lambda np, x: np.linalg.norm(x, *args, **kwargs)


for order in (None, 2, 1, 0, INF, -INF, 3, -1, 0.5, 2.5, "fro"):
    case("numpy.linalg.norm", norm(order), VECTORS, f"vector {order}", ulp=8, half=4, size=20.0)
    case("numpy.linalg.norm", norm(order, axis=1), STACKS, f"axis {order}", ulp=8, size=20.0)
    case("numpy.linalg.norm", norm(order, -1, True), STACKS, f"keepdims {order}", ulp=8, size=20.0)
for order in (None, "fro", "f", 1, -1, INF, -INF, 3, "other"):
    case("numpy.linalg.norm", norm(order), MATRICES, f"matrix {order}", ulp=8, half=4, size=20.0)
    case("numpy.linalg.norm", norm(order, (2, 0)), STACKS, f"axes {order}", ulp=8, size=20.0)
    case(
        "numpy.linalg.norm",
        norm(order, (0, 1), keepdims=True),
        STACKS,
        f"axes keepdims {order}",
        ulp=8,
        size=20.0,
    )
for order in (2, -2, "nuc"):
    case(
        "numpy.linalg.norm", norm(order), given((filled((3, 4), "f8"),)), f"svd {order}", ulp=64, refused=True
    )
case("numpy.linalg.norm", norm(), STACKS, "all", ulp=8, size=20.0)
case("numpy.linalg.norm", norm(keepdims=True), STACKS, "all keepdims", ulp=8, size=20.0)
case("numpy.linalg.norm", norm(axis=(0, 0)), STACKS, "axes twice")
case("numpy.linalg.norm", norm(axis=(0, 1, 2)), STACKS, "three axes")
case("numpy.linalg.norm", norm(axis=5), STACKS, "no such axis")
case("numpy.linalg.norm", norm(axis="x"), STACKS, "axis is text")

for order in (2, 1, 0, INF, -INF, 3, "fro"):
    for axis in (None, 0, -1, (0, 2), (1,), 5):
        body = lambda np, x, o=order, a=axis: np.linalg.vector_norm(x, axis=a, ord=o)  # noqa: E731
        case("numpy.linalg.vector_norm", body, STACKS, f"{order} axis {axis}", ulp=8, size=20.0)
body = lambda np, x: np.linalg.vector_norm(x, keepdims=True)  # noqa: E731
case("numpy.linalg.vector_norm", body, VECTORS, "keepdims", ulp=8, half=4, size=20.0)
body = lambda np, x: np.linalg.vector_norm(x, axis=(1, 0), keepdims=True)  # noqa: E731
case("numpy.linalg.vector_norm", body, STACKS, "axes keepdims", ulp=8, size=20.0)
for order in ("fro", "f", 1, -1, INF, -INF, 3):
    for keep in (False, True):
        body = lambda np, x, o=order, k=keep: np.linalg.matrix_norm(x, ord=o, keepdims=k)  # noqa: E731
        case("numpy.linalg.matrix_norm", body, STACKS, f"{order} {keep}", ulp=8, size=20.0)
case("numpy.linalg.matrix_norm", lambda np, x: np.linalg.matrix_norm(x), MATRICES, ulp=8, half=4, size=20.0)
for order in (2, -2, "nuc"):
    body = lambda np, x, o=order: np.linalg.matrix_norm(x, ord=o)  # noqa: E731
    rows = given((filled((3, 4), "f8"),))
    case("numpy.linalg.matrix_norm", body, rows, f"svd {order}", ulp=64, size=20.0, refused=True)
