"""Gives the loop language its rules for sets."""

from __future__ import annotations

import ast

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.arguments import positional
from npcompile.frontend.loops.rules.dicts import key
from npcompile.lower.loops import ir
from npcompile.lower.loops.dict_ir import AddItem, NewSet, RemoveKey, SetOf
from npcompile.lower.loops.list_ir import Expected
from npcompile.lower.loops.types import Dict, List, Method, Set

_METHODS = ("add", "clear", "copy", "discard", "remove")


@language.expressions(ast.Set)
def _display(inference: Inference, node: ast.Set) -> ir.Expression:
    if any(isinstance(part, ast.Starred) for part in node.elts):
        raise Outside("a set of an iterator's items")
    items = tuple(key(inference.value(part)) for part in node.elts)
    kinds = {item.type for item in items}
    if len(kinds) > 1:
        raise Outside(f"a set of {' and '.join(sorted(map(str, kinds)))}")
    return NewSet(Set(kinds.pop()), items)


@language.calls(set)
def _set(inference: Inference, node: ast.Call) -> ir.Expression:
    given = positional(inference, node, 0, 1)
    if not given:
        return NewSet(Set(None), ())
    kind = given[0].type
    if not isinstance(kind, List | Dict | Set):
        raise Outside(f"a set of the items of {kind}")
    return SetOf(Set(kind.key if isinstance(kind, Dict) else kind.item), given[0])


@language.methods((Set, "copy"))
def _copy(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    positional(inference, node, 0, 0)
    return SetOf(owner.type, owner)


@language.attributes(*((Set, name) for name in _METHODS))
def _attribute(inference: Inference, node: ast.Attribute, owner: ir.Expression) -> ir.Expression:
    assert isinstance(owner.type, Set)
    return Expected(Method(owner.type, node.attr), owner)


@language.effects((Set, "add"))
def _add(inference: Inference, node: ast.Call, owner: ir.Expression) -> None:
    item = key(*positional(inference, node, 1, 1))
    inference.add(AddItem, owner, item)
    inference.refine(owner, Set(item.type))


@language.effects((Set, "discard"), (Set, "remove"))
def _remove(inference: Inference, node: ast.Call, owner: ir.Expression) -> None:
    assert isinstance(node.func, ast.Attribute)
    (item,) = positional(inference, node, 1, 1)
    inference.add(RemoveKey, owner, key(item), node.func.attr == "remove")
