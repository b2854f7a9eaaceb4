"""The boundary against npcompile's own faults: tells them from the user's exceptions, and what was done.

An exception that is not the user's or NumPy's never reaches a caller. Two kinds of places catch it: a hook of
a recording (`guarded`), and the call of a jitted function (`Recorded.__call__`). Both ask `fault_of`. What
has been done is not done again, and what has not been is done by Python.

Where the answer is known is a convention: a function that carries out what the user asked for, in the hooks
of a recording or around a call, keeps the answer in a local name `result`, bound as soon as it is there. It
costs nothing until something fails: then the frames of the traceback are looked at.
"""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, MethodType, TracebackType
from typing import Any, TypeVar

import numpy as np
import torch

from npcompile.frontend.hooks import Hooks
from npcompile.frontend.overhead import users
from npcompile.frontend.program import Diverged
from npcompile.frontend.recording.place import is_place, performed

_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep
_RECORDING = os.path.join(os.path.dirname(__file__), "recording") + os.sep
_HOOKS = sys.modules[Hooks.__module__].__file__
# What is installed with Python is nobody's own code, nor is what has no file (`<frozen ...>`, `<string>`).
_STDLIB = sysconfig.get_paths()["stdlib"] + os.sep
_LIBRARIES = tuple(os.path.dirname(str(module.__file__)) + os.sep for module in (np, torch))

_MISSING: Any = object()
_performers: set[CodeType] = set()
# Exceptions of ours that are meant to reach the caller.
_meant: tuple[type[BaseException], ...] = (RecursionError,)

Class = TypeVar("Class", bound=type)
Function = TypeVar("Function", bound=Any)


class InternalError(BaseException):
    """NPCOMPILE_INTERNAL_ERRORS=raise: a fault of npcompile's own, else a reason in `stats`."""


class Fault:
    """A fault of npcompile's own, as an exception.

    reason: for `stats`. done: whether what the user asked for has been done; result: what it gave.
    """

    def __init__(self, error: BaseException, frames: list[FrameType], lines: list[int]) -> None:
        self.error = error
        place = ""
        for frame, line in zip(frames, lines, strict=True):
            if _is_ours(frame.f_code):
                place = f"{frame.f_code.co_filename.removeprefix(_PACKAGE)}:{line}"
        text = str(error)
        self.reason = f"internal error: {type(error).__name__}: {text} at npcompile/{place}"
        answers = (frame.f_locals.get("result", _MISSING) for frame in frames if _keeps_result(frame.f_code))
        self.result = next((answer for answer in answers if answer is not _MISSING), _MISSING)
        self.done = self.result is not _MISSING

    def same(self, other: BaseException) -> bool:
        """Whether Python raises just this: then it was the user's, raised where we did the user's work."""
        return type(other) is type(self.error) and str(other) == str(self.error)

    def loud(self) -> None:
        """Raise, where faults are not to be hidden."""
        if os.environ.get("NPCOMPILE_INTERNAL_ERRORS") == "raise":
            raise InternalError(self.reason) from self.error


def meant(*kinds: type[BaseException]) -> None:
    """Exceptions of these kinds are raised for the caller: they are no faults."""
    global _meant
    _meant += kinds


def performs(function: Function) -> Function:
    """A function that does what the user asked for: what is raised in its own frame is the user's, and its
    local name `result` is the answer once it is bound."""
    _performers.add(function.__code__)
    return function


performs(users)


def fault_of(error: BaseException) -> Fault | None:
    """The fault that an exception is, which the caller has just caught; None for the user's and NumPy's."""
    if isinstance(error, InternalError) or not isinstance(error, Exception | Diverged):
        return None
    if isinstance(error, _meant):
        return None
    found = list(_frames(error.__traceback__))[1:]  # the first is the caller's
    frames, lines = [frame for frame, _ in found], [line for _, line in found]
    if not isinstance(error, Diverged) and _is_theirs(frames):
        return None
    return Fault(error, frames, lines)


def noting(error: BaseException) -> Fault:
    """The fault that an exception is in code that does nothing for the user, which the caller has caught."""
    found = list(_frames(error.__traceback__))
    return Fault(error, [frame for frame, _ in found], [line for _, line in found])


def _frames(traceback: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    while traceback is not None:
        yield traceback.tb_frame, traceback.tb_lineno
        traceback = traceback.tb_next


def _is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(_PACKAGE) and not is_place(code)


def _keeps_result(code: CodeType) -> bool:
    folder = os.path.dirname(code.co_filename) + os.sep
    return code in _performers or folder in (_PACKAGE, _RECORDING)


def _is_library(code: CodeType) -> bool:
    file = code.co_filename
    if file.startswith(_STDLIB):
        return not file.startswith(os.path.join(_STDLIB, "site-packages"))
    return file.startswith("<") or file.startswith(_LIBRARIES)


def _is_theirs(frames: list[FrameType]) -> bool:
    """Whether the user's code raised, or what was done in its name."""
    performs = False
    for frame in frames:
        code = frame.f_code
        if _is_ours(code):
            performs = code in _performers or code.co_filename == _HOOKS
        elif is_place(code) or not _is_library(code):
            return True
        else:
            return performs
    return performs


def guarded(kind: Class) -> Class:
    """A class of hooks of which a fault ends the recording (`faulted`): Python does the operation then."""
    for name, plain in vars(Hooks).items():
        hook = getattr(kind, name)
        if not name.startswith("_") and callable(plain) and hook is not plain:
            setattr(kind, name, _guarded(hook, plain))
    return kind


def _guarded(hook: Callable[..., Any], plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(hook)
    def guard(self: Any, /, *given: Any, **named: Any) -> Any:
        before = performed.count
        try:
            return MethodType(hook, self)(*given, **named)  # no further tuple refers to what is given
        except Exception as error:
            fault = fault_of(error)
            if fault is None:
                raise
            if not fault.done and performed.count != before:
                self.faulted(fault)
                raise
        if fault.done:
            self.faulted(fault)
            return fault.result
        try:
            result = plain(self, *map(self.notes.tracked.meant, given), **named)
        except Exception as error:
            if not fault.same(error):
                self.faulted(fault)
            raise
        self.faulted(fault)
        return result

    return guard
