"""Joins branches that follow each other with nothing between them: `48 <= c <= 57`, `a and b`, `a or b`.

Both tests are made, of which Python makes the second one after some answers of the first alone. So that one
has to be of a few operations that do no harm after other answers.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from npcompile.lower.loops import ir
from npcompile.lower.loops.operation import Operation, truth_of
from npcompile.lower.loops.subexpressions import subexpressions
from npcompile.lower.loops.types import BOOL, Scalar

MOST_OPERATIONS = 8  # of the tests that are not made first, casts and truths among them
_WRAPPING = (ast.Add, ast.Sub, ast.Mult)
_AND = Operation("npl::bitwise_and<bool>", (BOOL, BOOL), BOOL)
_OR = Operation("npl::bitwise_or<bool>", (BOOL, BOOL), BOOL)
_NOT = Operation("npl::logical_not<bool>", (BOOL,), BOOL)


class Joined(NamedTuple):
    """One branch that stands for others. blocks: of the others; shared: the block that their ends share."""

    end: ir.Branch
    blocks: frozenset[ir.Block]
    shared: ir.Block | None


def joined(region: ir.Region, end: ir.Branch, before: dict[ir.Block, int]) -> Joined:
    """Return the branch that stands for one and the next ones. before: how many ways lead to blocks."""
    blocks, shared = frozenset[ir.Block](), None
    while (found := _with_next(region, end, before)) is not None:
        if shared is not None and found.shared is not shared:
            break
        end, blocks, shared = found.end, blocks | found.blocks, found.shared
    return Joined(end, blocks, shared)


def _with_next(region: ir.Region, end: ir.Branch, before: dict[ir.Block, int]) -> Joined | None:
    """Return the branch that stands for one and the next; None where that cannot be."""
    for block, other in ((end.then, end.otherwise), (end.otherwise, end.then)):
        last = block.end
        if (
            before[block] != 1
            or block.is_header
            or block.steps
            or block is other
            or not isinstance(last, ir.Branch)
            or other not in (last.then, last.otherwise)
            or last.then is last.otherwise
            or not _is_cheap(region, last.test, end.test)
        ):
            continue
        then = block is end.then
        rest = last.otherwise if last.then is other else last.then
        # The second test may lead to the shared block by the other answer than the first one does.
        second = _as_bool(last.test)
        if (other is last.then) == then:
            second = ir.Apply(BOOL, _NOT, (second,), ast.Not)
        test = ir.Apply(BOOL, _AND if then else _OR, (_as_bool(end.test), second))
        ways = (rest, other) if then else (other, rest)
        return Joined(ir.Branch(end.place, end.line, test, *ways), frozenset((block,)), other)
    return None


def _as_bool(test: ir.Expression) -> ir.Expression:
    """Return a test as a Python bool."""
    assert isinstance(test.type, Scalar)
    return test if test.type == BOOL else ir.Apply(BOOL, truth_of(test.type), (test,))


def _is_cheap(region: ir.Region, test: ir.Expression, first: ir.Expression) -> bool:
    """Tell if a test is of a few harmless operations. first: the test that is made before it."""
    items = {str(node) for node in subexpressions([first]) if isinstance(node, ir.Item)}
    nodes = [*subexpressions([test])]
    return (
        all(isinstance(one.type, Scalar) and one.type.kind == "b" for one in (test, first))
        and len(nodes) <= MOST_OPERATIONS
        and all(_is_harmless(region, node, items) for node in nodes)
    )


def _is_harmless(region: ir.Region, node: ir.Expression, items: set[str]) -> bool:
    """Tell if an expression may be evaluated whatever the first test says: bounds may hold by that alone."""
    match node:
        case ir.Item():
            return str(node) in items
        case ir.Apply(operation=operation):
            return not operation.leaves or (node in region.certain and node.operator in _WRAPPING)
    return isinstance(node, ir.Read | ir.Constant) and node not in region.limits
