"""How large the arrays are that random generators give: known before anything is drawn."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from torch import fx

from npcompile.frontend import pure
from npcompile.frontend.program import Call, value_of
from npcompile.frontend.table import NUMPY
from npcompile.lower.segment import nodes_in

GENERATORS = (np.random.Generator, np.random.RandomState)


def is_draw(function: Any) -> bool:
    """Whether this method of a generator takes the next numbers of its stream and changes nothing else."""
    return function in pure.DRAWS or function in pure.DRAWS_OF or function in pure.PICKS


def stand_in(node: fx.Node, now: dict[fx.Node, Any]) -> np.ndarray[Any, Any] | None:
    """An array of anything, as large as what a draw will give. None if that is not known. now: what is known
    of the steps before."""
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
    if shape is None or len(shape) != len(value.shape) or sorted(value.strides)[::-1] != [*value.strides]:
        return None
    return np.empty(shape, NUMPY[value.dtype])


def _shape(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[int, ...] | None:
    """That of what a method of a generator gives for these arguments."""
    if function in pure.DRAWS_OF:
        return tuple(map(operator.index, args))
    if function in pure.PICKS:
        source, *rest = args or (kwargs.get("a", kwargs.get("x")),)
        if function in (np.random.Generator.permutation, np.random.RandomState.permutation):
            return np.shape(source) or (operator.index(source),)
        return _size(rest[0] if rest else kwargs.get("size")) if np.ndim(source) < 2 else None
    before = pure.DRAWS[function]
    size = args[before] if len(args) > before else kwargs.get("size")
    if size is not None:
        return _size(size)
    return np.broadcast_shapes(*map(np.shape, (*args[:before], *kwargs.values())))


def _size(size: Any) -> tuple[int, ...] | None:
    if size is None:
        return None
    return tuple(map(operator.index, size)) if isinstance(size, tuple | list) else (operator.index(size),)
