"""Shape generalisation: tells when two recordings at different lengths are one program for others, too.

Lengths are traced numbers in such recordings. A program that two recordings agree on is shape-generic: its
guards on lengths are renewed for each call, and all else that replays depend on has been equal twice.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from torch import fx

from npcompile.frontend.ops.table import Op
from npcompile.frontend.program.bound_methods import After
from npcompile.frontend.program.call_steps import Call
from npcompile.frontend.program.equality import same_value
from npcompile.frontend.program.guards import Guard, Resizable
from npcompile.frontend.program.object_steps import Build, Store
from npcompile.frontend.program.program import Program
from npcompile.frontend.program.reads import Length, Read
from npcompile.frontend.program.structure import Leaf, Literal, Mapping, Row, Structure
from npcompile.frontend.program.text_steps import Format
from npcompile.lower.plan.attributes import attributes, decided_by_data, step_of, value_of

# Functions that give a view where the array lies in order, and a copy elsewhere.
_AS_IT_LIES = frozenset(
    [np.reshape, np.ndarray.reshape, np.ravel, np.ndarray.ravel, np.ascontiguousarray, np.asfortranarray]
)


# The attributes of a step on which replays depend, beside its value and its arguments.
_COMPARED = ("dynamic_view", "unchecked", "result_count", "wrapped", "inert")


def resizable_guards(program: Program) -> dict[fx.Node, fx.Node]:
    """Return the guards on reads that a shape-generic program lets other lengths pass, by the read.

    They are on arrays in C or Fortran order, and on whole numbers that are sizes.
    """
    found = {}
    for node in program.graph.nodes:
        if isinstance(node.target, Resizable) and _is_loose(node):
            found[node.args[0]] = node
    return found


def exact_guards(program: Program) -> dict[Any, Any]:
    """Return, by each guard that lets a call give other lengths, the one that does not.

    Kernels for the recorded sizes alone need the latter.
    """
    found = {}
    for node in program.graph.nodes:
        if isinstance(node.target, Guard) and (exact := attributes(node).exact_guard) is not None:
            found[node.target] = exact
    return found


def _is_loose(node: fx.Node) -> bool:
    """Tell whether other lengths may pass a guard on a length or an array: it is about what was read."""
    guard: Any = node.target
    about: Any = node.args[0]
    return step_of(about) == "read" and guard.is_resizable


def may_change_layout(program: Program) -> bool:
    """Tell whether a step gives a view at some lengths and a copy at others.

    `x[:, :n].ravel()` does, as `n` may be the length or less. Views of the caller's memory are checked again
    at each replay (`view_placement.known_values`).
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


def same_program(one: Program, other: Program) -> bool:
    """Tell whether two recordings, at different lengths, are equal in everything on which replays depend."""
    if len(one.graph.nodes) != len(other.graph.nodes) or one.device != other.device:
        return False
    if one.around() != other.around():
        return False
    if may_change_layout(one):
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
    match a, b:
        case Leaf(one), Leaf(other):
            return _same(one, other, places)
        case Literal(one), Literal(other):
            return _same(one, other, places)
        case Row(kind, parts), Row(other_kind, others) if kind is other_kind and len(parts) == len(others):
            return all(_same_structure(x, y, places) for x, y in zip(parts, others, strict=True))
        case Mapping(entries), Mapping(others) if len(entries) == len(others):
            pairs = zip(entries, others, strict=True)
            return all(_same(p, q, places) and _same_structure(x, y, places) for (p, x), (q, y) in pairs)
    return False
