"""Writes the C++ of reductions and products of arrays, by templates of `reductions.h` and `products.h`."""

from __future__ import annotations

from npcompile.lower.loops import ir
from npcompile.lower.loops.array_ir import Dot, MatMul, Reduced, ndim
from npcompile.lower.loops.elementwise_code import computed, function_of
from npcompile.lower.loops.emitter import Emitter, writes
from npcompile.lower.loops.types import Array, Scalar


@writes(Reduced)
def _reduced(emitter: Emitter, node: Reduced) -> str:
    function, arrays = function_of(emitter, node.value)
    assert isinstance(node.value.body.type, Scalar)
    answer = emitter.fresh(node.type)
    name = f"npl::{node.function}<{ndim(node.value)}, {node.value.body.type.c_type}>"
    emitter.leave_if(f"{name}({', '.join([answer, function, *arrays])})")
    return answer


def _product(left: ir.Expression, right: ir.Expression, to: Scalar, conjugates: bool = False) -> str:
    """Return the C++ function that multiplies two items, with the precision that sums are made in."""
    assert isinstance(left.type, Array) and isinstance(right.type, Array)
    one = f"npl::widen(npl::cast<{to.c_type}>(x0))"
    if conjugates and to.kind == "c":
        one = f"npl::mirrored({one})"
    other = f"npl::widen(npl::cast<{to.c_type}>(x1))"
    items = f"const {left.type.item.c_type} x0, const {right.type.item.c_type} x1"
    return f"[=]({items}) {{ return npl::multiply({one}, {other}); }}"


@writes(Dot)
def _dot(emitter: Emitter, node: Dot) -> str:
    left, right = emitter.value(node.left), emitter.value(node.right)
    assert isinstance(node.type, Scalar)
    answer = emitter.fresh(node.type)
    function = _product(node.left, node.right, node.type, node.conjugates)
    emitter.leave_if(f"npl::dot<{node.type.c_type}>({answer}, {function}, {left}, {right})")
    return answer


@writes(MatMul)
def _matmul(emitter: Emitter, node: MatMul) -> str:
    left, right = emitter.value(node.left), emitter.value(node.right)
    assert isinstance(node.type, Array)
    function = _product(node.left, node.right, node.type.item)
    return computed(emitter, node.type, "matmul", [function, left, right])
