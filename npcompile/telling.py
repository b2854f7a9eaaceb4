"""How users are told that something runs uncompiled."""

from __future__ import annotations

import sys
import warnings

# What `warnings` knows of places that were told already.
_told: dict[str | tuple[str, type[Warning], int], int] = {}


class NotCompiledWarning(UserWarning):
    """A jitted function runs uncompiled; the message says why."""


class NotCompiledError(RuntimeError):
    """`strict=True`: a jitted function could not be compiled; the message says where, why and what to
    write."""


def warn(text: str) -> None:
    """A warning of the user's own line that led here. `warnings.warn` would put a name of its own into the
    user's module, over whose names a loop may be running."""
    frame = sys._getframe()
    while str(frame.f_globals.get("__name__")).startswith("npcompile.") and frame.f_back is not None:
        frame = frame.f_back
    file, module = frame.f_code.co_filename, str(frame.f_globals.get("__name__", "<string>"))
    warnings.warn_explicit(text, NotCompiledWarning, file, frame.f_lineno, module, _told)
