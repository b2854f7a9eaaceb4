"""Running results of a ufunc whose order matters, of long rows: all places at once, again until none changes.

The row that is sought is the only one whose every place is what the ufunc makes of the place before it and of
the operand. Each round gives every place that of the row before; where nothing changes, that is the row. Most
ufuncs forget: after few rounds what came long before no longer matters (`x % 0`, `x >> 64`, `x ** 0`). How
many it takes is in the values, so this is for eager tensors alone.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

import torch
from torch import Tensor

from npcompile.frontend.ops.table import Unsupported

# How many rounds may be taken: none in what is compiled.
rounds: ContextVar[int] = ContextVar("npcompile.rounds", default=0)
MOST_ROUNDS = 128  # beyond, NumPy's loop is the better one

_BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def _same(one: Tensor, other: Tensor) -> bool:
    """Whether all bits are the same: NaN and the signs of zeros too."""
    if one.is_complex():
        one, other = torch.view_as_real(one), torch.view_as_real(other)
    bits = _BITS[one.element_size()]
    return torch.equal(one.contiguous().view(bits), other.contiguous().view(bits))


def settled(step: Callable[[Tensor, Tensor], Tensor], a: Tensor, axis: int) -> Tensor:
    """What `step` gives along an axis: of the result so far, and each element. Raises Unsupported where it
    takes too long."""
    count = a.shape[axis] - 1
    first, rest = a.narrow(axis, 0, 1), a.narrow(axis, 1, count)
    found = a
    for _ in range(rounds.get()):
        new = torch.cat([first, step(found.narrow(axis, 0, count), rest)], axis)
        if _same(new, found):
            return new
        found = new
    raise Unsupported("more steps, one after the other, than are worth taking")
