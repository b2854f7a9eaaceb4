"""Takes bounds checks out of nests of loops over ranges, and out of innermost `while` loops.

They are made before the first trip, for all trips. The least and the greatest value of an index follow from
those of the ranges' items, by interval arithmetic at run time, which is exact where each item stands once in
an index; or from conditions that hold where a `while` loop moves an int (`j < n` at `j += step`). Where a
check does not hold, the nest goes with the checks that it had: `bounds_checks.py` takes them out of its
innermost loops alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace

from npcompile.frontend.loops.passes.bounds_checks import accesses_of
from npcompile.frontend.loops.passes.moves import Moved, moves_of
from npcompile.frontend.loops.passes.whole_arrays import works_on_arrays
from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.nesting import in_each_trip, innermost, natural_loops, predecessors
from npcompile.lower.loops.codegen.short_loops import short_loops
from npcompile.lower.loops.nest_ir import (
    BoundName,
    Clock,
    Comparison,
    InnerRange,
    LoopNest,
    Move,
    RangeBounds,
    SpannedAccess,
)
from npcompile.lower.loops.register_ir import has_place
from npcompile.lower.loops.select_ir import Select
from npcompile.lower.loops.types import INT, Array

MOST_BLOCKS = 60  # of a nest, which is written twice
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
_EXTREMES = ("npl::smallest<int64_t", "npl::largest<int64_t")
# A comparison holds its left name at least at, or at most at, the other side plus a shift.
_SAYS: dict[type[ast.AST] | None, tuple[bool, int]] = {
    ast.Lt: (False, -1), ast.LtE: (False, 0), ast.Gt: (True, 1), ast.GtE: (True, 0)
}  # fmt: skip
_MIRRORED: dict[type[ast.AST] | None, type[ast.AST]] = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE
}  # fmt: skip
_NEGATED: dict[type[ast.AST] | None, type[ast.AST]] = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt
}  # fmt: skip

Facts = dict[str, Comparison]  # by their texts


class _Unknown(Exception):
    """The bounds of an int are not known before the nest."""


def nest(region: ir.Region) -> None:
    """Note in a region the nests of loops that have a version without bounds checks, outermost first."""
    before = predecessors(region)
    every = natural_loops(region)
    loops = {block: blocks for block, blocks in every.items() if isinstance(block.end, ir.NextOfRange)}
    short = short_loops(region)
    counted = {
        block: blocks
        for block, blocks in every.items()
        if isinstance(block.end, ir.Branch)
        and block not in short
        and not any(one.is_header for one in blocks - {block})
        and not any(map(works_on_arrays, blocks))
    }
    taken: set[ir.Block] = set()
    for header, blocks in sorted((loops | counted).items(), key=lambda one: -len(one[1])):
        if blocks & taken or header in region.fast_loops or len(blocks) > MOST_BLOCKS:
            continue
        made = _Nest(region, header, blocks, loops, before).made()
        if made is not None:
            region.nests[header] = made
            taken |= blocks
            for block in [one for one in blocks if not isinstance(one.end, ir.NextOfRange)]:
                region.fast_loops.pop(block, None)  # in a nest it has no version that polls


class _Nest:
    """A loop that may become a nest."""

    def __init__(
        self,
        region: ir.Region,
        header: ir.Block,
        blocks: set[ir.Block],
        loops: dict[ir.Block, set[ir.Block]],
        before: dict[ir.Block, list[ir.Block]],
    ) -> None:
        self.region, self.header, self.blocks, self.loops, self.before = region, header, blocks, loops, before
        self.item_of = header.end.state if isinstance(header.end, ir.NextOfRange) else None
        self.ordered = [block for block in region.blocks if block in blocks]
        self.bound: dict[str, list[ir.Step | ir.End]] = {}
        for block in self.ordered:
            for step in _steps(block):
                for name in ir.bound_by(step):
                    self.bound.setdefault(name, []).append(step)
        self.names: dict[
            str, BoundName | None
        ] = {}  # those that are known; None: while its values are asked for
        self.facts: dict[ir.Block, Facts] = {}
        self.at: dict[ir.Step, Facts] = {}  # what holds where a name is bound

    def made(self) -> LoopNest | None:
        """Return the nest; None where checks of its loops depend on values that its trips compute."""
        if not self._polls_suffice():
            return None
        try:
            inner = tuple(self._inner())
        except _Unknown:
            return None
        if not inner and self.item_of is not None:
            return None
        self.facts = self._facts()
        for block in self.ordered:
            holds = self.facts[block]
            for effect in block.steps:
                self.at[effect] = holds
                holds = _without(holds, ir.bound_by(effect))
        accesses: dict[str, SpannedAccess] = {}
        unchecked: set[ir.Item | ir.StoreItem] = set()
        checked: set[ir.Item | ir.StoreItem] = set()
        divisors: dict[ir.Apply, ir.Expression] = {}
        for block in self.ordered:
            known = dict(self.facts[block])
            for step in _steps(block):
                for node in accesses_of(step):
                    try:
                        found = list(self._accesses(node, known))
                    except _Unknown:
                        checked.add(node)
                        continue
                    unchecked.add(node)
                    accesses |= {_text(one): one for one in found}
                divisors |= self._divisors(step)
                if isinstance(step, ir.Step):
                    known = _without(known, ir.bound_by(step))
        unchecked -= checked
        fast = [
            loop
            for header, loop in self.region.fast_loops.items()
            if header in self.blocks and isinstance(header.end, ir.NextOfRange)
        ]
        placed = {node for loop in fast for node in loop.unchecked if has_place(loop, node)}
        if not placed <= unchecked:
            return None
        within = {
            block for header, blocks in self.loops.items() if header is not self.header for block in blocks
        }
        steps = [step for block in self.ordered if block in within for step in _steps(block)]
        if self.item_of is None:
            gains = bool(unchecked)
        else:
            gains = any(node in unchecked for step in steps for node in accesses_of(step))
        if not gains:
            return None
        names = tuple(self._with_moves(name) for name in self.names.values() if name is not None)
        return LoopNest(
            self.header,
            frozenset(self.blocks),
            names,
            tuple(accesses.values()),
            frozenset(unchecked),
            divisors,
            inner,
            self._clock(names) if self.item_of is None else None,
        )

    def _polls_suffice(self) -> bool:
        """Tell if loops within the nest that are not over ranges have no others in them; none is shared."""
        alone = innermost(self.region)
        return all(
            not block.is_header
            or block is self.header
            or (block not in self.region.shared and (isinstance(block.end, ir.NextOfRange) or block in alone))
            for block in self.blocks
        )

    def _inner(self) -> Iterator[InnerRange]:
        """Yield the ranges of the loops within the nest."""
        headers: dict[str, list[ir.Block]] = {}
        for block in self.ordered:
            if isinstance(block.end, ir.NextOfRange) and block is not self.header:
                headers.setdefault(block.end.state, []).append(block)
        for state, blocks in headers.items():
            around = {
                other.end.state
                for other, body in self.loops.items()
                if isinstance(other.end, ir.NextOfRange)
                and other in self.blocks
                and other is not self.header
                and other.end.state != state
                and any(block in body for block in blocks)
            }
            yield InnerRange(state, self._ranges(state), tuple(sorted(around)))

    def _ranges(self, state: str) -> tuple[RangeBounds, ...]:
        """Return the ranges that an iterator goes over. The bounds of their ends are known."""
        found = []
        for step in self.bound.get(state, ()):
            if not isinstance(step, ir.BeginRange) or not isinstance(step.stride, ir.Constant):
                raise _Unknown
            self._know(step.start)
            self._know(step.stop)
            found.append(RangeBounds(step.start, step.stop, step.stride.value < 0))
        if not found:
            raise _Unknown
        return tuple(found)

    # -- bounds ------------------------------------------------------------------------------------------

    def _know(self, node: ir.Expression) -> None:
        """Find the names on which an int depends; raise where its bounds are not known before the nest."""
        if node.type != INT:
            raise _Unknown
        match node:
            case ir.Constant(value=int()):
                return
            case ir.Read(name=name):
                self._know_name(name)
            case ir.Length(array=ir.Read(name=name, type=Array())) if name not in self.bound:
                return
            case ir.Apply(operator=operator, operands=operands) if (
                operator in _ARITHMETIC and len(operands) == 2
            ):
                for operand in operands:
                    self._know(operand)
            case ir.Apply(operation=operation, operands=(one, other)) if operation.function.startswith(
                _EXTREMES
            ):
                self._know(one)
                self._know(other)
            case ir.Choose(one=one, other=other) | Select(one=one, other=other):
                self._know(one)
                self._know(other)
            case _:
                raise _Unknown

    def _know_name(self, name: str) -> None:
        if name in self.names:
            if self.names[name] is None:  # it depends on itself
                raise _Unknown
            return
        values: list[ir.Expression] = []
        ranges: list[RangeBounds] = []
        is_item = False
        self.names[name] = None
        try:
            for step in self.bound.get(name, ()):
                match step:
                    case ir.Bind(value=value) if (moved := self._moved(name, value)) is not None:
                        for one in moved:
                            self._know(one.step)
                    case ir.Bind(value=value):
                        self._know(value)
                        values.append(value)
                    case ir.NextOfRange(state=state) if state == self.item_of:
                        if state in self.bound:
                            raise _Unknown
                        is_item = True
                    case ir.NextOfRange(state=state):
                        ranges += self._ranges(state)
                    case _:
                        raise _Unknown
        except _Unknown:
            del self.names[name]
            raise
        given = self.header.types.get(name)
        if given not in (None, INT) or (given is None and not (values or ranges or is_item)):
            del self.names[name]
            raise _Unknown
        del self.names[name]  # after those on which it depends
        self.names[name] = BoundName(name, tuple(values), tuple(ranges), is_item, given is not None)

    # -- moves -------------------------------------------------------------------------------------------

    def _moved(self, name: str, value: ir.Expression) -> list[Moved] | None:
        """Return the moves of a name in a `while` loop; None where it is bound to another value."""
        return moves_of(name, value) if self.item_of is None else None

    def _with_moves(self, name: BoundName) -> BoundName:
        """Return a name with its moves and the conditions that hold there."""
        return replace(name, moves=tuple(self._moves(name.name)))

    def _moves(self, name: str) -> Iterator[Move]:
        for step in self.bound.get(name, ()):
            if not isinstance(step, ir.Bind):
                continue
            for one in self._moved(name, step.value) or ():
                holds = tuple(fact for fact in self.at[step].values() if fact.name == name)
                ends = self._has_end(name, not one.backward, holds, frozenset())
                needs_check = ends and one.node not in self.region.certain
                yield Move(one.node, one.step, one.backward, holds, needs_check)

    def _has_ends(self, node: ir.Expression, holds: Iterable[Comparison], seen: frozenset[str]) -> bool:
        """Tell if conditions, or the nest's entry, bound an int on both sides."""
        return all(
            self._has_end(name, upper, holds, seen)
            for name in _names_in(node)
            if name in self.names
            for upper in (True, False)
        )

    def _has_end(self, name: str, upper: bool, holds: Iterable[Comparison], seen: frozenset[str]) -> bool:
        """Tell if conditions on a name, or the nest's entry, bound it on one side."""
        for one in holds:
            if one.name == name and one.at_least is not upper:
                beside = [other for other in _names_in(one.value) if other in self.names]
                if all(self._has_end(other, upper, (), seen | {name}) for other in beside):
                    return True
        if name in seen:
            return False
        for step in self.bound.get(name, ()):
            if not isinstance(step, ir.Bind):
                continue
            known = [fact for fact in self.at[step].values() if fact.name == name]
            moved = self._moved(name, step.value)
            if moved is None:
                if not self._has_ends(step.value, (), seen | {name}):
                    return False
            elif any(one.backward is not upper for one in moved):
                if not any(one.at_least is not upper for one in known):
                    return False
                if not self._has_end(name, upper, known, seen | {name}):
                    return False
        return True

    def _clock(self, names: tuple[BoundName, ...]) -> Clock | None:
        """Return an int that tells how many trips a `while` loop has had."""
        for name in names:
            steps = self.bound.get(name.name, ())
            if len(steps) != 1 or len(name.moves) != 1 or name.values or not name.is_given:
                continue
            (move,), (step,) = name.moves, steps
            fixed = isinstance(move.step, ir.Constant) or (
                isinstance(move.step, ir.Read) and move.step.name not in self.bound
            )
            if not fixed or not isinstance(step, ir.Bind) or step.value is not move.node:
                continue
            block = next(one for one in self.ordered if step in one.steps)
            if in_each_trip(self.header, self.blocks, block) and self._has_ends(
                ir.Read(INT, name.name), (), frozenset()
            ):
                return Clock(name.name, move.step, move.backward)
        return None

    def _accesses(self, node: ir.Item | ir.StoreItem, known: Facts) -> Iterator[SpannedAccess]:
        """Yield the checks of an item's places."""
        if not isinstance(node.array, ir.Read) or node.array.name in self.bound:
            raise _Unknown
        for axis, index in enumerate(node.indices):
            self._know(index)
            read = set(_names_in(index))
            holds = tuple(one for one in known.values() if one.name in read)
            if not self._has_ends(index, holds, frozenset()):
                raise _Unknown
            yield SpannedAccess(node.array, axis, index, holds)

    def _divisors(self, step: ir.Step | ir.End) -> dict[ir.Apply, ir.Expression]:
        """Return the divisions that cannot leave where their divisors, fixed in the nest, are positive."""
        found: dict[ir.Apply, ir.Expression] = {}
        pending = list(ir.expressions_of(step))
        while pending:
            node = pending.pop()
            pending += ir.parts_of(node)
            if (
                isinstance(node, ir.Apply)
                and node.operator in (ast.FloorDiv, ast.Mod)
                and node.type == INT
                and node not in self.region.certain
                and node.operation.unchecked is not None
                and len(node.operands) == 2
                and isinstance(divisor := node.operands[1], ir.Read)
                and divisor.type == INT
                and divisor.name not in self.bound
            ):
                try:
                    self._know(divisor)
                except _Unknown:
                    continue
                found[node] = divisor
        return found

    # -- conditions --------------------------------------------------------------------------------------

    def _facts(self) -> dict[ir.Block, Facts]:
        """Return the comparisons that hold where each block begins."""
        found: dict[ir.Block, Facts] = {self.header: {}}
        pending = [self.header]
        while pending:
            block = pending.pop()
            known = found[block]
            for step in block.steps:
                known = _without(known, ir.bound_by(step))
            for target, facts in self._after(block, known):
                if target not in self.blocks or target is self.header:
                    continue
                before = found.get(target)
                merged = (
                    facts if before is None else {text: one for text, one in before.items() if text in facts}
                )
                if merged.keys() != (None if before is None else before.keys()):
                    found[target] = merged
                    pending.append(target)
        return {block: found.get(block, {}) for block in self.ordered}

    def _after(self, block: ir.Block, known: Facts) -> Iterator[tuple[ir.Block, Facts]]:
        """Yield the blocks that may come after one, with what holds on the way."""
        match block.end:
            case ir.Branch(test=test, then=then, otherwise=otherwise):
                yield then, known | self._compared(test, True)
                yield otherwise, known | self._compared(test, False)
            case ir.Next() as end:
                yield end.body, _without(known, ir.bound_by(end))
                yield end.exhausted, known
            case end:
                for target in ir.targets(end):
                    yield target, known

    def _compared(self, test: ir.Expression, holds: bool) -> Facts:
        """Return what a test that holds, or does not, says of names."""
        if not isinstance(test, ir.Apply) or len(test.operands) != 2 or test.operator is None:
            return {}
        operator = test.operator if holds else _NEGATED.get(test.operator)
        found: Facts = {}
        left, right = test.operands
        for one, other, way in ((left, right, operator), (right, left, _MIRRORED.get(operator))):
            name, added = _shifted(one)
            if name is None or way not in _SAYS:
                continue
            try:
                self._know(other)
            except _Unknown:
                continue
            made = Comparison(name, _SAYS[way][0], other, _SAYS[way][1] - added)
            found[str(made)] = made
        return found


def _text(access: SpannedAccess) -> str:
    return f"{access.array} {access.axis} {access.index} {'; '.join(map(str, access.holds))}"


def _shifted(node: ir.Expression) -> tuple[str | None, int]:
    """Return the name of an int, and the constant that is added to it; None for other ints."""
    match node:
        case ir.Read(name=name) if node.type == INT:
            return name, 0
        case ir.Apply(
            operator=ast.Add | ast.Sub as operator,
            operands=(ir.Read(name=name) as one, ir.Constant(value=value)),
        ) if {node.type, one.type} == {INT} and isinstance(value, int) and abs(value) < ir.SMALL:
            return name, value if operator is ast.Add else -value
    return None, 0


def _without(known: Facts, names: Iterable[str]) -> Facts:
    """Return the comparisons that hold after names were bound anew."""
    return {text: one for text, one in known.items() if one.name not in names}


def _names_in(node: ir.Expression) -> Iterator[str]:
    if isinstance(node, ir.Read):
        yield node.name
    for part in ir.parts_of(node):
        yield from _names_in(part)


def _steps(block: ir.Block) -> list[ir.Step | ir.End]:
    return [*block.steps, *([] if block.end is None else [block.end])]
