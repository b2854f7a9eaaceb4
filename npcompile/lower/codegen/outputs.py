"""Layouts of a segment's outputs: Inductor orders the axes in memory as it likes, and NumPy by its own rules.

The segment's body returns each output with its axes permuted (`Orders`); these functions undo the
permutation.
"""

from __future__ import annotations

import ast

from npcompile.lower.codegen import cpp, wrapper
from npcompile.lower.plan.values import Value

Orders = list[tuple[int, ...] | None]  # for each output the order of its axes in memory, None: the body's own


def demanded_of(value: Value) -> cpp.OutputLayout:
    """Return the layout that a recorded value has, which the compiled output must have too."""
    assert value.dtype is not None
    return cpp.OutputLayout(value.shape, value.strides, value.dtype.itemsize)


def undo_order(items: tuple[int, ...], order: tuple[int, ...] | None) -> tuple[int, ...]:
    """Permute a shape, or strides, from the order of the axes in memory back to the output's own axes."""
    if order is None:
        return items
    result = [0] * len(items)
    for place, axis in enumerate(order):
        result[axis] = items[place]
    return tuple(result)


def dense(shape: tuple[int, ...], like: Value) -> tuple[int, ...]:
    """Return the strides of an array of this shape without gaps, its axes in memory in the order of
    `like`'s."""
    axes = sorted(range(len(shape)), key=lambda axis: (-like.strides[axis], -like.shape[axis], axis))
    strides = [0] * len(shape)
    step = 1
    for axis in reversed(axes):
        strides[axis] = step
        step *= max(shape[axis], 1)
    return tuple(strides)


def in_output_axes(program: wrapper.Program, orders: Orders) -> None:
    """Permute the views that a program returns to the outputs' own axes, in place."""
    for place, (view, order) in enumerate(zip(program.returned, orders, strict=True)):
        if view is not None:
            shape, strides = undo_order(view.shape, order), undo_order(view.strides, order)
            program.returned[place] = view._replace(shape=shape, strides=strides)


def general(program: wrapper.Program, outs: list[cpp.OutputLayout], orders: Orders) -> str:
    """Return the text of `run(inputs, outputs)`: the wrapper's own statements on torch tensors.

    An output that can have memory of its own is `outputs[i]` from the start; any other is copied there at the
    end.
    """
    assert program.general is not None
    own = cpp.output_memories(program, outs)
    lines = []
    for number, statement in enumerate(program.general.body):
        match statement:
            case ast.Assign(targets=[ast.Tuple()], value=ast.Name(id="args")):
                lines.append(f"{ast.unparse(statement.targets[0])} = inputs")
            case ast.Expr(value=ast.Call(func=func)) if ast.unparse(func) == "args.clear":
                pass
            case ast.Assign(targets=[name], value=ast.Call(args=[shape, strides, _])) if (
                program.allocated.get(number) in own
            ):
                # The wrapper may use this memory for something of another shape before it is the output's.
                place, form = own[program.allocated[number]], f"{ast.unparse(shape)}, {ast.unparse(strides)}"
                lines.append(f"{ast.unparse(name)} = reinterpret_tensor(outputs[{place}], {form}, 0)")
            case ast.Return(value=ast.Tuple(elts=values)):
                for place, value in enumerate(values):
                    if place not in own.values():
                        lines.append(f"outputs[{place}]{_permute(orders[place])}.copy_({ast.unparse(value)})")
            case _:
                lines.append(ast.unparse(statement))
    return "def run(inputs, outputs):\n" + "".join(f"    {line}\n" for line in [*lines, "return None"])


def _permute(order: tuple[int, ...] | None) -> str:
    return "" if order is None else f".permute({order})"
