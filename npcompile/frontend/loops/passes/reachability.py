"""Finds the blocks of a region that can be reached from one of them."""

from __future__ import annotations

from npcompile.lower.loops import ir


def reached_from(start: ir.Block) -> set[ir.Block]:
    """Return a block and those that can be reached from it."""
    seen: set[ir.Block] = set()
    pending = [start]
    while pending:
        block = pending.pop()
        if block not in seen:
            seen.add(block)
            pending += ir.targets(block.end)
    return seen
