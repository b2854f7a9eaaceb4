"""Traces a segment as each device of a mesh computes it: on its part of the rows, with collectives.

Each op is run on DTensors, whose own propagation decides how its results are placed. An op for which DTensor
has no rule gets its operands whole on every device. All is done on tensors without values: no process waits
for another while it traces.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx
from torch.overrides import TorchFunctionMode

from npcompile.lower import adapter
from npcompile.lower.mesh.placement import is_split, rows_to_split
from npcompile.lower.plan.graph import evaluate_by, inputs_of, outputs_of
from npcompile.lower.plan.values import Value

SPLIT, WHOLE = 0, -1  # the axis along which an array is split; WHOLE: each device has all of it


@dataclass(frozen=True)
class Gathered:
    """An op that got its operands whole on every device, and what DTensor said."""

    op: str
    why: str


@dataclass
class Sharded:
    """A segment as one device computes it.

    graph: of the device's parts of the inputs; returns its parts of the results, then of the inputs that the
    segment writes. inputs, results: the axis along which each is split, or WHOLE. written: the places of the
    inputs that it writes.
    """

    graph: fx.GraphModule
    inputs: list[int]
    results: list[int]
    written: list[int]
    gathered: list[Gathered]
    collectives: int


def trace(rows: list[tuple[Any, ...]], group: Any, size: int, device: torch.device) -> Sharded | None:
    """Return the segment as this process computes it; None where no input can be split.

    group: the device mesh. Raises what DTensor raises where a result cannot be told.
    """
    from torch.distributed.tensor import DTensor, Replicate, Shard
    from torch.distributed.tensor.experimental import implicit_replication
    from torch.fx.experimental.proxy_tensor import make_fx

    values = inputs_of(rows)
    length = rows_to_split(values, size)
    if length is None:
        return None
    inputs = [SPLIT if is_split(value, length) else WHOLE for value in values]
    results: list[int] = []
    written: list[int] = []
    run = _Run(group)

    def local(*parts: torch.Tensor) -> list[torch.Tensor]:
        run.gathered.clear()
        whole = [
            DTensor.from_local(part, group, [Replicate() if axis == WHOLE else Shard(axis)], run_check=False)
            for part, axis in zip(parts, inputs, strict=True)
        ]
        outputs, stores = evaluate_by(rows, whole, run.call, run.stored)
        written[:] = stores
        found = [*map(run.distributed, outputs), *(stores[place] for place in written)]
        placed = [_placed(one, size) for one in found]
        results[:] = [axis for axis, _ in placed]
        _check(found, [*outputs_of(rows), *(values[place] for place in written)])
        return [part for _, part in placed]

    with adapter.fake_mode(), torch.device(device), torch.no_grad(), implicit_replication():
        examples = [example(value, axis, size, device) for value, axis in zip(values, inputs, strict=True)]
        graph = make_fx(local)(*examples)
    graph.graph.eliminate_dead_code()
    graph.recompile()
    collectives = sum("c10d_functional" in str(node.target) for node in graph.graph.nodes)
    waits = sum("wait_tensor" in str(node.target) for node in graph.graph.nodes)
    return Sharded(graph, inputs, results, written, [*run.gathered], collectives - waits)


def example(value: Value, axis: int, size: int, device: torch.device) -> torch.Tensor:
    """Return an empty tensor like a device's part of an input."""
    shape = part_shape(value.shape, axis, size)
    dtype = dtype_of(value)
    order = sorted(range(len(shape)), key=lambda place: -value.strides[place])
    made = torch.empty([shape[place] for place in order], dtype=dtype, device=device)
    return made.permute([order.index(place) for place in range(len(shape))])


def part_shape(shape: Sequence[int], axis: int, size: int) -> tuple[int, ...]:
    """Return the shape of one of `size` parts of an array."""
    return tuple(n // size if place == axis else n for place, n in enumerate(shape))


def dtype_of(value: Value) -> torch.dtype:
    """Return the dtype of an input as a tensor."""
    numbers = {"int": torch.int64, "float": torch.float64, "complex": torch.complex128, "bool": torch.bool}
    found = numbers.get(value.kind, value.dtype)
    assert found is not None
    return found


class _Run:
    """Runs the calls of a segment on DTensors."""

    def __init__(self, group: Any) -> None:
        self.group = group
        self.gathered: dict[Gathered, None] = {}

    def call(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        try:
            with _NeverEmpty():
                return function(*args, **kwargs)
        except Exception as error:
            name = str(getattr(function, "name", None) or getattr(function, "__name__", function))
            lines = str(error).strip().splitlines() or [type(error).__name__]
            self.gathered[Gathered(name, lines[0])] = None
        args, kwargs = _mapped(args, _whole), _mapped(kwargs, _whole)
        return _mapped(function(*args, **kwargs), self.distributed)

    def stored(self, place: Any, value: Any) -> Any:
        """Return what an array holds once a value is written to all of it."""
        source = self.distributed(value)
        return source.redistribute(place.device_mesh, place.placements).to(place.dtype).clone()

    def distributed(self, value: Any) -> Any:
        """Return a tensor as a DTensor: one that is none is whole on every device."""
        from torch.distributed.tensor import DTensor, Replicate

        if not isinstance(value, torch.Tensor) or isinstance(value, DTensor):
            return value
        return DTensor.from_local(value, self.group, [Replicate()], run_check=False)


class _NeverEmpty(TorchFunctionMode):
    """Refuses DTensors without elements: DTensor's rule for their reshapes does not end."""

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        from torch.distributed.tensor import DTensor

        if any(isinstance(arg, DTensor) and 0 in arg.shape for arg in args):
            raise NotImplementedError("an array has no elements")
        return function(*args, **(kwargs or {}))


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a structure with its tensors changed."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, dict):
        return {key: _mapped(item, change) for key, item in value.items()}
    if isinstance(value, tuple | list):
        items = [_mapped(item, change) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


def _whole(tensor: Any) -> torch.Tensor:
    """Return a tensor whole, as one of this device alone."""
    from torch.distributed.tensor import DTensor

    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def _placed(found: Any, size: int) -> tuple[int, torch.Tensor]:
    """Return the axis along which a result is split in equal parts, and this device's part of it."""
    from torch.distributed.tensor import Shard

    placement = found.placements[0]
    if type(placement) is Shard and found.shape[placement.dim] % size == 0:
        return placement.dim, found.to_local()
    return WHOLE, found.full_tensor()


def _check(results: Sequence[Any], values: Sequence[Value]) -> None:
    for result, value in zip(results, values, strict=True):
        if result.dtype != value.dtype or tuple(result.shape) != tuple(value.shape):
            raise TypeError(
                f"an op gave {result.dtype}{list(result.shape)}, NumPy gave {value.dtype}{list(value.shape)}"
            )
