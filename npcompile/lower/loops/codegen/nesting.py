"""Tells which loops of a region have no other loops in them: the emitter has these poll more seldom."""

from __future__ import annotations

from npcompile.lower.loops import ir


def innermost(region: ir.Region) -> set[ir.Block]:
    """Return the headers from which no other loop's header is reached before their own."""
    found = set()
    for header in region.blocks:
        if not header.is_header:
            continue
        seen, pending = {header}, [*ir.targets(header.end)[:1]]
        while pending:
            block = pending.pop()
            if block in seen:
                continue
            seen.add(block)
            if block.is_header and block.source != header.source:
                break
            pending += ir.targets(block.end)
        else:
            found.add(header)
    return found
