"""Makes values that may be of either of two types (`Either` in `types.py`)."""

from __future__ import annotations

from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Either


def either_of(kind: Either, value: ir.Expression) -> ir.MakeTuple:
    """Return a value of one of two types as one that may be of either."""
    which = kind.kinds.index(value.type)
    unused = ir.Unused(kind.kinds[1 - which])
    return ir.MakeTuple(kind, (ir.truth(which == 1), *((unused, value) if which else (value, unused))))
