"""Finds the regions that GCC may vectorise by vectors as wide as the processor has them.

By vectors of 64 bytes GCC 12 gives wrong values where a loop reads or changes neighbouring items of rows that
lie apart. So all others have vectors of 32 bytes: wide ones are for loops whose trips go from an item to the
next one in memory, or stay at an item.
"""

from __future__ import annotations

from collections.abc import Iterator

from npcompile.lower.loops import ir
from npcompile.lower.loops.affine import affine
from npcompile.lower.loops.codegen.nesting import innermost, natural_loops
from npcompile.lower.loops.iterator_ir import CountedState, ItemsState, ZippedState
from npcompile.lower.loops.register_ir import varies
from npcompile.lower.loops.select_ir import Masked, Select
from npcompile.lower.loops.subexpressions import subexpressions
from npcompile.lower.loops.types import Array

_STEPS = (ir.Bind, ir.BeginRange, ir.StoreItem, ir.Jump, ir.Branch, ir.Next)
_EXPRESSIONS = (
    *(ir.Constant, ir.Unused, ir.Read, ir.Apply, ir.Item, ir.Length, ir.Choose, ir.MakeTuple, ir.Part),
    *(Select, Masked),
)


def width_of(region: ir.Region) -> str:
    """Return what stands before the C++ function of a region, for the width of its vectors."""
    return "NPL_WIDE " if has_wide_vectors(region) else ""


def has_wide_vectors(region: ir.Region) -> bool:
    """Tell if all loops of a region go through memory item by item, and there is an innermost one."""
    loops = natural_loops(region)
    last = innermost(region) & loops.keys()
    within = {block for header, blocks in loops.items() for block in blocks if header not in last}
    states = {header.end.state for header in loops if isinstance(header.end, ir.Next)}
    return (
        bool(last)
        and not any(_begins_constant_range(block, states) for block in within)  # GCC may write its loop out
        and not any(function.body is not None for function in region.functions)
        and all(_goes_item_by_item(header, loops[header]) for header in last)
    )


def _begins_constant_range(block: ir.Block, states: set[str]) -> bool:
    """Tell if a block begins a loop over a range whose length is known while compiling. states: of loops."""
    for step in block.steps:
        if isinstance(step, ir.BeginRange) and step.state in states:
            start, stop = affine(step.start, set()), affine(step.stop, set())
            if start is not None and stop is not None and not stop.plus(start, -1).terms:
                return True
    return False


def _goes_item_by_item(header: ir.Block, blocks: set[ir.Block]) -> bool:
    """Tell if each item that an innermost loop uses is the next one in each trip, or the same one."""
    end = header.end
    if not isinstance(end, ir.Next) or not _is_packed(end.kind):
        return False
    steps = [step for block in blocks for step in (*block.steps, block.end) if step is not None]
    nodes = [*subexpressions(node for step in steps for node in ir.expressions_of(step))]
    if not all(isinstance(step, _STEPS) for step in steps):
        return False
    if not all(isinstance(node, _EXPRESSIONS) for node in nodes):
        return False
    items = _numbers(end, steps)
    changed = {name for step in steps for name in ir.bound_by(step)} - items
    stores = [step for step in steps if isinstance(step, ir.StoreItem)]
    places = {(str(step.array), str([*map(str, step.indices)])) for step in stores}
    return len(places) == len({array for array, _ in places}) and all(
        _is_next_or_same(node, items, changed) for node in _accesses(stores, nodes)
    )


def _is_packed(kind: ir.State) -> bool:
    """Tell if an iterator gives numbers one by one, or neighbouring items of arrays."""
    match kind:
        case ir.RangeState(stride=stride):
            return stride == 1
        case ItemsState(source=Array(ndim=1, packed=True), step=1):
            return True
        case CountedState(items=items):
            return _is_packed(items)
        case ZippedState(parts=parts):
            return all(map(_is_packed, parts))
    return False


def _numbers(end: ir.Next, steps: list[ir.Step | ir.End]) -> set[str]:
    """Return the names of a range's number, or of the number that `enumerate` counts."""
    names = [name for step in steps for name in ir.bound_by(step)]
    found = {end.item} if isinstance(end, ir.NextOfRange) else set[str]()
    for step in end.body.steps:
        match step:
            case ir.Bind(name=name, value=ir.Read(name=read)) if read in found and names.count(name) == 1:
                found.add(name)
            case ir.Bind(name=name, value=ir.Part(whole=ir.Read(name=read), index=0)) if (
                read == end.item and isinstance(end.kind, CountedState) and names.count(name) == 1
            ):
                found.add(name)
    return found


def _accesses(stores: list[ir.StoreItem], nodes: list[ir.Expression]) -> Iterator[ir.Item | ir.StoreItem]:
    yield from stores
    yield from (node for node in nodes if isinstance(node, ir.Item))


def _is_next_or_same(node: ir.Item | ir.StoreItem, items: set[str], changed: set[str]) -> bool:
    """Tell if an item is the next one in memory in each trip, or the same one."""
    kind = node.array.type
    assert isinstance(kind, Array)
    if (
        kind.item.kind == "c"
        or varies(node.array, changed)
        or any(varies(index, changed) for index in node.indices)
    ):
        return False
    factors = [None if (form := affine(index, items)) is None else form.factor for index in node.indices]
    if None in factors or any(factors[:-1]):
        return False
    return not any(factors) or (factors[-1] == 1 and kind.packed)
