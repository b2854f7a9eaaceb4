"""Matrix products that no library does: of what a kernel makes, and two that share a large matrix."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import torch
from torch import fx

from npcompile.lower.plan.attributes import annotate, attributes, set_results, step_of, value_of
from npcompile.lower.plan.segment import Segment
from npcompile.lower.plan.values import Value

# Products of these are done by a kernel, by the name of the type in C++.
DTYPES = {torch.float32: "float", torch.float64: "double"}
# Two products of one matrix read it once from this many bytes on: smaller ones stay in the caches between
# them.
SHARED_FROM = 24 << 20
# Multiplications of one product, and of one matrix of a stack, up to which a kernel has done them before a
# library has been called.
SMALL = 512
SMALL_OF_STACK = 64
_BETWEEN = ("input", "op", "view", "part", "number", "library", "write", "guard", "read")


# -- in kernels


def is_small(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Tell if a product of operands of these shapes belongs in a kernel wherever it stands."""
    if not one or not other:
        return False
    rows, columns = one[-2:-1], other[-1:] if len(other) > 1 else ()
    each = math.prod((*rows, one[-1], *columns))
    stack = len(one) > 2 or len(other) > 2
    return each <= SMALL_OF_STACK if stack else each <= SMALL


def summed(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """The product of arrays, matrices or stacks of them as sums that a kernel does.

    Sums begin with zero, which shows where they are of one product, -0.0.
    """
    if other.dim() == 1:
        products, axis = one * other, -1
    else:
        products, axis = (
            one[..., None] * other[..., None, :, :] if one.dim() > 1 else one[:, None] * other,
            -2,
        )
    if products.shape[axis] != 1 or not (one.is_floating_point() or one.is_complex()):
        return products.sum(axis, dtype=one.dtype)
    return products.squeeze(axis) + 0.0


def fusable(node: fx.Node, inside: set[fx.Node]) -> bool:
    """Tell if a product of vectors, or of a matrix and a vector, belongs in the open segment.

    It does where the segment makes the matrix for this product alone, which then is never in memory; and
    where it makes one of two vectors: the library would need it written out, and the segment to end.
    """
    if (operands := operands_of(node, DTYPES)) is None:
        return False
    one, other = (value_of(arg) for arg in operands)
    if len(other.shape) != 1:
        return False
    if len(one.shape) == 2:
        matrix = operands[0]
        return matrix in inside and step_of(matrix) == "op" and set(matrix.users) == {node}
    return len(one.shape) == 1 and any(arg in inside and step_of(arg) == "op" for arg in operands)


def operands_of(node: fx.Node, dtypes: Collection[torch.dtype]) -> tuple[fx.Node, fx.Node] | None:
    """The two arrays of a product, if they are of one of these dtypes."""
    if not getattr(node.target, "product", False) or node.kwargs or len(node.args) != 2:
        return None
    one, other = node.args
    if not isinstance(one, fx.Node) or not isinstance(other, fx.Node):
        return None
    a, b = value_of(one), value_of(other)
    if a.kind != "array" or b.kind != "array" or a.dtype not in dtypes or a.dtype != b.dtype:
        return None
    return one, other


# -- two of one matrix


class Product(NamedTuple):
    """A large matrix in C order times a vector (`right`), or a vector times it."""

    node: fx.Node
    matrix: fx.Node
    vector: fx.Node
    right: bool


def product_of(node: fx.Node) -> Product | None:
    """This step of a library as a product of a matrix that is read from memory. A transposed matrix is the
    matrix with its vector at the other side."""
    if (operands := operands_of(node, DTYPES)) is None:
        return None
    one, other = operands
    sizes = len(value_of(one).shape), len(value_of(other).shape)
    if sizes not in ((1, 2), (2, 1)) or value_of(node).kind != "array" or attributes(node).broadcast:
        return None
    matrix, vector = (one, other) if sizes == (2, 1) else (other, one)
    whole = value_of(matrix)
    if value_of(vector).strides != (1,) or whole.region is None or min(whole.shape) < 2:
        return None
    if whole.dtype is None or math.prod(whole.shape) * whole.dtype.itemsize < SHARED_FROM:
        return None
    shape, strides = _c_order(whole)
    if strides[1] != 1 or strides[0] < shape[1]:
        return None
    return Product(node, matrix, vector, (sizes == (2, 1)) != (whole.strides[1] != 1))


def _c_order(matrix: Value) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Shape and strides of a matrix, or of its transpose, with elements of a row side by side."""
    if matrix.strides[1] == 1:
        return matrix.shape, matrix.strides
    return matrix.shape[::-1], matrix.strides[::-1]


def _same_memory(a: Value, b: Value) -> bool:
    assert a.region is not None and b.region is not None
    return a.root == b.root and a.region.offset == b.region.offset and _c_order(a) == _c_order(b)


def pairs(graph: fx.Graph) -> dict[fx.Node, tuple[Product, Product]]:
    """By the first of them, two products of one matrix of which the second can be done with the first: its
    vector is there by then, or is what the first gives, and nothing in between changes either.

    One is `matrix @ x`, the other `y @ matrix`: what the first needs of a row, the second does too.
    """
    products = [node for node in graph.nodes if getattr(node.target, "product", False)]
    if len(products) < 2:
        return {}
    found: dict[fx.Node, tuple[Product, Product]] = {}
    waiting: list[Product] = []
    there: dict[fx.Node, set[fx.Node]] = {}  # by the node of a product: what had been made before it
    made: set[fx.Node] = set()
    for node in graph.nodes:
        step = step_of(node)
        if node.op == "call_function" and step not in _BETWEEN:
            waiting.clear()
        if step == "write":
            root = value_of(node.args[0]).root
            waiting = [
                p for p in waiting if all(value_of(a).root != root for a in (p.node, p.matrix, p.vector))
            ]
            changed = {other for other in made if value_of(other).root == root}
            for before in there.values():
                before -= changed
        if step == "library" and (product := product_of(node)) is not None:
            first = next((p for p in waiting if _belong(p, product, there[p.node])), None)
            if first is not None:
                waiting.remove(first)
                found[first.node] = (first, product)
            else:
                waiting.append(product)
                there[node] = set(made)
        made.add(node)
    return found


def _belong(first: Product, second: Product, there: set[fx.Node]) -> bool:
    if first.right == second.right or not _same_memory(value_of(first.matrix), value_of(second.matrix)):
        return False
    if second.vector is first.node:
        return first.right
    return second.vector in there and second.matrix in (there | {first.matrix})


def both(matrix: torch.Tensor, right: torch.Tensor, left: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """`matrix @ right` and `left @ matrix`."""
    return torch.mv(matrix, right), torch.mv(matrix.t(), left)


def through(matrix: torch.Tensor, right: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """`matrix @ right`, and that times the matrix again."""
    product = torch.mv(matrix, right)
    return product, torch.mv(matrix.t(), product)


def segment_of(first: Product, second: Product) -> Segment:
    """The segment that does two products."""
    graph = fx.Graph()
    nodes = [first.matrix]
    nodes += [p.vector for right in (True, False) for p in (first, second) if p.right == right]
    if second.vector is first.node:
        nodes.pop()
    placeholders = []
    for place, node in enumerate(nodes):
        placeholders.append(graph.placeholder(f"a{place}"))
        annotate(placeholders[-1], "input", value_of(node))
    matrix, *vectors = placeholders
    if value_of(first.matrix).strides[1] != 1:
        matrix = graph.call_function(torch.t, (matrix,))
    made = graph.call_function(both if len(nodes) == 3 else through, (matrix, *vectors))
    parts = [graph.call_function(part_of, (made, int(not p.right))) for p in (first, second)]
    set_results(graph, tuple(parts), [value_of(p.node) for p in (first, second)])
    inputs: list[tuple[fx.Node, tuple[int, ...]]] = [(node, ()) for node in nodes]
    outputs = [first.node, second.node]
    return Segment(graph, inputs, outputs, [], 0, list(outputs))


def part_of(pair: tuple[torch.Tensor, torch.Tensor], place: int) -> torch.Tensor:
    """Return one of two products."""
    return pair[place]
