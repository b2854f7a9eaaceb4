"""Gives innermost loops one entrance, where a trip of one version of a loop ends in another version.

`best = c` gives a name another type: the trip that does so first enters the next version of the loop in the
middle. A copy of the rest of that trip makes that version a loop that is entered at its header alone, as
passes on loops want them.
"""

from __future__ import annotations

from dataclasses import replace

from npcompile.frontend.loops.passes.copies import copied, is_plain
from npcompile.frontend.loops.passes.unrolling import MOST_BLOCKS
from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.nesting import predecessors

MOST_COPIES = 30  # of one loop's blocks


def single(region: ir.Region) -> None:
    """Copy blocks of innermost loops that are entered elsewhere than at their headers."""
    for header in [block for block in region.blocks if block.is_header]:
        before = predecessors(region)
        blocks = _cycle(header, before)
        entered = {block for block in blocks - {header} if not blocks.issuperset(before[block])}
        if entered and len(blocks) <= MOST_COPIES and len(region.blocks) + len(blocks) <= MOST_BLOCKS:
            if all(
                is_plain(step) for block in blocks for step in (*block.steps, block.end) if step is not None
            ):
                _Entrance(region, header, blocks).make(before)


def _cycle(header: ir.Block, before: dict[ir.Block, list[ir.Block]]) -> set[ir.Block]:
    """Return the blocks of trips of a loop that pass no other header."""

    def reached(first: list[ir.Block], forward: bool) -> set[ir.Block]:
        seen: set[ir.Block] = set()
        pending = first
        while pending:
            block = pending.pop()
            if block not in seen and not block.is_header:
                seen.add(block)
                pending += ir.targets(block.end) if forward else before[block]
        return seen

    return {header} | (reached([*ir.targets(header.end)], True) & reached([*before[header]], False))


class _Entrance:
    """The copies of a loop's blocks for trips that began elsewhere."""

    def __init__(self, region: ir.Region, header: ir.Block, blocks: set[ir.Block]) -> None:
        self.region, self.within = region, blocks - {header}
        self.blocks = blocks
        self.made: dict[ir.Block, ir.Block] = {}
        self.pending: list[ir.Block] = []

    def make(self, before: dict[ir.Block, list[ir.Block]]) -> None:
        entering = {one for block in self.within for one in before[block] if one not in self.blocks}
        for block in sorted(entering, key=lambda one: one.label):
            block.end = self._led(block.end)
        while self.pending:
            block = self.pending.pop()
            copy = self.made[block]
            copy.steps += [copied(step, {}, {}) for step in block.steps]
            copy.end = self._led(copied(block.end, {}, {}))

    def _led(self, end: ir.End | None) -> ir.End | None:
        """Return an end that leads to copies."""
        match end:
            case ir.Jump(target=target):
                return replace(end, target=self._copy(target))
            case ir.Branch(then=then, otherwise=otherwise):
                return replace(end, then=self._copy(then), otherwise=self._copy(otherwise))
            case ir.Next(body=body, exhausted=exhausted):
                return replace(end, body=self._copy(body), exhausted=self._copy(exhausted))
        return end

    def _copy(self, block: ir.Block) -> ir.Block:
        if block not in self.within:
            return block
        if block not in self.made:
            versions = [one.version for one in self.region.blocks if one.source == block.source]
            self.made[block] = ir.Block(block.source, max(versions) + 1, block.types)
            self.region.blocks.append(self.made[block])
            self.pending.append(block)
        return self.made[block]
