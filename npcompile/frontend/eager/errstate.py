"""NumPy's floating-point errors: where they are to be exceptions or callbacks, a kernel must not answer."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy._core import umath

# The context variable behind np.errstate. Its value is a new object at each change, so looking at the
# object is enough (12 ns); np.geterr builds a dictionary (770 ns), of another (200 ns). A NumPy without it is
# asked the slow way.
variable: Any = getattr(umath, "_extobj_contextvar", None)
_modes: Any = getattr(umath, "_get_extobj_dict", np.geterr)

TRAPS = ("raise", "call", "print", "log")
_quiet: Any = object()  # the last value that was found to trap nothing


_filters: Any = None  # of warnings, when they were last asked what they make of a RuntimeWarning
_first: Any = None
_named = _all = False  # whether an exception: by a filter for it, by one for all warnings
_shown = False  # or shown


def traps() -> bool:
    """Whether NumPy is to raise, print or call back on floating-point errors."""
    global _quiet
    if _turned_into_errors():
        return True
    if variable is not None and variable.get(None) is _quiet:
        return False
    modes = _modes()
    if (
        modes["divide"] in TRAPS
        or modes["over"] in TRAPS
        or modes["under"] in TRAPS
        or modes["invalid"] in TRAPS
    ):
        return True
    if variable is not None:
        _quiet = variable.get(None)
    return False


def _turned_into_errors() -> bool:
    """Whether a filter makes exceptions of `RuntimeWarning`, by that name."""
    all_warnings_are_errors()
    return _named


def all_warnings_are_errors() -> bool:
    """Whether a filter for all warnings makes exceptions of `RuntimeWarning`.

    Test runners set one, around all that they run: it matters where it was not there when a function was
    jitted.
    """
    global _filters, _first, _named, _all, _shown
    filters = warnings.filters
    first = filters[0] if filters else None
    if filters is not _filters or first is not _first:
        _filters, _first, _named, _all, _shown = filters, first, False, False, False
        for action, message, category, module, _ in filters:
            if message is None and module is None and issubclass(RuntimeWarning, category):
                _named = action == "error" and category is RuntimeWarning
                _all = action == "error" and category is not RuntimeWarning
                _shown = action not in ("error", "ignore")
                break
    return _all


def warnings_matter() -> bool:
    """Whether a filter for all warnings makes exceptions of `RuntimeWarning`, or one has it shown.

    One that has it shown matters where the function that is running has set it (`pytest.warns`): it wants to
    see what NumPy warns of.
    """
    return all_warnings_are_errors() or _shown
