"""Carrying an operation out as if it stood on the user's own line: warnings that it gives name that line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

_OURS = str(Path(__file__).parent.parent)  # files of the hooks themselves


def _call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return function(*args, **kwargs)


_TEMPLATE = _call.__code__
_callers: dict[tuple[CodeType, int], FunctionType] = {}


def is_place(code: CodeType) -> bool:
    """Whether a frame of this code is one that `do` made."""
    return code.co_code == _TEMPLATE.co_code and code.co_varnames == _TEMPLATE.co_varnames


def do(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """`function(*args, **kwargs)`, from a frame that has the user's file, line, name and globals."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(_OURS):
        if frame.f_back is None:
            return function(*args, **kwargs)
        frame = frame.f_back
    place = frame.f_code, frame.f_lineno
    caller = _callers.get(place)
    if caller is None or caller.__globals__ is not frame.f_globals:
        code = _TEMPLATE.replace(
            co_filename=frame.f_code.co_filename,
            co_firstlineno=frame.f_lineno - 1,
            co_name=frame.f_code.co_name,
        )
        caller = _callers[place] = FunctionType(code, frame.f_globals)
    return caller(function, args, kwargs)
