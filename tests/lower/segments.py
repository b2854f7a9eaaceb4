"""Segments made of torch functions, for tests of the compiler: no op of ours is involved."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
import torch.fx as fx

from npcompile.lower.plan.attributes import annotate, set_results
from npcompile.lower.plan.values import Value
from npcompile.lower.service.compiler import Job, submit

DTYPES = {
    np.dtype(name): getattr(torch, name)
    for name in (
        *("bool", "int8", "int16", "int32", "int64", "uint8", "float16", "float32", "float64"),
        *("complex64", "complex128"),
    )
}


def value(of: Any) -> Value:
    """What is known of a host value."""
    for kind, type_ in (("bool", bool), ("int", int), ("float", float), ("complex", complex)):
        if type(of) is type_:
            return Value(kind)
    array = np.asarray(of)
    strides = tuple(s // array.itemsize for s in array.strides)
    return Value(
        "array" if isinstance(of, np.ndarray) else "scalar", DTYPES[array.dtype], array.shape, strides
    )


class Builder:
    """Calls on it become nodes: `b(torch.add, x, 1)`."""

    def __init__(self) -> None:
        self.graph = fx.Graph()

    def __call__(self, target: Callable[..., Any], *args: Any, **kwargs: Any) -> fx.Node:
        return self.graph.call_function(target, args, kwargs)

    def item(self, node: fx.Node, index: Any) -> fx.Node:
        return self(operator.getitem, node, index)


def segment(
    body: Callable[..., Sequence[fx.Node]], inputs: Sequence[Any], outputs: Sequence[Any]
) -> fx.Graph:
    """The graph of `body(builder, *nodes)`; inputs and outputs are host values (or Values) to be like."""
    builder = Builder()
    nodes = []
    for place, like in enumerate(inputs):
        node = builder.graph.placeholder(f"x{place}")
        annotate(node, "input", like if isinstance(like, Value) else value(like))
        nodes.append(node)
    results = tuple(body(builder, *nodes))
    set_results(builder.graph, results, [o if isinstance(o, Value) else value(o) for o in outputs])
    return builder.graph


def compiled(
    body: Callable[..., Sequence[fx.Node]], inputs: Sequence[Any], outputs: Sequence[Any], salt: str = ""
) -> Job:
    """Its job, done and with a kernel."""
    job = submit(segment(body, inputs, outputs), salt)
    job.wait()
    assert job.error is None, job.error
    return job


def same(got: Any, want: Any) -> None:
    """Equal in type, dtype, shape, strides and every bit."""
    assert type(got) is type(want)
    assert got.dtype == want.dtype and got.shape == want.shape
    assert got.tobytes() == want.tobytes()
    if isinstance(want, np.ndarray):
        assert got.strides == want.strides
        assert got.flags.owndata and got.base is None
