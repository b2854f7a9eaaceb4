"""Dask's graphs: a run of elementwise operations and reductions of chunks becomes one kernel a chunk.

A jitted function that is called with Dask arrays runs as it is, and Dask notes its operations, one layer
each, under its own rules for types, shapes and chunks. Layers that do one thing with each chunk are put
together here; Dask's steps that combine chunks stay, and so does all else.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from npcompile.runtime.chunk_kernels import ChunkKernel, Step, Text, text_of

_CONTAINERS = (tuple, list, dict)
_LITERALS = (int, float, complex, bool, np.bool_, np.number)

# Makes the kernel of a run: takes the number of its operands, its steps and which values it gives.
Maker = Callable[[int, Sequence[Step], Sequence[int]], ChunkKernel]


@dataclass
class _Operation:
    """One layer that does one thing with each chunk."""

    layer: Any
    text: Text
    grid: tuple[int, ...]  # the number of chunks along each axis


@dataclass
class _Run:
    """Operations on the chunks of one grid, none of which needs another run's or a combined result of this
    one."""

    grid: tuple[int, ...]
    names: list[str] = field(default_factory=list)


def arrays_in(value: Any) -> Iterator[Any]:
    """Yield the Dask arrays in a value: itself, or in tuples, lists and dicts."""
    kind = sys.modules["dask.array.core"].Array
    looked_at, seen = [value], set()
    while looked_at:
        one = looked_at.pop()
        if isinstance(one, kind):
            yield one
        elif type(one) in _CONTAINERS and id(one) not in seen:
            seen.add(id(one))
            looked_at += one.values() if type(one) is dict else one


def layers_of(arrays: Iterable[Any]) -> frozenset[str]:
    """Return the names of all layers that arrays are computed by."""
    return frozenset(name for array in arrays for name in array.__dask_layers__() + tuple(_layers(array)))


def _layers(array: Any) -> dict[str, Any]:
    graph = array.dask
    return dict(graph.layers) if hasattr(graph, "layers") else {}


def put_together(results: Sequence[Any], before: frozenset[str], make: Maker) -> bool:
    """Give Dask arrays graphs in which runs of operations are one kernel each.

    before: the layers that there were before the operations. Tells if kernels do all work on chunks.
    """
    results = [one for one in results if one.name not in before and one.name in _layers(one)]
    layers: dict[str, Any] = {}
    needs: dict[str, set[str]] = {}
    for one in results:
        layers.update(one.dask.layers)
        needs.update({name: set(found) for name, found in one.dask.dependencies.items()})
    order = [name for name in _in_order(needs) if name not in before]
    operations = {name: made for name in order if (made := _operation(layers[name])) is not None}
    asked = {one.name for one in results}
    changed = False
    for run in _runs(order, needs, operations, asked):
        members = set(run.names)
        used = {need for name, found in needs.items() if name not in members for need in found} | asked
        exits = [name for name in run.names if name in used]
        inputs = {need for name in run.names for need in needs[name]} - members
        if not exits or not (np.prod(run.grid, dtype=int) > 1 or inputs & before):
            continue  # the work on what is combined is small
        fused = _fused([operations[name] for name in run.names], exits, make)
        for name in run.names:
            del layers[name], needs[name]
        for name, (layer, found) in fused.items():
            layers[name], needs[name] = layer, found
        changed = True
    if changed:
        graphs = sys.modules["dask.highlevelgraph"]
        for one in results:
            reached = set(_in_order(needs, [one.name]))
            one.dask = graphs.HighLevelGraph(
                {name: layers[name] for name in reached}, {name: needs[name] for name in reached}
            )
    left = (name for name in order if name not in operations and _works(name, layers, needs))
    return bool(results) and next(left, None) is None


def _works(name: str, layers: dict[str, Any], needs: dict[str, set[str]]) -> bool:
    """Tell if a layer computes with chunks: it does not make or move them, nor combine their results."""
    combines = "-aggregate-" in name or "-partial-" in name or name.startswith("rechunk-")
    layer = layers.get(name)
    return layer is not None and bool(needs[name]) and not combines and len(layer) > 1


def _in_order(needs: dict[str, set[str]], roots: Iterable[str] | None = None) -> list[str]:
    """Return layers, each after those that it needs."""
    order: dict[str, None] = {}
    stack = [(name, False) for name in (needs if roots is None else roots)]
    while stack:
        name, done = stack.pop()
        if done:
            order[name] = None
        elif name not in order:
            stack.append((name, True))
            stack += [(need, False) for need in sorted(needs[name]) if need not in order]
    return list(order)


def _operation(layer: Any) -> _Operation | None:
    """Return what a layer does with each chunk, where a kernel may do it."""
    blockwise = sys.modules["dask.blockwise"]
    if type(layer) is not blockwise.Blockwise or layer.new_axes or layer.io_deps or layer.annotations:
        return None
    if layer.output_blocks is not None or layer.concatenate is not None or not layer.indices:
        return None
    task, indices = getattr(layer, "task", None), layer.output_indices
    if task is None:  # older versions of Dask have a small graph in its place
        return None
    places = [blockwise.blockwise_token(at) for at in range(len(layer.indices))]
    if [getattr(one, "key", None) for one in task.args] != places:
        return None
    text = text_of(task.func, len(places), dict(task.kwargs))
    if text is None:
        return None
    grid = tuple(layer.dims[index] for index in indices)
    for operand, axes in layer.indices:
        if axes is None:
            if not isinstance(operand, _LITERALS):
                return None
        elif len(axes) > len(grid) or axes != indices[len(indices) - len(axes) :]:
            return None
        elif any(
            blocks not in (1, most)
            for blocks, most in zip(layer.numblocks[operand], grid[len(grid) - len(axes) :], strict=True)
        ):
            return None
    if text.reduces and layer.indices[0][1] != indices:
        return None
    return _Operation(layer, text, grid)


def _runs(
    order: list[str], needs: dict[str, set[str]], operations: dict[str, _Operation], asked: set[str]
) -> list[_Run]:
    """Return the runs of operations.

    Two operations of a grid are in one run if the same number of other steps, at most, is before them:
    then no step between two of a run is outside of it.
    """
    levels: dict[str, int] = {}
    users: dict[str, list[str]] = {}
    for name in order:
        own, level = operations.get(name), 0
        for need in needs[name]:
            other = operations.get(need)
            outside = own is None or (other is not None and not _joins(other, own))
            level = max(level, levels.get(need, -1 if own is None else 0) + outside)
            users.setdefault(need, []).append(name)
        levels[name] = level
    for name in reversed(order):  # what a later run alone needs is worked out there
        own = operations.get(name)
        later = [(levels[user], operations.get(user)) for user in users.get(name, ())]
        if own is None or name in asked or not later:
            continue
        if len({level for level, _ in later}) == 1 and all(user and _joins(own, user) for _, user in later):
            levels[name] = later[0][0]
    runs: dict[tuple[int, tuple[int, ...]], _Run] = {}
    for name in order:
        if (own := operations.get(name)) is not None:
            runs.setdefault((levels[name], own.grid), _Run(own.grid)).names.append(name)
    return list(runs.values())


def _joins(operation: _Operation, user: _Operation) -> bool:
    """Tell if an operation may be in one run with one that uses its results."""
    return operation.grid == user.grid and not operation.text.reduces


def _fused(
    operations: Sequence[_Operation], exits: Sequence[str], make: Maker
) -> dict[str, tuple[Any, set[str]]]:
    """Return the layers that take the place of a run's, each with the layers that it needs."""
    dask = sys.modules["dask.blockwise"]
    members = {operation.layer.output for operation in operations}
    axes = tuple(range(len(operations[0].grid)))
    operands: list[tuple[Any, Any]] = []
    places: dict[Any, int] = {}
    numblocks: dict[str, Any] = {}
    for operation in operations:
        for at, (operand, own) in enumerate(operation.layer.indices):
            key = (operation.layer.output, at) if own is None else operand
            if key in members or key in places:
                continue
            places[key] = len(operands)
            operands.append((operand, None if own is None else axes[len(axes) - len(own) :]))
            if own is not None:
                numblocks[operand] = operation.layer.numblocks[operand]
    steps = []
    for number, operation in enumerate(operations, len(operands)):
        layer = operation.layer
        values = tuple(
            places[(layer.output, at) if own is None else operand]
            for at, (operand, own) in enumerate(layer.indices)
        )
        steps.append(Step(layer.task.func, values, dict(layer.task.kwargs), operation.text))
        places[layer.output] = number
    kernel = make(len(operands), steps, [places[name] for name in exits])
    pairs = [part for pair in operands for part in pair]
    if len(exits) == 1:
        return {exits[0]: (dask.blockwise(kernel, exits[0], axes, *pairs, numblocks=numblocks), {*numblocks})}
    whole = f"npcompile-{sys.modules['dask.base'].tokenize(*exits)}"
    made = {whole: (dask.blockwise(kernel, whole, axes, *pairs, numblocks=numblocks), {*numblocks})}
    for place, name in enumerate(exits):
        blocks = {whole: operations[0].grid}
        item = dask.blockwise(operator.getitem, name, axes, whole, axes, place, None, numblocks=blocks)
        made[name] = item, {whole}
    return made
