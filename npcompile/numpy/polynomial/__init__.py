"""`numpy.polynomial` is NumPy's own Python code here, cloned for our arrays."""

from __future__ import annotations

import numpy

from npcompile.numpy import clones
from npcompile.numpy.polynomial import chebyshev as chebyshev
from npcompile.numpy.polynomial import hermite as hermite
from npcompile.numpy.polynomial import hermite_e as hermite_e
from npcompile.numpy.polynomial import laguerre as laguerre
from npcompile.numpy.polynomial import legendre as legendre
from npcompile.numpy.polynomial import polynomial as polynomial
from npcompile.numpy.polynomial import polyutils as polyutils

__all__ = list(numpy.polynomial.__all__)
__getattr__ = clones.members(numpy.polynomial, __name__)
