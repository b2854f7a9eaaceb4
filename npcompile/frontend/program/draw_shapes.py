"""Shapes of random draws: the arguments of a generator's method tell them before anything is drawn."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from torch import fx

from npcompile.frontend.catalog import purity
from npcompile.frontend.ops.table import NUMPY
from npcompile.frontend.program.call_steps import Call
from npcompile.frontend.program.reads import Length
from npcompile.lower.plan.attributes import value_of
from npcompile.lower.plan.segment import nodes_in
from npcompile.lower.plan.sizes import SMALLEST

_PERMUTATIONS = (np.random.Generator.permutation, np.random.RandomState.permutation)
GENERATORS = (np.random.Generator, np.random.RandomState)


def is_draw(function: Any) -> bool:
    """Tell whether a generator's method takes the next numbers of its stream and changes nothing else."""
    return function in purity.DRAWS or function in purity.DRAWS_BY_LENGTHS or function in purity.PICKS


def stand_in(node: fx.Node, now: dict[fx.Node, Any]) -> np.ndarray[Any, Any] | None:
    """Return an array of any values, as large as a draw will give; None if that is not known.

    now: the values of earlier steps, as far as they are known.
    """
    value, call = value_of(node), node.target
    if not isinstance(call, Call) or not is_draw(call.function) or value.kind != "array":
        return None
    if value.dtype is None:
        return None
    if any(
        arg not in now for arg in nodes_in((node.args[1:], node.kwargs))
    ):  # the generator may be read late
        return None
    args, kwargs = fx.node.map_arg((node.args[1:], node.kwargs), now.get)
    try:
        shape = _shape(call.function, args, kwargs)
    except Exception:  # NumPy will say so itself
        return None
    if shape is None or len(shape) != len(value.shape):
        return None
    order = sorted(range(len(shape)), key=lambda axis: -value.strides[axis])
    if order != [*range(len(shape))] and min(*shape, *value.shape) < SMALLEST:
        return None  # strides do not tell its layout
    lying: np.ndarray[Any, Any] = np.empty([shape[axis] for axis in order], NUMPY[value.dtype])
    return lying.transpose(np.argsort(order))


def length_drawn(node: fx.Node, axis: int) -> tuple[fx.Node, int] | None:
    """Return the array and axis whose length was asked for along an axis of a draw; None: a constant."""
    call: Any = node.target
    if not isinstance(call, Call) or not is_draw(call.function):
        return None
    args = node.args[1:]
    if call.function in purity.PICKS:
        source = source_of(args, node.kwargs)
        if isinstance(source, fx.Node) and value_of(source).kind == "array":
            if call.function in _PERMUTATIONS:
                return source, axis
            if len(value_of(source).shape) != 1:
                return None
    asked = _asked(call.function, args, node.kwargs)
    size = None if asked is None else asked[axis]
    if not isinstance(size, fx.Node) or not isinstance(size.target, Length):
        return None
    (array,) = size.args
    return array, size.target.axis  # type: ignore[return-value]


def _shape(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[int, ...] | None:
    """Return the shape that a generator's method gives for these arguments."""
    if function in purity.PICKS:
        shape = np.shape(source_of(args, kwargs))
        if function in _PERMUTATIONS and shape:
            return shape
        if len(shape) > 1:
            axis = args[4] if len(args) > 4 else kwargs.get("axis", 0)
            axis = operator.index(axis) % len(shape)
            rows = _asked(function, args, kwargs) or ()
            return (*shape[:axis], *map(operator.index, rows), *shape[axis + 1 :])
    if (asked := _asked(function, args, kwargs)) is not None:
        return tuple(map(operator.index, asked))
    if function in purity.PICKS:
        return None
    return np.broadcast_shapes(*map(np.shape, (*args[: purity.DRAWS[function]], *kwargs.values())))


def source_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the argument that a method picks from, or mixes."""
    return args[0] if args else kwargs.get("a", kwargs.get("x"))


def _asked(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
    """Return the lengths that a draw is asked for. None: its parameters decide."""
    if function in purity.DRAWS_BY_LENGTHS:
        return args
    if function in _PERMUTATIONS:
        return (source_of(args, kwargs),)
    before = 1 if function in purity.PICKS else purity.DRAWS[function]
    size = args[before] if len(args) > before else kwargs.get("size")
    if size is None:
        return None
    return tuple(size) if isinstance(size, tuple | list) else (size,)
