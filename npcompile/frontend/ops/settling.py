"""Running results of a ufunc whose order matters, for long rows: all places at once, in rounds until none
changes.

The row sought is the only one whose every place is the ufunc of the place before it and of the operand. Each
round gives every place the ufunc of the last round's row; where nothing changes, that is the row. Most ufuncs
forget: after few rounds earlier elements no longer matter (`x % 0`, `x >> 64`, `x ** 0`). The number of
rounds depends on the values, which is why only eager tensors are computed in this way.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

import torch
from torch import Tensor

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.ops.table import Unsupported

# The most rounds: none in compiled code.
rounds: ContextVar[int] = ContextVar("npcompile.rounds", default=0)
MOST_ROUNDS = 128  # beyond, NumPy's loop is the better one

_BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def _same(one: Tensor, other: Tensor) -> bool:
    """Tell if all bits are equal, NaN and the signs of zeros included."""
    if one.is_complex():
        one, other = torch.view_as_real(one), torch.view_as_real(other)
    bits = _BITS[one.element_size()]
    return torch.equal(one.contiguous().view(bits), other.contiguous().view(bits))


def settled(step: Callable[[Tensor, Tensor], Tensor], a: Tensor, axis: int) -> Tensor:
    """Return the running results of `step` along an axis. Raises Unsupported where it takes too many rounds.

    step: takes the result so far and an element.
    """
    count = a.shape[axis] - 1
    first, rest = a.narrow(axis, 0, 1), a.narrow(axis, 1, count)
    found = a
    for _ in range(rounds.get()):
        new = torch.cat([first, step(found.narrow(axis, 0, count), rest)], axis)
        if _same(new, found):
            return new
        found = new
    raise Unsupported(Cause.STEPS_TOO_MANY(rounds.get(), "a running result"))
