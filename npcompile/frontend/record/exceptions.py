"""Exceptions in a recording: those that the function makes, raises, catches and turns into text.

Four hooks of every recording, and handlers that the registry lists. An exception is decided where each valid
replay raises it; to catch any other one ends the recording.
"""

from __future__ import annotations

import sys
import types
from typing import Any

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.boundary.faults import told
from npcompile.frontend.catalog import inlining
from npcompile.frontend.record.handlers import PASS
from npcompile.frontend.record.recording import Recording
from npcompile.frontend.rewrite.call_sites import do


def trying(recording: Recording, begins: bool) -> None:
    """Note that a `try` statement begins or ends."""
    recording.builder.tries += 1 if begins else -1


def raising(recording: Recording, exc: Any) -> Any:
    """Return the exception that a `raise` statement raises, which is decided."""
    if recording.on:
        if isinstance(exc, type) and issubclass(exc, BaseException):
            exc = recording.call(exc)
        recording.raised = exc
    if isinstance(exc, BaseException):
        recording.builder.holds(exc, *exc.args)
    return exc


def reraising(recording: Recording) -> None:
    """Note a bare `raise`, whose exception is decided."""
    recording.raised = sys.exc_info()[1]  # else the recording has ended where it was caught


def is_decided_exception(recording: Recording, exc: Any) -> bool:
    """Return True if each valid replay raises this exception.

    A `raise` of the user's has raised it, or an operation on decided values (a key that is not in a dict).
    """
    return exc is not None and exc is recording.raised


def caught(recording: Recording, exc: Any) -> None:
    """Note an exception that an `except` clause has caught."""
    if recording.inside_numpy and type(exc) in (TypeError, KeyError, AttributeError):
        return  # NumPy asks by `try` what type something has: the signature decides that
    decided = is_decided_exception(recording, exc)
    recording.raised = None  # its frames would keep their objects alive
    told(exc)
    if recording.on and not decided:
        recording.stop(Cause.CAUGHT(type(exc).__name__))


def call_exception_class(recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make an exception whose class runs no code of the user's."""
    if issubclass(fn, BaseException) and not _has_code(fn):
        return do(fn, *args, **kwargs)
    return PASS


def call_text_of_exception(
    recording: Recording, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Do `str` and `repr` of an exception that holds no traced value."""
    if len(args) == 1 and isinstance(args[0], BaseException) and not kwargs:
        if not recording.builder.traced(*args) and not _has_code(type(args[0])):
            return do(fn, *args)
    return PASS


def _has_code(kind: type) -> bool:
    """Return True if making an exception of a class runs code of the user's."""
    made = (kind.__init__, kind.__new__)  # type: ignore[misc]
    return any(isinstance(method, types.FunctionType) for method in made) and inlining.is_users_class(kind)
