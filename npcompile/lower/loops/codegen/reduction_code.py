"""Writes the C++ of reductions and products of arrays, by templates of `reductions.h` and `products.h`."""

from __future__ import annotations

from npcompile.lower.loops import ir
from npcompile.lower.loops.array_ir import Dot, Map, MatMul, Reduced, ndim
from npcompile.lower.loops.codegen.elementwise_code import computed, function_of
from npcompile.lower.loops.codegen.emitter import Emitter, writes
from npcompile.lower.loops.types import Array, Scalar


@writes(Reduced)
def _reduced(emitter: Emitter, node: Reduced) -> str:
    function, arrays = function_of(emitter, node.value)
    assert isinstance(node.value.body.type, Scalar)
    answer = emitter.fresh(node.type)
    name = f"npl::{node.function}<{ndim(node.value)}, {node.value.body.type.c_type}>"
    emitter.leave_if(f"{name}({', '.join([answer, function, *arrays])})")
    return answer


def _product(
    left: ir.Expression,
    right: ir.Expression,
    to: Scalar,
    conjugates: bool = False,
    items: tuple[str, str] = ("x0", "x1"),
) -> str:
    """Return the C++ function that multiplies two items, with the precision that sums are made in."""
    assert isinstance(left.type, Array) and isinstance(right.type, Array)
    one = f"npl::widen(npl::cast<{to.c_type}>({items[0]}))"
    if conjugates and to.kind == "c":
        one = f"npl::mirrored({one})"
    other = f"npl::widen(npl::cast<{to.c_type}>({items[1]}))"
    return f"[=](const auto x0, const auto x1) {{ return npl::multiply({one}, {other}); }}"


def _factor(emitter: Emitter, node: ir.Expression, item: str) -> tuple[str, str]:
    """Return the array that a factor's items come from, and the C++ of the factor's item by the array's.

    No array is made of a map of one array.
    """
    if isinstance(node, Map) and sum(isinstance(one.type, Array) for one in node.operands) == 1:
        function, (array,) = function_of(emitter, node)
        emitter.count += 1
        name = f"t{emitter.count}"
        emitter.lines.append(f"const auto {name} = {function};")
        return array, f"{name}({item})"
    return emitter.value(node), item


@writes(Dot)
def _dot(emitter: Emitter, node: Dot) -> str:
    left, one = _factor(emitter, node.left, "x0")
    right, other = _factor(emitter, node.right, "x1")
    assert isinstance(node.type, Scalar)
    answer = emitter.fresh(node.type)
    if (one, other) == ("x0", "x1"):
        mirrors = "true" if node.conjugates and node.type.kind == "c" else "false"
        emitter.leave_if(f"npl::dot_of_arrays<{node.type.c_type}, {mirrors}>({answer}, {left}, {right})")
        return answer
    function = _product(node.left, node.right, node.type, node.conjugates, (one, other))
    emitter.leave_if(f"npl::dot<{node.type.c_type}>({answer}, {function}, {left}, {right})")
    return answer


@writes(MatMul)
def _matmul(emitter: Emitter, node: MatMul) -> str:
    left, right = emitter.value(node.left), emitter.value(node.right)
    assert isinstance(node.type, Array)
    function = _product(node.left, node.right, node.type.item)
    return computed(emitter, node.type, "matmul", [function, left, right])
