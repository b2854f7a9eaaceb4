"""Functions that look at their arguments and reach no other array: builtins, and all of some modules.

The writer of cut functions goes by their names (`rewrite.resident_statements`), and the table of arrays on a
device by the objects themselves (`replay.residency`): a name may stand for something else.
"""

from __future__ import annotations

import builtins
from typing import Any

NAMES = frozenset("abs bool complex divmod float int len max min pow print range repr round str sum".split())
MODULES = frozenset(("numpy", "math", "cmath", "time"))

_OBJECTS = tuple(getattr(builtins, name) for name in NAMES)


def is_looker(value: Any) -> bool:
    """Tell if a value is one of the builtins of these names."""
    return any(value is function for function in _OBJECTS)
