"""Modules whose attributes are taken to be what they were: NumPy's, `math`, the builtins."""

from __future__ import annotations

import builtins
import cmath
import math
import operator
from types import ModuleType
from typing import Any

import numpy as np

from npcompile.lower.native import native

_MODULES: tuple[ModuleType, ...] = (np, np.linalg, np.fft, np.random, math, cmath, operator, builtins)

# What their names stood for when npcompile was imported.
_KNOWN = {id(vars(module)): dict(vars(module)) for module in _MODULES}
# For each module its names, and those of them with their values that programs take to be so.
USED: tuple[tuple[dict[str, Any], list[str], list[Any]], ...] = tuple(
    (vars(module), [], []) for module in _MODULES
)


class Replaced:
    """What stands for a name now: the same one is equal, and kept alive."""

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Replaced) and self.name == other.name and self.value is other.value

    def __hash__(self) -> int:
        return hash((self.name, id(self.value)))


def is_fixed(module: ModuleType) -> bool:
    """Whether this is one of the modules."""
    return id(vars(module)) in _KNOWN


def take(space: dict[str, Any], name: str) -> bool:
    """Whether a name of such a module stands for what it stood for. A program may take that to be so then."""
    known = _KNOWN[id(space)]
    if name not in known or space.get(name) is not known[name]:
        return False
    for one, names, values in USED:
        if one is space and name not in names:
            values.append(known[name])
            names.append(name)
    return True


def replaced() -> tuple[Replaced, ...] | None:
    """What now stands for names that programs took to be as they were (a test's mocks), as a part of
    signatures; None where that is nothing."""
    module = native.loaded()
    if module is not None and module.as_they_were():
        return None
    found = [
        Replaced(name, space.get(name))
        for space, names, values in USED
        for name, value in zip(names, values, strict=False)
        if space.get(name) is not value
    ]
    return tuple(found) or None
