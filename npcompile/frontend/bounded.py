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
from npcompile.frontend.lengths import origin
from npcompile.frontend.program import Call, Length, step_of, value_of
from npcompile.frontend.steps import GETITEM, SETITEM
from npcompile.frontend.table import TABLE, Op

# The least, and what all are below: a number, or a length as `_length` says it.
Bounds = tuple[int, Any]


def _length(node: fx.Node, axis: int) -> Any:
    """Which length an axis has: the same for those that are equal wherever the program is used."""
    first, axis = origin(node, axis)
    given = step_of(first) in ("input", "read")  # where those are equal now, they are in each call
    return ("given", value_of(first).shape[axis]) if given else (first, axis)


def _end(number: Any) -> Any:
    """What all are below, of a step's argument. None where that is not known."""
    if isinstance(number, fx.Node) and isinstance(number.target, Length):
        (array,) = number.args
        return _length(array, number.target.axis)  # type: ignore[arg-type]
    return int(number) if _whole(number) else None


def _whole(*numbers: Any) -> bool:
    return all(isinstance(number, int | np.integer) and not isinstance(number, bool) for number in numbers)


def _below(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Bounds | None:
    """Of `integers(low, high)`, or `integers(high)`."""
    given = dict(zip(("low", "high", "size", "dtype", "endpoint"), args[1:], strict=False)) | kwargs
    low, high = given.get("low"), given.get("high")
    if high is None:
        low, high = 0, low
    if low is None or not _whole(low) or (end := _end(high)) is None:
        return None
    if given.get("endpoint"):
        return (int(low), end + 1) if type(end) is int else None
    return int(low), end


def _picked(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Bounds | None:
    """Of `choice(n)` and `permutation(n)`."""
    count = args[1] if len(args) > 1 else kwargs.get("a", kwargs.get("x"))
    return None if (end := _end(count)) is None else (0, end)


_DRAWN: dict[Any, Callable[..., Bounds | None]] = {
    Generator.integers: _below,
    RandomState.randint: _below,
    **dict.fromkeys(
        (Generator.choice, Generator.permutation, RandomState.choice, RandomState.permutation), _picked
    ),
}


def _counted(args: tuple[Any, ...], kwargs: dict[str, Any], general: bool) -> Bounds | None:
    """Of `np.arange(n)`."""
    if len(args) != 1 or kwargs or (end := _end(args[0])) is None:
        return None
    return 0, end


def _place(args: tuple[Any, ...], kwargs: dict[str, Any], general: bool) -> Bounds | None:
    """Of `np.argmin(a, axis)`."""
    return _along(args, kwargs, None, general)


def _order(args: tuple[Any, ...], kwargs: dict[str, Any], general: bool) -> Bounds | None:
    """Of `np.argsort(a, axis)`."""
    return _along(args, kwargs, -1, general)


def _along(
    args: tuple[Any, ...], kwargs: dict[str, Any], default: int | None, general: bool
) -> Bounds | None:
    shape = value_of(args[0]).shape if isinstance(args[0], fx.Node) else None
    axis = args[1] if len(args) > 1 else kwargs.get("axis", default)
    if shape is None or not (axis is None or _whole(axis)):
        return None
    if not general:
        return 0, int(np.prod(shape)) if axis is None or not shape else shape[operator.index(axis)]
    if axis is None and len(shape) != 1:
        return None
    return (0, _length(args[0], operator.index(axis or 0) % len(shape))) if shape else None


_FOUND: dict[Op | None, Callable[[tuple[Any, ...], dict[str, Any], bool], Bounds | None]] = {
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


def bound(graph: fx.Graph, general: bool) -> None:
    """Mark the indexing steps of a program whose index arrays are in range. general: at any lengths, not at
    these alone."""
    contents = Contents()
    known: dict[fx.Node, tuple[Bounds, Any]] = {}  # and what it held
    for node in graph.nodes:
        if isinstance(node.target, Op) and node.target.checked and not node.meta.get("unchecked"):
            if _is_indexing(node.target) and _fits(node, known, contents, general):
                node.meta["unchecked"] = True
        contents.note(node)
        if node.op != "output" and (found := _bounds(node, known, contents, general)) is not None:
            known[node] = found, contents.now(node)


def _is_indexing(op: Op) -> bool:
    return op.function is GETITEM or op.function is SETITEM


def _bounds(
    node: fx.Node, known: dict[fx.Node, tuple[Bounds, Any]], contents: Contents, general: bool
) -> Bounds | None:
    """Between which numbers all elements of an array lie that was just made."""
    if value_of(node).kind != "array":
        return None
    target = node.target
    if step_of(node) == "opaque" and isinstance(target, Call) and target.function in _DRAWN:
        return _DRAWN[target.function](node.args, node.kwargs)
    if not isinstance(target, Op):
        return None
    if target in _FOUND:
        return _FOUND[target](node.args, node.kwargs, general)
    if target in _SAME and isinstance(node.args[0], fx.Node):
        return _now(node.args[0], known, contents)
    return None


def _now(node: fx.Node, known: dict[fx.Node, tuple[Bounds, Any]], contents: Contents) -> Bounds | None:
    bounds, held = known.get(node, (None, None))
    return bounds if bounds is not None and contents.now(node) == held else None


def _fits(node: fx.Node, known: dict[fx.Node, tuple[Bounds, Any]], contents: Contents, general: bool) -> bool:
    """Whether each index array of a step is in range along its axis."""
    array, index = node.args[0], node.args[1]
    if not isinstance(array, fx.Node):
        return False
    shape, items = value_of(array).shape, index if isinstance(index, tuple) else (index,)
    if len(items) > len(shape):
        return False
    for axis, (length, item) in enumerate(zip(shape, items, strict=False)):
        if isinstance(item, slice) or _whole(item):
            if general and _whole(item):
                return False
            continue  # shapes decide it
        bounds = _now(item, known, contents) if isinstance(item, fx.Node) else None
        if bounds is None:
            return False
        low, end = bounds
        if type(end) is int:
            if general or not -length <= low <= end <= length:
                return False
        elif low < 0 or end != _length(array, axis):
            return False
    return True
