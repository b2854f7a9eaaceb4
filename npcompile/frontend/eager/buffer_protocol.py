"""The buffer protocol for a Python class on Python 3.11, where no method gives it: by its slot."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable
from typing import Any

_GET = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p, ctypes.c_int)
_get_buffer = _GET(("PyObject_GetBuffer", ctypes.pythonapi))
_WORD = ctypes.sizeof(ctypes.c_void_p)
# Where a type object of Python 3.11 has its buffer functions and its flags, and a view its owner.
_FUNCTIONS, _FLAGS, _OWNER = 20 * _WORD, 21 * _WORD, _WORD
_kept: list[Any] = []  # as long as the classes


def give_buffers(cls: type, memory: Callable[[Any], Any]) -> None:
    """Let objects of this class, and of those made of it later, be asked for their memory (`memoryview(a)`):
    that of `memory(a)`.

    What raises there is a SystemError to who asks, as no exception can be handed on through ctypes.
    """
    if ctypes.c_ulong.from_address(id(cls) + _FLAGS).value != cls.__flags__:
        return  # types are laid out in another way than is known here

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
