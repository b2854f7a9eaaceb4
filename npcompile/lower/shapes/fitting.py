"""Fits a library that was compiled for any sizes to the sizes of one segment. Imports no Inductor.

`service/compiler.py` calls `fit` when it loads a library. The text of `npc_run` is written anew for these
sizes and must be equal to the compiled one, word for word: then only the numbers in its table differ.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import torch

from npcompile.lower.codegen import cpp, streaming, wrapper
from npcompile.lower.codegen.complexes import CodeSignature
from npcompile.lower.codegen.outputs import Orders, demanded_of, general, in_output_axes, undo_order
from npcompile.lower.codegen.parsing import parse
from npcompile.lower.native.kernel import NUMBERS
from npcompile.lower.plan.graph import regular
from npcompile.lower.plan.values import Value

_BUILTINS: dict[str, Any] = {"__builtins__": {}, "max": max, "min": min}


class Unfit(Exception):
    """The library does not serve these sizes; the text says why."""


class Pending(Unfit):
    """The kernel for these sizes is still being compiled, by `job`."""

    def __init__(self, job: Any) -> None:
        super().__init__("its kernel is still being compiled")
        self.job = job


def fit(
    metadata: dict[str, Any], values: tuple[int, ...], inputs: list[Value], outputs: list[Value]
) -> dict[str, Any]:
    """Return the library's metadata for one segment, in which the parameters have these values. Raises
    Unfit."""
    sized = metadata["sized"]
    known = dict(zip(sized["names"], values, strict=True))
    for condition in sized["conditions"]:
        if not _evaluate(condition, known):
            raise Unfit(f"not {condition} where {known}")
    wanted = shapes(sized, values)
    for value, shape in zip(outputs, wanted, strict=True):
        if shape != tuple(value.shape):
            raise Unfit(f"a result would be {shape} where NumPy gave {value.shape}")
    form = CodeSignature([replace(v, strides=regular(v)) for v in inputs], outputs, metadata["parts"])
    inputs, outputs = form.inputs, form.outputs
    regulars = [value.strides for value in inputs]
    for value, strides, texts in zip(inputs, regulars, sized["strides"], strict=True):
        needed = tuple(_evaluate(text, known) for text in texts)
        if 0 not in value.shape and needed != strides:
            raise Unfit(f"strides {strides}, not {needed}")
    orders = form.orders(orders_of(sized))
    tensors = [empty(value, strides, "meta") for value, strides in zip(inputs, regulars, strict=True)]
    kernels = {name: wrapper.Kernel(name, types, "") for name, types in sized["kernels"]}
    (function,) = parse(sized["function"]).body
    assert isinstance(function, ast.FunctionDef)
    program = wrapper.read_call(function, kernels, tensors, {}, values, form.places)
    in_output_axes(program, orders)
    demanded = [demanded_of(value) for value in outputs]
    size = sum(wrapper.numel(value.shape) for value in (*inputs, *outputs))
    cost = metadata["cost"] * size / max(sized["elements"], 1)
    fitted = {
        **metadata,
        "cost": cost,
        "values": values,
        "bytes_written": cpp.bytes_written(program, demanded),
    }
    if metadata["form"] != "native":
        if general(program, demanded, orders) != metadata["general"]:
            raise Unfit("other memory is allocated")
        return fitted
    numbers = cpp.SizeText(in_table=True)
    entry, scratch = cpp.entry_of(program, demanded, numbers, streaming.FENCE if sized["streamed"] else "")
    if entry != sized["entry"]:
        raise Unfit("the kernels are called in another way")
    threads = cpp.allowed_threads(cost, metadata["threads"], metadata["fixed"])
    return {**fitted, "scratch": scratch, "table": (threads, *numbers.table), "threads": threads}


def shapes(sized: dict[str, Any], values: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the shapes of the segment's results for these values of the parameters."""
    known = dict(zip(sized["names"], values, strict=True))
    traced = [tuple(_evaluate(text, known) for text in texts) for texts in sized["shapes"]]
    return [undo_order(shape, order) for shape, order in zip(traced, orders_of(sized), strict=True)]


def orders_of(sized: dict[str, Any]) -> Orders:
    return [None if order is None else tuple(order) for order in sized["orders"]]


def _evaluate(text: str, known: dict[str, int]) -> Any:
    return eval(text, _BUILTINS, known)


def empty(value: Value, strides: tuple[int, ...], device: str) -> torch.Tensor:
    """Return an uninitialised tensor as the segment's graph sees the input."""
    dtype = NUMBERS.get(value.kind, value.dtype)
    return torch.empty_strided(value.shape, strides, dtype=dtype, device=device)
