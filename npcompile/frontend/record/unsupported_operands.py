"""Raises the error of an operator that no method of its operands does, once users' methods have said so.

Python finds that out by calling the methods, which may have effects. So the error is that of operands of the
same types whose methods say no and do nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from types import NoneType
from typing import Any

from npcompile.frontend.catalog.python_operators import INPLACE
from npcompile.frontend.program.object_steps import class_attribute
from npcompile.frontend.program.signature import NUMBERS
from npcompile.frontend.rewrite.call_sites import do

_PLAIN = frozenset((*NUMBERS, bool, NoneType))
_JOINED = frozenset((str, bytes, tuple, list))  # `+` tries to join them, after the methods


def refuse(operator: Callable[[Any, Any], Any], symbol: str, a: Any, b: Any) -> None:
    """Raise the TypeError of operands whose methods have all returned NotImplemented.

    Nothing is raised where another way may be left, by which Python does the operator.

    operator: the function of the operator. symbol: as it stands in an expression, `+` for `+=` too.
    """
    joins = symbol == "+" and not (type(a) is list and operator is INPLACE[symbol])  # which takes all items
    one, other = _stand_in(a, joins), _stand_in(b, joins)
    if one is not None and other is not None:
        do(operator, *one, *other)


def refuse_override(operator: Callable[[Any, Any], Any], a: Any, b: Any) -> None:
    """Raise NumPy's TypeError for a value of its own and an object whose `__array_ufunc__` does not do it."""
    methods = {"__array_ufunc__": lambda *_, **__: NotImplemented, "__repr__": lambda _: repr(b)}
    do(operator, a, type(type(b).__name__, (), methods)())


def _stand_in(operand: Any, joins: bool) -> tuple[Any] | None:
    """Return what raises the same error as an operand; None where Python may do more than call methods."""
    kind = type(operand)
    if kind in _PLAIN or (joins and kind in _JOINED):
        return (operand,)
    # A class of C's, or one that derives from such, may join or repeat as lists do.
    if class_attribute(kind, "__new__") is not class_attribute(object, "__new__"):
        return None
    refused = {name: None for name in dir(kind) if class_attribute(kind, name, kind) is None}
    return (type(kind.__name__, (), refused)(),)
