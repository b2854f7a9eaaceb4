"""Constant folding: a call whose inputs are all constants becomes the value that NumPy returned while
recording.

Masks, orders and places that NumPy's functions compute from axes, lengths and literals (`np.tril_indices(n)`,
`np.delete(x, [1, 2])`) are therefore neither calls at replay nor lengths that data decide.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from torch import fx

from npcompile.frontend.graph.builder import Builder
from npcompile.frontend.ops.table import computed
from npcompile.frontend.program.object_steps import Build
from npcompile.frontend.program.signature import NUMBERS
from npcompile.lower.plan.attributes import step_of, value_of
from npcompile.lower.plan.segment import nodes_in

MOST = 1 << 24  # bytes of what a program keeps
_MADE = frozenset(("op", "library", "view", "part", "write"))


class Constant(Build):
    """Makes an array with these elements and this layout, a new one at each call, which may be written to."""

    __name__ = "constant"
    needless = True

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = _again(array)
        self.kind = np.ndarray  # these two say which constant it is, where recordings are compared
        elements = hashlib.blake2b(self.array.tobytes()).hexdigest()
        self.names = (str(array.dtype), str(array.shape), str(array.strides), elements)

    def __call__(self) -> Any:
        return _again(self.array)


def _again(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if array.flags.c_contiguous or array.flags.f_contiguous:
        return array.copy("K")
    axes = zip(array.shape, array.strides, strict=True)
    count = sum((size - 1) * stride // array.itemsize for size, stride in axes)
    made = as_strided(np.empty(count + 1, array.dtype), array.shape, array.strides)
    made[...] = array
    return made


def folded(builder: Builder, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> tuple[Any] | None:
    """Return the result of a NumPy call without effects as a constant; None if it is none."""
    parts = result if type(result) in (tuple, list) else (result,)
    if not parts or not all(map(_can_be_kept, parts)) or not are_constant(builder, [*args, *kwargs.values()]):
        return None
    return (constants(builder, result),)


def constants(builder: Builder, result: Any) -> Any:
    """Follow a decided value, and the arrays in it, as constants."""
    if type(result) is tuple:
        return tuple([constants(builder, part) for part in result])
    if type(result) is list and any(type(part) is np.ndarray for part in result):
        return [constants(builder, part) for part in result]
    if type(result) is not np.ndarray:
        builder.constant(tuple(result) if type(result) is list else result)
        return result
    node = builder.add("host", Constant(result), (), {}, builder.value(result))
    return builder.result(node, result)


def _can_be_kept(part: Any) -> bool:
    if type(part) is list:  # a result of `tolist`
        return all(map(_can_be_kept, part))
    if type(part) is not np.ndarray:
        return isinstance(part, np.generic) or type(part) in (*NUMBERS, bool)
    steps = all(stride > 0 and stride % part.itemsize == 0 for stride in part.strides)
    return computed(part.dtype) is not None and steps and part.nbytes <= MOST


def folds(builder: Builder, result: Any, args: tuple[Any, ...]) -> bool:
    """Tell if a number that a function of NumPy's computes on the way is a constant, and follow it as one."""
    number = isinstance(result, np.generic) or type(result) in (*NUMBERS, bool)
    if number and are_constant(builder, args):
        builder.constant(result)
        return True
    return False


def stored(builder: Builder, array: np.ndarray[Any, Any], args: tuple[Any, ...]) -> fx.Node | None:
    """Return a constant array after NumPy has written constants into it; None if it is no constant."""
    if not _can_be_kept(array) or not are_constant(builder, args):
        return None
    whole = builder.value(array).renewed(builder.roots.new(), array.shape, computed(array.dtype))
    return builder.add("host", Constant(array), (), {}, whole)


def are_constant(builder: Builder, values: Any) -> bool:
    """Tell if all of these, and what they hold, are computed from constants alone."""
    found: list[fx.Node] = []
    fx.node.map_arg(builder.ref(tuple(values)), found.append)
    known: set[fx.Node] = set()
    writes = [node for node in builder.graph.nodes if step_of(node) in ("write", "opaque")]
    while found:
        if not all(_is_constant(node, known) for node in found):
            return False
        # A written array depends on earlier writes to its memory as well.
        roots = {value_of(node).root for node in known if value_of(node).kind == "array"}
        found = [
            source
            for node in writes
            if node not in known and not roots.isdisjoint(_reached(node))
            for source in (node, *node.all_input_nodes)
        ]
    return True


def _reached(node: fx.Node) -> set[int]:
    """Return the memory that a write or a call may change."""
    given = nodes_in(node.args[0]) if step_of(node) == "write" else list(node.all_input_nodes)
    roots = set()
    for source in given:
        if value_of(source).kind == "array":
            roots.add(value_of(source).root)
        elif isinstance(source.target, Build):
            roots |= _reached(source)
    return roots


def _is_constant(node: fx.Node, known: set[fx.Node]) -> bool:
    """Tell if only such steps lead to this one; they are put into `known`."""
    ahead = [node]
    while ahead:
        if (one := ahead.pop()) not in known:
            if step_of(one) not in _MADE and not isinstance(one.target, Constant):
                return False
            known.add(one)
            ahead += one.all_input_nodes
    return True


def without_masks(builder: Builder, index: Any) -> Any:
    """Return an index with constant masks as the places where they are True; None if it has none."""
    items = index if type(index) is tuple else (index,)
    made: list[Any] = []
    for item in items:
        mask = type(item) is np.ndarray and item.dtype == bool and item.ndim > 0
        if not mask or not are_constant(builder, [item]):
            made.append(item)
        else:
            made.extend(constants(builder, tuple(place.copy() for place in item.nonzero())))
    if len(made) == len(items) and all(one is other for one, other in zip(made, items, strict=True)):
        return None
    return tuple(made)
