"""Defines the messages that a program and the processes of its mesh send each other, tensors among them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from npcompile.lower.mesh.memory import Mapped, Place, shared
from npcompile.lower.mesh.sharded import Gathered

READY = 0  # the number of the run that a process answers once it is ready
SMALL = 4096  # bytes: a tensor of no more travels with the message


class Inline(NamedTuple):
    """A small tensor, by its values."""

    data: bytes
    dtype: torch.dtype
    shape: tuple[int, ...]


class OnDevice(NamedTuple):
    """A tensor in a device's memory, as CUDA hands it to another process."""

    rebuild: Callable[..., torch.Tensor]
    args: tuple[Any, ...]


Sent = Inline | Place | OnDevice


class Compile(NamedTuple):
    """Ask for a segment to be traced, and compiled if `compiled`."""

    key: str
    data: bytes  # the segment, as `graph.pack` wrote it
    compiled: bool


class Compiled(NamedTuple):
    """The answer to `Compile`. rows: how many are split; None where none are, and one device does all."""

    error: str
    inputs: tuple[int, ...] = ()  # the axis along which each is split, or `sharded.WHOLE`
    results: tuple[int, ...] = ()
    rows: int | None = None
    gathered: tuple[Gathered, ...] = ()
    collectives: int = 0
    source: str = ""
    kernels: int = 0


class Run(NamedTuple):
    """Ask for a segment to be run."""

    number: int
    key: str
    inputs: list[Sent]
    results: list[Sent]
    gone: list[int]  # blocks of memory that the program has let go of


class Ran(NamedTuple):
    """The answer to `Run`; values: of this process's parts of results that travel inline, by their places."""

    number: int
    error: str
    values: dict[int, Inline]


def is_small(shape: Sequence[int], dtype: torch.dtype) -> bool:
    """Tell if an array travels with the message."""
    return math.prod(shape) * dtype.itemsize <= SMALL


def sent(tensor: torch.Tensor) -> Sent:
    """Return a tensor as it travels. Raises ValueError where it lies in memory that no other process can
    map."""
    if is_small(tensor.shape, tensor.dtype):
        return inline(tensor)
    if tensor.device.type != "cpu":
        from torch.multiprocessing.reductions import reduce_tensor

        return OnDevice(*reduce_tensor(tensor))
    place = shared.place(tensor)
    if place is None:
        raise ValueError("the tensor lies in memory that no other process can map")
    return place


def inline(tensor: torch.Tensor) -> Inline:
    """Return a tensor with its values."""
    plain = tensor.detach().cpu().contiguous().reshape(-1)
    data = plain.view(torch.uint8).numpy().tobytes() if plain.numel() else b""
    return Inline(data, tensor.dtype, tuple(tensor.shape))


def received(what: Sent, mapped: Mapped) -> torch.Tensor:
    """Return the tensor that was sent."""
    if isinstance(what, Inline):
        return opened(what)
    if isinstance(what, OnDevice):
        return what.rebuild(*what.args)
    return mapped.tensor(what)


def opened(what: Inline) -> torch.Tensor:
    """Return a tensor of the host that travelled with its values."""
    if not what.data:
        return torch.empty(what.shape, dtype=what.dtype)
    return torch.frombuffer(bytearray(what.data), dtype=what.dtype).reshape(what.shape)
