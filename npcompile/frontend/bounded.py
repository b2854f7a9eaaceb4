"""Index arrays that are sure to be in range (drawn below a number, places that a search gave): none is
checked, so that a program may index by them after an effect."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator, RandomState
from torch import fx

from npcompile.frontend.contents import Contents
from npcompile.frontend.program import Call, step_of, value_of
from npcompile.frontend.steps import GETITEM, SETITEM
from npcompile.frontend.table import TABLE, Op

Bounds = tuple[int, int]  # the least, and what all are below


def _whole(*numbers: Any) -> bool:
    return all(isinstance(number, int | np.integer) and not isinstance(number, bool) for number in numbers)


def _below(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Bounds | None:
    """Of `integers(low, high)`, or `integers(high)`."""
    given = dict(zip(("low", "high", "size", "dtype", "endpoint"), args[1:], strict=False)) | kwargs
    low, high = given.get("low"), given.get("high")
    if high is None:
        low, high = 0, low
    if low is None or high is None or not _whole(low, high):
        return None
    return int(low), int(high) + bool(given.get("endpoint"))


def _picked(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Bounds | None:
    """Of `choice(n)` and `permutation(n)`."""
    count = args[1] if len(args) > 1 else kwargs.get("a", kwargs.get("x"))
    return (0, int(count)) if count is not None and _whole(count) else None


_DRAWN: dict[Any, Callable[..., Bounds | None]] = {
    Generator.integers: _below,
    RandomState.randint: _below,
    **dict.fromkeys(
        (Generator.choice, Generator.permutation, RandomState.choice, RandomState.permutation), _picked
    ),
}


def _counted(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Bounds | None:
    """Of `np.arange(n)`."""
    return (0, int(args[0])) if len(args) == 1 and _whole(*args) and not kwargs else None


def _place(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Bounds | None:
    """Of `np.argmin(a, axis)`."""
    return _along(args, kwargs, None)


def _order(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Bounds | None:
    """Of `np.argsort(a, axis)`."""
    return _along(args, kwargs, -1)


def _along(args: tuple[Any, ...], kwargs: dict[str, Any], default: int | None) -> Bounds | None:
    shape = value_of(args[0]).shape if isinstance(args[0], fx.Node) else None
    axis = args[1] if len(args) > 1 else kwargs.get("axis", default)
    if shape is None or not (axis is None or _whole(axis)):
        return None
    return 0, int(np.prod(shape)) if axis is None or not shape else shape[operator.index(axis)]


_FOUND: dict[Op | None, Callable[..., Bounds | None]] = {
    TABLE.of(np.arange): _counted,
    TABLE.of(np.argmin): _place,
    TABLE.of(np.argmax): _place,
    TABLE.of(np.argsort): _order,
}
_ARRAY = np.ndarray
_SAME = frozenset(  # these give elements of what they are given
    map(
        TABLE.of,
        [GETITEM, np.ravel, np.reshape, np.transpose, np.copy, np.squeeze, np.flip]
        + [_ARRAY.ravel, _ARRAY.reshape, _ARRAY.flatten, _ARRAY.transpose, _ARRAY.T, _ARRAY.copy],
    )
) - {None}


def bound(graph: fx.Graph) -> None:
    """Mark the indexing steps of a program for these lengths alone whose index arrays are in range."""
    contents = Contents()
    known: dict[fx.Node, tuple[Bounds, Any]] = {}  # and what it held
    for node in graph.nodes:
        if isinstance(node.target, Op) and node.target.checked and not node.meta.get("unchecked"):
            if _is_indexing(node.target) and _fits(node, known, contents):
                node.meta["unchecked"] = True
        contents.note(node)
        if node.op != "output" and (found := _bounds(node, known, contents)) is not None:
            known[node] = found, contents.now(node)


def _is_indexing(op: Op) -> bool:
    return op.function is GETITEM or op.function is SETITEM


def _bounds(node: fx.Node, known: dict[fx.Node, tuple[Bounds, Any]], contents: Contents) -> Bounds | None:
    """Between which numbers all elements of an array lie that was just made."""
    if value_of(node).kind != "array":
        return None
    target = node.target
    if step_of(node) == "opaque" and isinstance(target, Call) and target.function in _DRAWN:
        return _DRAWN[target.function](node.args, node.kwargs)
    if not isinstance(target, Op):
        return None
    if target in _FOUND:
        return _FOUND[target](node.args, node.kwargs)
    if target in _SAME and isinstance(node.args[0], fx.Node):
        return _now(node.args[0], known, contents)
    return None


def _now(node: fx.Node, known: dict[fx.Node, tuple[Bounds, Any]], contents: Contents) -> Bounds | None:
    bounds, held = known.get(node, (None, None))
    return bounds if bounds is not None and contents.now(node) == held else None


def _fits(node: fx.Node, known: dict[fx.Node, tuple[Bounds, Any]], contents: Contents) -> bool:
    """Whether each index array of a step is in range along its axis."""
    array, index = node.args[0], node.args[1]
    if not isinstance(array, fx.Node):
        return False
    shape, items = value_of(array).shape, index if isinstance(index, tuple) else (index,)
    if len(items) > len(shape):
        return False
    for length, item in zip(shape, items, strict=False):
        if isinstance(item, slice) or _whole(item):
            continue  # shapes decide it
        bounds = _now(item, known, contents) if isinstance(item, fx.Node) else None
        if bounds is None or not -length <= bounds[0] <= bounds[1] <= length:
            return False
    return True
