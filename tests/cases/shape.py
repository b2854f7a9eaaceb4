"""Cases of the shape ops."""

from __future__ import annotations

from typing import Any

import numpy

from tests.cases.framework import INTS, NATIVE, REAL, arrays, case, edges, filled, given

SOME = ("int32", "float64", "complex128", "bool")


def attribute(descriptor: Any, array: Any) -> Any:
    """`array.T` and the like by their descriptor, which is what an op is registered for."""
    return descriptor.__get__(array) if hasattr(descriptor, "__get__") else descriptor(array)


A = filled((3, 4), "int32")
B = filled((2, 3, 4), "float64")

for shape in [(-1,), (2, -1), (6, 2), (12,), (1, 12, 1), (5, 5), 12, (-1, -1)]:
    case(
        "numpy.reshape",
        lambda np, a, s=shape: np.reshape(a, s),
        given((A,), (A.T,), (A[:, ::2],)),
        str(shape),
    )
case("numpy.reshape", lambda np, a: np.reshape(a, (4, 3), order="F"), given((A,), (A.T,), (B[0],)), "F")
case("numpy.reshape", lambda np, a: np.reshape(a, (-1, 2)), arrays(SOME), "layouts")
case("numpy.ndarray.reshape", lambda np, a: np.ndarray.reshape(a, 2, 6), given((A,), (B,)), "varargs")
case("numpy.ndarray.reshape", lambda np, a: np.ndarray.reshape(a, (-1,)), given((A,), (B.T,)), "tuple")
case("numpy.ndarray.reshape", lambda np, a: np.ndarray.reshape(a, -1, order="F"), given((A,), (B.T,)), "F")
case("numpy.ravel", lambda np, a: np.ravel(a), arrays(SOME))
case("numpy.ravel", lambda np, a: np.ravel(a, "F"), arrays(SOME), "F")
case("numpy.ndarray.flatten", lambda np, a: np.ndarray.flatten(a), arrays(SOME))
case("numpy.ndarray.flatten", lambda np, a: np.ndarray.flatten(a, "F"), arrays(SOME), "F")
case("numpy.transpose", lambda np, a: np.transpose(a), arrays(SOME))
case("numpy.transpose", lambda np, a: np.transpose(a, (1, 2, 0)), given((B,), (A,)), "axes")
case("numpy.transpose", lambda np, a: np.transpose(a, [-1, 0, 1]), given((B,), (A,)), "negative axes")
case("numpy.transpose", lambda np, a: np.transpose(a, (0, 0, 1)), given((B,)), "repeated axis")
case("numpy.ndarray.transpose", lambda np, a: np.ndarray.transpose(a, 2, 0, 1), given((B,), (A,)))
case("numpy.ndarray.transpose", lambda np, a: np.ndarray.transpose(a, (2, 0, 1)), given((B,), (A,)), "tuple")
case("numpy.ndarray.transpose", lambda np, a: np.ndarray.transpose(a), given((B,), (A,)), "reverse")
case("numpy.ndarray.T", lambda np, a: attribute(np.ndarray.T, a), given((A,), (B,), (A[0],)))
case("numpy.ndarray.mT", lambda np, a: attribute(np.ndarray.mT, a), given((A,), (B,), (A[0],)))
case("numpy.matrix_transpose", lambda np, a: np.matrix_transpose(a), given((A,), (B,), (A[0],)))
case("numpy.swapaxes", lambda np, a: np.swapaxes(a, 0, -1), arrays(SOME))
case("numpy.swapaxes", lambda np, a: np.swapaxes(a, 0, 5), given((A,)), "axis")
case("numpy.moveaxis", lambda np, a: np.moveaxis(a, 0, -1), arrays(SOME))
case("numpy.moveaxis", lambda np, a: np.moveaxis(a, [0, 2], [1, 0]), given((B,), (A,)), "several")
case("numpy.moveaxis", lambda np, a: np.moveaxis(a, [0, 1], [1]), given((B,)), "count")
for args in [(2,), (2, 1), (0, 3), (0, -1), (-1, 5)]:
    case("numpy.rollaxis", lambda np, a, args=args: np.rollaxis(a, *args), given((B,)), str(args))
ONES = filled((1, 3, 1), "float32")
case("numpy.squeeze", lambda np, a: np.squeeze(a), given((ONES,), (A,), (A[:1, :1],)))
for axis in [0, -1, (0, 2), 1, 7]:
    case("numpy.squeeze", lambda np, a, axis=axis: np.squeeze(a, axis=axis), given((ONES,)), str(axis))
for axis in [0, -1, (0, 2), 7, (0, 0)]:
    case(
        "numpy.expand_dims", lambda np, a, axis=axis: np.expand_dims(a, axis), given((A,), (A[0],)), str(axis)
    )
ZERO = numpy.array(2.5)
for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
    rows = given((ZERO,), (A[0],), (A,), (B,), (3,), ([1, 2],))
    case(f"numpy.{name}", lambda np, a, name=name: getattr(np, name)(a), rows)
    case(
        f"numpy.{name}",
        lambda np, a, b, name=name: getattr(np, name)(a, b),
        given((ZERO, A), (A, 3.5)),
        "two",
    )
for target in [(2, 3, 4), (3, 4), (4,), 4, (3, 5)]:
    case(
        "numpy.broadcast_to",
        lambda np, a, t=target: np.broadcast_to(a, t),
        given((A,), (A[0],), (3,)),
        str(target),
    )
case(
    "numpy.broadcast_arrays",
    lambda np, a, b: np.broadcast_arrays(a, b),
    given((A, A[0]), (A[:, :1], B), (A, A[:2])),
)

JOINED = [
    (A, A),
    (A, A.astype("float32")),
    (A, A[:1]),
    (A, A[:, :2]),
    (A[0], A[1]),
    (A, A[0]),
    (A[0], A[0][:0]),
]
for label, kwargs in [
    ("0", {}),
    ("1", {"axis": 1}),
    ("None", {"axis": None}),
    ("-1", {"axis": -1}),
    ("5", {"axis": 5}),
]:
    rows = given(*JOINED)
    case("numpy.concatenate", lambda np, a, b, k=kwargs: np.concatenate((a, b), **k), rows, label)
for one in NATIVE:
    rows = given(*((filled((3,), one), filled((2,), other)) for other in NATIVE))
    case("numpy.concatenate", lambda np, a, b: np.concatenate([a, b]), rows, f"dtypes {one}")
case("numpy.concatenate", lambda np, a, b: np.concatenate([a, b], dtype="float64"), given(*JOINED), "dtype")
case("numpy.concatenate", lambda np: np.concatenate([]), given(()), "nothing")
case("numpy.concatenate", lambda np, a: np.concatenate([a, [7, 8]]), given((A[0],), (B[0, 0],)), "list")
for axis in (0, 1, -1, 3):
    case("numpy.stack", lambda np, a, b, axis=axis: np.stack([a, b], axis=axis), given(*JOINED), str(axis))
for name in ("vstack", "hstack", "dstack", "column_stack"):
    rows = given(*JOINED, (ZERO, ZERO), (B, B))
    case(f"numpy.{name}", lambda np, a, b, name=name: getattr(np, name)((a, b)), rows)
case("numpy.append", lambda np, a, b: np.append(a, b), given(*JOINED, (A, 3), (A[0], [1.5, 2])))
case("numpy.append", lambda np, a, b: np.append(a, b, axis=0), given(*JOINED), "axis")

for sections in [2, 4, 3, 0, [1, 3], (0, 9), [3, 1]]:
    case("numpy.split", lambda np, a, s=sections: np.split(a, s, axis=1), given((A,), (B[0],)), str(sections))
    case(
        "numpy.array_split", lambda np, a, s=sections: np.array_split(a, s), given((A,), (B,)), str(sections)
    )
for name in ("hsplit", "vsplit", "dsplit"):
    rows = given((B,), (A,), (A[0],), (ZERO,), (filled((4, 4, 4), "int8"),))
    case(f"numpy.{name}", lambda np, a, name=name: getattr(np, name)(a, 2), rows)

for reps in [2, (2, 3), (1, 2, 2), 0, ()]:
    case("numpy.tile", lambda np, a, r=reps: np.tile(a, r), given((A,), (A[0],), (ZERO,), (B,)), str(reps))
for count in [2, 0, [1, 0, 2], (3,), -1, [1, 2]]:
    for axis in (None, 0):
        body = lambda np, a, c=count, axis=axis: np.repeat(a, c, axis)  # noqa: E731
        case("numpy.repeat", body, given((A,), (A[:, 0],), (A[:, :1],)), f"{count} {axis}")
for shift, axis in [(1, None), (-2, 0), (5, 1), ((1, 2), (0, 1)), (1, (0, 1)), ((1, 2), 0), (3, 4)]:
    body = lambda np, a, s=shift, axis=axis: np.roll(a, s, axis)  # noqa: E731
    case("numpy.roll", body, given((A,), (A.T,), (A[::-1],), (A[:0],)), f"{shift} {axis}")
case("numpy.roll", lambda np, a: np.roll(a, (1, 2)), given((A,)), "sum of shifts")
case("numpy.roll", lambda np, a: np.roll(a, 1, ()), given((numpy.array(1.0),), (A,)), "no axes")
case("numpy.roll", lambda np, a: np.roll(a, 10**30), given((A,), (A[:0],)), "far")
case("numpy.roll", lambda np, a: np.roll(a, -(10**30), 1), given((A,)), "far along an axis")
for axis in (None, 0, -1, (0, 1), 4):
    case(
        "numpy.flip",
        lambda np, a, axis=axis: np.flip(a, axis),
        given((A,), (A.T,), (B,), (A[::-1],)),
        str(axis),
    )
for name in ("fliplr", "flipud"):
    case(f"numpy.{name}", lambda np, a, name=name: getattr(np, name)(a), given((A,), (B,), (A[0],), (ZERO,)))
for turns in (0, 1, 2, 3, -1, 5):
    case("numpy.rot90", lambda np, a, k=turns: np.rot90(a, k), given((A,), (B,), (A[::-1],)), str(turns))
case("numpy.rot90", lambda np, a: np.rot90(a, 1, (1, 2)), given((B,)), "axes")
for width in [1, (1, 2), ((1, 2), (0, 3)), 0, -1]:
    case("numpy.pad", lambda np, a, w=width: np.pad(a, w), given((A,), (A[::-1],), (B[0],)), f"{width}")
    case("numpy.pad", lambda np, a, w=width: np.pad(a, w, mode="edge"), given((A,), (B[0],)), f"{width} edge")
FORTRAN = given((numpy.asfortranarray(A),), (B.T,), (B.transpose(1, 0, 2),))
case("numpy.pad", lambda np, a: np.pad(a, ((0, 1), *((2, 0),) * (a.ndim - 1))), FORTRAN, "Fortran")
case("numpy.pad", lambda np, a: np.pad(a, 1, "edge"), FORTRAN, "Fortran edge")
case("numpy.pad", lambda np, a: np.pad(a, 3.4), given((A,)), "float")
case("numpy.pad", lambda np, a: np.pad(a, 1, constant_values=7), given((A,), (B,)), "7")
for mode in ("wrap", "reflect", "symmetric"):
    for width in (1, (2, 1), (0, 4), (11, 7)):  # also of more elements than there are
        case(
            "numpy.pad",
            lambda np, a, w=width, m=mode: np.pad(a, w, mode=m),
            given((A,), (B.T,), (B[0, :1],), (numpy.zeros((2, 0)),)),
            f"{width} {mode}",
        )
case("numpy.pad", lambda np, a: np.pad(a, 1, mode="mean"), given((A,)), "mean", refused=True)

for offset in (0, 1, -2, 9):
    case("numpy.diagonal", lambda np, a, k=offset: np.diagonal(a, k), given((A,), (B,), (A[0],)), str(offset))
    case(
        "numpy.diag", lambda np, a, k=offset: np.diag(a, k), given((A,), (A[0],), (ZERO,), (B,)), str(offset)
    )
    case(
        "numpy.diagflat",
        lambda np, a, k=offset: np.diagflat(a, k),
        given((A,), (A[0],), (ZERO,)),
        str(offset),
    )
case("numpy.diagonal", lambda np, a: np.diagonal(a, 1, 2, 0), given((B,)), "axes")
case("numpy.linalg.diagonal", lambda np, a: np.linalg.diagonal(a, offset=1), given((A,), (B,)))

case("numpy.real", lambda np, a: np.real(a), arrays(SOME))
case(
    "numpy.real",
    lambda np, a: np.real(a),
    given((1,), (2.5,), (1j,), (numpy.float32(2),)),
    "numbers",
    refused=True,
)
case(
    "numpy.imag",
    lambda np, a: np.imag(a),
    given((1,), (2.5,), (1j,), (numpy.float32(2),)),
    "numbers",
    refused=True,
)
case("numpy.imag", lambda np, a: np.imag(a), arrays(("int32", "float64", "complex128", "complex64")))
case("numpy.copy", lambda np, a: np.copy(a), arrays(NATIVE))
case("numpy.ndarray.copy", lambda np, a: np.ndarray.copy(a), arrays(SOME))
for target in NATIVE:
    kinds = NATIVE if target in ("bool", "complex64", "complex128") else REAL
    if target in INTS:  # floats beyond the integers are undefined in C
        rows = given(*((edges(kind) if kind in (*INTS, "bool") else filled((6,), kind),) for kind in kinds))
    else:
        rows = given(*((edges(kind),) for kind in kinds))
    case("numpy.ndarray.astype", lambda np, a, t=target: np.ndarray.astype(a, t), rows, target)
TIES = 2.0 ** numpy.arange(-26, 16) * (1 + 2.0**-11)  # halfway between two float16, or just beside
TIES = numpy.concatenate([TIES, TIES * (1 + 2.0**-40), TIES * (1 - 2.0**-40), -TIES * (1 + 2.0**-40)])
case(
    "numpy.ndarray.astype",
    lambda np, a: np.ndarray.astype(a, np.float16),
    given((TIES,)),
    "float16, rounded once",
)
case("numpy.astype", lambda np, a: np.astype(a, np.float32), given((A,), (B,)))
case("numpy.astype", lambda np, a: np.astype(a, np.int8), given((numpy.float64(1),)), "scalar", refused=True)
case("numpy.ndarray.view", lambda np, a: np.ndarray.view(a, np.int64), given((B,), (B[0].T,), (B[0, ::2],)))
case("numpy.ndarray.view", lambda np, a: np.ndarray.view(a), given((B,), (A[::-1],)), "same")
case(
    "numpy.concatenate",
    lambda np, a, b: np.concatenate([a, b], axis=None),
    given((numpy.float32(1), 1.0), (A, 2.5), (numpy.int8(3), 2), (B, 1j), ([1, 2], 2.0)),
    "numbers",
)

for name, more in (("squeeze", ()), ("transpose", ()), ("reshape", ((),)), ("reshape", (1,))):
    case(
        f"numpy.{name}",
        lambda np, a, name=name, more=more: getattr(np, name)(a, *more),
        given((numpy.float32(2.5),), (3,), (numpy.array(1),)),
        f"numbers {more}",
    )
