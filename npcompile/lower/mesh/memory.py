"""Memory on the host that the processes of a mesh share: blocks, and the tensors that lie in them.

A block is a file without a name, of which the system frees the pages when the last process lets go of it.
Blocks of tensors that are gone are used again.
"""

from __future__ import annotations

import ctypes
import itertools
import math
import mmap
import os
import threading
import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

PAGE = 4096
MOST_KEPT = 1 << 28  # bytes in blocks that wait to be used again


class Place(NamedTuple):
    """The place of a tensor in a block, as another process finds it. offset: in elements."""

    block: int
    path: str
    nbytes: int
    dtype: torch.dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int


class _Block:
    """Memory of this process that others can map."""

    _numbers = itertools.count()

    def __init__(self, nbytes: int) -> None:
        self.number = next(self._numbers)
        self.nbytes = nbytes
        self._file = os.memfd_create("npcompile", os.MFD_CLOEXEC)
        os.ftruncate(self._file, nbytes)
        self.memory = mmap.mmap(self._file, nbytes)
        self.path = f"/proc/{os.getpid()}/fd/{self._file}"

    def close(self) -> None:
        """Let go of the file; the pages go with the last tensor that lies in them."""
        os.close(self._file)


class SharedMemory:
    """The blocks of one process."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # blocks may be given back while one is being asked for
        self._used: dict[int, _Block] = {}  # by address
        self._free: list[_Block] = []
        self._gone: list[int] = []  # the numbers of blocks that were closed

    def empty(self, shape: Sequence[int], strides: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
        """Return a tensor without values, whose memory other processes can map, if it has any."""
        if not math.prod(shape):
            return torch.empty_strided(tuple(shape), tuple(strides), dtype=dtype)
        span = 1 + sum((n - 1) * stride for n, stride in zip(shape, strides, strict=True))
        nbytes = span * dtype.itemsize
        block = self._block(-(-nbytes // PAGE) * PAGE)
        # torch lets go of the buffer when the last tensor in it is gone: so is the object that it was given.
        held = (ctypes.c_char * block.nbytes).from_buffer(block.memory)
        weakref.finalize(held, self._give_back, ctypes.addressof(held), block)
        with self._lock:
            self._used[ctypes.addressof(held)] = block
        whole = torch.frombuffer(held, dtype=torch.uint8)[:nbytes].view(dtype)
        return whole.as_strided(tuple(shape), tuple(strides))

    def copy(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return a copy of a tensor of the host in memory that other processes can map."""
        return self.empty(tensor.shape, tensor.stride(), tensor.dtype).copy_(tensor)

    def place(self, tensor: torch.Tensor) -> Place | None:
        """Return where a tensor lies in a block; None if it lies in none."""
        with self._lock:
            block = self._used.get(tensor.untyped_storage().data_ptr())
        if block is None:
            return None
        shape, strides = tuple(tensor.shape), tuple(tensor.stride())
        offset = int(tensor.storage_offset())
        return Place(block.number, block.path, block.nbytes, tensor.dtype, shape, strides, offset)

    def gone(self) -> list[int]:
        """Return the numbers of blocks that are closed, each once."""
        with self._lock:
            gone, self._gone = self._gone, []
        return gone

    def _block(self, nbytes: int) -> _Block:
        with self._lock:
            for at, block in enumerate(self._free):
                if block.nbytes == nbytes:
                    return self._free.pop(at)
        return _Block(nbytes)

    def _give_back(self, address: int, block: _Block) -> None:
        with self._lock:
            self._used.pop(address, None)
            self._free.append(block)
            while sum(one.nbytes for one in self._free) > MOST_KEPT:
                dropped = self._free.pop(0)
                dropped.close()
                self._gone.append(dropped.number)


shared = SharedMemory()


class Mapped:
    """The blocks of another process, mapped into this one."""

    def __init__(self) -> None:
        self._blocks: dict[int, Any] = {}

    def tensor(self, place: Place) -> torch.Tensor:
        """Return the tensor that lies at a place."""
        memory = self._blocks.get(place.block)
        if memory is None:
            file = os.open(place.path, os.O_RDWR)
            try:
                memory = self._blocks[place.block] = mmap.mmap(file, place.nbytes)
            finally:
                os.close(file)
        whole = torch.frombuffer(memory, dtype=torch.uint8)
        whole = whole[: place.nbytes // place.dtype.itemsize * place.dtype.itemsize]
        return whole.view(place.dtype).as_strided(place.shape, place.strides, place.offset)

    def drop(self, numbers: Sequence[int]) -> None:
        """Forget blocks of which the other process has no more tensors."""
        for number in numbers:
            self._blocks.pop(number, None)
