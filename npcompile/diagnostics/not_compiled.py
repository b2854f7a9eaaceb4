"""Tells users that something runs uncompiled: by warnings, but none in a list of warnings that they keep."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import warnings
from collections import deque

from npcompile.diagnostics import warning_recorders
from npcompile.diagnostics.log import LOGGER
from npcompile.frontend.boundary.faults import meant
from npcompile.lower import notices

# The registry in which `warnings` notes the places that were told already.
_told: dict[str | tuple[str, type[Warning], int], int] = {}


class NotCompiledWarning(UserWarning):
    """A jitted function runs uncompiled; the message says why."""


class NotCompiledError(RuntimeError):
    """`strict=True`: a jitted function could not be compiled; the message says where, why and what to
    write."""


meant(NotCompiledError, NotCompiledWarning)

# Warnings that came while somebody kept a list of them: text, file, line, module.
owed: deque[tuple[str, str, int, str]] = deque()
os.register_at_fork(after_in_child=owed.clear)  # the parent tells them


def warn(text: str) -> None:
    """A warning of the user's own line that led here; later, where somebody keeps a list of warnings now.
    `warnings.warn` would put a name of its own into the user's module, over whose names a loop may be
    running."""
    frame = sys._getframe()
    while str(frame.f_globals.get("__name__")).startswith("npcompile.") and frame.f_back is not None:
        frame = frame.f_back
    file, module = frame.f_code.co_filename, str(frame.f_globals.get("__name__", "<string>"))
    if warning_recorders.counted(text, NotCompiledWarning, module, frame.f_lineno):
        owed.append((text, file, frame.f_lineno, module))
    else:
        warnings.warn_explicit(text, NotCompiledWarning, file, frame.f_lineno, module, _told)


def _tell_notice(text: str) -> None:
    """A notice of the lower layers, in the midst of a call that goes on: it is no error."""
    try:
        warn(text)
    except NotCompiledWarning:
        LOGGER.warning("%s", text)


notices.listen(_tell_notice)


def tell_owed() -> None:
    """Tell what is owed, if nobody keeps a list any more. It belongs to a call that is long done: where
    filters make warnings errors, it is logged."""
    with contextlib.suppress(IndexError):  # another thread tells them, too
        while owed:
            text, file, line, module = owed[0]
            if warning_recorders.counted(text, NotCompiledWarning, module, line):
                return
            owed.popleft()
            try:
                warnings.warn_explicit(text, NotCompiledWarning, file, line, module, _told)
            except NotCompiledWarning:
                LOGGER.warning("%s:%d: %s", file, line, text)


atexit.register(tell_owed)
