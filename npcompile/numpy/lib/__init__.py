"""`numpy.lib` on our arrays: functions of arrays are ours, the rest (formats, versions) is NumPy's."""

from __future__ import annotations

from typing import Any

import numpy

from npcompile.numpy.lib import array_utils as array_utils
from npcompile.numpy.lib import scimath as scimath
from npcompile.numpy.lib import stride_tricks as stride_tricks

__all__ = list(numpy.lib.__all__)


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(numpy.lib, name)
