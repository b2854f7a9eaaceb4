"""Composes several trips of a loop into one segment: its kernel reads and writes each element once.

`trip_graphs.py` has trips done one by one while their kernels, and the copies of whole arrays between them,
are noted as one graph. It is compiled where each operation gives an element from those at the same place: of
such trips the compiler makes one kernel, whose state stays in registers. All else is left as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx

from npcompile.lower import adapter
from npcompile.lower.device import cuda, transfers
from npcompile.lower.device.job import LocalJob
from npcompile.lower.device.segment_kernel import SegmentKernel, watched_by
from npcompile.lower.plan.attributes import annotate, set_results, value_of
from npcompile.lower.plan.graph import evaluate, rows_of, write
from npcompile.lower.plan.values import Value

BEFORE = 64  # trips that were done of a kind, before several of them are compiled as one
TIMES = 4  # in so many loops at least: to compile takes seconds, for which a script that ends would wait
SIZES = (16, 8, 4)  # trips of one kernel
MOST_OPERATIONS = 240  # of one kernel: to compile more takes long, and gains little
COMPLEX = 4  # operations that one on complex numbers is

aten = torch.ops.aten
_NEW = (aten.empty.memory_format, aten.empty_strided.default, aten.new_empty_strided.default)
_VIEWS = (aten.alias.default, aten.as_strided.default, aten.detach.default, aten.view.default)
# Operations that give elements from those at the same places, besides those which torch says so of.
_IN_PLACE = (
    *_NEW,
    *_VIEWS,
    aten._to_copy.default,
    aten.clone.default,
    aten.copy_.default,
    aten.expand.default,
    aten.full.default,
    aten.full_like.default,
    aten.lift_fresh.default,
    aten.rsub.Scalar,
    aten.scalar_tensor.default,
    aten.view_as_complex.default,
    aten.view_as_real.default,
)
_PARTS = (aten.select.int, aten.unbind.int)  # they take a complex number's parts, or other elements
_FREE = (*_NEW, *_VIEWS, *_PARTS, aten.clone.default, aten.copy_.default, aten.expand.default)

submit: Callable[[fx.Graph], LocalJob] = cuda.submit  # tests that have no GPU put another in its place


class Composer(adapter.DispatchMode):
    """Notes what is done while it is entered as the graph of a segment, which writes to its inputs.

    Parameters
    ----------
    own
        The arrays that the work may read and write, each in memory of its own.

    Attributes
    ----------
    refusal
        Why there is no such graph; None where there is one.
    launches
        The number of kernels that were called.
    """

    def __init__(self, own: Sequence[torch.Tensor]) -> None:
        super().__init__()
        self.graph = fx.Graph()
        self.refusal: str | None = None
        self.launches = 0
        # By memory, a tensor that is all of it, and its node: none before it is written. Tensors are kept,
        # so that no memory is handed out again.
        self._nodes: dict[int, tuple[torch.Tensor, fx.Node | None]] = {}
        for place, tensor in enumerate(own):
            node = self.graph.placeholder(f"a{place}")
            value = Value(
                "array",
                tensor.dtype,
                tuple(tensor.shape),
                tensor.stride(),
                place,
                device=str(tensor.device),
            )
            annotate(node, "input", value)
            self._add(tensor, node)

    def compose(self, work: Callable[[], None]) -> None:
        """Do work, and end its graph."""
        with transfers.forbidden(), watched_by(self), self:
            work()
        set_results(self.graph, (), ())

    def call(self, kernel: SegmentKernel, tensors: tuple[torch.Tensor, ...]) -> list[torch.Tensor]:
        self.__exit__(None, None, None)
        try:
            results = kernel.run(*tensors)
        finally:
            self.__enter__()
        self.launches += 1
        operands = [self._node(tensor) for tensor in tensors]
        if any(operand is None for operand in operands):
            return results
        found: dict[fx.Node, Any] = {}
        given = iter(operands)
        for node in kernel.graph.nodes:
            if node.op == "placeholder":
                found[node] = next(given)
            elif node.op == "call_function":
                found[node] = self.graph.node_copy(node, found.__getitem__)
        answers: Any = kernel.graph.output_node().args[0]
        for tensor, result in zip(results, answers, strict=True):
            if tensor.untyped_storage().data_ptr() in self._nodes:
                self.refusal = "a kernel's result lies in memory that was there before"
            # Kernels give memory of its own, whatever a result is in the graph.
            self._add(tensor, self.graph.call_function(torch.clone, (found[result],)))
        return results

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = function(*args, **(kwargs or {}))
        if function in _NEW:
            self._add(result, None)
        elif function is aten.clone.default:
            if (source := self._node(args[0])) is not None:
                self._add(result, self.graph.call_function(torch.clone, (source,)))
        elif function is aten.full.default:
            kinds = {"dtype": result.dtype, "device": result.device}
            self._add(result, self.graph.call_function(torch.full, (tuple(args[0]), args[1]), kinds))
        elif function is aten.copy_.default:
            self._copy(args[0], args[1])
        elif function not in (*_VIEWS, torch.ops.prim.device.default):
            self.refusal = f"{function} is called between kernels"
        return result

    def _copy(self, tensor: torch.Tensor, source: torch.Tensor) -> None:
        value = self._node(source)
        there, node = self._nodes.get(tensor.untyped_storage().data_ptr(), (tensor, None))
        if value is None:
            return
        if node is not None and _is_all(tensor, there):
            self.graph.call_function(write, (node, value))
        elif node is None and tensor.shape == source.shape and tensor.dtype == source.dtype:
            self._add(tensor, self.graph.call_function(torch.clone, (value,)))
        else:
            self.refusal = "a part of an array is written between kernels"

    def _add(self, tensor: torch.Tensor, node: fx.Node | None) -> None:
        self._nodes[tensor.untyped_storage().data_ptr()] = tensor, node

    def _node(self, tensor: torch.Tensor) -> fx.Node | None:
        """Return what stands for a tensor; None, and refuse, where that is no whole array of the work's."""
        there, node = self._nodes.get(tensor.untyped_storage().data_ptr(), (tensor, None))
        if node is None or not tensor.numel() or not _is_all(tensor, there):
            self.refusal = "a kernel reads what is no whole array of the loop's"
            return None
        return node


def _is_all(tensor: torch.Tensor, other: torch.Tensor) -> bool:
    """Tell if two tensors of one memory are the same elements."""
    mine, theirs = (
        (one.data_ptr(), one.shape, one.stride(), one.dtype, one.is_conj(), one.is_neg())
        for one in (tensor, other)
    )
    return bool(mine == theirs)


class _Operations(adapter.DispatchMode):
    """Counts operations, and finds out if all of them work element by element."""

    def __init__(self) -> None:
        super().__init__()
        self.number, self.are_in_place = 0, True
        self._pairs: list[torch.Tensor] = []  # views of complex numbers as two real ones each

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = function(*args, **(kwargs or {}))
        if function is torch.ops.prim.device.default:
            return result
        if function is aten.view_as_real.default:
            self._pairs.append(result)
        takes_part = function in _PARTS and self._are_pairs(*args[:2])
        self.are_in_place &= torch.Tag.pointwise in function.tags or function in _IN_PLACE or takes_part
        if function not in _FREE:
            is_complex = any(isinstance(arg, torch.Tensor) and arg.is_complex() for arg in args)
            self.number += COMPLEX if is_complex else 1
        return result

    def _are_pairs(self, tensor: torch.Tensor, axis: int = 0) -> bool:
        return any(tensor is pair for pair in self._pairs) and axis in (-1, tensor.dim() - 1)


def operations(graph: fx.Graph) -> int | None:
    """Return the number of a segment's operations; None unless all of them work element by element."""
    rows, seen = rows_of(graph), _Operations()
    values = [value_of(node) for node in graph.find_nodes(op="placeholder")]
    with adapter.fake_mode(), torch.device(values[0].device), torch.no_grad():
        tensors = [
            torch.empty_strided(value.shape, value.strides, dtype=value.dtype, device=value.device)
            for value in values
        ]
        with seen:
            evaluate(rows, *tensors)
    return seen.number if seen.are_in_place else None


class FusedTrips:
    """The program of several trips of one kind.

    size: the number of its trips. refusal: why there is none; None where that is not known.
    """

    def __init__(self) -> None:
        self.size = 0
        self.refusal: str | None = None
        self._done = self._times = 0
        self._launches = 0
        self._job: LocalJob | None = None

    def count(self, trips: int) -> bool:
        """Count trips that one loop does; tell if it is time to compose some."""
        self._done += trips
        self._times += 1
        return self._job is None and self._done >= BEFORE and self._times >= TIMES

    def begin(self, compose: Callable[[int], Composer]) -> None:
        """Begin to compile, where that pays. compose: does so many trips, and notes them."""
        fewest = compose(SIZES[-1])
        number = None if fewest.refusal is not None else operations(fewest.graph)
        if number is None:
            self.refusal = fewest.refusal or "an element depends on others"
            return
        sizes = (size for size in SIZES if size * number <= MOST_OPERATIONS * SIZES[-1])
        self.size = next(sizes, 0)
        if not self.size:
            self.refusal = "a trip has many operations"
            return
        whole = compose(self.size)
        self.refusal, self._launches = whole.refusal, whole.launches
        if self.refusal is None:
            self._job = submit(whole.graph)

    def kernel(self) -> Callable[..., Any] | None:
        """Return what does the trips on their arrays, once it is compiled."""
        if self._job is None or not self._job.done:
            return None
        if self._job.kernel is None:
            self.refusal = str(self._job.error)
        elif 2 * self._job.kernels > self._launches:
            self.refusal = "the compiler makes several kernels of it"
        return None if self.refusal is not None else self._job.kernel
