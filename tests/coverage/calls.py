"""Example calls of NumPy's public functions: what docs/coverage.md is measured on, beside tests/cases.

A call is `lambda np, x: ...`, run unchanged under NumPy and under `npcompile.numpy`; `x` holds the operands,
made anew for each call. Names with a registered op have their cases too; those listed here need none, or are
called in further ways.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from .array_calls import ARRAY, Call


def operands() -> dict[str, Any]:
    """The operands of every call, fresh."""
    rng = numpy.random.default_rng(7)
    square = rng.standard_normal((3, 3))
    return {
        "v": numpy.array([0.5, -1.25, 3.0, 2.75, -0.5, 0.125, 7.5]),
        "w": numpy.array([1.0, 2.0, 0.5, 3.0, 1.5, 0.25, 2.5]),
        "up": numpy.array([0.0, 1.0, 2.5, 3.0, 4.5]),
        "a": rng.standard_normal((3, 4)),
        "b": rng.standard_normal((3, 4)),
        "f4": rng.standard_normal((4, 5)).astype("f4"),
        "t": rng.standard_normal((2, 3, 4)),
        "i": numpy.array([3, 1, 2, 3, 0, 1, 7]),
        "j": numpy.array([[5, 2, 9], [1, 7, 7]]),
        "k": numpy.array([1, 2, 7, 9]),
        "u": numpy.array([3, 0, 255, 7, 128], "u1"),
        "m": numpy.array([True, False, True, True, False, False, True]),
        "mask": numpy.arange(12).reshape(3, 4) % 3 == 0,
        "z": rng.standard_normal(5) + 1j * rng.standard_normal(5),
        "n": numpy.array([[1.0, numpy.nan, 3.0, 0.5], [4.0, 5.0, 0.25, 6.0], [numpy.nan, 8.0, 9.0, 2.0]]),
        "sq": square,
        "ss": rng.standard_normal((2, 3, 3)),
        "zs": square + 1j * rng.standard_normal((3, 3)),
        "spd": square @ square.T + 3 * numpy.eye(3),
        "r": rng.standard_normal((5, 3)),
        "s": rng.standard_normal(16),
        "g": rng.standard_normal((4, 6)),
        "rest": numpy.zeros((3, 4)),
    }


def at(function: Callable[..., Any], *args: Any) -> Any:
    """A function that writes into its first argument: the argument afterwards."""
    function(*args)
    return args[0]


MAIN: dict[str, tuple[Call, ...]] = {
    "allclose": (lambda np, x: np.allclose(x.a, x.a + 1e-12), lambda np, x: np.allclose(x.a, x.b),
                 lambda np, x: np.allclose(x.n, x.n, equal_nan=True)),
    "append": (lambda np, x: np.append(x.v, x.w), lambda np, x: np.append(x.a, x.b, axis=1)),
    "apply_along_axis": (lambda np, x: np.apply_along_axis(lambda row: row.sum() + row[0], 1, x.a),
                         lambda np, x: np.apply_along_axis(lambda row: row[::-1], 0, x.a)),
    "apply_over_axes": (lambda np, x: np.apply_over_axes(np.sum, x.t, [0, 2]),),
    "argpartition": (lambda np, x: np.sort(x.v[np.argpartition(x.v, 3)[:3]]),
                     lambda np, x: np.argpartition(x.k, 2, axis=0)[2]),
    "argwhere": (lambda np, x: np.argwhere(x.mask), lambda np, x: np.argwhere(x.v > 0)),
    "array": (lambda np, x: np.array([[1, 2], [3, 4]], dtype=float), lambda np, x: np.array(x.v, ndmin=2),
              lambda np, x: np.array([x.v, x.w]), lambda np, x: np.array(x.a, order="F")),
    "array_equal": (lambda np, x: np.array_equal(x.a, x.b), lambda np, x: np.array_equal(x.a, x.a.copy()),
                    lambda np, x: np.array_equal(x.n, x.n, equal_nan=True)),
    "array_equiv": (lambda np, x: np.array_equiv(x.v, x.v), lambda np, x: np.array_equiv(x.v, x.w)),
    "array_split": (lambda np, x: np.array_split(x.v, 3), lambda np, x: np.array_split(x.a, [1], axis=1)),
    "asanyarray": (lambda np, x: np.asanyarray(x.a), lambda np, x: np.asanyarray([1, 2, 3])),
    "asarray": (lambda np, x: np.asarray(x.a), lambda np, x: np.asarray(x.v, dtype="f4"),
                lambda np, x: np.asarray([1.5, 2])),
    "asarray_chkfinite": (lambda np, x: np.asarray_chkfinite(x.a),
                          lambda np, x: np.asarray_chkfinite([1, 2])),
    "ascontiguousarray": (lambda np, x: np.ascontiguousarray(x.a.T), lambda np, x: np.ascontiguousarray(x.a)),
    "asfortranarray": (lambda np, x: np.asfortranarray(x.a), lambda np, x: np.asfortranarray(x.v)),
    "average": (lambda np, x: np.average(x.v), lambda np, x: np.average(x.v, weights=x.w),
                lambda np, x: np.average(x.a, axis=1, weights=x.b, returned=True)),
    "bartlett": (lambda np, x: np.bartlett(7), lambda np, x: np.bartlett(1)),
    "bincount": (lambda np, x: np.bincount(x.i), lambda np, x: np.bincount(x.i, weights=x.v, minlength=12)),
    "bitwise_count": (lambda np, x: np.bitwise_count(x.i), lambda np, x: np.bitwise_count(x.u)),
    "blackman": (lambda np, x: np.blackman(7), lambda np, x: np.blackman(1)),
    "block": (lambda np, x: np.block([[x.a, x.b], [x.b, x.a]]), lambda np, x: np.block([x.v, x.w])),
    "broadcast_arrays": (lambda np, x: np.broadcast_arrays(x.a, x.a[0])[1].copy(),),
    "choose": (lambda np, x: np.choose(x.i % 2, [x.v, x.w]),
               lambda np, x: np.choose(x.i, [x.v, x.w], mode="clip")),
    "compress": (lambda np, x: np.compress(x.m, x.v),
                 lambda np, x: np.compress([True, False, True], x.a, axis=0)),
    "convolve": (lambda np, x: np.convolve(x.v, x.up), lambda np, x: np.convolve(x.v, x.up, mode="same"),
                 lambda np, x: np.convolve(x.i, x.k, mode="valid")),
    "copyto": (lambda np, x: at(np.copyto, x.rest, x.a), lambda np, x: _copyto(np, x)),
    "corrcoef": (lambda np, x: np.corrcoef(x.a), lambda np, x: np.corrcoef(x.v, x.w)),
    "correlate": (lambda np, x: np.correlate(x.v, x.up), lambda np, x: np.correlate(x.v, x.up, mode="full"),
                  lambda np, x: np.correlate(x.z, x.z[:3], mode="same")),
    "cov": (lambda np, x: np.cov(x.a), lambda np, x: np.cov(x.v, x.w, bias=True),
            lambda np, x: np.cov(x.a, rowvar=False, fweights=[1, 2, 1])),
    "cross": (lambda np, x: np.cross(x.r, x.r[::-1]),),
    "cumulative_prod": (lambda np, x: np.cumulative_prod(x.v),
                        lambda np, x: np.cumulative_prod(x.v, include_initial=True)),
    "cumulative_sum": (lambda np, x: np.cumulative_sum(x.v), lambda np, x: np.cumulative_sum(x.a, axis=1),
                       lambda np, x: np.cumulative_sum(x.i, include_initial=True)),
    "delete": (lambda np, x: np.delete(x.v, 2), lambda np, x: np.delete(x.a, [0, 2], axis=1),
               lambda np, x: np.delete(x.v, slice(1, 5, 2))),
    "diag_indices": (lambda np, x: np.diag_indices(3),),
    "diag_indices_from": (lambda np, x: np.diag_indices_from(x.sq),),
    "digitize": (lambda np, x: np.digitize(x.v, x.up),
                 lambda np, x: np.digitize(x.v, x.up[::-1], right=True)),
    "ediff1d": (lambda np, x: np.ediff1d(x.v),
                lambda np, x: np.ediff1d(x.a, to_begin=0.0, to_end=[1.0, 2.0])),
    "einsum": (lambda np, x: np.einsum("ij,ij->i", x.a, x.b), lambda np, x: np.einsum("ij,kj", x.a, x.b),
               lambda np, x: np.einsum("ij,kj,kl->il", x.a, x.b, x.b, optimize=True)),
    "extract": (lambda np, x: np.extract(x.m, x.v), lambda np, x: np.extract(x.mask, x.a)),
    "fill_diagonal": (lambda np, x: at(np.fill_diagonal, x.sq, 5.0),
                      lambda np, x: at(np.fill_diagonal, x.r, 1.0)),
    "flatnonzero": (lambda np, x: np.flatnonzero(x.m), lambda np, x: np.flatnonzero(x.a > 0)),
    "fromfunction": (lambda np, x: np.fromfunction(lambda i, j: i + 2 * j, (3, 4)),
                     lambda np, x: np.fromfunction(lambda i: i * 2, (4,), dtype=int)),
    "geomspace": (lambda np, x: np.geomspace(1, 1000, 4),
                  lambda np, x: np.geomspace(2.0, 0.5, 5, endpoint=False)),
    "gradient": (lambda np, x: np.gradient(x.v), lambda np, x: np.gradient(x.v, 2.0, edge_order=2),
                 lambda np, x: np.gradient(x.a), lambda np, x: np.gradient(x.up, x.up**2 + x.up)),
    "hamming": (lambda np, x: np.hamming(7), lambda np, x: np.hamming(1)),
    "hanning": (lambda np, x: np.hanning(7), lambda np, x: np.hanning(1)),
    "histogram": (lambda np, x: np.histogram(x.v), lambda np, x: np.histogram(x.v, bins=x.up, weights=x.w),
                  lambda np, x: np.histogram(x.a, bins=4, range=(-1, 1), density=True)),
    "histogram2d": (lambda np, x: np.histogram2d(x.v, x.w, bins=3),),
    "histogram_bin_edges": (lambda np, x: np.histogram_bin_edges(x.v, bins=5),
                            lambda np, x: np.histogram_bin_edges(x.s, bins="auto")),
    "histogramdd": (lambda np, x: np.histogramdd(x.r, bins=2),
                    lambda np, x: np.histogramdd(x.r, bins=(2, 3, 2))),
    "i0": (lambda np, x: np.i0(x.v), lambda np, x: np.i0(x.a)),
    "insert": (lambda np, x: np.insert(x.v, 2, 9.0), lambda np, x: np.insert(x.a, 1, 0.5, axis=1),
               lambda np, x: np.insert(x.i, [0, 3], [8, 9])),
    "interp": (lambda np, x: np.interp(x.v, x.up, x.up**2), lambda np, x: np.interp(1.25, x.up, x.up),
               lambda np, x: np.interp(x.v, x.up, x.up, left=-1.0, right=99.0),
               lambda np, x: np.interp(x.v, x.up, x.up, period=3.0)),
    "intersect1d": (lambda np, x: np.intersect1d(x.i, x.k),
                    lambda np, x: np.intersect1d(x.i, x.k, return_indices=True)),
    "iscomplex": (lambda np, x: np.iscomplex(x.z), lambda np, x: np.iscomplex(x.v)),
    "isin": (lambda np, x: np.isin(x.i, x.k), lambda np, x: np.isin(x.j, [1, 9], invert=True),
             lambda np, x: np.isin(x.v, x.up)),
    "isreal": (lambda np, x: np.isreal(x.z), lambda np, x: np.isreal(x.v)),
    "ix_": (lambda np, x: np.ix_([0, 2], [1, 3]), lambda np, x: np.ix_([True, False, True], [2])),
    "kaiser": (lambda np, x: np.kaiser(7, 14.0), lambda np, x: np.kaiser(1, 2.0)),
    "lexsort": (lambda np, x: np.lexsort((x.v, x.i)), lambda np, x: np.lexsort(x.a, axis=0)),
    "mask_indices": (lambda np, x: np.mask_indices(3, np.triu),),
    "matvec": (lambda np, x: np.matvec(x.sq, x.r), lambda np, x: np.matvec(x.a, x.a[0])),
    "median": (lambda np, x: np.median(x.v), lambda np, x: np.median(x.a, axis=1),
               lambda np, x: np.median(x.a, axis=(0, 1), keepdims=True),
               lambda np, x: np.median(x.n, axis=0)),
    "nancumprod": (lambda np, x: np.nancumprod(x.n), lambda np, x: np.nancumprod(x.n, axis=1)),
    "nancumsum": (lambda np, x: np.nancumsum(x.n), lambda np, x: np.nancumsum(x.n, axis=0)),
    "nanmedian": (lambda np, x: np.nanmedian(x.n), lambda np, x: np.nanmedian(x.n, axis=1)),
    "nanpercentile": (lambda np, x: np.nanpercentile(x.n, 30),
                      lambda np, x: np.nanpercentile(x.n, [25, 75], axis=0)),
    "nanquantile": (lambda np, x: np.nanquantile(x.n, 0.3),
                    lambda np, x: np.nanquantile(x.n, [0.1, 0.9], axis=1)),
    "nonzero": (lambda np, x: np.nonzero(x.m), lambda np, x: np.nonzero(x.mask),
                lambda np, x: np.nonzero(x.v)),
    "packbits": (lambda np, x: np.packbits(x.m),
                 lambda np, x: np.packbits(x.mask, axis=1, bitorder="little")),
    "partition": (lambda np, x: np.partition(x.v, 3)[3],
                  lambda np, x: np.sort(np.partition(x.a, 1, axis=1)[:, :2])),
    "percentile": (lambda np, x: np.percentile(x.v, 40), lambda np, x: np.percentile(x.a, [10, 50], axis=1),
                   lambda np, x: np.percentile(x.v, 40, method="lower"),
                   lambda np, x: np.percentile(x.a, 25, axis=0, keepdims=True)),
    "piecewise": (lambda np, x: np.piecewise(x.v, [x.v < 0, x.v >= 0], [lambda t: -t, lambda t: t * 2]),
                  lambda np, x: np.piecewise(x.v, [x.v < 0], [1.0, 2.0])),
    "place": (lambda np, x: at(np.place, x.v, x.m, [9.0, 8.0]),),
    "poly": (lambda np, x: np.poly(x.up), lambda np, x: np.poly(x.sq)),
    "polyadd": (lambda np, x: np.polyadd(x.v, x.up),),
    "polyder": (lambda np, x: np.polyder(x.v), lambda np, x: np.polyder(x.v, 2)),
    "polydiv": (lambda np, x: np.polydiv(x.v, x.up[1:]),),
    "polyfit": (lambda np, x: np.polyfit(x.w, x.v, 2),),
    "polyint": (lambda np, x: np.polyint(x.v), lambda np, x: np.polyint(x.v, 2, [1.0, 2.0])),
    "polymul": (lambda np, x: np.polymul(x.v, x.up),),
    "polysub": (lambda np, x: np.polysub(x.v, x.up),),
    "polyval": (lambda np, x: np.polyval(x.up, x.v), lambda np, x: np.polyval([1, 2, 3], 2.0)),
    "put": (lambda np, x: at(np.put, x.v, [0, 2], [9.0, 8.0]),
            lambda np, x: at(np.put, x.a, [1, 25], 5.0, "clip")),
    "putmask": (lambda np, x: at(np.putmask, x.v, x.m, x.w),
                lambda np, x: at(np.putmask, x.v, x.v > 1, [5.0, 6.0])),
    "quantile": (lambda np, x: np.quantile(x.v, 0.4), lambda np, x: np.quantile(x.a, [0.1, 0.5], axis=1),
                 lambda np, x: np.quantile(x.v, 0.3, method="nearest"),
                 lambda np, x: np.quantile(x.v, 0.5, method="hazen")),
    "ravel_multi_index": (lambda np, x: np.ravel_multi_index((x.k % 3, x.k % 4), (3, 4)),
                          lambda np, x: np.ravel_multi_index(([3, 5], [1, 9]), (3, 4), mode="wrap")),
    "real_if_close": (lambda np, x: np.real_if_close(x.z), lambda np, x: np.real_if_close(x.v + 0j)),
    "require": (lambda np, x: np.require(x.a.T, requirements="C"), lambda np, x: np.require(x.i, dtype="f8")),
    "resize": (lambda np, x: np.resize(x.v, (2, 5)), lambda np, x: np.resize(x.a, 3)),
    "roots": (lambda np, x: np.roots(x.up[1:]),),
    "select": (lambda np, x: np.select([x.v < 0, x.v > 2], [x.v, x.w], default=-1.0),),
    "setdiff1d": (lambda np, x: np.setdiff1d(x.i, x.k),
                  lambda np, x: np.setdiff1d(x.k, x.i, assume_unique=True)),
    "setxor1d": (lambda np, x: np.setxor1d(x.i, x.k),),
    "row_stack": (lambda np, x: np.row_stack((x.v, x.w)),),
    "sort_complex": (lambda np, x: np.sort_complex(x.z), lambda np, x: np.sort_complex(x.i)),
    "spacing": (lambda np, x: np.spacing(x.v), lambda np, x: np.spacing(x.f4)),
    "trapezoid": (lambda np, x: np.trapezoid(x.v), lambda np, x: np.trapezoid(x.a, dx=0.5, axis=0),
                  lambda np, x: np.trapezoid(x.up**2, x.up)),
    "tril_indices": (lambda np, x: np.tril_indices(4), lambda np, x: np.tril_indices(3, 1, 5)),
    "tril_indices_from": (lambda np, x: np.tril_indices_from(x.a),
                          lambda np, x: np.tril_indices_from(x.a, k=-1)),
    "triu_indices": (lambda np, x: np.triu_indices(4), lambda np, x: np.triu_indices(3, 1, 5)),
    "triu_indices_from": (lambda np, x: np.triu_indices_from(x.a),
                          lambda np, x: np.triu_indices_from(x.a, k=1)),
    "trim_zeros": (lambda np, x: np.trim_zeros(np.asarray([0, 0, 1, 2, 0])),
                   lambda np, x: np.trim_zeros(np.asarray([0.0, 1.0, 0.0]), "f")),
    "union1d": (lambda np, x: np.union1d(x.i, x.k), lambda np, x: np.union1d(x.v, x.up)),
    "unique": (lambda np, x: np.unique(x.i), lambda np, x: np.unique(x.j, return_counts=True),
               lambda np, x: np.unique(x.i, return_index=True, return_inverse=True),
               lambda np, x: np.unique(x.j % 2, axis=0), lambda np, x: np.unique(x.n)),
    "unique_all": (lambda np, x: np.unique_all(x.i),),
    "unique_counts": (lambda np, x: np.unique_counts(x.i),),
    "unique_inverse": (lambda np, x: np.unique_inverse(x.i),),
    "unique_values": (lambda np, x: np.sort(np.unique_values(x.i)),),
    "unpackbits": (lambda np, x: np.unpackbits(x.u),
                   lambda np, x: np.unpackbits(x.u, count=11, bitorder="little")),
    "unravel_index": (lambda np, x: np.unravel_index(x.k, (3, 4)),
                      lambda np, x: np.unravel_index(7, (3, 4), "F")),
    "unstack": (lambda np, x: np.unstack(x.a), lambda np, x: np.unstack(x.a, axis=1)),
    "unwrap": (lambda np, x: np.unwrap(x.v * 3), lambda np, x: np.unwrap(x.a * 9, axis=0, period=2.0)),
    "vander": (lambda np, x: np.vander(x.up), lambda np, x: np.vander(x.up, 3, increasing=True)),
    "vecmat": (lambda np, x: np.vecmat(x.r, x.sq), lambda np, x: np.vecmat(x.sq[0], x.a)),
    # Objects that are indexed to make arrays.
    "c_": (lambda np, x: np.c_[x.v, x.w], lambda np, x: np.c_[x.a, x.b]),
    "mgrid": (lambda np, x: np.mgrid[0:3, 0:4], lambda np, x: np.mgrid[0:1:5j]),
    "ogrid": (lambda np, x: list(np.ogrid[0:3, 0:4]), lambda np, x: np.ogrid[0:1:5j]),
    "r_": (lambda np, x: np.r_[x.v, 1.0, x.w], lambda np, x: np.r_[0:3, 5],
           lambda np, x: np.r_["1", x.a, x.b]),
}  # fmt: skip


def _copyto(np: Any, x: Any) -> Any:
    np.copyto(x.rest, x.a, where=x.mask)
    return x.rest


LINALG: dict[str, tuple[Call, ...]] = {
    "cholesky": (lambda np, x: np.linalg.cholesky(x.spd),
                 lambda np, x: np.linalg.cholesky(x.spd, upper=True)),
    "cond": (lambda np, x: np.linalg.cond(x.sq), lambda np, x: np.linalg.cond(x.ss, 1)),
    "cross": (lambda np, x: np.linalg.cross(x.r, x.r[::-1]),),
    "det": (lambda np, x: np.linalg.det(x.sq), lambda np, x: np.linalg.det(x.ss)),
    "diagonal": (lambda np, x: np.linalg.diagonal(x.ss), lambda np, x: np.linalg.diagonal(x.a, offset=1)),
    "eig": (lambda np, x: np.linalg.eig(x.spd)[0],),
    "eigh": (lambda np, x: np.linalg.eigh(x.spd)[0], lambda np, x: abs(np.linalg.eigh(x.spd)[1])),
    "eigvals": (lambda np, x: np.linalg.eigvals(x.spd), lambda np, x: np.linalg.eigvals(x.zs)),
    "eigvalsh": (lambda np, x: np.linalg.eigvalsh(x.spd), lambda np, x: np.linalg.eigvalsh(x.ss, UPLO="U")),
    "inv": (lambda np, x: np.linalg.inv(x.sq), lambda np, x: np.linalg.inv(x.ss)),
    "lstsq": (lambda np, x: np.linalg.lstsq(x.r, x.up)[0],
              lambda np, x: np.linalg.lstsq(x.r, x.up, rcond=1e-3)[1:]),
    "matmul": (lambda np, x: np.linalg.matmul(x.sq, x.a),),
    "matrix_norm": (lambda np, x: np.linalg.matrix_norm(x.a),
                    lambda np, x: np.linalg.matrix_norm(x.ss, ord=2),
                    lambda np, x: np.linalg.matrix_norm(x.a, ord="nuc", keepdims=True)),
    "matrix_power": (lambda np, x: np.linalg.matrix_power(x.sq, 3),
                     lambda np, x: np.linalg.matrix_power(x.sq, -2),
                     lambda np, x: np.linalg.matrix_power(x.ss, 0)),
    "matrix_rank": (lambda np, x: np.linalg.matrix_rank(x.sq), lambda np, x: np.linalg.matrix_rank(x.ss)),
    "matrix_transpose": (lambda np, x: np.linalg.matrix_transpose(x.ss),),
    "multi_dot": (lambda np, x: np.linalg.multi_dot([x.a, x.b.T, x.sq]),
                  lambda np, x: np.linalg.multi_dot([x.a, x.b.T])),
    "norm": (lambda np, x: np.linalg.norm(x.a), lambda np, x: np.linalg.norm(x.a, axis=1),
             lambda np, x: np.linalg.norm(x.a, 2), lambda np, x: np.linalg.norm(x.v, 3)),
    "outer": (lambda np, x: np.linalg.outer(x.v, x.w),),
    "pinv": (lambda np, x: np.linalg.pinv(x.r), lambda np, x: np.linalg.pinv(x.spd, hermitian=True)),
    "qr": (lambda np, x: [abs(item) for item in np.linalg.qr(x.r)],
           lambda np, x: abs(np.linalg.qr(x.r, mode="r"))),
    "slogdet": (lambda np, x: np.linalg.slogdet(x.sq), lambda np, x: np.linalg.slogdet(x.ss)),
    "solve": (lambda np, x: np.linalg.solve(x.sq, x.r.T), lambda np, x: np.linalg.solve(x.sq, x.r[0])),
    "svd": (lambda np, x: np.linalg.svd(x.r)[1], lambda np, x: np.linalg.svd(x.ss, compute_uv=False),
            lambda np, x: [abs(item) for item in np.linalg.svd(x.r, full_matrices=False)]),
    "svdvals": (lambda np, x: np.linalg.svdvals(x.r),),
    "tensordot": (lambda np, x: np.linalg.tensordot(x.a, x.b, axes=([0, 1], [0, 1])),),
    "tensorinv": (lambda np, x: np.linalg.tensorinv(np.eye(6).reshape(6, 2, 3) + 0.5, ind=1),),
    "tensorsolve": (lambda np, x: np.linalg.tensorsolve(np.eye(6).reshape(2, 3, 6) + 0.5, x.j * 1.0),),
    "trace": (lambda np, x: np.linalg.trace(x.ss), lambda np, x: np.linalg.trace(x.a, offset=1)),
    "vecdot": (lambda np, x: np.linalg.vecdot(x.a, x.b), lambda np, x: np.linalg.vecdot(x.z, x.z)),
    "vector_norm": (lambda np, x: np.linalg.vector_norm(x.a),
                    lambda np, x: np.linalg.vector_norm(x.a, axis=0, ord=3)),
}  # fmt: skip

FFT: dict[str, tuple[Call, ...]] = {
    "fft": (lambda np, x: np.fft.fft(x.s), lambda np, x: np.fft.fft(x.z, n=8, norm="ortho"),
            lambda np, x: np.fft.fft(x.g, axis=0)),
    "fft2": (lambda np, x: np.fft.fft2(x.g), lambda np, x: np.fft.fft2(x.t, s=(4, 4), axes=(0, 1))),
    "fftfreq": (lambda np, x: np.fft.fftfreq(8), lambda np, x: np.fft.fftfreq(7, d=0.1)),
    "fftn": (lambda np, x: np.fft.fftn(x.t), lambda np, x: np.fft.fftn(x.g, norm="forward")),
    "fftshift": (lambda np, x: np.fft.fftshift(x.s), lambda np, x: np.fft.fftshift(x.g, axes=1)),
    "hfft": (lambda np, x: np.fft.hfft(x.z), lambda np, x: np.fft.hfft(x.z, n=6)),
    "ifft": (lambda np, x: np.fft.ifft(x.z), lambda np, x: np.fft.ifft(x.s, n=20)),
    "ifft2": (lambda np, x: np.fft.ifft2(x.g),),
    "ifftn": (lambda np, x: np.fft.ifftn(x.t, axes=(0, 2)),),
    "ifftshift": (lambda np, x: np.fft.ifftshift(x.v), lambda np, x: np.fft.ifftshift(x.g)),
    "ihfft": (lambda np, x: np.fft.ihfft(x.s), lambda np, x: np.fft.ihfft(x.s, n=9)),
    "irfft": (lambda np, x: np.fft.irfft(x.z), lambda np, x: np.fft.irfft(x.z, n=7)),
    "irfft2": (lambda np, x: np.fft.irfft2(np.fft.rfft2(x.g)),),
    "irfftn": (lambda np, x: np.fft.irfftn(np.fft.rfftn(x.t)),),
    "rfft": (lambda np, x: np.fft.rfft(x.s), lambda np, x: np.fft.rfft(x.f4, n=3),
             lambda np, x: np.fft.rfft(x.i)),
    "rfft2": (lambda np, x: np.fft.rfft2(x.g),),
    "rfftfreq": (lambda np, x: np.fft.rfftfreq(8), lambda np, x: np.fft.rfftfreq(7, d=0.1)),
    "rfftn": (lambda np, x: np.fft.rfftn(x.t, axes=(1, 2)),),
}  # fmt: skip

# numpy.random: each is called with these arguments after np.random.seed(3).
RANDOM: dict[str, tuple[Any, ...]] = {
    "beta": (1.0, 2.0, 3), "binomial": (10, 0.5, 3), "bytes": (4,), "chisquare": (2.0, 3), "choice": (5, 3),
    "dirichlet": ([1.0, 2.0], 3), "exponential": (1.0, 3), "f": (2.0, 3.0, 3), "gamma": (2.0, 1.0, 3),
    "geometric": (0.5, 3), "gumbel": (0.0, 1.0, 3), "hypergeometric": (5, 5, 3, 3), "laplace": (0.0, 1.0, 3),
    "logistic": (0.0, 1.0, 3), "lognormal": (0.0, 1.0, 3), "logseries": (0.5, 3),
    "multinomial": (5, [0.5, 0.5], 3),
    "multivariate_normal": ([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], 3), "negative_binomial": (3, 0.5, 3),
    "noncentral_chisquare": (2.0, 1.0, 3), "noncentral_f": (2.0, 3.0, 1.0, 3), "normal": (0.0, 1.0, 3),
    "pareto": (2.0, 3), "permutation": (5,), "poisson": (2.0, 3), "power": (2.0, 3), "rand": (2, 3),
    "randint": (0, 9, 3), "randn": (2, 3), "random": (3,), "random_integers": (9,), "random_sample": (3,),
    "ranf": (3,), "rayleigh": (1.0, 3), "sample": (3,), "standard_cauchy": (3,), "standard_exponential": (3,),
    "standard_gamma": (2.0, 3), "standard_normal": (3,), "standard_t": (3.0, 3),
    "triangular": (0.0, 0.5, 1.0, 3),
    "uniform": (0.0, 1.0, 3), "vonmises": (0.0, 1.0, 3), "wald": (1.0, 1.0, 3),
    "weibull": (2.0, 3), "zipf": (2.0, 3),
}  # fmt: skip


def drawn(name: str) -> Call:
    """The call of a function of numpy.random, from a seed."""

    def call(np: Any, x: Any) -> Any:
        np.random.seed(3)
        return getattr(np.random, name)(*RANDOM[name])

    return call


POLYNOMIAL: dict[str, tuple[Call, ...]] = {
    name: (
        lambda np, x, name=name: getattr(np.polynomial, name)([1.0, 2.0, 0.5])(x.v),
        lambda np, x, name=name: getattr(np.polynomial, name)([1.0, 2.0, 0.5]).deriv().coef,
    )
    for name in ("Chebyshev", "Hermite", "HermiteE", "Laguerre", "Legendre", "Polynomial")
}


def calls_of(space: str, name: str) -> tuple[Call, ...]:
    """The calls listed for a public name of NumPy's."""
    if space == "numpy.random":
        return (drawn(name),) if name in RANDOM else ()
    listed = {
        "numpy": MAIN,
        "numpy.linalg": LINALG,
        "numpy.fft": FFT,
        "numpy.polynomial": POLYNOMIAL,
        "numpy.ndarray": ARRAY,
    }
    return listed[space].get(name, ())
