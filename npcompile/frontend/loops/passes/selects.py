"""Turns branches on which a number of a recurrence depends into choices, of which both ways are computed.

In `if h & 1: h = h >> 1 ^ POLY; else: h >>= 1` the branch depends on bits of data. It is predicted wrongly as
often as not, which costs more than the few operations of a way. The C++ compiler makes choices of other
simple branches itself: of sums, extremes and clamped values, which it also vectorises.

Floats that data choose (`s += a if x[i] > 0 else b`) are such numbers, too: their sums are not vectorised.

Ints to which several ways add constants (`if x < a: low += 1`, `elif x > b: high += 1`) become sums of a
choice, zero on the other ways, which the C++ compiler vectorises.

A way may hold only cheap operations, and branches between such. An operation that may leave, as its int may
be beyond 64 bits, does so where its way counts; there may be such where a low bit of an int decides, and one
name alone is given a value.
Names keep the exact types that they had; a branch stays where the type that a name has without a way is not
known.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from functools import cached_property

from npcompile.frontend.loops.entry.objects import is_path
from npcompile.frontend.loops.passes.bounds_checks import accesses_of
from npcompile.frontend.loops.passes.ways import Inner, Steps, TwoWays, ways_of
from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.nesting import natural_loops
from npcompile.lower.loops.parallel_ir import SharedLoop
from npcompile.lower.loops.select_ir import Masked, Select
from npcompile.lower.loops.subexpressions import subexpressions
from npcompile.lower.loops.types import INT, Array, Scalar, Type, Unsigned

MOST_OPERATIONS = 6  # of both ways together
MOST_NAMES = 3
MOST_SUMS, MOST_IN_SUMS = 8, 24  # likewise, where all names are sums of choices
MOST_LOW_BITS = 8  # a mask or a divisor that takes low bits
_CHEAP = (ast.Add, ast.Sub, ast.BitAnd, ast.BitOr, ast.BitXor, ast.USub, ast.Invert, ast.Mult)
_OVERFLOWING = (ast.Add, ast.Sub, ast.Mult)
_CHEAP_OF_FLOATS = tuple(
    f"npl::{name}<{kind}>"
    for name in ("add", "subtract", "multiply", "negative", "absolute", "cast")
    for kind in ("float", "double")
)
_SHIFTS = (ast.LShift, ast.RShift)
_DIVISIONS = (ast.FloorDiv, ast.Mod)
# Kinds of expressions of a test that may be written several times, as the C++ compiler does them once.
_AGAIN = (ir.Apply, ir.Read, ir.Constant, ir.Item, ir.Length, ir.Choose, ir.Part, Select)


def select(region: ir.Region) -> None:
    """Replace the branches of a region that pay, innermost first."""
    unbound = _Unbound(region)
    changes = True
    while changes:
        before = _predecessors(region)
        changes = any(_replaced(region, block, before, unbound) for block in region.blocks)
    for header, loop in region.shared.items():
        if isinstance(loop, SharedLoop):
            region.shared[header] = replace(loop, blocks=loop.blocks & {*region.blocks})


class _Unbound:
    """The names of trips that threads share to which a trip may not have given a value yet.

    Of these the last trip that binds them counts, so a trip may bind them only where the program does.
    """

    def __init__(self, region: ir.Region) -> None:
        self.names: dict[ir.Block, set[str]] = {}
        for loop in region.shared.values():
            if isinstance(loop, SharedLoop):
                self.names |= _unbound_in(loop)

    def at_end(self, block: ir.Block) -> set[str]:
        """Return those at the end of a block."""
        return self.names.get(block, set()) - _bound_in(block).keys()


def _unbound_in(loop: SharedLoop) -> dict[ir.Block, set[str]]:
    """Return the names without a value of its trip where each block of a loop begins."""
    found: dict[ir.Block, set[str]] = {block: set() for block in loop.blocks}
    found[loop.header] = {*loop.private}
    pending = [loop.header]
    while pending:
        block = pending.pop()
        left = found[block] - _bound_in(block).keys()
        for target in ir.targets(block.end):
            if target in loop.blocks and not left <= found[target]:
                found[target] |= left
                pending.append(target)
    return found


def _bound_in(block: ir.Block) -> dict[str, Type]:
    """Return the names that a block's steps bind, with the types that they have then."""
    bound: dict[str, Type] = {}
    for step in block.steps:
        bound |= ir.bound_by(step)
    return bound


def _predecessors(region: ir.Region) -> dict[ir.Block, int]:
    """Return how many ways lead to each block; the entry has one more."""
    found = dict.fromkeys(region.blocks, 0)
    found[region.entry] = 1
    for block in region.blocks:
        for target in ir.targets(block.end):
            found[target] += 1
    return found


class _Unfit(Exception):
    """A branch has to stay."""


def _replaced(region: ir.Region, block: ir.Block, before: dict[ir.Block, int], unbound: _Unbound) -> bool:
    """Replace a block's branch, if it can be and pays; tell if it was."""
    end = block.end
    found = ways_of(region, end, before) if isinstance(end, ir.Branch) else None
    if found is None:
        return False
    assert isinstance(end, ir.Branch)
    try:
        choices = _Choices(region, block, found.end, found.after, unbound.at_end(block))
        made = choices.steps(found.ways, found.is_joined)
    except _Unfit:
        return False
    block.steps += made
    block.end = ir.Jump(end.place, end.line, found.after)
    gone = {*found.blocks}
    if before[found.after] == 2 and not found.after.is_header:
        block.steps += found.after.steps
        block.end = found.after.end
        gone.add(found.after)
    region.blocks = [one for one in region.blocks if one not in gone]
    return True


@dataclass
class _Way:
    """The values that a way gives to names, in terms of those before the branch."""

    values: dict[str, ir.Expression] = field(default_factory=dict)
    operations: int = 0
    leaves: bool = False
    items: list[ir.Item] = field(default_factory=list)  # that may be out of bounds where another way counts


class _Choices:
    """The steps that stand for one branch."""

    def __init__(
        self, region: ir.Region, block: ir.Block, end: ir.Branch, after: ir.Block, unbound: set[str]
    ) -> None:
        self.region, self.end, self.after, self.unbound = region, end, after, unbound
        self.block = block
        self.types = block.types | _bound_in(block)
        self.tested = [node for node in subexpressions([end.test]) if isinstance(node, ir.Item)]

    def steps(self, ways: TwoWays, is_joined: bool) -> list[ir.Bind]:
        """Return the steps that stand for both ways. Raises _Unfit.

        is_joined: tests of several branches are joined. Only sums are worth those that Python does not make.
        """
        one, other = (self.way(steps, _Way()) for steps in ways)
        names = [name for name in one.values | other.values if name[0] != "." or name in self.after.types]
        values = self.sums(names, one, other)
        most_names, most = (MOST_SUMS, MOST_IN_SUMS) if values else (MOST_NAMES, MOST_OPERATIONS)
        if len(names) > most_names or one.operations + other.operations > most:
            raise _Unfit
        if len(names) > 1 and not all(isinstance(node, _AGAIN) for node in subexpressions([self.end.test])):
            raise _Unfit
        if not values and (one.items or other.items or is_joined):
            raise _Unfit
        if (one.leaves or other.leaves) and (len(names) != 1 or not _takes_low_bits(self.end.test)):
            raise _Unfit
        if not values:
            values = {name: self.value(name, one.values.get(name), other.values.get(name)) for name in names}
            if not any(isinstance(node, Select) for node in subexpressions(values.values())):
                raise _Unfit
        return [ir.Bind(self.end.place, self.end.line, name, values[name]) for name in _in_order(values)]

    # -- ways --------------------------------------------------------------------------------------------

    def way(self, steps: Steps, way: _Way) -> _Way:
        """Return the values that a way binds, after those of a way around it. Raises _Unfit where one is not
        cheap."""
        for step in steps:
            if isinstance(step, Inner):
                self.add_inner(step, way)
                continue
            # An attribute that is not stored stays the very object.
            if not _is_number(step.value.type) or is_path(step.name):
                raise _Unfit
            way.values[step.name] = self.copied(step.value, way)
        return way

    def add_inner(self, inner: Inner, way: _Way) -> None:
        """Choose between the values of a branch within a way. Raises _Unfit."""
        test = self.copied_test(inner.test, way)
        one, other = (self.way(steps, _Way({**way.values})) for steps in inner.ways)
        way.operations += one.operations + other.operations
        way.items += one.items + other.items
        if one.leaves or other.leaves:
            raise _Unfit
        for name in one.values | other.values:
            values = one.values.get(name), other.values.get(name)
            kind = next(value.type for value in values if value is not None)
            if None in values and (self.types.get(name) != kind or name in self.unbound):
                raise _Unfit
            first, second = (value or ir.Read(kind, name) for value in values)
            if first.type != second.type:
                raise _Unfit
            if first is not second:
                way.values[name] = Select(kind, test, first, second)
                way.operations += 1

    def copied_test(self, node: ir.Expression, way: _Way) -> ir.Expression:
        """Return the test of a branch within a way in terms of the values before it. Raises _Unfit."""
        if not (isinstance(node, ir.Apply) and _is_truth(node)):
            return self.copied(node, way)
        way.operations += 1
        return replace(node, operands=tuple(self.copied_test(one, way) for one in node.operands))

    def copied(self, node: ir.Expression, way: _Way) -> ir.Expression:
        """Return an expression in terms of the values before the branch. Raises _Unfit."""
        match node:
            case ir.Constant():
                return node
            case ir.Read(name=name):
                return way.values.get(name, node)
            case ir.Item() if str(node) in map(str, self.tested) and not _reads(node) & way.values.keys():
                return next(item for item in self.tested if str(item) == str(node))
            case ir.Item() if self.is_beside(node) and not _reads(node) & way.values.keys():
                way.items.append(node)
                return node
            case Select():
                parts = [self.copied(part, way) for part in (node.test, node.one, node.other)]
                made: ir.Expression = type(node)(node.type, *parts)
            case ir.Apply(operands=operands) if self.is_cheap(node):
                way.leaves = way.leaves or self.leaves(node)
                made = replace(node, operands=tuple(self.copied(operand, way) for operand in operands))
            case _:
                raise _Unfit
        way.operations += 1
        for known in (self.region.certain, self.region.nonnegative):
            if node in known:
                known.add(made)
        return made

    def is_beside(self, node: ir.Item) -> bool:
        """Tell if an item is at the place of one that the branch tests: it rarely is out of bounds alone."""
        place = [*map(str, node.indices)]
        return any(place == [*map(str, item.indices)] for item in self.tested)

    def is_cheap(self, node: ir.Apply) -> bool:
        """Tell if an operation takes a few cycles, and leaves at most for an int beyond 64 bits."""
        operation = node.operation
        if operation.leaves and operation.unchecked is None:
            return False
        if self.leaves(node) and not (node.type == INT and node.operator in _OVERFLOWING):
            return False
        if any(map(_is_float, (*operation.operands, operation.result))):
            return not operation.leaves and operation.function.startswith(_CHEAP_OF_FLOATS)
        if not all(map(_is_int, (*operation.operands, operation.result))):
            return False
        if any(operand in self.region.limits for operand in node.operands):
            return False
        if node.operator in _SHIFTS:
            by = node.operands[1]
            return isinstance(by, ir.Constant) and 0 <= by.value < 8
        if node.operator in _DIVISIONS:
            by = node.operands[1]
            return isinstance(by, ir.Constant) and by.value > 0 and int(by.value).bit_count() == 1
        return node.operator in _CHEAP or operation.function.startswith("npl::cast<")

    def leaves(self, node: ir.Apply) -> bool:
        """Tell if an operation may leave."""
        return node.operation.leaves and node not in self.region.certain

    # -- choices -----------------------------------------------------------------------------------------

    def value(self, name: str, one: ir.Expression | None, other: ir.Expression | None) -> ir.Expression:
        """Return the value that a name is given, by its values on the ways that bind it. Raises _Unfit."""
        bound = one or other
        assert bound is not None
        if one is None or other is None:
            if self.types.get(name) != bound.type or name in self.unbound:
                raise _Unfit
            kept = ir.Read(bound.type, name)
            one, other = one or kept, other or kept
        if one.type != other.type:
            raise _Unfit
        recurs = any(isinstance(value, ir.Apply) and name in _reads(value) for value in (one, other))
        if _is_float(one.type):
            return self.float_value(name, one, other, recurs)
        is_reset = name not in _reads(one) & _reads(other) | _reads(self.end.test)
        by_low_bits = _takes_low_bits(self.end.test) and self.is_used(name)
        stays_sum = self.is_sum(name) and not is_reset and not by_low_bits
        chooses = isinstance(one, Select) or isinstance(other, Select)
        of_constants = _are_constants(one, other) and self.feeds_test(name)
        kind = Select if chooses or of_constants or (recurs and not stays_sum) else ir.Choose
        return kind(one.type, self.end.test, one, other)

    def float_value(self, name: str, one: ir.Expression, other: ir.Expression, recurs: bool) -> ir.Expression:
        """Return the value of a float. Raises _Unfit where the test is of no data: it is predicted then.

        What both ways add to the name is chosen before it is added: the next trip waits for the sum alone.
        """
        if not any(map(_is_data, subexpressions([self.end.test]))):
            raise _Unfit
        if not recurs:
            of_constants = _are_constants(one, other) and self.feeds_test(name)
            kind = Select if of_constants or self.feeds_itself() else ir.Choose
            return kind(one.type, self.end.test, one, other)
        match one, other:
            case ir.Apply(operands=(ir.Read(name=first), by)), ir.Apply(
                operands=(ir.Read(name=second), by_other)
            ) if (
                first == second == name
                and one.operation == other.operation
                and by.type == by_other.type
                and name not in _reads(by) | _reads(by_other)
            ):
                return replace(one, operands=(one.operands[0], Select(by.type, self.end.test, by, by_other)))
        return Select(one.type, self.end.test, one, other)

    def sums(self, names: list[str], one: _Way, other: _Way) -> dict[str, ir.Expression]:
        """Return the sums of ints with what each way adds.

        None where one is something else, or is used, or there are only two ways: of these the C++ compiler
        makes sums of choices itself.
        """
        if not any(isinstance(value, Select) for value in (*one.values.values(), *other.values.values())):
            return {}
        made: dict[str, ir.Expression] = {}
        for name in names:
            if name in self.unbound or self.types.get(name) != INT or self.is_used(name):
                return {}
            sum_ = self.sum_of(name, one, other, ast.Add) or self.sum_of(name, one, other, ast.Sub)
            if sum_ is None:
                return {}
            made[name] = sum_
        self.region.certain |= {*made.values()}
        return self.in_order_of_items(made, [*map(str, (*one.items, *other.items))])

    def sum_of(self, name: str, one: _Way, other: _Way, operator: type[ast.operator]) -> ir.Apply | None:
        """Return an int's sum, by the operation of an operator that a way has."""
        kept = ir.Read(INT, name)
        adds = _Adds(name, operator)
        added = adds.choice(self.end.test, one.values.get(name, kept), other.values.get(name, kept))
        if added is None or not all(node in self.region.certain for node in adds.found):
            return None
        base = next((node for node in adds.found if node.operator is operator), None)
        return None if base is None else replace(base, operands=(kept, added))

    def in_order_of_items(self, made: dict[str, ir.Expression], items: list[str]) -> dict[str, ir.Expression]:
        """Return values, first one that reads all items: where that leaves, nothing is bound yet.

        None where no value reads all of them.
        """
        for name, value in made.items():
            read = {str(node) for node in subexpressions([value]) if isinstance(node, ir.Item)}
            if read.issuperset(items):
                return {name: value, **made}
        return {}

    @cached_property
    def around(self) -> list[ir.Step | ir.End]:
        """The steps and ends of the innermost loop around the branch."""
        loops = [blocks for blocks in natural_loops(self.region).values() if self.block in blocks]
        blocks = min(loops, key=len, default=set[ir.Block]())
        return [step for block in blocks for step in (*block.steps, block.end) if step is not None]

    def feeds_itself(self) -> bool:
        """Tell if data decide the branch, and trips store floats of an array that they read at other places.

        Then the loop is not vectorised, and the next trip waits for the branch.
        """
        if not any(map(_is_data, subexpressions([self.end.test]))):
            return False
        places: dict[str, set[str]] = {}
        stored, read = set[str](), set[str]()
        for step in self.around:
            for node in accesses_of(step):
                assert isinstance(node.array.type, Array)
                if node.array.type.item.kind == "f":
                    (stored if isinstance(node, ir.StoreItem) else read).add(str(node.array))
                    places.setdefault(str(node.array), set()).add(str([*map(str, node.indices)]))
        return any(len(places[array]) > 1 for array in stored & read)

    def feeds_test(self, name: str) -> bool:
        """Tell if data decide the branch that come from a name's value in the trip before, by other names."""
        tested = _reads(self.end.test)
        if name in tested or not any(map(_is_data, subexpressions([self.end.test]))):
            return False
        made: dict[str, set[str]] = {}
        for step in self.around:
            if isinstance(step, ir.Bind):
                made.setdefault(step.name, set()).update(_reads(step.value))
        found: set[str] = set()
        pending = [*tested]
        while pending:
            if (one := pending.pop()) not in found:
                found.add(one)
                pending += made.get(one, ())
        return name in found

    def is_used(self, name: str) -> bool:
        """Tell if trips of the innermost loop around the branch use a name for more than its next value."""
        return any(
            name in _reads(node)
            for step in self.around
            if not (isinstance(step, ir.Bind) and step.name == name)
            for node in ir.expressions_of(step)
        )

    def is_sum(self, name: str) -> bool:
        """Tell if numbers are only added to a name and subtracted from it, wherever it has a new value by its
        old one.
        """
        values = [
            step.value
            for block in self.region.blocks
            for step in block.steps
            if isinstance(step, ir.Bind) and step.name == name
        ]
        for value in values:
            match value:
                case ir.Apply(operator=ast.Add | ast.Sub, operands=(ir.Read(name=read), by)) if read == name:
                    if name in _reads(by):
                        return False
                case _:
                    if name in _reads(value):
                        return False
        return True


class _Adds:
    """The sums of an int and constants that a branch may give it, taken as sums of one operator."""

    def __init__(self, name: str, operator: type[ast.operator]) -> None:
        self.name, self.operator = name, operator
        self.found: list[ir.Apply] = []

    def choice(self, test: ir.Expression, one: ir.Expression, other: ir.Expression) -> ir.Expression | None:
        """Return what a choice between two values adds; None where one has another form."""
        first, second = self.added(one), self.added(other)
        return None if first is None or second is None else Masked(INT, test, first, second)

    def added(self, value: ir.Expression) -> ir.Expression | None:
        """Return what a value adds to the int; None where it has another form."""
        match value:
            case ir.Read(name=self.name):
                return ir.integer(0)
            case Select(test=test, one=one, other=other):
                return self.choice(test, one, other)
            case ir.Apply(
                operator=ast.Add | ast.Sub, operands=(ir.Read(name=self.name), ir.Constant(type=kind) as by)
            ) if kind == INT:
                self.found.append(value)
                return by if value.operator is self.operator else ir.integer(-by.value)
        return None


def _in_order(values: dict[str, ir.Expression]) -> list[str]:
    """Return names in an order in which none is bound before it is read. Raises _Unfit if there is none."""
    rest, order = list(values), []
    while rest:
        free = [name for name in rest if not any(name in _reads(values[one]) for one in rest if one != name)]
        if not free:
            raise _Unfit
        order.append(free[0])
        rest.remove(free[0])
    return order


def _takes_low_bits(test: ir.Expression) -> bool:
    """Tell if a test depends on low bits of an int: a processor does not predict these."""
    for node in subexpressions([test]):
        if isinstance(node, ir.Apply) and node.operator in (ast.BitAnd, ast.Mod):
            last = node.operands[1]
            if isinstance(last, ir.Constant) and 0 < last.value <= MOST_LOW_BITS:
                return True
    return False


def _are_constants(one: ir.Expression, other: ir.Expression) -> bool:
    """Tell if two values are constants, but for the ints 0 and 1: a comparison gives these itself."""
    if not isinstance(one, ir.Constant) or not isinstance(other, ir.Constant):
        return False
    return _is_float(one.type) or {one.value, other.value} != {0, 1}


def _is_truth(node: ir.Apply) -> bool:
    """Tell if an operation answers yes or no, and never leaves."""
    return isinstance(node.type, Scalar) and node.type.kind == "b" and not node.operation.leaves


def _is_data(node: ir.Expression) -> bool:
    """Tell if a value comes from an array, or is computed with floats."""
    return isinstance(node, ir.Item) or (
        isinstance(node, ir.Read)
        and isinstance(node.type, Scalar)
        and (node.type.kind == "f" or not node.type.python)
    )


def _is_number(kind: Type) -> bool:
    return _is_int(kind) or _is_float(kind)


def _is_float(kind: Type) -> bool:
    return isinstance(kind, Scalar) and kind.code in ("f4", "f8")


def _is_int(kind: Type) -> bool:
    return isinstance(kind, Unsigned) or (isinstance(kind, Scalar) and kind.kind in "iub")


def _reads(node: ir.Expression) -> set[str]:
    """Return the names that an expression reads."""
    return {one.name for one in subexpressions([node]) if isinstance(one, ir.Read)}
