"""Gives the loop language its rules for attributes and methods of numbers."""

from __future__ import annotations

import ast

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.numbers import apply
from npcompile.frontend.loops.scalars import functions, unsigned
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Scalar


@language.attributes(*((Scalar, name) for name in functions.ATTRIBUTES))
def _attribute(inference: Inference, node: ast.Attribute, owner: ir.Expression) -> ir.Expression:
    assert isinstance(owner.type, Scalar)
    return apply(functions.attribute(node.attr, owner.type), (owner,), f"the attribute `{node.attr}`")


@language.methods(*((Scalar, name) for name in functions.METHODS))
def _method(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    assert isinstance(node.func, ast.Attribute)
    name = f"the method `{node.func.attr}`"
    if node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args):
        raise Outside(f"{name} with keywords")
    if node.func.attr == "item" and owner.type == unsigned.U8 and not node.args:
        return unsigned.of_numpy(owner)
    operands = (owner, *(inference.value(arg) for arg in node.args))
    kinds = tuple(operand.type for operand in operands if isinstance(operand.type, Scalar))
    operation = functions.method(node.func.attr, kinds) if len(kinds) == len(operands) else None
    return apply(operation, operands, name)
