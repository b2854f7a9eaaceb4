"""Writes the C++ of dicts and sets: keys that are looked up, stored and removed, and iterators over them."""

from __future__ import annotations

import collections

from npcompile.lower.loops.codegen.c_types import item_kind, type_of_state
from npcompile.lower.loops.codegen.emitter import Emitter, does, writes
from npcompile.lower.loops.codegen.list_code import made_by
from npcompile.lower.loops.dict_ir import (
    AddItem,
    CheckMissing,
    ClearObject,
    DictCopy,
    DictFind,
    DictGet,
    DictItem,
    EnsureKey,
    FirstItem,
    HasKey,
    ItemCount,
    ListOf,
    NewDict,
    NewSet,
    ObjectIterator,
    ObjectState,
    RemoveKey,
    SetOf,
    StoreKey,
)
from npcompile.lower.loops.types import BOOL, INT, Dict, Either, Type

# The C++ functions that read a value by its key, by the class of the dict.
_READS: dict[type, str] = {
    dict: "key_item",
    collections.defaultdict: "made_item",
    collections.Counter: "counted_item",
}
# Python's classes, of which a defaultdict makes values, as C++ names them.
FACTORIES: dict[type, str] = {
    int: "PyLong_Type",
    float: "PyFloat_Type",
    list: "PyList_Type",
    dict: "PyDict_Type",
    set: "PySet_Type",
}


@type_of_state(ObjectState)
def _state_type(kind: ObjectState) -> str:
    return f"npl::object_items<{item_kind(kind.known_item)}>"


# -- new objects -------------------------------------------------------------------------------------------


@writes(NewDict)
def _new_dict(emitter: Emitter, node: NewDict) -> str:
    assert isinstance(node.type, Dict)
    pairs = [
        (emitter.value(key), emitter.value(value)) for key, value in zip(node.keys, node.values, strict=True)
    ]
    if node.type.factory is not None:
        return made_by(emitter, node.type, "new_defaultdict", [FACTORIES[node.type.factory]])
    made = made_by(emitter, node.type, "new_dict", [])
    for key, value, (one, other) in zip(node.keys, node.values, pairs, strict=True):
        kinds = f"{item_kind(key.type)}, {item_kind(value.type)}"
        emitter.leave_if(f"npl::store_key<{kinds}>({made}, {one}, {other})")
    return made


@writes(NewSet)
def _new_set(emitter: Emitter, node: NewSet) -> str:
    return made_by(emitter, node.type, "new_set", [emitter.value(item) for item in node.items])


@writes(SetOf)
def _set_of(emitter: Emitter, node: SetOf) -> str:
    return made_by(emitter, node.type, "set_of_items", [emitter.value(node.source)])


@writes(ListOf)
def _list_of(emitter: Emitter, node: ListOf) -> str:
    return made_by(emitter, node.type, "list_of_items", [emitter.value(node.source)])


@writes(DictCopy)
def _copy(emitter: Emitter, node: DictCopy) -> str:
    return made_by(emitter, node.type, "copy_dict", [emitter.value(node.source)])


@writes(ObjectIterator)
def _iterator(emitter: Emitter, node: ObjectIterator) -> str:
    assert isinstance(node.type, ObjectState)
    view = "nullptr" if node.type.view == "keys" else f'"{node.type.view}"'
    return made_by(
        emitter, node.type, "begin_iterator", [f"npl::settled({emitter.value(node.source)})", view]
    )


@writes(FirstItem)
def _first(emitter: Emitter, node: FirstItem) -> str:
    answer = emitter.fresh(node.type)
    emitter.leave_if(f"npl::first_item({emitter.value(node.iterator)}, {answer})")
    return answer


# -- keys that are looked up -------------------------------------------------------------------------------


def _kinds(*kinds: Type) -> str:
    return ", ".join(map(item_kind, kinds))


@writes(DictItem)
def _item(emitter: Emitter, node: DictItem) -> str:
    assert isinstance(node.source.type, Dict)
    source, key = emitter.value(node.source), emitter.value(node.key)
    answer = emitter.fresh(node.type)
    function = f"npl::{_READS[node.source.type.kind]}<{_kinds(node.key.type, node.type)}>"
    emitter.leave_if(f"{function}({source}, {key}, {answer})")
    return answer


@writes(DictGet)
def _get(emitter: Emitter, node: DictGet) -> str:
    operands = [emitter.value(one) for one in (node.source, node.key, node.otherwise)]
    answer = emitter.fresh(node.type)
    kinds = _kinds(node.key.type, node.type)
    emitter.leave_if(f"npl::get_item<{kinds}>({', '.join([*operands, answer])})")
    return answer


@writes(DictFind)
def _find(emitter: Emitter, node: DictFind) -> str:
    assert isinstance(node.type, Either)
    source, key = emitter.value(node.source), emitter.value(node.key)
    answer = emitter.fresh(node.type)
    kinds = _kinds(node.key.type, node.type.kinds[0])
    emitter.leave_if(f"npl::find_item<{kinds}>({source}, {key}, {answer})")
    return answer


@writes(HasKey)
def _has(emitter: Emitter, node: HasKey) -> str:
    key, source = emitter.value(node.key), emitter.value(node.source)
    answer = emitter.fresh(BOOL)
    emitter.leave_if(f"npl::has_key<{item_kind(node.key.type)}>({source}, {key}, {answer})")
    return answer


@writes(ItemCount)
def _count(emitter: Emitter, node: ItemCount) -> str:
    return emitter.hold(INT, f"npl::count({emitter.value(node.source)})")


# -- changes -----------------------------------------------------------------------------------------------


@does(StoreKey)
def _store(emitter: Emitter, step: StoreKey) -> None:
    value, target, key = (emitter.value(one) for one in (step.value, step.target, step.key))
    kinds = _kinds(step.key.type, step.value.type)
    emitter.leave_if(f"npl::store_key<{kinds}>({target}, {key}, {value})")


@does(EnsureKey)
def _ensure(emitter: Emitter, step: EnsureKey) -> None:
    target, key, value = (emitter.value(one) for one in (step.target, step.key, step.value))
    kinds = _kinds(step.key.type, step.value.type)
    emitter.leave_if(f"npl::ensure_key<{kinds}>({target}, {key}, {value})")


@does(CheckMissing)
def _check(emitter: Emitter, step: CheckMissing) -> None:
    has = HasKey(BOOL, step.source, step.key)
    emitter.leave_if(emitter.value(has))


@does(AddItem)
def _add(emitter: Emitter, step: AddItem) -> None:
    target, item = emitter.value(step.target), emitter.value(step.item)
    emitter.leave_if(f"npl::add_item<{item_kind(step.item.type)}>({target}, {item})")


@does(RemoveKey)
def _remove(emitter: Emitter, step: RemoveKey) -> None:
    target, key = emitter.value(step.target), emitter.value(step.key)
    must = "true" if step.must else "false"
    emitter.leave_if(f"npl::remove_key<{item_kind(step.key.type)}>({target}, {key}, {must})")


@does(ClearObject)
def _clear(emitter: Emitter, step: ClearObject) -> None:
    emitter.lines.append(f"npl::clear({emitter.value(step.target)});")
