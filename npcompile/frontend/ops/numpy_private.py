"""All private names of NumPy's that this package uses: running NumPy's Python functions on our arrays needs
them."""

from __future__ import annotations

import types
from typing import Any

import numpy
from numpy import _core, _globals, linalg
from numpy.lib import _nanfunctions_impl
from numpy.lib._function_base_impl import _i0A, _i0B  # type: ignore[attr-defined]
from numpy.lib.array_utils import normalize_axis_index

_C: Any = _core._multiarray_umath  # type: ignore[attr-defined]

NO_VALUE: Any = _globals._NoValue  # "not given", where None means something

# The enumeration that `copy=` takes beside True, False and None.
COPY_MODE: Any = _globals._CopyMode

# The type that NumPy's decorator gives a Python function that other libraries' arrays may take over.
DISPATCHER: type = type(numpy.median)

# The C helper through which functions convert their operands.
ARRAY_CONVERTER: Any = _C._array_converter

# The C helpers that find unique values by hashing (none before NumPy 2.3); they may say NotImplemented.
UNIQUE_HASH: tuple[Any, ...] = (_C._unique_hash,) if hasattr(_C, "_unique_hash") else ()

# The C code under `numpy.convolve`.
CORRELATE: Any = _core.multiarray.correlate

# The C code under `numpy.linalg.inv`: NaN where there is no inverse.
INVERSE: Any = linalg._umath_linalg.inv

# LAPACK as NumPy is linked with it: generalised ufuncs of float64 and complex128.
LAPACK: Any = linalg._umath_linalg


def _of_shape(name: str, wide: str, tall: str) -> Any:
    """Return a routine of LAPACK's. NumPy 2.0 has two, by the shape of the matrix, in place of later
    versions' one."""
    if hasattr(LAPACK, name):
        return getattr(LAPACK, name)
    of_wide, of_tall = getattr(LAPACK, wide), getattr(LAPACK, tall)
    return lambda matrix, *rest: (of_wide if matrix.shape[-2] <= matrix.shape[-1] else of_tall)(matrix, *rest)


SINGULAR_VALUES: Any = _of_shape("svd", "svd_m", "svd_n")
SVD_FULL: Any = _of_shape("svd_f", "svd_m_f", "svd_n_f")
SVD_REDUCED: Any = _of_shape("svd_s", "svd_m_s", "svd_n_s")
LEAST_SQUARES: Any = _of_shape("lstsq", "lstsq_m", "lstsq_n")

# The coefficients of the Chebyshev series of `numpy.i0`, up to 8 and beyond.
I0: tuple[list[float], list[float]] = (_i0A, _i0B)

# The parts of `numpy.nanmedian` and `numpy.nanquantile`.
NANMEDIAN_SMALL: Any = _nanfunctions_impl._nanmedian_small  # type: ignore[attr-defined]
NANMEDIAN_1D: Any = _nanfunctions_impl._nanmedian1d  # type: ignore[attr-defined]
NANQUANTILE_1D: Any = _nanfunctions_impl._nanquantile_1d  # type: ignore[attr-defined]

# The classes of results of several arrays.
EigResult: Any = linalg._linalg.EigResult
EighResult: Any = linalg._linalg.EighResult
QRResult: Any = linalg._linalg.QRResult
SlogdetResult: Any = linalg._linalg.SlogdetResult
SVDResult: Any = linalg._linalg.SVDResult

# C functions of numbers, dtypes and messages: they are called as they are.
OF_NO_ARRAY: tuple[Any, ...] = (normalize_axis_index, _C.add_docstring, _C.format_longfloat)


def implementation(function: Any) -> types.FunctionType | None:
    """Return the Python function that NumPy wrote for a public name; None where it is C."""
    if isinstance(function, DISPATCHER):
        function = function._implementation  # type: ignore[attr-defined]
    return function if isinstance(function, types.FunctionType) else None


def public(function: Any) -> Any:
    """Return the public NumPy function whose C code this is; the function itself where there is none."""
    found = getattr(numpy, function.__name__, None)
    return found if getattr(found, "_implementation", None) is function else function
