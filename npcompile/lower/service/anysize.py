"""Kernels of one segment by the sizes of its inputs, for programs that replay at sizes other than recorded.

`runtime/polymorphic.py` makes an `AnySize` for each segment of a shape-generic program. A kernel is found, or
submitted to be compiled, by the shapes and strides of the arrays and the numbers that it is called with.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from npcompile.lower import adapter
from npcompile.lower.codegen.outputs import dense
from npcompile.lower.plan import graph as wire
from npcompile.lower.plan import sizes
from npcompile.lower.plan.interpreter import enter, leave
from npcompile.lower.plan.segment import Segment
from npcompile.lower.plan.values import Value
from npcompile.lower.service import compiler
from npcompile.lower.shapes import fitting

# The most kernels of one segment, one for each combination of sizes. The oldest is dropped for a further one.
MAX_KERNELS = 64


class AnySize:
    """The kernels of one segment, one for each combination of sizes.

    Its methods take host values: those of the segment's inputs, in order, and then those of its `numbers`.
    """

    def __init__(self, segment: Segment, job: compiler.Job | None, salt: str) -> None:
        self.rows = wire.rows_of(segment.graph, marked=True)
        self.segment = segment
        self.values = segment.values
        self.inputs = [
            (node, axes, value) for (node, axes), value in zip(segment.inputs, self.values, strict=True)
        ]
        self.results = segment.results
        self.numbers = segment.numbers
        self.job = job  # at the recorded sizes; None: torch does the ops eagerly
        self.salt = salt
        self.kernels: dict[Any, Callable[..., Any]] = {}
        self.evicted = 0  # kernels that were dropped

    def kernel(self, *args: Any) -> Callable[..., Any]:
        """Return the kernel for these values, which is called without the numbers.

        Raises `fitting.Unfit` if there is none, `fitting.Pending` if there is none yet.
        """
        values, given = args[: len(self.values)], args[len(self.values) :]
        layouts = [
            (value.shape, value.strides) if known.kind == "array" else None
            for value, known in zip(values, self.values, strict=True)
        ]
        key = (*layouts, *given)
        found = self.kernels.get(key)
        if found is None:
            if len(self.kernels) >= MAX_KERNELS:
                self.kernels.pop(next(iter(self.kernels)), None)
                self.evicted += 1
            inputs, rows = self._at_sizes(values, given)
            found = self.kernels[key] = (
                self._eager(rows, inputs) if self.job is None else self._kernel_of(rows)
            )
        return found

    def empty_results(self, *args: Any) -> list[Any]:
        """Return uninitialised arrays with the shapes and strides of the kernel's results, None for numbers.

        Raises as `kernel` does.
        """
        _, rows = self._at_sizes(args[: len(self.values)], args[len(self.values) :])
        if self.job is None:
            shapes = _shapes(rows)
        else:
            shapes = [tuple(row[2]) for row in self._with_results(rows)[-1][2]]
        return [
            torch.empty_strided(shape, dense(shape, value), dtype=value.dtype).numpy()
            if value.kind == "array"
            else None
            for shape, value in zip(shapes, self.results, strict=True)
        ]

    def _at_sizes(
        self, values: tuple[Any, ...], given: tuple[Any, ...]
    ) -> tuple[list[Value], list[tuple[Any, ...]]]:
        """Return the segment's inputs and rows at the sizes of these values."""
        inputs = [_input_now(known, item) for known, item in zip(self.values, values, strict=True)]
        regulars = [(tuple(value.shape), wire.regular(value)) for value in inputs]
        return inputs, sizes.resized(self.rows, regulars, dict(zip(self.numbers, given, strict=True)))

    def _kernel_of(self, rows: list[tuple[Any, ...]]) -> Callable[..., Any]:
        assert self.job is not None
        job = compiler.submit_rows(self._with_results(rows), self.salt, self.job.wanted_by)
        if not job.done:
            raise fitting.Pending(job)
        if job.kernel is None:
            raise fitting.Unfit(job.error)
        return job.kernel

    def _with_results(self, rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Return the rows with the outputs' shapes and strides, as the library for any sizes has them."""
        assert self.job is not None
        general, now = self.job.general, sizes.form(rows)
        if now.skeleton != self.job.sized.skeleton:
            raise fitting.Unfit("a length is 0 or 1, or no longer is")
        if general is None and now.sizes == self.job.sized.sizes:
            return rows
        values = general.pattern.values(now.sizes) if general is not None and general.sized else None
        if general is not None and values is not None:
            shapes = fitting.shapes(general.sized, values)
        elif compiler.may_share(self.job):
            shapes = _shapes(rows)
        else:
            raise fitting.Unfit("it is for the recorded sizes alone")
        results = []
        for row, shape, value in zip(rows[-1][2], shapes, self.results, strict=True):
            kind, dtype, _, _, *rest = row
            results.append((kind, dtype, shape, dense(shape, value), *rest))
        return [*rows[:-1], ("out", rows[-1][1], tuple(results))]

    def _eager(self, rows: list[tuple[Any, ...]], inputs: list[Value]) -> Callable[..., Any]:
        def run(*host: Any) -> Any:
            tensors = [enter(item, value) for item, value in zip(host, inputs, strict=True)]
            outputs = wire.evaluate(rows, *tensors)
            left = tuple(_leave(tensor, value) for tensor, value in zip(outputs, self.results, strict=True))
            return left[0] if len(left) == 1 else left

        return run


def _shapes(rows: list[tuple[Any, ...]]) -> list[tuple[int, ...]]:
    """Return the shapes of the results of a segment's rows."""
    with adapter.fake_mode(), torch.no_grad():
        inputs = [fitting.empty(value, value.strides, value.device) for value in wire.inputs_of(rows)]
        return [tuple(result.shape) for result in wire.evaluate(rows, *inputs)]


def differ_in_sizes_only(one: Segment, other: Segment) -> bool:
    """Return True if two segments differ only in lengths and numbers, which `AnySize` can replace."""

    def without(number: int, kind: str) -> Any:
        return number if kind == sizes.ARGUMENT and not isinstance(number, wire.Sized) else kind

    rows = [wire.rows_of(segment.graph, marked=True) for segment in (one, other)]
    return wire.pack(sizes.visited(rows[0], without)) == wire.pack(sizes.visited(rows[1], without))


def _input_now(known: Value, item: Any) -> Value:
    """Return an input with its present shape and strides.

    Raises Unfit where it differs from the recorded one in more than its lengths.
    """
    if known.kind != "array":
        return known
    strides = tuple(stride // max(item.itemsize, 1) for stride in item.strides)
    if item.ndim != len(known.shape) or any(stride < 0 for stride in strides):
        raise fitting.Unfit("an input lies in another way")
    return replace(known, shape=item.shape, strides=strides)


def _leave(tensor: torch.Tensor, value: Value) -> Any:
    """Return a result as a host value, laid out as the recorded result was."""
    if tensor.dim() != len(value.shape):
        raise fitting.Unfit("an op gave another number of axes than NumPy")
    shape = tuple(tensor.shape)
    return leave(tensor, replace(value, shape=shape, strides=dense(shape, value)))
