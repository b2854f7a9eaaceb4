"""Bounds the ints of a typed region: proves that operations do not leave and that indices are not negative.

Where low bits of an int are kept, as by `x & 0xFFFFFFFF`, what it is made of may wrap at 64 bits.

The analysis goes over the blocks until nothing changes; names whose bounds keep growing are taken to have any
value. Branches that compare a name with something narrow the name's bounds on either way.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from npcompile.lower.loops import ir
from npcompile.lower.loops.iterator_ir import CountedState
from npcompile.lower.loops.list_ir import ListLength
from npcompile.lower.loops.operation import Operation
from npcompile.lower.loops.text_ir import TextLength, TextState
from npcompile.lower.loops.types import BOOL, INT, Scalar, Type

LEAST, MOST = -(1 << 63), (1 << 63) - 1
LONGEST = 1 << 40  # no axis of an array is longer
VISITS = 3  # of a block, after which bounds that still grow are dropped


class Interval(NamedTuple):
    """The least and the greatest value of an int."""

    least: int
    most: int

    @property
    def fits(self) -> bool:
        return self.least >= LEAST and self.most <= MOST

    def clipped(self) -> Interval:
        return Interval(max(self.least, LEAST), min(self.most, MOST))

    def hull(self, other: Interval) -> Interval:
        return Interval(min(self.least, other.least), max(self.most, other.most))


ANY = Interval(LEAST, MOST)
BYTE = Interval(0, 255)  # an item of bytes
Bounds = dict[str, Interval]


def bound(region: ir.Region) -> None:
    """Note in a region which operations cannot leave and which ints cannot be negative."""
    _Analysis(region).run()


class _Analysis:
    def __init__(self, region: ir.Region) -> None:
        self.region = region
        self.before: dict[ir.Block, Bounds] = {}
        self.visits: dict[ir.Block, int] = {}
        self.ranges: dict[str, Interval] = {}  # of the numbers of ranges, by the names of iterators
        self.values: dict[ir.Expression, Interval] = {}

    def run(self) -> None:
        self.before[self.region.entry] = self._given()
        pending = [self.region.entry]
        while pending:
            block = pending.pop()
            self.visits[block] = self.visits.get(block, 0) + 1
            for target, bounds in self._block(block):
                if self._merge(target, bounds):
                    pending.append(target)
        for block in self.region.blocks:
            if block in self.before:
                self._note(block)

    def _given(self) -> Bounds:
        bounds: Bounds = {}
        for name, kind in self.region.names.items():
            size = MOST if name in self.region.wide else ir.SMALL
            if kind == INT:
                bounds[name] = Interval(-size, size)
            elif isinstance(kind, ir.RangeState):
                bounds[name] = Interval(0 if kind.nonnegative else -ir.SMALL, ir.SMALL)
        return bounds

    def _merge(self, block: ir.Block, bounds: Bounds) -> bool:
        """Add the bounds on one way to a block; tell if they are wider than those known."""
        known = self.before.get(block)
        if known is None:
            self.before[block] = bounds
            return True
        merged: Bounds = {}
        for name in known.keys() & bounds.keys():
            one = known[name].hull(bounds[name])
            if one != known[name] and self.visits.get(block, 0) >= VISITS:
                grows = one.least < known[name].least, one.most > known[name].most
                one = Interval(LEAST if grows[0] else one.least, MOST if grows[1] else one.most)
            merged[name] = one
        self.before[block] = merged
        return merged != known

    # -- blocks ------------------------------------------------------------------------------------------

    def _block(self, block: ir.Block) -> Iterator[tuple[ir.Block, Bounds]]:
        """Yield the blocks that may come next, with the bounds there."""
        bounds = dict(self.before[block])
        for step in block.steps:
            self._step(step, bounds)
        match block.end:
            case ir.Branch(test=test, then=then, otherwise=otherwise):
                self.value(test, bounds)
                yield then, narrowed(self, test, True, bounds)
                yield otherwise, narrowed(self, test, False, bounds)
            case ir.NextOfRange(state=state, item=item, body=body, exhausted=exhausted):
                yield body, bounds | {item: bounds.get(state, ANY)}
                yield exhausted, bounds
            case ir.Next(kind=kind, item=item, body=body, exhausted=exhausted):
                yield body, self._taken(bounds, kind, item)
                yield exhausted, bounds
            case end:
                for target in ir.targets(end):
                    yield target, bounds

    def _taken(self, bounds: Bounds, kind: ir.State, item: str) -> Bounds:
        """Return the bounds after an item of an iterator was taken. An item's number has a name."""
        taken = {name: one for name, one in bounds.items() if name != item}
        if isinstance(kind, TextState):
            taken[item] = BYTE
        if isinstance(kind, CountedState):
            taken[f"{item}[0]"] = Interval(0, ir.SMALL + LONGEST) if kind.small else ANY
            if isinstance(kind.items, TextState):
                taken[f"{item}[1]"] = BYTE
        return taken

    def _step(self, step: ir.Step, bounds: Bounds) -> None:
        match step:
            case ir.Bind(name=name, value=value):
                found = self.value(value, bounds)
                bounds.pop(name, None)
                if value.type in (INT, BOOL):
                    bounds[name] = found
            case ir.CallFunction(name=name):
                bounds.pop(name, None)
            case ir.BeginRange(state=state, start=start, stop=stop, stride=stride):
                low, high = self.value(start, bounds), self.value(stop, bounds)
                step_ = self.value(stride, bounds)
                up = Interval(low.least, max(high.most - 1, low.least))
                down = Interval(min(high.least + 1, low.most), low.most)
                bounds[state] = up if step_.least > 0 else down if step_.most < 0 else up.hull(down)

    def _note(self, block: ir.Block) -> None:
        """Note what is proved of a block's expressions."""
        bounds = dict(self.before[block])
        for step in (*block.steps, block.end):
            self.values = {}
            for expression in ir.expressions_of(step):
                self.value(expression, bounds)
            for expression, interval in self.values.items():
                if interval.least >= 0 and expression.type == INT:
                    self.region.nonnegative.add(expression)
                if isinstance(expression, ir.Apply):
                    if self._is_certain(expression, bounds):
                        self.region.certain.add(expression)
                    if (kept := low_bits(expression)) is not None and self._wraps(kept[0], bounds):
                        self._note_low_bits(kept[0])
                        if self.value(kept[1], bounds).least < 0:
                            self.region.masks.add(kept[1])
            if isinstance(step, ir.Step):
                self._step(step, bounds)

    def _wraps(self, node: ir.Expression, bounds: Bounds) -> bool:
        """Tell if ints of which the low bits alone count may be beyond 64 bits."""
        if not isinstance(node, ir.Apply) or node.operator not in _BY_LOW_BITS:
            return False
        exact = exact_of(node.operator, [self.value(operand, bounds) for operand in node.operands])
        return exact is None or not exact.fits or any(self._wraps(one, bounds) for one in node.operands)

    def _note_low_bits(self, node: ir.Expression) -> None:
        """Note that an int, of which the low bits alone count, need not be checked."""
        if not isinstance(node, ir.Apply) or node.operator not in _BY_LOW_BITS or node.type != INT:
            return
        counts = node.operands
        if node.operator is ast.LShift:
            by = node.operands[1]
            if not isinstance(by, ir.Constant) or not 0 <= by.value < 64:
                return
            counts = node.operands[:1]
        if all(operand.type in (INT, BOOL) for operand in node.operands):
            self.region.certain.add(node)
            for operand in counts:
                self._note_low_bits(operand)

    def _is_certain(self, node: ir.Apply, bounds: Bounds) -> bool:
        """Tell if an operation on ints cannot leave."""
        if node.operation.unchecked is None:
            return False
        if node.operation.fits is not None:
            least, most = of_type(node.operation.fits)
            taken = [self.value(operand, bounds) for operand in node.operands]
            return all(least <= one.least and one.most <= most for one in taken)
        if any(operand.type not in (INT, BOOL) for operand in node.operands):
            return False
        operands = [self.value(operand, bounds) for operand in node.operands]
        if node.type == INT:
            exact = exact_of(node.operator, operands)
            return exact is not None and exact.fits
        return False

    # -- expressions -------------------------------------------------------------------------------------

    def value(self, node: ir.Expression, bounds: Bounds) -> Interval:
        """Return the bounds of an int's value; ANY for what is none."""
        found = self._value(node, bounds)
        self.values[node] = found
        return found

    def _value(self, node: ir.Expression, bounds: Bounds) -> Interval:
        for part in ir.parts_of(node):
            self.value(part, bounds)
        match node:
            case ir.Constant(type=Scalar(kind="i" | "u" | "b"), value=value):
                return Interval(int(value), int(value))
            case ir.Read(name=name):
                return bounds.get(name, of_type(node.type))
            case ir.Length() | ListLength():
                return Interval(0, LONGEST)
            case TextLength():
                return Interval(0, LONGEST)
            case ir.Part(whole=ir.Read()) if node.type == INT:
                return bounds.get(str(node), ANY)
            case ir.Choose(one=one, other=other):
                return self.value(one, bounds).hull(self.value(other, bounds))
            case ir.Apply() if (kept := low_bits(node)) is not None and self._wraps(kept[0], bounds):
                return Interval(0, max(self.value(kept[1], bounds).most, 0))
            case ir.Apply(operation=operation, operands=(one,)) if node.type == INT and _keeps(operation):
                return self.value(one, bounds)
            case ir.Apply(operands=operands, operator=operator) if node.type == INT:
                exact = exact_of(operator, [self.value(operand, bounds) for operand in operands])
                return ANY if exact is None else exact.clipped()
        return of_type(node.type)


# Operations on ints whose low bits depend on the low bits of the operands alone.
_BY_LOW_BITS = frozenset(
    (ast.Add, ast.Sub, ast.Mult, ast.LShift, ast.BitAnd, ast.BitOr, ast.BitXor, ast.USub, ast.Invert)
)


def low_bits(node: ir.Apply) -> tuple[ir.Expression, ir.Expression] | None:
    """Return the int of which an operation keeps low bits, and one that is no less than what it gives.

    None for other operations. `x & 0xFFFFFFFF` and `x % 2**32` are the operations. A mask has to be
    nonnegative.
    """
    if node.type != INT or node.operator not in (ast.BitAnd, ast.Mod):
        return None
    left, right = node.operands
    if node.operator is ast.BitAnd and not isinstance(left, ir.Apply):
        left, right = right, left
    if right.type != INT or left.type != INT:
        return None
    if node.operator is ast.BitAnd:
        is_mask = isinstance(right, ir.Read) or (isinstance(right, ir.Constant) and right.value >= 0)
        return (left, right) if is_mask else None
    power = isinstance(right, ir.Constant) and right.value > 0 and right.value.bit_count() == 1
    return (left, right) if power else None


def _keeps(operation: Operation) -> bool:
    """Tell if an operation gives an int as a wider one."""
    (kind,) = operation.operands
    return operation.function.startswith("npl::cast<int64_t") and kind.kind in "iub" and kind.code != "u8"


def of_type(kind: Type) -> Interval:
    """Return the bounds of all values of a type."""
    if not isinstance(kind, Scalar) or kind.kind not in "iub":
        return ANY
    bits = 8 * int(kind.code[1:])
    if kind.kind == "b":
        return Interval(0, 1)
    return (
        Interval(0, (1 << bits) - 1) if kind.kind == "u" else Interval(-(1 << bits - 1), (1 << bits - 1) - 1)
    )


def exact_of(operator: type[ast.AST] | None, operands: list[Interval]) -> Interval | None:
    """Return the bounds of an operation's exact result, None where they are not known or it may raise."""
    if operator is ast.USub:
        (one,) = operands
        return Interval(-one.most, -one.least)
    if operator is None or len(operands) != 2:
        return None
    left, right = operands
    if operator is ast.Add:
        return Interval(left.least + right.least, left.most + right.most)
    if operator is ast.Sub:
        return Interval(left.least - right.most, left.most - right.least)
    if operator is ast.Mult:
        corners = [a * b for a in left for b in right]
        return Interval(min(corners), max(corners))
    if operator is ast.FloorDiv and right.least > 0:
        corners = [a // b for a in left for b in right]
        return Interval(min(corners), max(corners))
    if operator is ast.Mod and right.least > 0:
        return Interval(0, min(right.most - 1, left.most) if left.least >= 0 else right.most - 1)
    if operator is ast.BitAnd and max(left.least, right.least) >= 0:
        return Interval(0, min(one.most for one in operands if one.least >= 0))
    if operator in (ast.BitOr, ast.BitXor) and min(left.least, right.least) >= 0:
        return Interval(0, (1 << max(left.most, right.most).bit_length()) - 1)
    if operator is ast.RShift and 0 <= right.least <= right.most < 64:
        corners = [a >> b for a in left for b in right]
        return Interval(min(corners), max(corners))
    if operator is ast.LShift and 0 <= right.least <= right.most < 63:
        corners = [a << b for a in left for b in right]
        return Interval(min(corners), max(corners))
    return None


_MIRRORED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.Eq
}  # fmt: skip
_NEGATED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.GtE, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.GtE: ast.Lt, ast.NotEq: ast.Eq
}  # fmt: skip


def narrowed(analysis: _Analysis, test: ir.Expression, holds: bool, bounds: Bounds) -> Bounds:
    """Return the bounds where a test holds, or does not."""
    bounds = dict(bounds)
    if not isinstance(test, ir.Apply) or test.operator is None or len(test.operands) != 2:
        return bounds
    operator = test.operator if holds else _NEGATED.get(test.operator)
    left, right = test.operands
    if operator is None or left.type != INT or right.type != INT:
        return bounds
    sides = (analysis.value(left, bounds), analysis.value(right, bounds))
    _narrow(left, operator, sides[1], bounds)
    _narrow(right, _MIRRORED.get(operator), sides[0], bounds)
    return bounds


def _narrow(node: ir.Expression, operator: type[ast.AST] | None, other: Interval, bounds: Bounds) -> None:
    """Narrow a name, or the name in a sum of a name and a constant, by a comparison with an interval."""
    shift = 0
    match node:
        case ir.Apply(operator=ast.Add, operands=(name, ir.Constant(value=value))):
            node, shift = name, value
        case ir.Apply(operator=ast.Sub, operands=(name, ir.Constant(value=value))):
            node, shift = name, -value
    if not isinstance(node, ir.Read) or node.name not in bounds:
        return
    least, most = bounds[node.name]
    if operator is ast.Lt:
        most = min(most, other.most - 1 - shift)
    elif operator is ast.LtE:
        most = min(most, other.most - shift)
    elif operator is ast.Gt:
        least = max(least, other.least + 1 - shift)
    elif operator is ast.GtE:
        least = max(least, other.least - shift)
    elif operator is ast.Eq:
        least, most = max(least, other.least - shift), min(most, other.most - shift)
    if least <= most:
        bounds[node.name] = Interval(least, most)
