"""Gives the loop language its iterators over all items of an array, and over their places.

`iteration.py` asks for them where a loop goes over `np.ndindex(...)`, `np.ndenumerate(a)` or `a.flat`.
"""

from __future__ import annotations

import ast

import numpy as np

from npcompile.frontend.loops.entry.values import MOST_AXES
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.subscripts import index_of
from npcompile.lower.loops import ir
from npcompile.lower.loops.array_iterator_ir import FlatIterator, FlatState, GridIterator, GridState
from npcompile.lower.loops.iterator_ir import ZippedIterator, ZippedState
from npcompile.lower.loops.types import Array, Tuple


def places(inference: Inference, node: ast.Call) -> ir.Expression:
    """Return the iterator that `np.ndindex(...)` is."""
    if node.keywords:
        raise Outside("`ndindex` with keywords")
    given = [inference.value(arg.value if isinstance(arg, ast.Starred) else arg) for arg in node.args]
    if len(given) == 1 and isinstance(given[0].type, Tuple):
        given = [*inference.items_of(given[0], len(given[0].type.items))]
    return _grid(tuple(index_of(inference, length) for length in given))


def numbered(inference: Inference, node: ast.Call) -> ir.Expression:
    """Return the iterator that `np.ndenumerate(a)` is."""
    if len(node.args) != 1 or node.keywords:
        raise Outside("`ndenumerate` with these arguments")
    array = inference.value(node.args[0])
    items = flat(array)
    grid = _grid(tuple(ir.length(array, axis) for axis in range(array.type.ndim)))  # type: ignore[attr-defined]
    assert isinstance(grid.type, GridState) and isinstance(items.type, FlatState)
    return ZippedIterator(ZippedState((grid.type, items.type)), (grid, items))


def flat(array: ir.Expression) -> ir.Expression:
    """Return the iterator that `array.flat` is."""
    if not isinstance(array.type, Array) or not 0 < array.type.ndim <= MOST_AXES:
        raise Outside(f"loops over all items of {array.type}")
    return FlatIterator(FlatState(array.type), array)


def _grid(lengths: tuple[ir.Expression, ...]) -> ir.Expression:
    if not 0 < len(lengths) <= MOST_AXES:
        raise Outside(f"`ndindex` of {len(lengths)} axes")
    return GridIterator(GridState(len(lengths)), lengths)


CALLS = {np.ndindex: places, np.ndenumerate: numbered}
