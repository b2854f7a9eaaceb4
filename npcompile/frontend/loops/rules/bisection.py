"""Gives the loop language its rules for `bisect`, as functions that the library has in C.

The functions here stand for those while inference types a call. Where native code leaves, Python does the
call as the user wrote it.
"""

from __future__ import annotations

import ast
import bisect
from collections.abc import Callable
from dataclasses import replace
from types import FunctionType
from typing import Any

from npcompile.frontend.loops import callees, language
from npcompile.frontend.loops.constants import constant
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.heaps import is_ordered
from npcompile.frontend.loops.rules.lists import as_item, item_of
from npcompile.lower.loops import ir
from npcompile.lower.loops.list_ir import Expected, Insert, common
from npcompile.lower.loops.types import Array, List


def _bisect_left(a: Any, x: Any, lo: int = 0, hi: int | None = None) -> int:
    if hi is None:
        hi = len(a)
    assert 0 <= lo and hi <= len(a)
    while lo < hi:
        middle = (lo + hi) // 2
        if a[middle] < x:
            lo = middle + 1
        else:
            hi = middle
    return lo


def _bisect_right(a: Any, x: Any, lo: int = 0, hi: int | None = None) -> int:
    if hi is None:
        hi = len(a)
    assert 0 <= lo and hi <= len(a)
    while lo < hi:
        middle = (lo + hi) // 2
        if x < a[middle]:
            hi = middle
        else:
            lo = middle + 1
    return lo


def _found(inference: Inference, function: Callable[..., Any], node: ast.Call) -> ir.Expression:
    if not node.args:
        raise Outside(f"`{ast.unparse(node.func)}` without its arguments")
    kind = inference.value(node.args[0]).type
    if not isinstance(kind, List) and not (isinstance(kind, Array) and kind.ndim == 1):
        raise Outside(f"`{ast.unparse(node.func)}` in {kind}")
    assert isinstance(function, FunctionType)
    return callees.call(inference, function, node)


@language.calls(bisect.bisect_left)
def _left(inference: Inference, node: ast.Call) -> ir.Expression:
    return _found(inference, _bisect_left, node)


@language.calls(bisect.bisect_right)
def _right(inference: Inference, node: ast.Call) -> ir.Expression:
    return _found(inference, _bisect_right, node)


def _inserted(inference: Inference, function: Callable[..., Any], node: ast.Call) -> ir.Expression:
    if len(node.args) < 2:
        raise Outside(f"`{ast.unparse(node.func)}` without its arguments")
    owner, value = inference.value(node.args[0]), item_of(inference.value(node.args[1]))
    if type(owner.type) is not List:
        raise Outside(f"an item that is inserted into {owner.type}")
    kind = common(owner.type.item, value.type)
    if kind is None or not is_ordered(kind):
        raise Outside(f"a list of {owner.type.item} and {value.type} in order")
    inference.learn(owner, value.type)
    place = _found(inference, function, node)
    expected = owner if owner.type.item == kind else Expected(replace(owner.type, item=kind), owner)
    inference.add(Insert, expected, place, as_item(kind, value))
    return constant(None)


@language.calls(bisect.insort_left)
def _insert_left(inference: Inference, node: ast.Call) -> ir.Expression:
    return _inserted(inference, _bisect_left, node)


@language.calls(bisect.insort_right)
def _insert_right(inference: Inference, node: ast.Call) -> ir.Expression:
    return _inserted(inference, _bisect_right, node)
