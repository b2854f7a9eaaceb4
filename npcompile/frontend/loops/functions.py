"""Chooses the operations of calls of functions on scalars."""

from __future__ import annotations

from npcompile.lower.loops.operation import Operation
from npcompile.lower.loops.types import Scalar


def call(function: object, operands: tuple[Scalar, ...]) -> Operation | None:
    """Return the operation of a call on scalars, None if native code has none."""
    return None
