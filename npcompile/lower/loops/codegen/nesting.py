"""Finds the loops of a region, and those that have no other loops in them, which poll more seldom."""

from __future__ import annotations

from npcompile.lower.loops import ir


def innermost(region: ir.Region) -> set[ir.Block]:
    """Return the headers of the loops that have no other loop in them.

    Where a trip leaves a loop (`break`, the second part of `while a and b`), what comes next is outside.
    A loop that is entered in the middle is one of these where no other header is reached before its own.
    """
    loops = natural_loops(region)
    return {
        header
        for header in region.blocks
        if header.is_header
        and not any(
            block.is_header and block.source != header.source
            for block in loops.get(header) or _reached_in_trip(header)
        )
    }


def _reached_in_trip(header: ir.Block) -> set[ir.Block]:
    """Return the blocks that are reached from a header before it or another one, and these headers."""
    seen, pending = {header}, [*ir.targets(header.end)[:1]]
    while pending:
        block = pending.pop()
        if block not in seen:
            seen.add(block)
            if not block.is_header or block.source == header.source:
                pending += ir.targets(block.end)
    return seen


def natural_loops(region: ir.Region) -> dict[ir.Block, set[ir.Block]]:
    """Return the blocks of each loop that is entered at its header alone, by the headers.

    The blocks are those from which the header is reached again. Where a trip ends the loop (`break`), what
    comes next is none of them, though a loop around it leads back to the header.
    """
    after = {block: ir.targets(block.end) for block in region.blocks}
    before = _reversed(after)
    reached = _reached(region.entry, after)
    found: dict[ir.Block, set[ir.Block]] = {}
    for header in region.blocks:
        if not header.is_header:
            continue
        within = reached - _reached(region.entry, after, header)
        pending = [block for block in before[header] if block in within]
        blocks = {header}
        while pending:
            block = pending.pop()
            if block not in blocks and block in within:
                blocks.add(block)
                pending += before[block]
        if len(blocks) > 1 or header in before[header]:
            found[header] = blocks
    return found


def predecessors(region: ir.Region) -> dict[ir.Block, list[ir.Block]]:
    """Return the blocks that lead to each block."""
    return _reversed({block: ir.targets(block.end) for block in region.blocks})


def _reversed(after: dict[ir.Block, tuple[ir.Block, ...]]) -> dict[ir.Block, list[ir.Block]]:
    """Return the blocks that lead to each block, from those that it leads to."""
    before: dict[ir.Block, list[ir.Block]] = {block: [] for block in after}
    for block, nexts in after.items():
        for target in nexts:
            before[target].append(block)
    return before


def _reached(
    entry: ir.Block, after: dict[ir.Block, tuple[ir.Block, ...]], without: ir.Block | None = None
) -> set[ir.Block]:
    """Return the blocks that can be reached from the entry, without passing one of them."""
    seen: set[ir.Block] = set()
    pending = [entry]
    while pending:
        block = pending.pop()
        if block not in seen and block is not without:
            seen.add(block)
            pending += after[block]
    return seen


def in_each_trip(header: ir.Block, blocks: set[ir.Block], block: ir.Block) -> bool:
    """Tell if each trip of a loop that leads to another one does a block."""
    seen: set[ir.Block] = {block}
    pending = [one for one in ir.targets(header.end) if one in blocks and block is not header]
    while pending:
        one = pending.pop()
        if one is header:
            return False
        if one not in seen:
            seen.add(one)
            pending += [target for target in ir.targets(one.end) if target in blocks]
    return True
