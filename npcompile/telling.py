"""How users are told that something runs uncompiled."""

from __future__ import annotations

import sys
import warnings


class NotCompiledWarning(UserWarning):
    """A jitted function runs uncompiled; the message says why."""


class NotCompiledError(RuntimeError):
    """`strict=True`: a jitted function could not be compiled; the message says where, why and what to
    write."""


def warn(text: str) -> None:
    """A warning of the user's own line that led here."""
    level, frame = 1, sys._getframe()
    while str(frame.f_globals.get("__name__")).startswith("npcompile.") and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, NotCompiledWarning, stacklevel=level)
