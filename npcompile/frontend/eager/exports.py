"""Conversions of an eager array to Python: numbers, text, bytes, buffers. All of them need the values on the
host."""

from __future__ import annotations

import operator
import pickle
import sys
from os import PathLike
from typing import Any

import numpy as np

from npcompile.frontend.eager.buffer_protocol import give_buffers
from npcompile.frontend.eager.operators import Operators
from npcompile.lower.device import transfers


class Exports(Operators):
    """The array's conversions. Device memory is copied to the host, unless a view of it is asked for."""

    __slots__ = ()

    def _host_memory(self) -> np.ndarray[Any, Any]:
        """Return the array's own memory as NumPy's array. Raises BufferError where it lies on a device."""
        if self._memory.device.type != "cpu":
            raise BufferError(f"the array lies on {self._memory.device}, not in host memory")
        return self._layout

    def _on_host(self) -> np.ndarray[Any, Any]:
        """Return the values as a NumPy array: the same memory on the CPU, a copy of device memory."""
        return self._layout if self._memory.device.type == "cpu" else transfers.to_host(self._tensor).numpy()

    # as memory

    @property
    def data(self) -> Any:
        return self._host_memory().data

    @property
    def ctypes(self) -> Any:
        return self._host_memory().ctypes

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if self._memory.device.type != "cpu" and copy is False:
            raise ValueError("a NumPy array of device memory cannot be made without a copy")
        return np.array(self._on_host(), dtype=dtype, copy=copy)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        if self._memory.device.type != "cpu":  # then NumPy asks __array__, which copies
            raise AttributeError(f"the array lies on {self._memory.device}, not in host memory")
        return self._layout.__array_interface__

    @property
    def __array_struct__(self) -> Any:
        if self._memory.device.type != "cpu":
            raise AttributeError(f"the array lies on {self._memory.device}, not in host memory")
        return self._layout.__array_struct__

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The array's memory on a GPU, for CuPy, Numba and torch, which else ask for a copy on the host."""
        shown: dict[str, Any] = self._memory.__cuda_array_interface__  # AttributeError where it is no GPU's
        layout = self._layout
        offset = layout.__array_interface__["data"][0] - self._first_address()
        address = self._memory.untyped_storage().data_ptr() + offset if layout.size else 0
        strides = None if layout.flags.c_contiguous else layout.strides
        data = address, not layout.flags.writeable
        return {**shown, "shape": layout.shape, "typestr": layout.dtype.str, "strides": strides, "data": data}

    def __buffer__(self, flags: int) -> memoryview:
        """Return the array's buffer, from Python 3.12 on."""
        return self._host_memory().__buffer__(flags)  # type: ignore[attr-defined]

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
    ) -> Any:
        asked = {"stream": stream, "max_version": max_version, "dl_device": dl_device, "copy": copy}
        kwargs = {name: value for name, value in asked.items() if value is not None}
        if self._memory.device.type == "cpu":
            return self._layout.__dlpack__(**kwargs)
        if self._flips:
            raise BufferError("DLPack device memory with negative strides")
        return self._memory.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, number = self._memory.__dlpack_device__()
        return int(kind), int(number)

    def __sizeof__(self) -> int:
        """Return the size of the object, and of the memory if it is the array's own."""
        return object.__sizeof__(self) + (self._layout.nbytes if self._base is None else 0)

    # as a Python number, as text

    def __bool__(self) -> bool:
        return bool(self._on_host())

    def __int__(self) -> int:
        return int(self._on_host())

    def __float__(self) -> float:
        return float(self._on_host())

    def __complex__(self) -> complex:
        return complex(self._on_host())

    def __index__(self) -> int:
        return operator.index(self._on_host())

    def __repr__(self) -> str:
        return repr(self._on_host())

    def __str__(self) -> str:
        return str(self._on_host())

    def __format__(self, spec: str) -> str:
        return format(self._on_host(), spec)

    # as Python objects, as bytes

    def item(self, *args: Any) -> Any:
        return self._on_host().item(*args)

    def tolist(self) -> Any:
        return self._on_host().tolist()

    def tobytes(self, order: Any = "C") -> bytes:
        return self._on_host().tobytes(order)

    if hasattr(np.ndarray, "tostring"):  # until NumPy 2.2

        def tostring(self, order: Any = "C") -> bytes:
            return self._on_host().tostring(order)  # type: ignore[attr-defined]

    def tofile(self, *args: Any, **kwargs: Any) -> None:
        self._on_host().tofile(*args, **kwargs)

    def dumps(self) -> bytes:
        return pickle.dumps(self, protocol=2)  # as NumPy's

    def dump(self, file: Any) -> None:
        """Pickle into a file: an open one, or one of that name."""
        if isinstance(file, (str, bytes, PathLike)):
            with open(file, "wb") as opened:
                pickle.dump(self, opened)
        else:
            pickle.dump(self, file)


if sys.version_info < (3, 12):
    give_buffers(Exports, Exports._host_memory)
