"""Gives the loop language its rules for items that an array chooses: of integers, or a mask.

`subscripts.py` calls them. Items at indices are a map of the index array, so that they are fused with what is
done with them; the indices are checked before the map begins.
"""

from __future__ import annotations

from collections.abc import Sequence

from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.elementwise import converted
from npcompile.frontend.loops.rules.views import Index, view
from npcompile.lower.loops import ir
from npcompile.lower.loops.array_ir import (
    Fetch,
    Indices,
    Lane,
    Map,
    Selected,
    Source,
    StoreChosen,
    Whole,
    ndim,
)
from npcompile.lower.loops.types import Array, Scalar


def is_index(part: object) -> bool:
    """Tell if a part of an index is an array that chooses items of one axis."""
    if not isinstance(part, ir.Expression) or not isinstance(part.type, Array):
        return False
    return part.type.ndim == 1 and part.type.item.kind in "biu"


def _axis(container: ir.Expression, parts: Sequence[Index]) -> tuple[ir.Expression, ir.Expression]:
    """Return the array of one axis that an index array chooses items of, and that index array."""
    assert isinstance(container.type, Array)
    arrays = [part for part in parts if is_index(part)]
    scalars = sum(isinstance(part, ir.Expression) for part in parts) - len(arrays)
    if len(arrays) != 1 or len(parts) != container.type.ndim or scalars != len(parts) - 1:
        raise Outside("an index by arrays and other than ints")
    (index,) = arrays
    assert isinstance(index, ir.Expression)
    if len(parts) == 1:
        return container, index
    return view(container, [ir.Slice(None, None, None) if is_index(part) else part for part in parts]), index


def read(container: ir.Expression, parts: Sequence[Index]) -> ir.Expression:
    """Return the new array of the items that an index with an array in it chooses."""
    array, index = _axis(container, parts)
    assert isinstance(array.type, Array) and isinstance(index.type, Array)
    kind = Array(array.type.code, 1, True)
    if index.type.item.kind == "b":
        if len(parts) > 1:
            raise Outside("a mask beside other indices")
        return Selected(kind, array, index)
    source = Source(array.type)
    body = Fetch(array.type.item, Lane(source, 0), Lane(index.type.item, 1))
    return Map(kind, (Whole(source, array), Indices(index.type, index, array)), body)


def store(
    inference: Inference, container: ir.Expression, parts: Sequence[Index], value: ir.Expression
) -> None:
    """Add the step that stores a value to the items that an index with an array in it chooses."""
    array, index = _axis(container, parts)
    assert isinstance(array.type, Array) and isinstance(index.type, Array)
    if not array.type.writeable:
        raise Outside("a store to a read-only array")
    if not isinstance(value.type, Array | Scalar) or ndim(value) > 1:
        raise Outside(f"a store of {value.type} to chosen items")
    if index.type.item.kind != "b":
        index = Indices(index.type, index, array)
    elif len(parts) > 1:
        raise Outside("a mask beside other indices")
    inference.add(StoreChosen, array, index, converted(value, array.type.item))
