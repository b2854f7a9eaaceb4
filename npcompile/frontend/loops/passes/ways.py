"""Finds the ways of a branch that do nothing but bind names, and the block at which they meet.

`selects.py` makes choices of them. Branches within a way are found with it, and branches that follow each
other with nothing between them are one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from npcompile.frontend.loops.passes.joined_tests import joined
from npcompile.lower.loops import ir

DEEPEST = 5  # branches within one another


@dataclass(frozen=True)
class Inner:
    """A branch within a way of another one, whose ways meet again in that way."""

    test: ir.Expression
    ways: TwoWays
    is_joined: bool


Steps = list[ir.Bind | Inner]  # of a way
TwoWays = tuple[Steps, Steps]


@dataclass(frozen=True)
class Ways:
    """The ways of a branch that only bind names, the block at which they meet, and their blocks.

    end: the branch. is_joined: it, or one within its ways, stands for several.
    """

    end: ir.Branch
    ways: TwoWays
    after: ir.Block
    blocks: frozenset[ir.Block]
    is_joined: bool = False


def ways_of(
    region: ir.Region, end: ir.Branch, before: dict[ir.Block, int], deepest: int = DEEPEST
) -> Ways | None:
    """Return the ways of a branch, or of several that can be joined, if these do nothing but bind names and
    meet in one block.
    """
    if (found := _ways_of_one(region, end, before, deepest)) is not None:
        return found
    one = joined(region, end, before)
    if one.shared is None:
        return None
    before = {**before, one.shared: before[one.shared] - len(one.blocks)}
    found = _ways_of_one(region, one.end, before, deepest)
    return None if found is None else replace(found, blocks=found.blocks | one.blocks, is_joined=True)


def _ways_of_one(region: ir.Region, end: ir.Branch, before: dict[ir.Block, int], deepest: int) -> Ways | None:
    if end.then is end.otherwise or deepest == 0:
        return None
    ways = [_way(region, block, before, deepest - 1) for block in (end.then, end.otherwise)]
    for place, block in enumerate((end.otherwise, end.then)):
        way = ways[place]
        if way is not None and way[1] is block:  # the other way is empty
            ways[1 - place] = [], block, frozenset()
    one, other = ways
    if one is None or other is None or one[1] is not other[1]:
        return None
    is_joined = any(isinstance(step, Inner) and step.is_joined for step in (*one[0], *other[0]))
    return Ways(end, (one[0], other[0]), one[1], one[2] | other[2], is_joined)


def _way(
    region: ir.Region, block: ir.Block, before: dict[ir.Block, int], deepest: int
) -> tuple[Steps, ir.Block, frozenset[ir.Block]] | None:
    """Return a way's steps, the block after it, and its blocks; None where it does more than bind names."""
    steps: Steps = []
    blocks: set[ir.Block] = set()
    entrances = 1
    while before[block] == entrances and not block.is_header:
        for step in block.steps:
            if not isinstance(step, ir.Bind):
                return None
            steps.append(step)
        blocks.add(block)
        if isinstance(block.end, ir.Jump):
            return steps, block.end.target, frozenset(blocks)
        inner = ways_of(region, block.end, before, deepest) if isinstance(block.end, ir.Branch) else None
        if inner is None:
            return None
        steps.append(Inner(inner.end.test, inner.ways, inner.is_joined))
        blocks |= inner.blocks
        block, entrances = inner.after, 2
    return None
