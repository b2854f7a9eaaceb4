"""Makes typed constants of values that are known while compiling."""

from __future__ import annotations

from typing import Any

import numpy as np

from npcompile.frontend.loops.entry.values import scalar_of
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.scalars import unsigned
from npcompile.lower.loops import ir
from npcompile.lower.loops.told_ir import Told
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


def told(made: ir.Expression, *values: ir.Expression) -> ir.Expression:
    """Return what was made of values; if their types alone have told it, as what is known once the values
    are evaluated: an item of a list may be of another type than expected."""
    unsure = tuple([value for value in values if not isinstance(value, ir.Read | ir.Constant)])
    return Told(made.type, made, unsure) if unsure and isinstance(made, ir.Constant) else made
