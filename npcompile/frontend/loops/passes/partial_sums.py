"""Finds sums of ints that an innermost loop over small items can make in parts of few bits.

`if a[i] != b[i]: n += 1` compares bytes, and adds to an int of 64 bits. Vectors of bytes are then widened to
eight times as many in each trip. A sum of so many trips that 16 or 32 bits hold it is widened once for all of
these.
"""

from __future__ import annotations

from collections.abc import Iterator

from npcompile.frontend.loops.passes.intervals import added_interval
from npcompile.frontend.loops.passes.moves import choices_of, moves_of
from npcompile.lower.loops import ir
from npcompile.lower.loops.iterator_ir import CountedState, ItemsState, ZippedState
from npcompile.lower.loops.partial_ir import PartialSums
from npcompile.lower.loops.subexpressions import subexpressions
from npcompile.lower.loops.types import INT, Array, Scalar

FEWEST_TRIPS, MOST_TRIPS = 128, 1 << 24  # of a part
_STEPS = (ir.Bind, ir.StoreItem, ir.Jump, ir.Branch, ir.Next)


def partial_sums(region: ir.Region, loop: ir.FastLoop) -> PartialSums | None:
    """Return the sums of a loop that pay in parts; None where there are none.

    A loop may be left at its header alone: there the parts are added to their sums.
    """
    header, end = loop.header, loop.header.end
    assert isinstance(end, ir.Next)
    if header in region.shared or header.steps:
        return None
    steps = [step for block in loop.blocks for step in (*block.steps, block.end) if step is not None]
    if not all(isinstance(step, _STEPS) for step in steps):
        return None
    if any(target not in loop.blocks for block in loop.blocks - {header} for target in ir.targets(block.end)):
        return None
    nodes = [*subexpressions(node for step in steps for node in ir.expressions_of(step))]
    bits = 8 * max(_sizes(end.kind, nodes), default=8)
    if bits > 32 or any(_uses_number(node, loop.items) for node in nodes):
        return None
    most = _most_added(region, header, steps)
    if not most:
        return None
    for size in (16, 32):
        trips = ((1 << size - 1) - 1) // max(1, *most.values())
        if size >= bits and trips >= FEWEST_TRIPS:
            return PartialSums((*sorted(most),), size, min(trips, MOST_TRIPS))
    return None


def _most_added(region: ir.Region, header: ir.Block, steps: list[ir.Step | ir.End]) -> dict[str, int]:
    """Return the ints that trips add to and do not use otherwise, and the most that a trip adds or takes."""
    found: dict[str, int] = {}
    used: dict[str, int] = {}  # how often names are read
    moved: dict[str, int] = {}  # how often for moves
    others = set[str]()
    for step in steps:
        for name in (one.name for one in subexpressions(ir.expressions_of(step)) if isinstance(one, ir.Read)):
            used[name] = used.get(name, 0) + 1
        for name in ir.bound_by(step):
            moves = moves_of(name, step.value) if isinstance(step, ir.Bind) else None
            if not moves or header.types.get(name) != INT:
                others.add(name)
                continue
            assert isinstance(step, ir.Bind)
            moved[name] = moved.get(name, 0) + len([*choices_of(step.value)])  # each reads the name once
            bounds = [added_interval(region, one.step) for one in moves]
            found[name] = found.get(name, 0) + max(max(-least, most) for least, most in bounds)
    return {name: most for name, most in found.items() if name not in others and used[name] == moved[name]}


def _sizes(kind: ir.State, nodes: list[ir.Expression]) -> Iterator[int]:
    """Yield how many bytes the items have that a trip takes."""
    yield from _sizes_of_items(kind)
    for node in nodes:
        if isinstance(node, ir.Item):
            assert isinstance(node.array.type, Array)
            yield int(node.array.type.item.code[1:])


def _sizes_of_items(kind: ir.State) -> Iterator[int]:
    match kind:
        case ItemsState(source=Array(ndim=1, item=Scalar(code=code))):
            yield int(code[1:])
        case CountedState(items=items):
            yield from _sizes_of_items(items)
        case ZippedState(parts=parts):
            for part in parts:
                yield from _sizes_of_items(part)
        case ir.RangeState():
            pass
        case _:
            yield 8


def _uses_number(node: ir.Expression, items: set[str]) -> bool:
    """Tell if an operation computes with the number of a trip: that has 64 bits."""
    return isinstance(node, ir.Apply) and any(
        isinstance(one, ir.Read) and one.name in items for one in node.operands
    )
