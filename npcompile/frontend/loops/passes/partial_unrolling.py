"""Partial unrolling: finds innermost loops of which native code does several trips without a test between.

Two kinds of loops gain by it. In affine recurrences of integers (`recurrences.py`), no trip waits for the
product of the trip before. Loops without branches that store items at places which data tell
(`count[x[i]] += 1`) are vectorised by nothing, and their counters take as long as what they do.
"""

from __future__ import annotations

from npcompile.frontend.loops.passes.recurrences import affine_steps
from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.nesting import natural_loops, predecessors
from npcompile.lower.loops.guess_ir import GuessedLoop
from npcompile.lower.loops.iterator_ir import is_finite
from npcompile.lower.loops.recurrence_ir import AffineStep, Recurrence
from npcompile.lower.loops.select_ir import Masked, Select
from npcompile.lower.loops.subexpressions import subexpressions

MOST_NODES = 40  # of a trip's expressions: what longer trips do takes more time than a product
FEW_NODES = 16
MANY_TRIPS, FEW_TRIPS = 8, 4
_PURE = (ir.Apply, ir.Choose, ir.Constant, ir.Item, ir.Length, ir.Part, ir.Read, Masked, Select)


def unroll_partly(region: ir.Region) -> None:
    """Note in a region the loops of which several trips are to be done at once."""
    before = predecessors(region)
    for header, blocks in natural_loops(region).items():
        loop = region.fast_loops.get(header)
        if header in region.shared or isinstance(loop, GuessedLoop):
            continue
        if loop is not None and loop.partial is not None:
            continue
        if not isinstance(header.end, ir.Next) or not is_finite(header.end.kind) or header.steps:
            continue
        if _is_plain(blocks - {header}):
            found = _composed(region, header, header.end, blocks, before)
            if found is not None:
                region.recurrences[header] = found


def _is_plain(blocks: set[ir.Block]) -> bool:
    """Tell if blocks are few, and do nothing but bind names and store items."""
    steps = [step for block in blocks for step in block.steps]
    nodes = _nodes(blocks)
    return (
        not any(block.is_header for block in blocks)
        and all(isinstance(step, ir.Bind | ir.StoreItem) for step in steps)
        and all(isinstance(block.end, ir.Jump | ir.Branch) for block in blocks)
        and len({*map(str, nodes)}) <= MOST_NODES
        and all(isinstance(node, _PURE) for node in nodes)
    )


def _nodes(blocks: set[ir.Block]) -> list[ir.Expression]:
    steps = (step for block in blocks for step in (*block.steps, block.end))
    return [*subexpressions(node for step in steps for node in ir.expressions_of(step))]


def _in_each_trip(
    end: ir.Next, blocks: set[ir.Block], before: dict[ir.Block, list[ir.Block]]
) -> list[ir.Block]:
    """Return the blocks that each trip does, in order, up to the first branch."""
    found: list[ir.Block] = []
    block = end.body
    while block in blocks and block not in found and len(before[block]) == 1:
        found.append(block)
        if not isinstance(block.end, ir.Jump):
            break
        block = block.end.target
    return found


def _composed(
    region: ir.Region,
    header: ir.Block,
    end: ir.Next,
    blocks: set[ir.Block],
    before: dict[ir.Block, list[ir.Block]],
) -> Recurrence | None:
    """Return the trips of a loop that are to be done at once; None where nothing is gained by that."""
    within = [block for block in region.blocks if block in blocks - {header}]
    first = _in_each_trip(end, {*within}, before)
    steps = [step for block in first for step in block.steps]
    later = {
        name for block in within if block not in first for step in block.steps for name in ir.bound_by(step)
    }
    bound = {end.item, end.state, *later, *(name for step in steps for name in ir.bound_by(step))}
    made: dict[ir.Step, AffineStep] = {}
    names = []
    for name in dict.fromkeys(step.name for step in steps if isinstance(step, ir.Bind)):
        if name in later:
            continue
        if found := affine_steps(region, steps, name, header.types.get(name), bound):
            made |= found
            names.append(name)
    if not names and not (first == within and _scatters(steps, end)):
        return None
    trips = MANY_TRIPS if names and len(_nodes({*within})) <= FEW_NODES else FEW_TRIPS
    rest = [block for block in within if block not in first]
    return Recurrence((*first, *rest), made, trips, tuple(names))


def _scatters(steps: list[ir.Step], end: ir.Next) -> bool:
    """Tell if steps of a trip store an item at a place that data tell: no loop of these is vectorised."""
    numbers = {end.item}  # names of the trip's number
    data = set[str]()
    for step in steps:
        if isinstance(step, ir.Bind):
            is_number = isinstance(step.value, ir.Read) and step.value.name in numbers
            (numbers if is_number and isinstance(end, ir.NextOfRange) else data).add(step.name)
    if not isinstance(end, ir.NextOfRange):
        data.add(end.item)
    stores = [step for step in steps if isinstance(step, ir.StoreItem)]
    return any(
        isinstance(node, ir.Item) or (isinstance(node, ir.Read) and node.name in data)
        for node in subexpressions(index for store in stores for index in store.indices)
    )
