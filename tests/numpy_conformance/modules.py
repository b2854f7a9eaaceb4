"""Which of NumPy's installed test modules are run, and which of them on every change."""

from __future__ import annotations

from pathlib import Path

import numpy

# Short name -> path below the installed numpy package. Not among them: of the polynomials, how they print and
# the letter they print their variable as; of the random numbers, the C interface.
MODULES: dict[str, str] = {
    "core.numeric": "_core/tests/test_numeric.py",
    "core.umath": "_core/tests/test_umath.py",
    "core.umath_complex": "_core/tests/test_umath_complex.py",
    "core.ufunc": "_core/tests/test_ufunc.py",
    "core.nep50_promotions": "_core/tests/test_nep50_promotions.py",
    "core.indexing": "_core/tests/test_indexing.py",
    "core.einsum": "_core/tests/test_einsum.py",
    "core.scalarmath": "_core/tests/test_scalarmath.py",
    "core.half": "_core/tests/test_half.py",
    "core.shape_base": "_core/tests/test_shape_base.py",
    "core.function_base": "_core/tests/test_function_base.py",
    "core.item_selection": "_core/tests/test_item_selection.py",
    "core.multiarray": "_core/tests/test_multiarray.py",
    "core.getlimits": "_core/tests/test_getlimits.py",
    "core.numerictypes": "_core/tests/test_numerictypes.py",
    "lib.function_base": "lib/tests/test_function_base.py",
    "lib.shape_base": "lib/tests/test_shape_base.py",
    "lib.twodim_base": "lib/tests/test_twodim_base.py",
    "lib.type_check": "lib/tests/test_type_check.py",
    "lib.nanfunctions": "lib/tests/test_nanfunctions.py",
    "lib.index_tricks": "lib/tests/test_index_tricks.py",
    "lib.arraypad": "lib/tests/test_arraypad.py",
    "lib.stride_tricks": "lib/tests/test_stride_tricks.py",
    "lib.arraysetops": "lib/tests/test_arraysetops.py",
    "lib.histograms": "lib/tests/test_histograms.py",
    "lib.polynomial": "lib/tests/test_polynomial.py",
    "lib.packbits": "lib/tests/test_packbits.py",
    "lib.ufunclike": "lib/tests/test_ufunclike.py",
    "linalg.linalg": "linalg/tests/test_linalg.py",
    "fft.helper": "fft/tests/test_helper.py",
    "fft.pocketfft": "fft/tests/test_pocketfft.py",
    "polynomial.chebyshev": "polynomial/tests/test_chebyshev.py",
    "polynomial.classes": "polynomial/tests/test_classes.py",
    "polynomial.hermite": "polynomial/tests/test_hermite.py",
    "polynomial.hermite_e": "polynomial/tests/test_hermite_e.py",
    "polynomial.laguerre": "polynomial/tests/test_laguerre.py",
    "polynomial.legendre": "polynomial/tests/test_legendre.py",
    "polynomial.polynomial": "polynomial/tests/test_polynomial.py",
    "polynomial.polyutils": "polynomial/tests/test_polyutils.py",
    "random.random": "random/tests/test_random.py",
    "random.randomstate": "random/tests/test_randomstate.py",
    "random.randomstate_regression": "random/tests/test_randomstate_regression.py",
    "random.regression": "random/tests/test_regression.py",
    "random.generator_mt19937": "random/tests/test_generator_mt19937.py",
    "random.generator_regressions": "random/tests/test_generator_mt19937_regressions.py",
    "random.direct": "random/tests/test_direct.py",
    "random.smoke": "random/tests/test_smoke.py",
    "random.seed_sequence": "random/tests/test_seed_sequence.py",
}

# The modules that the suite runs, by lane; `python -m tests.numpy_conformance` runs every module in any lane.
# In the shim linalg is a third of the time, and nearly all of it is LAPACK's; one test of pocketfft passes or
# fails by what torch's transforms round on the CPU at hand. Of multiarray's tests, 12,000 sort an array each.
# The kinds of polynomials beside powers and Chebyshev's are the same code again.
_SELDOM = (
    "core.multiarray", "linalg.linalg", "fft.pocketfft", "polynomial.classes", "polynomial.hermite",
    "polynomial.hermite_e", "polynomial.laguerre", "polynomial.legendre",
)  # fmt: skip
EVERY_CHANGE: dict[str, tuple[str, ...]] = {
    "shim": tuple(name for name in MODULES if name not in _SELDOM),
    "jit": (
        "core.numeric", "core.indexing", "core.einsum", "core.shape_base", "lib.function_base",
        "lib.shape_base", "lib.twodim_base", "lib.index_tricks", "lib.stride_tricks",
        "core.umath_complex", "core.nep50_promotions", "core.half", "core.function_base",
        "core.item_selection", "lib.type_check", "lib.arraypad", "lib.arraysetops", "lib.histograms",
        "lib.polynomial", "fft.helper", "random.random", "random.direct",
    ),
    "jit_compiled": ("core.item_selection",),  # 16 of the sample
}  # fmt: skip
# Those of them that the quick tier runs, in all of their lanes.
QUICK = ("core.indexing", "core.shape_base", "core.nep50_promotions", "lib.twodim_base")

ROOT = Path(numpy.__file__).parent


def path_of(module: str) -> Path:
    return ROOT / MODULES[module]
