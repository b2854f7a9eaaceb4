"""Modules whose attributes programs assume unchanged: NumPy's, `math`'s, the builtins.

A recording calls `take` for each name that it reads. `replaced` tells which names have changed since (a
test's mocks), as a part of signatures, and the native runtime checks `ASSUMED` before each replay.
"""

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

# The values of their names when npcompile was imported.
_AT_IMPORT = {id(vars(module)): dict(vars(module)) for module in _MODULES}
# For each module its namespace, the names that programs assume unchanged, and their values.
ASSUMED: tuple[tuple[dict[str, Any], list[str], list[Any]], ...] = tuple(
    (vars(module), [], []) for module in _MODULES
)


class ReplacedName:
    """The present value of a replaced name: it is equal to itself alone, and kept alive."""

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ReplacedName) and self.name == other.name and self.value is other.value

    def __hash__(self) -> int:
        return hash((self.name, id(self.value)))


def is_fixed(module: ModuleType) -> bool:
    """Tell if this is one of the modules."""
    return id(vars(module)) in _AT_IMPORT


def take(space: dict[str, Any], name: str) -> bool:
    """Assume that a name of these modules is unchanged.

    space: a module's namespace. Returns False if it is another module's, or the name has changed since the
    import.
    """
    known = _AT_IMPORT.get(id(space))
    if known is None or name not in known or space.get(name) is not known[name]:
        return False
    for one, names, values in ASSUMED:
        if one is space and name not in names:
            values.append(known[name])
            names.append(name)
    return True


def replaced() -> tuple[ReplacedName, ...] | None:
    """Return the present values of replaced names that programs assume unchanged, None if there are none."""
    module = native.loaded()
    if module is not None and module.as_they_were():
        return None
    found = [
        ReplacedName(name, space.get(name))
        for space, names, values in ASSUMED
        for name, value in zip(names, values, strict=False)
        if space.get(name) is not value
    ]
    return tuple(found) or None
