"""Binds the arguments of calls to parameters, for the rules of the loop language."""

from __future__ import annotations

import ast

from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.lower.loops import ir


def bound(node: ast.Call, *parameters: str, by_name: tuple[str, ...] = ()) -> dict[str, ast.expr]:
    """Return the arguments of a call by parameter, `parameters` in their order. Raises Outside for others.

    by_name: parameters that are given as keywords alone.
    """
    if len(node.args) > len(parameters) or any(isinstance(arg, ast.Starred) for arg in node.args):
        raise Outside(f"`{ast.unparse(node.func)}` with these arguments")
    found = dict(zip(parameters, node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg not in (*parameters, *by_name) or keyword.arg in found:
            raise Outside(f"`{ast.unparse(node.func)}` with `{keyword.arg}`")
        found[keyword.arg] = keyword.value
    return found


def required(found: dict[str, ast.expr], name: str) -> ast.expr:
    """Return the argument of a parameter that has no default."""
    if name not in found:
        raise Outside(f"a call without `{name}`")
    return found[name]


def positional(inference: Inference, node: ast.Call, least: int, most: int) -> list[ir.Expression]:
    """Return the values of a call's arguments, all of them positional. Raises Outside for others."""
    starred = any(isinstance(arg, ast.Starred) for arg in node.args)
    if node.keywords or starred or not least <= len(node.args) <= most:
        raise Outside(f"`{ast.unparse(node.func)}` with these arguments")
    return [inference.value(arg) for arg in node.args]
