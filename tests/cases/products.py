"""Cases of the products."""

from __future__ import annotations

import operator

import numpy

from tests.cases.framework import NATIVE, case, edges, filled, given

PAIRS = [(one, other) for one in NATIVE for other in NATIVE]
SHAPES = [
    ((3, 4), (4, 2)),
    ((4,), (4, 2)),
    ((3, 4), (4,)),
    ((4,), (4,)),
    ((2, 3, 4), (4, 5)),
    ((2, 3, 4), (2, 4, 5)),
]
SHAPES += [
    ((3, 4), (3, 4)),
    ((0, 4), (4, 2)),
    ((3, 0), (0, 2)),
    ((), (3,)),
    ((2, 3, 4), (3, 4, 5)),
    ((1, 3, 4), (2, 4, 1)),
]
SHAPED = given(*((filled(one, "float64"), filled(other, "float64")) for one, other in SHAPES))
INTEGERS = given(*((filled(one, "int32"), filled(other, "int8")) for one, other in SHAPES))
DTYPES = given(*((filled((3, 4), one), filled((4, 2), other)) for one, other in PAIRS))
VECTORS = given(*((filled((5,), one), filled((5,), other)) for one, other in PAIRS))
STRIDED = given(
    (filled((6, 8), "float64")[::2, ::2], filled((2, 4), "float64").T),
    (filled((3, 4), "f4")[::-1], [1, 2, 3, 4]),
)
WRAPS = given(*((edges(kind), edges(kind)) for kind in ("uint8", "int8", "int16", "int32", "int64")))

for name in ("matmul", "dot", "inner"):
    for label, rows in [("shapes", SHAPED), ("integers", INTEGERS), ("strided", STRIDED), ("wraps", WRAPS)]:
        case(f"numpy.{name}", lambda np, a, b, n=name: getattr(np, n)(a, b), rows, label, ulp=4, size=20.0)
    rows = VECTORS if name == "inner" else DTYPES
    case(
        f"numpy.{name}",
        lambda np, a, b, n=name: getattr(np, n)(a, b),
        rows,
        "dtypes",
        ulp=4,
        half=2,
        size=20.0,
    )
case(
    "numpy.dot",
    lambda np, a, b: np.dot(a, b),
    given((3, filled((4,), "f4")), (filled((4,), "i1"), 2.5)),
    "numbers",
)
case("numpy.matmul", lambda np, a, b: np.matmul(a, b), given((3, filled((4,), "f4"))), "number")
case("numpy.linalg.matmul", lambda np, a, b: np.linalg.matmul(a, b), SHAPED, ulp=4, size=20.0)
case("numpy.vecdot", lambda np, a, b: np.vecdot(a, b), VECTORS, ulp=4, half=2, size=20.0)
case(
    "numpy.vecdot",
    lambda np, a, b: np.vecdot(a, b),
    given((filled((2, 1, 4), "f8"), filled((3, 4), "c8"))),
    "batch",
    ulp=4,
)
case("numpy.vdot", lambda np, a, b: np.vdot(a, b), VECTORS, ulp=4, half=2, size=20.0)
case(
    "numpy.vdot",
    lambda np, a, b: np.vdot(a, b),
    given((filled((2, 3), "c16"), filled((3, 2), "c16"))),
    "matrices",
    ulp=4,
)
for name in ("outer", "linalg.outer"):
    body = lambda np, a, b, n=name: np.outer(a, b) if n == "outer" else np.linalg.outer(a, b)  # noqa: E731
    case(f"numpy.{name}", body, VECTORS, "dtypes", ulp=2)
    case(
        f"numpy.{name}",
        body,
        given((filled((2, 3), "f8"), filled((4,), "i4")), (filled((3,), "f4"), [1, 2])),
        "shapes",
    )

CUBE, SLAB = filled((2, 3, 4), "float64"), filled((4, 3, 2), "float64")
for axes in [0, 1, ([1, 0], [1, 2]), (2, 0), ((0, 1, 2), (2, 1, 0)), ([0], [0]), ([0, 1], [0]), (9, 0)]:
    body = lambda np, a, b, axes=axes: np.tensordot(a, b, axes)  # noqa: E731
    case(
        "numpy.tensordot",
        body,
        given((CUBE, SLAB), (CUBE.astype("i8"), SLAB.astype("i2"))),
        str(axes),
        ulp=4,
        size=20.0,
    )
case(
    "numpy.tensordot",
    lambda np, a, b: np.tensordot(a, b),
    given((CUBE, filled((3, 4, 2), "f4"))),
    ulp=4,
    size=20.0,
)

E = filled((3, 4), "float64")
for text, operands in [
    ("ij,jk", (E, E.T)), ("ij,jk->ik", (E, E.T)), ("ij,ij->", (E, E)), ("ij,kj->ik", (E, E)),
    ("i,j", (E[0], E[1])),
    ("ij->", (E,)), ("ij->j", (E,)), ("...j,jk->...k", (CUBE, E.T)), ("ij, jk, kl -> il", (E, E.T, E)),
    ("ii", (E[:3, :3],)),
    ("ij,jl", (E, E)), ("ij,j", (E,)), ("ijk,j", (E, E)), ("ij->ik", (E,)), ("ba,b", (E, E[:, 0])),
    ("ij,ij->ij", (E, E)),
]:  # fmt: skip
    rows = given(
        operands, tuple(item.astype("i4") for item in operands), tuple(item != 0 for item in operands)
    )
    case("numpy.einsum", lambda np, *ops, t=text: np.einsum(t, *ops), rows, text, ulp=4, size=20.0)
case("numpy.einsum", lambda np, a, b: np.einsum("i,i", a, b), VECTORS, "dtypes", ulp=4, half=2, size=20.0)
case("numpy.einsum", lambda np, a: np.einsum("ij->ji", a), given((E,)), "view")

case("numpy.kron", lambda np, a, b: np.kron(a, b), VECTORS, "dtypes", ulp=2)
rows = given((E, E[:2]), (E, E[0]), (CUBE, E), (E, 3), (numpy.array(2.0), numpy.array(3)))
case("numpy.kron", lambda np, a, b: np.kron(a, b), rows, "shapes")
THREE = filled((5, 3), "float64")
case(
    "numpy.cross",
    lambda np, a, b: np.cross(a, b),
    given((THREE, THREE[0]), (THREE, THREE[::-1]), (THREE, E), (3, THREE)),
)
rows = given(
    *((filled((2, 3), one), filled((2, 3), other)) for one, other in PAIRS if "bool" not in (one, other))
)
case("numpy.cross", lambda np, a, b: np.cross(a, b), rows, "dtypes", ulp=2, half=2, size=20.0)
case("numpy.cross", lambda np, a, b: np.cross(a, b, axis=0), given((THREE.T, THREE.T[:, :1])), "axis")
case("numpy.cross", lambda np, a, b: np.cross(a, b, 0, 1, 0), given((THREE.T, THREE)), "axes")
ROWS = given(*((filled((3, 4), kind),) for kind in NATIVE), (CUBE,), (E[0],))
case("numpy.trace", lambda np, a: np.trace(a), ROWS, ulp=2, size=20.0)
case("numpy.trace", lambda np, a: np.trace(a, 1, 1, 0), ROWS, "axes", ulp=2, size=20.0)
case(
    "numpy.trace",
    lambda np, a: np.trace(a, dtype=np.float32),
    given((E,), (CUBE.astype("i2"),)),
    "dtype",
    ulp=2,
)
case(
    "numpy.tensordot",
    lambda np, a, b: np.tensordot(a, b, 0),
    given((3, 2.5), (E, 2)),
    "0-d",
    ulp=4,
    size=20.0,
)
SMALL = given((E.astype("i1"), E.astype("i8"), E.astype("u1")), (E.astype("i2"), E.astype("i4"), E > 0))
case("numpy.einsum", lambda np, *ops: np.einsum("ij,ij,ik", *ops), SMALL, "integers")
case(
    "numpy.einsum",
    lambda np, a: np.einsum("ij,ij->", a, a, optimize=True),
    given((E,)),
    "optimized to 0-d",
    ulp=4,
    size=20.0,
)
case(
    "numpy.einsum",
    lambda np, a: np.einsum("ij,ik", a, a, optimize=True),
    given((E,)),
    "optimized",
    ulp=4,
    size=20.0,
)
case(
    "numpy.einsum",
    lambda np, a: np.einsum("ij,ij", a, a, optimize=True),
    given((E,)),
    "optimized to 0-d, implicit",
    ulp=4,
    size=20.0,
)
case(
    "numpy.einsum",
    lambda np, a: np.einsum("ij,jk", a, a.T, optimize=["einsum_path", (0, 1)]),
    given((E,)),
    "path",
    ulp=4,
    size=20.0,
)

# -- generalised ufuncs: their keywords, and the two that multiply by vectors --------------------------------

CORE = given(
    *((filled(one, "complex128"), filled(other, "float64")) for one, other in SHAPES),
    ((filled((2, 3, 4), "f4")), filled((3,), "f4")),
    (filled((2, 3), "f8"), filled((5, 1, 3, 4), "f8")),
)
for name in ("vecdot", "matvec", "vecmat"):
    case(f"numpy.{name}", lambda np, a, b, n=name: getattr(np, n)(a, b), CORE, "shapes", ulp=4, size=20.0)
for name, one, other in [("matvec", (3, 4), (4,)), ("vecmat", (3,), (3, 4))]:
    rows = given(*((filled(one, left), filled(other, right)) for left, right in PAIRS))
    case(
        f"numpy.{name}",
        lambda np, a, b, n=name: getattr(np, n)(a, b),
        rows,
        "dtypes",
        ulp=4,
        half=2,
        size=20.0,
    )
SOLID = filled((2, 3, 4), "complex128")
THESE = given((SOLID, filled((4, 3, 2), "float64")), (SOLID, SOLID), (SOLID, filled((4,), "float64")))
for name in ("matmul", "matvec", "vecmat"):
    for axes in (
        [(0, 1), (1, 2), (0, 1)],
        [(1, 2), (2, 1), (0, 1)],
        [(1, 2), (2, 1)],
        [(1, 2), (0,), (1,)],
        [(1, 2), 0, 0],
        [0, (0, 1), -1],
        [(1, 1), (1, 2), (0, 1)],
        [(1, 9), (1, 2), (0, 1)],
        (1, 2),
    ):
        body = lambda np, a, b, n=name, axes=axes: getattr(np, n)(a, b, axes=axes)  # noqa: E731
        case(f"numpy.{name}", body, THESE, f"axes {axes}", ulp=8, size=20.0)
    for keywords in (
        {"dtype": "f4"},
        {"dtype": "c8"},
        {"dtype": "f4", "casting": "unsafe"},
        {"casting": "no"},
    ):
        body = lambda np, a, b, n=name, k=keywords: getattr(np, n)(a, b, **k)  # noqa: E731
        case(f"numpy.{name}", body, CORE, f"{keywords}", ulp=8, size=20.0)
for keywords in (
    {"axis": 0},
    {"axis": 1, "keepdims": True},
    {"keepdims": True},
    {"axes": [0, 0]},
    {"axes": [0, 0, 0], "keepdims": True},
    {"axes": [0, 0], "keepdims": True},
    {"axes": [2, -1, 1], "keepdims": True},
    {"axes": [0, 1]},
    {"axes": [0, 0, 0]},
    {"axis": 7},
    {"axis": 0, "axes": [0, 0]},
    {"dtype": "c8"},
):
    body = lambda np, a, b, k=keywords: np.vecdot(a, b, **k)  # noqa: E731
    case("numpy.vecdot", body, given((SOLID, SOLID), (SOLID, SOLID[0, 0]), (SOLID, SOLID[:1])), f"{keywords}",
         ulp=8, size=20.0)  # fmt: skip
for axis in (-1, 0, 5):
    body = lambda np, a, b, axis=axis: np.linalg.vecdot(a, b, axis=axis)  # noqa: E731
    case(
        "numpy.linalg.vecdot", body, given((SOLID, SOLID), (SOLID, SOLID[:, :1])), f"{axis}", ulp=8, size=20.0
    )
for kind in ("float64", "float32"):
    for name in ("matmul", "dot"):
        body = lambda np, a, b, out, n=name: getattr(np, n)(a, b, out=out)  # noqa: E731
        rows = given((numpy.rint(filled((3, 4), "f8")), numpy.ones((4, 2)), numpy.zeros((3, 2), kind)))
        case(f"numpy.{name}", body, rows, f"out {kind}", ulp=4, size=20.0)

# -- the same functions in numpy.linalg ----------------------------------------------------------------------

rows = given(
    *((filled((3, 3), kind), filled((3, 3), kind)[::-1]) for kind in NATIVE if kind != "bool"), (E, E)
)
case("numpy.linalg.cross", lambda np, a, b: np.linalg.cross(a, b), rows, ulp=2, half=2, size=20.0)
body = lambda np, a, b: np.linalg.cross(a, b, axis=0)  # noqa: E731
case("numpy.linalg.cross", body, given((THREE.T, THREE.T[:, :1]), (E, E)), "axis")
case("numpy.linalg.trace", lambda np, a: np.linalg.trace(a), ROWS, ulp=2, half=2, size=20.0)
body = lambda np, a: np.linalg.trace(a, offset=-1, dtype="f4")  # noqa: E731
case("numpy.linalg.trace", body, ROWS, "offset", ulp=2, size=20.0)
for axes in (1, ([1, 0], [1, 2]), ([0, 0], [0, 1])):
    body = lambda np, a, b, axes=axes: np.linalg.tensordot(a, b, axes=axes)  # noqa: E731
    case("numpy.linalg.tensordot", body, given((CUBE, SLAB)), f"{axes}", ulp=4, size=20.0)
    body = lambda np, a, b, axes=axes: np.tensordot(a, b, axes=axes)  # noqa: E731
    case("numpy.tensordot", body, given((CUBE, SLAB)), f"{axes}, by name", ulp=4, size=20.0)
body = lambda np, a, b: np.tensordot(a, b, axes=numpy.array([[1], [1]]))  # noqa: E731
case("numpy.tensordot", body, given((CUBE, SLAB)), "axes as an array", ulp=4, size=20.0, refused=True)

# One product each: -0.0, with a zero to begin with or without.
for name in ("matmul", "dot", "inner"):
    case(
        f"numpy.{name}",
        lambda np, a, b, name=name: getattr(np, name)(a, b),
        given(*((-numpy.zeros(1, dtype), numpy.ones(1, dtype)) for dtype in ("f2", "f4", "f8"))),
        "one negative zero",
    )
case("numpy.matmul", lambda np, a: np.matmul(a, a.T + 1), given((-numpy.zeros((3, 1)),)), "negative zeros")

# Multiplied as NumPy multiplies complex numbers: what overflows in one part leaves the other as it is.
LARGE = numpy.array([[-6.0 + 1.7e308j, -0.0 - 0j, 7.5 + 2j], [1, 2j, -1.7e308]])
for name in ("cross", "outer", "linalg.cross"):
    body = lambda np, a, b, n=name: operator.attrgetter(n)(np)(a, b)  # noqa: E731
    for other in (numpy.array([[1, 2, 5], [3, 0, 1]], "u2"), LARGE[::-1]):
        case(f"numpy.{name}", body, given((LARGE, other)), f"large {other.dtype}")
