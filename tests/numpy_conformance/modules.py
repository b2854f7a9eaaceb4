"""Which of NumPy's installed test modules are run, and which of them on every change."""

from __future__ import annotations

from pathlib import Path

import numpy

# Short name -> path below the installed numpy package.
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
    "linalg.linalg": "linalg/tests/test_linalg.py",
    "fft.helper": "fft/tests/test_helper.py",
    "fft.pocketfft": "fft/tests/test_pocketfft.py",
}

# What the test suite runs, by lane; `python -m tests.numpy_conformance` runs every module in any lane. In the
# shim linalg is a third of the time, and nearly all of it is LAPACK's; one test of pocketfft passes or fails
# by what torch's transforms round on the CPU at hand. Of multiarray's tests, 12,000 sort an array each.
EVERY_CHANGE: dict[str, tuple[str, ...]] = {
    "shim": tuple(
        name for name in MODULES if name not in ("core.multiarray", "linalg.linalg", "fft.pocketfft")
    ),
    "jit": (
        "core.numeric", "core.indexing", "core.einsum", "core.shape_base", "lib.function_base",
        "lib.shape_base", "lib.twodim_base", "lib.index_tricks", "lib.stride_tricks",
        "core.umath_complex", "core.nep50_promotions", "core.half", "core.function_base",
        "core.item_selection", "lib.type_check", "lib.arraypad", "lib.arraysetops", "lib.histograms",
        "lib.polynomial", "fft.helper",
    ),
    "jit_compiled": ("core.item_selection",),  # 16 of the sample
}  # fmt: skip

ROOT = Path(numpy.__file__).parent


def path_of(module: str) -> Path:
    return ROOT / MODULES[module]
