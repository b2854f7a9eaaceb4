"""Texts of ints and floats by which passes and the emitter find expressions of one step with one value.

A step's expressions have no effect, and a name keeps its value within it.
"""

from __future__ import annotations

from npcompile.lower.loops import ir

_KINDS = (ir.Read, ir.Constant, ir.Apply, ir.Item, ir.Length)


def value_text(node: ir.Expression) -> str | None:
    """Return a text that expressions of a step share only if they have one value; None if there is none."""
    pending = [node]
    while pending:
        one = pending.pop()
        if not isinstance(one, _KINDS):
            return None
        pending += ir.parts_of(one)
    return f"{node}: {node.type}"
