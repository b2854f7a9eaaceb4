"""`numpy.polynomial.polynomial` is NumPy's own Python code here, cloned for our arrays."""

from __future__ import annotations

import numpy

from npcompile.numpy import clones

__all__ = list(numpy.polynomial.polynomial.__all__)
__getattr__ = clones.members(numpy.polynomial.polynomial, __name__)
