"""NumPy's floating-point error mode: where it asks for exceptions or callbacks, a kernel must not answer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy._core import umath

# The context variable behind np.errstate. Its value is a new object at each change, so looking at the
# object is enough (12 ns); np.geterr builds a dictionary (770 ns). A NumPy without it is asked the slow way.
_variable: Any = getattr(umath, "_extobj_contextvar", None)

TRAPS = ("raise", "call", "print", "log")
_quiet: Any = object()  # the last value that was found to trap nothing


def traps() -> bool:
    """Whether NumPy is to raise, print or call back on floating-point errors."""
    global _quiet
    if _variable is not None and _variable.get(None) is _quiet:
        return False
    if any(mode in TRAPS for mode in np.geterr().values()):
        return True
    if _variable is not None:
        _quiet = _variable.get(None)
    return False
