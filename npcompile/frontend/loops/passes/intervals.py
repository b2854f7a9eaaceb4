"""Bounds the ints of a typed region: proves that operations do not leave and that indices are not negative.

Where low bits of an int are kept, as by `x & 0xFFFFFFFF`, the ints that it is computed from may wrap at 64
bits: in the same expression, or in the statement before (`x *= k; x &= mask`).

The analysis goes over the blocks until nothing changes; names whose bounds keep growing are taken to have any
value. Branches that compare a name with something narrow the name's bounds on either way. From bounds that
hold, those after each block follow once more, and may be narrower: a name that was taken to have any value is
within what a comparison after that says.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from npcompile.frontend.loops.passes.counters import REACHED, counters
from npcompile.lower.loops import ir
from npcompile.lower.loops.array_iterator_ir import GridState
from npcompile.lower.loops.dict_ir import ItemCount
from npcompile.lower.loops.iterator_ir import CountedState, ZippedState
from npcompile.lower.loops.list_ir import ListLength
from npcompile.lower.loops.operation import Operation
from npcompile.lower.loops.register_ir import varies
from npcompile.lower.loops.select_ir import Select
from npcompile.lower.loops.text_ir import TextLength, TextState
from npcompile.lower.loops.types import BOOL, INT, UNSIGNED, Scalar, Type

LEAST, MOST = -(1 << 63), (1 << 63) - 1
MOST_UNSIGNED = (1 << 64) - 1
SHIFTED = 1 << 12  # by more bits than this Python may have no memory to shift
LONGEST = 1 << 40  # no axis of an array is longer
VISITS = 3  # of a block, after which bounds that still grow are dropped
DESCENTS = 3  # rounds that narrow the bounds found


class Interval(NamedTuple):
    """The least and the greatest value of an int."""

    least: int
    most: int

    def fits(self, kind: Type) -> bool:
        least, most = of_type(kind)
        return self.least >= least and self.most <= most

    def clipped(self, kind: Type) -> Interval:
        return self.within(of_type(kind))

    def within(self, other: Interval) -> Interval:
        """Return the part that lies in another one, which they have in common."""
        return Interval(
            min(max(self.least, other.least), other.most), max(min(self.most, other.most), other.least)
        )

    def hull(self, other: Interval) -> Interval:
        return Interval(min(self.least, other.least), max(self.most, other.most))


ANY = Interval(LEAST, MOST)
COUNTED = Interval(-REACHED, REACHED)  # counters
INTEGRAL = Interval(LEAST, MOST - 1023)  # floats that are ints of 64 bits: larger ones are 1024 apart
BYTE = Interval(0, 255)  # an item of bytes
# Operations on ints whose low bits depend on the low bits of the operands alone.
BY_LOW_BITS = frozenset(
    (ast.Add, ast.Sub, ast.Mult, ast.LShift, ast.BitAnd, ast.BitOr, ast.BitXor, ast.USub, ast.Invert)
)
BITWISE = frozenset((ast.BitAnd, ast.BitOr, ast.BitXor, ast.Invert))  # of ints of 64 bits they are such ints
INTS = (INT, UNSIGNED)  # types of Python's ints
ABSOLUTE = "npl::int_absolute"
NARROWED = (ast.Add, ast.Sub, ast.Mult)
Bounds = dict[str, Interval]


def bound(region: ir.Region) -> None:
    """Note in a region which operations cannot leave and which ints cannot be negative."""
    _Analysis(region).run()


class Values:
    """The bounds of expressions. values: those found."""

    def __init__(self) -> None:
        self.values: dict[ir.Expression, Interval] = {}

    def value(self, node: ir.Expression, bounds: Bounds) -> Interval:
        """Return the bounds of an int's value; ANY for other values."""
        found = self._value(node, bounds)
        self.values[node] = found
        return found

    def _value(self, node: ir.Expression, bounds: Bounds) -> Interval:
        for part in ir.parts_of(node):
            self.value(part, bounds)
        known = self.values  # of the parts: finding one's again would find all below it again, at each level
        match node:
            case ir.Constant(value=int(value)):
                return Interval(int(value), int(value))
            case ir.Read(name=name):
                return bounds.get(name, of_type(node.type))
            case ir.Length() | ListLength() | ItemCount():
                return Interval(0, LONGEST)
            case TextLength():
                return Interval(0, LONGEST)
            case ir.Part() if node.type == INT:
                return bounds.get(str(node), ANY)
            case ir.Choose(one=one, other=other) | Select(one=one, other=other):
                return known[one].hull(known[other])
            case ir.Apply() if (kept := low_bits(node)) is not None and self._wraps(kept[0]):
                return Interval(0, max(known[kept[1]].most, 0)).clipped(node.type)
            case ir.Apply(operation=operation, operands=(one,)) if node.type in INTS and _keeps(operation):
                return known[one]
            case ir.Apply(operands=(one,)) if node.operation.function.startswith("npl::fitting_cast<int64_t"):
                is_float = node.operation.operands[0].code == "f8"
                found = INTEGRAL if is_float else known[one]
                return found.clipped(INT)
            case ir.Apply(operands=operands) if node.type in INTS and (extreme := _extreme(node.operation)):
                ends = zip(*(known[operand] for operand in operands), strict=True)
                return Interval(*map(extreme, ends))
            case ir.Apply(operands=operands) if node.type in INTS:
                exact = _exact(node, [known[operand] for operand in operands])
                return of_type(node.type) if exact is None else exact.clipped(node.type)
        return of_type(node.type)

    def _wraps(self, node: ir.Expression) -> bool:
        """Tell if ints of which the low bits alone count may be beyond 64 bits."""
        if not isinstance(node, ir.Apply) or node.operator not in BY_LOW_BITS:
            return False
        if node.operator in BITWISE and all(one.type in (INT, BOOL) for one in (node, *node.operands)):
            return any(self._wraps(one) for one in node.operands)
        exact = exact_of(node.operator, [self.values[operand] for operand in node.operands])
        return exact is None or not exact.fits(node.type) or any(self._wraps(one) for one in node.operands)


def interval_of(node: ir.Expression) -> Interval:
    """Return the bounds of an int's value that hold whatever its names are."""
    return Values().value(node, {})


def added_interval(region: ir.Region, node: ir.Expression) -> Interval:
    """Return the bounds of an int that is added to another one, or taken from it, where that is done."""
    return Interval(*region.short[node]) if node in region.short else interval_of(node)


def _is_bounded(node: ir.Expression, limit: int) -> bool:
    """Tell if an int's absolute value is at most a limit, whatever its names are."""
    least, most = interval_of(node)
    return -limit <= least and most <= limit


class _Analysis(Values):
    def __init__(self, region: ir.Region) -> None:
        super().__init__()
        self.region = region
        self.before: dict[ir.Block, Bounds] = {}
        self.visits: dict[ir.Block, int] = {}
        self.counters = counters(region, _is_bounded)

    def run(self) -> None:
        self.before[self.region.entry] = self._given()
        pending = [self.region.entry]
        while pending:
            block = pending.pop()
            self.visits[block] = self.visits.get(block, 0) + 1
            for target, bounds in self._block(block):
                if self._merge(target, bounds):
                    pending.append(target)
        for _ in range(DESCENTS):
            self._descend()
        for block in self.region.blocks:
            if block in self.before:
                self._note(block)

    def _descend(self) -> None:
        """Derive each block's bounds anew from those before the blocks that lead to it."""
        after: dict[ir.Block, list[Bounds]] = {self.region.entry: [self._given()]}
        for block in self.before:
            for target, bounds in self._block(block):
                after.setdefault(target, []).append(bounds)
        for block, (first, *others) in after.items():
            derived = dict(first)
            for bounds in others:
                derived = {name: derived[name].hull(bounds[name]) for name in derived.keys() & bounds.keys()}
            self.before[block] = derived

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
                least, most = COUNTED if name in self.counters else of_type(block.types.get(name, INT))
                one = Interval(least if grows[0] else one.least, most if grows[1] else one.most)
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
        taken |= {place: Interval(0, ir.SMALL) for place in _places(kind, item)}
        return taken

    def _step(self, step: ir.Step, bounds: Bounds) -> None:
        match step:
            case ir.Bind(name=name, value=value):
                found = self.value(value, bounds)
                bounds.pop(name, None)
                if value.type in (*INTS, BOOL):
                    counts = value.type == INT and name in self.counters
                    bounds[name] = found.within(COUNTED) if counts else found
            case ir.CallFunction(name=name, function=function):
                for one in (name, *function.changed):
                    bounds.pop(one, None)
            case ir.BeginRange(state=state, start=start, stop=stop, stride=stride):
                low, high = self.value(start, bounds), self.value(stop, bounds)
                step_ = self.value(stride, bounds)
                up = Interval(low.least, max(high.most - 1, low.least))
                down = Interval(min(high.least + 1, low.most), low.most)
                bounds[state] = up if step_.least > 0 else down if step_.most < 0 else up.hull(down)

    def _note(self, block: ir.Block) -> None:
        """Note the facts that are proved of a block's expressions."""
        bounds = dict(self.before[block])
        steps = (*block.steps, block.end)
        for number, step in enumerate(steps):
            self.values = {}
            for expression in ir.expressions_of(step):
                self.value(expression, bounds)
            for expression, interval in self.values.items():
                if interval.least >= 0 and expression.type == INT:
                    self.region.nonnegative.add(expression)
                if isinstance(expression, ir.Apply):
                    if self._is_certain(expression):
                        self.region.certain.add(expression)
                        if bits := self._narrow_bits(expression):
                            self.region.narrow[expression] = bits
                    elif expression.operator in (ast.Add, ast.Sub):
                        self._note_short(expression)
                    if (kept := low_bits(expression)) is not None and self._wraps(kept[0]):
                        self._note_low_bits(kept[0], bounds)
                        if self.values[kept[1]].least < 0:
                            self.region.limits[kept[1]] = MOST + 1
            if isinstance(step, ir.Bind) and _is_masked_next(step, steps[number + 1]):
                self._note_low_bits(step.value, bounds)
            if isinstance(step, ir.Step):
                self._step(step, bounds)

    def _note_short(self, node: ir.Apply) -> None:
        """Note the operands of a sum that are far from 64 bits."""
        for operand in node.operands:
            least, most = self.values[operand]
            if operand.type == INT and -ir.SMALL <= least and most <= ir.SMALL:
                self.region.short[operand] = (least, most)

    def _note_low_bits(self, node: ir.Expression, bounds: Bounds) -> None:
        """Note that an int, of which the low bits alone count, need not be checked."""
        if not isinstance(node, ir.Apply) or node.operator not in BY_LOW_BITS or node.type not in INTS:
            return
        counts = node.operands
        if any(operand.type not in (*INTS, BOOL) for operand in counts):
            return
        if node.operator is ast.LShift:
            counts, by = node.operands[:1], self.value(node.operands[1], bounds)
            if not 0 <= by.least <= by.most < SHIFTED:
                self.region.limits[node.operands[1]] = SHIFTED
        self.region.certain.add(node)
        self.region.narrow.pop(node, None)  # by bounds that hold where nothing wraps
        for operand in counts:
            self._note_low_bits(operand, bounds)

    def _is_certain(self, node: ir.Apply) -> bool:
        """Tell if an operation on ints cannot leave."""
        if node.operation.unchecked is None:
            return False
        if node.operation.fits is not None:
            least, most = of_type(node.operation.fits)
            taken = [self.values[operand] for operand in node.operands]
            return all(least <= one.least and one.most <= most for one in taken)
        if any(operand.type not in (*INTS, BOOL) for operand in node.operands):
            return False
        operands = [self.values[operand] for operand in node.operands]
        if node.type in INTS:
            exact = _exact(node, operands)
            return exact is not None and exact.fits(node.type)
        return False

    def _narrow_bits(self, node: ir.Apply) -> int:
        """Return how many bits do for an operation that cannot leave: 16, 32, or 0 for more.

        The ints that are divided are unsigned ones of 32 bits.
        """
        if node.type not in INTS or any(operand.type not in INTS for operand in node.operands):
            return 0
        values = [self.values[operand] for operand in node.operands]
        if node.operator in (ast.FloorDiv, ast.Mod):
            return 32 if all(0 <= one.least and one.most < 1 << 32 for one in values) else 0
        if node.operator not in NARROWED and node.operation.function != ABSOLUTE:
            return 0
        return next(
            (bits for bits in (16, 32) if all(_has_bits(one, bits) for one in (*values, self.values[node]))),
            0,
        )


def _has_bits(interval: Interval, bits: int) -> bool:
    """Tell if all ints of an interval are signed ones of so many bits."""
    return -(1 << bits - 1) <= interval.least and interval.most < 1 << bits - 1


def low_bits(node: ir.Apply) -> tuple[ir.Expression, ir.Expression] | None:
    """Return the int of which an operation keeps low bits, and one that its result does not exceed.

    None for other operations. `x & 0xFFFFFFFF` and `x % 2**32` are the operations. A mask has to be
    nonnegative.
    """
    if node.type not in INTS or node.operator not in (ast.BitAnd, ast.Mod):
        return None
    left, right = node.operands
    if node.operator is ast.BitAnd and not isinstance(left, ir.Apply):
        left, right = right, left
    if right.type not in INTS or left.type not in INTS:
        return None
    if node.operator is ast.BitAnd:
        if isinstance(right, ir.Read):  # `x & -x` and `x & x - 1` are of an int of either sign
            return None if varies(left, {right.name}) else (left, right)
        return (left, right) if isinstance(right, ir.Constant) and right.value >= 0 else None
    power = isinstance(right, ir.Constant) and right.value > 0 and right.value.bit_count() == 1
    return (left, right) if power else None


def _is_masked_next(step: ir.Bind, after: ir.Step | ir.End | None) -> bool:
    """Tell if the next step keeps low bits alone of the value that a name is given, and does not leave."""
    match after:
        case ir.Bind(
            name=name, value=ir.Apply(operator=ast.BitAnd | ast.Mod, operands=(left, right)) as value
        ):
            mask = right.value if isinstance(right, ir.Constant) and value.type in INTS else 0
            keeps = mask > 0 and (value.operator is ast.BitAnd or mask.bit_count() == 1)
            if value.operator is ast.BitAnd and isinstance(right, ir.Read):  # no unsigned int is negative
                keeps = right.type == UNSIGNED and right.name != name
            return keeps and isinstance(left, ir.Read) and left.name == name == step.name
    return False


def _keeps(operation: Operation) -> bool:
    """Tell if an operation gives an int as one of another type, which holds it."""
    (kind,) = operation.operands
    if operation.function.startswith("npl::cast<uint64_t"):
        return kind.kind in "iu"
    return operation.function.startswith("npl::cast<int64_t") and kind.kind in "iub" and kind.code != "u8"


def _extreme(operation: Operation) -> Callable[[Iterable[int]], int] | None:
    """Return the function of Python's, `min` or `max`, that an operation is; None for others."""
    if operation.function.startswith("npl::smallest<"):
        return min
    return max if operation.function.startswith("npl::largest<") else None


def _places(kind: ir.State, item: str) -> Iterator[str]:
    """Yield the parts of an iterator's item, by name, that are places of items of arrays."""
    match kind:
        case GridState(axes=axes):
            yield from (f"{item}[{axis}]" for axis in range(axes))
        case CountedState(items=items):
            yield from _places(items, f"{item}[1]")
        case ZippedState(parts=parts):
            for place, part in enumerate(parts):
                yield from _places(part, f"{item}[{place}]")


def of_type(kind: Type) -> Interval:
    """Return the bounds of all values of a type."""
    if kind == UNSIGNED:
        return Interval(0, MOST_UNSIGNED)
    if not isinstance(kind, Scalar) or kind.kind not in "iub":
        return ANY
    bits = kind.bits
    if kind.kind == "b":
        return Interval(0, 1)
    return (
        Interval(0, (1 << bits) - 1) if kind.kind == "u" else Interval(-(1 << bits - 1), (1 << bits - 1) - 1)
    )


def _exact(node: ir.Apply, operands: list[Interval]) -> Interval | None:
    """Return the bounds of the exact result of an operator, or of `abs`; None where they are not known."""
    if node.operation.function == ABSOLUTE:
        (one,) = operands
        return Interval(max(one.least, -one.most, 0), max(-one.least, one.most))
    return exact_of(node.operator, operands)


def exact_of(operator: type[ast.AST] | None, operands: list[Interval]) -> Interval | None:
    """Return the bounds of an operation's exact result, None where they are not known or it may raise."""
    if operator is ast.USub:
        (one,) = operands
        return Interval(-one.most, -one.least)
    if operator is ast.Invert:
        (one,) = operands
        return Interval(~one.most, ~one.least)
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


def narrowed(analysis: Values, test: ir.Expression, holds: bool, bounds: Bounds) -> Bounds:
    """Return the bounds where a test holds, or does not."""
    bounds = dict(bounds)
    if not isinstance(test, ir.Apply) or test.operator is None or len(test.operands) != 2:
        return bounds
    operator = test.operator if holds else _NEGATED.get(test.operator)
    left, right = test.operands
    if operator is None or left.type not in INTS or right.type not in INTS:
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
