"""Names objects for messages: by their own names or their classes, as what they hold may be long.

The `repr` of an object has no bound, and may run the user's code.
"""

from __future__ import annotations

import functools
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

_MOST = 60  # characters of a text that are shown
_PLAIN = (type(None), type(Ellipsis), type(NotImplemented), bool, float, complex, np.dtype)
_NAMED = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType, np.ufunc)
_LIBRARIES = (
    "builtins",
    "functools",
    "npcompile",
    "numpy",
)  # their classes tell names without the user's code


def object_name(value: Any) -> str:
    """Return the name of a function, a class or a module, a constant's text, or the class of an object."""
    if isinstance(value, str | bytes):
        return repr(value) if len(value) <= _MOST else f"{value[:_MOST]!r}..."
    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, property) and value.fget is not None:
        return f"the property {object_name(value.fget)}"
    if isinstance(value, functools.partial):
        return f"a partial of {object_name(value.func)}"
    kind = type(value)
    is_named = isinstance(value, _NAMED) or kind.__module__.partition(".")[0] in _LIBRARIES
    name = getattr(value, "__name__", None) if is_named else None
    return (
        name if isinstance(name, str) else f"{'an' if kind.__name__[0] in 'aeiou' else 'a'} {kind.__name__}"
    )
