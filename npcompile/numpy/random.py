"""`numpy.random` on our arrays: the functions are host calls, generators are NumPy's own."""

from __future__ import annotations

from typing import Any

import numpy

from npcompile.numpy.wrappers import wrap

Generator = numpy.random.Generator
RandomState = numpy.random.RandomState


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return wrap(getattr(numpy.random, name))
