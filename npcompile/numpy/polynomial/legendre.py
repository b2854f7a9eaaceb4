"""`numpy.polynomial.legendre` on our arrays."""

from __future__ import annotations

import numpy

from npcompile.numpy import clones

__all__ = list(numpy.polynomial.legendre.__all__)
__getattr__ = clones.members(numpy.polynomial.legendre, __name__)
