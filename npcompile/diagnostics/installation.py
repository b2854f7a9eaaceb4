"""Checks at import that npcompile can run here: the operating system, and the version of PyTorch."""

from __future__ import annotations

import re
import sys
import warnings

import torch

# The versions of PyTorch, major and minor, whose private parts `lower/adapter.py` has been tested with.
OLDEST, NEWEST = (2, 11), (2, 13)


def _text(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))


def version_of(text: str) -> tuple[int, int]:
    """Return the major and minor number of a version ("2.13.0+cpu" gives (2, 13))."""
    major, minor = re.findall(r"\d+", text)[:2]
    return int(major), int(minor)


def check() -> None:
    """Raise ImportError where npcompile cannot run, and warn where it has not been tested.

    Raises
    ------
    ImportError
        The operating system is not Linux, or PyTorch is older than 2.11.

    Warns
    -----
    UserWarning
        PyTorch is newer than what npcompile has been tested with.
    """
    if sys.platform != "linux":
        where = "in WSL" if sys.platform == "win32" else "in a Linux container"
        raise ImportError(
            f"npcompile runs on Linux only, and this is {sys.platform}; instead: run the program {where}"
        )
    found = version_of(torch.__version__)
    asked = f"pip install 'torch>={_text(OLDEST)},<{NEWEST[0]}.{NEWEST[1] + 1}'"
    if found < OLDEST:
        raise ImportError(
            f"npcompile needs PyTorch {_text(OLDEST)} or newer, and this is {torch.__version__}; "
            f"instead: {asked}"
        )
    if found > NEWEST:
        warnings.warn(
            f"npcompile has been tested with PyTorch {_text(OLDEST)} to {_text(NEWEST)}, and this is "
            f"{torch.__version__}: kernels may fail to compile, and NumPy then does their work; "
            f"instead: {asked}",
            stacklevel=2,
        )
