"""An operation on scalars: the types that it takes and gives, and the C++ function that does it.

`frontend/loops/` chooses operations by NumPy's and Python's rules, `lower/loops/` writes their calls, and
`scalars.h` and `functions.h` hold the functions.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from npcompile.lower.loops.types import BOOL, Scalar


@dataclass(frozen=True)
class Operation:
    """One C++ function of namespace `npl`.

    Parameters
    ----------
    function
        Its name, template arguments included.
    operands
        The types to which the operands are converted first, by `npl::cast<To>(value)`, as NumPy promotes.
    result
        The type of the answer.
    leaves
        True if the function may find that native code has no answer (an int that overflows, a division that
        raises): it is then `bool f(operands..., Result& answer)` and returns true, and Python does the
        statement. Else it is `Result f(operands...)`, and is pure.
    unchecked
        Of a function that leaves, the pure one of the same operands for where it is proved that it does not:
        no int overflows, no divisor is zero, a Python int beside a NumPy integer is one of that dtype's.
        None where there is no such function.
    fits
        The integer type of which all operands have to be numbers, where a function that leaves asks for no
        more; None where it does.
    """

    function: str
    operands: tuple[Scalar, ...]
    result: Scalar
    leaves: bool = False
    unchecked: str | None = None
    fits: Scalar | None = None


@functools.cache
def truth_of(operand: Scalar) -> Operation:
    """Return the operation of `bool(operand)`."""
    return Operation(f"npl::truth<{operand.c_type}>", (operand,), BOOL)
