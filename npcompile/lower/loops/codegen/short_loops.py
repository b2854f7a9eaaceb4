"""Finds `while` loops of few trips: each takes a bit at least from a nonnegative int, until none is left.

`while x:` with `x >>= 1`, `x //= 10` or `x &= x - 1` has 63 trips at most. It neither polls nor counts its
trips, so the C++ compiler knows a loop that counts bits for what it is, and does it by one instruction.
NumPy's integers are such ints where a comparison says that they are positive, or they are unsigned. One of
either sign loses its bits to `x &= x - 1`, too: the least one, less one, is the greatest.
"""

from __future__ import annotations

import ast

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.nesting import in_each_trip, natural_loops
from npcompile.lower.loops.types import INT, Scalar, Type

_TRUTH, _TRUTHS, _TRUTH_OF_BOOL = (
    "npl::truth<int64_t>",
    ("npl::truth<int", "npl::truth<uint"),
    "npl::truth<bool>",
)


def short_loops(region: ir.Region) -> set[ir.Block]:
    """Return the headers of the loops that have few trips, and no other loop within them."""
    return {
        header
        for header, blocks in natural_loops(region).items()
        if sum(block.is_header for block in blocks) == 1 and _is_short(region, header, blocks)
    }


def _is_short(region: ir.Region, header: ir.Block, blocks: set[ir.Block]) -> bool:
    """Tell if an innermost loop has few trips. blocks: those of the loop."""
    end = header.end
    if not isinstance(end, ir.Branch) or end.then not in blocks or end.otherwise in blocks:
        return False
    test = end.test
    if isinstance(test, ir.Apply) and test.operation.function == _TRUTH_OF_BOOL:
        (test,) = test.operands
    if (name := _name_while_positive(region, test)) is not None:
        return is_taken_from(header, blocks, name)
    name = _wrapping_name(test)
    return name is not None and is_taken_from(header, blocks, name, wraps=True)


def is_taken_from(header: ir.Block, blocks: set[ir.Block], name: str, wraps: bool = False) -> bool:
    """Tell if each trip of a loop takes a bit from a positive int, and gives its name no other value.

    wraps: the int is NumPy's, and may be negative.
    """
    binding = [(block, step) for block in blocks for step in block.steps if name in ir.bound_by(step)]
    if len(binding) != 1 or any(name in ir.bound_by(block.end) for block in blocks if block.end is not None):
        return False
    ((block, step),) = binding
    shrinks = _clears_a_bit if wraps else _shrinks
    is_shrunk = isinstance(step, ir.Bind) and shrinks(step.value, name)
    return is_shrunk and block is not header and in_each_trip(header, blocks, block)


def _name_while_positive(region: ir.Region, test: ir.Expression) -> str | None:
    """Return the int that is above zero where a test holds; None if there is none."""
    if not isinstance(test, ir.Apply):
        return None
    if test.operation.function.startswith(_TRUTHS):
        (one,) = test.operands
        return _name(one) if one in region.nonnegative or _is_unsigned(one.type) else None
    if len(test.operands) != 2:
        return None
    left, right = test.operands
    match test.operator, left, right:
        case ast.Gt, _, ir.Constant(value=0):
            return _name(left)
        case ast.GtE, _, ir.Constant(value=1):
            return _name(left)
        case ast.Lt, ir.Constant(value=0), _:
            return _name(right)
        case ast.NotEq, _, ir.Constant(value=0) if left in region.nonnegative or _is_unsigned(left.type):
            return _name(left)
    return None


def name_while_not_zero(test: ir.Expression) -> str | None:
    """Return the int of either sign that is not zero where a test holds; None if there is none."""
    if not isinstance(test, ir.Apply):
        return None
    if test.operation.function == _TRUTH and test.operands[0].type == INT:
        return _name(test.operands[0])
    match test.operator, test.operands:
        case ast.NotEq, (left, ir.Constant(value=0)) if left.type == INT:
            return _name(left)
    return None


def _wrapping_name(test: ir.Expression) -> str | None:
    """Return NumPy's signed integer that is not zero where a test holds; None if there is none."""
    match test:
        case ir.Apply(operator=ast.NotEq, operands=(one, ir.Constant(value=0))):
            pass
        case ir.Apply(operands=(one,)) if test.operation.function.startswith(_TRUTHS):
            pass
        case _:
            return None
    return _name(one) if one.type != INT else None


def _name(node: ir.Expression) -> str | None:
    return node.name if isinstance(node, ir.Read) and _is_integer(node.type) else None


def _is_integer(kind: Type) -> bool:
    return isinstance(kind, Scalar) and kind.kind in "iu"


def _is_unsigned(kind: Type) -> bool:
    return isinstance(kind, Scalar) and kind.kind == "u"


def _shrinks(node: ir.Expression, name: str) -> bool:
    """Tell if an int has one bit less than the positive int that a name has, or less than that."""
    match node:
        case ir.Apply(operator=ast.RShift, operands=(left, right)):
            return _are_alike(node) and _name(left) == name and _is_constant(right, 1)
        case ir.Apply(operator=ast.FloorDiv, operands=(left, right)):
            return _are_alike(node) and _name(left) == name and _is_constant(right, 2)
    return _clears_a_bit(node, name)


def _clears_a_bit(node: ir.Expression, name: str) -> bool:
    """Tell if an int is what `x & (x - 1)` leaves of a name's."""
    match node:
        case ir.Apply(operator=ast.BitAnd, operands=(left, right)) if _are_alike(node):
            return any(
                _name(one) == name and _is_less_one(other, name)
                for one, other in ((left, right), (right, left))
            )
    return False


def _are_alike(node: ir.Apply) -> bool:
    """Tell if an operation on integers of one type, or on it and Python's ints, gives that type."""
    return _is_integer(node.type) and all(one.type in (node.type, INT) for one in node.operands)


def _is_constant(node: ir.Expression, least: int) -> bool:
    return isinstance(node, ir.Constant) and node.type == INT and node.value >= least


def _is_less_one(node: ir.Expression, name: str) -> bool:
    match node:
        case ir.Apply(operator=ast.Sub, operands=(one, ir.Constant(value=1))):
            return _is_integer(node.type) and _name(one) == name
    return False
