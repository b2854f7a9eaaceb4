"""A device that is none: its arrays lie on the host, in memory of their own, as a GPU's do.

What enters it is copied, and what leaves it, so that each copy that a replay forgets shows in the answer. Ops
are interpreted. Random programs run on it by `python -m tests.fuzz --copying-device`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import fx

from npcompile.frontend.eager.ndarray import asarray, ndarray
from npcompile.frontend.replay import device_lane, replay
from npcompile.lower.plan import interpreter
from npcompile.runtime import function

TRACE = function.trace


class Lane(device_lane.Lane):
    """The lane of such a device."""

    def __init__(self, device: str) -> None:
        self.device = torch.device("cpu")

    def enter(self, array: Any) -> Any:
        own = asarray(array)
        return own if own is array else device_lane.entered(own, torch.clone)

    def leave(self, array: Any, order: tuple[int, ...], apart: int = 1) -> Any:
        return super().leave(ndarray._of_tensor(array._tensor.clone()), order, apart)

    def give_back(self, host: Any, array: Any) -> None:
        host[...] = array._tensor.numpy()

    def renew(self, array: Any, host: Any) -> None:
        array[...] = host

    def kernel(self, kernel: Callable[..., Any], inputs: Any, outputs: Any) -> Callable[..., Any]:
        return self._on_tensors(kernel, inputs, outputs)


def trace(
    fn: Any, rewritten: Any, args: Any, kwargs: Any, names: Any, floats: Any, _: str, *rest: Any
) -> Any:
    return TRACE(fn, rewritten, args, kwargs, names, floats, "copying", *rest)


def interpreted(graph: fx.Graph, _: Any = None) -> Callable[..., Any]:
    return interpreter.eager(graph, "cpu:0")  # as on a device: tensors in, tensors out


def use(patch: pytest.MonkeyPatch) -> None:
    """Have everything that is jitted run on it."""
    patch.setenv("NPCOMPILE_BACKEND", "interpreter")
    patch.setattr(function, "trace", trace)
    patch.setattr(function, "eager", interpreted)
    patch.setattr(replay, "Lane", Lane)
