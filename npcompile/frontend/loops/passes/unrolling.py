"""Writes out loops over ranges of few constant numbers: the neighbours of a place, a window of 3 by 3.

The item is a constant in each copy of the body, and decides tests of it alone. A name that has one type in
the first trip and another one later, as a sum of small integers does, makes no versions of a loop then:
each copy has its own types. Copies begin the range anew at the next item, so that Python goes on in the
loop where native code leaves within one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from npcompile.frontend.loops.passes.copies import copied, is_plain
from npcompile.frontend.loops.passes.decided_tests import decided, is_silent
from npcompile.frontend.loops.passes.reachability import reached_from
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import INT
from npcompile.lower.loops.verifier import bound_by

MOST_TRIPS = 5  # of a loop that is written out
MOST_COPIES = 60  # of a loop's blocks
MOST_BLOCKS = 240  # of a region


def unroll(region: ir.Region) -> None:
    """Write out the short loops of a region, innermost first."""
    refused: set[str] = set()
    while (state := _next_state(region, refused)) is not None:
        refused.add(state)
        if (copies := _Copies.of(region, state)) is not None and len(region.blocks) < MOST_BLOCKS:
            copies.make()


def _next_state(region: ir.Region, refused: set[str]) -> str | None:
    """Return the iterator of a loop without others in it, if there is one that was not refused."""
    states = {
        block.end.state: None
        for block in region.blocks
        if isinstance(block.end, ir.NextOfRange) and block.end.state not in refused
    }
    for state in states:
        live = [block for block in region.blocks if state in block.types]
        if all(not one.is_header or getattr(one.end, "state", None) == state for one in live):
            return state
    return None


@dataclass
class _Copies:
    """The copies of a loop's blocks.

    live: the blocks in which its iterator is. items: the numbers of its range. names: those that have the
    value of its item wherever they are read in a trip.
    """

    region: ir.Region
    state: str
    live: list[ir.Block]
    begun: ir.BeginRange
    items: range
    names: frozenset[str]

    @classmethod
    def of(cls, region: ir.Region, state: str) -> _Copies | None:
        """Return the copies of a loop; None where it is not to be written out."""
        live = [block for block in region.blocks if state in block.types]
        steps = [step for block in live for step in _steps(block)]
        begins = [step for block in region.blocks for step in block.steps if state in bound_by(step)]
        if state in region.names or not begins or not all(map(is_plain, steps)):
            return None
        ranges = {None if (numbers := _numbers(step)) is None else tuple(numbers) for step in begins}
        begun, items = begins[0], _numbers(begins[0])
        if len(ranges) > 1 or items is None or not isinstance(begun, ir.BeginRange) or begun in steps:
            return None
        if not 0 < len(items) <= MOST_TRIPS or (len(items) + 1) * len(live) > MOST_COPIES:
            return None
        return cls(region, state, live, begun, items, _names(live, state))

    def make(self) -> None:
        """Replace the loop's blocks."""
        self.made: dict[tuple[ir.Block, int], ir.Block] = {}
        self.pending: list[tuple[ir.Block, int]] = []
        self.versions: dict[int, int] = {}
        for block in self.region.blocks:
            self.versions[block.source] = max(self.versions.get(block.source, 0), block.version)
        before = [block for block in self.region.blocks if self.begun.state not in block.types]
        for block in before:
            if any(self.state in bound_by(step) for step in block.steps):
                block.end = self._led(block.end, 0)
        while self.pending:
            block, taken = self.pending.pop()
            self._fill(self.made[block, taken], block, taken)
        reached = reached_from(self.region.entry)
        self.region.blocks[:] = [block for block in (*before, *self.made.values()) if block in reached]

    def _copy(self, block: ir.Block, taken: int) -> ir.Block:
        """Return the copy of a block where so many items were taken; the block itself outside of the loop."""
        if self.state not in block.types:
            return block
        if (block, taken) not in self.made:
            self.versions[block.source] += 1
            self.made[block, taken] = ir.Block(block.source, self.versions[block.source], block.types)
            self.pending.append((block, taken))
        return self.made[block, taken]

    def _led(self, end: ir.End | None, taken: int) -> ir.End:
        """Return an end that leads to copies."""
        match end:
            case ir.Jump(target=target):
                return replace(end, target=self._copy(self._after(target, taken), taken))
            case ir.Branch(test=test, then=then, otherwise=otherwise):
                ways = [self._after(one, taken) for one in (then, otherwise)]
                if (holds := decided(test)) is not None:
                    ways = [ways[0] if holds else ways[1]]
                if len({*ways}) == 1 and (holds is not None or is_silent(test)):
                    return ir.Jump(end.place, end.line, self._copy(ways[0], taken))
                return replace(end, then=self._copy(ways[0], taken), otherwise=self._copy(ways[1], taken))
            case ir.Next(body=body, exhausted=exhausted):
                return replace(end, body=self._copy(body, taken), exhausted=self._copy(exhausted, taken))
        assert end is not None
        return end

    def _after(self, block: ir.Block, taken: int) -> ir.Block:
        """Return the block that a way leads to, past those of its copies in which nothing is done."""
        names = self._constants(taken)
        while block in self.live and not block.steps and not block.is_header:
            match block.end:
                case ir.Jump(target=target):
                    block = target
                case ir.Branch(test=test, then=then, otherwise=otherwise):
                    holds = decided(copied(test, names, {}))
                    if holds is None:
                        break
                    block = then if holds else otherwise
                case _:
                    break
        return block

    def _constants(self, taken: int) -> dict[str, ir.Constant]:
        """Return the names that have the item's value where so many items were taken."""
        return dict.fromkeys(self.names, ir.integer(self.items[taken - 1])) if taken else {}

    def _fill(self, copy: ir.Block, block: ir.Block, taken: int) -> None:
        names = self._constants(taken)
        copy.steps += [copied(step, names, {}) for step in block.steps]
        end = block.end
        if not isinstance(end, ir.NextOfRange):
            copy.end = self._led(copied(end, names, {}), taken)
        elif taken == len(self.items):
            copy.end = ir.Jump(end.place, end.line, self._copy(end.exhausted, taken))
        else:
            value, next_one = self.items[taken], self.items[taken] + self.items.step
            begun, stop = self.begun, ir.integer(self.items.stop)
            stride = ir.integer(self.items.step)
            copy.steps += [
                ir.BeginRange(
                    end.place, end.line, begun.kind, self.state, ir.integer(next_one), stop, stride
                ),
                ir.Bind(end.place, end.line, end.item, ir.integer(value)),
            ]
            copy.end = ir.Jump(end.place, end.line, self._copy(end.body, taken + 1))


def _names(live: list[ir.Block], state: str) -> frozenset[str]:
    """Return the names that are bound to the item first in each trip, and to nothing else in the loop."""
    headers = [block.end for block in live if isinstance(block.end, ir.NextOfRange)]
    names = {end.item for end in headers}
    for end in headers:
        for step in end.body.steps:
            if not isinstance(step, ir.Bind) or not isinstance(step.value, ir.Read):
                break
            if step.value.name not in names:
                break
            names.add(step.name)
    found = {end.item for end in headers}
    bodies = {end.body for end in headers}  # several headers may have one
    for name in names - found:
        binds = [step for block in live for step in block.steps if name in bound_by(step)]
        first = [step for body in bodies for step in body.steps if name in bound_by(step)]
        items = [step for step in binds if isinstance(step, ir.Bind) and str(step.value) in names]
        if len(items) == len(binds) == len(first) and all(
            any(name in bound_by(step) for step in end.body.steps) for end in headers
        ):
            found.add(name)
    return frozenset(found)


def _numbers(step: ir.Step) -> range | None:
    """Return the numbers of a range that begins, if they are constants."""
    if not isinstance(step, ir.BeginRange):
        return None
    ends = (step.start, step.stop, step.stride)
    values = [_constant(one) for one in ends]
    if None in values or values[2] == 0:
        return None
    return range(*values)  # type: ignore[arg-type]


def _constant(node: ir.Expression) -> int | None:
    return int(node.value) if isinstance(node, ir.Constant) and node.type == INT else None


def _steps(block: ir.Block) -> list[ir.Step | ir.End]:
    return [*block.steps, *([] if block.end is None else [block.end])]
