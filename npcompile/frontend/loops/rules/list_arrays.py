"""Gives the loop language its rule for arrays of lists: `np.array(found)`, rows of tuples and lists included.

The dtype is that of all numbers together, as NumPy finds it, and float64 where there are none. So a list that
may be empty, or that has numbers of one of two types, splits the statement, unless all ways give one dtype.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from npcompile.frontend.loops import language
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.elementwise import dtype_of
from npcompile.frontend.loops.rules.lists import item_type
from npcompile.frontend.loops.scalars import arithmetic
from npcompile.frontend.loops.splitting import Split
from npcompile.frontend.rewrite.ast_builder import position
from npcompile.lower.loops import ir
from npcompile.lower.loops.list_array_ir import ArrayOfList, HoldsOnly
from npcompile.lower.loops.list_ir import HasItems, NewList
from npcompile.lower.loops.operation import Operation
from npcompile.lower.loops.types import BOOL, FLOAT, Array, Either, Known, List, Scalar, Tuple, Type

# Dtypes that an array may have, each with the test for it, but for the last one.
_Codes = list[tuple[str, Callable[[Any], bool] | None]]


@dataclass
class _Numbers:
    """The numbers of a list's items: the types that some have, those that others have one of, the axes."""

    certain: set[Scalar]
    either: set[Either]
    axes: int = 0

    @property
    def kinds(self) -> list[Scalar]:
        """Return all types of numbers."""
        chosen = {kind for one in self.either for kind in one.kinds if isinstance(kind, Scalar)}
        return sorted(self.certain | chosen, key=str)

    def dtype(self, *chosen: Type) -> str:
        """Return the code of the array's dtype, with numbers of some types of those in `either`."""
        kinds = [kind for kind in (*self.certain, *chosen) if isinstance(kind, Scalar)]
        return np.result_type(*(np.dtype(kind.code) for kind in kinds)).str[1:]


def _numbers(kind: Type | None) -> _Numbers:
    """Return the numbers of an item. Raises Outside where it is no number, and no row of numbers."""
    match kind:
        case Scalar():
            return _Numbers({kind}, set())
        case Either(kinds=(Scalar(), Scalar())):
            return _Numbers(set(), {kind})
        case List(item=item) if type(kind) is List and item is not None:
            row = _numbers(item)
            return _Numbers(row.certain, row.either, 1 + row.axes)
        case Tuple(items=items) if items:
            parts = [_numbers(part) for part in items]
            if all(part.axes == 0 for part in parts):
                certain = set[Scalar]().union(*(part.certain for part in parts))
                return _Numbers(certain, set[Either]().union(*(part.either for part in parts)), 1)
    raise Outside(f"an array of {kind}")


def array_of_list(
    inference: Inference, node: ast.Call, value: ir.Expression, dtype: ast.expr | None
) -> ir.Expression:
    """Return the array of a list's items. Raises Split where its type depends on them."""
    numbers = _numbers(item_type(value))
    given = dtype is not None and inference.value(dtype).type != Known(None)
    empty = dtype_of(inference, dtype).code if dtype is not None and given else "f8"
    codes: _Codes = [(empty, None)] if given else _codes(numbers)
    if len(codes) == 1 and codes[0][0] == empty and numbers.axes == 0:
        return _array(value, numbers, empty)
    name = inference.continued.name(node)
    read = ir.Read(value.type, name.id)
    made: ast.expr = _calling(node, _filled, name, codes.pop()[0])
    for code, test in reversed(codes):
        assert test is not None
        made = ast.IfExp(
            _calling(node, test, name), _calling(node, _filled, name, code), made, **position(node)
        )
    raise Split(
        node, HasItems(BOOL, read), (made, _calling(node, _of_nothing, name, empty)), ((name.id, value),)
    )


def _codes(numbers: _Numbers) -> _Codes:
    """Return the dtypes that an array may have, each with the test for it, but for the last one."""
    if not numbers.either:
        return [(numbers.dtype(), None)]
    both = numbers.dtype(*numbers.kinds)
    found: _Codes = []
    for place, test in enumerate((_has_first, _has_second)):
        codes = {numbers.dtype(one.kinds[place]) for one in numbers.either}
        if codes != {both}:
            if len(numbers.either) > 1:
                raise Outside("an array whose dtype depends on numbers of several types")
            found.append((codes.pop(), test))
    return [*found, (both, None)]


def _calling(node: ast.Call, function: Callable[..., Any], value: ast.expr, code: str = "") -> ast.Call:
    """Return the call of a function that is known, with a value and the dtype of an array."""
    at = position(node)
    dtype: Any = np.dtype(code) if code else None
    given = [ast.keyword("dtype", ast.Constant(dtype, **at), **at)] if code else []
    return ast.Call(ast.Constant(function, **at), [value], given, **at)  # type: ignore[arg-type]


def _array(value: ir.Expression, numbers: _Numbers, code: str) -> ir.Expression:
    casts: list[tuple[Scalar, Operation]] = []
    for kind in numbers.kinds:
        cast = arithmetic.cast(kind, Scalar(code))
        if cast is None:
            raise Outside(f"an array of {np.dtype(code)} of {kind}")
        casts.append((kind, cast))
    return ArrayOfList(Array(code, 1 + numbers.axes, True), value, tuple(casts))


# -- functions that stand in ways of splits, and are never called -------------------------------------------


def _filled(values: list[Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Return the array of a list that has items."""
    return np.array(values, dtype)


def _of_nothing(values: list[Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Return the array of a list that has no items."""
    return np.array(values, dtype)


def _has_first(values: list[Any]) -> bool:
    """Tell if numbers of either type have all the first one."""
    raise NotImplementedError


def _has_second(values: list[Any]) -> bool:
    """Tell if numbers of either type have all the second one."""
    raise NotImplementedError


@language.calls(_filled)
def _of_filled(inference: Inference, node: ast.Call) -> ir.Expression:
    value = inference.value(node.args[0])
    return _array(value, _numbers(item_type(value)), dtype_of(inference, node.keywords[0].value).code)


@language.calls(_of_nothing)
def _of_no_items(inference: Inference, node: ast.Call) -> ir.Expression:
    numbers = _Numbers({FLOAT}, set())
    return _array(NewList(List(FLOAT), ()), numbers, dtype_of(inference, node.keywords[0].value).code)


@language.calls(_has_first, _has_second)
def _has(inference: Inference, node: ast.Call) -> ir.Expression:
    second = inference.value(node.func).type == Known(_has_second)
    return HoldsOnly(BOOL, inference.value(node.args[0]), second)
