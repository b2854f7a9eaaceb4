"""Makes typed constants of values that are known while compiling."""

from __future__ import annotations

from typing import Any

import numpy as np

from npcompile.frontend.loops.entry.values import scalar_of
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.scalars import unsigned
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Known


def constant(value: Any) -> ir.Constant:
    """Return a value that is known while compiling. Raises Outside."""
    if type(value) is int and (known := unsigned.constant(value)) is not None:
        return known
    kind = scalar_of(value)
    if kind is not None:
        return ir.Constant(kind, value if kind.python else value.item())
    if isinstance(value, np.ndarray):
        raise Outside("an array that is a module's or a class's")
    return ir.Constant(Known(value), None)
