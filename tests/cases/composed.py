"""Cases of the functions that NumPy composes in Python, which run as NumPy wrote them. A table of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tests.cases.framework import NATIVE, Case, Operands, arrays, filled, given, offered
from tests.cases.reductions import some_nan

TABLE: list[Case] = []


def case(op: str, body: Callable[..., Any], operands: Operands, label: str = "", ulp: float = 4) -> None:
    """Add a case, where NumPy has the name. op: "median", "linalg.cond". ulp: of sums and products, whose
    order is a library's own.
    """
    if offered(f"numpy.{op}"):
        TABLE.append(Case(f"numpy.{op}", body, operands, label, ulp, ulp and 4, 64.0 if ulp else 0.0, False))


A = filled((4, 5), "float64", lambda _: numpy.array([0.5, -1.25, 3.0, 2.7, -0.1, 0.0, 1.5, 8.0, -2.0]))
V, W = A[0], A[1]
B = numpy.arange(12).reshape(3, 4)
M = numpy.array([[0, 0, 0, 0], [0, 1, 0, 2], [0, 3, 4, 0], [0, 0, 0, 0]])
SQUARE = numpy.array([[2.0, 1, 0], [1, 3, 1], [0, 1, 4]])
GAPS = numpy.where(A > 2, numpy.nan, A)
BOTH: Operands = given((A, B))
ROWS: Operands = given((V,), (V.astype("float32"),), (B[0],), (A[:, 1],), (V[::-1],), ([3, 1, 2],))
REALS = ("bool", "uint8", "int32", "float16", "float32", "float64")


def each(dtypes: tuple[str, ...] = REALS, empty: bool = False) -> Operands:
    """One operand: these dtypes, and the layouts of memory."""
    return arrays(dtypes, more=(), empty=empty)


# -- statistics ----------------------------------------------------------------------------------------------

NUMERIC = tuple(kind for kind in REALS if kind != "bool")
for name in ("median", "nanmedian"):
    for axis in (None, 0, -1, (0, -1)):
        case(name, lambda np, a, f=name, x=axis: getattr(np, f)(a, axis=x), each(NUMERIC), f"{axis}")
    case(name, lambda np, a, f=name: getattr(np, f)(a, 0, keepdims=True), given((GAPS,), (A,)), "keepdims")
    case(name, lambda np, a, f=name: getattr(np, f)(a, 0, out=np.zeros(5)), given((GAPS,), (A,)), "out")
for name, q in (("quantile", 0.3), ("percentile", 30), ("nanquantile", 0.3), ("nanpercentile", 30)):
    for axis in (None, 0, -1, (0, -1)):
        case(name, lambda np, a, f=name, q=q, x=axis: getattr(np, f)(a, q, axis=x), each(NUMERIC), f"{axis}")
    case(name, lambda np, a, f=name, q=q: getattr(np, f)(a, [q, q / 2], 0), given((GAPS,), (A,), (B,)), "two")
    for method in ("lower", "nearest", "midpoint", "weibull", "hazen", "inverted_cdf", "median_unbiased"):
        case(
            name,
            lambda np, a, f=name, q=q, m=method: getattr(np, f)(a, q, -1, method=m),
            given((GAPS,), (A,), (B,)),
            method,
        )
    case(
        name,
        lambda np, a, f=name, q=q: getattr(np, f)(a, q, 1, weights=[1, 2, 1, 3, 1], method="inverted_cdf"),
        given((A,)),
        "weights",
    )
    case(name, lambda np, a, f=name, q=q: getattr(np, f)(a, 3 * q + 99), given((A,)), "out of range")
for name in ("nancumsum", "nancumprod"):
    for axis in (None, 0, -1):
        rows = arrays(NATIVE, some_nan, more=())
        case(name, lambda np, a, f=name, x=axis: getattr(np, f)(a, x), rows, f"{axis}", ulp=8)
for name in (
    "nanmin",
    "nanmax",
    "nansum",
    "nanprod",
    "nanmean",
    "nanvar",
    "nanstd",
    "nanargmin",
    "nanargmax",
):
    case(name, lambda np, a, f=name: getattr(np, f)(a, 0), given((GAPS,), (A,), (B,)), ulp=8)
case("average", lambda np, a: np.average(a, 0, weights=[1, 2, 3, 4]), given((A,)), ulp=8)
case("cov", lambda np, a: np.cov(a), given((A,), (B,), (A * 1j,), (V,)), ulp=32)
case("cov", lambda np, v, w: np.cov(v, w, ddof=0, fweights=[1, 2, 1, 1, 2]), given((V, W)), "weights", ulp=32)
case("corrcoef", lambda np, a: np.corrcoef(a), given((A,), (A.astype("float32"),)), ulp=32)
case("histogram", lambda np, a: np.histogram(a), each())
for bins in (3, [-2, 0, 1, 9], "auto", "fd", "sturges", "doane", "scott", "stone", "rice", "sqrt"):
    case("histogram", lambda np, a, b=bins: np.histogram(a, b), given((A,), (B,)), f"{bins}")
    case(
        "histogram_bin_edges",
        lambda np, a, b=bins: np.histogram_bin_edges(a, b),
        given((A,), (B,)),
        f"{bins}",
    )
case("histogram", lambda np, a: np.histogram(a, 4, (0, 2), density=True), given((A,), (B,)), "density")
case("histogram", lambda np, v, w: np.histogram(v, 3, weights=w), given((V, W), (V, W * 1j)), "weights")
case("histogram2d", lambda np, v, w: np.histogram2d(v, w, 3), given((V, W)))
case("histogramdd", lambda np, a: np.histogramdd(a[:, :3], (2, 3, [-3, 0, 9])), given((A,)))
case("digitize", lambda np, v: np.digitize(v, [-1, 0, 2]), ROWS)

# -- sets ----------------------------------------------------------------------------------------------------

SOME = (numpy.array([3, 1, 3, 0, 1]), numpy.array([1, 7, 3]))
for name in ("unique", "unique_all", "unique_counts", "unique_inverse"):
    case(name, lambda np, a, f=name: getattr(np, f)(a), each(NATIVE, empty=True), ulp=0)
case("unique_values", lambda np, a: np.sort(np.unique_values(a)), each(REALS), ulp=0)
case("unique", lambda np, a: np.unique(a, True, True, True), given((B % 5,), (GAPS,), (A > 0,)), "all", ulp=0)
case("unique", lambda np, a: np.unique(a, return_index=True, equal_nan=False), given((GAPS,)), "nan", ulp=0)
for name in ("isin", "intersect1d", "union1d", "setdiff1d", "setxor1d"):
    rows = given(
        SOME, (SOME[0] * 1.5, SOME[1]), (SOME[0], [1, 2]), (SOME[0].astype("uint8"), SOME[1]), (A, V)
    )
    case(name, lambda np, a, b, f=name: getattr(np, f)(a, b), rows, ulp=0)
case("isin", lambda np, a, b: np.isin(a, b, invert=True, kind="sort"), given(SOME), "sort", ulp=0)
case("isin", lambda np, a, b: np.isin(a, b, kind="table"), given(SOME), "table", ulp=0)
case("intersect1d", lambda np, a, b: np.intersect1d(a, b, return_indices=True), given(SOME), "indices", ulp=0)
case("ediff1d", lambda np, v: np.ediff1d(v, 9, [-1, -2]), ROWS, ulp=0)

# -- shapes --------------------------------------------------------------------------------------------------

for mode in ("constant", "edge", "linear_ramp", "maximum", "mean", "median", "minimum"):
    case("pad", lambda np, a, m=mode: np.pad(a, (2, 3), m), each(NUMERIC), mode)
for mode in ("reflect", "symmetric", "wrap"):
    case("pad", lambda np, a, m=mode: np.pad(a, ((1, 7), (0, 2)), m), given((A,), (B,), (A.T,)), mode, ulp=0)
case("pad", lambda np, a: np.pad(a, {0: (1, 2)}, constant_values=7), given((A,), (B,)), "axis by axis", ulp=0)
case("pad", lambda np, a: np.pad(a, 2, "mean", stat_length=2), given((A,), (B,)), "stat_length")
case("pad", lambda np, a: np.pad(a, 2, "reflect", reflect_type="odd"), given((A,), (B,)), "odd", ulp=0)
case("pad", lambda np, a: np.pad(a, -1), given((A,)), "negative", ulp=0)
for at in (1, -1, [0, 2], slice(0, 3, 2), [True, False, True, False]):
    case("delete", lambda np, a, i=at: np.delete(a, i, 0), given((A,), (B[[0, 1, 2, 0]],)), f"{at}", ulp=0)
    case("insert", lambda np, a, i=at: np.insert(a, i, 9, 0), given((A,), (B[[0, 1, 2, 0]],)), f"{at}", ulp=0)
case("insert", lambda np, v: np.insert(v, [1, 3], [9, 8]), ROWS, "values", ulp=0)
case("insert", lambda np, v: np.insert(v, 99, 1), ROWS, "out of bounds", ulp=0)
case("append", lambda np, a: np.append(a, [[1, 2, 3, 4, 5]], 0), given((A,)), ulp=0)
case("append", lambda np, a: np.append(a, 3), given((A,), (B,)), "flat", ulp=0)
case("trim_zeros", lambda np, v: np.trim_zeros(v), given((M[1],), (M[2] * 1.5,), (M,), (M[0],)), ulp=0)
case("trim_zeros", lambda np, v: np.trim_zeros(v, "b"), given((M[1],), (M[2],)), "back", ulp=0)
case("resize", lambda np, a: np.resize(a, (3, 7)), each(NATIVE), ulp=0)
case("block", lambda np, a, b: np.block([[b, b], [b, 2 * b]]), BOTH, ulp=0)
case("block", lambda np, a, b: np.block([a[0], 5, b[0]]), BOTH, "row", ulp=0)
case("kron", lambda np, a, b: np.kron(a, b), BOTH, ulp=0)
case("tile", lambda np, a, b: np.tile(b, (2, 1, 3)), BOTH, ulp=0)
case("cross", lambda np, a, b: np.cross(a[:3, :3], b[:, 1:]), BOTH)
case("tensordot", lambda np, a, b: np.tensordot(b, a, ([1], [0])), BOTH)
case("asarray_chkfinite", lambda np, a: np.asarray_chkfinite(a), given((A,), (GAPS,)), ulp=0)
if "row_stack" in numpy.__all__:  # until NumPy 2.5
    case("row_stack", lambda np, a: np.row_stack((a[0], a[1])), given((A,)), ulp=0)
case("rot90", lambda np, a: np.rot90(a, 3), given((A,)), ulp=0)
case("flip", lambda np, a: np.flip(a, 1), given((A,)), ulp=0)
case("roll", lambda np, a: np.roll(a, (1, -2), (0, 1)), given((A,)), ulp=0)
for name in ("array_split", "hsplit", "vsplit"):
    case(name, lambda np, a, f=name: getattr(np, f)(a, [1, 2]), given((A,)), ulp=0)
case("dsplit", lambda np, a: np.dsplit(a.reshape(2, 2, 5), [2]), given((A,)), ulp=0)
PUT = given((A, numpy.array([[0], [1], [4], [2]])))
case("put_along_axis", lambda np, a, i: (a := a.copy(), np.put_along_axis(a, i, 9, 1))[0], PUT, ulp=0)
case(
    "take_along_axis",
    lambda np, a: np.take_along_axis(a, np.argmax(a, 1, keepdims=True), 1),
    given((A,)),
    ulp=0,
)
case("broadcast_arrays", lambda np, a: np.broadcast_arrays(a, 3.0), given((A,)), ulp=0)
case("meshgrid", lambda np, v, w: np.meshgrid(v, w, indexing="ij"), given((V, W)), ulp=0)
case("indices", lambda np: np.indices((2, 3), sparse=True), given(()), ulp=0)

# -- calculus ------------------------------------------------------------------------------------------------

case("gradient", lambda np, a: np.gradient(a), given((A,), (B,), (A.astype("float32"),)))
case(
    "gradient",
    lambda np, v, x: np.gradient(v, x, edge_order=2),
    given((V, numpy.array([0, 1, 3, 4, 6.0]))),
    "x",
)
case("gradient", lambda np, a: np.gradient(a, 2.0, 0.5, axis=(1, 0)), given((A,)), "axes")
case("trapezoid", lambda np, a: np.trapezoid(a, dx=0.5, axis=0), given((A,), (B,)))
case("trapezoid", lambda np, v, x: np.trapezoid(v, x), given((V, W)), "x")
case("unwrap", lambda np, a: np.unwrap(a * 3), given((A,), (A.astype("float32"),)))
case("unwrap", lambda np, a: np.unwrap(a * 3, period=4), given((B,)), "ints", ulp=0)
case("interp", lambda np, v: np.interp(v, [0, 1, 3], [3, 2, 0], period=2), ROWS)
case("convolve", lambda np, v, w: np.convolve(v, w, "same"), given((V, W)), ulp=8)
case("correlate", lambda np, v, w: np.correlate(v, w, "full"), given((V, W)), ulp=8)
case("diff", lambda np, a: np.diff(a, 2, prepend=0), given((A,)), ulp=0)
for name in ("geomspace", "logspace", "linspace"):
    case(name, lambda np, f=name: getattr(np, f)(1, 8, 7), given(()))
case("i0", lambda np, v: np.i0(v), given((V,), (A,)), ulp=8)
case("sinc", lambda np, v: np.sinc(v), given((V,)), ulp=8)
case("angle", lambda np, v: np.angle(v * (1 + 2j), deg=True), given((V,)))
case("real_if_close", lambda np, v: np.real_if_close(v + 0j), given((V,)), ulp=0)
case("nan_to_num", lambda np, a: np.nan_to_num(a, nan=7), given((GAPS,)), ulp=0)
for name in ("hanning", "hamming", "bartlett", "blackman"):
    for size in (0, 1, 7, 12):
        case(name, lambda np, f=name, n=size: getattr(np, f)(n), given(()), f"{size}", ulp=64)
case("kaiser", lambda np: np.kaiser(9, 5.5), given(()), ulp=16)
case("sort_complex", lambda np, v: np.sort_complex(v), given((V,), (B[0],), (V * (1 - 2j),)), ulp=0)
case("fix", lambda np, v: np.fix(v), given((V,)), ulp=0)
for name in ("allclose", "isclose", "array_equal", "array_equiv"):
    case(name, lambda np, a, b, f=name: getattr(np, f)(a, b), given((A, A), (A, GAPS), (V, W)), ulp=0)
case("iscomplex", lambda np, v: np.iscomplex(v), given((V,), (V * 1j,)), ulp=0)
case("isreal", lambda np, v: np.isreal(v), given((V,), (V * 1j,)), ulp=0)
for name in ("cumulative_sum", "cumulative_prod"):
    case(name, lambda np, v, f=name: getattr(np, f)(v, include_initial=True), given((V,)), ulp=8)
case("unstack", lambda np, a: np.unstack(a, axis=1), given((A,)), ulp=0)

# -- functions of the user's ---------------------------------------------------------------------------------

case(
    "apply_along_axis",
    lambda np, a: np.apply_along_axis(lambda row: row.sum(), 0, a),
    given((A,), (B,)),
    ulp=8,
)
case(
    "apply_along_axis",
    lambda np, a: np.apply_along_axis(lambda row: row[::-1] * 2, 1, a),
    given((A,)),
    "rows",
)
case("apply_over_axes", lambda np, a: np.apply_over_axes(np.sum, a, [0, 1]), given((A,), (B,)), ulp=8)
case("piecewise", lambda np, v: np.piecewise(v, [v < 0, v > 1], [-1, lambda x: x * 2, 7]), given((V,), (A,)))
case("fromfunction", lambda np: np.fromfunction(lambda i, j: i * 2 + j, (3, 4)), given(()), ulp=0)

# -- indices -------------------------------------------------------------------------------------------------

case("select", lambda np, a, b: np.select([b < 3, b > 5], [b, b * 2.5], 7), BOTH, ulp=0)
case("extract", lambda np, a, b: np.extract(b > 3, b), BOTH, ulp=0)
case("argwhere", lambda np, a: np.argwhere(a), each(NATIVE, empty=True), ulp=0)
case("flatnonzero", lambda np, a: np.flatnonzero(a), each(NATIVE, empty=True), ulp=0)
case("ix_", lambda np: np.ix_([0, 2], [True, False, True]), given(()), ulp=0)
case("fill_diagonal", lambda np, a: (a := a.copy(), np.fill_diagonal(a, 7))[0], given((A,), (B,)), ulp=0)
for name in ("diag_indices", "tril_indices", "triu_indices"):
    case(name, lambda np, f=name: getattr(np, f)(4), given(()), ulp=0)
for name in ("diag_indices_from", "tril_indices_from", "triu_indices_from"):
    case(name, lambda np, a, f=name: getattr(np, f)(a), given((SQUARE,)), ulp=0)
case("mask_indices", lambda np: np.mask_indices(3, np.triu, 1), given(()), ulp=0)
case("diag", lambda np, v: np.diag(v, 1), given((V,), (A,)), ulp=0)
case("diagflat", lambda np, a: np.diagflat(a, -1), given((B,)), ulp=0)
for name in ("tril", "triu"):
    case(name, lambda np, a, f=name: getattr(np, f)(a, 1), given((A,)), ulp=0)
case("tri", lambda np: np.tri(3, 4, -1, "int8"), given(()), ulp=0)
case("vander", lambda np, v: np.vander(v, 3), ROWS, ulp=8)

# -- polynomials ---------------------------------------------------------------------------------------------

case("poly", lambda np, v: np.poly(v), given((V,), (B[0],)), ulp=32)
case("polyfit", lambda np, v, w: np.polyfit(v, w, 2), given((V, W)), ulp=1e6)
for name in ("polyadd", "polysub", "polymul", "polydiv"):
    case(name, lambda np, v, w, f=name: getattr(np, f)(v, w), given((V, W[:3]), (B[1], B[1, :2])), ulp=64)
case("polyder", lambda np, v: np.polyder(v, 2), given((V,), (B[0],)))
case("polyint", lambda np, v: np.polyint(v, 2, [1, 2]), given((V,), (B[0],)))
case("polyval", lambda np, v, w: np.polyval(v, w), given((V, W), (B[0], 3)), ulp=64)
case("roots", lambda np, v: np.sort_complex(np.roots(v)), given((V[:3],)), ulp=1e6)

# -- linear algebra and transforms ---------------------------------------------------------------------------

for n in (0, 1, 3, 5, -2):
    case(
        "linalg.matrix_power",
        lambda np, a, n=n: np.linalg.matrix_power(a, n),
        given((SQUARE,)),
        f"{n}",
        ulp=1e3,
    )
case("linalg.multi_dot", lambda np, a: np.linalg.multi_dot([a, a.T, a, a.T]), given((A,)), ulp=1e3)
for p in (None, 1, -1, 2, -2, numpy.inf, "fro"):
    case("linalg.cond", lambda np, a, p=p: np.linalg.cond(a, p), given((SQUARE,)), f"{p}", ulp=1e3)
case("linalg.matrix_rank", lambda np, a: np.linalg.matrix_rank(a), given((A,), (B,), (SQUARE,)), ulp=0)
case("linalg.pinv", lambda np, a: np.linalg.pinv(a), given((SQUARE,)), ulp=1e5)
case(
    "linalg.tensorinv",
    lambda np, a: np.linalg.tensorinv(a[:2, :2].reshape(1, 2, 2), 2),
    given((SQUARE,)),
    ulp=1e3,
)
case("linalg.tensorsolve", lambda np, a: np.linalg.tensorsolve(a, a[0]), given((SQUARE,)), ulp=1e3)
case("linalg.norm", lambda np, a: np.linalg.norm(a, 2), given((SQUARE,)), ulp=1e3)
case("linalg.vector_norm", lambda np, a: np.linalg.vector_norm(a, axis=1), given((A,)), ulp=8)
case("linalg.matrix_norm", lambda np, a: np.linalg.matrix_norm(a), given((A,)), ulp=8)
case("linalg.cross", lambda np, a: np.linalg.cross(a[:, :3], a[:, 1:4]), given((A,)))
case("linalg.trace", lambda np, a: np.linalg.trace(a), given((A,)), ulp=8)
case("linalg.tensordot", lambda np, a: np.linalg.tensordot(a, a.T, axes=1), given((A,)), ulp=64)
case("linalg.vecdot", lambda np, a: np.linalg.vecdot(a, a), given((A,)), ulp=8)
case("linalg.svdvals", lambda np, a: np.linalg.svdvals(a), given((SQUARE,)), ulp=1e3)
case("linalg.diagonal", lambda np, a: np.linalg.diagonal(a), given((A,)), ulp=0)
case("linalg.outer", lambda np, a: np.linalg.outer(a[0], a[1]), given((A,)), ulp=0)
case("linalg.matrix_transpose", lambda np, a: np.linalg.matrix_transpose(a), given((A,)), ulp=0)
case("fft.fftfreq", lambda np: np.fft.fftfreq(9, 0.5), given(()))
case("fft.rfftfreq", lambda np: np.fft.rfftfreq(8, 0.5), given(()))
for name in ("fftshift", "ifftshift"):
    case(f"fft.{name}", lambda np, a, f=name: getattr(np.fft, f)(a), given((A,), (B,)), ulp=0)
