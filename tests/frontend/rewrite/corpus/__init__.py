"""Functions that between them use every construct, to be run as they are written and rewritten.

Each takes `t`, which makes loud values (see operation_log.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

CASES: list[Callable[..., Any]] = []
FACTORIES: list[Callable[..., Any]] = []


def case(fn: Callable[..., Any]) -> Callable[..., Any]:
    CASES.append(fn)
    return fn


def factory(fn: Callable[..., Any]) -> Callable[..., Any]:
    """It returns the function to rewrite, and how to make of that one a function of `t`."""
    FACTORIES.append(fn)
    return fn
