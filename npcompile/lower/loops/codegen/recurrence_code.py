"""Writes the steps of affine recurrences in trips that are done several at once."""

from __future__ import annotations

from npcompile.lower.loops.codegen.emitter import Emitter, does
from npcompile.lower.loops.recurrence_ir import AffineStep


@does(AffineStep)
def _step(emitter: Emitter, step: AffineStep) -> None:
    emitter.composed.step(step)
