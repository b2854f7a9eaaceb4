"""The device lane: moves a replay's arrays to a device and back, and calls kernels there.

Arrays enter the lane at the call, kernels take and give device arrays, and NumPy arrays leave it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from npcompile.frontend.boundary.faults import performs
from npcompile.frontend.eager.ndarray import asarray, ndarray
from npcompile.frontend.program.array_facts import layout
from npcompile.frontend.replay import residency
from npcompile.frontend.replay.residency import Use
from npcompile.frontend.replay.same_layout import entered
from npcompile.frontend.replay.trip_numbers import Changing, plain_number
from npcompile.lower.device import memory, transfers
from npcompile.lower.device.kept_number import KeptNumber
from npcompile.lower.plan.interpreter import laid
from npcompile.lower.plan.values import Value

_NUMBERS = {"int": torch.int64, "float": torch.float64, "complex": torch.complex128, "bool": torch.bool}


class Lane:
    """The functions that a replay calls where its arrays lie on a device."""

    def __init__(self, device: str) -> None:
        self.device = torch.device(device)

    @property
    def is_apart(self) -> bool:
        """Tell if the device's arrays lie in memory of their own."""
        return self.device.type != "cpu"

    def enter(self, array: Any, use: Use = Use.READ) -> Any:
        """Return an array on the lane's device: itself if it is there, one on its memory on the CPU."""
        table = residency.opened() if self.is_apart else None
        if table is not None and type(array) is np.ndarray and array.size:
            return table.enter(self, array, use)
        own = asarray(array)
        if self.holds(own, array):
            return own
        if own._memory.device.type != "cpu":
            raise TypeError(f"an array on {own.device} where {self.device} was recorded")
        if table is not None:
            table.forget()  # it may lie on the memory of a NumPy array whose values are on the device
        return self.moved(own)

    def holds(self, own: Any, array: Any) -> bool:
        """Tell if an array lies on the device. own: the array on that memory, `array`: what was given."""
        return bool(own._memory.device == self.device)

    def moved(self, array: Any) -> Any:
        """Return a copy on the device of an array that lies on the host."""
        return entered(asarray(array), lambda memory: transfers.to_device(memory, self.device))

    def leave(self, array: Any, order: tuple[int, ...], apart: int = 1) -> np.ndarray[Any, Any]:
        """Return a NumPy array of a device array's values, laid out as NumPy lays it out.

        order: its axes from the outermost in memory inwards. apart: the distance of elements, in elements.
        """
        table = residency.opened()
        if table is not None and array.size:
            tensor = array._tensor
            shape = [tensor.shape[axis] for axis in order]
            made = _empty(shape, _dtype(tensor.dtype), apart)
            in_order = order == tuple(range(len(order)))
            host: np.ndarray[Any, Any] = made if in_order else made.transpose(np.argsort(order))
            table.make(self, host, array)
            return host
        found: np.ndarray[Any, Any] = transfers.to_host(array._tensor).numpy()
        rows = found.transpose(order)
        if apart == 1 and rows.flags.c_contiguous:
            return found
        laid = _empty(list(rows.shape), found.dtype, apart)
        laid[...] = rows
        return laid.transpose(np.argsort(order))

    def give_back(self, host: np.ndarray[Any, Any], array: Any) -> None:
        """Bring an array's twin on the host up to date, or note that it is not."""
        if self.is_apart:
            table = residency.opened()
            if table is not None and type(host) is not np.ndarray:
                table.forget()
                table = None
            if table is None or not table.give_back(host, array):
                self.copy_back(host, array)

    def begin_writing(self) -> None:
        """Note that arrays are written in place from now on."""
        if (table := residency.opened()) is not None:
            table.begin_writing()

    def copy_back(self, host: np.ndarray[Any, Any], array: Any) -> None:
        """Copy an array of the device into one of the host."""
        tensor = array._tensor
        if host.flags.c_contiguous and host.flags.writeable and tensor.is_contiguous():
            if tensor.device.type != "cpu":  # straight into its memory
                transfers.into_host(torch.from_numpy(host), tensor)
                return
        host[...] = transfers.to_host(tensor).numpy()

    def renew(self, array: Any, host: np.ndarray[Any, Any]) -> None:
        """Copy the twin on the host into an array of the device."""
        if self.is_apart:
            array[...] = host

    def kernel(
        self, kernel: Callable[..., Any], inputs: list[Value], outputs: list[Value]
    ) -> Callable[..., Any]:
        """Return a segment's kernel as a callable on device arrays and numbers."""
        if self.device.type == "cpu":
            return _on_host(kernel)
        return self._on_tensors(kernel, inputs, outputs)

    def _on_tensors(
        self, kernel: Callable[..., Any], inputs: list[Value], outputs: list[Value]
    ) -> Callable[..., Any]:
        dtypes = [_NUMBERS.get(value.kind, value.dtype) for value in inputs]
        numbers = [KeptNumber(dtype, self.device) for dtype in dtypes]

        def run(*values: Any) -> Any:
            tensors, kept = [], set()
            for value, dtype, number in zip(values, dtypes, numbers, strict=True):
                if type(value) is ndarray:
                    tensors.append(value._tensor)
                else:  # filled in on the device, which needs no copy to wait for
                    plain = plain_number(value)
                    if (table := residency.opened()) is not None:
                        table.note_number(plain)
                    if isinstance(plain, Changing):
                        tensors.append(plain.tensor().to(dtype))
                    else:
                        tensors.append(number.tensor(plain))
                        kept.add(tensors[-1].data_ptr())
            try:
                made = kernel(*tensors)
            except torch.OutOfMemoryError as error:
                raise memory.DeviceMemoryError(memory.told(error)) from error
            if kept:
                made = [_apart(tensor) if tensor.data_ptr() in kept else tensor for tensor in made]
            results = [
                ndarray._of_result(_regular(tensor, value))
                if value.kind == "array"
                else _number(tensor, value)
                for tensor, value in zip(made, outputs, strict=True)
            ]
            return results[0] if len(results) == 1 else tuple(results)

        return run


def _empty(shape: list[int], dtype: np.dtype[Any], apart: int) -> np.ndarray[Any, Any]:
    return np.empty(shape, dtype) if apart == 1 else np.empty((*shape, apart), dtype)[..., 0]


@functools.cache
def _dtype(dtype: torch.dtype) -> np.dtype[Any]:
    """Return the type that NumPy has for tensors of a type."""
    return torch.empty(0, dtype=dtype).numpy().dtype


def _apart(tensor: torch.Tensor) -> torch.Tensor:
    """Return a view of a number that a kernel was given, on other memory: the number is kept."""
    number = tensor.as_strided((), ())
    return number.clone().as_strided(tensor.shape, tensor.stride())


def _regular(tensor: torch.Tensor, value: Value) -> torch.Tensor:
    """Return a kernel's result with the strides that NumPy gives it, for which the next kernel was made."""
    if tensor.stride() == value.strides or tensor.numel() < 2 or tuple(tensor.shape) != value.shape:
        return tensor
    return laid(tensor, value)


def _number(tensor: torch.Tensor, value: Value) -> Any:
    """Return a 0-d result as NumPy's scalar, or as a Python number."""
    if (table := residency.opened()) is not None and table.numbers is not None:
        return table.numbers.hold(tensor, value.kind in _NUMBERS)
    transfers.crosses("a number is read from the device at each trip")
    found = transfers.to_host(tensor).numpy()[()]
    return found.item() if value.kind in _NUMBERS else found


def _on_host(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return a host kernel as a callable on `npcompile.ndarray`s that lie on the CPU."""

    def run(*values: Any) -> Any:
        result = kernel(*[layout(value) for value in values])
        if isinstance(result, np.ndarray):
            return asarray(result)
        if isinstance(result, tuple):
            return tuple([asarray(item) if isinstance(item, np.ndarray) else item for item in result])
        return result

    return run


@performs
def assign(dst: Any, value: Any) -> None:
    """`dst[...] = value`."""
    dst[...] = value


def method(name: str) -> Callable[..., Any]:
    """Return a function that calls a method of its first argument, or gives an attribute of it."""

    def call(array: Any, *args: Any, **kwargs: Any) -> Any:
        found = getattr(array, name)
        return found(*args, **kwargs) if callable(found) else found

    return performs(call)
