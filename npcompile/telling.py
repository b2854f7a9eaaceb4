"""How users are told that something runs uncompiled."""

from __future__ import annotations

import sys
import warnings

# Modules whose frames are not the user's.
_OURS = tuple(f"npcompile.{name}" for name in ("recorded", "outlined", "jit", "watch", "telling"))


class NotCompiledWarning(UserWarning):
    """A jitted function runs uncompiled; the message says why."""


class NotCompiledError(RuntimeError):
    """`strict=True`: a jitted function could not be compiled; the message says where, why and what to
    write."""


def warn(text: str) -> None:
    """A warning of the user's own line that led here."""
    level, frame = 1, sys._getframe()
    while frame.f_globals.get("__name__") in _OURS and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, NotCompiledWarning, stacklevel=level)
