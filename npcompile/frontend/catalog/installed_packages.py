"""Tells an installed library's code from the user's, by the folder that it lies in.

A library's functions are called as they are, and nothing inside them is recorded. A library of which a
function is jitted is the user's own code.
"""

from __future__ import annotations

import functools
import inspect
import os
import site
import sys
import sysconfig
import types
from pathlib import Path
from typing import Any

import numpy
import torch

from npcompile.diagnostics.paths import PACKAGE


def _folders(*paths: str | None) -> tuple[str, ...]:
    return tuple({os.path.realpath(path) + os.sep for path in paths if path})


_STDLIB = _folders(*(sysconfig.get_path(name) for name in ("stdlib", "platstdlib")))
# Folders of code that never is the user's, whatever is jitted.
_NOBODYS = _folders(
    PACKAGE,
    *(os.path.dirname(inspect.getfile(module)) for module in (numpy, torch)),
)
# The folders where packages are installed: those of this environment; those of a base environment by their
# names.
_SITES = _folders(
    *(sysconfig.get_path(name) for name in ("purelib", "platlib")),
    *site.getsitepackages(),
    site.getusersitepackages(),
)
_NAMES = ("site-packages", "dist-packages")

_adopted: set[str] = set()


def adopt(obj: object) -> bool:
    """Note that a function or a class is jitted: the library that it lies in is the user's code.

    Returns True if it was not before.
    """
    file = _file_of_any(obj) if isinstance(obj, types.FunctionType | type) else None
    library = None if file is None else _library(file)
    if library is None or library in _adopted:
        return False
    _adopted.add(library)
    is_users_file.cache_clear()
    return True


def file_of(fn: types.FunctionType) -> str | None:
    """Return the file of a function; if its source is a text, that of the module that it was made in, if
    any."""
    name = fn.__code__.co_filename
    if name.startswith("<") and not name.startswith("<frozen "):
        found = fn.__globals__.get("__file__")
        return found if isinstance(found, str) else None
    return name


@functools.cache
def is_users_file(name: str) -> bool:
    """Tell if a file lies outside Python and the installed packages, or in an adopted package."""
    if name.startswith("<frozen "):
        return False
    library = _library(name)
    return not is_nobodys(name) if library is None else library in _adopted


@functools.cache
def is_nobodys(name: str) -> bool:
    """Tell if a file is Python's, NumPy's, torch's or npcompile's, which is never the user's, whatever is
    jitted."""
    return _library(name) is None and os.path.realpath(name).startswith((*_STDLIB, *_NOBODYS))


def is_library(obj: Any) -> bool:
    """Tell if a function, class or object is of an installed library other than NumPy and Python."""
    file = _file_of_any(obj)
    return file is not None and (library := _library(file)) is not None and library not in _adopted


def _file_of_any(obj: Any) -> str | None:
    """Return the file of a function, or of the module of a class or an object."""
    if isinstance(obj, types.FunctionType):
        return file_of(obj)
    module = getattr(obj, "__module__", None)
    found = getattr(sys.modules.get(module), "__file__", None) if isinstance(module, str) else None
    return found if isinstance(found, str) else None


@functools.cache
def _library(name: str) -> str | None:
    """Return the folder of the installed package that a file is of, or the file where it is a module by
    itself.

    Returns None for a file that is not installed by itself.
    """
    path = os.path.realpath(name)
    if path.startswith(_NOBODYS):
        return None
    folder = next((one for one in _SITES if path.startswith(one)), None)
    if folder is None:
        parts = Path(path).parts
        at = next((at for at, part in enumerate(parts) if part in _NAMES), None)
        if at is None:
            return None
        folder = os.path.join(*parts[: at + 1], "")
    return os.path.join(folder, path[len(folder) :].split(os.sep, 1)[0])
