"""Converts results of a function to items of arrays, as NumPy does that calls it for each item.

Inference uses it for functions of `frontend/elementwise_loop.py`.
"""

from __future__ import annotations

from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.scalars import arithmetic, python_functions, unsigned
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Exact, Scalar, Tuple, Type


def as_item(value: ir.Expression | None, item: Type) -> ir.Expression:
    """Return a function's result as NumPy makes an array's item of it, which it has as an object. Raises
    Outside.

    Python's numbers are converted as a store converts them; NumPy's scalars are first made Python's numbers.
    A tuple of results becomes items of as many arrays.
    """
    if isinstance(item, Tuple):
        if value is None or not isinstance(value.type, Tuple) or len(value.type.items) != len(item.items):
            raise Outside("a result that is no tuple of the first result's length")
        return ir.tuple_of(
            tuple(as_item(ir.part_of(value, place), one) for place, one in enumerate(item.items))
        )
    if isinstance(item, Exact):
        if value is None or value.type != item.kind:
            raise Outside(f"a result that is no {item.kind}")
        return value
    assert isinstance(item, Scalar)
    if value is not None:
        value = unsigned.item(value, item)
    kind = None if value is None else value.type
    if value is None or not isinstance(kind, Scalar):
        raise Outside(f"a result that is {'None' if value is None else value.type}")
    if kind.code == item.code:
        return ir.Apply(item, python_functions.same(kind, item), (value,))
    if kind.python or kind.kind + item.kind in ("ff", "fc", "cc") or item.code in ("f8", "c16"):
        operation = arithmetic.cast(kind, item)
        if operation is not None:
            return ir.Apply(item, operation, (value,))
    raise Outside(f"a result of type {kind} as an item of type {item}")
