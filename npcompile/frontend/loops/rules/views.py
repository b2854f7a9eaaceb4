"""Gives the loop language its rules for views of arrays, and for the attributes of arrays."""

from __future__ import annotations

import ast

import numpy as np

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Array, Known
from npcompile.lower.loops.view_ir import WHOLE, Slice, Transposed, View

Index = ir.Expression | Slice | None


def view(container: ir.Expression, parts: list[Index]) -> ir.Expression:
    """Return the view that a basic index gives. parts: as many axes as the array has, at most."""
    assert isinstance(container.type, Array)
    missing = container.type.ndim - sum(part is not None for part in parts)
    if missing < 0:
        raise Outside("too many indices")
    parts = [*parts, *[WHOLE] * missing]
    kinds = [part for part in parts if not isinstance(part, ir.Expression)]
    last = parts[-1] if parts else None
    packed = container.type.packed and isinstance(last, Slice) and _step(last) == 1
    turned = container.type.turned and len(kinds) == container.type.ndim and not packed
    kind = Array(container.type.code, len(kinds), packed, container.type.writeable, turned)
    return View(kind, container, tuple(parts))


def _step(part: Slice) -> int | None:
    if part.step is None:
        return 1
    return part.step.value if isinstance(part.step, ir.Constant) else None


def whole(container: ir.Expression) -> ir.Expression:
    """Return `container[...]`."""
    return view(container, [])


def transposed(array: ir.Expression, axes: tuple[int, ...]) -> ir.Expression:
    """Return the view whose axes are these ones of an array."""
    assert isinstance(array.type, Array)
    packed = array.type.packed and axes[-1:] == (array.type.ndim - 1,)
    turned = axes == (1, 0) and not array.type.turned
    return Transposed(Array(array.type.code, len(axes), packed, array.type.writeable, turned), array, axes)


@language.attributes((Array, "shape"))
def _shape(inference: Inference, node: ast.Attribute, owner: ir.Expression) -> ir.Expression:
    assert isinstance(owner.type, Array)
    return ir.tuple_of(tuple(ir.length(owner, axis) for axis in range(owner.type.ndim)))


@language.attributes((Array, "ndim"))
def _ndim(inference: Inference, node: ast.Attribute, owner: ir.Expression) -> ir.Expression:
    assert isinstance(owner.type, Array)
    return ir.integer(owner.type.ndim)


@language.attributes((Array, "size"))
def _size(inference: Inference, node: ast.Attribute, owner: ir.Expression) -> ir.Expression:
    assert isinstance(owner.type, Array)
    made: ir.Expression = ir.integer(1)
    for axis in range(owner.type.ndim):
        length = ir.length(owner, axis)
        if axis == 0:
            made = length
            continue
        rule = language.operators.find((type(made.type), type(length.type)), "sizes")
        made = rule(inference, ast.Mult, made, length, False)
    return made


@language.attributes((Array, "dtype"))
def _dtype(inference: Inference, node: ast.Attribute, owner: ir.Expression) -> ir.Expression:
    assert isinstance(owner.type, Array)
    return ir.Constant(Known(np.dtype(owner.type.code)), None)


@language.attributes((Array, "itemsize"))
def _itemsize(inference: Inference, node: ast.Attribute, owner: ir.Expression) -> ir.Expression:
    assert isinstance(owner.type, Array)
    return ir.integer(np.dtype(owner.type.code).itemsize)


@language.attributes((Array, "T"))
def _transpose(inference: Inference, node: ast.Attribute, owner: ir.Expression) -> ir.Expression:
    assert isinstance(owner.type, Array)
    return transposed(owner, tuple(reversed(range(owner.type.ndim))))


@language.calls(np.flip)
def _flip(inference: Inference, node: ast.Call) -> ir.Expression:
    if len(node.args) != 1 or node.keywords:
        raise Outside("`flip` along chosen axes")
    array = inference.value(node.args[0])
    if not isinstance(array.type, Array):
        raise Outside(f"`flip` of {array.type}")
    return view(array, [Slice(None, None, ir.integer(-1))] * array.type.ndim)


@language.calls(np.transpose)
def _transpose_call(inference: Inference, node: ast.Call) -> ir.Expression:
    if len(node.args) != 1 or node.keywords:
        raise Outside("`transpose` to chosen axes")
    array = inference.value(node.args[0])
    if not isinstance(array.type, Array):
        raise Outside(f"`transpose` of {array.type}")
    return transposed(array, tuple(reversed(range(array.type.ndim))))
