"""Products of a stack of matrices and one matrix: NumPy does them one by one, a replay all at once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import fx

from npcompile.lower.plan.attributes import value_of
from npcompile.lower.plan.products import operands_of

_DTYPES = (torch.float32, torch.float64, torch.complex64, torch.complex128)


def is_stack(node: fx.Node) -> bool:
    """Tell whether a call is the product of a stack of matrices and one matrix, of one floating dtype.

    `np.matmul` and `np.dot` mean the same there: every row of the stack times the matrix.
    """
    if (operands := operands_of(node, _DTYPES)) is None:
        return False
    stack, matrix = (value_of(arg) for arg in operands)
    return len(stack.shape) > 2 and len(matrix.shape) == 2


def product(stack: np.ndarray[Any, Any], matrix: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """`stack @ matrix`, the rows of all matrices of the stack in one product. Raises ValueError as NumPy."""
    *lead, rows, inner = stack.shape
    if stack.size == 0 or matrix.size == 0 or inner != len(matrix):
        return np.matmul(stack, matrix)
    every = math.prod(lead) * rows
    result = np.empty((*lead, rows, matrix.shape[1]), stack.dtype)
    np.matmul(stack.reshape(every, inner), matrix, out=result.reshape(every, matrix.shape[1]))
    return result
