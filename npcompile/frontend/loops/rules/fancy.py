"""Gives the loop language its rules for items and parts that arrays choose: of integers, or masks.

`subscripts.py` calls them. Items at indices are a map of the index arrays, so that they are fused with what
is done with them; parts, such as the rows of a matrix, and what masks choose, are new arrays.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.elementwise import cast, converted
from npcompile.frontend.loops.rules.views import Index, transposed, view
from npcompile.lower.loops import ir
from npcompile.lower.loops.array_ir import (
    Fetch,
    Indices,
    Lane,
    Listed,
    Map,
    Selected,
    Source,
    StoreChosen,
    Taken,
    Whole,
    ndim,
)
from npcompile.lower.loops.types import Array, Scalar
from npcompile.lower.loops.view_ir import WHOLE

_INTS = Scalar("i8")


def is_index(part: object) -> bool:
    """Tell if a part of an index is an array that chooses: of one axis, or a mask."""
    if not isinstance(part, ir.Expression) or not isinstance(part.type, Array):
        return False
    kind = part.type
    return (kind.ndim == 1 and kind.item.kind in "iu") or (kind.ndim > 0 and kind.item.kind == "b")


def listed(inference: Inference, node: ast.List) -> ir.Expression:
    """Return the array of indices that NumPy makes of a list display of ints. Raises Outside."""
    items = []
    for one in node.elts:
        item = inference.value(one)
        # A list of other ints and a `np.uint64` is an array of floats.
        if not isinstance(item.type, Scalar) or item.type.kind not in "iu" or item.type.code == "u8":
            raise Outside(f"an index by a list of {item.type}")
        items.append(cast(item, _INTS))
    if not items:
        raise Outside("an index by an empty list")
    return Listed(Array("i8", 1, True), tuple(items))


class _Chosen:
    """An index with arrays in it: a view by all else, and the axes of the view that arrays choose from.

    axes: those, with their index arrays, or the first axis with a mask.
    """

    def __init__(self, container: ir.Expression, parts: Sequence[Index]) -> None:
        arrays = [(place, part) for place, part in enumerate(parts) if is_index(part)]
        places = [place for place, _ in arrays]
        ints = [
            place
            for place, part in enumerate(parts)
            if isinstance(part, ir.Expression) and not is_index(part)
        ]
        slices = len(parts) - len(places) - len(ints)
        first = arrays[0][1]
        assert isinstance(first, ir.Expression) and isinstance(first.type, Array)
        self.is_mask = first.type.item.kind == "b"
        masked = first.type.ndim if self.is_mask else 1
        if self.is_mask and (len(arrays) > 1 or places != [0] or len(parts) > 1):
            raise Outside("a mask beside other indices")
        if any(part is None for part in parts):
            raise Outside("an index by arrays and a new axis")
        whole = ndim(container) - len(parts) - (masked - 1)
        if whole < 0:
            raise Outside("too many indices")
        # NumPy puts the axis of the index arrays first where ints and arrays are apart from each other.
        advanced = sorted(places + ints)
        apart = advanced[-1] - advanced[0] >= len(advanced)
        if slices and apart and places[0] != 0:
            raise Outside("an index by arrays and ints that slices are between")
        if len(arrays) > 2 or (len(arrays) == 2 and (slices or whole)):
            raise Outside("an index by several arrays")
        basic = [WHOLE if is_index(part) else part for part in parts]
        self.array = container if self.is_mask or len(basic) == len(arrays) else view(container, basic)
        self.axes: list[tuple[int, ir.Expression]] = []
        for place, part in arrays:
            assert isinstance(part, ir.Expression)
            self.axes.append((place - sum(at < place for at in ints), part))
        assert isinstance(self.array.type, Array)
        axis = self.axes[0][0]
        if len(self.axes) == 1 and axis and (axis, self.array.type.ndim) != (1, 2):
            raise Outside("an index by an array of an axis that is not the first")

    def indices(self) -> tuple[ir.Expression, ...]:
        """Return the index arrays, each after the check that its indices are there."""
        return tuple(Indices(index.type, index, self.array, axis) for axis, index in self.axes)


def read(container: ir.Expression, parts: Sequence[Index]) -> ir.Expression:
    """Return the new array of what an index with an array in it chooses."""
    chosen = _Chosen(container, parts)
    array = chosen.array
    assert isinstance(array.type, Array)
    axes = array.type.ndim
    if chosen.is_mask:
        mask = chosen.axes[0][1]
        return Selected(Array(array.type.code, 1 + axes - ndim(mask), True), array, mask)
    indices = chosen.indices()
    if len(indices) == axes:
        source = Source(array.type)
        lanes = tuple(Lane(_item(index), 1 + number) for number, index in enumerate(indices))
        body = Fetch(array.type.item, Lane(source, 0), lanes)
        return Map(Array(array.type.code, 1, True), (Whole(source, array), *indices), body)
    kind = Array(array.type.code, axes, True)
    axis, index = chosen.axes[0]
    if axis == 0:
        return Taken(kind, array, *indices)
    # The items of each row lie apart, as NumPy puts the axis of the indices outermost.
    turned = transposed(array, (1, 0))
    return transposed(Taken(kind, turned, Indices(index.type, index, turned)), (1, 0))


def _item(index: ir.Expression) -> Scalar:
    assert isinstance(index.type, Array)
    return index.type.item


def store(
    inference: Inference, container: ir.Expression, parts: Sequence[Index], value: ir.Expression
) -> None:
    """Add the step that stores a value to what an index with an array in it chooses."""
    chosen = _Chosen(container, parts)
    array = chosen.array
    assert isinstance(array.type, Array)
    if not array.type.writeable:
        raise Outside("a store to a read-only array")
    mask = chosen.axes[0][1]
    given = (mask,) if chosen.is_mask else chosen.indices()
    most = array.type.ndim - (ndim(mask) if chosen.is_mask else len(given)) + 1
    if not isinstance(value.type, Array | Scalar) or ndim(value) > most:
        raise Outside(f"a store of {value.type} to chosen items")
    inference.add(StoreChosen, array, given, converted(value, array.type.item))
