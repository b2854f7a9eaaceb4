"""Lists of the functions that may be called without an effect: number functions, structure, NumPy's own
functions.

A call of a listed function does not end a recording. The lists are explicit: any other function may have
effects.
"""

from __future__ import annotations

import cmath
import math
import operator
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib import stride_tricks
from numpy.random import Generator, RandomState

from npcompile.frontend.catalog.python_operators import BINARY, COMPARE

# Python's operators of two values, by the symbol that rewriting uses; `is` and `in` are no arithmetic.
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    **BINARY,
    **{symbol: COMPARE[symbol] for symbol in ("<", "<=", ">", ">=", "==", "!=")},
}

# The ufunc that an operator is on arrays and NumPy scalars.
UFUNCS: dict[str, np.ufunc] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.true_divide,
    "//": np.floor_divide,
    "%": np.remainder,
    "@": np.matmul,
    "**": np.power,
    "<<": np.left_shift,
    ">>": np.right_shift,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}
UNARY_UFUNCS: dict[str, np.ufunc] = {"-": np.negative, "+": np.positive, "~": np.invert}

# Pure functions of numbers: called again at replay by Python itself on traced numbers.
NUMBER_FUNCTIONS: frozenset[Any] = frozenset(
    [abs, round, min, max, int, float, complex, pow, divmod, operator.index]
    + [math.sqrt, math.exp, math.expm1, math.log, math.log2, math.log10, math.log1p, math.pow, math.hypot]
    + [math.sin, math.cos, math.tan, math.asin, math.acos, math.atan, math.atan2, math.sinh, math.cosh]
    + [math.tanh, math.asinh, math.acosh, math.atanh, math.floor, math.ceil, math.trunc, math.fabs]
    + [math.fmod, math.copysign, math.degrees, math.radians, math.gamma, math.lgamma, math.erf, math.erfc]
    + [math.factorial, math.comb, math.perm, math.gcd, math.lcm, math.isqrt, math.isnan, math.isinf]
    + [
        math.isfinite,
        math.cbrt,
        math.exp2,
        math.ldexp,
        math.remainder,
        math.nextafter,
        math.ulp,
        math.isclose,
    ]
    + [math.prod, math.fsum, math.dist]
    + [int.bit_length, int.bit_count, int.conjugate, float.is_integer, float.conjugate, complex.conjugate]
    + [cmath.exp, cmath.sqrt, cmath.log, cmath.sin, cmath.cos, cmath.phase]
    + [np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
    + [np.float16, np.float32, np.float64, np.complex64, np.complex128]
)

# Functions that raise for no number: a step that calls one can be left out if its result is not used.
NEVER_RAISES: frozenset[Any] = frozenset(
    [operator.add, operator.sub, operator.mul, operator.neg, operator.pos, abs, min, max]
    + [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, math.isnan, math.isinf]
)


def type_follows_values(function: Any, args: tuple[Any, ...], refs: tuple[Any, ...]) -> bool:
    """Tell if the type of a number function's result depends on the values of its arguments.

    refs: the same arguments, nodes where they are traced.
    """
    if function in (min, max):
        operands = args[0] if len(args) == 1 else args
        return len(set(map(type, operands))) > 1
    if (function is not pow and function is not operator.pow) or len(args) != 2:
        return False
    base, exponent = args
    if type(base) in (int, bool) and type(exponent) is int:  # an int or a float
        return refs[1] is not exponent
    if type(base) not in (int, float) or type(exponent) not in (int, float):
        return False
    real = (refs[0] is base and base >= 0) or (refs[1] is exponent and float(exponent).is_integer())
    return not real  # else it may be complex


# Functions of structure: the signature, and decisions made before, determine their results.
STRUCTURE: frozenset[Any] = frozenset(
    [range, isinstance, issubclass, callable, type, hasattr, id]
    + [np.dtype, np.finfo, np.iinfo, np.result_type, np.promote_types, np.can_cast, np.issubdtype, np.shape]
    + [np.ndim, np.size, np.broadcast_shapes, np.isscalar, np.min_scalar_type, np.errstate]
    + [np.iscomplexobj, np.isrealobj, np.common_type, np.broadcast]
)

# Python's own functions that iterate: over an array's rows, which become steps, or over something else,
# which does not.
WALKS: frozenset[Any] = frozenset([enumerate, zip, reversed, list, tuple, iter])

# NumPy functions that are pure but not ops yet: each is an opaque call of real NumPy, counted as a host call.
HOST_FUNCTIONS: frozenset[Any] = frozenset(
    [np.unique, np.nonzero, np.flatnonzero, np.argwhere, np.extract, np.compress, np.digitize]
    + [np.histogram, np.histogram2d, np.histogramdd, np.histogram_bin_edges, np.interp, np.convolve]
    + [np.correlate, np.corrcoef, np.cov, np.percentile, np.quantile, np.median, np.nanmedian]
    + [np.nanpercentile, np.nanquantile, np.partition, np.argpartition, np.lexsort, np.sort_complex]
    + [np.union1d, np.intersect1d, np.setdiff1d, np.setxor1d, np.isin, np.poly, np.polyfit, np.polyval]
    + [np.polyadd, np.polysub, np.polymul, np.polydiv, np.polyder, np.polyint, np.roots, np.gradient]
    + [np.trapezoid, np.unwrap, np.apply_along_axis, np.select, np.piecewise, np.choose, np.delete]
    + [np.insert, np.append, np.resize, np.block, np.pad, np.indices, np.meshgrid, np.ix_, np.unravel_index]
    + [np.ravel_multi_index, np.tril_indices, np.triu_indices, np.diag_indices, np.packbits, np.unpackbits]
    + [np.allclose, np.isclose, np.array_equal, np.array_equiv, np.vander, np.i0, np.kron, np.cross]
    + [np.repeat, np.tile, np.roll, np.rot90, np.trim_zeros, np.ediff1d, np.logspace, np.geomspace]
    + [np.hanning, np.hamming, np.bartlett, np.blackman, np.kaiser, np.searchsorted, np.einsum, np.tensordot]
    + [np.bincount, np.take_along_axis, np.real_if_close, np.angle, np.frexp, np.modf, np.spacing]
    + [np.linalg.inv, np.linalg.pinv, np.linalg.solve, np.linalg.lstsq, np.linalg.det, np.linalg.slogdet]
    + [np.linalg.eig, np.linalg.eigh, np.linalg.eigvals, np.linalg.eigvalsh, np.linalg.svd]
    + [np.linalg.cholesky, np.linalg.qr, np.linalg.matrix_rank, np.linalg.matrix_power, np.linalg.cond]
    + [np.linalg.norm, np.linalg.multi_dot, np.linalg.tensorinv, np.linalg.tensorsolve]
    + [np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft, np.fft.fft2, np.fft.ifft2, np.fft.rfft2]
    + [np.fft.irfft2, np.fft.fftn, np.fft.ifftn, np.fft.rfftn, np.fft.irfftn, np.fft.hfft, np.fft.ihfft]
    + [np.fft.fftfreq, np.fft.rfftfreq, np.fft.fftshift, np.fft.ifftshift]
    + [np.random.default_rng]  # a generator of its own: nobody sees that it is made
)

# Pure functions whose results are views, which NumPy makes again at replay: no work is done, and none is
# counted.
VIEWS: frozenset[Any] = frozenset([stride_tricks.as_strided, stride_tricks.sliding_window_view])

# Functions whose results have a size that depends on the values.
SIZED_BY_DATA: frozenset[Any] = frozenset(
    [np.unique, np.nonzero, np.flatnonzero, np.argwhere, np.extract, np.compress, np.union1d]
    + [np.intersect1d, np.setdiff1d, np.setxor1d, np.trim_zeros, np.ndarray.nonzero, np.ndarray.compress]
)

# Draws of NumPy's random generators, and how many parameters come before `size`. Each takes the next
# numbers of the stream and changes nothing else. It returns a number, or an array whose dtype and shape the
# arguments determine, integers by their values.
DRAWS: dict[Any, int] = {
    **dict.fromkeys([Generator.random, Generator.standard_normal, Generator.standard_exponential], 0),
    **dict.fromkeys(
        [
            Generator.standard_cauchy,
            RandomState.random,
            RandomState.random_sample,
            RandomState.standard_cauchy,
        ],
        0,
    ),
    **dict.fromkeys([RandomState.standard_normal, RandomState.standard_exponential], 0),
    **dict.fromkeys([Generator.exponential, Generator.standard_gamma, Generator.poisson], 1),
    **dict.fromkeys([Generator.chisquare, Generator.geometric, Generator.rayleigh, Generator.standard_t], 1),
    **dict.fromkeys([RandomState.exponential, RandomState.poisson, RandomState.chisquare], 1),
    **dict.fromkeys([RandomState.geometric, RandomState.rayleigh, RandomState.standard_gamma], 1),
    **dict.fromkeys([Generator.weibull, Generator.power, Generator.pareto, Generator.zipf], 1),
    **dict.fromkeys([RandomState.weibull, RandomState.power, RandomState.pareto, RandomState.zipf], 1),
    **dict.fromkeys([Generator.logseries, RandomState.logseries, RandomState.standard_t], 1),
    **dict.fromkeys([Generator.normal, Generator.uniform, Generator.integers, Generator.gamma], 2),
    **dict.fromkeys([Generator.beta, Generator.binomial, Generator.lognormal, Generator.laplace], 2),
    **dict.fromkeys([Generator.logistic, Generator.gumbel, Generator.vonmises], 2),
    **dict.fromkeys([RandomState.normal, RandomState.uniform, RandomState.randint, RandomState.gamma], 2),
    **dict.fromkeys([RandomState.beta, RandomState.binomial, RandomState.lognormal], 2),
    **dict.fromkeys([RandomState.laplace, RandomState.gumbel, RandomState.vonmises], 2),
    **dict.fromkeys([Generator.wald, Generator.f, Generator.negative_binomial], 2),
    **dict.fromkeys(
        [RandomState.wald, RandomState.f, RandomState.negative_binomial, RandomState.logistic], 2
    ),
    **dict.fromkeys([Generator.noncentral_chisquare, RandomState.noncentral_chisquare], 2),
    **dict.fromkeys([Generator.triangular, RandomState.triangular], 3),
    **dict.fromkeys([Generator.noncentral_f, RandomState.noncentral_f], 3),
    **dict.fromkeys([Generator.hypergeometric, RandomState.hypergeometric], 3),
}

# Draws whose arguments are the lengths of the axes.
DRAWS_BY_LENGTHS: frozenset[Any] = frozenset([RandomState.rand, RandomState.randn])

# Draws from an argument: numbers below it, or elements and rows of an array.
PICKS: frozenset[Any] = frozenset(
    [Generator.choice, Generator.permutation, RandomState.choice, RandomState.permutation]
)

# Functions that change a generator's stream alone, and return nothing.
SEEDS: frozenset[Any] = frozenset([np.random.seed, RandomState.seed])

# Methods of containers that only read them.
READING_METHODS: dict[type, frozenset[str]] = {
    dict: frozenset(["get", "items", "keys", "values", "copy"]),
    OrderedDict: frozenset(["get", "items", "keys", "values"]),
    defaultdict: frozenset(["get", "items", "keys", "values"]),
    Counter: frozenset(["get", "items", "keys", "values"]),
    list: frozenset(["copy"]),
}

# Attributes of an array that the signature determines.
ARRAY_FACTS: frozenset[str] = frozenset(["shape", "ndim", "size", "dtype", "itemsize", "nbytes", "strides"])

# Attributes of `np.broadcast(a, b)` that the signature determines; its iterators go through the arrays
# themselves.
BROADCAST_FACTS: frozenset[str] = frozenset(["shape", "nd", "ndim", "size", "numiter"])

# Flags of an array that may be decided on: the signature has them, or the guard on an array that was read.
# The flag of owning memory is not among them, as it is not known of a program's results.
FLAGS: frozenset[str] = frozenset(
    [
        "c_contiguous",
        "f_contiguous",
        "contiguous",
        "fortran",
        "forc",
        "fnc",
        "writeable",
        "aligned",
        "behaved",
    ]
    + ["carray", "farray", "C_CONTIGUOUS", "F_CONTIGUOUS", "WRITEABLE", "ALIGNED", "C", "F", "W", "A"]
)

# Methods of an array that are pure but not ops yet.
HOST_METHODS: frozenset[Any] = frozenset(
    [np.ndarray.nonzero, np.ndarray.tolist, np.ndarray.item, np.ndarray.searchsorted, np.ndarray.choose]
    + [np.ndarray.compress, np.ndarray.argpartition, np.ndarray.tobytes, np.ndarray.repeat, np.ndarray.take]
    + [np.ndarray.trace, np.ndarray.dot, np.ndarray.view]
)
