"""Which Python functions a recording goes into: the user's own, and listed ones of NumPy's.

Other installed libraries are opaque calls.
"""

from __future__ import annotations

import inspect
import os
import sysconfig
import types
from typing import Any

from npcompile.frontend import private
from npcompile.frontend.composed import FOLLOWED as _LISTED

# Where code that is not the user's lives: the standard library and what is installed beside it.
_INSTALLED = tuple(
    os.path.realpath(path) + os.sep
    for path in (
        {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
        | {os.path.dirname(os.path.dirname(__file__))}
    )
)


def unwrapped(fn: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """The function in a jitted function or a bound method, however nested, and the arguments that it gets."""
    while True:
        if hasattr(type(fn), "npcompile_function"):
            fn = fn.npcompile_function()
        elif isinstance(fn, types.MethodType):
            fn, args = fn.__func__, (fn.__self__, *args)
        else:
            return fn, args


def is_users(fn: types.FunctionType) -> bool:
    """Whether this function's source lies outside the standard library and the installed packages."""
    return not os.path.realpath(fn.__code__.co_filename).startswith(_INSTALLED)


# id of a NumPy function -> the Python function that NumPy wrote for it.
FOLLOWED: dict[int, types.FunctionType] = {
    id(function): source for function in _LISTED if (source := private.implementation(function)) is not None
}


def is_numpys(space: dict[str, Any]) -> bool:
    """Whether these are the globals of one of NumPy's own modules."""
    name = space.get("__name__")
    return isinstance(name, str) and (name == "numpy" or name.startswith("numpy."))


def key_of(fn: types.FunctionType) -> Any:
    """What a function's programs are kept by: those that one `def` inside a function makes have theirs in
    common, methods with `super()` apart, which are of one class each."""
    code = fn.__code__
    if code.co_flags & inspect.CO_NESTED and code.co_freevars != ("__class__",):
        return code, id(fn.__globals__)
    return fn
