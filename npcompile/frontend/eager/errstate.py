"""NumPy's floating-point error modes: tells if errors are to be exceptions or callbacks, which kernels cannot
raise.

Ops and replays ask `traps`, on each call; where it is True, NumPy itself answers.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy._core import umath

# The context variable behind np.errstate. Its value is a new object at each change: comparing the object
# takes 12 ns, building np.geterr's dictionary 770 ns, and the one below 200 ns. A NumPy without the
# variable is asked by np.geterr.
variable: Any = getattr(umath, "_extobj_contextvar", None)
modes: Any = getattr(umath, "_get_extobj_dict", np.geterr)

TRAPS = ("raise", "call", "print", "log")
_quiet: Any = object()  # the last value that was found to trap nothing


_filters: Any = None  # the warning filters for which the flags below were computed
_first: Any = None
_named = _all = False  # a filter makes RuntimeWarning an exception: one for it by name, one for all warnings
_shown = False  # a filter shows it


def traps() -> bool:
    """Tell if NumPy is to raise, print or call back on floating-point errors."""
    global _quiet
    if _turned_into_errors():
        return True
    if variable is not None and variable.get(None) is _quiet:
        return False
    found = modes()
    if (
        found["divide"] in TRAPS
        or found["over"] in TRAPS
        or found["under"] in TRAPS
        or found["invalid"] in TRAPS
    ):
        return True
    if variable is not None:
        _quiet = variable.get(None)
    return False


def warns() -> bool:
    """Tell if NumPy is to warn of floating-point errors."""
    return "warn" in modes().values()


def _turned_into_errors() -> bool:
    """Tell if a filter makes exceptions of `RuntimeWarning`, by that name."""
    all_warnings_are_errors()
    return _named


def all_warnings_are_errors() -> bool:
    """Tell if a filter for all warnings makes exceptions of `RuntimeWarning`.

    Test runners set one around all that they run; it matters where it was not set when a function was jitted.
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
    """Tell if a filter for all warnings makes exceptions of `RuntimeWarning`, or one has it shown.

    One that has it shown matters where the running function has set it (`pytest.warns`), to see NumPy's
    warnings.
    """
    return all_warnings_are_errors() or _shown
