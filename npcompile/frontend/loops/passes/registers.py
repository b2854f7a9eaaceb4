"""Finds items of arrays that innermost loops over ranges can keep in local variables: scalar replacement.

The item's array and indices do not change in the loop. It is loaded before the first trip and stored back
where the loop ends or leaves. Python sees no difference: no other thread runs in the meantime, and the loop's
other items share no memory with it, which is checked by addresses before the first trip.
"""

from __future__ import annotations

from collections.abc import Iterator

from npcompile.frontend.loops.passes.bounds_checks import accesses_of
from npcompile.lower.loops import ir
from npcompile.lower.loops.affine import is_used_before
from npcompile.lower.loops.register_ir import Carried, Register, Registers, has_place, place_text, varies
from npcompile.lower.loops.types import Array

# Steps, ends and expressions that use no memory but items of arrays, and never let other threads run.
_STEPS = (ir.Bind, ir.StoreItem, ir.Jump, ir.Branch, ir.NextOfRange)
_EXPRESSIONS = (
    *(ir.Constant, ir.Unused, ir.Read, ir.Apply, ir.Item),
    *(ir.Length, ir.Choose, ir.MakeTuple, ir.Part),
)
_Use = ir.Item | ir.StoreItem


def keep(region: ir.Region) -> None:
    """Note in a region the items that its loops without bounds checks can keep in local variables."""
    for header, loop in region.fast_loops.items():
        if header not in region.shared and isinstance(header.end, ir.NextOfRange):
            loop.kept = _registers(loop)


def _registers(loop: ir.FastLoop) -> Registers | None:
    """Return the items that a loop can keep.

    Integers that each trip stores, and that come from others of their array, are not kept: the C++ compiler
    then reads several of those at once, and a processor waits for such a load where one of them has just been
    stored. A store under a condition of data is a branch, which costs more.
    """
    blocks = sorted(loop.blocks, key=lambda one: one.label)
    steps = [one for block in blocks for one in (*block.steps, block.end)]
    uses = [node for one in steps for node in accesses_of(one)]
    if not all(isinstance(one, _STEPS) and _is_plain(ir.expressions_of(one)) for one in steps):
        return None
    bound = loop.items | {step.name for step in steps if isinstance(step, ir.Bind)}
    if not all(isinstance(node.array, ir.Read) and node.array.name not in bound for node in uses):
        return None
    places: dict[str, list[_Use]] = {}
    elsewhere = [node for node in uses if not has_place(loop, node)]
    for node in uses:
        if has_place(loop, node):
            places.setdefault(place_text(node), []).append(node)
    fixed = {
        place: nodes
        for place, nodes in places.items()
        if not any(varies(index, loop.items) for index in nodes[0].indices)
    }
    chosen = {
        place: nodes
        for place, nodes in fixed.items()
        if _is_stored(nodes)
        and not _has_array(elsewhere, nodes[0])
        and not (
            _is_exact(nodes[0])
            and _in_each_trip(loop, nodes)
            and _has_array([node for node in uses if node not in nodes], nodes[0])
        )
    }
    others = [node for place, nodes in places.items() if place not in chosen for node in nodes]
    if _is_stored([*others, *elsewhere]):  # else the C++ compiler keeps items that are only read
        stores: list[_Use] = [node for node in elsewhere if isinstance(node, ir.StoreItem)]
        chosen |= {
            place: nodes
            for place, nodes in fixed.items()
            if not _is_stored(nodes) and not _has_array(stores, nodes[0])
        }
    made: list[Register] = []
    compared: set[str] = set()
    for place, nodes in chosen.items():
        compared.add(place)
        is_stored = _is_stored(nodes)
        apart = [
            group[0]
            for other, group in places.items()
            if other not in compared and (is_stored or _is_stored(group))
        ]
        arrays = {
            str(node.array): node.array for node in elsewhere if is_stored or isinstance(node, ir.StoreItem)
        }
        always = is_stored and _in_each_trip(loop, nodes)
        made.append(Register(tuple(nodes), is_stored, always, tuple(apart), tuple(arrays.values())))
    kept = {node for one in made for node in one.uses}
    rest = [nodes for nodes in places.values() if nodes[0] not in kept]
    carried = tuple(_carried(loop, rest, [node for node in elsewhere if isinstance(node, ir.StoreItem)]))
    return Registers(tuple(made), carried) if made or carried else None


def _carried(loop: ir.FastLoop, places: list[list[_Use]], elsewhere: list[ir.StoreItem]) -> Iterator[Carried]:
    """Yield the items that trips read where the trip before has stored. elsewhere: stores at other places."""
    end = loop.header.end
    assert isinstance(end, ir.NextOfRange)
    stored = [nodes for nodes in places if _is_stored(nodes)] if end.kind.stride else []
    for nodes in stored:
        if not _in_each_trip(loop, nodes) or _has_array([*elsewhere], nodes[0]):
            continue
        for others in places:
            if _is_stored(others) or not is_used_before(
                others[0], nodes[0], loop.items, end.kind.stride or 1
            ):
                continue
            loads = tuple(node for node in others if isinstance(node, ir.Item))
            stores = tuple(node for node in nodes if isinstance(node, ir.StoreItem))
            apart = [group for group in stored if group is not nodes]
            firsts = (next(node for node in group if isinstance(node, ir.StoreItem)) for group in apart)
            arrays = {str(node.array): node.array for node in elsewhere}
            yield Carried(loads, stores, tuple(firsts), tuple(arrays.values()))


def _is_plain(nodes: tuple[ir.Expression, ...]) -> bool:
    return all(isinstance(node, _EXPRESSIONS) and _is_plain(ir.parts_of(node)) for node in nodes)


def _is_exact(node: _Use) -> bool:
    """Tell if an item is an integer, so that the C++ compiler may sum up several at once."""
    return isinstance(node.array.type, Array) and node.array.type.item.kind in "biu"


def _is_stored(nodes: list[_Use]) -> bool:
    return any(isinstance(node, ir.StoreItem) for node in nodes)


def _has_array(nodes: list[_Use], of: _Use) -> bool:
    """Tell if some of the items are of one item's array."""
    return any(str(node.array) == str(of.array) for node in nodes)


def _in_each_trip(loop: ir.FastLoop, nodes: list[_Use]) -> bool:
    """Tell if no way through the loop's body comes back to the header without one of some stores."""
    assert isinstance(loop.header.end, ir.NextOfRange)
    seen: set[ir.Block] = set()
    pending = [loop.header.end.body]
    while pending:
        block = pending.pop()
        if block is loop.header:
            return False
        if block in seen or block not in loop.blocks or any(step in nodes for step in block.steps):
            continue
        seen.add(block)
        pending += ir.targets(block.end)
    return True
