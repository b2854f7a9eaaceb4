"""Writes the C++ of lists: their items, read and stored, and the operations that change them."""

from __future__ import annotations

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.array_code import inside
from npcompile.lower.loops.codegen.c_types import c_type, item_kind
from npcompile.lower.loops.codegen.emitter import Emitter, does, writes
from npcompile.lower.loops.codegen.iterator_code import leave_if_uneven
from npcompile.lower.loops.list_ir import (
    Append,
    ChangeList,
    CheckListLength,
    Expected,
    Extend,
    HasItems,
    Insert,
    Joined,
    ListItem,
    ListLength,
    ListOfRange,
    ListPart,
    ListSlice,
    NewList,
    NextOfUnknown,
    RemoveItem,
    Repeated,
    StoreListItem,
    StoreSlice,
)
from npcompile.lower.loops.types import BOOL, INT


def made_by(emitter: Emitter, kind: ir.Type, function: str, operands: list[str]) -> str:
    """Write the call of a C++ function that makes an object, which lasts as long as the step; return it."""
    made = emitter.kept(kind)
    emitter.leave_if(f"npl::{function}({', '.join([made, *operands])})")
    return made


@writes(NewList)
def _new(emitter: Emitter, node: NewList) -> str:
    return made_by(emitter, node.type, "new_list", [emitter.value(item) for item in node.items])


@writes(Repeated)
def _repeated(emitter: Emitter, node: Repeated) -> str:
    operands = [emitter.value(node.source), emitter.value(node.count)]
    return made_by(emitter, node.type, "repeat", operands)


@writes(ListPart)
def _part(emitter: Emitter, node: ListPart) -> str:
    source = emitter.value(node.source)
    bounds = []
    for bound, otherwise in ((node.start, "0"), (node.stop, f"{source}.held->size")):
        if bound is None:
            bounds.append(otherwise)
        else:
            bounds.append(f"npl::wrapped({emitter.value(bound)}, {source}.held->size)")
    return made_by(emitter, node.type, "part", [source, *bounds])


def _slice(emitter: Emitter, *bounds: ir.Expression | None) -> str:
    """Return a slice object, null where Python could not make it."""
    given = ["nullptr" if one is None else f"PyLong_FromLongLong({emitter.value(one)})" for one in bounds]
    return f"npl::new_slice({', '.join(given)})"


@writes(ListSlice)
def _slice_of_list(emitter: Emitter, node: ListSlice) -> str:
    bounds = _slice(emitter, node.start, node.stop, node.step)
    return made_by(emitter, node.type, "slice", [emitter.value(node.source), bounds])


@writes(ListOfRange)
def _of_range(emitter: Emitter, node: ListOfRange) -> str:
    start, stop, stride = map(emitter.value, (node.start, node.stop, node.stride))
    emitter.leave_if(f"{stride} == 0")
    return made_by(emitter, node.type, "list_of_range", [f"npl::begin_range({start}, {stop}, {stride})"])


@writes(Joined)
def _joined(emitter: Emitter, node: Joined) -> str:
    return made_by(emitter, node.type, "join", [emitter.value(node.first), emitter.value(node.second)])


def is_same_object(node: Expected) -> bool:
    """Tell if a value is used as it is: a view of a dict is held as the dict, a method as its owner."""
    return c_type(node.type) == c_type(node.source.type)


@writes(Expected)
def _expected(emitter: Emitter, node: Expected) -> str:
    if is_same_object(node):
        return emitter.value(node.source)
    return emitter.hold(node.type, f"{{{emitter.value(node.source)}.held}}")


@writes(ListLength)
def _length(emitter: Emitter, node: ListLength) -> str:
    return emitter.hold(INT, f"npl::list_length({emitter.value(node.source)})")


@writes(HasItems)
def _truth(emitter: Emitter, node: HasItems) -> str:
    return emitter.hold(BOOL, f"npl::list_length({emitter.value(node.source)}) != 0")


def _place(emitter: Emitter, source: str, index: ir.Expression) -> str:
    """Return the place of an item, after the check that it is there."""
    return inside(emitter, index, f"npl::list_length({source})")


@writes(ListItem)
def _item(emitter: Emitter, node: ListItem) -> str:
    source = emitter.value(node.source)
    place = _place(emitter, source, node.index)
    answer = emitter.fresh(node.type)
    emitter.leave_if(f"npl::item({source}, {place}, {answer})")
    return answer


def leave_unless_boxed(emitter: Emitter, function: str, value: ir.Expression, operands: list[str]) -> None:
    """Write the call of a function that makes an object of a value; leave if it does not."""
    arguments = ", ".join([*operands, emitter.value(value)])
    emitter.leave_if(f"npl::{function}<{item_kind(value.type)}>({arguments})")


@does(CheckListLength)
def _check(emitter: Emitter, step: CheckListLength) -> None:
    emitter.leave_if(f"npl::list_length({emitter.value(step.source)}) != {step.count}")


@does(Append)
def _append(emitter: Emitter, step: Append) -> None:
    leave_unless_boxed(emitter, "append", step.value, [emitter.value(step.target)])


@does(Insert)
def _insert(emitter: Emitter, step: Insert) -> None:
    leave_unless_boxed(emitter, "insert", step.value, [emitter.value(step.target), emitter.value(step.index)])


@does(StoreListItem)
def _store(emitter: Emitter, step: StoreListItem) -> None:
    target = emitter.value(step.target)
    emitter.value(step.value)
    leave_unless_boxed(emitter, "store", step.value, [target, _place(emitter, target, step.index)])


@does(StoreSlice)
def _store_slice(emitter: Emitter, step: StoreSlice) -> None:
    target = emitter.value(step.target)
    value = "nullptr" if step.value is None else f"{emitter.value(step.value)}.held"
    bounds = _slice(emitter, step.start, step.stop, step.step)
    emitter.leave_if(f"npl::store_slice({target}, {bounds}, {value})")


@does(RemoveItem)
def _remove(emitter: Emitter, step: RemoveItem) -> None:
    target = emitter.value(step.target)
    emitter.lines.append(f"npl::remove({target}, {_place(emitter, target, step.index)});")


@does(Extend)
def _extend(emitter: Emitter, step: Extend) -> None:
    emitter.leave_if(f"npl::extend({emitter.value(step.target)}, {emitter.value(step.value)})")


@does(ChangeList)
def _change(emitter: Emitter, step: ChangeList) -> None:
    emitter.lines.append(f"npl::{step.method}({emitter.value(step.target)});")


@does(NextOfUnknown)
def _next(emitter: Emitter, end: NextOfUnknown) -> None:
    state = emitter.variable(end.state, end.kind)
    leave_if_uneven(emitter, end.kind, state)
    emitter.leave_if(f"npl::more({state})")
    emitter.lines.append(f"goto {emitter.label(end.target)};")
