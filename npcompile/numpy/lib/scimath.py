"""`numpy.emath` on our arrays: functions that return complex numbers where real ones have no answer."""

from __future__ import annotations

import numpy

from npcompile.numpy import clones

__all__ = list(numpy.lib.scimath.__all__)
__getattr__ = clones.members(numpy.lib.scimath, __name__)
