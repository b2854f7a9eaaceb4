"""Stands in for CUDA graphs without a GPU: a tape of tensor operations, done again in the same memory.

As in a CUDA graph, addresses and numbers are those of the capture; what Python did in it is not done again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from npcompile.lower.device import transfers

# Operations that make tensors, or have them show other memory, and touch no element.
_WITHOUT_WORK = ("empty", "set_", "new_empty")


class Tape(TorchDispatchMode):
    """Notes each operation with its arguments and results."""

    def __init__(self) -> None:
        super().__init__()
        self.notes: list[tuple[Any, Any, Any, list[torch.Tensor]]] = []

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        results = function(*args, **(kwargs or {}))
        if not function.__name__.startswith(_WITHOUT_WORK):
            self.notes.append((function, args, kwargs or {}, _tensors(results)))
        return results

    def play(self) -> None:
        for function, args, kwargs, results in self.notes:
            with torch.no_grad():
                again = _tensors(function(*args, **kwargs))
                for one, other in zip(results, again, strict=True):
                    if one.data_ptr() != other.data_ptr():
                        one.copy_(other)


def _tensors(results: Any) -> list[torch.Tensor]:
    parts = results if isinstance(results, tuple | list) else [results]
    return [part for part in parts if isinstance(part, torch.Tensor)]


class TapedGraphs:
    """The capturer of a device that copies."""

    def __init__(self) -> None:
        self.launches = 0

    def capture(self, device: torch.device, work: Callable[[], None]) -> Callable[[], None]:
        tape = Tape()
        with transfers.forbidden(), tape:
            work()

        def launch() -> None:
            self.launches += 1
            tape.play()

        return launch

    def place(self, device: torch.device) -> Hashable:
        return 0

    def room(self, device: torch.device) -> int:
        return 1 << 30

    def pinned(self, nbytes: int) -> torch.Tensor:
        return torch.empty(nbytes, dtype=torch.uint8)

    def wait(self, device: torch.device) -> None:
        pass
