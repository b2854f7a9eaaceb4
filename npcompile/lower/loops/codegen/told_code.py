"""Writes the C++ of numbers that types tell."""

from __future__ import annotations

from npcompile.lower.loops.codegen.emitter import Emitter, writes
from npcompile.lower.loops.told_ir import Told


@writes(Told)
def _told(emitter: Emitter, node: Told) -> str:
    for value in node.values:
        emitter.value(value)
    return emitter.value(node.constant)
