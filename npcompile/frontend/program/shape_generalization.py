"""Lengths as traced numbers, and programs that are valid at other lengths than they were recorded at."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import numpy as np
import torch
from torch import fx

from npcompile.frontend.catalog import purity
from npcompile.frontend.ops.table import Op
from npcompile.frontend.program.bound_methods import After
from npcompile.frontend.program.call_steps import Call
from npcompile.frontend.program.draw_shapes import length_drawn
from npcompile.frontend.program.equality import same_value
from npcompile.frontend.program.guards import Guard, Resizable
from npcompile.frontend.program.object_steps import Build, Store
from npcompile.frontend.program.program import Program
from npcompile.frontend.program.reads import Length, Read
from npcompile.frontend.program.structure import Structure
from npcompile.frontend.program.text_steps import Format
from npcompile.lower.plan.attributes import attributes, decided_by_data, step_of, value_of
from npcompile.lower.plan.sizes import SMALLEST, Pattern, pattern

# What gives an array whose axes are as long as the first argument's.
_ALIKE = frozenset(
    [np.ndarray.copy, np.ndarray.astype, np.copy, np.zeros_like, np.ones_like, np.empty_like, np.full_like]
)
# What gives a view where the memory lies so, and a copy elsewhere.
_AS_IT_LIES = frozenset(
    [np.reshape, np.ndarray.reshape, np.ravel, np.ndarray.ravel, np.ascontiguousarray, np.asfortranarray]
)


# The attributes of a step on which replays depend, beside its value and its arguments.
_COMPARED = ("dynamic_view", "unchecked", "result_count", "wrapped", "inert")


def origin(node: fx.Node, axis: int) -> tuple[fx.Node, int]:
    """Return an array and its axis that is as long as this one at every length but 1.

    The array is as close to the arguments as is easily seen.
    """
    size = value_of(node).shape[axis]
    target = node.target
    base: Any = node.args[0] if node.args else None
    if step_of(node) == "view" and isinstance(target, Op) and target.function is np.ndarray.__getitem__:
        below = _whole_axis(node.args[1], axis, len(value_of(base).shape))
        return (node, axis) if below is None else origin(base, below)
    if step_of(node) == "opaque" and (drawn := length_drawn(node, axis)) is not None:
        array, of = drawn
        return origin(array, of)
    if step_of(node) == "op" and isinstance(target, Op) and target.function is np.ndarray.__getitem__:
        places: Any = node.args[1]
        if isinstance(places, fx.Node) and value_of(places).dtype is not torch.bool:
            picked = len(value_of(places).shape)
            return origin(places, axis) if axis < picked else origin(base, axis - picked + 1)
    if step_of(node) in ("op", "library") and isinstance(target, Op):
        back = axis - len(value_of(node).shape)
        arrays = [arg for arg in node.args if isinstance(arg, fx.Node) and value_of(arg).kind == "array"]
        if target.function in _ALIKE:
            arrays = arrays[:1]
        elif not isinstance(target.function, np.ufunc):
            return node, axis
        found = set()
        for array in arrays:
            shape = value_of(array).shape
            if len(shape) >= -back and shape[back] == size:
                found.add(origin(array, back + len(shape)))
        # Equal lengths of arguments stay equal; others may become 1.
        if len(found) == 1 or (found and all(step_of(first) == "input" for first, _ in found)):
            return min(found, key=lambda place: place[0].name)
    return node, axis


def stays(node: fx.Node, axis: int) -> bool:
    """Tell whether an axis of length 0 or 1 has that length wherever a shape-generic program is used.

    That holds for arguments and reads, by the signature, and for an axis that an index makes.
    """
    if step_of(node) in ("input", "read"):
        return True
    if step_of(node) != "view" or not isinstance(node.target, Op):
        return False
    if node.target.function is not np.ndarray.__getitem__:
        return False
    index: Any = node.args[1] if isinstance(node.args[1], tuple) else (node.args[1],)
    kept = [item for item in index if item is None or isinstance(item, slice)]
    return Ellipsis not in index and axis < len(kept) and kept[axis] is None


def counts_of(program: Program) -> tuple[int, ...]:
    """Return the positions, among the inputs, of the whole numbers on which sizes depend."""
    found = {node for node in program.graph.nodes if attributes(node).is_size}
    waiting = list(found)
    while waiting:
        further = set(waiting.pop().all_input_nodes) - found
        found |= further
        waiting += further
    kinds = [(place, node) for place, node in enumerate(program.inputs) if node in found]
    return tuple(place for place, node in kinds if value_of(node).kind == "int")


def looked_at(program: Program) -> dict[fx.Node, fx.Node]:
    """Return the guards on reads that a shape-generic program lets other lengths pass, by the read.

    They are on arrays in C or Fortran order, and on whole numbers that are sizes.
    """
    found = {}
    for node in program.graph.nodes:
        if isinstance(node.target, Resizable) and _is_loose(node):
            found[node.args[0]] = node
    return found


def exactly(program: Program) -> dict[Any, Any]:
    """Return, by each guard that lets a call give other lengths, the one that does not.

    Kernels for the recorded sizes alone need the latter.
    """
    found = ((node.target, attributes(node).exact_guard) for node in program.graph.nodes)
    return {guard: exact for guard, exact in found if exact is not None}


def _is_loose(node: fx.Node) -> bool:
    """Tell whether other lengths may pass a guard on a length or an array: it is about what was read."""
    guard: Any = node.target
    about: Any = node.args[0]
    return step_of(about) == "read" and guard.is_resizable


def _whole_axis(index: Any, axis: int, ndim: int) -> int | None:
    """Return the axis of an array that is this axis of `array[index]`, whole; None where there is none."""
    items = list(index) if isinstance(index, tuple) else [index]
    taken = sum(item is not None and item is not Ellipsis for item in items)
    place = next((place for place, item in enumerate(items) if item is Ellipsis), len(items))
    items[place : place + 1] = [slice(None)] * (ndim - taken)
    own = below = 0
    for item in items:
        if item is None or isinstance(item, slice):
            if own == axis:
                return below if item == slice(None) else None
            own += 1
        below += item is not None
    return None


def sized_by_data(node: fx.Node) -> bool:
    """Tell whether the length of an array depends on the elements of others."""
    target: Any = node.target
    if isinstance(target, Op):
        return "length" in target.accepts and ("length" in node.kwargs or step_of(node) == "library")
    if target is np.ndarray.__getitem__:
        index = node.args[1] if isinstance(node.args[1], tuple) else (node.args[1],)
        return any(isinstance(i, fx.Node) and value_of(i).dtype is torch.bool for i in index)
    if target is np.where:
        return len(node.args) == 1
    return isinstance(target, Hashable) and target in purity.SIZED_BY_DATA


def bound_by_sizes(graph: fx.Graph, general: bool) -> set[fx.Node]:
    """Return the steps that may fail at other sizes of their arrays.

    Such steps take an element at a position, the maximum of nothing, or shapes that do not go together.

    Parameters
    ----------
    graph : fx.Graph
        The graph of a program.
    general : bool
        The sizes of arguments may differ. Otherwise only sizes that data decide do, and every step counts
        that uses arrays of such sizes."""
    by_data: set[fx.Node] = set()
    found: set[fx.Node] = set()
    for node in graph.nodes:
        if node.op != "call_function":
            continue
        if not by_data.isdisjoint(node.all_input_nodes):
            found.add(node)
        if (node in found or sized_by_data(node)) and value_of(node).kind == "array":
            by_data.add(node)
        if general and step_of(node) in ("op", "view", "part") and _is_at_a_place(node):
            found.add(node)
    return found


def _is_at_a_place(node: fx.Node) -> bool:
    """Tell whether a step takes an element, a row or a shape by number."""
    if any(step_of(arg) == "number" for arg in node.all_input_nodes):
        return True
    if not isinstance(node.target, Op) or node.target.function is not np.ndarray.__getitem__:
        return step_of(node) == "view" and any(type(arg) in (int, tuple, list) for arg in node.args[1:])
    index = node.args[1] if isinstance(node.args[1], tuple) else (node.args[1],)
    return any(isinstance(item, int | np.integer) for item in index)


def may_lie_otherwise(program: Program) -> bool:
    """Tell whether a step gives a view at some lengths and a copy at others.

    `x[:, :n].ravel()` does, as `n` may be the length or less. Views of the caller's memory are checked again
    at each replay (`view_placement.places`).
    """
    return any(
        attributes(node).layout_decides and _may_be_whole(node) for node in program.graph.nodes
    ) or any(
        isinstance(node.target, Op)
        and node.target.function in _AS_IT_LIES
        and isinstance(node.args[0], fx.Node)
        and not (step_of(node) == "view" and _is_looked_at(node))
        and _may_be_whole(node.args[0])
        for node in program.graph.nodes
    )


def _is_looked_at(node: fx.Node) -> bool:
    return attributes(node).same_view is not None or value_of(node).region is not None


def _may_be_whole(node: fx.Node) -> bool:
    """Tell whether a view takes a part of an axis that at other lengths may be all of it."""
    picks = []
    only_picks = True
    while step_of(node) == "view" and isinstance(node.args[0], fx.Node):
        if isinstance(node.target, Op) and node.target.function is np.ndarray.__getitem__:
            picks.append(node.args[1] if isinstance(node.args[1], tuple) else (node.args[1],))
        else:
            only_picks = False
        node = node.args[0]
    value = value_of(node)
    regular = only_picks and value.strides == tuple(
        math.prod(value.shape[axis + 1 :]) for axis in range(len(value.shape))
    )
    return any(
        isinstance(item, slice) and not _is_sure(item) and not (regular and _is_first(item, index))
        for index in picks
        for item in index
    )


def _is_sure(item: slice) -> bool:
    """Tell whether a slice is all of an axis at every length, or at none."""
    if item.stop is None:
        return item.start is None or (type(item.start) is int and item.start >= 0)
    return type(item.stop) is int and item.stop < 0


def _is_first(item: slice, index: tuple[Any, ...]) -> bool:
    """Tell whether a slice is of the first axis that is left: of a regular array it picks a regular part."""
    return item.step in (None, 1) and next(i for i in index if isinstance(i, slice) or i is Ellipsis) is item


# -- which calls may share a program -------------------------------------------------------------------------


def apart(key: Any) -> tuple[Any, tuple[int, ...]]:
    """Return a signature without the lengths of its arrays, and the lengths.

    Of arrays in neither C nor Fortran order those strides count as lengths that do not follow from lengths (a
    column's). Those whose elements share memory or lie unevenly stay as they are, and so do lengths of 0 and
    1.
    """
    lengths: list[int] = []

    def without(part: Any) -> Any:
        if type(part) is not tuple:
            return part
        if len(part) == 4 and isinstance(part[0], np.dtype) and type(part[1]) is tuple:
            dtype, shape, strides, flags = part
            form: tuple[Any, ...] = ()
            if not flags & 3:  # neither C nor Fortran order
                if (lies := _form(shape, strides, dtype.itemsize)) is None:
                    return part
                form, free = lies
                lengths.extend(free)
            lengths.extend(n for n in shape if n >= SMALLEST)
            return dtype, tuple(n if n < SMALLEST else "a length" for n in shape), flags, form
        return tuple(map(without, part))

    general = without(key)
    return general, tuple(lengths)


def whatever_lengths(key: Any) -> Any:
    """Return a signature without lengths and layouts of arrays: equal for lengths of 0, 1 and more."""
    if type(key) is not tuple:
        return key
    if len(key) == 4 and isinstance(key[0], np.dtype) and type(key[1]) is tuple:
        return key[0], len(key[1])
    return tuple(map(whatever_lengths, key))


def _form(
    shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int
) -> tuple[tuple[Any, ...], list[int]] | None:
    """Return an array's layout without lengths, and the strides, in elements, that do not follow from
    lengths.

    None where elements share memory, or lie unevenly.
    """
    axes = [axis for axis, length in enumerate(shape) if length > 1]
    axes.sort(key=lambda axis: abs(strides[axis]))
    known: list[Any] = []
    free: list[int] = []
    regular = 1
    for axis in axes:
        stride, rest = divmod(abs(strides[axis]), max(itemsize, 1))
        if rest or stride < regular:
            return None
        known.append((axis, strides[axis] < 0, stride == regular))
        if stride != regular:
            free.append(stride)
        regular = stride * shape[axis]
    return tuple(known), free


def pattern_of(*lengths: tuple[int, ...]) -> Pattern | None:
    """Return the pattern that lengths followed: those that never differed have to stay."""
    return pattern(list(lengths))


def same_program(one: Program, other: Program) -> bool:
    """Tell whether two recordings, at different lengths, are equal in everything on which replays depend."""
    if len(one.graph.nodes) != len(other.graph.nodes) or one.device != other.device:
        return False
    if one.around() != other.around():
        return False
    if may_lie_otherwise(one):
        return False
    places: dict[fx.Node, fx.Node] = {}
    for a, b in zip(one.graph.nodes, other.graph.nodes, strict=True):
        if a.op != b.op or step_of(a) != step_of(b):
            return False
        if not (_same_target(a.target, b.target) or _are_loose(a, b)):
            return False
        if not _same(a.args, b.args, places) or not _same(a.kwargs, b.kwargs, places):
            return False
        if a.op != "output" and not _same_value(a, b):
            return False
        places[a] = b
    return _same_structure(one.result, other.result, places)


def _same_target(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, Read):
        return bool(a.name == b.name) and a.holder is b.holder
    if isinstance(a, Guard):
        return _same(vars(a), vars(b), {})
    if isinstance(a, Call):
        return a.name == b.name and a.function is b.function
    if isinstance(a, After):
        return a.__name__ == b.__name__ and bool(a.function == b.function)
    if isinstance(a, Build):
        return a.kind is b.kind and a.names == b.names
    if isinstance(a, Format):
        return bool((a.conversion, a.spec) == (b.conversion, b.spec))
    if isinstance(a, Store):
        return same_value(a.name, b.name)
    return isinstance(a, Length | str) and bool(a == b)


def _are_loose(a: fx.Node, b: fx.Node) -> bool:
    """Tell whether two guards on what is read differ in lengths alone."""
    one, other = a.target, b.target
    if type(one) is not type(other) or not (isinstance(one, Resizable) and _is_loose(a) and _is_loose(b)):
        return False
    return one.differs_in_lengths_alone(other)


def _same_value(a: fx.Node, b: fx.Node) -> bool:
    one, other = value_of(a), value_of(b)
    kinds = (one.kind, one.dtype, len(one.shape), one.device)
    if kinds != (other.kind, other.dtype, len(other.shape), other.device):
        return False
    known, met = attributes(a), attributes(b)
    if any(getattr(known, name) != getattr(met, name) for name in _COMPARED):
        return False
    if decided_by_data(a) != decided_by_data(b):
        return False
    signs = [[(n > 1) - (n < 1) for n in (*value.shape, *value.strides)] for value in (one, other)]
    return signs[0] == signs[1]


def _same(a: Any, b: Any, places: dict[fx.Node, fx.Node]) -> bool:
    if isinstance(a, fx.Node):
        return places.get(a) is b
    if a is b:
        return True
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        return len(a) == len(b) and all(_same(x, y, places) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(_same(a[key], b[key], places) for key in a)
    if type(a) is not type(b):
        return False
    if isinstance(a, slice):
        return _same((a.start, a.stop, a.step), (b.start, b.stop, b.step), places)
    if isinstance(a, np.ndarray | fx.Graph):
        return False
    return (isinstance(a, str | bytes | np.dtype) and a == b) or (
        isinstance(a, int | float | complex | np.generic) and same_value(a, b)
    )


def _same_structure(a: Structure, b: Structure, places: dict[fx.Node, fx.Node]) -> bool:
    if a.kind != b.kind or len(a.parts) != len(b.parts):
        return False
    if a.kind in ("leaf", "const"):
        return _same(a.parts, b.parts, places)
    if a.kind is dict:
        pairs = zip(a.parts, b.parts, strict=True)
        return all(_same(p, q, places) and _same_structure(x, y, places) for (p, x), (q, y) in pairs)
    return all(_same_structure(x, y, places) for x, y in zip(a.parts, b.parts, strict=True))
