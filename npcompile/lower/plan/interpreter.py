"""A segment run by eager torch, op by op: the replay interpreter's stand-in for a compiled kernel."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx

from npcompile.lower import notices
from npcompile.lower.plan.attributes import result_values, value_of
from npcompile.lower.plan.graph import evaluate, rows_of, unpack
from npcompile.lower.plan.values import Value, tensor_of

_NUMBERS = {"int": torch.int64, "float": torch.float64, "complex": torch.complex128, "bool": torch.bool}


def enter(host: Any, value: Value) -> torch.Tensor:
    """A value of the host as a tensor, sharing an array's memory."""
    if value.kind == "array" and 0 in value.shape:  # NumPy may leave it negative strides
        return torch.empty_strided(value.shape, value.strides, dtype=value.dtype)
    if value.kind == "array":
        with (
            warnings.catch_warnings()
        ):  # torch warns of arrays that are not writeable; plans never write into those
            warnings.simplefilter("ignore", UserWarning)
            return tensor_of(host)
    dtype = value.dtype if value.kind == "scalar" else _NUMBERS[value.kind]
    return torch.tensor(host.item() if value.kind == "scalar" else host, dtype=dtype)


def leave(tensor: torch.Tensor, value: Value) -> Any:
    """A result in memory of its own, laid out as NumPy lays it."""
    if tensor.dtype != value.dtype or tuple(tensor.shape) != value.shape:
        raise TypeError(
            f"an op gave {tensor.dtype}{list(tensor.shape)} where NumPy gave {value.dtype}{list(value.shape)}"
        )
    if value.kind == "scalar":
        return tensor.numpy()[()]
    if value.kind in _NUMBERS:
        return tensor.item()
    return laid(tensor, value).numpy().copy("K")  # which owns its memory, as NumPy's own results do


def laid(tensor: torch.Tensor, value: Value) -> torch.Tensor:
    """A result in memory of its own, with the strides that NumPy gives it."""
    if value.kind != "array":
        return tensor
    result = torch.empty_strided(value.shape, value.strides, dtype=value.dtype, device=tensor.device)
    return result.copy_(tensor)


def run_rows(
    rows: list[tuple[Any, ...]], values: Sequence[Value], results: Sequence[Value], host: Sequence[Any]
) -> Any:
    """Return what a kernel of these rows would return for these host values."""
    outputs = evaluate(rows, *(enter(item, value) for item, value in zip(host, values, strict=True)))
    left = tuple(leave(tensor, value) for tensor, value in zip(outputs, results, strict=True))
    return left[0] if len(left) == 1 else left


def without_kernel(data: bytes, values: Sequence[Value], results: Sequence[Value], *host: Any) -> Any:
    """Run the rows in place of a kernel that could not run, for want of memory as a rule; this is told
    once."""
    result = run_rows(unpack(data), values, results, host)
    notices.tell(
        "a kernel could not get the memory that it needs: the operations were done one by one; instead: "
        "smaller arrays, or more memory for this process"
    )
    return result


def eager(graph: fx.Graph, device: str | None = None) -> Callable[..., Any]:
    """A callable with a kernel's calling convention: host values in, one result or a tuple of them out.

    For another device than the CPU: tensors in, a list of tensors out.
    """
    rows = rows_of(graph)
    values = [value_of(node) for node in graph.find_nodes(op="placeholder")]
    results = result_values(graph)

    def run(*host: Any) -> Any:
        return run_rows(rows, values, results, host)

    def run_on_device(*tensors: torch.Tensor) -> list[torch.Tensor]:
        with torch.device(str(device)):
            outputs = evaluate(rows, *tensors)
            return [laid(tensor, value) for tensor, value in zip(outputs, results, strict=True)]

    return run if device in (None, "cpu") else run_on_device
