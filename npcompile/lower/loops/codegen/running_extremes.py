"""Writes the extreme of a value and of its sum with an int of the trip before: `best = max(v, best + v)`.

The sign of that int tells which it is, while the sum is made.
"""

from __future__ import annotations

from typing import Protocol

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.poll_chunks import PollChunks
from npcompile.lower.loops.types import INT
from npcompile.lower.loops.value_texts import value_text

_EXTREMES = {"npl::largest<int64_t>": ">", "npl::smallest<int64_t>": "<"}
_SUMS = ("npl::int_add", "npl::add<int64_t>")


class Writer(Protocol):
    """The part of an emitter that this file uses."""

    chunks: PollChunks
    here: ir.Block | None

    def value(self, expression: ir.Expression) -> str: ...


def extreme_with_sum(writer: Writer, node: ir.Apply) -> str | None:
    """Return the C++ of such an extreme; None for other operations."""
    sign = _EXTREMES.get(node.operation.function)
    if sign is None or len(node.operands) != 2:
        return None
    for place, sum_ in enumerate(node.operands):
        value = node.operands[1 - place]
        if (late := _late_part(writer, sum_, value)) is None or sum_.type != value.type:
            continue
        known, late_text = writer.value(value), writer.value(late)
        if sum_.type == INT:  # native code leaves where the sum is too large
            return f"{late_text} {sign} 0 ? {writer.value(sum_)} : {known}"
        name = node.operation.function.removesuffix("<int64_t>")
        return f"{name}_with_sum({late_text}, {known})"
    return None


def _late_part(writer: Writer, sum_: ir.Expression, value: ir.Expression) -> ir.Read | None:
    """Return the int of the trip before that is added to a value; None where there is none."""
    if not isinstance(sum_, ir.Apply) or sum_.operation.function not in _SUMS:
        return None
    text = value_text(value)
    for place, part in enumerate(sum_.operands):
        is_sum = text is not None and value_text(sum_.operands[1 - place]) == text
        if is_sum and isinstance(part, ir.Read) and part.type == value.type and _is_bound(writer, part.name):
            return part
    return None


def _is_bound(writer: Writer, name: str) -> bool:
    """Tell if the innermost loop around the block at hand binds a name."""
    for header, blocks in writer.chunks.loops.items():
        if writer.here in blocks and name in header.types:
            return any(name in ir.bound_by(step) for block in blocks for step in block.steps)
    return False
