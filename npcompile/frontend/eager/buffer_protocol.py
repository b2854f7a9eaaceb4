"""Gives a Python class the buffer protocol on Python 3.11, where no method does: writes the type's C slot."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable
from typing import Any

_GET = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p, ctypes.c_int)
_get_buffer = _GET(("PyObject_GetBuffer", ctypes.pythonapi))
_WORD = ctypes.sizeof(ctypes.c_void_p)
# Offsets of a type object's buffer functions and flags, and of a view's owner, in Python 3.11.
_FUNCTIONS, _FLAGS, _OWNER = 20 * _WORD, 21 * _WORD, _WORD
_kept: list[Any] = []  # callbacks, which live as long as the classes


def give_buffers(cls: type, memory: Callable[[Any], Any]) -> None:
    """Make `memoryview(a)` of this class's objects, and of its subclasses made later, show `memory(a)`.

    An exception in `memory` becomes a SystemError, for no exception can be handed on through ctypes.
    """
    if ctypes.c_ulong.from_address(id(cls) + _FLAGS).value != cls.__flags__:
        return  # this build of Python lays types out in another way

    def get(obj: Any, view: int, flags: int) -> int:
        with contextlib.suppress(Exception):
            return int(_get_buffer(memory(obj), view, flags))
        ctypes.c_void_p.from_address(view + _OWNER).value = None
        return -1

    callback = _GET(get)
    _kept.append(callback)
    functions = ctypes.c_void_p.from_address(id(cls) + _FUNCTIONS).value
    assert functions is not None  # a class made by Python has them, empty
    ctypes.c_void_p.from_address(functions).value = ctypes.cast(callback, ctypes.c_void_p).value
