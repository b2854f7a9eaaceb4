"""Finds loops whose sums of Python ints need no checks where the items of 64 bits that they read are small.

`s += int(x[i])` may be beyond 64 bits in each trip, and a loop that may leave is not vectorised. A loop
without effects can be done twice: first as if all such items were small, with one look at all of their bits
at its end.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from npcompile.frontend.loops.passes.intervals import ABSOLUTE, LEAST, Bounds, Interval, Values, exact_of
from npcompile.frontend.loops.passes.moves import moves_of
from npcompile.lower.loops import ir
from npcompile.lower.loops.guess_ir import GuessedLoop
from npcompile.lower.loops.iterator_ir import ItemsState
from npcompile.lower.loops.select_ir import Select
from npcompile.lower.loops.subexpressions import subexpressions
from npcompile.lower.loops.types import BOOL, INT, Array, Scalar

LITTLE = 1 << 31  # and a loop of 2^27 trips adds 2^61 at most at these places
MOST_ADDED = 8
_SIZES = 31, 15  # bits of items that are added, and of those that are multiplied before
_CAST = "npl::cast<int64_t, int64_t>"
_STEPS = (ir.Bind, ir.Jump, ir.Branch, ir.Next)
_HARMLESS = (
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.USub, ast.Invert, ast.BitAnd, ast.BitOr, ast.BitXor),
    *(ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE),
)
_DIVISIONS = (ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift)
_FUNCTIONS = ("npl::cast<", "npl::truth<", ABSOLUTE, "npl::absolute<")
_EXPRESSIONS = (
    *(ir.Constant, ir.Unused, ir.Read, ir.Apply, ir.Item),
    *(ir.Length, ir.Choose, ir.MakeTuple, ir.Part, Select),
)


def guessed(region: ir.Region, loop: ir.FastLoop) -> GuessedLoop | None:
    """Return a loop whose items are taken to be small, if then its trips cannot leave, and could else."""
    header = loop.header
    steps = [step for block in loop.blocks for step in (*block.steps, block.end) if step is not None]
    nodes = [*subexpressions(step for one in steps for step in ir.expressions_of(one))]
    if not (
        header not in region.shared
        and (isinstance(header.end, ir.NextOfRange) or _goes_over_array(header.end))
        and all(isinstance(step, _STEPS) for step in steps)
        and all(isinstance(node, _EXPRESSIONS) and node not in region.limits for node in nodes)
        and all(node in loop.unchecked for node in nodes if isinstance(node, ir.Item))
        and all(isinstance(step.value.type, Scalar) for step in steps if isinstance(step, ir.Bind))
    ):
        return None
    if not all(_is_harmless(node) for node in nodes if isinstance(node, ir.Apply)):
        return None
    items = frozenset(node for node in nodes if _is_item(node))
    leaving = {
        node
        for node in nodes
        if isinstance(node, ir.Apply) and node.operation.leaves and node not in region.certain
    }
    if not items or leaving <= loop.sums.keys():
        return None
    for bits in _SIZES:
        values = _Guess(loop, items, bits)
        sums = little_sums(region, header, loop.blocks, values.of)
        rest = leaving - sums.keys()
        if sums and all(isinstance(node, ir.Apply) and values.is_certain(node) for node in rest):
            name = next(iter(sums.values()))
            sums |= dict.fromkeys(rest, name)
            return GuessedLoop(**{**vars(loop), "sums": sums, "guessed": items, "bits": bits})
    return None


def little_sums(
    region: ir.Region,
    header: ir.Block,
    blocks: set[ir.Block],
    interval: Callable[[ir.Expression], Interval],
) -> dict[ir.Expression, str]:
    """Return the additions to ints to which trips add little, and the ints' names."""
    bound: dict[str, list[ir.Step | ir.End]] = {}
    for block in sorted(blocks, key=lambda one: one.label):
        steps: list[ir.Step | ir.End] = [*block.steps]
        for step in (*steps, *([] if block.end is None else [block.end])):
            for name in ir.bound_by(step):
                bound.setdefault(name, []).append(step)
    found: dict[ir.Expression, str] = {}
    for name, binds in bound.items():
        moves = [moves_of(name, step.value) if isinstance(step, ir.Bind) else None for step in binds]
        moved = [one for some in moves for one in some or ()]
        if header.types.get(name) == INT and None not in moves and len(moved) <= MOST_ADDED:
            if all(_is_little(interval(one.step)) for one in moved):
                found |= {one.node: name for one in moved if one.node not in region.certain}
    return found


class _Guess(Values):
    """The bounds of ints where the items of a loop are small."""

    def __init__(self, loop: ir.FastLoop, items: frozenset[ir.Expression], bits: int) -> None:
        super().__init__()
        self.items, self.small = items, Interval(-(1 << bits), (1 << bits) - 1)
        self.bounds: Bounds = {}
        binds = [step for block in loop.blocks for step in block.steps if isinstance(step, ir.Bind)]
        names = [step.name for step in binds]
        for _ in range(3):  # ints that are made of one another
            for step in binds:
                # A name that has no value as a trip begins has that of its only binding wherever it is read.
                if step.value.type == INT and names.count(step.name) == 1:
                    if step.name not in loop.header.types:
                        self.bounds[step.name] = self.of(step.value)

    def of(self, node: ir.Expression) -> Interval:
        return self.value(node, self.bounds)

    def _value(self, node: ir.Expression, bounds: Bounds) -> Interval:
        found = super()._value(node, bounds)
        return self.small if node in self.items else found

    def is_certain(self, node: ir.Apply) -> bool:
        """Tell if an operation on ints cannot leave."""
        if node.operation.unchecked is None or node.type != INT:
            return False
        if any(operand.type not in (INT, BOOL) for operand in node.operands):
            return False
        operands = [self.of(operand) for operand in node.operands]
        if node.operation.function == ABSOLUTE:
            return operands[0].least > LEAST
        exact = exact_of(node.operator, operands) if node.operator in _HARMLESS else None
        return exact is not None and exact.fits(INT)


def _is_harmless(node: ir.Apply) -> bool:
    """Tell if an operation does no harm where its ints are wrong: it then has an answer, or leaves."""
    if node.operator in _DIVISIONS:
        by = node.operands[1]
        return isinstance(by, ir.Constant) and by.value > 0
    return node.operator in _HARMLESS or node.operation.function.startswith(_FUNCTIONS)


def _goes_over_array(end: ir.End | None) -> bool:
    match end:
        case ir.Next(kind=ItemsState(source=Array(ndim=1))):
            return True
    return False


def _is_item(node: ir.Expression) -> bool:
    """Tell if an expression is the Python int of a NumPy integer of 64 bits."""
    if not isinstance(node, ir.Apply) or node.operation.function != _CAST or node.type != INT:
        return False
    return node.operands[0].type == Scalar("i8")


def _is_little(interval: Interval) -> bool:
    return -LITTLE <= interval.least and interval.most <= LITTLE
