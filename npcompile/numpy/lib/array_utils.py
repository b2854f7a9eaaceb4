"""`numpy.lib.array_utils` is NumPy's own Python code here, cloned for our arrays."""

from __future__ import annotations

from numpy.lib import array_utils as _numpy

from npcompile.numpy.wrappers import Fact

byte_bounds = Fact(_numpy.byte_bounds)
normalize_axis_index = _numpy.normalize_axis_index
normalize_axis_tuple = _numpy.normalize_axis_tuple
