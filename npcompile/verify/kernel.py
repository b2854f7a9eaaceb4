"""Compares a kernel, at its first call, with its ops done one by one (`NPCOMPILE_VERIFY=1`).

A kernel is many ops and rounds otherwise than one. Its tolerance is found by doing the ops again with every
value in between moved within its rounding, and measuring how far the results move.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import fx

from npcompile.frontend.ops.table import Op
from npcompile.lower.plan.attributes import copied, source_place
from npcompile.lower.plan.graph import write
from npcompile.lower.plan.interpreter import eager
from npcompile.lower.plan.segment import Segment
from npcompile.verify.hooks import Difference
from npcompile.verify.memory_copy import Mirror
from npcompile.verify.operation import UNSPECIFIED
from npcompile.verify.tolerance import TRIALS, ULP, differs_by_more, not_explained


class CheckedKernel:
    """Called like the kernel; `tell` is called with the first difference."""

    def __init__(
        self, kernel: Callable[..., Any], segment: Segment, file: str, tell: Callable[[Difference], None]
    ) -> None:
        self._kernel, self._segment, self._file, self._tell = kernel, segment, file, tell
        self._new = True

    def __call__(self, *host: Any) -> Any:
        if not self._new:
            return self._kernel(*host)
        self._new = False
        mirror = Mirror((host, {}))
        made = self._kernel(*host)
        self._compare(mirror, _results(made, self._segment, mirror.arrays))
        return made

    def _compare(self, mirror: Mirror, got: list[np.ndarray[Any, Any]]) -> None:
        want = self._answers(self._segment.graph, mirror)
        graphs = [with_moved_values(self._segment.graph, trial) for trial in range(TRIALS)]
        one_fill, other_fill = (
            self._answers(with_empty_filled(self._segment.graph, by), mirror) for by in (0, 1)
        )
        for at, (one, other) in enumerate(zip(got, want, strict=True)):
            what = None
            if one.dtype != other.dtype or one.shape != other.shape:
                what, one_text, other_text = "dtype or shape", _kind(one), _kind(other)
            # The uninitialised memory of `np.empty` cannot be compared.
            elif (
                wrong := differs_by_more(one, other, ULP) & ~differs_by_more(one_fill[at], other_fill[at], 0)
            ).any():

                def moved(trial: int, at: int = at) -> Any:
                    return self._answers(graphs[trial], mirror)[at]

                wrong = not_explained(one, other, wrong, moved)
                if wrong.any():
                    first = tuple(int(axis) for axis in np.argwhere(wrong)[0])
                    what, one_text, other_text = "value", repr(one[first]), repr(other[first])
                    if first:
                        one_text, other_text = f"{list(first)}: {one_text}", f"{list(first)}: {other_text}"
            if what is not None:
                ops = dict.fromkeys(getattr(node.target, "name", "") for node in self._segment.ops)
                line = source_place(self._segment.ops[-1]).line if self._segment.ops else None
                name = f"a kernel of {', '.join(name for name in ops if name) or 'a write'}"
                self._tell(Difference(name, self._file, line or 1, what, other_text, one_text))
                return

    def _answers(self, graph: fx.Graph, mirror: Mirror) -> list[np.ndarray[Any, Any]]:
        copy = mirror.copy()
        args, _ = copy.arguments(lambda array: array)
        return _results(eager(graph)(*args), self._segment, copy.arrays)


def _results(result: Any, segment: Segment, arrays: list[np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
    """Return the outputs and the arguments' memory afterwards, or nothing if a check has failed."""
    outputs = list(result) if isinstance(result, tuple) else [result]
    outputs = outputs[: len(segment.results)]
    if segment.checks and not all(outputs[-segment.checks :]):
        return []
    return [np.asarray(item) for item in (*outputs, *arrays)]


def _kind(array: np.ndarray[Any, Any]) -> str:
    return f"{array.dtype}{list(array.shape)}"


def with_moved_values(graph: fx.Graph, trial: int) -> fx.Graph:
    """Return the ops on values moved within their rounding: all away from zero at trial 0, else at random."""
    made = fx.Graph()
    env: dict[fx.Node, fx.Node] = {}
    move = _Move(trial)

    def read(node: fx.Node) -> fx.Node:
        return made.call_function(move, (env[node],)) if node.op == "placeholder" else env[node]

    for node in graph.nodes:
        calls = node.op == "call_function" and node.target is not write
        env[node] = copied(made, node, read if calls else env.__getitem__)
        if isinstance(node.target, Op):
            env[node] = made.call_function(move, (env[node],))
    return made


def with_empty_filled(graph: fx.Graph, by: int) -> fx.Graph:
    """Return the ops with this number in place of uninitialised memory."""
    made = fx.Graph()
    env: dict[fx.Node, fx.Node] = {}
    for node in graph.nodes:
        env[node] = copied(made, node, env.__getitem__)
        if isinstance(node.target, Op) and node.target.function in UNSPECIFIED:
            env[node] = made.call_function(torch.full_like, (env[node], by))
    return made


class _Move:
    """Moves the floats of a value within their rounding."""

    __name__ = "move"

    def __init__(self, trial: int) -> None:
        self._trial = trial
        self._generator = torch.Generator().manual_seed(trial)

    def __call__(self, value: Any) -> Any:
        if isinstance(value, (tuple, list)):
            return type(value)([self(item) for item in value])
        if not isinstance(value, torch.Tensor) or not (value.is_floating_point() or value.is_complex()):
            return value
        units = ULP + math.log2(max(1, value.numel()))
        by: Any = 1.0
        if self._trial:
            by = torch.rand(value.shape, generator=self._generator, dtype=torch.float64) * 2 - 1
        moved = value + value * (by * units * torch.finfo(value.dtype).eps)
        return moved.to(value.dtype)
