"""`numpy.polynomial.chebyshev` is NumPy's own Python code here, cloned for our arrays."""

from __future__ import annotations

import numpy

from npcompile.numpy import clones

__all__ = list(numpy.polynomial.chebyshev.__all__)
__getattr__ = clones.members(numpy.polynomial.chebyshev, __name__)
