"""Inlinable NumPy functions: NumPy wrote them in Python, over operations that are ops here, and they run as
written.

Recordings go into them; eager arrays run their clones (`npcompile.numpy.clones`). A function is listed once
its clone is shown to answer as NumPy does (`tests/cases/composed.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

# By the part of NumPy that they come from. The first ones have ops, too, but NumPy's code warns about the
# data.
NAN_STATISTICS: tuple[Any, ...] = (*(np.nanmin, np.nanmax, np.nanmean, np.nanvar, np.nanstd),)
STATISTICS: tuple[Any, ...] = (
    *(np.median, np.quantile, np.percentile, np.nanmedian, np.nanquantile, np.nanpercentile),
    *(np.nancumsum, np.nancumprod, np.nansum, np.nanprod, np.nanargmin, np.nanargmax),
    *(np.average, np.cov, np.corrcoef),
    *(np.histogram, np.histogram2d, np.histogramdd, np.histogram_bin_edges, np.digitize),
)
SETS: tuple[Any, ...] = (
    *(np.unique, np.unique_all, np.unique_counts, np.unique_inverse, np.unique_values),
    *(np.isin, np.intersect1d, np.union1d, np.setdiff1d, np.setxor1d, np.ediff1d),
)
SHAPES: tuple[Any, ...] = (
    *(np.pad, np.insert, np.delete, np.append, np.trim_zeros, np.resize, np.block, np.kron, np.tile),
    *(np.cross, np.tensordot, np.rot90, np.flip, np.roll, np.array_split, np.dsplit, np.hsplit, np.vsplit),
    np.asarray_chkfinite,
    *(np.take_along_axis, np.put_along_axis, np.broadcast_arrays, np.meshgrid, np.indices),
)
CALCULUS: tuple[Any, ...] = (
    *(np.gradient, np.trapezoid, np.unwrap, np.interp, np.convolve, np.correlate, np.diff),
    *(np.geomspace, np.logspace, np.linspace, np.i0, np.sinc, np.angle, np.real_if_close, np.nan_to_num),
    *(np.hanning, np.hamming, np.bartlett, np.blackman, np.kaiser, np.sort_complex, np.fix),
    *(np.allclose, np.isclose, np.array_equal, np.array_equiv, np.iscomplex, np.isreal),
)
CALLBACKS: tuple[Any, ...] = (np.apply_along_axis, np.apply_over_axes, np.piecewise, np.fromfunction)
INDEXING: tuple[Any, ...] = (
    *(np.select, np.extract, np.argwhere, np.flatnonzero, np.ix_, np.fill_diagonal, np.diag_indices),
    *(np.diag_indices_from, np.tril_indices, np.tril_indices_from, np.triu_indices, np.triu_indices_from),
    *(np.mask_indices, np.diag, np.diagflat, np.tril, np.triu, np.vander, np.tri),
)
POLYNOMIALS: tuple[Any, ...] = (
    *(np.poly, np.polyadd, np.polyder, np.polydiv, np.polyfit, np.polyint, np.polymul, np.polysub),
    *(np.polyval, np.roots),
)
LINALG: tuple[Any, ...] = (
    *(np.linalg.matrix_power, np.linalg.multi_dot, np.linalg.cond, np.linalg.matrix_rank, np.linalg.pinv),
    *(np.linalg.tensorinv, np.linalg.tensorsolve, np.linalg.norm, np.linalg.vector_norm),
    *(np.linalg.matrix_norm, np.linalg.cross, np.linalg.trace, np.linalg.tensordot, np.linalg.vecdot),
    *(np.linalg.svdvals, np.linalg.diagonal, np.linalg.outer, np.linalg.matrix_transpose),
)
FFT: tuple[Any, ...] = (np.fft.fftfreq, np.fft.rfftfreq, np.fft.fftshift, np.fft.ifftshift)
SINCE_2_1: tuple[Any, ...] = (
    (np.cumulative_sum, np.cumulative_prod, np.unstack) if hasattr(np, "unstack") else ()
)

UNTIL_2_5: tuple[Any, ...] = (np.row_stack,) if "row_stack" in np.__all__ else ()

INLINABLE: tuple[Any, ...] = (
    *(
        *NAN_STATISTICS,
        *STATISTICS,
        *SETS,
        *SHAPES,
        *CALCULUS,
        *CALLBACKS,
        *INDEXING,
        *POLYNOMIALS,
        *LINALG,
        *FFT,
    ),
    *(*SINCE_2_1, *UNTIL_2_5),
)

# The functions that a recording goes into, noting the operations in them
# (`frontend/record/numpy_inlining.py`).
FOLLOWED: tuple[Any, ...] = INLINABLE

# Functions that write into their first argument.
WRITES_FIRST_ARGUMENT: tuple[Any, ...] = (np.fill_diagonal, np.put_along_axis)

# Functions that only put back, or sum up, the elements that they pick by masks (`mask_lowering.py`).
USES_MASKS_IN_PLACE: frozenset[Any] = frozenset(
    [np.i0, np.piecewise, np.histogram2d, np.histogramdd, np.array_equal]
)

# By id, functions with an argument that NumPy iterates over before it calls them, in search of arrays.
ITERATED_ARGUMENT: dict[int, str] = {
    id(np.poly): "seq_of_zeros",
    id(np.roots): "p",
    id(np.select): "condlist",
    id(np.linalg.multi_dot): "arrays",
    id(np.histogramdd): "sample",
}
