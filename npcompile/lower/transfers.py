"""Copies between the host and a device, each counted."""

from __future__ import annotations

from typing import Protocol

import torch


class Counter(Protocol):
    """Where the bytes are counted."""

    bytes_to_device: int
    bytes_from_device: int


def to_device(tensor: torch.Tensor, device: torch.device, counter: Counter) -> torch.Tensor:
    """A tensor on the device: itself if it is there."""
    if tensor.device == device:
        return tensor
    counter.bytes_to_device += tensor.numel() * tensor.element_size()
    return tensor.to(device)


def to_host(tensor: torch.Tensor, counter: Counter) -> torch.Tensor:
    """A tensor on the host: itself if it is there."""
    if tensor.device.type == "cpu":
        return tensor
    counter.bytes_from_device += tensor.numel() * tensor.element_size()
    return tensor.cpu()
