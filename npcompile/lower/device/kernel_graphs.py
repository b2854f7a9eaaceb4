"""Launches the kernels of a segment as one CUDA graph, where calls find its inputs in the same places again.

A graph reads and writes at the addresses of its capture, so each is for one set of inputs' addresses: those
of arrays that a program is given again and again, and those that the allocator hands out again. Its results
lie outside the memory that all graphs share, and are copied before anybody may launch it again; its numbers
are copied to pinned memory in one piece, and waited for once.
"""

from __future__ import annotations

import re
import threading
import weakref
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import torch

from npcompile.lower.device import memory, transfers
from npcompile.lower.device.gathered_numbers import GatheredNumbers
from npcompile.lower.device.graphs import using
from npcompile.lower.plan.values import Value

Kernel = Callable[..., list[torch.Tensor]]

FEWEST = 4  # launches, and numbers that are read: fewer take no longer one by one
MET = 3  # calls with inputs in the same places, before a graph is captured for these
MOST_MET = 64  # places that are remembered
MOST_GRAPHS = 4  # of one segment
MOST_CAPTURED = 8  # times that a graph is captured for one segment
MOST_COPIED = 16 << 20  # bytes that a graph makes: to copy more takes as long as to launch kernels
MOST_BYTES = 512 << 20  # of inputs: larger ones keep the device busy anyway
SLOT = 16  # bytes of the largest number

# Calls of torch's operators, which may wait for the device; random numbers, which are others each time.
_UNFIT = re.compile(r"torch\.ops\.[\w.]+\(|inductor_seeds|load_seed")


@dataclass
class _Graph:
    """A graph with its results.

    numbers: by place among them, where each number is written. given: the memory that the graph writes them
    to; it is freed with the graph.
    """

    launch: Callable[[], None]
    results: list[torch.Tensor]
    numbers: dict[int, torch.Tensor]
    given: GatheredNumbers


class KernelGraphs:
    """A segment's kernel, some of whose calls launch a graph.

    numbers: the places of results that are numbers. launches: counts those of graphs. refusal: why no graph
    is captured any more; None while one may be.
    """

    def __init__(self, kernel: Kernel, numbers: Sequence[int]) -> None:
        self._kernel, self._numbers = kernel, numbers
        self._graphs: dict[Hashable, _Graph] = {}  # by the stream and the inputs' addresses
        self._met: dict[Hashable, int] = {}
        self._captured = 0
        self.launches = 0
        self.refusal: str | None = None
        self._lock = threading.Lock()  # what a graph has made is copied before it is launched again
        _everywhere.add(self)

    def __call__(self, *tensors: torch.Tensor) -> list[torch.Tensor]:
        if transfers.copies.are_forbidden or not self._lock.acquire(blocking=False):
            return self._kernel(*tensors)  # it is being captured itself, or another thread is here
        try:
            device = tensors[0].device
            key = using.capturer.place(device), *[tensor.data_ptr() for tensor in tensors]
            graph = self._graphs.get(key)
            if graph is not None:
                return self._answer(graph, device)
            results = self._kernel(*tensors)
            if self._is_time(key):
                self._capture(key, device, tensors, results)
            return results
        finally:
            self._lock.release()

    def let_go(self) -> None:
        """Give up the memory of graphs, unless one is being used."""
        if self._lock.acquire(blocking=False):
            try:
                self._graphs.clear()
            finally:
                self._lock.release()

    def _is_time(self, key: Hashable) -> bool:
        """Count a call without a graph; tell if one is to be captured."""
        if self._captured >= MOST_CAPTURED:
            return False
        if len(self._met) >= MOST_MET:
            self._met.clear()
        self._met[key] = met = self._met.get(key, 0) + 1
        return met > MET

    def _capture(
        self,
        key: Hashable,
        device: torch.device,
        tensors: tuple[torch.Tensor, ...],
        results: list[torch.Tensor],
    ) -> None:
        """Make a graph; where the work cannot be captured, try no more. results: of this call."""
        self._met.clear()
        self._captured += 1
        numbers: dict[int, torch.Tensor] = {}
        try:
            if not _are_apart(results, tensors):
                raise _Refused("a result lies in the memory of an argument, or of another result")
            own = [_like(result) for result in results]
            given = GatheredNumbers(device, SLOT * len(self._numbers))

            def work() -> None:
                for place, made in enumerate(self._kernel(*tensors)):
                    if place in self._numbers:
                        slot = given.add(made)
                        assert slot is not None
                        numbers[place] = slot
                    else:
                        own[place].copy_(made)
                given.give()

            launch = using.capturer.capture(device, work)
        except Exception as error:  # whatever it is, the kernel itself does the work as before
            self._captured = MOST_CAPTURED
            self.refusal = str(error) or type(error).__name__
            return
        if self._captured == MOST_CAPTURED:
            self.refusal = "its arguments lie in other places again and again"
        if len(self._graphs) >= MOST_GRAPHS:
            del self._graphs[next(iter(self._graphs))]
        self._graphs[key] = _Graph(launch, own, numbers, given)

    def _answer(self, graph: _Graph, device: torch.device) -> list[torch.Tensor]:
        graph.launch()
        self.launches += 1
        transfers.copies.segment_graphs += 1
        results = [
            tensor if place in graph.numbers else _like(tensor).copy_(tensor)
            for place, tensor in enumerate(graph.results)
        ]
        if graph.numbers:
            using.capturer.wait(device)
            for place, slot in graph.numbers.items():
                results[place] = slot.clone()
            transfers.note_from_device(graph.given.nbytes)
        return results


def graphed(
    kernel: Kernel, source: str, kernels: int, inputs: list[Value], outputs: Sequence[Value]
) -> Kernel:
    """Return a segment's kernel that launches graphs, or the kernel itself where these would not pay.

    source: the generated text. kernels: those in it.
    """
    text = re.sub(r"#.*", "", source)
    numbers = [place for place, value in enumerate(outputs) if value.kind != "array"]
    launches = kernels + text.count("extern_kernels.") + len(numbers)
    if launches < FEWEST or not inputs or inputs[0].device == "cpu" or _UNFIT.search(text):
        return kernel
    copied = sum(value.nbytes for value in outputs)
    if copied > MOST_COPIED or sum(value.nbytes for value in inputs) > MOST_BYTES:
        return kernel
    return KernelGraphs(kernel, numbers)


class _Refused(Exception):
    """A segment's work is not captured."""


def _are_apart(results: Sequence[torch.Tensor], tensors: Sequence[torch.Tensor]) -> bool:
    """Tell if each result lies in memory of its own."""
    places = [result.untyped_storage().data_ptr() for result in results]
    others = {tensor.untyped_storage().data_ptr() for tensor in tensors}
    return len(set(places)) == len(places) and not others & set(places)


def _like(tensor: torch.Tensor) -> torch.Tensor:
    """Return memory with the same strides."""
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=tensor.device)


_everywhere: weakref.WeakSet[KernelGraphs] = weakref.WeakSet()


def _let_go() -> None:
    for kernel in [*_everywhere]:
        kernel.let_go()


memory.holders.append(_let_go)
