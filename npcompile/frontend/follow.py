"""Which Python functions a recording goes into: the user's own. Installed libraries are opaque calls."""

from __future__ import annotations

import os
import sysconfig
import types

# Where code that is not the user's lives: the standard library and what is installed beside it.
_INSTALLED = tuple(
    os.path.realpath(path) + os.sep
    for path in (
        {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
        | {os.path.dirname(os.path.dirname(__file__))}
    )
)


def is_users(fn: types.FunctionType) -> bool:
    """Whether this function's source lies outside the standard library and the installed packages."""
    return not os.path.realpath(fn.__code__.co_filename).startswith(_INSTALLED)
