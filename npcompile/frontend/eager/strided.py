"""Memory of eager arrays: a tensor, the NumPy layout over it, reads, writes and views. No operations.

NumPy itself answers every question of layout (which view, which strides, may this be written): each array has
a *layout*, a NumPy array of the same shape, strides and dtype. On the CPU the layout lies on the tensor's own
memory; for device memory it lies on host pages that are reserved and never touched.
"""

from __future__ import annotations

import mmap
from typing import Any, ClassVar

import numpy as np
import torch

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.eager import convert
from npcompile.frontend.ops.table import Unsupported
from npcompile.lower.arithmetic import casts, unsigned

_NO_RESERVE = 0x4000  # Linux's MAP_NORESERVE, which Python's mmap does not name: pages count once touched


class Strided:
    """A tensor `_memory` with positive strides, read backwards along `_flips`; views know their `_base`."""

    __slots__ = ("_base", "_flips", "_layout_known", "_memory", "_reserved")
    public: ClassVar[type[Strided]]  # the array type that users see: the one subclass

    _memory: torch.Tensor
    _flips: tuple[int, ...]
    _base: Any  # the array (ours) or other object that owns the memory; None: this one does
    _layout_known: np.ndarray[Any, Any] | None
    _reserved: Any  # device arrays that own memory: the pages their layouts lie on

    @classmethod
    def _of(
        cls,
        memory: torch.Tensor,
        flips: tuple[int, ...] = (),
        base: Any = None,
        layout: np.ndarray[Any, Any] | None = None,
    ) -> Any:
        array = object.__new__(cls.public)
        array._memory, array._flips, array._base = memory, flips, base
        array._layout_known, array._reserved = layout, None
        return array

    @classmethod
    def _of_tensor(cls, tensor: torch.Tensor, base: Any = None) -> Any:
        """Return the array on a tensor's memory. Raises TypeError for dtypes that NumPy lacks."""
        convert.numpy_dtype(tensor.dtype)
        return cls._of(tensor.detach().resolve_conj().resolve_neg(), base=base)

    @classmethod
    def _of_result(cls, tensor: torch.Tensor) -> Any:
        """Return the array on the memory of a kernel's result, which has a dtype of NumPy's."""
        if tensor.is_conj() or tensor.is_neg():
            return cls._of_tensor(tensor)
        return cls._of(tensor.detach())

    @classmethod
    def _of_numpy(cls, array: np.ndarray[Any, Any], base: Any = None) -> Any:
        """Return the array on a NumPy array's memory. Raises Unsupported where torch cannot express it."""
        if not array.flags.aligned:
            raise Unsupported(Cause.UNEVEN())
        memory, flips = convert.memory_of(array)
        return cls._of(memory, flips, base, array)

    @property
    def _tensor(self) -> torch.Tensor:
        """The array's values: its own memory, or a copy of them where torch cannot express the layout."""
        return unsigned.flipped(self._memory, self._flips) if self._flips else self._memory

    @property
    def _owner(self) -> Strided:
        return self._base if isinstance(self._base, Strided) else self

    @property
    def _layout(self) -> np.ndarray[Any, Any]:
        if self._layout_known is None:
            self._layout_known = self._make_layout()
        return self._layout_known

    def _make_layout(self) -> np.ndarray[Any, Any]:
        memory = self._memory
        if memory.device.type == "cpu":
            layout = memory.numpy().view()  # its base stays writeable, and flags can be set again
        else:
            dtype = convert.numpy_dtype(memory.dtype)
            shape = tuple(memory.shape)
            if memory.numel():
                offset = memory.storage_offset() * dtype.itemsize
                strides = tuple(stride * dtype.itemsize for stride in memory.stride())
                layout = np.ndarray(shape, dtype, self._pages(), offset, strides)
            else:  # no element has an address, but NumPy 2.5 asks for memory all the same
                layout = np.empty(shape, dtype)
        return np.flip(layout, self._flips) if self._flips else layout

    def _pages(self) -> Any:
        """Return pages that stand for the owner's device memory: as many bytes, reserved, never touched."""
        owner = self._owner
        if owner._reserved is None:
            size = max(1, owner._memory.untyped_storage().nbytes())
            owner._reserved = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE)
        return owner._reserved

    def _first_address(self) -> int:
        """Return the address at which the owner's storage begins, as its layouts count addresses."""
        if self._memory.device.type == "cpu":
            return self._memory.untyped_storage().data_ptr()
        return int(np.frombuffer(self._pages(), np.uint8).ctypes.data)

    def _holds(self, layout: np.ndarray[Any, Any]) -> bool:
        """Tell if a layout lies in this array's storage: an answer of NumPy's is then a view of it."""
        begin = self._first_address()
        end = begin + self._memory.untyped_storage().nbytes()
        low, high = np.lib.array_utils.byte_bounds(layout)
        return begin <= low and high <= end and layout.base is not None

    def _view_at(self, layout: np.ndarray[Any, Any]) -> Any:
        """Return the view of this array's storage for `layout`, which NumPy made from one of the array's
        layouts."""
        dtype = convert.torch_dtype(layout.dtype)
        size = layout.itemsize
        offset = layout.ctypes.data - self._first_address()
        flips = []
        strides = []
        for axis, (length, stride) in enumerate(zip(layout.shape, layout.strides, strict=True)):
            if stride < 0:
                if length > 1:
                    flips.append(axis)
                offset += stride * max(length - 1, 0)
            strides.append(abs(stride))
        if layout.size == 0:
            offset, flips = 0, []
        if offset % size or any(stride % size for stride in strides):
            raise Unsupported(Cause.UNEVEN())
        memory = torch.empty(0, dtype=dtype, device=self._memory.device)
        elements = tuple(stride // size for stride in strides)
        memory.set_(self._memory.untyped_storage(), offset // size, layout.shape, elements)
        base = self if self._base is None else self._base
        return self._of(memory, tuple(flips), base, layout)

    def _write(self, values: torch.Tensor) -> None:
        """Do `a[...] = values`, cast to this dtype and broadcast. Shapes must fit; the two may overlap.

        Raises Unsupported where elements share memory: the result then depends on the order of writing.
        """
        if _shares(self._memory):
            raise Unsupported(Cause.OVERLAPPING_WRITE())
        if overlap(values, self._memory):
            values = values.clone()
        while values.dim() > self._memory.dim():  # NumPy drops leading axes of length 1
            values = values[0]
        if self._flips:
            values = unsigned.flipped(values.expand(self._memory.shape), self._flips)
        self._memory.copy_(casts.prepared_for_cast(values, self._memory.dtype))


def _shares(tensor: torch.Tensor) -> bool:
    """Tell if two elements of a tensor may lie on the same memory."""
    reach = 0
    for stride, size in sorted(zip(tensor.stride(), tensor.shape, strict=True)):
        if size > 1 and tensor.numel():
            if stride <= reach:
                return True
            reach += (size - 1) * stride
    return False


def overlap(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Tell if two tensors may share memory, by the bounds of their storages."""
    if one.device != other.device:
        return False
    a, b = one.untyped_storage(), other.untyped_storage()
    return a.data_ptr() < b.data_ptr() + b.nbytes() and b.data_ptr() < a.data_ptr() + a.nbytes()
