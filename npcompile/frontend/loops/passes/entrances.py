"""Gives loops one entrance, where a trip of one version of a loop ends in another version.

`best = c` gives a name another type: the trip that does so first enters the next version of the loop in the
middle, or within a loop that is in it. A copy of the rest of that trip makes that version a loop that is
entered at its header alone, as passes on loops and the C++ compiler want them.
"""

from __future__ import annotations

from collections.abc import Iterator

from npcompile.frontend.loops.passes.copies import copied, is_plain, led
from npcompile.frontend.loops.passes.unrolling import MOST_BLOCKS
from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.nesting import predecessors

MOST_COPIES = 30  # of one loop's blocks


def single(region: ir.Region) -> None:
    """Copy blocks of loops that are entered elsewhere than at their headers, outermost loops first."""
    done: set[ir.Block] = set()  # headers of loops around those that are left
    while cycles := list(_cycles([block for block in region.blocks if block not in done])):
        for cycle in cycles:
            headers = [block for block in region.blocks if block in cycle and block.is_header]
            first = min(block.source for block in headers)
            versions = {block for block in headers if block.source == first}
            for header in [block for block in headers if block in versions]:
                for blocks in _cycles(list(cycle - versions | {header})):
                    if header in blocks:
                        _enter_at(region, header, blocks)
            done |= versions


def _enter_at(region: ir.Region, header: ir.Block, blocks: set[ir.Block]) -> None:
    """Have a loop entered at its header alone, if it is short."""
    before = predecessors(region)
    if all(blocks.issuperset(before[block]) for block in blocks - {header}):
        return
    steps = [step for block in blocks for step in (*block.steps, block.end) if step is not None]
    is_short = len(blocks) <= MOST_COPIES and len(region.blocks) + len(blocks) <= MOST_BLOCKS
    if is_short and all(map(is_plain, steps)):
        _Entrance(region, header, blocks).make(before)


def _cycles(blocks: list[ir.Block]) -> Iterator[set[ir.Block]]:
    """Yield the greatest sets of blocks of which each leads to all of the set, itself included."""
    within = set(blocks)
    before: dict[ir.Block, list[ir.Block]] = {block: [] for block in blocks}
    for block in blocks:
        for target in ir.targets(block.end):
            if target in within:
                before[target].append(block)
    seen: set[ir.Block] = set()
    ordered: list[ir.Block] = []  # each after all those that it leads to, but for cycles
    for root in blocks:
        pending = [(root, False)]
        while pending:
            block, is_left = pending.pop()
            if is_left:
                ordered.append(block)
            elif block not in seen:
                seen.add(block)
                pending.append((block, True))
                pending += [(target, False) for target in ir.targets(block.end) if target in within]
    for root in reversed(ordered):
        found: set[ir.Block] = set()
        leading = [root]
        while leading:
            block = leading.pop()
            if block in seen:
                seen.remove(block)
                found.add(block)
                leading += before[block]
        if len(found) > 1 or (found and root in before[root]):
            yield found


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
            block.end = led(block.end, self._copy)
        while self.pending:
            block = self.pending.pop()
            copy = self.made[block]
            copy.steps += [copied(step, {}, {}) for step in block.steps]
            copy.end = led(copied(block.end, {}, {}), self._copy)

    def _copy(self, block: ir.Block) -> ir.Block:
        if block not in self.within:
            return block
        if block not in self.made:
            versions = [one.version for one in self.region.blocks if one.source == block.source]
            made = ir.Block(block.source, max(versions) + 1, block.types, is_header=block.is_header)
            self.made[block] = made
            self.region.blocks.append(self.made[block])
            self.pending.append(block)
        return self.made[block]
