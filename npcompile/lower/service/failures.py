"""Turns exceptions of the compiler into reasons: a code by the exception's type and error number, its text a
detail.

The compiler's thread and its worker process call it where they catch an exception.
"""

from __future__ import annotations

import errno
import os

from npcompile.diagnostics.reason import Cause, Reason
from npcompile.lower.codegen.cpp import CompilerFailed

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)
_NO_MEMORY = (errno.ENOMEM, errno.EAGAIN)


def failure(error: BaseException, text: str | None = None) -> Reason:
    """Return the reason for an exception. text: its text, where that has been shortened."""
    return _cause(error)(type(error).__name__, str(error) if text is None else text)


def died(words: str) -> Reason:
    """Return the reason for the end of the worker process. words: the last that it said."""
    no_space = any(os.strerror(number) in words for number in _NO_SPACE)
    return (Cause.DIED_NO_SPACE if no_space else Cause.DIED)(words)


def _cause(error: BaseException) -> Cause:
    if _is_any(error, _NO_SPACE):
        return Cause.NO_SPACE
    if isinstance(error, MemoryError) or _is_any(error, _NO_MEMORY):
        return Cause.NO_MEMORY
    if isinstance(error, CompilerFailed):
        return Cause.COMPILER_FAILED
    # The system's loader gives no number: a library in the folder cannot be loaded.
    if isinstance(error, ImportError) or (isinstance(error, OSError) and error.errno is None):
        return Cause.NOT_LOADED
    return Cause.COMPILATION_FAILED


def _is_any(error: BaseException, numbers: tuple[int, ...]) -> bool:
    """Tell whether one of these errors of the system is behind an exception; a compiler says so in words."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno in numbers
    return isinstance(error, CompilerFailed) and any(os.strerror(number) in str(error) for number in numbers)
