"""`numpy.fft` on our arrays: host calls."""

from __future__ import annotations

from typing import Any

import numpy

from npcompile.numpy.wrappers import wrap


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return wrap(getattr(numpy.fft, name))
