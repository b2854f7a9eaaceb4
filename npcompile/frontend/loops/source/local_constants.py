"""Puts numbers in the place of a loop's names that stand for one number, as after `prime = 10**9 + 7`.

Native code of `x % prime` then divides by no number that it is given, and needs fewer checks for an overflow.
"""

from __future__ import annotations

import ast
from collections import Counter
from typing import Any, TypeVar

from npcompile.frontend.rewrite.ast_builder import copied, position
from npcompile.frontend.rewrite.kept_trees import own_nodes
from npcompile.frontend.rewrite.scopes import stored_names

_Loop = TypeVar("_Loop", bound=ast.stmt)

# Nodes other than `ast.Name` that bind names.
_BINDING = (
    *(ast.ExceptHandler, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
    *(ast.Import, ast.ImportFrom, ast.pattern),
)
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Pow, ast.LShift)
LARGEST = 1 << 63  # numbers from here on are none of 64 bits


def with_constants(loop: _Loop, function: ast.FunctionDef, own: frozenset[str]) -> _Loop:
    """Return a loop with the numbers in it that statements before it bind to names; the loop itself for none.

    function: the one that the loop is a part of. own: the names that nothing but its statements binds.
    """
    known = _numbers_before(loop, function)
    read = {node.id for node in ast.walk(loop) if isinstance(node, ast.Name)} & own & {*known}
    parameters = {node.arg for node in ast.walk(loop) if isinstance(node, ast.arg)}
    used = {name: known[name] for name in read - parameters} if read else {}
    return _Numbers(used).visit(copied(loop)) if used else loop


def _numbers_before(loop: ast.stmt, function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Return the numbers that statements of a function's body before a loop bind, and nothing else does."""
    found: dict[str, ast.expr] = {}
    for statement in function.body:
        if not _ends_before(statement, loop):
            break
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_number(value):
                found[name] = value
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                for one, value in zip(names, values, strict=False):
                    if isinstance(one, ast.Name) and _is_number(value):
                        found[one.id] = value
    if not found:
        return found
    bound: Counter[str] = Counter()
    for node in own_nodes(function.body):
        if isinstance(node, ast.Name):
            bound[node.id] += not isinstance(node.ctx, ast.Load)
        elif isinstance(node, _BINDING):
            bound.update(2 * stored_names(node))
    return {name: value for name, value in found.items() if bound[name] == 1}


def _ends_before(statement: ast.stmt, loop: ast.stmt) -> bool:
    end = statement.end_lineno or statement.lineno, statement.end_col_offset or 0
    return end <= (loop.lineno, loop.col_offset)


def _is_number(node: ast.expr) -> bool:
    """Tell if an expression is a number, or made of ints, and of 64 bits."""
    if isinstance(node, ast.Constant):
        return type(node.value) in (bool, float) or _is_small(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return isinstance(node.operand, ast.Constant) and type(node.operand.value) in (int, float)
    return _is_small(_int_of(node))


def _int_of(node: ast.expr) -> int | None:
    """Return the int that an expression of ints makes; None for others."""
    match node:
        case ast.Constant(value=int() as value) if type(value) is int:
            return value
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _OPERATORS):
            one, other = _int_of(left), _int_of(right)
            if one is None or other is None or max(abs(one), abs(other)) >= LARGEST:
                return None
            if isinstance(op, ast.Pow | ast.LShift) and not 0 <= other < 64:
                return None
            operation = ast.Expression(ast.BinOp(ast.Constant(one), op, ast.Constant(other)))
            return int(eval(compile(ast.fix_missing_locations(operation), "", "eval")))
    return None


def _is_small(value: Any) -> bool:
    return type(value) is int and abs(value) < LARGEST


class _Numbers(ast.NodeTransformer):
    """Puts expressions in the place of the names that are read in a tree."""

    def __init__(self, numbers: dict[str, ast.expr]) -> None:
        self.numbers = numbers

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if not isinstance(node.ctx, ast.Load) or node.id not in self.numbers:
            return node
        made = copied(self.numbers[node.id])
        for part in ast.walk(made):
            if isinstance(part, ast.expr):
                vars(part).update(position(node))
        return made
