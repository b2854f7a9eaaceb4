"""Gives the loop language its rules for dicts, defaultdicts and Counters."""

from __future__ import annotations

import ast
import collections
from dataclasses import replace
from typing import Any

from npcompile.frontend.loops import language
from npcompile.frontend.loops.entry.values import made_by
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.arguments import positional
from npcompile.frontend.loops.rules.lists import as_one_of_two, read_item
from npcompile.frontend.loops.rules.numbers import apply
from npcompile.frontend.loops.scalars import arithmetic
from npcompile.frontend.loops.splitting import Split, split_of_either
from npcompile.lower.loops import ir
from npcompile.lower.loops.dict_ir import (
    CheckMissing,
    ClearObject,
    DictCopy,
    DictFind,
    DictGet,
    DictItem,
    EnsureKey,
    HasKey,
    ItemCount,
    NewDict,
    ObjectIterator,
    ObjectState,
    RemoveKey,
    StoreKey,
)
from npcompile.lower.loops.list_ir import Expected, common, may_be
from npcompile.lower.loops.operation import truth_of
from npcompile.lower.loops.text_ir import as_character, as_operand, as_word
from npcompile.lower.loops.types import (
    BOOL,
    INT,
    NONE,
    Character,
    Deque,
    Dict,
    DictView,
    Either,
    Known,
    List,
    Method,
    Scalar,
    Set,
    Text,
    Tuple,
    Type,
    Word,
    is_key,
    is_value,
)

_VIEWS = ("items", "keys", "values")
_METHODS = ("clear", "copy", "get", "pop", "setdefault", *_VIEWS)
# The names of a key while a statement is done, and of a value that is taken out.
_KEY, _POPPED = (".key", ".taken")
_NONE = ir.Constant(NONE, None)


def key(value: ir.Expression) -> ir.Expression:
    """Return a value that is looked up as a key. Raises Outside for others."""
    value = as_character(value)
    value = as_word(value) or value if isinstance(value.type, Known | Text) else value
    if not is_key(value.type):
        raise Outside(f"a key that is {value.type}")
    return value


def looked_up(value: ir.Expression) -> ir.Expression:
    """Return a key that is looked up and not stored: which object a str is makes no difference."""
    value = as_character(value)
    return key((as_operand(value) or value) if isinstance(value.type, Known) else value)


def item(value: ir.Expression) -> ir.Expression:
    """Return a value that a dict may hold. Raises Outside for others."""
    value = as_character(value)
    value = as_word(value) or value if isinstance(value.type, Known | Text) else value
    if not is_value(value.type):
        raise Outside(f"a dict that holds {value.type}")
    return value


def _dict(owner: ir.Expression) -> Dict:
    assert isinstance(owner.type, Dict)
    return owner.type


def _value_type(owner: ir.Expression) -> Type:
    """Return the type of the values that are read of a dict."""
    value = _dict(owner).value
    if value is None:
        raise Outside("")
    return value


def _learn(inference: Inference, owner: ir.Expression, one: Type, value: Type) -> None:
    """Note that a dict has been given a key and a value."""
    kind = _dict(owner)
    if kind.value is None or may_be(kind.value, value):
        kind = replace(kind, value=value)
    elif isinstance(both := common(kind.value, value), Either):
        kind = replace(kind, value=both)
    inference.refine(owner, replace(kind, key=kind.key or one))


# -- new dicts ---------------------------------------------------------------------------------------------


@language.expressions(ast.Dict)
def _display(inference: Inference, node: ast.Dict) -> ir.Expression:
    keys, values = [], []
    for one, value in zip(node.keys, node.values, strict=True):
        if one is None:
            raise Outside("a dict of what another one has")
        keys.append(key(inference.value(one)))
        values.append(item(inference.value(value)))
    if len({one.type for one in keys}) > 1 or len({one.type for one in values}) > 1:
        raise Outside("a dict of keys or values of several types")
    kind = Dict(keys[0].type, values[0].type) if keys else Dict(None, None)
    return NewDict(kind, tuple(keys), tuple(values))


@language.calls(dict)
def _new(inference: Inference, node: ast.Call) -> ir.Expression:
    given = positional(inference, node, 0, 1)
    if not given:
        return NewDict(Dict(None, None), (), ())
    if not isinstance(given[0].type, Dict) or given[0].type.kind is not dict:
        raise Outside(f"a dict of {given[0].type}")
    return DictCopy(given[0].type, given[0])


@language.calls(collections.defaultdict)
def _defaultdict(inference: Inference, node: ast.Call) -> ir.Expression:
    (given,) = positional(inference, node, 1, 1)
    factory = given.type.value if isinstance(given.type, Known) else None
    value = made_by(factory)
    if value is None:
        raise Outside("a defaultdict of other values than numbers, lists, dicts and sets")
    return NewDict(Dict(None, value, collections.defaultdict, factory), (), ())


@language.methods((Dict, "copy"))
def _copy(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    positional(inference, node, 0, 0)
    if _dict(owner).kind is not dict:
        raise Outside(f"a copy of a {owner.type}")
    return DictCopy(owner.type, owner)


# -- values by keys ----------------------------------------------------------------------------------------


@language.items(Dict)
def _read(inference: Inference, container: ir.Expression, index: ast.expr) -> ir.Expression:
    if _dict(container).kind is collections.Counter:
        inference.assume(collections.Counter, "__missing__", collections.Counter.__missing__)
    return read_item(
        inference, DictItem(_value_type(container), container, looked_up(inference.value(index)))
    )


@language.stores(Dict)
def _store(inference: Inference, container: ir.Expression, index: ast.expr, value: ir.Expression) -> None:
    one, value = key(inference.value(index)), item(value)
    inference.add(StoreKey, as_one_of_two(_dict(container).value, value), container, one)
    _learn(inference, container, one.type, value.type)


@language.deletions(Dict)
def _delete(inference: Inference, container: ir.Expression, index: ast.expr) -> None:
    if _dict(container).kind is collections.Counter:
        raise Outside("`del` of a Counter's key")
    inference.add(RemoveKey, container, looked_up(inference.value(index)), True)


@language.methods((Dict, "get"))
def _get(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    one, *given = positional(inference, node, 1, 2)
    one, otherwise = looked_up(one), as_character(given[0]) if given else _NONE
    value = _dict(owner).value
    if otherwise.type == Known(None):
        if value is None:
            inference.add(CheckMissing, owner, one)
            return _NONE
        if value == NONE:
            return read_item(inference, DictGet(NONE, owner, one, _NONE))
        either = DictFind(Either((value, Known(None))), owner, one)
        raise split_of_either(inference.continued, node, either)
    if value is None or value == otherwise.type:
        return DictGet(otherwise.type, owner, one, item(otherwise))
    assert isinstance(node.func, ast.Attribute)
    found = ast.copy_location(ast.Subscript(node.func.value, node.args[0], ast.Load()), node)
    raise Split(node, HasKey(BOOL, owner, one), (found, node.args[1]))


@language.methods((Dict, "setdefault"))
def _setdefault(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    one, value = positional(inference, node, 2, 2)
    known, value = _dict(owner).value, item(value)
    inference.bind(_KEY, key(one))
    one = inference.read(_KEY)
    inference.add(EnsureKey, owner, one, as_one_of_two(_dict(owner).value, value))
    _learn(inference, owner, one.type, value.type)
    return read_item(inference, DictItem(known or value.type, owner, one))


@language.methods((Dict, "pop"))
def _pop(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    one, *given = positional(inference, node, 1, 2)
    kind, given = _value_type(owner), [*map(as_character, given)]
    if given and given[0].type != kind:
        raise Outside(f"`pop` of {owner.type} with {given[0].type}")
    inference.bind(_KEY, key(one))
    one = inference.read(_KEY)
    # A defaultdict's `pop` makes no values.
    plain = Expected(replace(_dict(owner), kind=dict, factory=None), owner)
    inference.bind(_POPPED, DictGet(kind, owner, one, given[0]) if given else DictItem(kind, plain, one))
    inference.add(RemoveKey, owner, one, False)
    return inference.read(_POPPED)


@language.effects((Dict, "pop"))
def _removed(inference: Inference, node: ast.Call, owner: ir.Expression) -> None:
    one, *given = positional(inference, node, 1, 2)
    inference.add(RemoveKey, owner, looked_up(one), not given)


@language.effects((Dict, "clear"), (Set, "clear"))
def _clear(inference: Inference, node: ast.Call, owner: ir.Expression) -> None:
    positional(inference, node, 0, 0)
    inference.add(ClearObject, owner)


# -- membership, lengths and views -------------------------------------------------------------------------

_KEYS = (Scalar, Character, Known, Text, Tuple, Word)


@language.comparisons(*((one, of) for one in _KEYS for of in (Dict, Set, List)))
def _has(inference: Inference, kind: Any, left: ir.Expression, right: ir.Expression) -> ir.Expression:
    if kind not in (ast.In, ast.NotIn):
        raise Outside(f"comparisons of {left.type} and {right.type}")
    found = HasKey(BOOL, right, looked_up(left))
    return apply(arithmetic.unary(ast.Not, BOOL), (found,), "`not`") if kind is ast.NotIn else found


@language.comparisons(*((one, DictView) for one in _KEYS))
def _has_in_view(inference: Inference, kind: Any, left: ir.Expression, right: ir.Expression) -> ir.Expression:
    assert isinstance(right.type, DictView)
    if right.type.name != "keys":
        raise Outside(f"`in` of {right.type}")
    return _has(inference, kind, left, Expected(right.type.owner, right))


@language.truths(Dict, Set, DictView)
def _truth(inference: Inference, value: ir.Expression) -> ir.Expression:
    return apply(truth_of(INT), (ItemCount(INT, value),), "the truth of a dict")


@language.attributes(*((Dict, name) for name in _METHODS))
def _attribute(inference: Inference, node: ast.Attribute, owner: ir.Expression) -> ir.Expression:
    return Expected(Method(_dict(owner), node.attr), owner)


@language.methods(*((Dict, name) for name in _VIEWS))
def _view(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    assert isinstance(node.func, ast.Attribute)
    positional(inference, node, 0, 0)
    return Expected(DictView(_dict(owner), node.func.attr), owner)


# -- loops -------------------------------------------------------------------------------------------------


@language.iterations(Dict, DictView, Set, Deque)
def _iterate(inference: Inference, state: str, value: ir.Expression) -> None:
    inference.bind(state, over(value))


def over(value: ir.Expression) -> ir.Expression:
    """Return an iterator over a dict, a view of it, a set, or a deque."""
    if isinstance(value.type, DictView):
        return ObjectIterator(ObjectState(value.type.owner, value.type.name), value)
    assert isinstance(value.type, Dict | Set | Deque)
    return ObjectIterator(ObjectState(value.type), value)
