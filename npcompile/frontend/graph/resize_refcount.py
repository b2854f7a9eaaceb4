"""`a.resize(...)` of NumPy's arrays in jitted functions: tells which references to the array are the user's.

NumPy refuses to resize an array with other references. References of npcompile's own may not count.
"""

from __future__ import annotations

import gc
import opcode
import sys
import types
import weakref
from typing import Any

import numpy as np

from npcompile.diagnostics.paths import AROUND_HOOKS, PACKAGE
from npcompile.frontend.program import aliasing
from npcompile.frontend.rewrite.call_sites import is_place
from npcompile.frontend.rewrite.source import is_given

# Plain Python holds an array with one name twice while its method is called: the name and the operand.
_ALLOWED = 2
_HOLDERS = (tuple, list, dict)
_STARRED = opcode.opmap["CALL_FUNCTION_EX"]


class Counted:
    """Calls `a.resize` of NumPy's array `a` with the references that NumPy counts in plain Python.

    References that come of the function being jitted are none of the user's.
    """

    def __init__(self, bound: Any) -> None:
        self._bound = bound

    def __call__(self, *new_shape: Any, **named: Any) -> None:
        if _is_switch(named.get("refcheck", True)) and _are_users(self._bound.__self__):
            named["refcheck"] = False
        self._bound(*new_shape, **named)


def resized(array: np.ndarray[Any, Any], *new_shape: Any, **named: Any) -> None:
    """Call `np.ndarray.resize(array, ...)` with the references of plain Python: there, too, one is the
    operand."""
    if _is_switch(named.get("refcheck", True)) and _are_users(array):
        named["refcheck"] = False
    np.ndarray.resize(array, *new_shape, **named)


def counting(fn: Any) -> Any:
    """Return the function to call for `fn` where it resizes one of NumPy's arrays; None for others."""
    if fn is np.ndarray.resize:
        return resized
    if (
        type(fn) is types.BuiltinFunctionType
        and fn.__name__ == "resize"
        and isinstance(fn.__self__, np.ndarray)
    ):
        return Counted(fn)
    return None


def counted(obj: Any, name: str) -> Any:
    """Return the value of `obj.name` where it is the `resize` of one of NumPy's arrays; None elsewhere."""
    return Counted(obj.resize) if name == "resize" and isinstance(obj, np.ndarray) else None


def _is_switch(refcheck: Any) -> bool:
    """Tell if NumPy takes this `refcheck`: NumPy itself gets one that it refuses."""
    return isinstance(refcheck, (bool, int, np.bool_, np.integer))


def _are_users(array: Any) -> bool:
    """Tell if no more references than allowed are the user's, once the rest of a recording is gone."""
    ours = 2 + _held(array)  # this function's own, and an argument's
    if sys.getrefcount(array) - ours > _ALLOWED or weakref.getweakrefcount(array):
        aliasing.forget_arrays()
        gc.collect()  # leftovers of a recording may hold the array
    return sys.getrefcount(array) - ours <= _ALLOWED


def _held(array: Any) -> int:
    """Return how often frames of ours refer to an array, and calls of jitted functions that were given it."""
    count = 0
    seen: set[int] = set()
    passed: list[Any] = []
    frame: types.FrameType | None = sys._getframe(3)
    while frame is not None:
        code, outer = frame.f_code, frame.f_back
        ours = code.co_filename.startswith(PACKAGE)
        if ours or is_given(code) or is_place(code):
            for value in frame.f_locals.values():
                if value is array:
                    count += 1
                elif type(value) in _HOLDERS and id(value) not in seen:
                    seen.add(id(value))
                    count += _contains(value, array)
        if ours and not (outer is not None and outer.f_code.co_filename.startswith(PACKAGE)):
            count += _held_by_call(array, frame)
            passed.append(frame.f_locals.get("args"))
        frame = outer
    for held in gc.get_referrers(array):
        # `call(fn, *args)` among the hooks: nothing but the call holds the tuple of fn and args. (The other
        # references to it: the list, the variable, an argument.)
        if (
            type(held) is tuple
            and id(held) not in seen
            and sys.getrefcount(held) == 4
            and not _is_one(held, passed)
        ):
            count += 1
    return count


def _held_by_call(array: Any, frame: types.FrameType) -> int:
    """Return how often the call refers to an array that this frame was given.

    A jitted function is no Python function: its caller keeps the arguments until it answers, and Python makes
    a tuple of them.
    """
    known = frame.f_locals
    if frame.f_code.co_filename.startswith(AROUND_HOOKS):  # a hook, which a function calls as any other
        return 0
    if not any(_contains(known[name], array) for name in ("args", "kwargs") if name in known):
        return 0
    caller = frame.f_back
    if caller is not None and caller.f_code.co_code[caller.f_lasti] == _STARRED:
        return 0  # `f(*arguments)`: the user's tuple
    return 2


def _is_one(held: tuple[Any, ...], passed: list[Any]) -> bool:
    """Tell if these are the arguments of a call that has been counted."""
    return any(
        len(args) == len(held) and all(a is b for a, b in zip(args, held, strict=True))
        for args in passed
        if args is not None
    )


def _contains(holder: Any, array: Any) -> int:
    return sum(item is array for item in (holder.values() if type(holder) is dict else holder))
