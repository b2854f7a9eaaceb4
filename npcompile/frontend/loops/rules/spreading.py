"""Writes out the tuples of calls such as `f(*p)`, whose lengths types tell, for the rule of calls."""

from __future__ import annotations

import ast

from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.splitting import Split
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Tuple


def spread(inference: Inference, node: ast.Call) -> Split:
    """Return what replaces a call with tuples among its arguments by one with their items. Raises Outside."""
    args: list[ast.expr] = []
    kept: list[tuple[str, ir.Expression]] = []
    for arg in node.args:
        if not isinstance(arg, ast.Starred):
            args.append(arg)
            continue
        value = inference.value(arg.value)
        if not isinstance(value.type, Tuple):
            raise Outside(f"the items of {value.type} as arguments")
        name = inference.continued.name(arg.value)
        kept.append((name.id, value))
        for place in range(len(value.type.items)):
            item = ast.Subscript(name, ast.Constant(place), ast.Load())
            args.append(ast.copy_location(item, arg))
            ast.copy_location(item.slice, arg)
    made = ast.copy_location(ast.Call(node.func, args, node.keywords), node)
    return Split(node, ir.truth(True), (made, made), tuple(kept))
