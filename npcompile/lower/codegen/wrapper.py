"""Reads Inductor's Python wrapper as data: the kernels that it defines and the calls that it makes.

A wrapper that only allocates, renames and calls kernels becomes a `Program` of kernel calls, which `cpp.py`
turns into one C++ function. One that also calls torch operators keeps its function (`general`), which
`outputs.py` rewrites to run on torch tensors. `Unreadable` is raised for anything that this reader does not
know.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import torch

from npcompile.lower import adapter
from npcompile.lower.codegen.parsing import parse

_ARITHMETIC: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


Places = list[tuple[int, int]]  # the input of a segment, and an offset in elements


class Unreadable(Exception):
    """The wrapper holds something that this reader does not know; the text says what."""


class Kernel(NamedTuple):
    name: str
    types: list[str]  # C types of its parameters: "const double*"
    source: str  # C++ of one `extern "C" void kernel(...)`


@dataclass(eq=False)
class Memory:
    """A piece of memory of `nbytes` bytes: the input `index`, or for index -1 one that the wrapper
    allocates."""

    index: int
    nbytes: int
    first: int = 0  # the numbers of the first and the last statement that use it
    last: int = 0
    constant: torch.Tensor | None = None

    @property
    def allocated(self) -> bool:
        return self.index < 0 and self.constant is None


class View(NamedTuple):
    """A tensor of the wrapper: a part of some memory. Offset and strides count elements."""

    memory: Memory
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: torch.dtype

    @property
    def nbytes(self) -> int:
        return numel(self.shape) * self.dtype.itemsize


class Call(NamedTuple):
    kernel: Kernel
    arguments: list[View | int | float | None]  # None: made by a torch operator

    def results(self) -> list[View]:
        """Return the arguments that the kernel may write."""
        pairs = zip(self.arguments, self.kernel.types, strict=True)
        return [a for a, t in pairs if isinstance(a, View) and not t.startswith("const ")]


@dataclass
class Program:
    """The calls of a wrapper. `returned[i]` is None where a value has no known memory (the general form)."""

    kernels: list[Kernel]
    calls: list[Call] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)
    returned: list[View | None] = field(default_factory=list)
    function: ast.FunctionDef | None = None  # the wrapper's function
    general: ast.FunctionDef | None = None  # set if some statement is no kernel call
    allocated: dict[int, Memory] = field(default_factory=dict)  # statement number -> what it allocates


def numel(shape: tuple[int, ...]) -> int:
    total = 1
    for n in shape:
        total *= n
    return total


def extent(shape: tuple[int, ...], strides: tuple[int, ...]) -> int:
    """Return the distance from the first element to past the last one, in elements."""
    if 0 in shape:
        return 0
    return 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))


def read(
    source: str,
    inputs: list[torch.Tensor],
    constants: dict[str, torch.Tensor],
    numbers: tuple[int, ...] = (),
    places: Places | None = None,
) -> Program:
    """Read a wrapper's text.

    inputs: give the shapes, strides and dtypes of the wrapper's arguments, in their order; before them come
    the `numbers` that its sizes are made of. places: for each argument, the input of the segment that it lies
    in, and where.
    """
    tree = parse(source)
    kernels = {k.name: k for k in map(_kernel, tree.body) if k is not None}
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == "call"]
    if len(functions) != 1:
        raise Unreadable(f"{len(functions)} functions are named call")
    return read_call(functions[0], kernels, inputs, constants, numbers, places)


def read_call(
    function: ast.FunctionDef,
    kernels: dict[str, Kernel],
    inputs: list[torch.Tensor],
    constants: dict[str, torch.Tensor],
    numbers: tuple[int, ...],
    places: Places | None = None,
) -> Program:
    """Read the function of a wrapper that calls its kernels."""
    reader = _Reader(kernels, inputs, constants, numbers, places)
    for number, statement in enumerate(function.body):
        reader.number = number
        reader.statement(statement)
    reader.program.function = function
    if reader.has_torch_calls:
        reader.program.general = function
    return reader.program


def _kernel(node: ast.stmt) -> Kernel | None:
    if (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func) == "async_compile.cpp_pybinding"
    ):
        types, source = (ast.literal_eval(a) for a in node.value.args[:2])
        return Kernel(ast.unparse(node.targets[0]), types, source)
    return None


class _Reader:
    """Interprets the statements of a wrapper one by one, and notes kernel calls and memory in `program`."""

    def __init__(
        self,
        kernels: dict[str, Kernel],
        inputs: list[torch.Tensor],
        constants: dict[str, torch.Tensor],
        numbers: tuple[int, ...],
        places: Places | None,
    ) -> None:
        self.kernels = kernels
        self.inputs = inputs
        self.places = places or [(place, 0) for place in range(len(inputs))]
        self.given = numbers
        self.numbers: dict[str, int] = {}
        self.program = Program(list(kernels.values()))
        self.values: dict[str, View | None] = {}  # None: made by a torch operator
        self.number = 0
        self.has_torch_calls = False
        for name, value in constants.items():
            memory = Memory(-1, value.untyped_storage().nbytes(), constant=value)
            self.values[name] = View(memory, int(value.storage_offset()), *metadata(value))

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Name(id="args")):
                self.arguments([ast.unparse(n) for n in names])
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=number)) if number in self.numbers:
                self.numbers[name] = self.numbers[number]
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.values[name] = self.assigned(value)
            case ast.Expr(value=ast.Call(func=ast.Name(id=name), args=args)) if name in self.kernels:
                self.call(self.kernels[name], args)
            case ast.Expr(value=ast.Call() as call):
                if ast.unparse(call.func) != "args.clear":
                    self.outside(call)
            case ast.Delete(targets=targets):
                for target in targets:
                    self.values.pop(ast.unparse(target), None)
            case ast.Return(value=ast.Tuple(elts=values)):
                self.program.returned = [self.view(v) for v in values]
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case _:
                raise Unreadable(f"statement {ast.unparse(node)!r}")

    def arguments(self, names: list[str]) -> None:
        if len(names) != len(self.given) + len(self.inputs):
            raise Unreadable(f"the wrapper takes {len(names)} arguments, the segment {len(self.inputs)}")
        self.numbers = dict(zip(names, self.given, strict=False))
        named = zip(names[len(self.given) :], self.inputs, self.places, strict=True)
        for name, value, (index, offset) in named:
            shape, strides, dtype = metadata(value)
            memory = Memory(index, extent(shape, strides) * dtype.itemsize)
            self.values[name] = View(memory, offset, shape, strides, dtype)

    def assigned(self, node: ast.expr) -> View | None:
        match node:
            case ast.Call(func=ast.Name(id="empty_strided_cpu"), args=[shape, strides, dtype]):
                view = View(
                    Memory(-1, 0, self.number, self.number),
                    0,
                    self.integers(shape),
                    self.integers(strides),
                    _dtype(dtype),
                )
                view.memory.nbytes = extent(view.shape, view.strides) * view.dtype.itemsize
                self.program.memories.append(view.memory)
                self.program.allocated[self.number] = view.memory
                return view
            case ast.Name() | ast.Call(func=ast.Name(id="reinterpret_tensor")):
                return self.view(node)
            case _:
                self.outside(node)
                return None

    def view(self, node: ast.expr) -> View | None:
        match node:
            case ast.Name(id=name) if name in self.values:
                view = self.values[name]
                if view is not None:
                    view.memory.last = self.number
                return view
            case ast.Call(func=ast.Name(id="reinterpret_tensor"), args=[base, shape, strides, offset]):
                view = self.view(base)
                if view is None:
                    return None
                return View(
                    view.memory,
                    view.offset + self.integer(offset),
                    self.integers(shape),
                    self.integers(strides),
                    view.dtype,
                )
            case _:
                self.outside(node)
                return None

    def call(self, kernel: Kernel, nodes: list[ast.expr]) -> None:
        arguments = [self.argument(node) for node in nodes]
        if None in arguments:
            self.has_torch_calls = True
        self.program.calls.append(Call(kernel, arguments))

    def argument(self, node: ast.expr) -> View | int | float | None:
        if isinstance(node, ast.Constant):
            value: int | float = ast.literal_eval(node)
            return value
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        return self.integer(node) if names & self.numbers.keys() else self.view(node)

    def integers(self, node: ast.expr) -> tuple[int, ...]:
        if not isinstance(node, ast.Tuple):
            raise Unreadable(f"{ast.unparse(node)!r} is no shape")
        return tuple(self.integer(item) for item in node.elts)

    def integer(self, node: ast.expr) -> int:
        """Return the value of an expression of whole numbers and the wrapper's own size parameters."""
        match node:
            case ast.Constant(value=int(value)):
                return value
            case ast.Name(id=name) if name in self.numbers:
                return self.numbers[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.integer(operand)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
                return _ARITHMETIC[type(op)](self.integer(left), self.integer(right))
            case ast.Call(func=ast.Name(id="max" | "min" as name), args=items):
                return (max if name == "max" else min)(self.integer(item) for item in items)
            case _:
                raise Unreadable(f"number {ast.unparse(node)!r}")

    def outside(self, node: ast.expr) -> None:
        """Note a call of a torch operator, or a part of its result, if the replay knows all names in it."""
        self.has_torch_calls = True
        known = adapter.replay_names().keys() | self.values.keys() | self.kernels.keys() | self.numbers.keys()
        for part in ast.walk(node):
            if isinstance(part, ast.Name):
                if part.id not in known:
                    raise Unreadable(f"name {part.id!r} in {ast.unparse(node)!r}")
                if (view := self.values.get(part.id)) is not None:
                    view.memory.last = self.number
            if isinstance(part, ast.Attribute) and ast.unparse(part.value) == "extern_kernels":
                if part.attr not in adapter.EXTERN_KERNELS:
                    raise Unreadable(f"library kernel {part.attr!r}")


def metadata(value: torch.Tensor) -> tuple[tuple[int, ...], tuple[int, ...], torch.dtype]:
    return tuple(value.shape), tuple(value.stride()), value.dtype


def _dtype(node: ast.expr) -> torch.dtype:
    dtype = getattr(torch, ast.unparse(node).removeprefix("torch."))
    if not isinstance(dtype, torch.dtype):
        raise Unreadable(f"dtype {ast.unparse(node)!r}")
    return dtype
