"""Defines numbers in the typed IR that types tell, as `x[i] is None` and `len(pairs[i])` are.

`told` in `frontend/loops/constants.py` makes them, `told_code.py` writes their C++. The values are evaluated
all the same: an item of a list may have another type than is expected of it, and native code then leaves.
"""

from __future__ import annotations

from dataclasses import dataclass

from npcompile.lower.loops import ir


@dataclass(frozen=True, eq=False)
class Told(ir.Compound):
    """A constant, after values of which the types alone count."""

    constant: ir.Constant
    values: tuple[ir.Expression, ...]

    def __str__(self) -> str:
        return f"({self.constant} by the types of {', '.join(map(str, self.values))})"
