"""Writes the C++ of iterators over arrays and tuples, with numbers and side by side, and of taking items."""

from __future__ import annotations

from collections.abc import Iterator

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.array_code import inside
from npcompile.lower.loops.codegen.c_types import c_type, type_of_state
from npcompile.lower.loops.codegen.emitter import Emitter, does, writes
from npcompile.lower.loops.codegen.taking_code import take
from npcompile.lower.loops.iterator_ir import (
    CheckLength,
    CountedIterator,
    CountedState,
    ItemsIterator,
    ItemsState,
    PartsState,
    RangeIterator,
    TupleItem,
    ZippedIterator,
    ZippedState,
)
from npcompile.lower.loops.types import Tuple

LARGEST = 1 << 62  # numbers from here on are Python's


@type_of_state(ItemsState)
def _items_type(kind: ItemsState) -> str:
    return f"npl::items<{c_type(kind.source)}, {kind.step}>"


@type_of_state(PartsState)
def _parts_type(kind: PartsState) -> str:
    return f"npl::parts<{c_type(kind.item)}, {len(kind.source.items)}, {kind.step}>"


@type_of_state(CountedState)
def _counted_type(kind: CountedState) -> str:
    return f"npl::enumerated<{c_type(kind.items)}>"


@type_of_state(ZippedState)
def _zipped_type(kind: ZippedState) -> str:
    return f"npl::zipped<{', '.join(map(c_type, kind.parts))}>"


@writes(RangeIterator)
def _range(emitter: Emitter, node: RangeIterator) -> str:
    start, stop, stride = map(emitter.value, (node.start, node.stop, node.stride))
    if not isinstance(node.stride, ir.Constant):
        emitter.leave_if(f"{stride} == 0")
    return emitter.hold(node.type, f"npl::begin_range({start}, {stop}, {stride})")


@writes(ItemsIterator)
def _items(emitter: Emitter, node: ItemsIterator) -> str:
    source = emitter.value(node.source)
    if isinstance(node.type, ItemsState):
        return emitter.hold(node.type, f"npl::begin_items<{node.type.step}>({source})")
    kind = node.type
    assert isinstance(kind, PartsState)
    item, count = c_type(kind.item), len(kind.source.items)
    return emitter.hold(kind, f"npl::begin_parts<{item}, {count}, {kind.step}>({source}, {node.taken})")


@writes(CountedIterator)
def _counted(emitter: Emitter, node: CountedIterator) -> str:
    items, start = emitter.value(node.items), emitter.value(node.start)
    if not isinstance(node.start, ir.Constant):
        emitter.leave_if(f"{start} >= {LARGEST}")
    return emitter.hold(node.type, f"{{{start}, {items}}}")


@writes(ZippedIterator)
def _zipped(emitter: Emitter, node: ZippedIterator) -> str:
    iterators = [emitter.value(one) for one in node.iterators]
    return emitter.hold(node.type, f"{{{{{', '.join(iterators)}}}}}")


@writes(TupleItem)
def _item(emitter: Emitter, node: TupleItem) -> str:
    assert isinstance(node.source.type, Tuple)
    source = emitter.value(node.source)
    place = inside(emitter, node.index, f"int64_t({len(node.source.type.items)})")
    return emitter.hold(node.type, f"npl::item_at({source}, {place})")


@does(CheckLength)
def _check(emitter: Emitter, step: CheckLength) -> None:
    emitter.leave_if(f"{emitter.value(step.array)}.shape[0] != {step.count}")


def leave_if_uneven(emitter: Emitter, kind: ir.State, state: str) -> None:
    """Leave where an iterator has come to an end before another one that is to end with it."""
    for states in _strict(kind, state):
        emitter.leave_if(f"!npl::more({states}) && npl::any_more({states})")


def _strict(kind: ir.State, state: str) -> Iterator[str]:
    """Yield the C++ of the iterators that are to end together, one text for each `zip` that asks for it."""
    match kind:
        case CountedState(items=items):
            yield from _strict(items, f"{state}.state")
        case ZippedState(parts=parts, strict=strict):
            for place, part in enumerate(parts):
                yield from _strict(part, f"{state}.states{'.rest' * place}.first")
            if strict:
                yield f"{state}.states"


@does(ir.Next)
def _next(emitter: Emitter, end: ir.Next) -> None:
    if not emitter.is_counted:
        state = emitter.variable(end.state, end.kind)
        leave_if_uneven(emitter, end.kind, state)
        emitter.lines.append(f"if (!npl::more({state})) {emitter.go(end.exhausted, ends=True)}")
    take(emitter, end)
    emitter.lines.append(f"goto {emitter.label(end.body)};")
