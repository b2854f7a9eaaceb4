"""Gives `while` loops that take bits from an int a version for ints that are not negative: of few trips.

`while x: x &= x - 1` ends after 63 trips at most, unless the int is negative: then it goes on until the int
is beyond 64 bits. Where nothing bounds the int (`x = int(a[i])`), its sign is asked before the loop.
"""

from __future__ import annotations

import ast

from npcompile.frontend.loops.passes.copies import copied, is_plain, led
from npcompile.frontend.loops.passes.intervals import bound
from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.nesting import natural_loops, predecessors
from npcompile.lower.loops.codegen.short_loops import is_taken_from, name_while_not_zero
from npcompile.lower.loops.operation import Operation
from npcompile.lower.loops.types import BOOL, INT

MOST_BLOCKS = 12  # of a loop that has two versions
MOST_IN_REGION = 240
_IS_AT_LEAST = Operation("npl::greater_equal<int64_t>", (INT, INT), BOOL)


def split_by_sign(region: ir.Region) -> None:
    """Copy the loops of a region whose ints may be negative, and bound the ints of the copies."""
    found = [
        (header, blocks, name)
        for header, blocks in natural_loops(region).items()
        if (name := _asked(region, header, blocks)) is not None
    ]
    for header, blocks, name in found:
        if len(region.blocks) <= MOST_IN_REGION:
            _split(region, header, blocks, name)
    if found:
        bound(region)


def _asked(region: ir.Region, header: ir.Block, blocks: set[ir.Block]) -> str | None:
    """Return the int of whose sign the number of a loop's trips depends; None if there is none."""
    end = header.end
    if not isinstance(end, ir.Branch) or header.steps or header is region.entry:
        return None
    name = name_while_not_zero(end.test)
    if name is None or any(
        isinstance(part, ir.Read) and part in region.nonnegative for part in ir.parts_of(end.test)
    ):
        return None
    if len(blocks) > MOST_BLOCKS or sum(block.is_header for block in blocks) > 1:
        return None
    steps = [step for block in blocks for step in (*block.steps, block.end) if step is not None]
    return name if all(map(is_plain, steps)) and is_taken_from(header, blocks, name) else None


def _split(region: ir.Region, header: ir.Block, blocks: set[ir.Block], name: str) -> None:
    """Copy a loop, and choose between it and the copy where it is entered."""
    versions: dict[int, int] = {}
    for block in region.blocks:
        versions[block.source] = max(versions.get(block.source, 0), block.version)

    def made(block: ir.Block, is_header: bool) -> ir.Block:
        versions[block.source] += 1
        return ir.Block(block.source, versions[block.source], block.types, is_header=is_header)

    inside = [block for block in region.blocks if block in blocks]
    copies = {block: made(block, block.is_header) for block in inside}
    for block, copy in copies.items():
        known: dict[object, object] = {}
        copy.steps += [copied(step, {}, known) for step in block.steps]
        copy.end = led(copied(block.end, {}, known), lambda block: copies.get(block, block))
    chooser, end = made(header, False), header.end
    assert end is not None
    test = ir.Apply(BOOL, _IS_AT_LEAST, (ir.Read(INT, name), ir.integer(0)), ast.GtE)
    chooser.end = ir.Branch(end.place, end.line, test, copies[header], header)
    for block in predecessors(region)[header]:
        if block not in blocks:
            block.end = led(block.end, lambda block: chooser if block is header else block)
    region.blocks += [chooser, *copies.values()]
