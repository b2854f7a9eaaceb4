"""View placement: tells whether views of the caller's arrays lie as recorded, at other lengths.

A shape-generic program asks before a replay: planning relies on which views overlap, and lengths may change
that. Nothing is computed for it but views, numbers and sizes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import fx

from npcompile.frontend.catalog.purity import VIEWS
from npcompile.frontend.ops.table import NUMPY, TORCH, Op
from npcompile.frontend.program.aliasing import Region, address
from npcompile.frontend.program.draw_shapes import stand_in
from npcompile.frontend.program.dynamic_sizes import sized_by_data
from npcompile.frontend.program.guards import Guard
from npcompile.frontend.program.program import Program
from npcompile.frontend.program.reads import Length
from npcompile.frontend.program.shape_generalization import resizable_guards
from npcompile.frontend.replay.codegen import as_numpy
from npcompile.lower import adapter
from npcompile.lower.plan.attributes import attributes, step_of, value_of
from npcompile.lower.plan.plan import Plan


def known_values(program: Program, plan: Plan, leaves: list[Any]) -> dict[fx.Node, Any] | None:
    """Return the values known before a replay, by node; None where the program is not for them.

    The values are the arguments, early reads, and the views and numbers that follow from both; random draws
    are arrays of their size. Planning relies on which views of the caller's arrays are equal, overlap or lie
    apart: None where two of them lie otherwise, and where that cannot be known before the program has run.
    """
    now: dict[fx.Node, Any] = dict(zip(program.inputs, leaves, strict=True))
    roots: dict[int, list[tuple[Any, Region]]] = {}
    zeros: dict[int, int] = {}
    large: set[fx.Node] = set()  # only how large these are is known
    shown = 0  # views that may lie anywhere; one that cannot be made is an exception of NumPy's
    early = {step.node for step in plan.early}
    loose = resizable_guards(program)
    for node in program.graph.nodes:
        if node in early and isinstance(node.target, Guard) and loose.get(node.args[0]) is not node:
            if not node.target(*[now[arg] for arg in node.args]):
                return None
        elif node not in now and not _known(node, now, early, large):
            continue
        if node not in now:
            continue
        value = value_of(node)
        shown += attributes(node).same_view is not None
        if value.kind != "array" or value.region is None or not isinstance(now[node], np.ndarray):
            continue
        array = now[node]
        region = Region(
            address(array) - zeros.setdefault(value.root, address(array)),
            array.shape,
            array.strides,
            array.itemsize,
        )
        roots.setdefault(value.root, []).append((value.region, region))
    seen = sum(map(len, roots.values()))
    if seen != sum(1 for node in _views(program)) or shown != sum(1 for node in _free(program)):
        return None
    same = all(
        (a == b) == (x == y) and a.overlaps(b) == x.overlaps(y)
        for pairs in roots.values()
        for place, (a, x) in enumerate(pairs)
        for b, y in pairs[:place]
    )
    return now if same else None


def _views(program: Program) -> Iterator[fx.Node]:
    """Yield the arrays whose place in the caller's memory was recorded."""
    for node in program.graph.nodes:
        if node.op != "output" and value_of(node).kind == "array" and value_of(node).region is not None:
            yield node


def _free(program: Program) -> Iterator[fx.Node]:
    """Return the views of the caller's arrays that may lie anywhere, but those that host calls give."""
    return (
        node
        for node in program.graph.nodes
        if attributes(node).same_view is not None and step_of(node) != "part"
    )


def add_sizes(program: Program, now: dict[fx.Node, Any], made: dict[fx.Node, Any]) -> None:
    """Add the values that follow from the sizes of a kernel's results, which are `made`."""
    large = {*made, *(node for node in now if step_of(node) in ("op", "opaque", "library", "part"))}
    now.update(made)
    for node in program.graph.nodes:
        if node not in now:
            _known(node, now, set(), large)
        elif step_of(node) == "view" and not large.isdisjoint(node.all_input_nodes):
            large.add(node)


def _known(node: fx.Node, now: dict[fx.Node, Any], early: set[fx.Node | None], large: set[fx.Node]) -> bool:
    """Add a number or a view that follows from the arguments and early reads; tell whether it does.

    large: the arrays of which the size alone is known.
    """
    step = step_of(node)
    if step == "opaque" and (array := stand_in(node, now)) is not None:
        now[node] = array
        large.add(node)
        return True
    if not large.isdisjoint(node.all_input_nodes):
        if step in ("library", "part") and (results := _as_large(node, now)) is not None:
            now[node] = results
            large.add(node)
            return True
        if step == "view":
            large.add(node)
        elif not isinstance(node.target, Length):
            return False
    if step not in ("number", "view") and node.target not in VIEWS and not (step == "read" and node in early):
        return False
    if any(arg not in now for arg in node.all_input_nodes):
        return False
    target = as_numpy(node.target, False) if step == "view" else node.target  # type: ignore[arg-type]
    args, kwargs = fx.node.map_arg((node.args, node.kwargs), now.__getitem__)
    try:
        now[node] = target(*args, **kwargs)  # type: ignore[operator]
    except Exception:  # NumPy will say so itself
        return False
    # Of this shape it may be a copy (`x[:, :n].ravel()`).
    return step != "view" or not now[node].size or np.may_share_memory(now[node], args[0])


def _as_large(node: fx.Node, now: dict[fx.Node, Any]) -> Any:
    """Return arrays of any values, as large as the results of a library call; None where data decide that."""
    if any(now.get(arg) is None for arg in node.all_input_nodes):
        return None
    if step_of(node) == "part":
        return node.target(*fx.node.map_arg(node.args, now.__getitem__))  # type: ignore[operator]
    if not isinstance(node.target, Op) or node.target.varies or sized_by_data(node):
        return None
    try:
        with adapter.fake_mode(), torch.no_grad():
            args, kwargs = fx.node.map_arg((node.args, node.kwargs), lambda arg: _unknown(now[arg]))
            found = node.target(*args, **kwargs)
        found = found[0] if node.target.checked else found
    except Exception:  # NumPy will say so itself
        return None
    several = isinstance(found, tuple | list)
    made = tuple(map(_anything, found if several else (found,)))
    return made if several else made[0]


def _unknown(value: Any) -> Any:
    """Return an array as a tensor without values, a number as it is."""
    if not isinstance(value, np.ndarray):
        return value
    return torch.empty(value.shape, dtype=TORCH[value.dtype])


def _anything(tensor: torch.Tensor) -> np.ndarray[Any, Any]:
    return np.empty(tuple(tensor.shape), NUMPY[tensor.dtype])
