"""The typed IR of arrays within loop regions: elementwise expressions, and stores of them.

Rules in `frontend/loops/rules/` make it, `elementwise_code.py` writes its C++.
"""

from __future__ import annotations

from dataclasses import dataclass

from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Array, Type


@dataclass(frozen=True, eq=False)
class Lane(ir.Expression):
    """Within the body of a `Map`: the item at hand of an operand, or an operand that is a scalar."""

    number: int

    def __str__(self) -> str:
        return f"${self.number}"


@dataclass(frozen=True, eq=False)
class Map(ir.Compound):
    """A new array: a scalar expression of the items of other arrays, which are broadcast to one shape.

    operands: arrays and scalars. body: an expression of `Lane`s and constants that never leaves. in_c_order:
    the new array lies in memory in the order of C, whatever the operands' order.
    """

    operands: tuple[ir.Expression, ...]
    body: ir.Expression
    in_c_order: bool = False

    @property
    def parts_within(self) -> tuple[ir.Expression, ...]:
        return self.operands

    def __str__(self) -> str:
        text = str(self.body)
        for number, operand in reversed(list(enumerate(self.operands))):
            text = text.replace(f"${number}", str(operand))
        return f"<{text}>"


@dataclass(frozen=True, eq=False)
class StoreMap(ir.CompoundStep):
    """Store to all items of an array, as if all operands were read before. The map has the array's dtype.

    moves: it stores the items of an array of one axis as they are, in an order that NumPy chooses by the two
    arrays' places and strides: an item may be read after it was stored.
    """

    target: ir.Expression
    value: Map
    moves: bool = False

    @property
    def parts_within(self) -> tuple[ir.Expression, ...]:
        return (self.target, *self.value.operands)

    def __str__(self) -> str:
        return f"{self.target}[...] = {self.value}"


def ndim(value: ir.Expression) -> int:
    """Return the number of an array's axes, 0 for a scalar."""
    return value.type.ndim if isinstance(value.type, Array) else 0


@dataclass(frozen=True, eq=False)
class Reduced(ir.Compound):
    """A number: the sum, product, minimum or the like of a map's items, of which no array is made.

    function: its name in `reductions.h`.
    """

    function: str
    value: Map

    @property
    def parts_within(self) -> tuple[ir.Expression, ...]:
        return self.value.operands

    def __str__(self) -> str:
        return f"{self.function}({self.value})"


@dataclass(frozen=True, eq=False)
class Dot(ir.Compound):
    """The sum of the products of two arrays' items, converted to one type. Both arrays have one axis."""

    left: ir.Expression
    right: ir.Expression
    conjugates: bool  # the left one's items

    def __str__(self) -> str:
        return f"dot({self.left}, {self.right})"


@dataclass(frozen=True, eq=False)
class MatMul(ir.Compound):
    """A new array: the product of a matrix with a matrix or a vector, items converted to one type."""

    left: ir.Expression
    right: ir.Expression

    def __str__(self) -> str:
        return f"({self.left} @ {self.right})"


@dataclass(frozen=True, eq=False)
class ByUfunc(ir.Compound):
    """A new array: a ufunc of the items of a map's array, by NumPy's own inner loop.

    name: the ufunc's. one: its C++ function of items. other: the second operand, a map of the same shape; of
    `array ** exponent`, which NumPy does by other ufuncs for some exponents, a scalar. All have one type.
    """

    name: str
    value: Map
    one: str
    other: ir.Expression | None = None

    def __str__(self) -> str:
        more = "" if self.other is None else f", {self.other}"
        return f"{self.name}({self.value}{more})"


@dataclass(frozen=True, eq=False)
class CheckApart(ir.CompoundStep):
    """Leave where two arrays may have memory in common."""

    one: ir.Expression
    other: ir.Expression

    def __str__(self) -> str:
        return f"assert not overlap({self.one}, {self.other})"


@dataclass(frozen=True, eq=False)
class CheckOrder(ir.CompoundStep):
    """Leave where the axes of an array do not lie in memory in the order of C."""

    array: ir.Expression

    def __str__(self) -> str:
        return f"assert {self.array} is in the order of C"


@dataclass(frozen=True, eq=False)
class Filled(ir.Compound):
    """A new array of a shape, all of whose items are one number; None: any."""

    shape: tuple[ir.Expression, ...]
    item: ir.Expression | None

    def __str__(self) -> str:
        return f"full(({', '.join(map(str, self.shape))}), {self.item})"


@dataclass(frozen=True, eq=False)
class Listed(ir.Compound):
    """A new array of one axis, of these items."""

    items: tuple[ir.Expression, ...]

    def __str__(self) -> str:
        return f"array([{', '.join(map(str, self.items))}])"


@dataclass(frozen=True, eq=False)
class Counted(ir.Compound):
    """A new array of the numbers of `arange`: ints, converted to its dtype."""

    start: ir.Expression
    stop: ir.Expression
    step: ir.Expression

    def __str__(self) -> str:
        return f"arange({self.start}, {self.stop}, {self.step})"


@dataclass(frozen=True)
class Source(Type):
    """An array that an operand of a map is as a whole: the body reads its items at any places."""

    array: Array

    def __str__(self) -> str:
        return f"items of {self.array}"


@dataclass(frozen=True, eq=False)
class Whole(ir.Compound):
    """An array as a `Source`."""

    array: ir.Expression

    def __str__(self) -> str:
        return str(self.array)


@dataclass(frozen=True, eq=False)
class Indices(ir.Compound):
    """An array of indices of an axis of another array, after the check that each is there."""

    index: ir.Expression
    array: ir.Expression
    axis: int = 0

    def __str__(self) -> str:
        return str(self.index)


@dataclass(frozen=True, eq=False)
class Fetch(ir.Compound):
    """Within the body of a `Map`: the item of a source at places that are indices of it, one an axis."""

    source: ir.Expression
    places: tuple[ir.Expression, ...]

    def __str__(self) -> str:
        return f"{self.source}[{', '.join(map(str, self.places))}]"


@dataclass(frozen=True, eq=False)
class Taken(ir.Compound):
    """A new array: the parts of an array along its first axis, such as the rows of a matrix, at `Indices`."""

    array: ir.Expression
    index: ir.Expression

    def __str__(self) -> str:
        return f"{self.array}[{self.index}]"


@dataclass(frozen=True, eq=False)
class Selected(ir.Compound):
    """A new array: the items, or the parts along the first axes, where a mask of those axes holds."""

    array: ir.Expression
    mask: ir.Expression

    def __str__(self) -> str:
        return f"{self.array}[{self.mask}]"


@dataclass(frozen=True, eq=False)
class StoreChosen(ir.CompoundStep):
    """Store to what `chosen` chooses of an array: `Indices` of one axis, or of both of two, or a mask.

    The value is computed before the first store, and of repeated indices the last one counts.
    """

    target: ir.Expression
    chosen: tuple[ir.Expression, ...]
    value: Map

    @property
    def parts_within(self) -> tuple[ir.Expression, ...]:
        return (self.target, *self.chosen, *self.value.operands)

    def __str__(self) -> str:
        return f"{self.target}[{', '.join(map(str, self.chosen))}] = {self.value}"
