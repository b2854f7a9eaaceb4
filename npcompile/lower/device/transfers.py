"""Copies between the host and a device: every copy goes through this file and is counted.

Residual programs and eager arrays copy by `to_device` and `to_host`; `counting` adds the bytes to a `Stats`.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Protocol

import torch

from npcompile.lower.device.memory import tried_again

LEAVES = "a value leaves the device at each trip"


class Counter(Protocol):
    """An object that bytes, and the launches of segments' graphs, are added to."""

    bytes_to_device: int
    bytes_from_device: int
    segment_graphs: int


class _Copies(threading.local):
    """The bytes that this thread has copied, and the graphs of segments that it has launched."""

    bytes_to_device = 0
    bytes_from_device = 0
    segment_graphs = 0
    are_forbidden = False  # device work is being captured


copies = _Copies()


class Uncapturable(Exception):
    """Device work cannot be captured, as an array or a number would cross; the message says which way."""


@contextlib.contextmanager
def forbidden() -> Iterator[None]:
    """Let nothing cross in the `with` block, on this thread."""
    copies.are_forbidden = True
    try:
        yield
    finally:
        copies.are_forbidden = False


def crosses(what: str) -> None:
    """Raise Uncapturable if nothing may cross now. what: goes which way."""
    if copies.are_forbidden:
        raise Uncapturable(what)


def to_device(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    """Return a tensor on the device: itself if it is there."""
    if tensor.device == device:
        return tensor
    if device.type == "cpu":
        return to_host(tensor)
    crosses("an array enters the device at each trip")
    moved = tried_again(lambda: tensor.to(device))
    copies.bytes_to_device += tensor.numel() * tensor.element_size()
    return moved


def to_host(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor on the host: itself if it is there."""
    if tensor.device.type == "cpu":
        return tensor
    crosses(LEAVES)
    copies.bytes_from_device += tensor.numel() * tensor.element_size()
    return tensor.cpu()


def into_host(host: torch.Tensor, tensor: torch.Tensor) -> None:
    """Copy a tensor of a device into one of the host."""
    crosses(LEAVES)
    copies.bytes_from_device += tensor.numel() * tensor.element_size()
    host.copy_(tensor)


def into_pinned(host: torch.Tensor, tensor: torch.Tensor) -> None:
    """Copy a tensor into pinned memory, of which `note_from_device` tells once it is read: nobody waits."""
    host.copy_(tensor, non_blocking=True)


def from_pinned(tensor: torch.Tensor, host: torch.Tensor) -> None:
    """Copy pinned memory to a tensor, which is not written to again before: nobody waits."""
    copies.bytes_to_device += host.numel() * host.element_size()
    tensor.copy_(host, non_blocking=True)


def note_from_device(nbytes: int) -> None:
    """Count bytes that captured work has copied to the host."""
    copies.bytes_from_device += nbytes


class counting:
    """Adds to a counter what this thread copies and launches in the `with` block."""

    def __init__(self, counter: Counter) -> None:
        self.counter = counter

    def __enter__(self) -> None:
        self._before = copies.bytes_to_device, copies.bytes_from_device, copies.segment_graphs

    def __exit__(self, *exc: object) -> None:
        self.counter.bytes_to_device += copies.bytes_to_device - self._before[0]
        self.counter.bytes_from_device += copies.bytes_from_device - self._before[1]
        self.counter.segment_graphs += copies.segment_graphs - self._before[2]
