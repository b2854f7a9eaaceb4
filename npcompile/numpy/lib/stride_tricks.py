"""`numpy.lib.stride_tricks` is NumPy's own Python code here, cloned for our arrays."""

from __future__ import annotations

from numpy.lib import stride_tricks as _numpy

from npcompile.numpy.wrappers import Function

as_strided = Function(_numpy.as_strided)
sliding_window_view = Function(_numpy.sliding_window_view)
