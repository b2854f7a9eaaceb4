"""Small programs, one for each construct of Python's around array work: `f(x, k, box)` each.

`x` is an array of float64, `k` an int, `box` an object that holds an array, a number and a list. LOG is what
they leave behind. `test_constructs.py` says which are recorded whole.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable
from typing import Any

import numpy as np

LOG: list[Any] = []


class Box:
    def __init__(self, y: np.ndarray, t: float) -> None:
        self.y = y
        self.t = t
        self.log: list[Any] = []


@dataclasses.dataclass
class Move:
    dx: float
    dy: float


def programs_of(*modules: types.ModuleType) -> dict[str, Callable[..., Any]]:
    """The programs of these modules, by name."""
    found = {}
    for module in modules:
        for name, made in vars(module).items():
            code = getattr(made, "__code__", None)
            if code is not None and code.co_varnames[: code.co_argcount] == ("x", "k", "box"):
                found[name] = made
    return found
