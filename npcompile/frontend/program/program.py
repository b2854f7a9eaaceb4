"""The residual program: what a function did, decided and in order, as a torch.fx graph that prints as
Python."""

from __future__ import annotations

import types
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from torch import fx

from npcompile.frontend.catalog.purity import OPERATORS, TOTAL, UFUNCS
from npcompile.frontend.catalog.python_operators import UNARY
from npcompile.frontend.ops.table import Op
from npcompile.frontend.program.array_facts import ARRAYS_OF
from npcompile.frontend.program.guards import Guard
from npcompile.frontend.program.object_steps import Build, Store, class_attribute
from npcompile.lower.plan.attributes import attributes, source_place, step_of, value_of
from npcompile.lower.plan.graph import write
from npcompile.lower.plan.values import Value


class Diverged(BaseException):
    """A replay came to a point that was recorded otherwise; nothing has been changed yet."""


@dataclass(frozen=True, eq=False)
class Read:
    """A value outside that the function read: evaluated again at replay.

    how: "global" (of a function's module), "cell" (of a closure), "attribute" or "item" (of another node's
    value), "tensor", "mapped" (the array on the memory of a torch tensor, of a memmap), "defaults",
    "kwdefaults" (of a function), "class" (an attribute of one), "static" (what a class holds under a name),
    "has" (whether a class or module has an attribute), "subclass" (whether a class counts as one of another).
    """

    how: str
    name: Any
    holder: Any = None  # the globals dict, the cell, the function
    __name__ = "read"

    def __call__(self, base: Any = None) -> Any:
        if self.how == "global":
            return self.holder[self.name]
        if self.how == "cell":
            return self.holder.cell_contents
        if self.how in ("defaults", "kwdefaults"):
            return getattr(self.holder, f"__{self.how}__")
        if self.how == "class":
            return getattr(self.holder, self.name)
        if self.how == "static":
            return class_attribute(self.holder, self.name)
        if self.how == "has":
            return hasattr(self.holder, self.name)
        if self.how == "subclass":
            return issubclass(self.name, self.holder)
        if self.how == "attribute":
            return getattr(base, self.name)
        if self.how in ARRAYS_OF:
            return ARRAYS_OF[self.how][0](base)
        return base[self.name]

    def text(self, base: str) -> str:
        if self.how in ("global", "cell"):
            return str(self.name)
        if self.how in ("defaults", "kwdefaults"):
            return f"{self.name}.__{self.how}__"
        if self.how in ("class", "static"):
            return f"{self.holder.__name__}.{self.name}"
        if self.how == "has":
            return f"hasattr({self.holder.__name__}, {self.name!r})"
        if self.how == "subclass":
            return f"issubclass({self.name.__name__}, {self.holder.__name__})"
        if self.how in ARRAYS_OF:
            return f"{base}.{ARRAYS_OF[self.how][1]}"
        return f"{base}.{self.name}" if self.how == "attribute" else f"{base}[{self.name!r}]"


@dataclass(frozen=True)
class Length:
    """The length of an array's axis, where a program is to do for other lengths."""

    axis: int
    __name__ = "length"

    def __call__(self, array: Any) -> int:
        length: int = array.shape[self.axis]
        return length


@dataclass(frozen=True, eq=False)
class Call:
    """An opaque call: of a function, or of a method of its first argument."""

    name: str
    function: Callable[..., Any] | None = None  # None: the method `name` of the first argument
    __name__ = "call"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.function is not None:
            return self.function(*args, **kwargs)
        return getattr(args[0], self.name)(*args[1:], **kwargs)


@dataclass
class Structure:
    """How the returned value is built of nodes: kind "leaf", "const", or a container type with its parts."""

    kind: Any
    parts: list[Any] = field(default_factory=list)

    def text(self, names: Callable[[Any], str]) -> str:
        if self.kind in ("leaf", "const"):
            return names(self.parts[0])
        if self.kind is dict:
            return "{" + ", ".join(f"{names(key)}: {part.text(names)}" for key, part in self.parts) + "}"
        inner = ", ".join(part.text(names) for part in self.parts)
        if self.kind is tuple:
            return f"({inner},)" if len(self.parts) == 1 else f"({inner})"
        return f"[{inner}]"

    def leaves(self) -> Iterable[fx.Node]:
        if self.kind == "leaf":
            yield self.parts[0]
        elif self.kind is dict:
            for key, part in self.parts:
                yield from (key, *part.leaves()) if isinstance(key, fx.Node) else part.leaves()
        elif self.kind != "const":
            for part in self.parts:
                yield from part.leaves()


@dataclass
class Program:
    """One recorded run of a function, decided: valid for one signature and while its guards hold."""

    name: str
    graph: fx.Graph
    inputs: list[fx.Node]  # placeholders, one a leaf of the arguments
    result: Structure
    filename: str = ""
    device: str | None = None  # where its arrays lie, if they are device arrays
    literals: Sequence[tuple[Any, ...]] = ()  # tuples that are one object at each call
    trips: tuple[int, ...] = ()  # of the function's own loops
    # Names that are Python's own as long as a module has none like it: (the module's names, the name).
    builtins: tuple[tuple[dict[str, Any], str], ...] = ()
    classes: tuple[tuple[type, str, Any], ...] = ()  # what classes hold under names (`...`: nothing)
    # Functions that it went into, and their code: that may be replaced while they stay (on reloading).
    functions: tuple[tuple[types.FunctionType, types.CodeType], ...] = ()
    line: int | None = None  # where the function begins
    own: int = 0  # inputs before the arguments: the function itself, where it answers for others of its code

    def around(self) -> tuple[Any, ...]:
        """The functions, builtins and classes, to be compared."""
        held = {(id(kind), name, id(held)) for kind, name, held in self.classes}
        return self.functions, tuple((id(space), name) for space, name in self.builtins), held

    def __str__(self) -> str:
        return print_program(self)


def drop_unused(graph: fx.Graph, may_fail: Container[fx.Node]) -> None:
    """Steps without use or effect go, but for these: whether they fail is to be seen at each call."""
    for node in reversed(list(graph.nodes)):
        droppable = step_of(node) in ("op", "view", "number", "part", "library")
        droppable |= isinstance(node.target, Build) and node.target.needless
        checked = getattr(node.target, "checked", False) and not attributes(node).unchecked
        checked |= step_of(node) == "number" and not (node.target in TOTAL or isinstance(node.target, Length))
        # An index that a step gave may be out of bounds, whether or not anything uses what it leads to.
        checked |= (step_of(node) == "view" and len(node.all_input_nodes) > 1) or node in may_fail
        if node.op == "call_function" and droppable and not checked and not node.users:
            graph.erase_node(node)
        elif (
            (known := attributes(node)).incidental
            and not known.inspected
            and all(isinstance(user.target, Guard) and user.target.only_of_kind for user in node.users)
        ):
            for user in list(node.users):  # data that nothing was done with
                graph.erase_node(user)
            graph.erase_node(node)


# How operators print.
_INFIX = {id(ufunc): symbol for symbol, ufunc in UFUNCS.items()}


def literal(value: Any, names: Callable[[fx.Node], str]) -> str:
    """A node's argument as Python text."""
    if isinstance(value, fx.Node):
        return names(value)
    if isinstance(value, slice):
        parts = [literal(part, names) if part is not None else "" for part in (value.start, value.stop)]
        text = ":".join(parts)
        return text if value.step is None else f"{text}:{literal(value.step, names)}"
    if isinstance(value, tuple):
        inner = ", ".join(literal(item, names) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, list):
        return "[" + ", ".join(literal(item, names) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {literal(item, names)}" for key, item in value.items()) + "}"
    if value is Ellipsis:
        return "..."
    if isinstance(value, np.dtype):
        return f"np.{value.name}" if value.isbuiltin else repr(value)
    if isinstance(value, type) and issubclass(value, np.generic):
        return f"np.{value.__name__}"
    if isinstance(value, types.BuiltinFunctionType | type):
        return value.__name__
    return repr(value)


def index_text(index: Any, names: Callable[[fx.Node], str]) -> str:
    """The inside of the brackets of `a[index]`."""
    if isinstance(index, tuple) and index:
        text = ", ".join(":" if item == slice(None) else literal(item, names) for item in index)
        return text + "," if len(index) == 1 else text
    if isinstance(index, slice) and index == slice(None):
        return ":"
    return literal(index, names)


def step_text(node: fx.Node, names: Callable[[fx.Node], str]) -> str:
    """A node's step as a Python statement."""
    if isinstance(node.target, Store):
        obj, value = (literal(arg, names) for arg in node.args)
        return node.target.text(obj, value)
    return f"{names(node)} = {call_text(node, names)}"


def infix(symbol: str, node: fx.Node, names: Callable[[fx.Node], str]) -> str:
    """Two operands with an operator between them."""
    one, other = (literal(arg, names) for arg in node.args)
    return f"({one}) {symbol} {other}" if one.startswith("-") else f"{one} {symbol} {other}"


def call_text(node: fx.Node, names: Callable[[fx.Node], str]) -> str:
    """A node's step as a Python expression."""
    target: Any = node.target
    if isinstance(target, Read):
        return target.text(names(node.args[0]) if node.args else "")  # type: ignore[arg-type]
    if isinstance(target, Length):
        return f"{names(node.args[0])}.shape[{target.axis}]"  # type: ignore[arg-type]
    if isinstance(target, Op):
        name = target.name.replace("numpy.", "np.", 1)
        if target.function is np.ndarray.__getitem__:
            return f"{names(node.args[0])}[{index_text(node.args[1], names)}]"  # type: ignore[arg-type]
        if id(target.function) in _INFIX and len(node.args) == 2 and not node.kwargs:
            return infix(_INFIX[id(target.function)], node, names)
        if getattr(target.function, "__objclass__", None) is np.ndarray:
            name = target.function.__name__
            own = names(node.args[0])  # type: ignore[arg-type]
            if isinstance(target.function, types.GetSetDescriptorType):
                return f"{own}.{name}"
            rest = [literal(arg, names) for arg in node.args[1:]]
            rest += [f"{key}={literal(arg, names)}" for key, arg in node.kwargs.items()]
            return f"{own}.{name}({', '.join(rest)})"
    elif isinstance(target, Call):
        name = target.name
        if target.function is None:
            rest = [literal(arg, names) for arg in node.args[1:]]
            rest += [f"{key}={literal(arg, names)}" for key, arg in node.kwargs.items()]
            return f"{names(node.args[0])}.{name}({', '.join(rest)})"  # type: ignore[arg-type]
    elif target in UNARY.values() and len(node.args) == 1:
        symbol = next(symbol for symbol, function in UNARY.items() if function is target)
        return f"{symbol}{literal(node.args[0], names)}"
    elif target in OPERATORS.values() and len(node.args) == 2:
        symbol = next(symbol for symbol, function in OPERATORS.items() if function is target)
        return infix(symbol, node, names)
    else:
        module = getattr(target, "__module__", None)
        ours = module is not None and module.startswith("npcompile.")
        prefix = "" if ours or module in (None, "builtins") else f"{'np' if module == 'numpy' else module}."
        name = prefix + getattr(target, "__name__", repr(target))
    parts = [literal(arg, names) for arg in node.args]
    parts += [f"{key}={literal(arg, names)}" for key, arg in node.kwargs.items()]
    return f"{name}({', '.join(parts)})"


def type_text(value: Value) -> str:
    """`float64[3, 4]` for arrays, `float64` for NumPy scalars, `float` for Python numbers."""
    if value.kind == "array":
        return f"{str(value.dtype or 'array').removeprefix('torch.')}{list(value.shape)}"
    return str(value.dtype).removeprefix("torch.") if value.kind == "scalar" else value.kind


def guard_text(node: fx.Node, names: Callable[[fx.Node], str]) -> str:
    """A guard as a Python condition."""
    guard: Any = node.target
    value, *others = (literal(arg, names) for arg in node.args)
    return str(guard.words(value, others[0] if others else ""))


def print_program(program: Program) -> str:
    """The residual program as readable Python, each line with its type and the user's own line number."""

    def names(node: fx.Node) -> str:
        return node.name

    lines = [f"def {program.name}({', '.join(node.name for node in program.inputs)}):"]
    rows: list[tuple[str, str]] = []
    for node in program.graph.nodes:
        if node.op != "call_function":
            continue
        target: Any = node.target
        if isinstance(target, Read) and target.how in ("global", "cell") and value_of(node).kind == "object":
            continue  # its guard says what it is
        where = source_place(node).line
        note = f"line {where}" if where else ""
        step = step_of(node)
        if node.target is write:
            dst, value = node.args
            text = f"{literal(dst, names)}[...] = {literal(value, names)}"
        elif step == "guard":
            text = f"guard({guard_text(node, names)})"
        else:
            text = step_text(node, names)
            note = f"{type_text(value_of(node))}  {step}  {note}".rstrip()
        rows.append((text, note))
    rows.append((f"return {program.result.text(lambda part: literal(part, names))}", ""))
    width = min(60, max(len(text) for text, _ in rows))
    lines += [f"    {text:<{width}}  # {note}".rstrip() if note else f"    {text}" for text, note in rows]
    return "\n".join(lines)
