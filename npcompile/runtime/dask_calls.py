"""Calls with Dask arrays: the function runs as it is, and what Dask noted becomes one kernel a chunk.

What no kernel does stays as Dask noted it. Where there is none at all, a reason says so.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Protocol

from npcompile.runtime.chunk_kernels import ChunkKernel, Step, text_of_kernel
from npcompile.runtime.dask_graphs import arrays_in, layers_of, put_together
from npcompile.runtime.deadlines import seconds_until
from npcompile.runtime.specialization import Specialization


class _Depth(threading.local):
    """The number of calls with Dask arrays that a thread is in: the outermost puts the graph together."""

    calls = 0


_depth = _Depth()


class Owner(Protocol):
    """A function that is called with Dask arrays: `RecordedFunction`."""

    __wrapped__: Any

    def by_python(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Answer a call by the plain function."""

    def leave_to_class(self, state: Specialization, args: tuple[Any, ...]) -> None:
        """Leave work on foreign arrays to their class, and tell why."""


class DaskCalls:
    """The calls of one signature of a function, with Dask arrays among the arguments."""

    def __init__(self, owner: Owner) -> None:
        self.owner = owner
        self._kernels: dict[Any, ChunkKernel] = {}
        self._told = False

    def answer(self, state: Specialization, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Answer a call."""
        if _depth.calls:
            return self._by_dask(state, args, kwargs)
        before = layers_of(arrays_in((args, kwargs)))
        _depth.calls += 1
        try:
            result = self._by_dask(state, args, kwargs)
        finally:
            _depth.calls -= 1
        if not put_together(list(arrays_in(result)), before, self._kernel) and not self._told:
            self._told = True
            self.owner.leave_to_class(state, args)
        return result

    def _by_dask(self, state: Specialization, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if state.partitioned is not None:
            return state.partitioned.answer(state, args, kwargs)
        return self.owner.by_python(args, kwargs)

    def _kernel(self, inputs: int, steps: Sequence[Step], exits: Sequence[int]) -> ChunkKernel:
        """Return the kernel of a run, the one of an earlier call if it is the same."""
        means = tuple(step.text.mean for step in steps)
        key = text_of_kernel(inputs, steps, exits), means
        known = self._kernels.get(key)
        if known is None:
            name = f"{getattr(self.owner.__wrapped__, '__name__', '')}_of_chunk"
            name = name if name.isidentifier() else "of_chunk"
            made = ChunkKernel(name, inputs, steps, exits, type(self.owner))
            made.jitted.count_for(self.owner)
            known = self._kernels.setdefault(key, made)
        return known

    def wait(self, deadline: float | None) -> None:
        """Wait until kernels are compiled that chunks have been given to."""
        for kernel in list(self._kernels.values()):
            kernel.jitted.wait(seconds_until(deadline))
