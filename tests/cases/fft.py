"""Cases of the Fourier transforms: every dtype, lengths cut and filled, every norm, several axes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from tests.cases.framework import NATIVE, case, filled, given

ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
TWO = ("fft2", "ifft2", "rfft2", "irfft2")
MANY = ("fftn", "ifftn", "rfftn", "irfftn")
NORMS = (None, "backward", "ortho", "forward", "other")
SMALL = {"ulp": 16, "half": 4, "size": 16.0}


def signals() -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Lengths even, odd, 1 and 0, of every dtype; strided, reversed, stacked, lists, what has no axis."""
    for kind in NATIVE:
        yield kind, (filled((8,), kind),)
        yield f"{kind} odd", (filled((2, 7), kind),)
    for shape in ((1,), (0,), (0, 4), (4, 0), ()):
        yield f"{shape}", (numpy.ones(shape, "float64"),)
    yield "strided", (filled((6, 16), "float64")[::2, ::3],)
    yield "reversed", (filled((6, 5), "complex128")[::-1, ::-1],)
    yield "list", ([1, 2, 3.5],)
    yield "longdouble", (numpy.arange(4, dtype="longdouble"),)
    yield ">f8", (numpy.arange(4, dtype=">f8"),)


def arrays() -> Iterator[tuple[str, tuple[Any, ...]]]:
    for kind in NATIVE:
        yield kind, (filled((3, 4), kind),)
    yield "3-d", (filled((2, 3, 5), "float32"),)
    yield "transposed", (filled((5, 3, 2), "complex128").T,)
    yield "empty", (numpy.empty((0, 4)),)
    yield "1-d", (filled((6,), "float64"),)


STACK = given((filled((3, 4), "float64"),), (filled((3, 4), "complex64"),), (filled((3, 4), "float16"),))

for name in ONE:
    call = lambda np, a, n=name, **kwargs: getattr(np.fft, n)(a, **kwargs)  # noqa: E731
    case(f"numpy.fft.{name}", call, signals, **SMALL)
    for n in (1, 3, 9, 0, -2, 2.5, numpy.int64(4)):
        body = lambda np, a, c=call, n=n: c(np, a, n=n)  # noqa: E731
        case(f"numpy.fft.{name}", body, STACK, f"n {n!r}", **SMALL)
    for axis in (0, -2, 7):
        body = lambda np, a, c=call, axis=axis: c(np, a, n=5, axis=axis)  # noqa: E731
        case(f"numpy.fft.{name}", body, STACK, f"axis {axis}", **SMALL)
    for norm in NORMS:
        body = lambda np, a, c=call, norm=norm: c(np, a, norm=norm)  # noqa: E731
        case(f"numpy.fft.{name}", body, STACK, f"norm {norm}", **SMALL)
for name in (*TWO, *MANY):
    call = lambda np, a, n=name, **kwargs: getattr(np.fft, n)(a, **kwargs)  # noqa: E731
    case(f"numpy.fft.{name}", call, arrays, ulp=64, half=4, size=64.0)
    for s, axes in [((3, 5), (0, 1)), ((-1, 2), (1, 0)), ((3,), (0,)), ((2, 2), (0,)), ((0, 2), (0, 1))]:
        body = lambda np, a, c=call, s=s, axes=axes: c(np, a, s=s, axes=axes)  # noqa: E731
        case(f"numpy.fft.{name}", body, STACK, f"s {s} axes {axes}", ulp=64, half=4, size=64.0)
    for axes in [(0,), (1, 0), (0, 0), [-1], (7,)]:
        body = lambda np, a, c=call, axes=axes: c(np, a, axes=axes)  # noqa: E731
        case(f"numpy.fft.{name}", body, STACK, f"axes {axes}", ulp=64, half=4, size=64.0)
    for norm in NORMS:
        body = lambda np, a, c=call, norm=norm: c(np, a, norm=norm)  # noqa: E731
        case(f"numpy.fft.{name}", body, STACK, f"norm {norm}", ulp=64, half=4, size=64.0)
    body = lambda np, a, c=call: c(np, a, axes=())  # noqa: E731
    case(f"numpy.fft.{name}", body, STACK, "no axes", refused=name in ("fft2", "ifft2", "fftn", "ifftn"))

# into an array: of its dtype, of another precision, of no shape that fits; values that no rounding touches
IMPULSES = numpy.eye(4, dtype="float32") * 8
for shape, kind in [((4, 4), "complex128"), ((4, 4), "complex64"), ((2, 4), "complex64")]:
    for name in ("fft", "ifft", "ihfft", "fftn"):
        body = lambda np, a, out, n=name: getattr(np.fft, n)(a, out=out)  # noqa: E731
        rows = given((IMPULSES, numpy.zeros(shape, kind)))
        refused = kind == "complex128"  # NumPy computes in double precision then
        case(f"numpy.fft.{name}", body, rows, f"out {kind} {shape}", refused=refused)
