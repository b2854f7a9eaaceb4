"""The residual program: the steps that one call of a function took, in order, with its decisions made.

A recording makes programs, passes change them, and planning and replaying read them. A program is valid for
one signature, and as long as its guards hold. `print(program)` shows it as Python.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import fx

from npcompile.frontend.program.printing import (
    guard_text,
    is_named_by_guard,
    literal,
    marks_of,
    step_text,
    type_text,
)
from npcompile.frontend.program.structure import Structure
from npcompile.lower.plan.attributes import source_place, step_of, value_of
from npcompile.lower.plan.graph import write


@dataclass
class Program:
    """One recorded run of a function, decided: valid for one signature and while its guards hold.

    `print` shows it as Python, a step a line; the programs of a jitted function are in its `programs`.

    Attributes
    ----------
    name : str
        The function's name.
    graph : torch.fx.Graph
        The steps.
    inputs : list of torch.fx.Node
        Placeholders, one for each leaf of the arguments.
    result : Structure
        What is handed out, and how it is nested.
    filename : str
        The function's file.
    device : str or None
        Where its arrays lie, if they are device arrays.
    literals : sequence of tuple
        Tuples that are one object at each call.
    trips : tuple of int
        The trips of the function's own loops.
    builtins : tuple of (dict, str)
        Names that are Python's own as long as a module has none like it: the module's names, and the name.
    classes : tuple of (type, str, object)
        Attributes of classes: class, name and value (`...`: there is none).
    functions : tuple of (function, code)
        Functions that it went into, and their code: that may be replaced while they stay (on reloading).
    line : int or None
        The line at which the function begins.
    own : int
        Inputs before the arguments: the function itself, where it answers for others of its code.
    shape_generic : bool
        It is valid for other lengths of its arrays, as far as its guards hold.
    host_calls : int
        Steps that are calls of NumPy.
    """

    name: str
    graph: fx.Graph
    inputs: list[fx.Node]
    result: Structure
    filename: str = ""
    device: str | None = None
    literals: Sequence[tuple[Any, ...]] = ()
    trips: tuple[int, ...] = ()
    builtins: tuple[tuple[dict[str, Any], str], ...] = ()
    classes: tuple[tuple[type, str, Any], ...] = ()
    functions: tuple[tuple[types.FunctionType, types.CodeType], ...] = ()
    line: int | None = None
    own: int = 0
    shape_generic: bool = False
    host_calls: int = 0

    def around(self) -> tuple[Any, ...]:
        """The functions, builtins and classes, to be compared."""
        held = {(id(kind), name, id(held)) for kind, name, held in self.classes}
        return self.functions, tuple((id(space), name) for space, name in self.builtins), held

    def __str__(self) -> str:
        """Return the program as readable Python."""
        return self.text()

    def text(self, marks: bool = False) -> str:
        """Return the program as readable Python, each line with its type and the user's own line number.

        marks: with what passes have noted of each step, too.
        """
        lines = [f"def {self.name}({', '.join(node.name for node in self.inputs)}):"]
        rows: list[tuple[str, str]] = []
        for node in self.graph.nodes:
            if node.op != "call_function" or is_named_by_guard(node):
                continue
            where = source_place(node).line
            note = f"line {where}" if where else ""
            step = step_of(node)
            if node.target is write:
                dst, value = node.args
                text = f"{literal(dst)}[...] = {literal(value)}"
            elif step == "guard":
                text = f"guard({guard_text(node)})"
            else:
                text = step_text(node)
                note = f"{type_text(value_of(node))}  {step}  {note}".rstrip()
            if marks:
                note = "  ".join((note, *marks_of(node))).lstrip()
            rows.append((text, note))
        rows.append((f"return {self.result.text(literal)}", ""))
        width = min(60, max(len(text) for text, _ in rows))
        lines += [f"    {text:<{width}}  # {note}".rstrip() if note else f"    {text}" for text, note in rows]
        return "\n".join(lines)
