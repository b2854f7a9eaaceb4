"""Foreign arrays: objects that hold an array and whose class decides what is computed with them.

They are subclasses of NumPy's array (masked arrays, matrices, the user's own), and the arrays and tables of
installed libraries (pandas, xarray, JAX). No recording looks into them: Python does with them what the class
does, and array work is compiled from where they hand over a NumPy array.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.catalog.installed_packages import is_library

_HOLDING = ("__array__", "__array_ufunc__", "__array_function__")  # a class with one of these is an array's
_known: WeakKeyDictionary[type, bool] = WeakKeyDictionary()


def is_foreign(kind: type) -> bool:
    """Tell if the objects of a class are foreign arrays."""
    found = _known.get(kind)
    if found is None:
        found = _known[kind] = _is_foreign(kind)
    return found


def _is_foreign(kind: type) -> bool:
    if issubclass(kind, np.ndarray):
        return kind is not np.ndarray and kind is not np.memmap
    if issubclass(kind, type):
        return False
    return any(is_library(base) and not vars(base).keys().isdisjoint(_HOLDING) for base in kind.__mro__)


def is_dask(kind: type) -> bool:
    """Tell if a class is that of Dask's arrays."""
    return kind.__module__ == "dask.array.core" and kind.__name__ == "Array"


def reason_among(*objects: Any) -> Reason | None:
    """Return why no recording follows work on these objects, if one of them is a foreign array."""
    return next((reason_of(type(one)) for one in objects if is_foreign(type(one))), None)


def reason_of(kind: type) -> Reason:
    """Return why no recording follows work on objects of a class."""
    if issubclass(kind, np.ma.MaskedArray):
        return Cause.MASKED_ARRAY()
    if issubclass(kind, np.ndarray):
        return Cause.SUBCLASS(kind.__name__)
    library = next((base.__module__ for base in kind.__mro__ if is_library(base)), kind.__module__)
    if library.startswith("dask."):
        return Cause.DASK_ARRAY()
    cause = Cause.TABLE if hasattr(kind, "to_numpy") else Cause.FOREIGN_ARRAY
    return cause(kind.__name__, library.partition(".")[0])
