"""`numpy.polynomial.laguerre` on our arrays."""

from __future__ import annotations

import numpy

from npcompile.numpy import clones

__all__ = list(numpy.polynomial.laguerre.__all__)
__getattr__ = clones.members(numpy.polynomial.laguerre, __name__)
