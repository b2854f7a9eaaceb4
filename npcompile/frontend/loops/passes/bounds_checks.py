"""Takes checks out of innermost `for` loops: they are made before the first trip, for all trips.

An index that is affine in the item of a range, or in the number of an item of `enumerate`, is within an axis
for all items if it is for the first and for the last. An int to which trips add `LITTLE` at most stays one of
64 bits if it is small before the first trip. The loop knows beforehand how many trips there are.
Where a check does not hold, the loop goes with a check at each item: exceptions come where they should.
Loops that work on parts of arrays take long beside the checks of items, and are written once.
"""

from __future__ import annotations

import ast
from collections.abc import Container
from functools import partial
from typing import NamedTuple

from npcompile.frontend.loops.passes.guesses import LITTLE, guessed, little_sums
from npcompile.frontend.loops.passes.intervals import added_interval
from npcompile.frontend.loops.passes.moves import Moved, moves_of
from npcompile.frontend.loops.passes.partial_sums import partial_sums
from npcompile.frontend.loops.passes.whole_arrays import works_on_arrays
from npcompile.frontend.loops.passes.wrapping_indices import is_wrapping_sum
from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.nesting import in_each_trip, natural_loops
from npcompile.lower.loops.iterator_ir import CountedState, PartsState, is_finite
from npcompile.lower.loops.register_ir import varies
from npcompile.lower.loops.types import INT, Array


def hoist(region: ir.Region) -> None:
    """Note in a region the innermost `for` loops that have a version without checks."""
    for header, blocks in natural_loops(region).items():
        if (
            isinstance(header.end, ir.Next)
            and is_finite(header.end.kind)
            and not isinstance(header.end.kind, PartsState)  # tuples have few items
            and not any(block.is_header for block in blocks if block is not header)
            and not any(map(works_on_arrays, blocks))
        ):
            made = _fast_loop(region, header, header.end, blocks)
            if made is not None:
                region.fast_loops[header] = made


def _fast_loop(
    region: ir.Region, header: ir.Block, end: ir.Next, blocks: set[ir.Block]
) -> ir.FastLoop | None:
    binds = [step for block in blocks for step in block.steps if isinstance(step, ir.Bind)]
    names = [end.item, *(step.name for step in binds)]
    items = _numbers(end, names)
    calls = [step for block in blocks for step in block.steps if isinstance(step, ir.CallFunction)]
    called = {name for step in calls for name in (step.name, *step.function.changed)}
    changed = {*names, *called} - items
    made = ir.FastLoop(header, blocks, items, [], set())
    moved = _moved(header, blocks)
    known: set[tuple[str, int, str, int]] = set()
    moves = {name: place for name, (_, place) in moved.items()}
    for block in sorted(blocks, key=lambda one: one.label):
        for number, one in enumerate((*block.steps, block.end)):
            for node in accesses_of(one):
                if not isinstance(node.array, ir.Read) or node.array.name in changed:
                    continue
                if not all(
                    _is_affine(region, index, items, changed)
                    or is_wrapping_sum(region, end, index, changed)
                    or _is_moved(region, index, moves)
                    for index in node.indices
                ):
                    continue
                made.unchecked.add(node)
                for axis, index in enumerate(node.indices):
                    after = [place for name, place in moves.items() if varies(index, {name})]
                    access = ir.Access(
                        node.array, axis, index, int(any(_is_after(place, block, number) for place in after))
                    )
                    key = node.array.name, axis, str(index), access.moves
                    if key not in known:
                        known.add(key)
                        made.accesses.append(access)
    made.moved = {
        name: by
        for name, (by, _) in moved.items()
        if any(varies(access.index, {name}) for access in made.accesses)
    }
    made.sums = little_sums(region, header, blocks, partial(added_interval, region))
    made.partial = partial_sums(region, made)
    made = guessed(region, made) or made
    return made if made.unchecked or made.sums or made.partial else None


def _numbers(end: ir.Next, names: list[str]) -> set[str]:
    """Return the names that have the number that a range or `enumerate` counts. names: those bound."""
    items = {end.item} if isinstance(end, ir.NextOfRange) else set[str]()
    for step in end.body.steps:  # the target of the loop has the item's value before anything else is done
        match step:
            case ir.Bind(name=name, value=ir.Read(name=read)) if read in items:
                pass
            case ir.Bind(name=name, value=ir.Part(whole=ir.Read(name=read), index=0)) if (
                read == end.item and isinstance(end.kind, CountedState)
            ):
                pass
            case ir.Bind(value=ir.Read() | ir.Part(whole=ir.Read())) if isinstance(end.kind, CountedState):
                continue
            case _:
                break
        if names.count(name) == 1:
            items.add(name)
    return items


class _Place(NamedTuple):
    """A step of a loop's, and the blocks that come after its block in a trip."""

    block: ir.Block
    number: int
    after: set[ir.Block]


def _moved(header: ir.Block, blocks: set[ir.Block]) -> dict[str, tuple[int, _Place]]:
    """Return the ints that each trip moves by a constant once (`out[k] = x; k += 1`): that, and where."""
    found: dict[str, tuple[int, _Place]] = {}
    bound: list[str] = []
    for block in sorted(blocks, key=lambda one: one.label):
        for number, step in enumerate((*block.steps, block.end)):
            if step is None:
                continue
            bound += ir.bound_by(step)
            if not isinstance(step, ir.Bind) or header.types.get(step.name) != INT or block is header:
                continue
            match moves_of(step.name, step.value):
                case [Moved(node=node, step=ir.Constant(value=by), backward=backward)] if node is step.value:
                    if by <= LITTLE and in_each_trip(header, blocks, block):
                        place = _Place(block, number, _after(block, header, blocks))
                        found[step.name] = -by if backward else by, place
    return {name: one for name, one in found.items() if bound.count(name) == 1}


def _after(block: ir.Block, header: ir.Block, blocks: set[ir.Block]) -> set[ir.Block]:
    """Return the blocks that come after one in a trip."""
    seen: set[ir.Block] = set()
    pending = [*ir.targets(block.end)]
    while pending:
        one = pending.pop()
        if one in blocks and one not in seen and one is not header:
            seen.add(one)
            pending += ir.targets(one.end)
    return seen


def _is_after(place: _Place, block: ir.Block, number: int) -> bool:
    return block in place.after or (block is place.block and number > place.number)


def _is_moved(region: ir.Region, node: ir.Expression, moved: Container[str]) -> bool:
    """Tell if an index is an int that trips move by a constant, and a constant."""
    match node:
        case ir.Apply(operator=ast.Add | ast.Sub, operands=(left, ir.Constant(value=value))):
            return node in region.certain and abs(value) <= LITTLE and _is_moved(region, left, moved)
    return isinstance(node, ir.Read) and node.type == INT and node.name in moved


def accesses_of(step: ir.Step | ir.End | None) -> list[ir.Item | ir.StoreItem]:
    """Return the items that a step or an end reads or stores."""
    found: list[ir.Item | ir.StoreItem] = [step] if isinstance(step, ir.StoreItem) else []
    pending = list(ir.expressions_of(step))
    while pending:
        node = pending.pop()
        if isinstance(node, ir.Item):
            found.append(node)
        pending += ir.parts_of(node)
    return found


def _is_affine(region: ir.Region, node: ir.Expression, items: set[str], changed: set[str]) -> bool:
    """Tell if an index is affine in the loop's item, and cannot overflow."""
    match node:
        case ir.Constant():
            return True
        case ir.Read(name=name, type=kind):
            return name not in changed and kind == INT
        case ir.Length(array=ir.Read(name=name, type=Array())):
            return name not in changed
        case ir.Apply(operator=ast.Add | ast.Sub, operands=operands):
            return node in region.certain and all(
                _is_affine(region, operand, items, changed) for operand in operands
            )
        case ir.Apply(operator=ast.Mult, operands=(left, right)):
            if node not in region.certain or (varies(left, items) and varies(right, items)):
                return False
            return all(_is_affine(region, operand, items, changed) for operand in (left, right))
    return False
