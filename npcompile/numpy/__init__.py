"""`import npcompile.numpy as np` gives NumPy's names on `npcompile.ndarray`: each op's body runs eagerly.

Every public name of NumPy's is here: its op, or NumPy's own Python code run over our ops (`clones.py`), or a
call of NumPy on the same memory, which is counted (`host_calls`). Types, constants and settings are NumPy's.

Floating-point errors warn and raise as NumPy's do (`frontend/eager/fp_errors.py`); arrays on a device give no
such warnings. Where `np.errstate` asks functions that are no ufuncs for more than a warning, or asks about
underflow, NumPy does the operation on the same memory, counted too.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy

import npcompile.frontend.ops  # noqa: F401  (fills the op table)
from npcompile.frontend.eager import counters, data_dependent  # noqa: F401  (what is no op, but ours)
from npcompile.frontend.eager.broadcast import broadcast as broadcast
from npcompile.frontend.eager.ndarray import ndarray as ndarray
from npcompile.numpy import clones
from npcompile.numpy import fft as fft
from npcompile.numpy import lib as lib
from npcompile.numpy import linalg as linalg
from npcompile.numpy import polynomial as polynomial
from npcompile.numpy import random as random
from npcompile.numpy import testing as testing
from npcompile.numpy.creation import array as array
from npcompile.numpy.creation import asanyarray as asanyarray
from npcompile.numpy.creation import asarray as asarray
from npcompile.numpy.creation import ascontiguousarray as ascontiguousarray
from npcompile.numpy.creation import asfortranarray as asfortranarray
from npcompile.numpy.creation import from_dlpack as from_dlpack
from npcompile.numpy.elementwise import *  # noqa: F403
from npcompile.numpy.functions import *  # noqa: F403
from npcompile.numpy.lib import scimath
from npcompile.numpy.limits import finfo as finfo
from npcompile.numpy.limits import iinfo as iinfo
from npcompile.numpy.own import *  # noqa: F403
from npcompile.numpy.wrappers import ufunc as ufunc
from npcompile.numpy.wrappers import wrap

__all__ = list(numpy.__all__)
__version__ = numpy.__version__
__array_api_version__ = numpy.__array_api_version__
if hasattr(numpy, "__array_namespace_info__"):  # since NumPy 2.1
    __array_namespace_info__ = numpy.__array_namespace_info__

emath = scimath
poly1d = clones.ours(numpy.poly1d)
vectorize = clones.ours(numpy.vectorize)
mgrid = clones.ours(type(numpy.mgrid))()
ogrid = clones.ours(type(numpy.ogrid))()
r_ = clones.ours(type(numpy.r_))()
c_ = clones.ours(type(numpy.c_))()


def host_calls() -> Counter[str]:
    """Return how often real NumPy answered for want of an op, by function, since `counters.reset()`."""
    return counters.host_calls


def __getattr__(name: str) -> Any:
    """Return NumPy's modules that take no arrays, and names that older or newer versions of NumPy have."""
    if name.startswith("_") and name not in numpy.__all__:  # NumPy 2.0 has some there
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return wrap(getattr(numpy, name))


def __dir__() -> list[str]:
    return sorted({*globals(), *numpy.__all__})
