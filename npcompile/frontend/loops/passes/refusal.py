"""Tells if a typed region is to have no native code: its trips leave, or it tells numbers apart by `is`."""

from __future__ import annotations

from typing import NamedTuple

from npcompile.frontend.loops.source.identity import COMPARED
from npcompile.lower.loops import ir
from npcompile.lower.loops.dict_ir import DictItem, ObjectState
from npcompile.lower.loops.iterator_ir import ItemsState
from npcompile.lower.loops.list_array_ir import ArrayOfList
from npcompile.lower.loops.list_ir import ListItem
from npcompile.lower.loops.random_ir import Draw
from npcompile.lower.loops.types import Array, List
from npcompile.lower.loops.view_ir import View


class Refusal(NamedTuple):
    """The reason why a loop is left to Python, and the line that it lies on, where there is one."""

    why: str
    line: int | None = None

    @property
    def told(self) -> str:
        """Return what becomes of the loop, and why, as users are told it."""
        return f"left to Python: {self.why}{'' if self.line is None else f' (line {self.line})'}"


def refusal(region: ir.Region) -> Refusal | None:
    """Return why native code is not to be made; None where it is.

    A loop that was reached needs a way from its header, through a trip, to its header again. Python would
    find other objects by `is` than it has bound.
    """
    bodies = [function.body for function in region.functions if function.body is not None]
    for block in (block for one in (region, *bodies) for block in one.blocks):
        if isinstance(block.end, ir.Leave) and (block.end.why or "").endswith(COMPARED):
            return Refusal(COMPARED, block.end.line)
    headers = {block.source for block in region.blocks if block.is_header}
    for header in headers:
        versions = [block for block in region.blocks if block.source == header and block.is_header]
        reached, reasons = _reached(versions)
        if header not in reached and reasons:
            return reasons[0]
    return None


def goes_over_items(region: ir.Region) -> bool:
    """Tell if a region works on numbers alone, or on items or parts of arrays that each trip chooses."""
    regions = [region, *(function.body for function in region.functions if function.body is not None)]
    for one in regions:
        kinds = [*one.names.values(), *(kind for kinds in one.stored.values() for kind in kinds)]
        if any(isinstance(kind, ir.State) and not _is_plain(kind) for kind in kinds):
            return True
    blocks = [block for one in regions for block in one.blocks]
    steps = [step for block in blocks for step in (*block.steps, block.end)]
    return any(map(_chooses, steps)) or not any(map(_takes_arrays, steps))


def _is_plain(state: ir.State) -> bool:
    """Tell if a loop over something tells nothing of arrays: it goes over a range, list, dict or set."""
    return isinstance(state, ir.RangeState | ObjectState) or (
        isinstance(state, ItemsState) and isinstance(state.source, List)
    )


def _chooses(step: ir.Step | ir.End | None) -> bool:
    """Tell if a step reads, stores or draws an item, or reads a part at a place that it works out."""
    if isinstance(step, ir.StoreItem | Draw):
        return True
    pending = list(ir.expressions_of(step))
    while pending:
        node = pending.pop()
        if isinstance(node, ir.Item | ListItem | DictItem):
            return True
        parts = ir.parts_of(node)
        if isinstance(node, View) and not all(isinstance(one, ir.Constant) for one in parts[1:]):
            return True
        pending += parts
    return False


def _takes_arrays(step: ir.Step | ir.End | None) -> bool:
    """Tell if a step works on arrays: lengths are numbers, and arrays of lists are made of numbers."""
    pending = list(ir.expressions_of(step))
    while pending:
        node = pending.pop()
        if isinstance(node.type, Array) and node.type.ndim and not isinstance(node, ArrayOfList):
            return True
        pending += [] if isinstance(node, ir.Length) else ir.parts_of(node)
    return False


def _reached(start: list[ir.Block]) -> tuple[set[int], list[Refusal]]:
    """Return the numbers of blocks that come after some, and the reasons for which native code leaves
    there.
    """
    seen: set[ir.Block] = set()
    found: set[int] = set()
    reasons: list[Refusal] = []
    pending = list(start)
    while pending:
        block = pending.pop()
        if block in seen:
            continue
        seen.add(block)
        if isinstance(block.end, ir.Leave) and block.end.why is not None:
            reasons.append(Refusal(block.end.why, block.end.line))
        for target in ir.targets(block.end):
            found.add(target.source)
            pending.append(target)
    return found, reasons
