"""Matrix products that are not left to a library: those of what the kernel around them makes."""

from __future__ import annotations

import torch
from torch import fx

from npcompile.lower.segment import nodes_in, step_of, value_of

_DTYPES = (torch.float32, torch.float64)


def fusable(node: fx.Node, inside: set[fx.Node]) -> bool:
    """Whether a product of vectors, or of a matrix and a vector, belongs in the open segment.

    It does where the segment makes the matrix for this product alone, which then is never in memory; and
    where it makes one of two vectors: the library would need it written out, and the segment to end.
    """
    if not getattr(node.target, "product", False) or node.kwargs or len(node.args) != 2:
        return False
    operands = nodes_in(node.args)
    if len(operands) != 2 or any(value_of(arg).kind != "array" for arg in operands):
        return False
    one, other = (value_of(arg) for arg in operands)
    if one.dtype not in _DTYPES or one.dtype != other.dtype or len(other.shape) != 1:
        return False
    if len(one.shape) == 2:
        matrix = operands[0]
        return matrix in inside and step_of(matrix) == "op" and set(matrix.users) == {node}
    return len(one.shape) == 1 and any(arg in inside and step_of(arg) == "op" for arg in operands)
