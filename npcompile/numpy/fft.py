"""`numpy.fft` on our arrays: its names stand for ops, and for clones of NumPy's Python functions."""

from __future__ import annotations

from typing import Any

import numpy

from npcompile.numpy.wrappers import Function, wrap

__all__ = list(numpy.fft.__all__)

fft = Function(numpy.fft.fft)
fft2 = Function(numpy.fft.fft2)
fftfreq = Function(numpy.fft.fftfreq)
fftn = Function(numpy.fft.fftn)
fftshift = Function(numpy.fft.fftshift)
hfft = Function(numpy.fft.hfft)
ifft = Function(numpy.fft.ifft)
ifft2 = Function(numpy.fft.ifft2)
ifftn = Function(numpy.fft.ifftn)
ifftshift = Function(numpy.fft.ifftshift)
ihfft = Function(numpy.fft.ihfft)
irfft = Function(numpy.fft.irfft)
irfft2 = Function(numpy.fft.irfft2)
irfftn = Function(numpy.fft.irfftn)
rfft = Function(numpy.fft.rfft)
rfft2 = Function(numpy.fft.rfft2)
rfftfreq = Function(numpy.fft.rfftfreq)
rfftn = Function(numpy.fft.rfftn)


def __getattr__(name: str) -> Any:
    """Return names that older or newer versions of NumPy have."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return wrap(getattr(numpy.fft, name))


def __dir__() -> list[str]:
    return sorted({*globals(), *numpy.fft.__all__})
