"""Cases of solving and decomposing: regular, singular, stacked, empty and strided matrices of every dtype."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from tests.cases.framework import NATIVE, case, filled, given

SQUARE = ((3, 3), (1, 1), (2, 3, 3), (0, 0), (2, 0, 0), (0, 2, 2))
OBLONG = ((3, 4), (4, 3), (2, 4, 3), (0, 3), (3, 0), (0, 2, 3))
KINDS = ("int32", "float32", "float64", "complex64", "complex128")


def matrix(shape: tuple[int, ...], kind: str) -> numpy.ndarray:
    """A regular, badly ordered matrix of small numbers: no pivot of it is near zero."""
    if 0 in shape:
        return numpy.empty(shape, kind)
    rows, columns = shape[-2:]
    base = filled(shape, kind)
    heavy = numpy.roll(numpy.eye(rows, columns), 1, axis=-1) * 9
    return (base + heavy).astype(kind)


def definite(shape: tuple[int, ...], kind: str) -> numpy.ndarray:
    """A Hermitian, positive definite matrix."""
    wide = matrix(shape, "complex128" if kind.startswith("complex") else "float64")
    made = wide @ wide.conj().swapaxes(-1, -2) / 4 + numpy.eye(shape[-1])
    return numpy.rint(made).astype(kind) if kind.startswith("int") else made.astype(kind)


def square() -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Square ones of each dtype and shape; what is no square; strided, reversed, read as a list; NaN."""
    for kind in NATIVE:
        yield kind, (matrix((3, 3), kind),)
    for kind in KINDS:
        for shape in SQUARE[1:]:
            yield f"{kind} {shape}", (matrix(shape, kind),)
    wide = matrix((6, 8), "float64")
    yield "strided", (wide[::2, 1:7:2],)
    yield "reversed", (matrix((4, 4), "complex128")[::-1, ::-1],)
    yield "transposed", (matrix((3, 4, 4), "float64").T[:, :, :2].transpose(2, 0, 1),)
    yield "broadcast", (numpy.broadcast_to(matrix((3, 3), "float64"), (2, 3, 3)),)
    yield "list", ([[2, 1], [1, 3]],)
    yield "longdouble", (matrix((2, 2), "float64").astype("longdouble"),)
    yield "1-d", (numpy.ones(3),)
    yield "0-d", (numpy.array(3.0),)
    yield "oblong", (numpy.ones((2, 3)),)


def singular() -> Iterator[tuple[str, tuple[Any, ...]]]:
    """A regular matrix, those for which rounding decides, and those that NumPy refuses."""
    yield "identity", (numpy.eye(3),)
    yield "counting from 1", (numpy.arange(1.0, 10.0).reshape(3, 3),)
    yield "counting from 0", (numpy.arange(9.0).reshape(3, 3),)
    yield "ones", (numpy.ones((2, 2)),)
    yield "zeros", (numpy.zeros((2, 2)),)
    yield "complex", (numpy.array([[1, 1j], [1j, -1]]),)
    yield "one of a stack", (numpy.stack([numpy.eye(2), numpy.ones((2, 2))]),)
    yield "scaled", (numpy.diag([1.0, 1e-30]),)
    yield "indefinite", (numpy.array([[1.0, 2.0], [2.0, 1.0]]),)
    yield "defective", (numpy.array([[1.0, 1.0], [0.0, 1.0]]),)
    for at in range(4):
        spoilt = numpy.array([[1.0, 4.0], [2.0, 3.0]])
        spoilt.flat[at] = numpy.nan
        yield f"NaN at {at}", (spoilt,)
    yield "NaN beside zeros", (numpy.array([[0.0, 0.0, 1.0], [0.0, 2.0, 0.0], [numpy.nan, 0.0, 0.0]]),)
    yield "NaN in one of a stack", (numpy.stack([numpy.eye(2), numpy.eye(2) * numpy.nan]),)
    yield "complex NaN", (numpy.array([[1, complex(0, numpy.nan)], [1j, 1]]),)
    yield "infinity", (numpy.array([[1.0, numpy.inf], [2.0, 3.0]]),)


def hermitian() -> Iterator[tuple[str, tuple[Any, ...]]]:
    for kind in KINDS:
        for shape in SQUARE:
            yield f"{kind} {shape}", (definite(shape, kind),)
    yield "strided", (definite((6, 6), "float64")[::2, ::2],)
    yield "two triangles", (matrix((5, 5), "complex128"),)


def oblong() -> Iterator[tuple[str, tuple[Any, ...]]]:
    for kind in KINDS:
        for shape in OBLONG:
            yield f"{kind} {shape}", (matrix(shape, kind),)
    yield "float16", (matrix((3, 4), "float16"),)
    yield "strided", (matrix((6, 8), "float64")[::2, ::-3],)
    yield "1-d", (numpy.ones(3),)


def both(left: Any, rights: tuple[Any, ...]) -> Any:
    return given(*((left, right) for right in rights))


CLOSE = {"ulp": 64, "half": 1, "size": 4.0}

for name in ("inv", "det", "slogdet", "eigvals", "eig", "cholesky"):
    body = lambda np, a, n=name: getattr(np.linalg, n)(a)  # noqa: E731
    case(f"numpy.linalg.{name}", body, square, **CLOSE)
    case(f"numpy.linalg.{name}", body, singular, "singular", ulp=64, size=4.0)
for name in ("eigvalsh", "eigh"):
    for letter in ("L", "U", "l", "x"):
        body = lambda np, a, n=name, u=letter: getattr(np.linalg, n)(a, u)  # noqa: E731
        case(f"numpy.linalg.{name}", body, hermitian, letter, ulp=64, size=32.0)
    body = lambda np, a, n=name: getattr(np.linalg, n)(a, UPLO="U")  # noqa: E731
    case(f"numpy.linalg.{name}", body, square, "square", ulp=64, size=32.0)
    case(f"numpy.linalg.{name}", body, singular, "singular", ulp=64, size=4.0)
for upper in (False, True):
    body = lambda np, a, u=upper: np.linalg.cholesky(a, upper=u)  # noqa: E731
    case("numpy.linalg.cholesky", body, hermitian, f"upper {upper}", **CLOSE)
for full in (True, False):
    body = lambda np, a, f=full: np.linalg.svd(a, f)  # noqa: E731
    case("numpy.linalg.svd", body, oblong, f"full {full}", ulp=64, size=32.0)
case("numpy.linalg.svd", lambda np, a: np.linalg.svd(a), singular, "singular", ulp=64, size=16.0)
case(
    "numpy.linalg.svd", lambda np, a: np.linalg.svd(a, compute_uv=False), oblong, "values", ulp=64, size=32.0
)
for values in (True, False):
    body = lambda np, a, v=values: np.linalg.svd(a, compute_uv=v, hermitian=True)  # noqa: E731
    case("numpy.linalg.svd", body, hermitian, f"hermitian {values}", ulp=64, size=32.0)
case("numpy.linalg.svdvals", lambda np, a: np.linalg.svdvals(a), oblong, ulp=64, size=32.0)
case("numpy.linalg.svdvals", lambda np, a: np.linalg.svdvals(a), singular, "singular", ulp=64, size=16.0)
for mode in ("reduced", "complete", "r", "raw", "other"):
    body = lambda np, a, m=mode: np.linalg.qr(a, m)  # noqa: E731
    case("numpy.linalg.qr", body, oblong, mode, ulp=64, size=16.0)
    case("numpy.linalg.qr", body, singular, f"{mode}, singular", ulp=64, size=16.0)
case("numpy.linalg.qr", lambda np, a: np.linalg.qr(a, "full"), given((matrix((3, 2), "f8"),)), refused=True)

RIGHTS = (numpy.ones(3), numpy.arange(6.0).reshape(3, 2), numpy.empty((3, 0)), filled((4, 3, 2), "complex64"))
RIGHTS += (
    numpy.ones((1, 3, 1), "f4"),
    numpy.ones(2),
    numpy.ones((2, 2)),
    numpy.array(1.0),
    numpy.ones((5, 3, 1)),
)
for left in (matrix((3, 3), "float64"), matrix((4, 3, 3), "float32"), matrix((3, 3), "int32")):
    label = f"{left.dtype} {left.shape}"
    case("numpy.linalg.solve", lambda np, a, b: np.linalg.solve(a, b), both(left, RIGHTS), label, **CLOSE)
case(
    "numpy.linalg.solve",
    lambda np, a, b: np.linalg.solve(a, b),
    given(
        *((matrix((3, 3), one), filled((3, 2), other)) for one in NATIVE for other in ("float32", "int64"))
    ),
    "dtypes",
    **CLOSE,
)
empty = both(
    numpy.empty((0, 0)), (numpy.empty(0), numpy.empty((0, 2)), numpy.empty((2, 0, 2)), numpy.ones(2))
)
case("numpy.linalg.solve", lambda np, a, b: np.linalg.solve(a, b), empty, "empty")
case("numpy.linalg.solve", lambda np, a: np.linalg.solve(a, a), singular, "singular", ulp=64, size=4.0)
rights = both(
    matrix((3, 3), "float64"), (numpy.array([1, numpy.nan, 2]), numpy.array([[numpy.inf], [0], [1]]))
)
case("numpy.linalg.solve", lambda np, a, b: np.linalg.solve(a, b), rights, "not finite", **CLOSE)

TARGETS = (
    numpy.arange(4.0),
    filled((4, 2), "float64"),
    numpy.empty((4, 0)),
    numpy.ones(3),
    numpy.ones((2, 4, 1)),
)
for left in (
    matrix((4, 3), "float64"),
    matrix((4, 4), "complex64"),
    matrix((4, 5), "int32"),
    numpy.ones((4, 2)),
):
    label = f"{left.dtype} {left.shape}"
    body = lambda np, a, b: np.linalg.lstsq(a, b)  # noqa: E731
    case("numpy.linalg.lstsq", body, both(left, TARGETS), label, ulp=256, size=32.0)
rows = both(matrix((4, 3), "float64"), (numpy.arange(4.0), numpy.array([1.0, numpy.nan, 2.0, 3.0])))
for rcond in (None, 0.5, -1):
    body = lambda np, a, b, r=rcond: np.linalg.lstsq(a, b, rcond=r)  # noqa: E731
    case("numpy.linalg.lstsq", body, rows, f"rcond {rcond}", ulp=256, size=32.0)
rows = given(
    (numpy.empty((0, 3)), numpy.empty(0)), (numpy.empty((3, 0)), numpy.ones(3)), (numpy.empty((0, 0)), [])
)
case("numpy.linalg.lstsq", lambda np, a, b: np.linalg.lstsq(a, b), rows, "empty")
