"""Gives the loop language its rules for elementwise expressions on arrays: operators, comparisons, ufuncs.

Items follow the rules of scalars of the array's dtype (NEP 50). Expressions are fused: an operand that is
itself elementwise becomes part of the loop. Arrays without axes count as scalars, as NumPy's answers are.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.numbers import apply
from npcompile.frontend.loops.rules.products import matmul
from npcompile.frontend.loops.scalars import arithmetic, functions, ufuncs, unsigned
from npcompile.lower.loops import ir
from npcompile.lower.loops.array_ir import (
    ByUfunc,
    Fetch,
    Lane,
    Listed,
    Map,
    Selected,
    StoreMap,
    Taken,
    ndim,
)
from npcompile.lower.loops.operation import Operation
from npcompile.lower.loops.types import INT, Array, Scalar, Tuple
from npcompile.lower.loops.view_ir import Transposed
from npcompile.nep50 import powers

Choose = Callable[[tuple[Scalar, ...]], Operation | None]


# -- maps --------------------------------------------------------------------------------------------------


class Fusion:
    """Collects the operands of one map. axes: how many the map's array has."""

    def __init__(self, axes: int) -> None:
        self.axes = axes
        self.operands: list[ir.Expression] = []

    def body(self, value: ir.Expression) -> ir.Expression:
        """Return the scalar expression that stands for an operand within the body."""
        if isinstance(value, Map) and ndim(value) == self.axes and not value.in_c_order:
            lanes = [self.body(operand) for operand in value.operands]
            return _with_lanes(value.body, lanes)
        if isinstance(value, ir.Constant):
            return value
        for number, known in enumerate(self.operands):
            if known is value:
                return self._lane(value, number)
        self.operands.append(value)
        return self._lane(value, len(self.operands) - 1)

    @staticmethod
    def _lane(value: ir.Expression, number: int) -> Lane:
        return Lane(value.type.item if isinstance(value.type, Array) else value.type, number)

    def map(self, body: ir.Expression) -> Map:
        assert isinstance(body.type, Scalar)
        kinds = [one.type for one in self.operands if isinstance(one.type, Array)]
        turned = self.axes == 2 and any(kind.turned for kind in kinds)
        kind = Array(body.type.code, self.axes, self.axes > 0 and not turned, turned=turned)
        return Map(kind, tuple(self.operands), body)


def _with_lanes(body: ir.Expression, lanes: list[ir.Expression]) -> ir.Expression:
    match body:
        case Lane(number=number):
            return lanes[number]
        case ir.Apply(operands=operands):
            made = tuple(_with_lanes(operand, lanes) for operand in operands)
            return dataclasses.replace(body, operands=made)
        case Fetch(source=source, places=places):
            found = tuple(_with_lanes(place, lanes) for place in places)
            return Fetch(body.type, _with_lanes(source, lanes), found)
        case ir.Choose(test=test, one=one, other=other):
            return ir.Choose(body.type, *(_with_lanes(part, lanes) for part in (test, one, other)))
    return body


def scalar_or_array(value: ir.Expression) -> ir.Expression:
    """Return an operand; of an array without axes, its item, and of an unsigned int, a signed one."""
    value = unsigned.signed(value)
    if isinstance(value, Map) and not ndim(value):
        return _with_lanes(value.body, [*value.operands])
    if isinstance(value.type, Array) and value.type.ndim == 0:
        return ir.Item(value.type.item, value, ())
    if not isinstance(value.type, Array | Scalar):
        raise Outside(f"{value.type} as an operand of an array")
    return value


def item_type(value: ir.Expression) -> Scalar:
    """Return the type of a scalar, or of an array's items."""
    kind = value.type
    assert isinstance(kind, Array | Scalar)
    return kind.item if isinstance(kind, Array) else kind


def elementwise(choose: Choose, values: Sequence[ir.Expression], named: str) -> ir.Expression:
    """Return an operation on the items of arrays. choose: gives it for the types of items.

    Raises Outside where native code has none.
    """
    values = [scalar_or_array(value) for value in values]
    operation = choose(tuple(map(item_type, values)))
    axes = max(map(ndim, values))
    if operation is not None and axes and operation.leaves:
        values = [_strong(value, values) for value in values]
        operation = choose(tuple(map(item_type, values)))
    if operation is None or (axes and operation.leaves):
        raise Outside(named)
    if axes == 0:
        return apply(operation, tuple(values), named)
    fusion = Fusion(axes)
    bodies = tuple(fusion.body(value) for value in values)
    return fusion.map(ir.Apply(operation.result, operation, bodies))


def _strong(value: ir.Expression, values: Sequence[ir.Expression]) -> ir.Expression:
    """Return a Python int beside arrays as the NumPy scalar that it becomes: the loop then cannot leave."""
    if value.type != INT:
        return value
    dtypes = [np.dtype(item_type(one).code) for one in values if not item_type(one).python]
    target = Scalar(np.result_type(*dtypes, 0).str[1:])
    return cast(value, target)


def cast(value: ir.Expression, to: Scalar) -> ir.Expression:
    """Return a number converted as a store converts it to an item."""
    assert isinstance(value.type, Scalar)
    return apply(arithmetic.cast(value.type, to), (value,), f"a cast of {value.type} to {to}")


def item_cast(body: ir.Expression, to: Scalar) -> ir.Expression:
    """Return an item of an array converted as NumPy casts arrays: whatever the value."""
    assert isinstance(body.type, Scalar)
    if body.type.code == to.code:
        return body if not body.type.python else dataclasses.replace(body, type=to)
    operation = Operation(f"npl::cast<{to.c_type}, {body.type.c_type}>", (body.type,), to)
    return ir.Apply(to, operation, (body,))


def converted(value: ir.Expression, to: Scalar) -> Map:
    """Return the map of an array's items, or of a scalar, as they are stored to an array of a dtype."""
    value = scalar_or_array(value)
    fusion = Fusion(ndim(value))
    if isinstance(value.type, Scalar):
        return fusion.map(fusion.body(value if value.type.code == to.code else cast(value, to)))
    return fusion.map(item_cast(fusion.body(value), to))


# -- operators ---------------------------------------------------------------------------------------------


@language.operators((Array, Array), (Array, Scalar), (Scalar, Array))
def operate(
    inference: Inference, kind: Any, left: ir.Expression, right: ir.Expression, inplace: bool
) -> ir.Expression:
    return operate_on(kind, left, right)


def operate_on(kind: Any, left: ir.Expression, right: ir.Expression) -> ir.Expression:
    """Return the value of an operator on arrays, or on an array and a scalar."""
    if kind is ast.MatMult:
        return matmul(left, right)
    named = f"`{kind.__name__}` of {left.type} and {right.type}"
    if kind is ast.Pow and ndim(left):
        return _power(left, scalar_or_array(right), named)
    by_ufunc = kind is not ast.Pow
    return elementwise(lambda kinds: arithmetic.binary(kind, *kinds, by_ufunc), (left, right), named)


def _power(left: ir.Expression, right: ir.Expression, named: str) -> ir.Expression:
    """Return a power of an array: NumPy does some exponents by other operations than scalars' powers."""
    if item_type(left).kind == "b" and right.type == INT:
        if not isinstance(right, ir.Constant):
            raise Outside(f"{named}, whose dtype depends on the exponent")
        fast = powers.fast_if_different(np.dtype(bool), right.value)
        if fast is not None and fast.ufunc is np.square:  # zeros and ones are their own squares
            return converted(left, Scalar(np.square.resolve_dtypes((np.dtype(bool), None))[-1].str[1:]))
        if fast is not None:
            raise Outside(named)

    def choose(kinds: tuple[Scalar, ...]) -> Operation | None:
        operation = arithmetic.binary(ast.Pow, *kinds)
        if operation is None or not isinstance(right.type, Scalar):
            return operation
        both = operation.operands[0]
        if both.kind in "iu" and isinstance(right, ir.Constant) and right.value >= 0:
            return dataclasses.replace(
                operation,
                function=f"npl::integer_power_unchecked<{both.c_type}>",
                leaves=False,
                unchecked=None,
            )
        if both.kind in "fc" and right.type.kind in "iuf":
            fused = both.kind == "c" and arithmetic.fuses_products(both.code)
            function = f"npl::array_power<{both.c_type}, {str(fused).lower()}>"
            return Operation(function, (both, both), operation.result)
        return operation

    operation = choose((item_type(left), item_type(right)))
    if operation is not None and _is_by_loop(operation):
        if isinstance(right.type, Array):
            return _by_ufunc(np.power, operation, (left, right))
        exponent = cast(right, operation.result)
        return dataclasses.replace(_by_ufunc(np.power, operation, (left,)), other=exponent)
    return elementwise(choose, (left, right), named)


@language.comparisons((Array, Array), (Array, Scalar), (Scalar, Array))
def _compare(inference: Inference, kind: Any, left: ir.Expression, right: ir.Expression) -> ir.Expression:
    named = f"`{kind.__name__}` of {left.type} and {right.type}"
    return elementwise(lambda kinds: arithmetic.compare(kind, *kinds, True), (left, right), named)


@language.unaries(Array)
def _unary(inference: Inference, kind: Any, operand: ir.Expression) -> ir.Expression:
    named = f"`{kind.__name__}` of {operand.type}"
    return elementwise(lambda kinds: arithmetic.unary(kind, *kinds), (operand,), named)


@language.truths(Array)
def _truth(inference: Inference, value: ir.Expression) -> ir.Expression:
    operand = scalar_or_array(value)
    if operand is value:
        raise Outside("the truth of an array")
    return inference.truth(operand)


# -- functions ---------------------------------------------------------------------------------------------

_BUILTINS = {abs: np.absolute, np.conj: np.conjugate}


def called(function: object, operands: tuple[ir.Expression, ...]) -> ir.Expression:
    """Return a call of a ufunc, or of a function that works like one, with arrays among its operands."""
    function = _BUILTINS.get(function, function)
    name = getattr(function, "__name__", function)
    if not isinstance(function, np.ufunc) and function not in (np.clip, np.round):
        raise Outside(f"calls of `{name}` with arrays")

    def choose(kinds: tuple[Scalar, ...]) -> Operation | None:
        if isinstance(function, np.ufunc):
            return ufuncs.operation_on_items(function, kinds)
        return functions.call(function, kinds)

    values = tuple(map(scalar_or_array, operands))
    if function in ufuncs.TAKE_LONG and all(map(ndim, values)):
        operation = choose(tuple(map(item_type, values)))
        if operation is not None and _is_by_loop(operation):
            return _by_ufunc(function, operation, values)
    return elementwise(choose, operands, f"calls of `{name}`")


def _is_by_loop(operation: Operation) -> bool:
    """Tell if NumPy's inner loop of an operation takes several numbers at once."""
    return operation.result.code in ("f4", "f8") and {*operation.operands} == {operation.result}


def _by_ufunc(ufunc: np.ufunc, operation: Operation, operands: Sequence[ir.Expression]) -> ByUfunc:
    """Return a ufunc of arrays by NumPy's own loop, where the C library's functions take much longer."""
    maps = []
    for place in range(len(operands)):
        fusion = Fusion(max(map(ndim, operands)))
        bodies = [fusion.body(operand) for operand in operands]
        maps.append(fusion.map(item_cast(bodies[place], operation.result)))
    return ByUfunc(maps[0].type, ufunc.__name__, maps[0], operation.function, *maps[1:])


@language.calls(np.real)
def _real(inference: Inference, node: ast.Call) -> ir.Expression:
    if len(node.args) != 1 or node.keywords:
        raise Outside("a call of `real` that NumPy refuses")
    operand = inference.value(node.args[0])
    if isinstance(operand.type, Array):
        if operand.type.item.kind == "c":
            raise Outside("`real` of complex arrays, a view of parts of items")
        return operand  # the very array
    kinds = (operand.type,) if isinstance(operand.type, Scalar) else ()
    return apply(functions.call(np.real, kinds), (operand,), "calls of `real`")


@language.methods((Array, "astype"))
def _astype(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    assert isinstance(owner.type, Array)
    if len(node.args) != 1 or node.keywords or not owner.type.ndim:
        raise Outside("`astype` with keywords")
    return converted(owner, dtype_of(inference, node.args[0]))


def dtype_of(inference: Inference, node: ast.expr) -> Scalar:
    """Return the scalars of the dtype that an argument means."""
    given = getattr(inference.value(node).type, "value", None)
    if given is None:
        raise Outside("a dtype that is not known")
    try:
        dtype = np.dtype(given)
    except TypeError:
        raise Outside(f"`{given}` as a dtype") from None
    kind = Scalar(f"{dtype.kind}{dtype.itemsize}")
    if not dtype.isnative or kind.kind not in "biufc" or dtype.itemsize > 8 * (1 + (kind.kind == "c")):
        raise Outside(f"arrays of {dtype}")
    return kind


@language.methods((Array, "copy"))
def _copy_method(inference: Inference, node: ast.Call, owner: ir.Expression) -> ir.Expression:
    if node.args or node.keywords:
        raise Outside("`copy` with an order")
    made = _copy(owner)
    assert isinstance(made.type, Array) and isinstance(owner.type, Array)
    if owner.type.packed or owner.type.ndim < 2:
        return made
    return Map(Array(made.type.code, made.type.ndim, True), made.operands, made.body, in_c_order=True)


@language.calls(np.copy)
def _copy_call(inference: Inference, node: ast.Call) -> ir.Expression:
    if len(node.args) != 1 or node.keywords:
        raise Outside("`copy` with an order")
    return _copy(inference.value(node.args[0]))


def _copy(array: ir.Expression) -> Map:
    if not isinstance(array.type, Array) or not array.type.ndim:
        raise Outside(f"a copy of {array.type}")
    return converted(array, array.type.item)


# -- stores ------------------------------------------------------------------------------------------------


def store(inference: Inference, target: ir.Expression, value: ir.Expression) -> None:
    """Add the step that stores an array or a scalar to all items of an array."""
    assert isinstance(target.type, Array)
    if isinstance(value.type, Tuple):
        value = _listed(value, target.type.item)
    value = unsigned.item(value, target.type.item)
    if not target.type.writeable:
        raise Outside("a store to a read-only array")
    if not isinstance(value.type, Array | Scalar) or ndim(value) > target.type.ndim:
        raise Outside(f"a store of {value.type} to {target.type}")
    made = converted(value, target.type.item)
    moves = isinstance(made.body, Lane) and made.operands == (value,) and ndim(value) == 1 == ndim(target)
    inference.add(StoreMap, target, made, moves)


def _listed(value: ir.Expression, kind: Scalar) -> ir.Expression:
    """Return the numbers of a tuple as an array, each converted as a store to an item converts it."""
    assert isinstance(value.type, Tuple)
    items = [
        scalar_or_array(unsigned.item(ir.part_of(value, place), kind))
        for place in range(len(value.type.items))
    ]
    if not items or not all(isinstance(item.type, Scalar) for item in items):
        raise Outside(f"a store of {value.type}")
    return Listed(
        Array(kind.code, 1, True), tuple(item if item.type == kind else cast(item, kind) for item in items)
    )


@language.updates(Array)
def _update(
    inference: Inference,
    target: ast.expr,
    old: ir.Expression,
    kind: Any,
    value: ir.Expression,
) -> None:
    assert isinstance(old.type, Array)
    value = unsigned.item(value, old.type.item)
    if kind is ast.MatMult:
        raise Outside("`@=`")
    if not isinstance(value.type, Array | Scalar):
        raise Outside(f"`{kind.__name__}` of {old.type} and {value.type}")
    if ndim(value) > old.type.ndim:
        raise Outside("an augmented assignment that changes a shape")
    rule = language.operators.find((type(old.type), type(value.type)), f"{old.type} and {value.type}")
    made = rule(inference, kind, old, value, True)
    if not np.can_cast(item_type(made).code, old.type.code, "same_kind"):
        raise Outside(f"an augmented assignment of {made.type} to {old.type}")
    if isinstance(made.type, Scalar):
        made = Map(Array(made.type.code, 0), (made,), Lane(made.type, 0))
    new = old.array if isinstance(old, Transposed) else old
    if isinstance(
        new, Map | Selected | Taken
    ):  # Python makes an array of the chosen items, changes it and stores it
        inference.assign(target, converted(made, old.type.item))
    else:
        store(inference, old, made)
