"""Chunk kernels: what Dask computes of one chunk, written as one function, which is jitted.

Dask puts a function into its graph for each operation. Those of a run of operations are the steps of a
kernel. A step that has no text is none of a kernel's: `text_of` tells.
"""

from __future__ import annotations

import ast
import functools
import math
import operator
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from npcompile.frontend.rewrite.source import given

MAX_KNOWN = 128  # kernels that came to this process by value and are kept, those that came last
_NUMBERS = "biufc"
_INFIX: dict[Any, str] = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    operator.truediv: "/",
    operator.floordiv: "//",
    operator.mod: "%",
    operator.pow: "**",
    operator.and_: "&",
    operator.or_: "|",
    operator.xor: "^",
    operator.lshift: "<<",
    operator.rshift: ">>",
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.eq: "==",
    operator.ne: "!=",
}
_PREFIX: dict[Any, str] = {operator.neg: "-", operator.invert: "~"}
_REDUCTIONS: dict[Any, str] = {
    np.sum: "sum",
    np.prod: "prod",
    np.min: "min",
    np.max: "max",
    np.any: "any",
    np.all: "all",
}
_lock = threading.Lock()
_known: OrderedDict[Any, Any] = OrderedDict()


@dataclass(frozen=True)
class Text:
    """One step as Python text, with `{}` for each of its operands."""

    form: str
    reduces: bool = False
    # The reduction is a mean, of which Dask hands on the sum and the count: their dtype.
    mean: np.dtype[Any] | None = None


@dataclass(frozen=True)
class Step:
    """One operation: Dask's function for a chunk, and which values before it are its operands."""

    function: Callable[..., Any]
    operands: tuple[int, ...]
    named: dict[str, Any]
    text: Text


def text_of(function: Any, operands: int, named: dict[str, Any]) -> Text | None:
    """Return the text of an operation on chunks, or None where it is no elementwise one, and no reduction."""
    if isinstance(function, functools.partial):
        if function.args or not named.keys().isdisjoint(function.keywords):
            return None
        function, named = function.func, {**function.keywords, **named}
    try:
        if (reduction := _reduction(function, operands, named)) is not None:
            return reduction
        form = _elementwise(function, operands, named)
    except (TypeError, AttributeError, KeyError):  # it has no hash, or Dask has other functions by now
        return None
    return None if form is None else Text(form)


def _elementwise(function: Any, operands: int, named: dict[str, Any]) -> str | None:
    if function is _of("dask.array.core", "_enforce_dtype"):
        inner = _elementwise(named["enforce_dtype_function"], operands, {})
        cast = _dtype_text(named["enforce_dtype"])
        plain = named.keys() == {"enforce_dtype", "enforce_dtype_function"}
        return None if inner is None or cast is None or not plain else f"({inner}).astype({cast}, copy=False)"
    if function is _of("dask.array.chunk", "astype"):
        cast = _dtype_text(named["astype_dtype"])
        return None if cast is None or len(named) > 1 or operands != 1 else f"{{}}.astype({cast})"
    if named:
        return None
    if isinstance(function, np.ufunc):
        usual = getattr(np, function.__name__, None) is function
        simple = function.nout == 1 and function.nin == operands and function.signature is None
        return f"np.{function.__name__}({_holes(operands)})" if usual and simple else None
    if function in _INFIX and operands == 2:
        return f"{{}} {_INFIX[function]} {{}}"
    if function in _PREFIX and operands == 1:
        return f"{_PREFIX[function]}{{}}"
    if function is operator.abs and operands == 1:
        return "abs({})"
    if function in (np.where, np.clip) and operands == 3:
        return f"np.{function.__name__}({_holes(3)})"
    return None


def _reduction(function: Any, operands: int, named: dict[str, Any]) -> Text | None:
    mean = function is _of("dask.array.reductions", "mean_chunk")
    if function is _of("dask.array.reductions", "chunk_min"):
        function = np.min
    elif function is _of("dask.array.reductions", "chunk_max"):
        function = np.max
    elif mean:
        function = np.sum
    if function not in _REDUCTIONS or operands != 1:
        return None
    axis = named.get("axis")
    usual = type(axis) is tuple and all(type(one) is int for one in axis) and named.get("keepdims") is True
    if not usual or not named.keys() <= {"axis", "keepdims", "dtype"} or (mean and "dtype" not in named):
        return None
    form = f"np.{_REDUCTIONS[function]}({{}}, axis={axis!r}, keepdims=True"
    if "dtype" in named:
        dtype = _dtype_text(named["dtype"])
        if dtype is None:
            return None
        form += f", dtype={dtype}"
    return Text(form + ")", reduces=True, mean=np.dtype(named["dtype"]) if mean else None)


def _holes(count: int) -> str:
    return ", ".join(["{}"] * count)


def _of(module: str, name: str) -> Any:
    """Return a function of Dask's. None stands for one that this version of Dask does not have."""
    return getattr(sys.modules[module], name, _of) if module in sys.modules else _of


def _dtype_text(given_dtype: Any) -> str | None:
    dtype = np.dtype(given_dtype)
    usual = dtype.kind in _NUMBERS and dtype.isnative and getattr(np, dtype.name, None) is dtype.type
    return f"np.{dtype.name}" if usual else None


class ChunkKernel:
    """The work on one chunk: a jitted function of the chunks of several arrays, and of numbers.

    The values are the operands of the call, and the results of the steps after them.
    """

    def __init__(
        self,
        name: str,
        inputs: int,
        steps: Sequence[Step],
        exits: Sequence[int],
        kind: Callable[..., Any],
    ) -> None:
        """kind: the class of jitted functions."""
        self._made = name, inputs, tuple(steps), tuple(exits), kind
        self.inputs, self.steps, self.exits = inputs, steps, exits
        self.jitted = kind(_function(name, self.text), False, False, None, False)

    @property
    def text(self) -> str:
        """The kernel as the body of a Python function."""
        return text_of_kernel(self.inputs, self.steps, self.exits)

    def __reduce__(self) -> Any:
        return _arrived, self._made

    def __call__(self, *operands: Any) -> Any:
        if not all(map(_is_number_or_array, operands)):
            return self._by_steps(operands)
        results = self.jitted(*operands)
        results = results if len(self.exits) > 1 else (results,)
        results = tuple(
            self._handed_on(at, result, operands) for at, result in zip(self.exits, results, strict=True)
        )
        return results if len(results) > 1 else results[0]

    def _handed_on(self, at: int, result: Any, operands: tuple[Any, ...]) -> Any:
        """Return the result of a step as Dask's next function takes it."""
        step = self.steps[at - self.inputs] if at >= self.inputs else None
        if step is None or step.text.mean is None:
            return result
        shapes = [np.shape(operands[place]) for place in self._read(step.operands[0])]
        count = math.prod(np.broadcast_shapes(*shapes)) // result.size
        return {"n": np.full(result.shape, count, step.text.mean), "total": result}

    def _read(self, at: int) -> set[int]:
        """Return which operands of the call a value is computed of."""
        if at < self.inputs:
            return {at}
        return set().union(*map(self._read, self.steps[at - self.inputs].operands))

    def _by_steps(self, operands: tuple[Any, ...]) -> Any:
        """Do what Dask does, step by step: for chunks without elements, and for those of other classes."""
        values = list(operands)
        for step in self.steps:
            values.append(step.function(*(values[at] for at in step.operands), **step.named))
        results = tuple(values[at] for at in self.exits)
        return results if len(results) > 1 else results[0]


def text_of_kernel(inputs: int, steps: Sequence[Step], exits: Sequence[int]) -> str:
    """Return what a kernel computes as the body of a Python function."""
    lines = [
        f"v{number} = {step.text.form.format(*(f'v{at}' for at in step.operands))}"
        for number, step in enumerate(steps, inputs)
    ]
    lines.append("return " + ", ".join(f"v{at}" for at in exits))
    names = ", ".join(f"v{at}" for at in range(inputs))
    return f"({names}):\n" + "".join(f"    {line}\n" for line in lines)


def _is_number_or_array(operand: Any) -> bool:
    kind = type(operand)
    if kind is np.ndarray or isinstance(operand, np.generic):
        return operand.dtype.kind in _NUMBERS and operand.size > 0
    return kind in (int, float, complex, bool)


def _function(name: str, text: str) -> Any:
    source = f"def {name}{text}"
    tree = ast.parse(source)
    space: dict[str, Any] = {"np": np, "__name__": __name__}
    exec(compile(tree, f"<chunks of {name}>", "exec"), space)
    made = space[name]
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.FunctionDef)
    given(made.__code__, node, frozenset())
    return made


def _arrived(
    name: str, inputs: int, steps: tuple[Step, ...], exits: tuple[int, ...], kind: Callable[..., Any]
) -> ChunkKernel:
    """Return the kernel that came to this process by value: the one of an earlier arrival of the same."""
    key = name, text_of_kernel(inputs, steps, exits), tuple(step.text.mean for step in steps)
    with _lock:
        if key not in _known:
            _known[key] = ChunkKernel(name, inputs, steps, exits, kind)
            if len(_known) > MAX_KNOWN:
                _known.popitem(last=False)
        _known.move_to_end(key)
        known: ChunkKernel = _known[key]
    return known
